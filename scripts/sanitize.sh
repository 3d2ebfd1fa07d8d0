#!/usr/bin/env bash
# The C suite under AddressSanitizer and UndefinedBehaviorSanitizer, and under valgrind where there is one.
# First each checker is shown a program with a bug: a checker that says nothing about that is not on.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

plugin=${PLUGIN:-cpu}
"$PYTHON" scripts/fetch_plugin.py "$plugin" || exit 1
"$CARGO" build --release --workspace || exit 1
make --no-print-directory stage || exit 1
build=$target/sanitize
mkdir -p "$build"
export PJRTMEM_HOSTILE=$target/release/libpjrtmem_test_plugin.so
failed=0

# ---- AddressSanitizer and UndefinedBehaviorSanitizer ------------------------------------------------

sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
# Leaks are the counts' business (see the test plugin): the plugins keep much until the process ends.
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1

proof() { # NAME EXPECTED: the checker has to end the program and say this
  # shellcheck disable=SC2086 # several flags
  if ! "${CC:-cc}" -std=c99 -g $sanitizers -o "$build/bugs" tests/c/bugs.c; then
    echo "FAILED: the compiler has no sanitizers"
    return 1
  fi
  local said
  if said=$("$build/bugs" "$1" 2>&1) || [[ $said != *"$2"* ]]; then
    echo "FAILED: the sanitizers are not on: $1 went unnoticed"
    return 1
  fi
  echo "  ok      $1 is noticed: $2"
}

echo "== sanitizers are on"
if proof heap-overflow heap-buffer-overflow && proof use-after-free heap-use-after-free &&
  proof signed-overflow "signed integer overflow"; then
  echo "== C suite under AddressSanitizer and UndefinedBehaviorSanitizer"
  CFLAGS="${CFLAGS:-} $sanitizers" PJRTMEM_C_BUILD=$build/asan tests/c/run.sh "$plugin" || failed=1
else
  failed=1
fi

# ---- valgrind ---------------------------------------------------------------------------------------

echo "== valgrind"
if ! command -v valgrind >/dev/null; then
  echo "SKIPPED: valgrind is not installed"
  exit "$failed"
fi
valgrind=(valgrind --quiet --error-exitcode=97)
"${CC:-cc}" -std=c99 -g -O0 -o "$build/bugs" tests/c/bugs.c || exit 1
if "${valgrind[@]}" "$build/bugs" heap-overflow >/dev/null 2>&1 || [[ $? != 97 ]]; then
  echo "FAILED: valgrind is not on: heap-overflow went unnoticed"
  exit 1
fi
echo "  ok      heap-overflow is noticed"
PJRTMEM_RUNNER="${valgrind[*]}" PJRTMEM_C_BUILD=$build/valgrind tests/c/run.sh "$plugin" || failed=1
exit "$failed"
