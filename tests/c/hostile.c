/* The library over the test plugin: memory that the host cannot touch, limits, other versions of the table,
 * refused and failing functions; and after all of it, as much destroyed as created.
 *
 * PJRTMEM_HOSTILE names the test plugin, PJRTMEM_TEST_REAL_PLUGIN the one that it forwards to. Each test is
 * a process of its own, because faults are for the whole process. */
#include "check.h"

#include <dlfcn.h>

static int (*set)(const char *, const char *);
static const char *(*get)(const char *);
static const char *hostile;

/* Opens the test plugin, before the library does, to have its two functions. */
static bool open_plugin(void) {
  hostile = getenv("PJRTMEM_HOSTILE");
  if (!hostile || !hostile[0]) return false;
  void *library = dlopen(hostile, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    CHECK_FAIL("%s", dlerror());
    return false;
  }
  /* ISO C has no cast from data to functions; POSIX has dlsym, and this way of using it. */
  *(void **)&set = dlsym(library, "pjrtmem_test_set");
  *(void **)&get = dlsym(library, "pjrtmem_test_get");
  CHECK(set && get);
  return set && get;
}

#define NEED_PLUGIN() \
  if (!open_plugin()) SKIP("PJRTMEM_HOSTILE does not name the test plugin")

#define SET(key, value) CHECK_EQ(set((key), (value)), 0)

static uint64_t number(const char *key) {
  const char *text = get(key);
  if (!text) {
    CHECK_FAIL("no count %s", key);
    return 0;
  }
  return strtoull(text, NULL, 10);
}

/* Nothing of the plugin is left but the clients, which live as long as the process. */
static void check_nothing_left(void) {
  CHECK_OK(pjrtmem_reclaim());
  CHECK_EQ(number("live_buffers"), 0);
  CHECK_EQ(number("live_bytes"), 0);
  CHECK_EQ(number("live_events"), 0);
  CHECK_EQ(number("live_errors"), 0);
  CHECK_EQ(number("live_external_refs"), 0);
  CHECK_EQ(number("live_callbacks"), 0);
}

/* What every test does with memory: whole and part, up and down, fills, copies with overlap and between
 * devices. All of it against a model in plain memory. */
static void use_memory(pjrtmem_client client) {
  enum { SIZE = 3000 };
  static uint8_t model[SIZE], bytes[SIZE], found[SIZE];
  static const struct {
    size_t to, from, length;
  } parts[] = {{0, 0, SIZE}, {0, 1, 1}, {1, 0, 999}, {1000, 1003, 500}, {1003, 1000, 500}, {SIZE - 1, 0, 1}, {5, 5, 0}};
  pjrtmem_space here = first_space(client), there = 0;
  if (pjrtmem_error_code(pjrtmem_space_find(client, 1, NULL, &there))) there = here;
  pjrtmem_buffer a = bytes_in(here, SIZE), b = bytes_in(there, SIZE), empty = bytes_in(here, 0);
  const void *address = buffer_info(a).address;
  for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    size_t to = parts[i].to, from = parts[i].from, length = parts[i].length;
    pattern(model, SIZE, i);
    CHECK_OK(pjrtmem_copy_from_host(a, 0, model, SIZE));
    CHECK_HOLDS(a, model, SIZE);
    pattern(bytes, length, i + 50); /* a part from the host */
    CHECK_OK(pjrtmem_copy_from_host(a, to, bytes, length));
    memcpy(model + to, bytes, length);
    CHECK_HOLDS(a, model, SIZE);
    CHECK_OK(pjrtmem_copy_to_host(a, from, found, length)); /* a part to the host */
    CHECK(memcmp(found, model + from, length) == 0);
    CHECK_OK(pjrtmem_copy(b, 0, a, 0, SIZE)); /* all of it to the other device, and back in part */
    CHECK_HOLDS(b, model, SIZE);
    CHECK_OK(pjrtmem_copy(a, to, b, from, length));
    memmove(bytes, model + from, length);
    memcpy(model + to, bytes, length);
    CHECK_HOLDS(a, model, SIZE);
    CHECK_OK(pjrtmem_copy(a, to, a, from, length)); /* within one buffer */
    memmove(model + to, model + from, length);
    CHECK_HOLDS(a, model, SIZE);
    for (size_t size = 1; size <= 16; size += 5) {
      size_t filled = length / size * size;
      CHECK_OK(pjrtmem_fill(a, to, filled, "0123456789abcdef", size));
      for (size_t k = 0; k < filled; k++) model[to + k] = (uint8_t)"0123456789abcdef"[k % size];
    }
    CHECK_HOLDS(a, model, SIZE);
    CHECK_OK(pjrtmem_wait(a));
  }
  CHECK_OK(pjrtmem_copy_to_host(empty, 0, found, 0));
  CHECK(buffer_info(a).address == address);
  CHECK_OK(pjrtmem_free(a));
  CHECK_OK(pjrtmem_free(b));
  CHECK_OK(pjrtmem_free(empty));
}

