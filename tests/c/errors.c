/* Errors as objects, and the functions that need no plugin. */
#include "check.h"

TEST(null_is_success) {
  CHECK_EQ(pjrtmem_error_code(NULL), 0);
  CHECK_STR(pjrtmem_error_message(NULL), "");
  pjrtmem_error_free(NULL);
}

TEST(an_error_has_a_code_and_a_message) {
  pjrtmem_error *error = pjrtmem_load("/nowhere/plugin.so", NULL, NULL);
  CHECK(error != NULL);
  CHECK(pjrtmem_error_code(error) != 0);
  CHECK(pjrtmem_error_message(error)[0] != '\0');
  /* The text is the error's own: it does not change when others come and go. */
  char *before = strdup(pjrtmem_error_message(error));
  for (int i = 0; i < 100; i++) pjrtmem_error_free(pjrtmem_free(12345));
  CHECK_STR(pjrtmem_error_message(error), before);
  free(before);
  pjrtmem_error_free(error);
}

TEST(codes_have_names) {
  static const struct {
    int32_t code;
    const char *name;
  } codes[] = {
      {PJRTMEM_CODE_CANCELLED, "CANCELLED"},
      {PJRTMEM_CODE_UNKNOWN, "UNKNOWN"},
      {PJRTMEM_CODE_INVALID_ARGUMENT, "INVALID_ARGUMENT"},
      {PJRTMEM_CODE_NOT_FOUND, "NOT_FOUND"},
      {PJRTMEM_CODE_RESOURCE_EXHAUSTED, "RESOURCE_EXHAUSTED"},
      {PJRTMEM_CODE_FAILED_PRECONDITION, "FAILED_PRECONDITION"},
      {PJRTMEM_CODE_OUT_OF_RANGE, "OUT_OF_RANGE"},
      {PJRTMEM_CODE_UNIMPLEMENTED, "UNIMPLEMENTED"},
      {PJRTMEM_CODE_INTERNAL, "INTERNAL"},
      {PJRTMEM_CODE_PLUGIN_NOT_FOUND, "PLUGIN_NOT_FOUND"},
      {PJRTMEM_CODE_NOT_A_PLUGIN, "NOT_A_PLUGIN"},
      {PJRTMEM_CODE_VERSION_MISMATCH, "VERSION_MISMATCH"},
      {PJRTMEM_CODE_TABLE_TOO_SHORT, "TABLE_TOO_SHORT"},
      {PJRTMEM_CODE_OPTION_REFUSED, "OPTION_REFUSED"},
      {PJRTMEM_CODE_INVALID_HANDLE, "INVALID_HANDLE"},
      {PJRTMEM_CODE_STALE_HANDLE, "STALE_HANDLE"},
      {PJRTMEM_CODE_FORKED, "FORKED"},
      {PJRTMEM_CODE_PANIC, "PANIC"},
  };
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
    CHECK_STR(pjrtmem_code_name(codes[i].code), codes[i].name);
  CHECK_STR(pjrtmem_code_name(17), "UNKNOWN_CODE");
  CHECK_STR(pjrtmem_code_name(-1), "UNKNOWN_CODE");
  CHECK_STR(pjrtmem_code_name(INT32_MAX), "UNKNOWN_CODE");
}

/* Programs that were compiled with one version keep working: a number never changes its meaning. */
TEST(codes_keep_their_numbers) {
  CHECK_EQ(PJRTMEM_CODE_RESOURCE_EXHAUSTED, 8);
  CHECK_EQ(PJRTMEM_CODE_UNIMPLEMENTED, 12);
  CHECK_EQ(PJRTMEM_CODE_PLUGIN_NOT_FOUND, 100);
  CHECK_EQ(PJRTMEM_CODE_NOT_A_PLUGIN, 101);
  CHECK_EQ(PJRTMEM_CODE_VERSION_MISMATCH, 102);
  CHECK_EQ(PJRTMEM_CODE_TABLE_TOO_SHORT, 103);
  CHECK_EQ(PJRTMEM_CODE_OPTION_REFUSED, 104);
  CHECK_EQ(PJRTMEM_CODE_INVALID_HANDLE, 110);
  CHECK_EQ(PJRTMEM_CODE_STALE_HANDLE, 111);
  CHECK_EQ(PJRTMEM_CODE_FORKED, 120);
  CHECK_EQ(PJRTMEM_CODE_PANIC, 121);
}

