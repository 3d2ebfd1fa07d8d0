/* Loading plugins: by path, by name, with options; and what is not a plugin. */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

/* A path that `bytes` were written to. */
static void write_file(char *path, size_t size, const char *name, const char *bytes, size_t count) {
  snprintf(path, size, "/tmp/pjrtmem-load-%ld-%s", (long)getpid(), name);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, count, file) != count || fclose(file)) abort();
}

/* A copy of the name of a file that the C library itself was loaded from. */
static const char *some_library(void) {
  static const char *const paths[] = {"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6",
                                      "/usr/lib/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6"};
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
    if (access(paths[i], R_OK) == 0) return paths[i];
  return NULL;
}

TEST(a_missing_file) {
  pjrtmem_client client = 77;
  CHECK_SAYS(pjrtmem_load("/nowhere/plugin.so", NULL, &client), PJRTMEM_CODE_PLUGIN_NOT_FOUND,
             "/nowhere/plugin.so");
  CHECK_SAYS(pjrtmem_load("./nowhere.so", NULL, &client), PJRTMEM_CODE_PLUGIN_NOT_FOUND, "./nowhere.so");
  CHECK_EQ(client, 77);
}

TEST(an_unknown_name_says_where_it_was_looked_for) {
  pjrtmem_client client = 77;
  CHECK_SAYS(pjrtmem_load("no-such-plugin", NULL, &client), PJRTMEM_CODE_PLUGIN_NOT_FOUND,
             "plugins/no-such-plugin.so");
  CHECK_SAYS(pjrtmem_load("no-such-plugin", NULL, &client), PJRTMEM_CODE_PLUGIN_NOT_FOUND,
             "PJRT_NAMES_AND_LIBRARY_PATHS");
  CHECK_CODE(pjrtmem_load("", NULL, &client), PJRTMEM_CODE_INVALID_ARGUMENT);
  CHECK_EQ(client, 77);
}

TEST(files_that_are_no_plugin) {
  pjrtmem_client client = 77;
  char path[256];
  static const char text[] = "This is a text and no library.\n";
  write_file(path, sizeof path, "text.so", text, sizeof text - 1);
  CHECK_SAYS(pjrtmem_load(path, NULL, &client), PJRTMEM_CODE_NOT_A_PLUGIN, path);
  unlink(path);
  write_file(path, sizeof path, "empty.so", "", 0);
  CHECK_SAYS(pjrtmem_load(path, NULL, &client), PJRTMEM_CODE_NOT_A_PLUGIN, path);
  unlink(path);
  write_file(path, sizeof path, "short.so", "\177ELF\2\1\1", 7);
  CHECK_SAYS(pjrtmem_load(path, NULL, &client), PJRTMEM_CODE_NOT_A_PLUGIN, path);
  unlink(path);
  const char *library = some_library();
  if (library) CHECK_SAYS(pjrtmem_load(library, NULL, &client), PJRTMEM_CODE_NOT_A_PLUGIN, "GetPjrtApi");
  CHECK_EQ(client, 77);
}

/* Opening a pipe or a device as a library can hang or worse. */
TEST(only_a_regular_file_is_opened) {
  pjrtmem_client client = 77;
  char path[256];
  CHECK_SAYS(pjrtmem_load("/tmp/", NULL, &client), PJRTMEM_CODE_NOT_A_PLUGIN, "/tmp/");
  CHECK_SAYS(pjrtmem_load("/dev/zero", NULL, &client), PJRTMEM_CODE_NOT_A_PLUGIN, "/dev/zero");
  snprintf(path, sizeof path, "/tmp/pjrtmem-load-%ld-pipe", (long)getpid());
  if (mkfifo(path, 0600) == 0) {
    CHECK_SAYS(pjrtmem_load(path, NULL, &client), PJRTMEM_CODE_NOT_A_PLUGIN, path);
    unlink(path);
  }
  CHECK_EQ(client, 77);
}

TEST(the_client_describes_itself) {
  pjrtmem_client_info info = client_info(load(2));
  CHECK(info.plugin_path && strchr(info.plugin_path, '/'));
  CHECK_STR(info.platform_name, "cpu");
  CHECK(info.platform_version != NULL);
  CHECK_EQ(info.api_major, 0);
  CHECK(info.api_minor >= 81);
  CHECK(info.space_count >= 2);
  CHECK_EQ(info.struct_size, sizeof info);
}

