#!/usr/bin/env bash
# Licences, advisories and sources of the Rust dependencies, by deny.toml.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
if ! "$CARGO" deny --version >/dev/null 2>&1; then
  echo "SKIPPED: cargo-deny is not installed (cargo install --locked cargo-deny)"
  exit 0
fi
"$CARGO" deny --workspace check