TEST(version_is_three_numbers) {
  int major = -1, minor = -1, patch = -1;
  CHECK_EQ(sscanf(pjrtmem_version(), "%d.%d.%d", &major, &minor, &patch), 3);
  CHECK(major >= 0 && minor >= 0 && patch >= 0);
}

TEST(types_have_names_and_sizes) {
  static const struct {
    int32_t type;
    const char *name;
    size_t size; /* 0: refused */
  } types[] = {
      {PJRTMEM_TYPE_PRED, "PRED", 1},     {PJRTMEM_TYPE_S8, "S8", 1},     {PJRTMEM_TYPE_S16, "S16", 2},
      {PJRTMEM_TYPE_S32, "S32", 4},       {PJRTMEM_TYPE_S64, "S64", 8},   {PJRTMEM_TYPE_U8, "U8", 1},
      {PJRTMEM_TYPE_U16, "U16", 2},       {PJRTMEM_TYPE_U32, "U32", 4},   {PJRTMEM_TYPE_U64, "U64", 8},
      {PJRTMEM_TYPE_F16, "F16", 2},       {PJRTMEM_TYPE_F32, "F32", 4},   {PJRTMEM_TYPE_F64, "F64", 8},
      {PJRTMEM_TYPE_BF16, "BF16", 2},     {PJRTMEM_TYPE_C64, "C64", 8},   {PJRTMEM_TYPE_C128, "C128", 16},
      {PJRTMEM_TYPE_F8E5M2, "F8E5M2", 1}, {PJRTMEM_TYPE_F8E4M3, "F8E4M3", 1},
  };
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    size_t size = 0;
    CHECK_STR(pjrtmem_type_name(types[i].type), types[i].name);
    CHECK_OK(pjrtmem_type_size(types[i].type, &size));
    CHECK_EQ(size, types[i].size);
  }
  /* S4, U4, S2, U2, F4E2M1FN are packed on the device; TOKEN has no bytes; the rest is not a type. */
  static const int32_t refused[] = {21, 22, 24, 25, 29, 23, 0, 30, 31, -1, 1000, INT32_MIN, INT32_MAX};
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    size_t size = 77;
    pjrtmem_error *error = pjrtmem_type_size(refused[i], &size);
    int32_t code = pjrtmem_error_code(error);
    CHECK(code == PJRTMEM_CODE_INVALID_ARGUMENT || code == PJRTMEM_CODE_UNIMPLEMENTED);
    CHECK_EQ(size, 77);
    pjrtmem_error_free(error);
  }
  CHECK_STR(pjrtmem_type_name(0), "UNKNOWN");
  CHECK_STR(pjrtmem_type_name(-5), "UNKNOWN");
  CHECK_STR(pjrtmem_type_name(INT32_MAX), "UNKNOWN");
}

TEST(options_are_made_and_freed) {
  pjrtmem_options *options = NULL;
  int64_t list[] = {1, 2, 3};
  CHECK_OK(pjrtmem_options_new(&options));
  CHECK(options != NULL);
  CHECK_OK(pjrtmem_options_set_string(options, "text", "value"));
  CHECK_OK(pjrtmem_options_set_integer(options, "integer", INT64_MIN));
  CHECK_OK(pjrtmem_options_set_float(options, "float", 0.5f));
  CHECK_OK(pjrtmem_options_set_boolean(options, "boolean", true));
  CHECK_OK(pjrtmem_options_set_integers(options, "list", list, 3));
  CHECK_OK(pjrtmem_options_set_integers(options, "empty list", list, 0));
  pjrtmem_options_free(options);
  pjrtmem_options_free(NULL);
}

int main(int argc, char **argv) {
  check_start(argc, argv);
  RUN(null_is_success);
  RUN(an_error_has_a_code_and_a_message);
  RUN(codes_have_names);
  RUN(codes_keep_their_numbers);
  RUN(version_is_three_numbers);
  RUN(types_have_names_and_sizes);
  RUN(options_are_made_and_freed);
  return check_finish();
}
