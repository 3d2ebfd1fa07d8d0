/* Copies between spaces, devices, clients and plugins; overlap; fills; addresses. */
#include "check.h"

static pjrtmem_client client;
static pjrtmem_space space, other_device;

/* A pair of spaces: parts of several sizes and offsets go over, and nothing beside them changes. */
static void copy_between(pjrtmem_space from, pjrtmem_space to) {
  enum { SIZE = 5000 };
  static const struct {
    size_t to, from, length;
  } parts[] = {{0, 0, SIZE}, {0, 0, 1}, {SIZE - 1, 0, 1}, {0, SIZE - 1, 1}, {13, 77, 1000}, {64, 128, 4096}, {9, 9, 0}};
  static uint8_t source[SIZE], model[SIZE];
  pjrtmem_buffer src = bytes_in(from, SIZE), dst = bytes_in(to, SIZE);
  pattern(source, SIZE, 1);
  pattern(model, SIZE, 2);
  CHECK_OK(pjrtmem_copy_from_host(src, 0, source, SIZE));
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    pattern(model, SIZE, (uint32_t)i + 10);
    CHECK_OK(pjrtmem_copy_from_host(dst, 0, model, SIZE));
    CHECK_OK(pjrtmem_copy(dst, parts[i].to, src, parts[i].from, parts[i].length));
    memcpy(model + parts[i].to, source + parts[i].from, parts[i].length);
    CHECK_HOLDS(dst, model, SIZE);
  }
  CHECK_HOLDS(src, source, SIZE);
  CHECK_OK(pjrtmem_free(src));
  CHECK_OK(pjrtmem_free(dst));
}

TEST(in_one_space) { copy_between(space, space); }

TEST(to_another_device) {
  copy_between(space, other_device);
  copy_between(other_device, space);
}

TEST(between_all_kinds_of_memory) {
  pjrtmem_client_info info = client_info(client);
  for (uint32_t from = 0; from < info.space_count; from++)
    for (uint32_t to = 0; to < info.space_count; to++)
      copy_between(info.first_space + from, info.first_space + to);
}

TEST(to_another_client) {
  pjrtmem_space other = first_space(load(3));
  CHECK(space_info(other).client != client);
  copy_between(space, other);
  copy_between(other, space);
}

/* Two plugins, each with a whole XLA of its own, in one process. */
TEST(to_another_plugin) {
  const char *others = getenv("PJRTMEM_TEST_PLUGINS");
  char names[256];
  snprintf(names, sizeof names, "%s", others && others[0] ? others : "cpu,cpu-zml,cpu-jax");
  int found = 0;
  for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
    pjrtmem_client second = 0;
    if (strcmp(name, check_plugin) == 0) continue;
    pjrtmem_error *error = pjrtmem_load(name, NULL, &second);
    if (pjrtmem_error_code(error) == PJRTMEM_CODE_PLUGIN_NOT_FOUND) {
      pjrtmem_error_free(error);
      continue;
    }
    if (!CHECK_OK(error)) continue;
    found++;
    CHECK(second != client);
    copy_between(space, first_space(second));
    copy_between(first_space(second), space);
  }
  if (!found) SKIP("no other plugin is installed: run `make plugins`");
}

/* The element type does not matter to a copy: it moves bytes. */
TEST(between_types) {
  double values[3] = {1.5, -2.25, 1e300};
  pjrtmem_buffer doubles = 0, bytes = bytes_in(other_device, sizeof values);
  CHECK_OK(pjrtmem_alloc(space, PJRTMEM_TYPE_F64, 3, &doubles));
  CHECK_OK(pjrtmem_copy_from_host(doubles, 0, values, sizeof values));
  CHECK_OK(pjrtmem_copy(bytes, 0, doubles, 0, sizeof values));
  CHECK_HOLDS(bytes, values, sizeof values);
  CHECK_OK(pjrtmem_free(doubles));
  CHECK_OK(pjrtmem_free(bytes));
}

