#!/bin/sh
# Builds the page in the browser from a build of the command: build/page/perfmodel.html, one file that works offline.
#
#     scripts/page.sh [BUILD]        BUILD: a build folder, build/test if none is given
#
# Brings from PyPI the compiler (ziglang), and from Debian the sources of libxml2 and zlib, which the page has inside.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=scripts/need.sh
. scripts/need.sh
# shellcheck source=scripts/debian_source.sh
. scripts/debian_source.sh
build=${1:-build/test}

need dpkg-dev has dpkg-source
install_missing
[ -e "$build/libperfmodel/catalog.c" ] || { echo "page: \"$build\" is no build of the command; run cmake --build first" >&2; exit 2; }
[ -x build/venv/bin/python ] || python3 -m venv build/venv
build/venv/bin/python -c 'import ziglang' 2>/dev/null ||
  build/venv/bin/python -m pip install --disable-pip-version-check -q ziglang
debian_source bookworm libxml2 "$PWD/build/sources/libxml2"
debian_source bookworm zlib "$PWD/build/sources/zlib"
build/venv/bin/python page/build.py "$build" --libxml2 build/sources/libxml2/source --zlib build/sources/zlib/source