TEST(forwarding_changes_nothing) {
  NEED_PLUGIN();
  pjrtmem_client client = load_named(hostile, 2);
  CHECK(space_info(first_space(client)).host_visible);
  use_memory(client);
  check_nothing_left();
  CHECK(number("created_buffers") > 0);
  CHECK_EQ(number("created_clients"), 1);
}

TEST(memory_that_the_host_cannot_touch) {
  NEED_PLUGIN();
  SET("hide_addresses", "1");
  pjrtmem_client client = load_named(hostile, 2);
  pjrtmem_client_info info = client_info(client);
  for (uint32_t i = 0; i < info.space_count; i++) CHECK(!space_info(info.first_space + i).host_visible);
  pjrtmem_buffer first = bytes_in(info.first_space, 5000), second = bytes_in(info.first_space, 5000);
  void *address = NULL;
  uint64_t device_address = 77;
  CHECK_CODE(pjrtmem_host_address(first, &address), PJRTMEM_CODE_FAILED_PRECONDITION);
  CHECK_CODE(pjrtmem_device_address(first, &device_address), PJRTMEM_CODE_UNIMPLEMENTED);
  CHECK(address == NULL && device_address == 77);
  /* The addresses told apart two buffers whose memory is not there. */
  uintptr_t a = (uintptr_t)buffer_info(first).address, b = (uintptr_t)buffer_info(second).address;
  CHECK(a && b && (a > b ? a - b : b - a) >= 5000);
  CHECK_OK(pjrtmem_free(first));
  CHECK_OK(pjrtmem_free(second));
  use_memory(client);
  check_nothing_left();
}

TEST(only_device_memory_is_hidden) {
  NEED_PLUGIN();
  SET("hide_addresses", "device");
  pjrtmem_client client = load_named(hostile, 2);
  pjrtmem_client_info info = client_info(client);
  uint8_t bytes[1000];
  for (uint32_t i = 0; i < info.space_count; i++) {
    pjrtmem_space_info space = space_info(info.first_space + i);
    CHECK_EQ(space.host_visible, strcmp(space.memory_kind, "device") != 0);
    for (uint32_t k = 0; k < info.space_count; k++) {
      pjrtmem_buffer from = bytes_in(info.first_space + i, 1000), to = bytes_in(info.first_space + k, 1000);
      pattern(bytes, 1000, i * 100 + k);
      CHECK_OK(pjrtmem_copy_from_host(from, 0, bytes, 1000));
      CHECK_OK(pjrtmem_copy(to, 0, from, 0, 1000));
      CHECK_HOLDS(to, bytes, 1000);
      CHECK_OK(pjrtmem_copy(to, 10, from, 20, 300));
      memmove(bytes + 10, bytes + 20, 300);
      CHECK_HOLDS(to, bytes, 1000);
      CHECK_OK(pjrtmem_free(from));
      CHECK_OK(pjrtmem_free(to));
    }
  }
  use_memory(client);
  check_nothing_left();
}

TEST(a_plugin_with_nothing_but_buffers) {
  NEED_PLUGIN();
  SET("hide_addresses", "1");
  SET("buffers_only", "1");
  use_memory(load_named(hostile, 2));
  check_nothing_left();
}

