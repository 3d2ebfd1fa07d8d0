#!/usr/bin/env bash
# The Julia suite on one plugin, through Pkg.test.
#
#   test_julia.sh PLUGIN
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
if ! find_julia; then
  echo "SKIPPED: $no_julia"
  exit 0
fi
export PJRTMEM_TEST_PLUGIN=$1
run_julia --project=julia -e 'import Pkg; Pkg.test()'
