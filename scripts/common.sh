# shellcheck shell=bash disable=SC2034
# Sourced by the other scripts, whose variables these are: the tools, the places, and the one Julia.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
CARGO=${CARGO:-cargo}
PYTHON=${PYTHON:-python3}

# Where cargo puts what it builds. Everything else that is built goes there as well.
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target"
target=$(cd "$target" && pwd)

# An installation to build programs against, which `make stage` makes.
export PJRTMEM_STAGE=$target/stage

# Sets `julia` to the Julia to use. Where there is none it sets `no_julia` to the reason and returns 1.
find_julia() {
  local version
  julia=${JULIA:-julia}
  if ! command -v "$julia" >/dev/null; then
    no_julia="there is no $julia on PATH; put Julia 1.11 or newer there, or its path in JULIA"
    return 1
  fi
  version=$("$julia" --startup-file=no -e 'print(VERSION)') || version="broken"
  if ! [[ $version =~ ^([0-9]+)\.([0-9]+) ]] ||
    ((BASH_REMATCH[1] < 1 || (BASH_REMATCH[1] == 1 && BASH_REMATCH[2] < 11))); then
    no_julia="$julia is Julia $version; 1.11 or newer is needed"
    return 1
  fi
}

# Runs `julia` so that nothing of the user's takes part, nothing of theirs is changed and nothing is
# downloaded: the library that was built here, a depot of its own, and a registry without any package,
# because Pkg fetches the public one if it finds none. The colon at the end of the path stands for the
# depot that comes with Julia.
run_julia() {
  local depot=$target/julia-depot
  mkdir -p "$depot/registries/Empty"
  cat >"$depot/registries/Empty/Registry.toml" <<'TOML'
name = "Empty"
uuid = "7a1e5f3c-6f0d-4f0e-9d0f-3b1f5c2a9e10"
repo = ""

[packages]
TOML
  JULIA_DEPOT_PATH=$depot: JULIA_PKG_OFFLINE=true JULIA_PKG_SERVER='' JULIA_LOAD_PATH=@:@stdlib \
    PJRTMEM_LIBRARY=$PJRTMEM_STAGE/lib/libpjrtmem.so "$julia" --startup-file=no "$@"
}
