/* Eight threads that allocate, copy, fill, retain, release and free all at once, and check every byte. */
#include "check.h"

#include <pthread.h>

enum { THREADS = 8, ROUNDS = 400, SLOTS = 8, SHARED = 4, LARGEST = 20000 };

static pjrtmem_client_info client;
static pjrtmem_buffer shared[SHARED]; /* only read by the threads */

typedef struct worker {
  uint32_t seed;
  int wrong_calls, wrong_bytes;
  char first[256];
} worker;

static bool fine(worker *self, pjrtmem_error *error) {
  if (!error) return true;
  if (!self->wrong_calls++) snprintf(self->first, sizeof self->first, "%s", pjrtmem_error_message(error));
  pjrtmem_error_free(error);
  return false;
}

static uint32_t next(worker *self) {
  self->seed = self->seed * 1664525u + 1013904223u;
  return self->seed >> 8;
}

static pjrtmem_space any_space(worker *self) { return client.first_space + next(self) % client.space_count; }

static void check_bytes(worker *self, pjrtmem_buffer buffer, const uint8_t *model, uint8_t *found, size_t size) {
  memset(found, 0, size);
  if (fine(self, pjrtmem_copy_to_host(buffer, 0, found, size)) && memcmp(found, model, size) != 0)
    self->wrong_bytes++;
}

static void *work(void *argument) {
  worker *self = (worker *)argument;
  pjrtmem_buffer buffers[SLOTS] = {0};
  size_t sizes[SLOTS] = {0};
  uint8_t *models = (uint8_t *)calloc(SLOTS, LARGEST), *found = (uint8_t *)malloc(LARGEST);
  if (!models || !found) abort();
  for (int round = 0; round < ROUNDS; round++) {
    size_t slot = next(self) % SLOTS, other = next(self) % SLOTS;
    uint8_t *model = models + slot * LARGEST;
    if (!buffers[slot]) {
      sizes[slot] = 16 + next(self) % (LARGEST - 16);
      pattern(model, sizes[slot], next(self));
      if (!fine(self, pjrtmem_alloc(any_space(self), PJRTMEM_TYPE_U8, sizes[slot], &buffers[slot]))) break;
      fine(self, pjrtmem_copy_from_host(buffers[slot], 0, model, sizes[slot]));
      continue;
    }
    size_t size = sizes[slot];
    switch (next(self) % 6) {
      case 0: { /* a part from the host */
        size_t offset = next(self) % size, length = next(self) % (size - offset + 1);
        pattern(model + offset, length, next(self));
        fine(self, pjrtmem_copy_from_host(buffers[slot], offset, model + offset, length));
        break;
      }
      case 1: { /* from another buffer, or within this one */
        if (!buffers[other]) break;
        size_t length = next(self) % ((size < sizes[other] ? size : sizes[other]) + 1);
        size_t to = next(self) % (size - length + 1), from = next(self) % (sizes[other] - length + 1);
        fine(self, pjrtmem_copy(buffers[slot], to, buffers[other], from, length));
        memmove(model + to, models + other * LARGEST + from, length);
        break;
      }
      case 2: { /* a fill */
        uint8_t bytes[16];
        size_t width = 1 + next(self) % 16, count = next(self) % (size / width + 1);
        pattern(bytes, sizeof bytes, next(self));
        fine(self, pjrtmem_fill(buffers[slot], 0, count * width, bytes, width));
        for (size_t i = 0; i < count * width; i++) model[i] = bytes[i % width];
        break;
      }
      case 3: { /* what all threads read at once */
        uint8_t expected[1000];
        uint32_t which = next(self) % SHARED;
        pattern(expected, sizeof expected, which);
        fine(self, pjrtmem_retain(shared[which]));
        check_bytes(self, shared[which], expected, found, sizeof expected);
        fine(self, pjrtmem_release(shared[which]));
        break;
      }
      case 4: /* the end, in one of two ways */
        check_bytes(self, buffers[slot], model, found, size);
        fine(self, next(self) % 2 ? pjrtmem_free(buffers[slot]) : pjrtmem_release(buffers[slot]));
        buffers[slot] = 0;
        if (next(self) % 16 == 0) fine(self, pjrtmem_reclaim());
        break;
      default: check_bytes(self, buffers[slot], model, found, size);
    }
  }
  for (size_t slot = 0; slot < SLOTS; slot++) {
    if (!buffers[slot]) continue;
    check_bytes(self, buffers[slot], models + slot * LARGEST, found, sizes[slot]);
    fine(self, pjrtmem_free(buffers[slot]));
  }
  free(models);
  free(found);
  return NULL;
}

TEST(eight_threads_mix_everything) {
  worker workers[THREADS];
  pthread_t threads[THREADS];
  for (uint32_t i = 0; i < SHARED; i++) {
    uint8_t bytes[1000];
    pattern(bytes, sizeof bytes, i);
    shared[i] = bytes_in(client.first_space, sizeof bytes);
    CHECK_OK(pjrtmem_copy_from_host(shared[i], 0, bytes, sizeof bytes));
  }
  memset(workers, 0, sizeof workers);
  for (uint32_t i = 0; i < THREADS; i++) {
    workers[i].seed = i + 1;
    if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0) abort();
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    if (workers[i].wrong_calls)
      CHECK_FAIL("thread %d: %d calls failed, first: %s", i, workers[i].wrong_calls, workers[i].first);
    CHECK_EQ(workers[i].wrong_bytes, 0);
  }
  for (uint32_t i = 0; i < SHARED; i++) {
    CHECK_EQ(buffer_info(shared[i]).holders, 1);
    CHECK_OK(pjrtmem_free(shared[i]));
  }
  CHECK_OK(pjrtmem_reclaim());
  for (uint32_t i = 0; i < client.space_count; i++) {
    pjrtmem_memory_info info = memory_info(client.first_space + i);
    CHECK_EQ(info.live_buffers, 0);
    CHECK_EQ(info.live_bytes, 0);
    CHECK_EQ(info.queued_buffers, 0);
    CHECK(info.total_buffers > 0);
  }
}

/* Several threads load at once: one client comes of it. */
static void *load_again(void *argument) {
  *(pjrtmem_client *)argument = load(4);
  return NULL;
}

TEST(loading_at_once_gives_one_client) {
  pthread_t threads[THREADS];
  pjrtmem_client clients[THREADS];
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, load_again, &clients[i]) != 0) abort();
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 1; i < THREADS; i++) CHECK_EQ(clients[i], clients[0]);
}

int main(int argc, char **argv) {
  check_start(argc, argv);
  RUN(loading_at_once_gives_one_client);
  client = client_info(load(2));
  RUN(eight_threads_mix_everything);
  return check_finish();
}
