#!/bin/sh
# Usage: test_install.sh SOURCE_FOLDER BUILD_FOLDER
# Installs the build into a prefix, moves it, and uses it from there as a stranger would: C by pkg-config, C by CMake,
# the header in every language standard, the command, and Lua. Then once more with a static library.
set -eu
source=${1:?usage: test_install.sh SOURCE_FOLDER BUILD_FOLDER}
build=${2:?usage: test_install.sh SOURCE_FOLDER BUILD_FOLDER}
consumer=$source/tests/install/consumer
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset LD_LIBRARY_PATH LUA_PATH LUA_CPATH || true

fail() { echo "install: $*" >&2; exit 1; }
say() { echo "install: $*"; }

# quietly WHAT COMMAND...: runs it; its output is shown only if it fails.
quietly() {
  what=$1
  shift
  "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "$what"; }
}

# install_moved BUILD PREFIX: installs, and moves the tree, which has to work where it ends up.
install_moved() {
  quietly "cmake --install" cmake --install "$1" --prefix "$scratch/first"
  mv "$scratch/first" "$2"
}

# consumers PREFIX: builds and runs a C program by pkg-config and by CMake; leaves their number in $scratch/c.
consumers() {
  pc=$(find "$1" -name perfmodel.pc)
  PKG_CONFIG_PATH=$(dirname "$pc")
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046 # flags are words
  cc -std=c99 "$consumer/consumer.c" $(pkg-config --cflags --libs perfmodel) -o "$scratch/by_pkg_config"
  LD_LIBRARY_PATH=$(pkg-config --variable=libdir perfmodel) "$scratch/by_pkg_config" >"$scratch/c"
  quietly "find_package" cmake -G Ninja -S "$consumer" -B "$scratch/by_cmake" "-DCMAKE_PREFIX_PATH=$1" \
    "-DWANTED_VERSION=$header_version"
  quietly "building with CMake" cmake --build "$scratch/by_cmake"
  "$scratch/by_cmake/consumer" | cmp - "$scratch/c" || fail "by CMake and by pkg-config the numbers differ"
  rm -rf "$scratch/by_cmake"
}

header_version=$(sed -n 's/^#define PM_VERSION "\([^"]*\)".*/\1/p' "$source/libperfmodel/include/perfmodel.h")
prefix=$scratch/moved/prefix
mkdir "$scratch/moved"
install_moved "$build" "$prefix"
consumers "$prefix"
say "C by pkg-config and by CMake: $(cat "$scratch/c") samples/s"

if grep -q '^PM_LAB:BOOL=ON' "$build/CMakeCache.txt"; then
  cat >"$scratch/lab.c" <<'C'
#include <stdio.h>
#include <perfmodel-lab.h>
int main(void) { return puts(pm_validation_get_set(0)) < 0; }
C
  # shellcheck disable=SC2046 # flags are words
  cc -std=c99 "$scratch/lab.c" $(pkg-config --cflags --libs perfmodel-lab) -o "$scratch/lab"
  [ "$(LD_LIBRARY_PATH=$(pkg-config --variable=libdir perfmodel) "$scratch/lab")" = statements ] || fail "the laboratory"
  "$prefix/bin/perfmodel" validate --set storage -q >"$scratch/validated"
  mv "$(pkg-config --variable=libdir perfmodel)/libperfmodel-lab.so.$(echo "$header_version" | cut -d. -f1,2)" "$scratch/away"
  "$prefix/bin/perfmodel" validate -q 2>"$scratch/without" && fail "validate without the laboratory"
  grep -q "need the library perfmodel-lab" "$scratch/without" || fail "validate without the laboratory: $(cat "$scratch/without")"
  mv "$scratch/away" "$(pkg-config --variable=libdir perfmodel)/libperfmodel-lab.so.$(echo "$header_version" | cut -d. -f1,2)"
  say "the laboratory by pkg-config, by the command, and its absence"
fi