/* Every pair of ranges of one small buffer, against memmove. */
TEST(overlap_both_ways) {
  enum { SIZE = 20 };
  uint8_t start[SIZE], model[SIZE];
  pjrtmem_buffer buffer = bytes_in(space, SIZE);
  pattern(start, SIZE, 4);
  for (size_t to = 0; to <= SIZE; to++) {
    for (size_t from = 0; from <= SIZE; from++) {
      for (size_t length = 0; to + length <= SIZE && from + length <= SIZE; length += 3) {
        memcpy(model, start, SIZE);
        CHECK_OK(pjrtmem_copy_from_host(buffer, 0, start, SIZE));
        CHECK_OK(pjrtmem_copy(buffer, to, buffer, from, length));
        memmove(model + to, model + from, length);
        CHECK_HOLDS(buffer, model, SIZE);
      }
    }
  }
  CHECK_OK(pjrtmem_free(buffer));
}

TEST(overlap_in_a_large_buffer) {
  size_t size = (size_t)3 << 20, shift = 4097;
  uint8_t *model = (uint8_t *)malloc(size);
  if (!model) abort();
  pjrtmem_buffer buffer = bytes_in(space, size);
  pattern(model, size, 6);
  CHECK_OK(pjrtmem_copy_from_host(buffer, 0, model, size));
  CHECK_OK(pjrtmem_copy(buffer, shift, buffer, 0, size - shift));
  memmove(model + shift, model, size - shift);
  CHECK_HOLDS(buffer, model, size);
  CHECK_OK(pjrtmem_copy(buffer, 0, buffer, shift, size - shift));
  memmove(model, model + shift, size - shift);
  CHECK_HOLDS(buffer, model, size);
  CHECK_OK(pjrtmem_free(buffer));
  free(model);
}

TEST(fill_with_every_size_of_pattern) {
  enum { SIZE = 720720 / 512 * 16 }; /* room for offsets and several lengths of each pattern */
  static uint8_t model[SIZE];
  uint8_t bytes[16];
  pjrtmem_buffer buffer = bytes_in(space, SIZE);
  for (size_t size = 1; size <= 16; size++) {
    static const size_t offsets[] = {0, 1, 7, 64, 1001};
    static const size_t repeats[] = {0, 1, 2, 63, 1000};
    pattern(bytes, sizeof bytes, (uint32_t)size);
    for (int o = 0; o < 5; o++) {
      for (int r = 0; r < 5; r++) {
        size_t offset = offsets[o], length = repeats[r] * size;
        pattern(model, SIZE, (uint32_t)(o * 5 + r));
        CHECK_OK(pjrtmem_copy_from_host(buffer, 0, model, SIZE));
        CHECK_OK(pjrtmem_fill(buffer, offset, length, bytes, size));
        for (size_t i = 0; i < length; i++) model[offset + i] = bytes[i % size];
        CHECK_HOLDS(buffer, model, SIZE);
      }
    }
  }
  CHECK_OK(pjrtmem_free(buffer));
}

TEST(fill_refuses_wrong_patterns) {
  uint8_t bytes[32] = {0}, model[64];
  pjrtmem_buffer buffer = bytes_in(space, 64);
  pattern(model, sizeof model, 8);
  CHECK_OK(pjrtmem_copy_from_host(buffer, 0, model, sizeof model));
  CHECK_CODE(pjrtmem_fill(buffer, 0, 64, bytes, 0), PJRTMEM_CODE_INVALID_ARGUMENT);
  CHECK_CODE(pjrtmem_fill(buffer, 0, 34, bytes, 17), PJRTMEM_CODE_INVALID_ARGUMENT);
  CHECK_CODE(pjrtmem_fill(buffer, 0, 64, bytes, 32), PJRTMEM_CODE_INVALID_ARGUMENT);
  CHECK_CODE(pjrtmem_fill(buffer, 0, 64, bytes, SIZE_MAX), PJRTMEM_CODE_INVALID_ARGUMENT);
  CHECK_CODE(pjrtmem_fill(buffer, 0, 63, bytes, 4), PJRTMEM_CODE_INVALID_ARGUMENT); /* not a multiple */
  CHECK_HOLDS(buffer, model, sizeof model);
  CHECK_OK(pjrtmem_free(buffer));
}

