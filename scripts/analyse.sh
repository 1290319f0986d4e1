#!/bin/sh
# What compilers and analysers find in the library and the command without running them: gcc -fanalyzer, clang's warnings, clang's
# analyser, cppcheck. Each finding is printed; those that were looked into and are none stand in scripts/analyse.txt with the
# reason, as FILE: CHECK: REASON.
#
#     sh scripts/analyse.sh [gcc | warnings | clang | cppcheck]...     all unless told
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=scripts/need.sh
. scripts/need.sh

need_build
need clang-19 has clang-19
need cppcheck has cppcheck
install_missing
[ $# -gt 0 ] || set -- gcc warnings clang cppcheck

folder=$PWD/build/analyse
mkdir -p "$folder"

# Of clang's warnings not these: constants are enumerators, and records keep a choice as int32_t, whatever sign the compiler
# gives its enumeration; other changes of sign are errors of gcc in every build.
no_findings='\[-W(enum-float-conversion|sign-conversion)\]'

# commands NAME OPTION...: how everything is compiled, and what has to be there before
commands() {
  name=$1
  shift
  cmake -S . -B "$folder/$name" -G Ninja -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DPM_HARDEN=OFF "$@" >/dev/null
}

run() {
  case $1 in
    gcc) commands gcc -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS=-O1 -fanalyzer -DPM_ANALYSIS -Wno-unused-value"
      cmake --build "$folder/gcc" -j "$(jobs)" --clean-first 2>&1 ;;
    warnings) commands warnings -DCMAKE_C_COMPILER=clang-19 -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_FLAGS=-isystem $PWD/scripts/analyse -Wdouble-promotion -Wshadow -Wconversion"
      cmake --build "$folder/warnings" -j "$(jobs)" --clean-first 2>&1 ;;
    clang) # shellcheck disable=SC2046 # words
      find libperfmodel/src libperfmodel/compile lab tools -name '*.c' -print0 | xargs -0 -P "$(jobs)" -n 1 clang-19 --analyze --analyzer-output text \
        -std=c11 -DPM_ANALYSIS -DPM_BUILDING -D_DEFAULT_SOURCE $(pkg-config --cflags libxml-2.0) -Ilibperfmodel/include -Ilibperfmodel/src -Ilab/include -Ilab/src -Ilab/load -Itools 2>&1 ;;
    cppcheck) cppcheck --std=c11 -Ilibperfmodel/include -Ilibperfmodel/src -Ilab/include -Ilab/src -Ilab/load -Itools --enable=warning,portability --quiet -j "$(jobs)" \
        --template='{file}:{line}:{column}: warning: {message} [{id}]' libperfmodel/src libperfmodel/compile lab tools 2>&1 ;;
    *) echo "no such analyser: $1" >&2; exit 2 ;;
  esac
}

failures=0
for name in "$@"; do
  run "$name" >"$folder/$name.log" || { tail -n 20 "$folder/$name.log"; failures=$((failures + 1)); }
  found=$(grep -E '^[^ ]+:[0-9]+:[0-9]+: (warning|error):' "$folder/$name.log" | grep -vE "$no_findings" | sed "s|^$PWD/||; s|^\.\./||" | sort -u |
    awk -F': ' 'FNR == NR { explained[$1 $2]; next }
      { file = check = $0; sub(/:.*/, "", file); sub(/.*\[/, "", check); sub(/\].*/, "", check) } !(file check in explained)' scripts/analyse.txt -)
  count=$(printf '%s' "$found" | grep -c '' || true)
  echo "$name: $count findings"
  [ "$count" -eq 0 ] || { echo "$found"; failures=$((failures + 1)); }
done
exit $((failures > 0))
