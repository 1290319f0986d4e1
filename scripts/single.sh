#!/bin/sh
# The library as perfmodel.c and perfmodel.h, in build/single, and its check: it compiles alone with gcc and with clang, and the
# example and the command on top of it print what those of a build print, of catalogue files and of wrong ones too.
#
#     scripts/single.sh BUILD [check]      BUILD: a build folder; without "check" the two files are all
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=scripts/need.sh
. scripts/need.sh
build=${1:-build/test}
[ -e "$build/libperfmodel/catalog.c" ] || { echo "single: \"$build\" is no build of the library; run cmake --build first" >&2; exit 2; }
place=$PWD/build/single
python3 scripts/amalgamate.py "$build" "$place"
[ "${2:-}" = check ] || exit 0

need gcc has gcc
need clang-19 has clang-19
install_missing

# numbers COMMAND: what it prints of all lines, with its errors.
numbers() {
  { grep -v '^validate' tests/same/commands.txt; cat tests/same/single.txt; } | while read -r line; do
    echo "\$ $line"
    # shellcheck disable=SC2086 # words
    "$1" $line 2>&1 || echo "exit $?"
  done
}

# refusals COMMAND: the lines that it refuses wrong files with; of what is no XML at all each reader has words of its own.
refusals() {
  for file in tests/hostile/*.xml; do
    words=$("$1" check "$file" 2>&1) && echo "$file is accepted"
    if grep -q '\.\.\.$' "${file%.xml}.error"; then words=$(echo "$words" | cut -d : -f 1-3); fi
    echo "$words"
  done
}

same() { cmp -s "$1" "$2" || { echo "$3 differ:" >&2; diff "$1" "$2" | head -n 20 >&2; exit 1; }; }

numbers "$build/tools/perfmodel" >"$place/numbers"
refusals "$build/tools/perfmodel" >"$place/refusals"
"$build/examples/first_numbers" >"$place/example"
for compiler in "gcc" "clang-19 -march=native"; do
  echo "$compiler -O2 -c perfmodel.c"
  # shellcheck disable=SC2086 # a compiler with a flag
  (cd "$place" && $compiler -O2 -c perfmodel.c 2>warnings && [ ! -s warnings ]) || { cat "$place/warnings" >&2; exit 1; }
  cc -O2 -I"$place" examples/first_numbers.c "$place/perfmodel.o" -lm -o "$place/first_numbers"
  cc -O1 -I"$place" -Ilab/include -Ilab/load tools/*.c lab/load/lab_load.c "$place/perfmodel.o" -lm -o "$place/perfmodel"
  "$place/first_numbers" >"$place/example.single"
  numbers "$place/perfmodel" >"$place/numbers.single"
  refusals "$place/perfmodel" >"$place/refusals.single"
  same "$place/example" "$place/example.single" "numbers of the example"
  same "$place/numbers" "$place/numbers.single" "numbers of the command"
  same "$place/refusals" "$place/refusals.single" "refusals of wrong files"
done
echo "equal: $(grep -c '^\$' "$place/numbers") commands, $(ls tests/hostile/*.xml | wc -l) wrong files"
