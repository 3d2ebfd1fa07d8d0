/* The runner of the C tests, in one header: a test is a function without arguments, a check that fails
 * says where and goes on, and the last line counts the tests.
 *
 *     TEST(what_it_shows) { CHECK_OK(pjrtmem_reclaim()); }
 *     int main(int argc, char **argv) {
 *       check_start(argc, argv);
 *       RUN(what_it_shows);
 *       return check_finish();
 *     }
 *
 * The plugin is argv[1], else PJRTMEM_TEST_PLUGIN, else "cpu". Checks are for the thread that runs the
 * test; other threads count what they find wrong and the test checks the count. */
#ifndef CHECK_H
#define CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pjrtmem.h"

static const char *check_program = "test";
static const char *check_plugin = "cpu";
static int check_failures; /* of the test that runs */
static const char *check_skipped; /* why the test that runs was skipped */
static int check_tests_passed, check_tests_failed, check_tests_skipped;

#define TEST(name) static void name(void)

#define CHECK_FAIL(...)                                  \
  do {                                                   \
    check_failures++;                                    \
    printf("    %s:%d: ", __FILE__, __LINE__);           \
    printf(__VA_ARGS__);                                 \
    printf("\n");                                        \
  } while (0)

#define CHECK(condition)                             \
  do {                                               \
    if (!(condition)) CHECK_FAIL("%s", #condition);  \
  } while (0)

/* Numbers of any unsigned type, both shown. */
#define CHECK_EQ(left, right)                                                                       \
  do {                                                                                              \
    uint64_t check_left = (uint64_t)(left), check_right = (uint64_t)(right);                        \
    if (check_left != check_right)                                                                  \
      CHECK_FAIL("%s == %s: %" PRIu64 " and %" PRIu64, #left, #right, check_left, check_right);     \
  } while (0)

#define CHECK_STR(left, right)                                                      \
  do {                                                                              \
    const char *check_left = (left), *check_right = (right);                        \
    if (!check_left || !check_right || strcmp(check_left, check_right) != 0)        \
      CHECK_FAIL("%s == %s: \"%s\" and \"%s\"", #left, #right,                      \
                 check_left ? check_left : "(null)", check_right ? check_right : "(null)"); \
  } while (0)

/* A call that has to succeed; its value is whether it did. */
#define CHECK_OK(call) check_ok((call), #call, __FILE__, __LINE__)

/* A call that has to fail with this code and with a message. */
#define CHECK_CODE(call, code) check_code((call), (code), NULL, #call, __FILE__, __LINE__)

/* The same, and the message has to contain the text. */
#define CHECK_SAYS(call, code, text) check_code((call), (code), (text), #call, __FILE__, __LINE__)

/* Ends the test, not counted as passed. */
#define SKIP(why)          \
  do {                     \
    check_skipped = (why); \
    return;                \
  } while (0)

#define RUN(name) check_run(#name, name)

/* Runs the test in a process of its own, for what holds for a whole process. Nothing may be loaded yet. */
#define RUN_APART(name) check_run_apart(#name, name)

/* Every helper is used by some of the programs only. */
#if defined(__GNUC__)
#define CHECK_UNUSED __attribute__((unused))
#else
#define CHECK_UNUSED
#endif

CHECK_UNUSED static bool check_ok(pjrtmem_error *error, const char *call, const char *file, int line) {
  if (!error) return true;
  check_failures++;
  printf("    %s:%d: %s: %s: %s\n", file, line, call, pjrtmem_code_name(pjrtmem_error_code(error)),
         pjrtmem_error_message(error));
  pjrtmem_error_free(error);
  return false;
}

CHECK_UNUSED static bool check_code(pjrtmem_error *error, int32_t code, const char *text, const char *call,
                                    const char *file, int line) {
  int32_t found = pjrtmem_error_code(error);
  const char *message = pjrtmem_error_message(error);
  bool good = error && found == code && message[0] && (!text || strstr(message, text));
  if (!good) {
    check_failures++;
    printf("    %s:%d: %s: expected %s%s%s, got %s: %s\n", file, line, call, pjrtmem_code_name(code),
           text ? " with " : "", text ? text : "", error ? pjrtmem_code_name(found) : "success", message);
  }
  pjrtmem_error_free(error);
  return good;
}

static void check_run(const char *name, void (*test)(void)) {
  check_failures = 0;
  check_skipped = NULL;
  test();
  if (check_failures) {
    check_tests_failed++;
    printf("  FAILED  %s\n", name);
  } else if (check_skipped) {
    check_tests_skipped++;
    printf("  skipped %s: %s\n", name, check_skipped);
  } else {
    check_tests_passed++;
    printf("  ok      %s\n", name);
  }
  fflush(stdout);
}

CHECK_UNUSED static void check_run_apart(const char *name, void (*test)(void)) {
  enum { PASSED = 60, FAILED, SKIPPED }; /* exit statuses that nothing else uses */
  int status = 0;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    alarm(300); /* one that hangs is ended and seen */
    check_tests_passed = check_tests_failed = check_tests_skipped = 0;
    check_run(name, test);
    exit(check_tests_failed ? FAILED : check_tests_skipped ? SKIPPED : PASSED);
  }
  if (child < 0 || waitpid(child, &status, 0) != child) abort();
  if (WIFEXITED(status) && WEXITSTATUS(status) == PASSED) {
    check_tests_passed++;
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) {
    check_tests_skipped++;
  } else {
    check_tests_failed++;
    if (WIFSIGNALED(status)) printf("  FAILED  %s: ended by signal %d\n", name, WTERMSIG(status));
    else if (WEXITSTATUS(status) != FAILED) printf("  FAILED  %s: exit status %d\n", name, WEXITSTATUS(status));
  }
}

static void check_start(int argc, char **argv) {
  const char *plugin = getenv("PJRTMEM_TEST_PLUGIN");
  const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
  if (plugin && plugin[0]) check_plugin = plugin;
  if (argc > 1) check_plugin = argv[1];
  if (argc > 0) check_program = slash ? slash + 1 : argv[0];
  printf("%s, plugin %s\n", check_program, check_plugin);
  fflush(stdout);
}

static int check_finish(void) {
  printf("%s, plugin %s: %d passed, %d failed, %d skipped\n", check_program, check_plugin, check_tests_passed,
         check_tests_failed, check_tests_skipped);
  fflush(stdout);
  return check_tests_failed || !check_tests_passed;
}

/* ---- what most of the programs need ---- */

/* A client of the plugin with so many devices. A test that cannot have one ends the program. */
CHECK_UNUSED static pjrtmem_client load_named(const char *plugin, int64_t devices) {
  pjrtmem_options *options = NULL;
  pjrtmem_client client = 0;
  bool good = CHECK_OK(pjrtmem_options_new(&options)) &&
              CHECK_OK(pjrtmem_options_set_integer(options, "cpu_device_count", devices)) &&
              CHECK_OK(pjrtmem_load(plugin, options, &client));
  pjrtmem_options_free(options);
  if (!good) {
    printf("%s: the plugin %s does not load\n", check_program, plugin);
    exit(1);
  }
  return client;
}

CHECK_UNUSED static pjrtmem_client load(int64_t devices) { return load_named(check_plugin, devices); }

/* The function `name` that returns what pjrtmem_get_`name` fills in. */
#define CHECK_INFO(name, of)                       \
  CHECK_UNUSED static pjrtmem_##name name(of id) { \
    pjrtmem_##name info;                           \
    memset(&info, 0, sizeof info);                 \
    info.struct_size = sizeof info;                \
    CHECK_OK(pjrtmem_get_##name(id, &info));       \
    return info;                                   \
  }

CHECK_INFO(client_info, pjrtmem_client)
CHECK_INFO(space_info, pjrtmem_space)
CHECK_INFO(buffer_info, pjrtmem_buffer)
CHECK_INFO(memory_info, pjrtmem_space)
CHECK_INFO(transfer_info, pjrtmem_space)

/* The default memory of the client's first device. */
CHECK_UNUSED static pjrtmem_space first_space(pjrtmem_client client) { return client_info(client).first_space; }

/* A buffer of so many bytes, or 0. */
CHECK_UNUSED static pjrtmem_buffer bytes_in(pjrtmem_space space, size_t count) {
  pjrtmem_buffer buffer = 0;
  CHECK_OK(pjrtmem_alloc(space, PJRTMEM_TYPE_U8, count, &buffer));
  return buffer;
}

/* Bytes that are not the same anywhere near, different for each seed. */
CHECK_UNUSED static void pattern(void *bytes, size_t count, uint32_t seed) {
  uint8_t *out = (uint8_t *)bytes;
  uint32_t state = seed * 2654435761u + 12345u;
  for (size_t i = 0; i < count; i++) {
    state = state * 1664525u + 1013904223u;
    out[i] = (uint8_t)(state >> 24);
  }
}

/* Checks that the buffer holds exactly these bytes. */
CHECK_UNUSED static void check_holds(pjrtmem_buffer buffer, const void *expected, size_t count, int line) {
  uint8_t *found = (uint8_t *)malloc(count + 1);
  if (!found) abort();
  memset(found, 0xA5, count + 1);
  if (CHECK_OK(pjrtmem_copy_to_host(buffer, 0, found, count)) && memcmp(found, expected, count) != 0) {
    size_t at = 0;
    while (found[at] == ((const uint8_t *)expected)[at]) at++;
    CHECK_FAIL("line %d: byte %zu of %zu is %u, expected %u", line, at, count, found[at],
               ((const uint8_t *)expected)[at]);
  }
  if (found[count] != 0xA5) CHECK_FAIL("line %d: one byte too many was written", line);
  free(found);
}

#define CHECK_HOLDS(buffer, expected, count) check_holds((buffer), (expected), (count), __LINE__)

#endif
