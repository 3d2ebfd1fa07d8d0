/* Deliberate bugs, one for each argument, to prove that a checker is on. Never part of a suite. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  const char *bug = argc > 1 ? argv[1] : "";
  volatile int zero = argc > 100; /* what the compiler cannot know */
  if (strcmp(bug, "heap-overflow") == 0) {
    volatile char *bytes = (volatile char *)malloc(8);
    if (!bytes) return 2;
    bytes[8 + zero] = 1;
    free((void *)bytes);
  } else if (strcmp(bug, "use-after-free") == 0) {
    volatile char *bytes = (volatile char *)malloc(8);
    if (!bytes) return 2;
    free((void *)bytes);
    bytes[zero] = 1;
  } else if (strcmp(bug, "signed-overflow") == 0) {
    volatile int most = INT_MAX - zero;
    most = most + 1;
    printf("%d\n", most);
  }
  return 0;
}
