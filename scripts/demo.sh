#!/usr/bin/env bash
# Runs the two examples: real data into device memory, between two address spaces, and back.
#
#   demo.sh PLUGIN
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
plugin=$1

echo
echo "== C"
mkdir -p "$target/examples"
"${CC:-cc}" -std=c99 -Wall -Wextra -O2 -I "$PJRTMEM_STAGE/include" -o "$target/examples/roundtrip" \
  examples/c/roundtrip.c -L "$PJRTMEM_STAGE/lib" -Wl,-rpath,"$PJRTMEM_STAGE/lib" -lpjrtmem
"$target/examples/roundtrip" "$plugin"

echo
echo "== Julia"
if find_julia; then
  run_julia --project=julia examples/julia/roundtrip.jl "$plugin"
else
  echo "THE JULIA EXAMPLE DID NOT RUN: $no_julia"
fi
