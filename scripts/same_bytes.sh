#!/bin/sh
# The same bytes whatever computes them: the commands of tests/same/commands.txt, of which every number is printed with all
# its digits, by gcc at -O0, -O2 and -O3 for this processor, by clang at -O1, -O2 and -O3, with the libxml2 of Debian's
# development, and by builds for other machines under QEMU. Their libraries are Debian's packages, unpacked beside the build
# and not installed.
#
#     sh scripts/same_bytes.sh                    all that are listed below
#     sh scripts/same_bytes.sh gcc-O0 s390x ...   these, each against gcc at -O2
#
# Prints a line for each and exits with 0 if all are equal. Builds are under build/same.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=scripts/need.sh
. scripts/need.sh
# shellcheck source=scripts/debian_source.sh
. scripts/debian_source.sh

everything="gcc-O0 gcc-O3-native clang-O1 clang-O2 clang-O3 libxml2 i386 arm64 s390x"
wanted=${*:-$everything}
place=$PWD/build/same
mkdir -p "$place"

has_library() { ls "/usr/$1/lib/libc.so.6"; }

need_build
need python3 has python3
for name in $wanted; do
  case $name in
    clang-*) need clang-19 has clang-19 ;;
    libxml2) need dpkg-dev has dpkg-source ;;
    i386) need gcc-i686-linux-gnu has i686-linux-gnu-gcc; need libc6-dev-i386-cross has_library i686-linux-gnu ;;
    arm64) need gcc-aarch64-linux-gnu has aarch64-linux-gnu-gcc; need libc6-dev-arm64-cross has_library aarch64-linux-gnu ;;
    s390x) need gcc-s390x-linux-gnu has s390x-linux-gnu-gcc; need libc6-dev-s390x-cross has_library s390x-linux-gnu ;;
  esac
  case $name in i386 | arm64 | s390x) need qemu-user has qemu-s390x ;; esac
done
install_missing

# build NAME OPTION...: the command of that name.
build() {
  folder=$place/$1
  shift
  cmake -S . -B "$folder" -G Ninja "$@" >"$folder.log" 2>&1 && cmake --build "$folder" -j "$(jobs)" --target perfmodel_command >>"$folder.log" 2>&1 ||
    { tail -n 20 "$folder.log"; return 1; }
}

# numbers FILE COMMAND...: what the command prints of all lines, with its errors.
numbers() {
  out=$1
  shift
  while read -r line; do
    echo "\$ $line"
    # shellcheck disable=SC2086 # words
    "$@" $line 2>&1 || echo "exit $?"
  done <tests/same/commands.txt >"$out"
}

# sysroot ARCHITECTURE: unpacks the libraries of another machine, with lists of packages of our own.
sysroot() {
  root=$place/root-$1
  [ -e "$root/done" ] && return 0
  lists=$place/apt-$1
  mkdir -p "$root" "$lists/lists/partial" "$lists/cache/archives/partial"
  touch "$lists/status"
  options="-qq -o APT::Sandbox::User=root -o APT::Architecture=$1 -o APT::Architectures=$1 -o Dir::State=$lists
    -o Dir::State::status=$lists/status -o Dir::Cache=$lists/cache"
  # shellcheck disable=SC2086 # options
  apt-get $options update || echo "some lists could not be read again" >&2
  (cd "$lists/cache" && apt-get $options download libc6 libgcc-s1 libstdc++6 libxml2 libxml2-dev libicu72 liblzma5 zlib1g zlib1g-dev) &&
    for package in "$lists"/cache/*.deb; do dpkg -x "$package" "$root"; done && touch "$root/done"
}

# machine NAME ARCHITECTURE TRIPLE QEMU FLAGS
machine() {
  sysroot "$2" || return 1
  libraries=$root/usr/lib/$3
  [ -d "$libraries" ] || libraries=$root/usr/lib/$5
  search="-Wl,-rpath-link,$libraries -Wl,-rpath-link,$root/lib/${libraries##*/}"
  build "$1" -DCMAKE_SYSTEM_NAME=Linux "-DCMAKE_C_COMPILER=$3-gcc" "-DCMAKE_C_FLAGS=-O2 $6" -DCMAKE_BUILD_TYPE=None \
    "-DCMAKE_EXE_LINKER_FLAGS=$search" "-DCMAKE_SHARED_LINKER_FLAGS=$search" "-DLIBXML2_INCLUDE_DIR=$root/usr/include/libxml2" \
    "-DLIBXML2_LIBRARY=$libraries/libxml2.so" "-DZLIB_INCLUDE_DIR=$root/usr/include" "-DZLIB_LIBRARY=$root/lib/${libraries##*/}/libz.so.1" || return 1
  numbers "$place/$1.txt" "$4" -L "$root" -E "LD_LIBRARY_PATH=$place/$1/libperfmodel" "$place/$1/tools/perfmodel"
}

native() {
  name=$1
  shift
  build "$name" "$@" && numbers "$place/$name.txt" "$place/$name/tools/perfmodel"
}

# The newest libxml2, by its own build; then also what the library says of files that are wrong.
newer_libxml2() {
  folder=$PWD/build/sources/libxml2-sid
  # shellcheck disable=SC2086 # options
  debian_source sid libxml2 "$folder" && cmake_install "$folder" $libxml2_options &&
    native libxml2 -DCMAKE_BUILD_TYPE=Release -DPM_TESTS=ON "-DLIBXML2_INCLUDE_DIR=$folder/prefix/include/libxml2" \
      "-DLIBXML2_LIBRARY=$folder/prefix/lib/libxml2.so" &&
    cmake --build "$place/libxml2" -j "$(jobs)" --target unit_tests fuzz_catalog fuzz_document >>"$place/libxml2.log" &&
    ctest --test-dir "$place/libxml2" --output-on-failure -R 'test_(document|hostile|worst|catalog)|fuzz_(catalog|document)|golden'
}

native gcc-O2 -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O2
failures=0
for name in $wanted; do
  verdict="cannot be built or run"
  case $name in
    gcc-O0) native $name -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS=-O0 && verdict=done ;;
    gcc-O3-native) native $name -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_FLAGS=-O3 -march=native" && verdict=done ;;
    clang-*) native $name -DCMAKE_C_COMPILER=clang-19 -DCMAKE_BUILD_TYPE=None "-DCMAKE_C_FLAGS=-${name#clang-}" && verdict=done ;;
    libxml2) newer_libxml2 && verdict=done ;;
    i386) machine $name i386 i686-linux-gnu qemu-i386 i386-linux-gnu "-msse2 -mfpmath=sse -D_FILE_OFFSET_BITS=64" && verdict=done ;;
    arm64) machine $name arm64 aarch64-linux-gnu qemu-aarch64 aarch64-linux-gnu "" && verdict=done ;;
    s390x) machine $name s390x s390x-linux-gnu qemu-s390x s390x-linux-gnu "" && verdict=done ;;
    *) echo "no such build: $name" >&2; exit 2 ;;
  esac
  if [ "$verdict" = done ]; then
    verdict=$(python3 scripts/same_numbers.py "$place/gcc-O2.txt" "$place/$name.txt") || true
  fi
  # Of the same machine all bytes are equal; other machines' libraries round exp, log and pow otherwise.
  case $name:$verdict in *:"equal,"* | i386:equal* | arm64:equal* | s390x:equal*) ;; *) failures=$((failures + 1)) ;; esac
  echo "$name: $verdict"
done
exit $((failures > 0))