/* A program that was compiled with a shorter struct gets what fits and nothing beyond it. */
TEST(info_fills_only_what_fits) {
  pjrtmem_client client = load(2);
  struct {
    pjrtmem_client_info info;
    char after[64];
  } room;
  memset(&room, 0x5A, sizeof room);
  room.info.struct_size = offsetof(pjrtmem_client_info, platform_name);
  CHECK_OK(pjrtmem_get_client_info(client, &room.info));
  CHECK(strchr(room.info.plugin_path, '/') != NULL);
  unsigned char *bytes = (unsigned char *)&room;
  for (size_t i = offsetof(pjrtmem_client_info, platform_name); i < sizeof room; i++) CHECK_EQ(bytes[i], 0x5A);
  /* A longer one, of a later version, is filled as far as this version knows. */
  memset(&room, 0x5A, sizeof room);
  room.info.struct_size = sizeof room;
  CHECK_OK(pjrtmem_get_client_info(client, &room.info));
  CHECK_STR(room.info.platform_name, "cpu");
  /* One that does not even hold its size is a mistake. */
  room.info.struct_size = 0;
  CHECK_CODE(pjrtmem_get_client_info(client, &room.info), PJRTMEM_CODE_INVALID_ARGUMENT);
  room.info.struct_size = sizeof(size_t) - 1;
  CHECK_CODE(pjrtmem_get_client_info(client, &room.info), PJRTMEM_CODE_INVALID_ARGUMENT);
}

TEST(same_options_same_client) {
  pjrtmem_client first = load(2);
  CHECK_EQ(load(2), first);
  /* By path as by name: the file decides. */
  CHECK_EQ(load_named(client_info(first).plugin_path, 2), first);
  uint32_t count = 0, again = 0;
  CHECK_OK(pjrtmem_space_count(&count));
  load(2);
  CHECK_OK(pjrtmem_space_count(&again));
  CHECK_EQ(again, count);
}

TEST(a_link_to_the_same_file_is_the_same_client) {
  pjrtmem_client first = load(2);
  char path[256];
  snprintf(path, sizeof path, "/tmp/pjrtmem-load-%ld-link.so", (long)getpid());
  unlink(path);
  if (symlink(client_info(first).plugin_path, path) != 0) abort();
  CHECK_EQ(load_named(path, 2), first);
  unlink(path);
}

TEST(the_order_of_options_does_not_matter) {
  pjrtmem_client clients[2] = {77, 88};
  for (int order = 0; order < 2; order++) {
    pjrtmem_options *options = NULL;
    CHECK_OK(pjrtmem_options_new(&options));
    /* Setting one again replaces it. */
    CHECK_OK(pjrtmem_options_set_integer(options, "cpu_device_count", order ? 9 : 2));
    CHECK_OK(pjrtmem_options_set_integer(options, "cpu_device_count", 2));
    CHECK_OK(pjrtmem_load(check_plugin, options, &clients[order]));
    pjrtmem_options_free(options);
  }
  CHECK_EQ(clients[0], clients[1]);
}

TEST(other_options_another_client) {
  pjrtmem_client two = load(2), three = load(3);
  CHECK(two != three);
  pjrtmem_client_info info_two = client_info(two), info_three = client_info(three);
  CHECK(info_three.space_count > info_two.space_count);
  /* Their spaces are two runs of IDs that do not touch. */
  CHECK(info_two.first_space + info_two.space_count <= info_three.first_space ||
        info_three.first_space + info_three.space_count <= info_two.first_space);
}

/* Some plugins end the process for these, so they have to be stopped before. */
TEST(options_that_kill_a_plugin_are_refused) {
  static const int64_t counts[] = {-1, 0, INT64_MIN, INT64_MAX};
  pjrtmem_client client = 77;
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    pjrtmem_options *options = NULL;
    CHECK_OK(pjrtmem_options_new(&options));
    CHECK_OK(pjrtmem_options_set_integer(options, "cpu_device_count", counts[i]));
    CHECK_SAYS(pjrtmem_load(check_plugin, options, &client), PJRTMEM_CODE_OPTION_REFUSED, "cpu_device_count");
    pjrtmem_options_free(options);
  }
  pjrtmem_options *options = NULL;
  CHECK_OK(pjrtmem_options_new(&options));
  CHECK_OK(pjrtmem_options_set_string(options, "cpu_device_count", "two"));
  CHECK_SAYS(pjrtmem_load(check_plugin, options, &client), PJRTMEM_CODE_OPTION_REFUSED, "cpu_device_count");
  pjrtmem_options_free(options);
  CHECK_EQ(client, 77);
}

/* Plugins differ here: some ignore an option that they do not know, some refuse it. Neither may crash. */
TEST(an_unknown_option_is_refused_or_ignored) {
  pjrtmem_options *options = NULL;
  pjrtmem_client client = 77;
  CHECK_OK(pjrtmem_options_new(&options));
  CHECK_OK(pjrtmem_options_set_integer(options, "cpu_device_count", 2));
  CHECK_OK(pjrtmem_options_set_string(options, "no_such_option", "value"));
  pjrtmem_error *error = pjrtmem_load(check_plugin, options, &client);
  if (error) {
    CHECK_EQ(pjrtmem_error_code(error), PJRTMEM_CODE_OPTION_REFUSED);
    CHECK(strstr(pjrtmem_error_message(error), "no_such_option") != NULL);
    CHECK_EQ(client, 77);
  } else {
    CHECK(client != 77);
  }
  pjrtmem_error_free(error);
  pjrtmem_options_free(options);
}

