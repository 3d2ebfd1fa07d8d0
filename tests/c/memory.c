/* Buffers: element types, offsets and lengths, sizes that cannot be, and the accounts. */
#include "check.h"

static pjrtmem_space space; /* the default memory of the first device */

static const int32_t types[] = {
    PJRTMEM_TYPE_PRED,       PJRTMEM_TYPE_S8,         PJRTMEM_TYPE_S16,         PJRTMEM_TYPE_S32,
    PJRTMEM_TYPE_S64,        PJRTMEM_TYPE_U8,         PJRTMEM_TYPE_U16,         PJRTMEM_TYPE_U32,
    PJRTMEM_TYPE_U64,        PJRTMEM_TYPE_F16,        PJRTMEM_TYPE_F32,         PJRTMEM_TYPE_F64,
    PJRTMEM_TYPE_BF16,       PJRTMEM_TYPE_C64,        PJRTMEM_TYPE_C128,        PJRTMEM_TYPE_F8E5M2,
    PJRTMEM_TYPE_F8E4M3FN,   PJRTMEM_TYPE_F8E4M3B11FNUZ, PJRTMEM_TYPE_F8E5M2FNUZ, PJRTMEM_TYPE_F8E4M3FNUZ,
    PJRTMEM_TYPE_F8E4M3,     PJRTMEM_TYPE_F8E3M4,     PJRTMEM_TYPE_F8E8M0FNU,
};
enum { TYPES = sizeof types / sizeof types[0] };

/* Types under one byte are one byte each on the host and packed on the device; a token has no bytes. */
static const int32_t refused_types[] = {21, 22, 23, 24, 25, 29, 0, 30, 31, 99, -1, INT32_MIN, INT32_MAX};

TEST(every_type_goes_there_and_back) {
  for (int i = 0; i < TYPES; i++) {
    size_t size = 0, count = 1001;
    pjrtmem_buffer buffer = 0;
    CHECK_OK(pjrtmem_type_size(types[i], &size));
    uint8_t *bytes = (uint8_t *)malloc(count * size);
    if (!bytes) abort();
    pattern(bytes, count * size, (uint32_t)i);
    if (types[i] == PJRTMEM_TYPE_PRED)
      for (size_t b = 0; b < count; b++) bytes[b] &= 1;
    if (CHECK_OK(pjrtmem_alloc(space, types[i], count, &buffer))) {
      pjrtmem_buffer_info info = buffer_info(buffer);
      CHECK_EQ(info.space, space);
      CHECK_EQ(info.type, types[i]);
      CHECK_EQ(info.count, count);
      CHECK_EQ(info.bytes, count * size);
      CHECK_EQ(info.holders, 1);
      CHECK(info.address != NULL);
      CHECK_OK(pjrtmem_copy_from_host(buffer, 0, bytes, count * size));
      CHECK_HOLDS(buffer, bytes, count * size);
      CHECK_OK(pjrtmem_wait(buffer));
      CHECK_OK(pjrtmem_free(buffer));
    }
    free(bytes);
  }
}

TEST(types_that_are_refused) {
  for (size_t i = 0; i < sizeof refused_types / sizeof refused_types[0]; i++) {
    pjrtmem_buffer buffer = 77;
    pjrtmem_error *error = pjrtmem_alloc(space, refused_types[i], 8, &buffer);
    int32_t code = pjrtmem_error_code(error);
    if (code != PJRTMEM_CODE_INVALID_ARGUMENT && code != PJRTMEM_CODE_UNIMPLEMENTED)
      CHECK_FAIL("type %d: %s", refused_types[i], pjrtmem_code_name(code));
    CHECK(pjrtmem_error_message(error)[0] != '\0');
    CHECK_EQ(buffer, 77);
    pjrtmem_error_free(error);
  }
}