TEST(the_host_address_shows_and_takes_writes) {
  pjrtmem_client_info info = client_info(client);
  for (uint32_t i = 0; i < info.space_count; i++) {
    uint8_t bytes[1000];
    void *address = NULL;
    pjrtmem_buffer buffer = bytes_in(info.first_space + i, sizeof bytes);
    pattern(bytes, sizeof bytes, i);
    CHECK_OK(pjrtmem_copy_from_host(buffer, 0, bytes, sizeof bytes));
    if (CHECK_OK(pjrtmem_host_address(buffer, &address))) {
      CHECK(address == buffer_info(buffer).address);
      CHECK(memcmp(address, bytes, sizeof bytes) == 0);
      pattern(address, sizeof bytes, i + 100); /* what the host writes, every reader sees */
      pattern(bytes, sizeof bytes, i + 100);
      CHECK_HOLDS(buffer, bytes, sizeof bytes);
      pjrtmem_buffer copy = bytes_in(space, sizeof bytes);
      CHECK_OK(pjrtmem_copy(copy, 0, buffer, 0, sizeof bytes));
      CHECK_HOLDS(copy, bytes, sizeof bytes);
      CHECK_OK(pjrtmem_free(copy));
    }
    CHECK_OK(pjrtmem_free(buffer));
  }
}

TEST(an_address_never_changes) {
  uint8_t bytes[4096];
  pjrtmem_buffer buffer = bytes_in(space, sizeof bytes);
  const void *address = buffer_info(buffer).address;
  for (int i = 0; i < 20; i++) {
    uint8_t byte = (uint8_t)i;
    pattern(bytes, sizeof bytes, (uint32_t)i);
    CHECK_OK(pjrtmem_copy_from_host(buffer, 0, bytes, sizeof bytes)); /* the whole of it */
    CHECK_OK(pjrtmem_copy_from_host(buffer, 7, bytes, 100));          /* a part of it */
    CHECK_OK(pjrtmem_fill(buffer, 0, sizeof bytes, &byte, 1));
    CHECK_OK(pjrtmem_copy(buffer, 0, buffer, 100, 1000));
    CHECK(buffer_info(buffer).address == address);
  }
  CHECK_OK(pjrtmem_free(buffer));
}

/* Where one is told, it is the same at every call, and on a CPU it is the host address. */
TEST(the_device_address) {
  uint64_t address = 0, again = 0;
  void *host = NULL;
  pjrtmem_buffer buffer = bytes_in(space, 100);
  CHECK_OK(pjrtmem_device_address(buffer, &address));
  CHECK_OK(pjrtmem_device_address(buffer, &again));
  CHECK_OK(pjrtmem_host_address(buffer, &host));
  CHECK_EQ(address, again);
  CHECK_EQ(address, (uint64_t)(uintptr_t)host);
  CHECK_OK(pjrtmem_free(buffer));
}

/* Which way bytes went can be asked. */
TEST(transfers_are_counted) {
  uint8_t bytes[100] = {0};
  pjrtmem_buffer buffer = bytes_in(space, sizeof bytes);
  pjrtmem_transfer_info before = transfer_info(space);
  CHECK_OK(pjrtmem_copy_from_host(buffer, 10, bytes, 60));
  CHECK_OK(pjrtmem_copy_to_host(buffer, 90, bytes, 7));
  pjrtmem_transfer_info after = transfer_info(space);
  CHECK_EQ(after.written_in_place - before.written_in_place, 60);
  CHECK_EQ(after.read_in_place - before.read_in_place, 7);
  CHECK_EQ(after.written_whole, before.written_whole);
  CHECK_EQ(after.read, before.read);
  CHECK_CODE(pjrtmem_get_transfer_info(1000000, &after), PJRTMEM_CODE_NOT_FOUND);
  CHECK_OK(pjrtmem_free(buffer));
}

int main(int argc, char **argv) {
  check_start(argc, argv);
  client = load(2);
  space = first_space(client);
  CHECK_OK(pjrtmem_space_find(client, 1, NULL, &other_device));
  RUN(in_one_space);
  RUN(to_another_device);
  RUN(between_all_kinds_of_memory);
  RUN(to_another_client);
  RUN(to_another_plugin);
  RUN(between_types);
  RUN(overlap_both_ways);
  RUN(overlap_in_a_large_buffer);
  RUN(fill_with_every_size_of_pattern);
  RUN(fill_refuses_wrong_patterns);
  RUN(the_host_address_shows_and_takes_writes);
  RUN(an_address_never_changes);
  RUN(the_device_address);
  RUN(transfers_are_counted);
  return check_finish();
}
