/* Puts a record of measurements into device memory, moves it from one address space to another, gets it
 * back and compares every byte.
 *
 *     roundtrip [PLUGIN [FILE]]     PLUGIN: a name or a path, "cpu" if none is given
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pjrtmem.h>

/* Ends the program, saying why, unless the call succeeded. */
static void check(pjrtmem_error *error, const char *what) {
  if (!error) return;
  fprintf(stderr, "%s: %s: %s\n", what, pjrtmem_code_name(pjrtmem_error_code(error)),
          pjrtmem_error_message(error));
  pjrtmem_error_free(error);
  exit(1);
}

/* The CO2 column of the file; a week without a value is a NaN. Returns how many weeks there are. */
static size_t read_weeks(const char *path, double *weeks, size_t most) {
  char line[64];
  size_t count = 0;
  FILE *file = fopen(path, "r");
  if (!file || !fgets(line, sizeof line, file)) { /* the line of column names */
    fprintf(stderr, "%s cannot be read\n", path);
    exit(1);
  }
  while (count < most && fgets(line, sizeof line, file)) {
    const char *value = strchr(line, ',');
    char *end = NULL;
    if (!value) continue;
    weeks[count] = strtod(value + 1, &end);
    if (end == value + 1) weeks[count] = (double)NAN;
    count++;
  }
  fclose(file);
  return count;
}

/* FNV-1a, so that the same bytes show the same number wherever they are. */
static uint64_t checksum(const void *bytes, size_t count) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < count; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
  return hash;
}

static double mean(const double *weeks, size_t count) {
  double sum = 0;
  size_t measured = 0;
  for (size_t i = 0; i < count; i++) {
    if (isnan(weeks[i])) continue;
    sum += weeks[i];
    measured++;
  }
  return sum / (double)measured;
}

static void show_space(pjrtmem_space space) {
  pjrtmem_space_info info;
  info.struct_size = sizeof info;
  check(pjrtmem_get_space_info(space, &info), "describing an address space");
  printf("  space %" PRIu32 ": device %" PRId32 " (%s), memory %s%s\n", space, info.device_id,
         info.device_kind, info.memory_kind, info.host_visible ? ", host-visible" : "");
}

int main(int argc, char **argv) {
  static double weeks[4096], back[4096];
  const char *plugin = argc > 1 ? argv[1] : "cpu";
  size_t count = read_weeks(argc > 2 ? argv[2] : "examples/data/co2.csv", weeks, 4096);
  size_t bytes = count * sizeof *weeks;

  /* A client with two devices, so that there are two address spaces to move between. */
  pjrtmem_options *options;
  pjrtmem_client client;
  check(pjrtmem_options_new(&options), "making options");
  check(pjrtmem_options_set_integer(options, "cpu_device_count", 2), "setting an option");
  check(pjrtmem_load(plugin, options, &client), "loading the plugin");
  pjrtmem_options_free(options);

  pjrtmem_client_info info;
  info.struct_size = sizeof info;
  check(pjrtmem_get_client_info(client, &info), "describing the client");
  printf("plugin %s: platform %s, PJRT API %" PRId32 ".%" PRId32 ", %" PRIu32 " address spaces\n", plugin,
         info.platform_name, info.api_major, info.api_minor, info.space_count);

  pjrtmem_space here, there;
  check(pjrtmem_space_find(client, 0, NULL, &here), "finding the first device's memory");
  check(pjrtmem_space_find(client, 1, NULL, &there), "finding the second device's memory");
  show_space(here);
  show_space(there);

  /* Host -> first space -> second space -> host. */
  pjrtmem_buffer first, second;
  check(pjrtmem_alloc(here, PJRTMEM_TYPE_F64, count, &first), "allocating");
  check(pjrtmem_alloc(there, PJRTMEM_TYPE_F64, count, &second), "allocating");
  check(pjrtmem_copy_from_host(first, 0, weeks, bytes), "copying from the host");
  check(pjrtmem_copy(second, 0, first, 0, bytes), "copying between spaces");
  check(pjrtmem_free(first), "freeing"); /* what comes back can only come from the second space */
  check(pjrtmem_copy_to_host(second, 0, back, bytes), "copying to the host");
  check(pjrtmem_free(second), "freeing");

  printf("moved %zu weeks of CO2, %zu bytes: host -> space %" PRIu32 " -> space %" PRIu32 " -> host\n", count,
         bytes, here, there);
  printf("  sent     checksum %016" PRIx64 ", mean %.3f ppm\n", checksum(weeks, bytes), mean(weeks, count));
  printf("  received checksum %016" PRIx64 ", mean %.3f ppm\n", checksum(back, bytes), mean(back, count));

  if (count == 0 || memcmp(weeks, back, bytes) != 0) {
    printf("FAILED: the bytes differ\n");
    return 1;
  }
  printf("every byte came back\n");
  return 0;
}
