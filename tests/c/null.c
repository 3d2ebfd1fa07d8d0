/* A null pointer wherever a function takes a pointer: an error, never a crash, and nothing written. */
#include "check.h"

static pjrtmem_client client;
static pjrtmem_space space;

#define NULL_IS_WRONG(call) CHECK_CODE((call), PJRTMEM_CODE_INVALID_ARGUMENT)

TEST(errors) {
  CHECK_EQ(pjrtmem_error_code(NULL), 0);
  CHECK_STR(pjrtmem_error_message(NULL), "");
  pjrtmem_error_free(NULL);
}

TEST(options) {
  pjrtmem_options *made = NULL;
  NULL_IS_WRONG(pjrtmem_options_new(NULL));
  pjrtmem_options_free(NULL);
  NULL_IS_WRONG(pjrtmem_options_set_string(NULL, "name", "value"));
  NULL_IS_WRONG(pjrtmem_options_set_integer(NULL, "name", 1));
  NULL_IS_WRONG(pjrtmem_options_set_float(NULL, "name", 1));
  NULL_IS_WRONG(pjrtmem_options_set_boolean(NULL, "name", true));
  NULL_IS_WRONG(pjrtmem_options_set_integers(NULL, "name", NULL, 0));
  CHECK_OK(pjrtmem_options_new(&made));
  NULL_IS_WRONG(pjrtmem_options_set_string(made, NULL, "value"));
  NULL_IS_WRONG(pjrtmem_options_set_string(made, "name", NULL));
  NULL_IS_WRONG(pjrtmem_options_set_integer(made, NULL, 1));
  NULL_IS_WRONG(pjrtmem_options_set_float(made, NULL, 1));
  NULL_IS_WRONG(pjrtmem_options_set_boolean(made, NULL, true));
  NULL_IS_WRONG(pjrtmem_options_set_integers(made, NULL, NULL, 0));
  NULL_IS_WRONG(pjrtmem_options_set_integers(made, "name", NULL, 1));
  pjrtmem_options_free(made);
}

TEST(loading_and_describing) {
  pjrtmem_client out = 77;
  NULL_IS_WRONG(pjrtmem_load(NULL, NULL, &out));
  NULL_IS_WRONG(pjrtmem_load(check_plugin, NULL, NULL));
  NULL_IS_WRONG(pjrtmem_load(NULL, NULL, NULL));
  NULL_IS_WRONG(pjrtmem_get_client_info(client, NULL));
  NULL_IS_WRONG(pjrtmem_space_count(NULL));
  NULL_IS_WRONG(pjrtmem_get_space_info(space, NULL));
  NULL_IS_WRONG(pjrtmem_space_find(client, 0, NULL, NULL));
  NULL_IS_WRONG(pjrtmem_space_find(client, 0, "device", NULL));
  NULL_IS_WRONG(pjrtmem_type_size(PJRTMEM_TYPE_F32, NULL));
  NULL_IS_WRONG(pjrtmem_get_memory_info(space, NULL));
  NULL_IS_WRONG(pjrtmem_get_transfer_info(space, NULL));
  CHECK_EQ(out, 77);
}

TEST(buffers) {
  pjrtmem_memory_info before = memory_info(space);
  NULL_IS_WRONG(pjrtmem_alloc(space, PJRTMEM_TYPE_U8, 8, NULL));
  CHECK_EQ(memory_info(space).live_buffers, before.live_buffers);
  pjrtmem_buffer buffer = bytes_in(space, 8);
  uint8_t bytes[8];
  pattern(bytes, 8, 1);
  CHECK_OK(pjrtmem_copy_from_host(buffer, 0, bytes, 8));
  NULL_IS_WRONG(pjrtmem_get_buffer_info(buffer, NULL));
  NULL_IS_WRONG(pjrtmem_host_address(buffer, NULL));
  NULL_IS_WRONG(pjrtmem_device_address(buffer, NULL));
  NULL_IS_WRONG(pjrtmem_copy_from_host(buffer, 0, NULL, 1));
  NULL_IS_WRONG(pjrtmem_copy_to_host(buffer, 0, NULL, 1));
  NULL_IS_WRONG(pjrtmem_fill(buffer, 0, 1, NULL, 1));
  /* No bytes need no memory. */
  CHECK_OK(pjrtmem_copy_from_host(buffer, 0, NULL, 0));
  CHECK_OK(pjrtmem_copy_to_host(buffer, 0, NULL, 0));
  CHECK_HOLDS(buffer, bytes, 8);
  CHECK_OK(pjrtmem_free(buffer));
}

/* Null and a bad handle at once: some error, never a crash. */
TEST(null_and_a_bad_handle) {
  static const pjrtmem_buffer bad[] = {0, 12345, UINT64_MAX};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    pjrtmem_error *errors[] = {
        pjrtmem_get_buffer_info(bad[i], NULL),          pjrtmem_host_address(bad[i], NULL),
        pjrtmem_device_address(bad[i], NULL),           pjrtmem_copy_from_host(bad[i], 0, NULL, 1),
        pjrtmem_copy_to_host(bad[i], 0, NULL, 1),       pjrtmem_fill(bad[i], 0, 1, NULL, 1),
        pjrtmem_alloc(UINT32_MAX, -1, SIZE_MAX, NULL),  pjrtmem_get_client_info(UINT32_MAX, NULL),
        pjrtmem_get_space_info(UINT32_MAX, NULL),       pjrtmem_get_memory_info(UINT32_MAX, NULL),
        pjrtmem_space_find(UINT32_MAX, -1, NULL, NULL), pjrtmem_type_size(-1, NULL),
    };
    for (size_t e = 0; e < sizeof errors / sizeof errors[0]; e++) {
      CHECK(errors[e] != NULL);
      pjrtmem_error_free(errors[e]);
    }
  }
}

int main(int argc, char **argv) {
  check_start(argc, argv);
  client = load(2);
  space = first_space(client);
  RUN(errors);
  RUN(options);
  RUN(loading_and_describing);
  RUN(buffers);
  RUN(null_and_a_bad_handle);
  return check_finish();
}
