#!/usr/bin/env bash
# Builds the C tests against an installed library and runs them with each plugin named.
#
#   run.sh PLUGIN...
#
# PJRTMEM_STAGE     the prefix that the library is installed under (default target/stage)
# PJRTMEM_HOSTILE   the test plugin's file; without it, what needs that plugin is skipped
# PJRTMEM_C_BUILD   where the programs are built (default target/c)
# CC, CFLAGS        as usual; CFLAGS comes after the flags here
# PJRTMEM_RUNNER    a command that each program is run under, such as valgrind
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
stage=${PJRTMEM_STAGE:-$root/target/stage}
build=${PJRTMEM_C_BUILD:-$root/target/c}
cache=${PJRTMEM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pjrtmem}
flags=(-std=c99 -D_POSIX_C_SOURCE=200809L -O1 -g -Wall -Wextra -Wpedantic -Werror)
read -ra more_flags <<<"${CFLAGS:-}"
read -ra runner <<<"${PJRTMEM_RUNNER:-}"

programs=(errors load spaces memory handles transfer threads exit null hostile)

mkdir -p "$build"
for program in "${programs[@]}"; do
  "${CC:-cc}" "${flags[@]}" "${more_flags[@]}" -I "$stage/include" -o "$build/$program" "$here/$program.c" \
    -L "$stage/lib" -Wl,-rpath,"$stage/lib" -lpjrtmem -pthread -ldl
done

# A function that no test calls is a function that nobody knows to work.
uncalled=$(comm -23 \
  <(nm -D --defined-only "$stage/lib/libpjrtmem.so" | awk '{print $NF}' | grep '^pjrtmem_' | sort -u) \
  <(for program in "${programs[@]}"; do nm -u "$build/$program"; done | awk '{print $NF}' | sed 's/@.*//' | sort -u))
if [[ -n $uncalled ]]; then
  printf 'FAILED: no C test calls %s\n' "$uncalled"
  exit 1
fi

all_failed=0
for plugin in "$@"; do
  passed=0 failed=0 skipped=0
  export PJRTMEM_TEST_REAL_PLUGIN=$cache/plugins/$plugin.so
  for program in "${programs[@]}"; do
    log=$build/$program.log
    status=0
    "${runner[@]}" "$build/$program" "$plugin" >"$log" 2>&1 || status=$?
    cat "$log"
    counts=$(sed -n "s/^$program, plugin .*: \([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped\$/\1 \2 \3/p" "$log")
    if [[ -z $counts ]]; then
      echo "  FAILED  $program ended with status $status before its summary"
      counts="0 1 0"
    fi
    read -r p f s <<<"$counts"
    if [[ $status != 0 && $f == 0 ]]; then
      echo "  FAILED  $program ended with status $status after its summary"
      f=1
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  done
  echo "C suite, plugin $plugin: $passed passed, $failed failed, $skipped skipped"
  all_failed=$((all_failed + failed))
done
[[ $all_failed == 0 ]]
