#!/usr/bin/env bash
# The C example from an installation alone: `make install` into an empty prefix, build by what pkg-config
# says and nothing else, run; then uninstall, which has to leave nothing.
#
#   installed.sh PLUGIN
set -euo pipefail

plugin=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix

if ! command -v pkg-config >/dev/null; then
  echo "installed: 0 passed, 0 failed, 1 skipped: there is no pkg-config"
  exit 0
fi

fail() {
  echo "installed: FAILED: $1"
  exit 1
}

# A program somewhere else, with nothing of the repository in sight.
mkdir "$scratch/program"
cp "$root/examples/c/roundtrip.c" "$root/examples/data/co2.csv" "$scratch/program/"
make --no-print-directory -s -C "$root" install PREFIX="$prefix"
cd "$scratch/program"

export PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig
read -ra flags <<<"$(pkg-config --cflags --libs pjrtmem)"
"${CC:-cc}" -std=c99 -Wall -Wextra -Wpedantic -Werror -o roundtrip roundtrip.c "${flags[@]}"

version=$(pkg-config --modversion pjrtmem)
expected=$(sed -n '/^\[package\]/,/^\[/s/^version *= *"\(.*\)"/\1/p' "$root/Cargo.toml")
[[ $version == "$expected" ]] || fail "pkg-config says version $version, Cargo.toml $expected"

needed=$(readelf -d roundtrip | sed -n 's/.*(NEEDED).*\[\(libpjrtmem.*\)\]/\1/p')
[[ $needed == "libpjrtmem.so.${version%%.*}" ]] || fail "the program needs '$needed', not the soname"

LD_LIBRARY_PATH=$prefix/lib ./roundtrip "$plugin" co2.csv

# With DESTDIR the same files, elsewhere, that still say PREFIX.
make --no-print-directory -s -C "$root" install PREFIX=/opt/elsewhere DESTDIR="$scratch/package"
grep -qx 'prefix=/opt/elsewhere' "$scratch/package/opt/elsewhere/lib/pkgconfig/pjrtmem.pc" ||
  fail "the pkg-config file of a package has the wrong prefix"

make --no-print-directory -s -C "$root" uninstall PREFIX="$prefix"
left=$(find "$prefix" -not -type d)
[[ -z $left ]] || fail "uninstall left $left"

echo "installed: 1 passed, 0 failed, 0 skipped"