/* Every function that is not one of the few without which nothing works: null in the table, then refused. */
static const char *const optional[] = {
    "Plugin_Attributes",          "Client_PlatformVersion",        "Client_CreateUninitializedBuffer",
    "Client_CreateViewOfDeviceBuffer", "Buffer_CopyRawToHost",     "Buffer_CopyToMemory",
    "Buffer_CopyToDevice",        "Buffer_UnsafePointer",          "Buffer_OpaqueDeviceMemoryDataPointer",
    "Buffer_IsOnCpu",             "Buffer_Delete",                 "Buffer_IsDeleted",
    "Buffer_OnDeviceSizeInBytes", "Buffer_IncreaseExternalReferenceCount", "Event_IsReady",
    "Event_Error",                "Event_OnReady",                 "Memory_Kind_Id",
    "Device_MemoryStats",         "Device_IsAddressable",
};

static const char *fault; /* of without_one_function */
static const char *function;

TEST(without_one_function) {
  NEED_PLUGIN();
  SET("hide_addresses", "1");
  SET(fault, function);
  use_memory(load_named(hostile, 2));
  check_nothing_left();
}

TEST(a_limit) {
  NEED_PLUGIN();
  pjrtmem_client client = load_named(hostile, 2);
  pjrtmem_space space = first_space(client);
  CHECK_OK(pjrtmem_free(bytes_in(space, 10)));
  SET("limit_bytes", "100000");
  pjrtmem_buffer first = bytes_in(space, 60000), second = 77;
  pjrtmem_memory_info before = memory_info(space);
  CHECK_SAYS(pjrtmem_alloc(space, PJRTMEM_TYPE_U8, 60000, &second), PJRTMEM_CODE_RESOURCE_EXHAUSTED, "test plugin");
  CHECK_EQ(second, 77);
  CHECK_EQ(memory_info(space).live_bytes, before.live_bytes);
  CHECK_EQ(memory_info(space).live_buffers, before.live_buffers);
  /* What is only queued is given back before that is an error. */
  CHECK_OK(pjrtmem_release(first));
  CHECK_OK(pjrtmem_alloc(space, PJRTMEM_TYPE_U8, 60000, &second));
  CHECK_OK(pjrtmem_free(second));
  SET("limit_bytes", "");
  use_memory(client);
  check_nothing_left();
}

/* ---- other versions of the table ---- */

static const struct version {
  const char *key, *value;
  int32_t code; /* of loading; 0 where everything has to work */
} versions[] = {
    {"minor", "+40", 0},
    {"minor", "-40", 0},
    {"minor", "0", 0},
    {"struct_size", "+64", 0},
    {"major", "+1", PJRTMEM_CODE_VERSION_MISMATCH},
    {"major", "-1", PJRTMEM_CODE_VERSION_MISMATCH},
    {"struct_size", "0", PJRTMEM_CODE_TABLE_TOO_SHORT},
    {"struct_size", "40", PJRTMEM_CODE_TABLE_TOO_SHORT},
    {"struct_size", "300", PJRTMEM_CODE_TABLE_TOO_SHORT},
    {"null_slot", "Client_Create", PJRTMEM_CODE_TABLE_TOO_SHORT},
    {"null_slot", "Error_Message", PJRTMEM_CODE_TABLE_TOO_SHORT},
};
static const struct version *version;

TEST(another_version) {
  NEED_PLUGIN();
  SET(version->key, version->value);
  if (version->code) {
    pjrtmem_client client = 77;
    uint32_t spaces = 77;
    CHECK_SAYS(pjrtmem_load(hostile, NULL, &client), version->code, hostile);
    CHECK_EQ(client, 77);
    CHECK_OK(pjrtmem_space_count(&spaces));
    CHECK_EQ(spaces, 0);
  } else {
    use_memory(load_named(hostile, 2));
    check_nothing_left();
  }
}

/* ---- one call that fails ---- */

/* Makes each call that the library makes during `use` fail once, each in turn: the library reports it or
 * has another way, leaks nothing, and goes on working. */