/* Every offset and every length of a small buffer, against a model in plain memory. */
TEST(every_offset_and_length) {
  enum { SIZE = 24 };
  uint8_t model[SIZE], bytes[SIZE], found[SIZE];
  pjrtmem_buffer buffer = bytes_in(space, SIZE);
  pattern(model, SIZE, 1);
  CHECK_OK(pjrtmem_copy_from_host(buffer, 0, model, SIZE));
  for (size_t offset = 0; offset <= SIZE; offset++) {
    for (size_t length = 0; offset + length <= SIZE; length++) {
      pattern(bytes, length, (uint32_t)(offset * 100 + length));
      CHECK_OK(pjrtmem_copy_from_host(buffer, offset, bytes, length));
      memcpy(model + offset, bytes, length);
      memset(found, 0, SIZE);
      CHECK_OK(pjrtmem_copy_to_host(buffer, offset, found, length));
      CHECK(memcmp(found, bytes, length) == 0);
      CHECK_HOLDS(buffer, model, SIZE);
    }
  }
  CHECK_OK(pjrtmem_free(buffer));
}

/* Offsets are bytes, also in the middle of an element. */
TEST(an_offset_inside_an_element) {
  double values[4] = {1, 2, 3, 4};
  uint8_t model[sizeof values], bytes[5] = {9, 8, 7, 6, 5};
  pjrtmem_buffer buffer = 0;
  CHECK_OK(pjrtmem_alloc(space, PJRTMEM_TYPE_F64, 4, &buffer));
  CHECK_OK(pjrtmem_copy_from_host(buffer, 0, values, sizeof values));
  memcpy(model, values, sizeof values);
  memcpy(model + 11, bytes, sizeof bytes);
  CHECK_OK(pjrtmem_copy_from_host(buffer, 11, bytes, sizeof bytes));
  CHECK_HOLDS(buffer, model, sizeof model);
  CHECK_OK(pjrtmem_free(buffer));
}

TEST(host_memory_of_any_alignment) {
  uint8_t room[512 + 64];
  uint8_t *aligned = room + (64 - ((uintptr_t)room & 63));
  pjrtmem_buffer buffer = bytes_in(space, 256);
  for (int shift = 0; shift < 64; shift++) {
    pattern(aligned + shift, 256, (uint32_t)shift);
    CHECK_OK(pjrtmem_copy_from_host(buffer, 0, aligned + shift, 256));
    CHECK_HOLDS(buffer, aligned + shift, 256);
  }
  CHECK_OK(pjrtmem_free(buffer));
}

/* Past the end by one, by much, and so that offset + length is no size_t any more. */
TEST(what_reaches_past_the_end) {
  static const struct {
    size_t offset, length;
  } wrong[] = {{0, 101},        {1, 100},      {100, 1},       {101, 0},           {99, 2},
               {0, SIZE_MAX},   {1, SIZE_MAX}, {SIZE_MAX, 1},  {SIZE_MAX, SIZE_MAX}, {SIZE_MAX, 0},
               {50, SIZE_MAX - 49}, {(size_t)-1, 2}, {(size_t)INT64_MAX, (size_t)INT64_MAX}};
  uint8_t model[100], other[128];
  pjrtmem_buffer buffer = bytes_in(space, 100), second = bytes_in(space, 100);
  pattern(model, 100, 3);
  CHECK_OK(pjrtmem_copy_from_host(buffer, 0, model, 100));
  CHECK_OK(pjrtmem_copy_from_host(second, 0, model, 100));
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    size_t offset = wrong[i].offset, length = wrong[i].length;
    memset(other, 0xEE, sizeof other);
    CHECK_CODE(pjrtmem_copy_from_host(buffer, offset, other, length), PJRTMEM_CODE_OUT_OF_RANGE);
    CHECK_CODE(pjrtmem_copy_to_host(buffer, offset, other, length), PJRTMEM_CODE_OUT_OF_RANGE);
    CHECK_CODE(pjrtmem_copy(second, 0, buffer, offset, length), PJRTMEM_CODE_OUT_OF_RANGE);
    CHECK_CODE(pjrtmem_copy(second, offset, buffer, 0, length), PJRTMEM_CODE_OUT_OF_RANGE);
    CHECK_CODE(pjrtmem_copy(buffer, offset, buffer, 0, length), PJRTMEM_CODE_OUT_OF_RANGE);
    CHECK_CODE(pjrtmem_fill(buffer, offset, length, other, 1), PJRTMEM_CODE_OUT_OF_RANGE);
    for (size_t b = 0; b < sizeof other; b++) CHECK_EQ(other[b], 0xEE);
  }
  CHECK_HOLDS(buffer, model, 100);
  CHECK_HOLDS(second, model, 100);
  CHECK_OK(pjrtmem_free(buffer));
  CHECK_OK(pjrtmem_free(second));
}

