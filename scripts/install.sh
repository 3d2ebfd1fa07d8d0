#!/usr/bin/env bash
# Puts the library, the header and a pkg-config file under DESTDIR and PREFIX, or takes them away.
#
#   install.sh install|uninstall LIBRARY
#
# LIBRARY is the file that cargo built. PREFIX is /usr/local if unset; DESTDIR, if set, goes before it in
# paths that are written to, and not into any file.
set -euo pipefail

action=$1 library=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
prefix=${PREFIX:-/usr/local}
to=${DESTDIR:-}$prefix
# The one place that has the version.
version=$(sed -n '/^\[package\]/,/^\[/s/^version *= *"\(.*\)"/\1/p' "$root/Cargo.toml")
major=${version%%.*}

if [[ $prefix != /* ]]; then
  echo "install: PREFIX=$prefix is no absolute path" >&2
  exit 1
fi

# Programs find libpjrtmem.so when they are linked and libpjrtmem.so.MAJOR, its soname, when they run.
file=libpjrtmem.so.$version
links=("libpjrtmem.so.$major" libpjrtmem.so)

case $action in
install)
  mkdir -p "$to/lib/pkgconfig" "$to/include"
  install -m 755 "$library" "$to/lib/$file"
  for link in "${links[@]}"; do
    ln -sfn "$file" "$to/lib/$link"
  done
  install -m 644 "$root/include/pjrtmem.h" "$to/include/pjrtmem.h"
  sed -e "s|@PREFIX@|$prefix|" -e "s|@VERSION@|$version|" "$root/scripts/pjrtmem.pc.in" \
    >"$to/lib/pkgconfig/pjrtmem.pc"
  ;;
uninstall)
  rm -f "$to/lib/$file" "${links[@]/#/$to/lib/}" "$to/include/pjrtmem.h" "$to/lib/pkgconfig/pjrtmem.pc"
  ;;
*)
  echo "install: $action is neither install nor uninstall" >&2
  exit 1
  ;;
esac
