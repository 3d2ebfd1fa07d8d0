/* Address spaces: one for each (client, device, kind of memory), numbered in order, never again. */
#include "check.h"

TEST(spaces_are_numbered_in_order) {
  uint32_t before = 77, after = 77;
  CHECK_OK(pjrtmem_space_count(&before));
  CHECK_EQ(before, 0); /* nothing was loaded yet in this process */
  pjrtmem_client_info info = client_info(load(2));
  CHECK_OK(pjrtmem_space_count(&after));
  CHECK_EQ(info.first_space, before);
  CHECK_EQ(info.space_count, after - before);
  pjrtmem_client_info next = client_info(load(3));
  CHECK_EQ(next.first_space, after);
}

TEST(each_space_describes_itself) {
  pjrtmem_client client = load(2);
  pjrtmem_client_info info = client_info(client);
  int32_t devices = 0, last_device = -1;
  for (uint32_t i = 0; i < info.space_count; i++) {
    pjrtmem_space_info space = space_info(info.first_space + i);
    CHECK_EQ(space.client, client);
    CHECK(space.device_id >= last_device); /* device by device */
    CHECK(space.device_kind && space.device_kind[0]);
    CHECK(space.memory_kind && space.memory_kind[0]);
    CHECK(space.host_visible); /* all three plugins are CPUs */
    /* A device's first space is its default memory, and no other is. */
    CHECK_EQ(space.default_memory, space.device_id != last_device);
    if (space.device_id != last_device) devices++;
    last_device = space.device_id;
  }
  CHECK_EQ(devices, 2);
}

TEST(a_space_is_found_by_device_and_kind) {
  pjrtmem_client client = load(2);
  pjrtmem_client_info info = client_info(client);
  for (uint32_t i = 0; i < info.space_count; i++) {
    pjrtmem_space wanted = info.first_space + i, found = 77;
    pjrtmem_space_info space = space_info(wanted);
    CHECK_OK(pjrtmem_space_find(client, space.device_id, space.memory_kind, &found));
    CHECK_EQ(found, wanted);
    found = 77;
    CHECK_OK(pjrtmem_space_find(client, space.device_id, NULL, &found));
    CHECK_EQ(space_info(found).device_id, space.device_id);
    CHECK(space_info(found).default_memory);
  }
}

TEST(what_is_not_there_is_not_found) {
  pjrtmem_client client = load(2);
  pjrtmem_space found = 77;
  CHECK_CODE(pjrtmem_space_find(client, 99, NULL, &found), PJRTMEM_CODE_NOT_FOUND);
  CHECK_CODE(pjrtmem_space_find(client, -1, NULL, &found), PJRTMEM_CODE_NOT_FOUND);
  CHECK_CODE(pjrtmem_space_find(client, 0, "no such kind", &found), PJRTMEM_CODE_NOT_FOUND);
  CHECK_CODE(pjrtmem_space_find(client, 0, "", &found), PJRTMEM_CODE_NOT_FOUND);
  CHECK_CODE(pjrtmem_space_find(12345, 0, NULL, &found), PJRTMEM_CODE_NOT_FOUND);
  CHECK_EQ(found, 77);
}

TEST(numbers_that_no_space_has) {
  static const pjrtmem_space wrong[] = {255, 256, 257, 65536, 0x80000000u, UINT32_MAX};
  load(2);
  uint32_t count = 0;
  CHECK_OK(pjrtmem_space_count(&count));
  for (size_t i = 0; i <= sizeof wrong / sizeof wrong[0]; i++) {
    pjrtmem_space space = i ? wrong[i - 1] : count;
    pjrtmem_space_info space_out = {sizeof space_out, 0, 0, NULL, NULL, false, false};
    pjrtmem_memory_info memory_out;
    pjrtmem_buffer buffer = 77;
    memory_out.struct_size = sizeof memory_out;
    CHECK_CODE(pjrtmem_get_space_info(space, &space_out), PJRTMEM_CODE_NOT_FOUND);
    CHECK_CODE(pjrtmem_get_memory_info(space, &memory_out), PJRTMEM_CODE_NOT_FOUND);
    CHECK_CODE(pjrtmem_alloc(space, PJRTMEM_TYPE_F32, 1, &buffer), PJRTMEM_CODE_NOT_FOUND);
    CHECK_EQ(buffer, 77);
  }
  pjrtmem_client_info info;
  info.struct_size = sizeof info;
  CHECK_CODE(pjrtmem_get_client_info(12345, &info), PJRTMEM_CODE_NOT_FOUND);
  CHECK_CODE(pjrtmem_get_client_info(UINT32_MAX, &info), PJRTMEM_CODE_NOT_FOUND);
}

/* Memory in every space: what is written to one is in that one only. */
TEST(spaces_are_apart) {
  pjrtmem_client_info info = client_info(load(2));
  pjrtmem_buffer buffers[64];
  uint8_t bytes[1000];
  CHECK(info.space_count <= 64);
  for (uint32_t i = 0; i < info.space_count; i++) {
    buffers[i] = bytes_in(info.first_space + i, sizeof bytes);
    pattern(bytes, sizeof bytes, i);
    CHECK_OK(pjrtmem_copy_from_host(buffers[i], 0, bytes, sizeof bytes));
  }
  for (uint32_t i = 0; i < info.space_count; i++) {
    CHECK_EQ(buffer_info(buffers[i]).space, info.first_space + i);
    CHECK_EQ(memory_info(info.first_space + i).live_buffers, 1);
    pattern(bytes, sizeof bytes, i);
    CHECK_HOLDS(buffers[i], bytes, sizeof bytes);
    CHECK_OK(pjrtmem_free(buffers[i]));
    CHECK_EQ(memory_info(info.first_space + i).live_buffers, 0);
  }
}

int main(int argc, char **argv) {
  check_start(argc, argv);
  RUN(spaces_are_numbered_in_order);
  RUN(each_space_describes_itself);
  RUN(a_space_is_found_by_device_and_kind);
  RUN(what_is_not_there_is_not_found);
  RUN(numbers_that_no_space_has);
  RUN(spaces_are_apart);
  return check_finish();
}
