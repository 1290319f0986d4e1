#!/bin/sh
# Usage: check_symbols.sh BUILD_FOLDER
# Compares what the libraries, the laboratory's too, export with what the public headers declare, and looks into their objects:
# no calls that a library must not make, no state that can change. Fails with the difference.
set -eu
export LC_ALL=C
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:?usage: check_symbols.sh BUILD_FOLDER}
library=$build/libperfmodel/libperfmodel.so
lab=$build/lab/libperfmodel-lab.so
[ -f "$library" ] || { echo "symbols: $library is not there" >&2; exit 1; }
folders=$build/libperfmodel
[ ! -f "$lab" ] || folders="$folders $build/lab"
# shellcheck disable=SC2086 # two folders
objects=$(find $folders -path "$build/lab/load" -prune -o -name '*.o' -print)
[ -n "$objects" ] || { echo "symbols: no objects under $folders" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# compare LIBRARY HEADER...: what it exports is what these headers declare.
compare() {
  nm -D --defined-only "$1" | awk '{print $3}' | sort >"$scratch/exported"
  exported="${exported:-}$(wc -l <"$scratch/exported") "
  shift
  sed -n 's/^PM_API .*[ *]\(pm_[a-z_0-9]*\)(.*/\1/p' "$@" | sort -u >"$scratch/declared"
  if ! diff -u --label declared --label exported "$scratch/declared" "$scratch/exported" >&2; then
    echo "symbols: the public headers declare something else than the library exports" >&2
    failed=1
  fi
}
compare "$library" "$root"/libperfmodel/include/perfmodel.h "$root"/libperfmodel/include/perfmodel/*.h
[ ! -f "$lab" ] || compare "$lab" "$root"/lab/include/*.h

# Every function is kept for years: what a record field or a report answers needs none of its own.
core=$(nm -D --defined-only "$library" | wc -l)
[ "$core" -le 206 ] || { echo "symbols: the library exports $core functions, more than 206" >&2; failed=1; }

# The library is for programs that only predict: what it is without symbols, where it was built for release. 24 kB of it are the
# formulas of all fields of predictions, which explain.
if grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Release' "$build/CMakeCache.txt" && ! grep -q '^PM_SANITIZE[A-Z_]*:BOOL=ON' "$build/CMakeCache.txt"; then
  strip -o "$scratch/stripped" "$library"
  size=$(wc -c <"$scratch/stripped")
  [ "$size" -le 2760000 ] || { echo "symbols: the stripped library has $size bytes, more than 2,760,000" >&2; failed=1; }
fi

# A library never prints, ends the process, changes the locale or keeps hidden state.
# shellcheck disable=SC2086 # a list of paths that hold no spaces
if nm -u $objects | grep -wE 'v?f?printf|__v?f?printf_chk|puts|putchar|perror|abort|exit|_exit|quick_exit|atexit|setlocale|strtok|xmlCleanupParser|xmlSetGenericErrorFunc' >&2; then
  echo "symbols: the library calls what a library must not" >&2
  failed=1
fi
# Nor does any code copy text without saying how much room there is, or read numbers of any size.
if grep -rnwE '(strcpy|strcat|stpcpy|sprintf|vsprintf|gets|atoi|atol|atof)\(' --include='*.[chi]' "$root/libperfmodel/src" \
  "$root/libperfmodel/compile" "$root/lab" "$root/tools" "$root/bindings" >&2; then
  echo "symbols: a function without a limit" >&2
  failed=1
fi
for object in $objects; do
  size -A "$object" | awk -v name="$object" '
    ($1 ~ /^\.(bss|tbss|tdata)/ || ($1 ~ /^\.data/ && $1 !~ /^\.data\.rel\.ro/)) && $2 > 0 {
      print "symbols: " name " has " $2 " bytes of state that can change in " $1; bad = 1
    }
    END { exit bad }' >&2 || failed=1
done

echo "symbols: ${exported}exported, ${size:+$size bytes, }$(echo "$objects" | wc -l) objects, $([ $failed = 0 ] && echo ok || echo FAILED)"
exit $failed
