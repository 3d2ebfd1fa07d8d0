/* The end of a process, and a forked child. Each case is a process of its own: this program again, with
 * the name of the case. */
#include "check.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *self_path;

/* What a process left: its exit status (or 256 + the signal that ended it) and what it wrote to stderr. */
typedef struct outcome {
  int status;
  char errors[2000];
} outcome;

static outcome run_case(const char *name) {
  outcome result;
  int pipes[2];
  size_t used = 0;
  ssize_t count;
  memset(&result, 0, sizeof result);
  if (pipe(pipes) != 0) abort();
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) abort();
  if (child == 0) {
    dup2(pipes[1], 2);
    close(pipes[0]);
    close(pipes[1]);
    alarm(60); /* a process that hangs is ended and seen */
    execl(self_path, self_path, check_plugin, name, (char *)NULL);
    _exit(99);
  }
  close(pipes[1]);
  while (used < sizeof result.errors - 1 &&
         (count = read(pipes[0], result.errors + used, sizeof result.errors - 1 - used)) > 0)
    used += (size_t)count;
  close(pipes[0]);
  int status = 0;
  waitpid(child, &status, 0);
  result.status = WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

/* Takes out the lines that a plugin logs when it starts: "I0000 00:00:... file.cc:59] ..." and the line of
 * absl's before the first of them. */
static void remove_logs(char *text) {
  char *kept = text;
  for (char *line = text, *next; *line; line = next) {
    next = strchr(line, '\n');
    next = next ? next + 1 : line + strlen(line);
    if (strncmp(line, "I0000 ", 6) == 0 || strncmp(line, "WARNING: All log messages before absl", 37) == 0)
      continue;
    memmove(kept, line, (size_t)(next - line));
    kept += next - line;
  }
  *kept = '\0';
}

static void expect(const char *name, int status) {
  outcome result = run_case(name);
  if (result.status != status) CHECK_FAIL("%s ended with %d, expected %d", name, result.status, status);
  remove_logs(result.errors);
  if (result.errors[0]) CHECK_FAIL("%s wrote to stderr: %s", name, result.errors);
}

/* ---- the cases ---- */

static int with_live_buffers(void) {
  pjrtmem_space space = first_space(load(2));
  for (int i = 0; i < 1000; i++) bytes_in(space, 1000);
  return 41;
}

static int with_queued_buffers(void) {
  pjrtmem_space space = first_space(load(2));
  for (int i = 0; i < 1000; i++) CHECK_OK(pjrtmem_release(bytes_in(space, 1000)));
  return check_failures ? 1 : 42;
}

static pjrtmem_buffer late;

static void free_late(void) {
  pjrtmem_error *error = pjrtmem_free(late);
  pjrtmem_error_free(error);
}

/* A handler that runs after main, as a finalizer of a language does. */
static int freed_by_an_exit_handler(void) {
  late = bytes_in(first_space(load(2)), 1000);
  atexit(free_late);
  return 43;
}

static int after_exiting(void) {
  pjrtmem_space space = first_space(load(2));
  pjrtmem_buffer freed = bytes_in(space, 100), released = bytes_in(space, 100), another = 77;
  pjrtmem_exiting();
  CHECK_OK(pjrtmem_free(freed));
  CHECK_OK(pjrtmem_free(freed)); /* nothing is looked up any more */
  CHECK_OK(pjrtmem_release(released));
  pjrtmem_error *error = pjrtmem_alloc(space, PJRTMEM_TYPE_U8, 1, &another);
  CHECK(error != NULL);
  CHECK_EQ(another, 77);
  pjrtmem_error_free(error);
  /* Again, as an exit handler does it after the program did: no harm, and no waiting. */
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  pjrtmem_exiting();
  clock_gettime(CLOCK_MONOTONIC, &end);
  double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
  if (seconds > 0.5) CHECK_FAIL("the second call took %.2f s", seconds);
  return check_failures ? 1 : 44;
}

static int never_loaded(void) { return 45; }

static int by_exit_in_a_call_chain(void) {
  bytes_in(first_space(load(2)), 1000);
  exit(46);
}

static int by_quick_end(void) {
  bytes_in(first_space(load(2)), 1000);
  _exit(47);
}