[ "$(pkg-config --modversion perfmodel)" = "$header_version" ] || fail "perfmodel.pc is of another version"

include=$(pkg-config --cflags perfmodel)
cat >"$scratch/header.c" <<'C'
#include <perfmodel.h>
int main(void) { pm_error error = PM_ERROR_NONE; return error.status; }
C
for standard in c99 c11 c17; do
  # shellcheck disable=SC2086
  cc -std=$standard -Wall -Wextra -Wpedantic -Werror $include -fsyntax-only "$scratch/header.c"
done
if command -v c++ >/dev/null; then
  # shellcheck disable=SC2086
  c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror $include -fsyntax-only -x c++ "$scratch/header.c"
  say "the header compiles as C99, C11, C17 and C++17"
else
  say "the header compiles as C99, C11 and C17; no C++ compiler here"
fi

for file in perfmodel.xsd examples/published.csv examples/first_numbers.c; do
  [ -s "$prefix/share/perfmodel/$file" ] || fail "no $file in $prefix/share/perfmodel"
done
command=$prefix/bin/perfmodel
if [ -x "$command" ]; then
  "$command" --manual | cmp - "$prefix/share/man/man1/perfmodel.1" || fail "the manual page is of another command"
  "$command" --completion | cmp - "$prefix/share/bash-completion/completions/perfmodel" ||
    fail "the completion is of another command"
  if grep -q '^PM_HARDEN:BOOL=ON' "$build/CMakeCache.txt" && ! grep -q '^PM_SANITIZE[A-Z_]*:BOOL=ON' "$build/CMakeCache.txt"; then
    sh "$source/scripts/check_hardening.sh" "$command" "$(find "$prefix" -name 'libperfmodel.so.*.*' -type f)" || fail "guards"
    say "library and command have their guards"
  fi
  "$command" sweep resnet50 dgx1-v100 --gpus 8 --batch 64 --precision fp16 --format csv >"$scratch/csv"
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "throughput [1/s]") column = i }
           NR == 2 { printf "%.17g\n", $column }' "$scratch/csv" | cmp - "$scratch/c" ||
    fail "the command gives another number: $(cat "$scratch/csv")"
  say "the command gives the same number"
elif grep -q '^PM_TOOL:BOOL=ON' "$build/CMakeCache.txt"; then
  fail "no command in $prefix/bin"
fi

core=$(find "$prefix" -path '*/perfmodel/core.so')
if [ -n "$core" ]; then
  version=$(basename "$(dirname "$(dirname "$core")")")
  lua=$(command -v "lua$version" || command -v lua || command -v luajit) || fail "no Lua interpreter"
  cat >"$scratch/predict.lua" <<'LUA'
local pm = require "perfmodel"
local p = pm.predict{network = "resnet50", system = "dgx1-v100", gpus = 8, batch = 64, precision = "fp16"}
print(string.format("%.17g", p.throughput))
LUA
  LUA_PATH="$prefix/share/lua/$version/?.lua" LUA_CPATH="${core%/perfmodel/core.so}/?.so" \
    "$lua" "$scratch/predict.lua" | cmp - "$scratch/c" || fail "Lua gives another number"
  say "Lua $version gives the same number"
elif grep -q '^PM_LUA:BOOL=ON' "$build/CMakeCache.txt"; then
  fail "no Lua module in $prefix"
fi

quietly "configuring a static library" cmake -G Ninja -S "$source" -B "$scratch/static" -DBUILD_SHARED_LIBS=OFF \
  -DCMAKE_BUILD_TYPE=Debug -DPM_TOOL=OFF
quietly "building a static library" cmake --build "$scratch/static" -j 2
mv "$scratch/c" "$scratch/shared"
install_moved "$scratch/static" "$scratch/moved/static"
consumers "$scratch/moved/static"
cmp "$scratch/c" "$scratch/shared" || fail "the static library gives another number"
say "the static library gives the same number"
echo "install: ok"
