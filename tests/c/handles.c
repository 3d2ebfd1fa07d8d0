/* Handles: made up, stale, foreign, freed twice, freed by two threads at once; holders. */
#include "check.h"

#include <pthread.h>

static pjrtmem_space space;

/* Every function that takes a buffer, with one that is not good. Nothing may be written. */
static void refused_everywhere(pjrtmem_buffer bad, int32_t code) {
  pjrtmem_buffer good = bytes_in(space, 8);
  uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, found[8] = {9, 9, 9, 9, 9, 9, 9, 9};
  void *address = &address;
  uint64_t device_address = 77;
  pjrtmem_buffer_info info;
  CHECK_OK(pjrtmem_copy_from_host(good, 0, bytes, 8));
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  CHECK_CODE(pjrtmem_free(bad), code);
  CHECK_CODE(pjrtmem_retain(bad), code);
  CHECK_CODE(pjrtmem_release(bad), code);
  CHECK_CODE(pjrtmem_get_buffer_info(bad, &info), code);
  CHECK_CODE(pjrtmem_host_address(bad, &address), code);
  CHECK_CODE(pjrtmem_device_address(bad, &device_address), code);
  CHECK_CODE(pjrtmem_wait(bad), code);
  CHECK_CODE(pjrtmem_copy_from_host(bad, 0, bytes, 1), code);
  CHECK_CODE(pjrtmem_copy_to_host(bad, 0, found, 1), code);
  CHECK_CODE(pjrtmem_copy_to_host(bad, 0, found, 0), code);
  CHECK_CODE(pjrtmem_copy(bad, 0, good, 0, 1), code);
  CHECK_CODE(pjrtmem_copy(good, 0, bad, 0, 1), code);
  CHECK_CODE(pjrtmem_copy(bad, 0, bad, 0, 1), code);
  CHECK_CODE(pjrtmem_fill(bad, 0, 1, bytes, 1), code);
  CHECK(address == &address);
  CHECK_EQ(device_address, 77);
  CHECK_EQ(info.bytes, 0);
  for (int i = 0; i < 8; i++) CHECK_EQ(found[i], 9);
  CHECK_HOLDS(good, bytes, 8);
  CHECK_OK(pjrtmem_free(good));
}

TEST(made_up_handles) {
  static const pjrtmem_buffer made_up[] = {0, 1, 2, 12345, UINT32_MAX, UINT64_MAX, UINT64_MAX - 1, 1ull << 63,
                                           1ull << 32, 0xDEADBEEFDEADBEEFull, 0x0101010101010101ull};
  for (size_t i = 0; i < sizeof made_up / sizeof made_up[0]; i++)
    refused_everywhere(made_up[i], PJRTMEM_CODE_INVALID_HANDLE);
}

/* A number that is right for a client or a space is not right for a buffer. */
TEST(handles_of_another_kind) {
  pjrtmem_client client = load(2);
  refused_everywhere(client, PJRTMEM_CODE_INVALID_HANDLE);
  refused_everywhere(space, PJRTMEM_CODE_INVALID_HANDLE);
}

/* One bit wrong in a good handle: another buffer must never be meant by it. */
TEST(one_bit_wrong) {
  pjrtmem_buffer buffer = bytes_in(space, 8);
  for (int bit = 0; bit < 64; bit++) {
    pjrtmem_buffer_info info;
    info.struct_size = sizeof info;
    pjrtmem_error *error = pjrtmem_get_buffer_info(buffer ^ (1ull << bit), &info);
    int32_t code = pjrtmem_error_code(error);
    if (code != PJRTMEM_CODE_INVALID_HANDLE && code != PJRTMEM_CODE_STALE_HANDLE)
      CHECK_FAIL("bit %d: %s", bit, pjrtmem_code_name(code));
    pjrtmem_error_free(error);
  }
  CHECK_OK(pjrtmem_free(buffer));
}

TEST(stale_handles) {
  pjrtmem_buffer buffer = bytes_in(space, 8);
  CHECK_OK(pjrtmem_free(buffer));
  refused_everywhere(buffer, PJRTMEM_CODE_STALE_HANDLE);
  buffer = bytes_in(space, 8);
  CHECK_OK(pjrtmem_release(buffer));
  refused_everywhere(buffer, PJRTMEM_CODE_STALE_HANDLE);
}

/* The place of a freed buffer is used again; the old handle must not reach the new buffer. */
TEST(a_place_that_is_used_again) {
  enum { ROUNDS = 3000 };
  pjrtmem_buffer first = bytes_in(space, 8);
  CHECK_OK(pjrtmem_free(first));
  pjrtmem_buffer last = first;
  for (int i = 0; i < ROUNDS; i++) {
    pjrtmem_buffer next = bytes_in(space, 8);
    CHECK(next != first && next != last);
    CHECK_CODE(pjrtmem_free(first), PJRTMEM_CODE_STALE_HANDLE);
    CHECK_CODE(pjrtmem_free(last), PJRTMEM_CODE_STALE_HANDLE);
    CHECK_EQ(buffer_info(next).bytes, 8);
    CHECK_OK(pjrtmem_free(next));
    last = next;
  }
}

