#!/bin/sh
# The tests in C under sanitizers that clang alone has.
#
#     sh scripts/sanitize.sh integer    undefined behaviour, conversions that lose, numbers of floating point that do not fit
#     sh scripts/sanitize.sh memory     what is read before it was written; libxml2, zlib and check are built in the same way
#
# Builds under build/sanitize-NAME. Exits with 0 if nothing is reported and all tests pass.
set -eu
check_options="-DCHECK_ENABLE_TESTS=OFF -DHAVE_SUBUNIT=OFF"
cd "$(dirname "$0")/.."
# shellcheck source=scripts/need.sh
. scripts/need.sh
# shellcheck source=scripts/debian_source.sh
. scripts/debian_source.sh

name=${1:?usage: sh scripts/sanitize.sh integer | memory}
need_build
need clang-19 has clang-19
need libclang-rt-19-dev test -e /usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.msan-x86_64.a
need check pkg-config --exists check
need dpkg-dev has dpkg-source
need python3 has python3
install_missing

folder=$PWD/build/sanitize-$name
libraries=""
case $name in
  # Defined, and meant: arithmetic modulo 2^64 in hashes and loops that count down; a rate of zero, whose time is infinite.
  integer) flags=-fsanitize=undefined,integer,float-cast-overflow,nullability
    flags="$flags -fno-sanitize=unsigned-integer-overflow,unsigned-shift-base -fno-sanitize-recover=all" ;;
  memory) flags="-fsanitize=memory -fsanitize-memory-track-origins -fno-omit-frame-pointer -fPIC" # zlib is linked into a shared library
    for library in libxml2 zlib check; do
      place=$PWD/build/sources/$library-memory
      debian_source bookworm $library "$place"
      # Debian leaves out what is for Windows; the build of zlib wants it all the same.
      [ $library != zlib ] || { mkdir -p "$place/source/win32" && touch "$place/source/win32/zlib1.rc"; }
      # Of check, which asks for timers in a way that the sanitizer does not know, it is enough that what it writes is known.
      [ $library != check ] || { echo 'src:*' >"$place/ignore" && check_options="$check_options -DCMAKE_C_FLAGS_RELEASE=-fsanitize-ignorelist=$place/ignore"; }
      # shellcheck disable=SC2086 # options
      cmake_install "$place" -DCMAKE_C_COMPILER=clang-19 "-DCMAKE_C_FLAGS=-g1 $flags" -DBUILD_SHARED_LIBS=OFF $(eval echo "\${${library}_options:-}")
    done
    ln -sf libcheck.a build/sources/check-memory/prefix/lib/libcheck_pic.a # the name that Debian's .pc file says
    export PKG_CONFIG_PATH=$PWD/build/sources/check-memory/prefix/lib/pkgconfig
    libraries="-DLIBXML2_INCLUDE_DIR=$PWD/build/sources/libxml2-memory/prefix/include/libxml2
      -DLIBXML2_LIBRARY=$PWD/build/sources/libxml2-memory/prefix/lib/libxml2.a
      -DZLIB_INCLUDE_DIR=$PWD/build/sources/zlib-memory/prefix/include -DZLIB_LIBRARY=$PWD/build/sources/zlib-memory/prefix/lib/libz.a" ;;
  *) echo "no such sanitizer: $name" >&2; exit 2 ;;
esac
# shellcheck disable=SC2086 # options
cmake -S . -B "$folder" -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_BUILD_TYPE=Debug -DPM_TESTS=ON -DPM_HARDEN=OFF -DPM_EXAMPLES=ON \
  "-DCMAKE_C_FLAGS=-O1 -g1 $flags" $libraries >/dev/null
cmake --build "$folder" -j "$(jobs)" >"$folder/build.log" 2>&1 || { grep -E 'error|warning|SUMMARY|Sanitizer' -A 12 "$folder/build.log" | head -60; exit 1; }
# Not the test that stands in front of malloc, where the sanitizer stands.
CK_TIMEOUT_MULTIPLIER=20 ctest --test-dir "$folder" --output-on-failure -j "$(jobs)" -L 'unit|golden|fuzz' -LE 'install|recipes|once' -E '^test_memory$'