/* These sizes would end the process inside of some plugins. */
TEST(counts_that_cannot_be) {
  static const size_t counts[] = {SIZE_MAX, SIZE_MAX / 2, (size_t)INT64_MAX, (size_t)INT64_MAX + 1,
                                  SIZE_MAX / 16, SIZE_MAX / 16 + 1, (size_t)1 << 60, (size_t)1 << 62};
  pjrtmem_memory_info before = memory_info(space);
  for (int t = 0; t < TYPES; t++) {
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
      pjrtmem_buffer buffer = 77;
      pjrtmem_error *error = pjrtmem_alloc(space, types[t], counts[i], &buffer);
      int32_t code = pjrtmem_error_code(error);
      if (code != PJRTMEM_CODE_INVALID_ARGUMENT && code != PJRTMEM_CODE_OUT_OF_RANGE &&
          code != PJRTMEM_CODE_RESOURCE_EXHAUSTED)
        CHECK_FAIL("%zu of type %d: %s", counts[i], types[t], pjrtmem_code_name(code));
      CHECK_EQ(buffer, 77);
      pjrtmem_error_free(error);
    }
  }
  pjrtmem_memory_info after = memory_info(space);
  CHECK_EQ(after.live_bytes, before.live_bytes);
  CHECK_EQ(after.live_buffers, before.live_buffers);
}

/* More than the machine has. A system that promises memory it does not have may grant it. */
TEST(more_than_there_is) {
  pjrtmem_buffer buffer = 77;
  pjrtmem_memory_info before = memory_info(space);
  pjrtmem_error *error = pjrtmem_alloc(space, PJRTMEM_TYPE_U8, (size_t)1 << 50, &buffer);
  if (error) {
    CHECK_EQ(pjrtmem_error_code(error), PJRTMEM_CODE_RESOURCE_EXHAUSTED);
    CHECK_EQ(buffer, 77);
    CHECK_EQ(memory_info(space).live_bytes, before.live_bytes);
  } else {
    CHECK_OK(pjrtmem_free(buffer));
  }
  pjrtmem_error_free(error);
}

TEST(zero_elements) {
  for (int i = 0; i < TYPES; i++) {
    pjrtmem_buffer buffer = 0;
    uint8_t byte = 0;
    if (!CHECK_OK(pjrtmem_alloc(space, types[i], 0, &buffer))) continue;
    pjrtmem_buffer_info info = buffer_info(buffer);
    CHECK_EQ(info.count, 0);
    CHECK_EQ(info.bytes, 0);
    CHECK(info.address != NULL);
    CHECK_OK(pjrtmem_copy_from_host(buffer, 0, &byte, 0));
    CHECK_OK(pjrtmem_copy_from_host(buffer, 0, NULL, 0)); /* no bytes need no memory */
    CHECK_OK(pjrtmem_copy_to_host(buffer, 0, &byte, 0));
    CHECK_OK(pjrtmem_copy_to_host(buffer, 0, NULL, 0));
    CHECK_OK(pjrtmem_copy(buffer, 0, buffer, 0, 0));
    CHECK_OK(pjrtmem_fill(buffer, 0, 0, &byte, 1));
    CHECK_OK(pjrtmem_wait(buffer));
    CHECK_CODE(pjrtmem_copy_from_host(buffer, 0, &byte, 1), PJRTMEM_CODE_OUT_OF_RANGE);
    CHECK_CODE(pjrtmem_copy_to_host(buffer, 0, &byte, 1), PJRTMEM_CODE_OUT_OF_RANGE);
    CHECK_CODE(pjrtmem_copy_from_host(buffer, 1, &byte, 0), PJRTMEM_CODE_OUT_OF_RANGE);
    CHECK_OK(pjrtmem_free(buffer));
  }
}