TEST(bad_names_and_values_of_options) {
  pjrtmem_options *options = NULL;
  CHECK_OK(pjrtmem_options_new(&options));
  CHECK_CODE(pjrtmem_options_set_integer(options, "", 1), PJRTMEM_CODE_INVALID_ARGUMENT);
  CHECK_CODE(pjrtmem_options_set_integers(options, "list", NULL, 2), PJRTMEM_CODE_INVALID_ARGUMENT);
  pjrtmem_options_free(options);
}

/* "name:path,name:path", the convention of JAX and TensorFlow. */
TEST(names_from_the_environment) {
  pjrtmem_client first = load(2);
  const char *path = client_info(first).plugin_path;
  char value[4096];
  snprintf(value, sizeof value, "elsewhere:/nowhere/x.so,mine:%s,last:/nowhere/y.so", path);
  setenv("PJRT_NAMES_AND_LIBRARY_PATHS", value, 1);
  CHECK_EQ(load_named("mine", 2), first);
  pjrtmem_client client = 77;
  CHECK_SAYS(pjrtmem_load("last", NULL, &client), PJRTMEM_CODE_PLUGIN_NOT_FOUND, "/nowhere/y.so");
  /* It comes before the cache. */
  snprintf(value, sizeof value, "%s:/nowhere/z.so", check_plugin);
  if (!strchr(check_plugin, '/')) {
    setenv("PJRT_NAMES_AND_LIBRARY_PATHS", value, 1);
    CHECK_SAYS(pjrtmem_load(check_plugin, NULL, &client), PJRTMEM_CODE_PLUGIN_NOT_FOUND, "/nowhere/z.so");
  }
  unsetenv("PJRT_NAMES_AND_LIBRARY_PATHS");
  CHECK_EQ(client, 77);
}

TEST(names_from_the_cache) {
  pjrtmem_client first = load(2);
  char folder[128], path[256], before[4096] = "";
  const char *cache = getenv("PJRTMEM_CACHE");
  if (cache) snprintf(before, sizeof before, "%s", cache);
  snprintf(folder, sizeof folder, "/tmp/pjrtmem-load-%ld", (long)getpid());
  if (mkdir(folder, 0700) != 0) abort();
  snprintf(path, sizeof path, "%s/plugins", folder);
  if (mkdir(path, 0700) != 0) abort();
  snprintf(path, sizeof path, "%s/plugins/another-name.so", folder);
  if (symlink(client_info(first).plugin_path, path) != 0) abort();
  setenv("PJRTMEM_CACHE", folder, 1);
  CHECK_EQ(load_named("another-name", 2), first);
  if (cache) {
    setenv("PJRTMEM_CACHE", before, 1);
  } else {
    unsetenv("PJRTMEM_CACHE");
  }
  unlink(path);
  snprintf(path, sizeof path, "%s/plugins", folder);
  rmdir(path);
  rmdir(folder);
}

/* What a plugin can do is told with what serves for what it cannot. */
TEST(capabilities) {
  pjrtmem_client client = load(1);
  pjrtmem_capability capability;
  size_t count = 0;
  memset(&capability, 0, sizeof capability);
  capability.struct_size = sizeof capability;
  for (;; count++) {
    pjrtmem_error *error = pjrtmem_get_capability(client, count, &capability);
    if (error) {
      CHECK_EQ(pjrtmem_error_code(error), PJRTMEM_CODE_OUT_OF_RANGE);
      pjrtmem_error_free(error);
      break;
    }
    CHECK(strlen(capability.name) > 5);
    CHECK(strncmp(capability.function, "PJRT_", 5) == 0);
    CHECK(!capability.instead || strlen(capability.instead) > 5);
  }
  CHECK(count > 5);
  CHECK_CODE(pjrtmem_get_capability(client, SIZE_MAX, &capability), PJRTMEM_CODE_OUT_OF_RANGE);
  CHECK_CODE(pjrtmem_get_capability(UINT32_MAX, 0, &capability), PJRTMEM_CODE_NOT_FOUND);
  CHECK_CODE(pjrtmem_get_capability(client, 0, NULL), PJRTMEM_CODE_INVALID_ARGUMENT);
}

int main(int argc, char **argv) {
  check_start(argc, argv);
  RUN(a_missing_file);
  RUN(an_unknown_name_says_where_it_was_looked_for);
  RUN(files_that_are_no_plugin);
  RUN(only_a_regular_file_is_opened);
  RUN(the_client_describes_itself);
  RUN(info_fills_only_what_fits);
  RUN(same_options_same_client);
  RUN(a_link_to_the_same_file_is_the_same_client);
  RUN(the_order_of_options_does_not_matter);
  RUN(other_options_another_client);
  RUN(options_that_kill_a_plugin_are_refused);
  RUN(an_unknown_option_is_refused_or_ignored);
  RUN(bad_names_and_values_of_options);
  RUN(names_from_the_environment);
  RUN(names_from_the_cache);
  RUN(capabilities);
  return check_finish();
}