/* Every call in a child that was made by fork: an error, at once. A plugin would hang. */
static int forked_calls(void) {
  pjrtmem_client client = load(2);
  pjrtmem_space space = first_space(client);
  pjrtmem_buffer buffer = bytes_in(space, 100);
  pid_t child = fork();
  if (child < 0) abort();
  if (child == 0) {
    uint8_t bytes[8] = {0};
    void *address = NULL;
    uint64_t device_address = 0;
    uint32_t number = 0;
    pjrtmem_buffer another = 77;
    pjrtmem_client_info client_out;
    pjrtmem_space_info space_out;
    pjrtmem_buffer_info buffer_out;
    pjrtmem_memory_info memory_out;
    client_out.struct_size = sizeof client_out;
    space_out.struct_size = sizeof space_out;
    buffer_out.struct_size = sizeof buffer_out;
    memory_out.struct_size = sizeof memory_out;
    alarm(30);
    CHECK_CODE(pjrtmem_alloc(space, PJRTMEM_TYPE_U8, 1, &another), PJRTMEM_CODE_FORKED);
    CHECK_CODE(pjrtmem_load(check_plugin, NULL, &client), PJRTMEM_CODE_FORKED);
    CHECK_CODE(pjrtmem_copy_from_host(buffer, 0, bytes, 1), PJRTMEM_CODE_FORKED);
    CHECK_CODE(pjrtmem_copy_to_host(buffer, 0, bytes, 1), PJRTMEM_CODE_FORKED);
    CHECK_CODE(pjrtmem_copy(buffer, 0, buffer, 1, 1), PJRTMEM_CODE_FORKED);
    CHECK_CODE(pjrtmem_fill(buffer, 0, 1, bytes, 1), PJRTMEM_CODE_FORKED);
    CHECK_CODE(pjrtmem_wait(buffer), PJRTMEM_CODE_FORKED);
    CHECK_CODE(pjrtmem_host_address(buffer, &address), PJRTMEM_CODE_FORKED);
    CHECK_CODE(pjrtmem_device_address(buffer, &device_address), PJRTMEM_CODE_FORKED);
    CHECK_CODE(pjrtmem_get_buffer_info(buffer, &buffer_out), PJRTMEM_CODE_FORKED);
    CHECK_CODE(pjrtmem_get_memory_info(space, &memory_out), PJRTMEM_CODE_FORKED);
    CHECK_CODE(pjrtmem_get_space_info(space, &space_out), PJRTMEM_CODE_FORKED);
    CHECK_CODE(pjrtmem_get_client_info(client, &client_out), PJRTMEM_CODE_FORKED);
    CHECK_CODE(pjrtmem_space_find(client, 0, NULL, &number), PJRTMEM_CODE_FORKED);
    CHECK_CODE(pjrtmem_space_count(&number), PJRTMEM_CODE_FORKED);
    CHECK_CODE(pjrtmem_retain(buffer), PJRTMEM_CODE_FORKED);
    CHECK_CODE(pjrtmem_reclaim(), PJRTMEM_CODE_FORKED);
    CHECK_CODE(pjrtmem_release(buffer), PJRTMEM_CODE_FORKED);
    CHECK_CODE(pjrtmem_free(buffer), PJRTMEM_CODE_FORKED);
    fflush(NULL);
    exit(check_failures ? 1 : 7); /* with the library's exit handlers, if it has any */
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  CHECK_OK(pjrtmem_free(buffer)); /* the parent goes on */
  return check_failures ? 1 : 48;
}

/* A child of a process that had loaded nothing is like any other process. */
static int forked_before_loading(void) {
  pid_t child = fork();
  if (child < 0) abort();
  if (child == 0) {
    alarm(50);
    CHECK_OK(pjrtmem_free(bytes_in(first_space(load(2)), 100)));
    exit(check_failures ? 1 : 7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 7 ? 49 : 1;
}

static const struct {
  const char *name;
  int (*run)(void);
  int status;
} cases[] = {
    {"with_live_buffers", with_live_buffers, 41},
    {"with_queued_buffers", with_queued_buffers, 42},
    {"freed_by_an_exit_handler", freed_by_an_exit_handler, 43},
    {"after_exiting", after_exiting, 44},
    {"never_loaded", never_loaded, 45},
    {"by_exit_in_a_call_chain", by_exit_in_a_call_chain, 46},
    {"by_quick_end", by_quick_end, 47},
    {"forked_calls", forked_calls, 48},
    {"forked_before_loading", forked_before_loading, 49},
};

static size_t current;

TEST(the_case) { expect(cases[current].name, cases[current].status); }

int main(int argc, char **argv) {
  self_path = argv[0];
  if (argc > 2) { /* one of the cases */
    check_plugin = argv[1];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
      if (strcmp(cases[i].name, argv[2]) == 0) return cases[i].run();
    return 98;
  }
  check_start(argc, argv);
  for (current = 0; current < sizeof cases / sizeof cases[0]; current++) check_run(cases[current].name, the_case);
  return check_finish();
}
