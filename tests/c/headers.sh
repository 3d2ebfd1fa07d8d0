#!/usr/bin/env bash
# The header by itself and included twice, as C99, C11 and C++17, without one warning.
#
#   headers.sh INCLUDE_DIRECTORY
set -euo pipefail

include=$1
warnings=(-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$include")
source=$'#include <pjrtmem.h>\n#include <pjrtmem.h>\nextern int nothing; int nothing;\n'
passed=0 failed=0 skipped=0

check() { # STANDARD COMPILER ARGUMENT...
  local standard=$1
  shift
  if ! command -v "$1" >/dev/null; then
    echo "  skipped header as $standard: there is no $1"
    skipped=$((skipped + 1))
  elif "$@" "-std=$standard" "${warnings[@]}" - <<<"$source"; then
    echo "  ok      header as $standard"
    passed=$((passed + 1))
  else
    echo "  FAILED  header as $standard"
    failed=$((failed + 1))
  fi
}

echo "headers"
check c99 "${CC:-cc}" -x c
check c11 "${CC:-cc}" -x c
check c++17 "${CXX:-c++}" -x c++
echo "headers: $passed passed, $failed failed, $skipped skipped"
[[ $failed == 0 ]]
