# Sourced by the other scripts: finds out which Debian packages are missing, says so, and installs them.
#   need PACKAGE TEST...    notes the package unless the test succeeds
#   install_missing         installs what was noted, by apt-get as root or through sudo; does nothing if all is there
# shellcheck shell=sh
missing=""

need() {
  package=$1
  shift
  ("$@") >/dev/null 2>&1 || missing="$missing $package"
}

has() { command -v "$1"; }

cmake_is_new() {
  version=$(cmake --version | sed -n 's/^cmake version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
  # shellcheck disable=SC2086 # two words
  set -- $version
  [ "$1" -gt 3 ] || { [ "$1" -eq 3 ] && [ "$2" -ge 25 ]; }
}

c_compiles() { echo '#include <stdio.h>' | cc -E -; }

install_missing() {
  if [ -z "$missing" ]; then
    echo "Nothing to install: all that is needed is there."
    return 0
  fi
  echo "Installing with apt-get:$missing"
  if ! command -v apt-get >/dev/null; then
    echo "There is no apt-get here; please install the like of these yourself:$missing" >&2
    exit 1
  fi
  as_root=""
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "Neither root nor sudo; as root: apt-get install$missing" >&2; exit 1; }
    as_root=sudo
  fi
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 update
  # shellcheck disable=SC2086 # a list of names
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends \
    $missing
  missing=""
}

# What the library and the command need.
need_build() {
  need gcc has cc
  need libc6-dev c_compiles
  need cmake cmake_is_new
  need ninja-build has ninja
  need pkg-config has pkg-config
  need libxml2-dev pkg-config --exists libxml-2.0
  need zlib1g-dev pkg-config --exists zlib
}

jobs() { nproc 2>/dev/null || echo 1; }