TEST(freed_twice_does_no_harm) {
  CHECK_OK(pjrtmem_reclaim()); /* what earlier tests released */
  pjrtmem_memory_info before = memory_info(space);
  uint8_t bytes[16];
  pattern(bytes, sizeof bytes, 1);
  pjrtmem_buffer freed = bytes_in(space, 16), other = bytes_in(space, 16);
  CHECK_OK(pjrtmem_copy_from_host(other, 0, bytes, sizeof bytes));
  CHECK_OK(pjrtmem_free(freed));
  for (int i = 0; i < 10; i++) CHECK_CODE(pjrtmem_free(freed), PJRTMEM_CODE_STALE_HANDLE);
  CHECK_HOLDS(other, bytes, sizeof bytes);
  CHECK_OK(pjrtmem_free(other));
  CHECK_EQ(memory_info(space).live_buffers, before.live_buffers);
  CHECK_EQ(memory_info(space).live_bytes, before.live_bytes);
}

TEST(holders) {
  pjrtmem_buffer buffer = bytes_in(space, 8);
  CHECK_EQ(buffer_info(buffer).holders, 1);
  CHECK_OK(pjrtmem_retain(buffer));
  CHECK_OK(pjrtmem_retain(buffer));
  CHECK_EQ(buffer_info(buffer).holders, 3);
  /* Freeing is refused while others hold it, and says how many. */
  CHECK_SAYS(pjrtmem_free(buffer), PJRTMEM_CODE_FAILED_PRECONDITION, "2");
  CHECK_EQ(buffer_info(buffer).holders, 3);
  CHECK_OK(pjrtmem_release(buffer));
  CHECK_SAYS(pjrtmem_free(buffer), PJRTMEM_CODE_FAILED_PRECONDITION, "1");
  CHECK_OK(pjrtmem_release(buffer));
  CHECK_EQ(buffer_info(buffer).holders, 1);
  CHECK_OK(pjrtmem_free(buffer));
  CHECK_CODE(pjrtmem_free(buffer), PJRTMEM_CODE_STALE_HANDLE);
}

TEST(the_last_release_makes_it_stale_at_once) {
  pjrtmem_buffer buffer = bytes_in(space, 8);
  CHECK_OK(pjrtmem_retain(buffer));
  CHECK_OK(pjrtmem_release(buffer));
  CHECK_EQ(buffer_info(buffer).holders, 1);
  CHECK_OK(pjrtmem_release(buffer));
  CHECK_CODE(pjrtmem_release(buffer), PJRTMEM_CODE_STALE_HANDLE);
  CHECK_CODE(pjrtmem_retain(buffer), PJRTMEM_CODE_STALE_HANDLE);
  CHECK_CODE(pjrtmem_free(buffer), PJRTMEM_CODE_STALE_HANDLE);
}

/* ---- two threads, one handle ---- */

typedef struct racer {
  pjrtmem_buffer buffer;
  pthread_barrier_t *barrier;
  pjrtmem_error *(*end)(pjrtmem_buffer);
  int32_t code;
} racer;

static void *race(void *argument) {
  racer *self = (racer *)argument;
  pthread_barrier_wait(self->barrier);
  pjrtmem_error *error = self->end(self->buffer);
  self->code = pjrtmem_error_code(error);
  pjrtmem_error_free(error);
  return NULL;
}

/* Both end the same buffer at the same time: exactly one succeeds, the other is told that it is stale. */
static void two_threads_end(pjrtmem_error *(*first)(pjrtmem_buffer), pjrtmem_error *(*second)(pjrtmem_buffer)) {
  enum { ROUNDS = 300 };
  CHECK_OK(pjrtmem_reclaim());
  pjrtmem_memory_info before = memory_info(space);
  for (int round = 0; round < ROUNDS; round++) {
    pthread_barrier_t barrier;
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 2);
    pjrtmem_buffer buffer = bytes_in(space, 64);
    racer racers[2] = {{buffer, &barrier, first, -1}, {buffer, &barrier, second, -1}};
    for (int i = 0; i < 2; i++)
      if (pthread_create(&threads[i], NULL, race, &racers[i]) != 0) abort();
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    CHECK_EQ((racers[0].code == 0) + (racers[1].code == 0), 1);
    CHECK_EQ((racers[0].code == PJRTMEM_CODE_STALE_HANDLE) + (racers[1].code == PJRTMEM_CODE_STALE_HANDLE), 1);
  }
  CHECK_OK(pjrtmem_reclaim());
  CHECK_EQ(memory_info(space).live_buffers, before.live_buffers);
}

TEST(two_threads_free_one_buffer) { two_threads_end(pjrtmem_free, pjrtmem_free); }
TEST(two_threads_release_one_buffer) { two_threads_end(pjrtmem_release, pjrtmem_release); }
TEST(one_frees_and_one_releases) { two_threads_end(pjrtmem_free, pjrtmem_release); }

int main(int argc, char **argv) {
  check_start(argc, argv);
  space = first_space(load(2));
  RUN(made_up_handles);
  RUN(handles_of_another_kind);
  RUN(one_bit_wrong);
  RUN(stale_handles);
  RUN(a_place_that_is_used_again);
  RUN(freed_twice_does_no_harm);
  RUN(holders);
  RUN(the_last_release_makes_it_stale_at_once);
  RUN(two_threads_free_one_buffer);
  RUN(two_threads_release_one_buffer);
  RUN(one_frees_and_one_releases);
  return check_finish();
}