TEST(the_accounts_are_exact) {
  pjrtmem_memory_info before = memory_info(space);
  pjrtmem_buffer first = 0, second = 0;
  CHECK_OK(pjrtmem_alloc(space, PJRTMEM_TYPE_F64, 1000, &first));
  CHECK_OK(pjrtmem_alloc(space, PJRTMEM_TYPE_U8, 3, &second));
  pjrtmem_memory_info during = memory_info(space);
  CHECK_EQ(during.live_bytes, before.live_bytes + 8003);
  CHECK_EQ(during.live_buffers, before.live_buffers + 2);
  CHECK_EQ(during.total_bytes, before.total_bytes + 8003);
  CHECK_EQ(during.total_buffers, before.total_buffers + 2);
  CHECK(during.peak_bytes >= during.live_bytes);
  CHECK_OK(pjrtmem_free(first));
  CHECK_EQ(memory_info(space).live_bytes, before.live_bytes + 3);
  CHECK_OK(pjrtmem_free(second));
  pjrtmem_memory_info after = memory_info(space);
  CHECK_EQ(after.live_bytes, before.live_bytes);
  CHECK_EQ(after.live_buffers, before.live_buffers);
  CHECK_EQ(after.total_buffers, before.total_buffers + 2);
  CHECK_EQ(after.peak_bytes, during.peak_bytes);
}

TEST(released_memory_is_queued_then_given_back) {
  pjrtmem_memory_info before = memory_info(space);
  for (int i = 0; i < 100; i++) CHECK_OK(pjrtmem_release(bytes_in(space, 1000)));
  /* Live counts what is queued; how much is queued still depends on the library's thread. */
  pjrtmem_memory_info during = memory_info(space);
  CHECK(during.queued_bytes <= 100 * 1000);
  CHECK(during.queued_bytes <= during.live_bytes);
  CHECK(during.queued_buffers <= 100);
  CHECK_OK(pjrtmem_reclaim());
  pjrtmem_memory_info after = memory_info(space);
  CHECK_EQ(after.live_bytes, before.live_bytes);
  CHECK_EQ(after.live_buffers, before.live_buffers);
  CHECK_EQ(after.queued_bytes, 0);
  CHECK_EQ(after.queued_buffers, 0);
  CHECK_OK(pjrtmem_reclaim());
}

/* Larger than any internal block could be, with every byte checked. */
TEST(a_large_buffer) {
  size_t count = (size_t)64 << 20;
  uint8_t *bytes = (uint8_t *)malloc(count), *found = (uint8_t *)malloc(count);
  if (!bytes || !found) abort();
  pattern(bytes, count, 5);
  pjrtmem_buffer buffer = bytes_in(space, count);
  CHECK_OK(pjrtmem_copy_from_host(buffer, 0, bytes, count));
  CHECK_OK(pjrtmem_copy_to_host(buffer, 0, found, count));
  CHECK(memcmp(bytes, found, count) == 0);
  CHECK_OK(pjrtmem_free(buffer));
  free(bytes);
  free(found);
}

TEST(many_buffers) {
  enum { MANY = 20000 };
  pjrtmem_buffer *buffers = (pjrtmem_buffer *)malloc(MANY * sizeof *buffers);
  if (!buffers) abort();
  pjrtmem_memory_info before = memory_info(space);
  for (uint32_t i = 0; i < MANY; i++) {
    buffers[i] = bytes_in(space, sizeof i);
    CHECK_OK(pjrtmem_copy_from_host(buffers[i], 0, &i, sizeof i));
  }
  CHECK_EQ(memory_info(space).live_buffers, before.live_buffers + MANY);
  for (uint32_t i = MANY; i-- > 0;) {
    uint32_t found = 0;
    CHECK_OK(pjrtmem_copy_to_host(buffers[i], 0, &found, sizeof found));
    CHECK_EQ(found, i);
    CHECK_OK(pjrtmem_free(buffers[i]));
  }
  CHECK_EQ(memory_info(space).live_buffers, before.live_buffers);
  free(buffers);
}

int main(int argc, char **argv) {
  check_start(argc, argv);
  space = first_space(load(2));
  RUN(every_type_goes_there_and_back);
  RUN(types_that_are_refused);
  RUN(every_offset_and_length);
  RUN(an_offset_inside_an_element);
  RUN(host_memory_of_any_alignment);
  RUN(what_reaches_past_the_end);
  RUN(counts_that_cannot_be);
  RUN(more_than_there_is);
  RUN(zero_elements);
  RUN(the_accounts_are_exact);
  RUN(released_memory_is_queued_then_given_back);
  RUN(a_large_buffer);
  RUN(many_buffers);
  return check_finish();
}
