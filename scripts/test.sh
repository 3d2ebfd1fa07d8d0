#!/usr/bin/env bash
# Every suite on every plugin. Each suite runs whatever happened to the ones before it; the last line of
# each is its runner's own summary, and a table of all of them comes at the end.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

table=()
failed=0

suite() { # NAME COMMAND...
  local name=$1
  shift
  echo
  echo "== $name"
  if "$@"; then
    table+=("passed   $name")
  else
    table+=("FAILED   $name")
    failed=1
  fi
}

skip() { # NAME WHY
  echo
  echo "== $1"
  echo "SKIPPED: $2"
  table+=("SKIPPED  $1: $2")
}

# ---- set-up: without it nothing below means anything ------------------------------------------------

"$PYTHON" scripts/fetch_plugin.py --all || exit 1
mapfile -t plugins < <("$PYTHON" scripts/fetch_plugin.py --names)
"$CARGO" build --release --workspace || exit 1
make --no-print-directory stage || exit 1
export PJRTMEM_C_BUILD=$target/c
export PJRTMEM_HOSTILE=$target/release/libpjrtmem_test_plugin.so
PJRTMEM_TEST_PLUGINS=$(IFS=, && echo "${plugins[*]}")
export PJRTMEM_TEST_PLUGINS

# ---- the suites -------------------------------------------------------------------------------------

if "$CARGO" fmt --version >/dev/null 2>&1; then
  suite "Rust format" "$CARGO" fmt --all --check
else
  skip "Rust format" "rustfmt is not installed (rustup component add rustfmt)"
fi
if "$CARGO" clippy --version >/dev/null 2>&1; then
  suite "Rust lints" "$CARGO" clippy --workspace --all-targets --quiet -- -D warnings
else
  skip "Rust lints" "clippy is not installed (rustup component add clippy)"
fi
if command -v shellcheck >/dev/null; then
  suite "shell lints" shellcheck -x -P SCRIPTDIR .ci/run scripts/*.sh tests/c/*.sh
else
  skip "shell lints" "shellcheck is not installed"
fi

suite "scripts" "$PYTHON" -m unittest discover -s scripts
# Its tests look for the test plugin where this puts it.
"$CARGO" build --workspace || exit 1
suite "Rust, plugins ${plugins[*]}" "$CARGO" test --workspace --quiet
suite "C headers" tests/c/headers.sh include
for plugin in "${plugins[@]}"; do
  suite "C, plugin $plugin" tests/c/run.sh "$plugin"
done
suite "C example, installed" tests/c/installed.sh "${plugins[0]}"

if find_julia; then
  for plugin in "${plugins[@]}"; do
    suite "Julia, plugin $plugin" scripts/test_julia.sh "$plugin"
  done
  suite "Julia example" run_julia --project=julia examples/julia/roundtrip.jl "${plugins[0]}"
else
  skip "Julia" "$no_julia"
fi

echo
echo "== all suites"
printf '%s\n' "${table[@]}"
exit "$failed"