static void fail_each_call(void (*use)(pjrtmem_client), pjrtmem_client client, const char *kind) {
  char functions[8192], setting[128], key[128];
  uint64_t first = number("faults");
  const char *all = get("functions"); /* good until the next get */
  if (!all || strlen(all) >= sizeof functions) abort();
  strcpy(functions, all);
  for (char *name = strtok(functions, ","); name; name = strtok(NULL, ",")) {
    if (strncmp(name, "PJRT_Error", 10) == 0) continue;
    snprintf(key, sizeof key, "calls:%s", name);
    uint64_t before = number(key);
    use(client);
    uint64_t calls = number(key) - before;
    if (calls > 4) calls = 4; /* the later ones are like these */
    for (uint64_t n = 1; n <= calls; n++) {
      uint64_t faults = number("faults");
      snprintf(setting, sizeof setting, "%s:%d:DATA_LOSS", name, (int)n);
      SET(kind, setting);
      int failures = check_failures;
      use(client);
      SET(kind, "");
      CHECK_OK(pjrtmem_reclaim());
      if (strcmp(kind, "fail_nth") == 0) CHECK_EQ(number("faults"), faults + 1);
      const char *left = get("live");
      if (!left || strcmp(left, "clients=1") != 0) CHECK_FAIL("left over: %s", left ? left : "?");
      if (check_failures != failures) {
        printf("    with %s=%s\n", kind, setting);
        return; /* what follows would only repeat it */
      }
      use(client); /* and again, without a fault */
    }
  }
  printf("    %s: %d faults\n", kind, (int)(number("faults") - first));
  CHECK(number("faults") > first);
}

/* A call that may fail with the plugin's error, and with nothing else. */
static bool may_fail(pjrtmem_error *error) {
  bool failed = error != NULL;
  if (failed && pjrtmem_error_code(error) != PJRTMEM_CODE_DATA_LOSS)
    CHECK_FAIL("%s: %s", pjrtmem_code_name(pjrtmem_error_code(error)), pjrtmem_error_message(error));
  if (failed && !strstr(pjrtmem_error_message(error), "test plugin"))
    CHECK_FAIL("the plugin's message is lost: %s", pjrtmem_error_message(error));
  pjrtmem_error_free(error);
  return !failed;
}

static void use_with_faults(pjrtmem_client client) {
  uint8_t bytes[256], found[256];
  pjrtmem_space here = first_space(client), there = here + 1;
  pjrtmem_buffer a = 0, b = 0;
  pjrtmem_memory_info before_a = memory_info(here), before_b = memory_info(there);
  pattern(bytes, sizeof bytes, 1);
  if (may_fail(pjrtmem_alloc(here, PJRTMEM_TYPE_U8, 256, &a))) {
    if (may_fail(pjrtmem_alloc(there, PJRTMEM_TYPE_U8, 256, &b))) {
      bool written = may_fail(pjrtmem_copy_from_host(a, 0, bytes, 256));
      written = may_fail(pjrtmem_copy_from_host(a, 10, bytes + 10, 20)) && written;
      bool copied = may_fail(pjrtmem_copy(b, 0, a, 0, 256));
      copied = may_fail(pjrtmem_copy(b, 7, a, 7, 100)) && copied;
      /* What was reported as done is done. */
      if (may_fail(pjrtmem_copy_to_host(a, 0, found, 256)) && written) CHECK(memcmp(found, bytes, 256) == 0);
      if (may_fail(pjrtmem_copy_to_host(b, 0, found, 256)) && written && copied)
        CHECK(memcmp(found, bytes, 256) == 0);
      may_fail(pjrtmem_copy_to_host(a, 3, found, 100));
      may_fail(pjrtmem_fill(a, 1, 30, "abc", 3));
      may_fail(pjrtmem_wait(a));
      may_fail(pjrtmem_free(b));
    }
    may_fail(pjrtmem_free(a));
  }
  /* A free that the plugin failed has freed all the same, as far as anybody can tell. */
  CHECK_EQ(memory_info(here).live_buffers, before_a.live_buffers);
  CHECK_EQ(memory_info(here).live_bytes, before_a.live_bytes);
  CHECK_EQ(memory_info(there).live_buffers, before_b.live_buffers);
}

TEST(each_call_failing_on_hidden_memory) {
  NEED_PLUGIN();
  SET("hide_addresses", "1");
  fail_each_call(use_with_faults, load_named(hostile, 2), "fail_nth");
}

TEST(each_call_failing_on_host_memory) {
  NEED_PLUGIN();
  fail_each_call(use_with_faults, load_named(hostile, 2), "fail_nth");
}

TEST(each_event_failing_on_hidden_memory) {
  NEED_PLUGIN();
  SET("hide_addresses", "1");
  fail_each_call(use_with_faults, load_named(hostile, 2), "fail_event_nth");
}

TEST(each_event_failing_on_host_memory) {
  NEED_PLUGIN();
  fail_each_call(use_with_faults, load_named(hostile, 2), "fail_event_nth");
}

/* Each call of loading a plugin, failing: loading says so, and the next attempt works or says why not. */
TEST(each_call_of_loading_failing) {
  NEED_PLUGIN();
  char functions[8192], setting[128], key[128];
  strcpy(functions, get("functions"));
  int64_t devices = 2;
  for (char *name = strtok(functions, ","); name; name = strtok(NULL, ",")) {
    if (strncmp(name, "PJRT_Error", 10) == 0) continue;
    snprintf(key, sizeof key, "calls:%s", name);
    snprintf(setting, sizeof setting, "%s:1:DATA_LOSS", name);
    pjrtmem_options *options = NULL;
    pjrtmem_client client = 77;
    uint32_t count = 0, after = 0;
    SET("fail_nth", setting);
    CHECK_OK(pjrtmem_space_count(&count));
    CHECK_OK(pjrtmem_options_new(&options));
    CHECK_OK(pjrtmem_options_set_integer(options, "cpu_device_count", devices));
    uint64_t faults = number("faults");
    pjrtmem_error *error = pjrtmem_load(hostile, options, &client);
    bool hit = number("faults") != faults;
    SET("fail_nth", "");
    CHECK_OK(pjrtmem_space_count(&after));
    if (error) {
      if (!hit) CHECK_FAIL("%s", pjrtmem_error_message(error));
      CHECK_EQ(after, count); /* no space of a client that is not there */
      CHECK(strstr(pjrtmem_error_message(error), "test plugin") != NULL);
      pjrtmem_error_free(error);
      CHECK_OK(pjrtmem_load(hostile, options, &client));
    }
    pjrtmem_options_free(options);
    if (number("live_errors") || number("live_events") || number("live_buffers"))
      CHECK_FAIL("%s failing left %s", name, get("live"));
    if (hit && devices < 12) devices++; /* a client that exists would not be made again */
  }
  check_nothing_left();
}

/* Events that come late, with several threads' worth of work on the way. */
TEST(slow_events) {
  NEED_PLUGIN();
  SET("hide_addresses", "1");
  pjrtmem_client client = load_named(hostile, 2);
  SET("delay_ms", "2");
  use_memory(client);
  SET("delay_ms", "");
  check_nothing_left();
}

int main(int argc, char **argv) {
  char name[128];
  check_start(argc, argv);
  RUN_APART(forwarding_changes_nothing);
  RUN_APART(memory_that_the_host_cannot_touch);
  RUN_APART(only_device_memory_is_hidden);
  RUN_APART(a_plugin_with_nothing_but_buffers);
  for (size_t i = 0; i < 2 * sizeof optional / sizeof optional[0]; i++) {
    fault = i % 2 ? "refuse" : "null_slot";
    function = optional[i / 2];
    snprintf(name, sizeof name, "without_one_function: %s=%s", fault, function);
    check_run_apart(name, without_one_function);
  }
  RUN_APART(a_limit);
  for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
    version = &versions[i];
    snprintf(name, sizeof name, "another_version: %s=%s", version->key, version->value);
    check_run_apart(name, another_version);
  }
  RUN_APART(each_call_failing_on_host_memory);
  RUN_APART(each_call_failing_on_hidden_memory);
  RUN_APART(each_event_failing_on_host_memory);
  RUN_APART(each_event_failing_on_hidden_memory);
  RUN_APART(each_call_of_loading_failing);
  RUN_APART(slow_events);
  return check_finish();
}
