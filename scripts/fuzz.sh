#!/bin/sh
# Fuzzing by libFuzzer, led by coverage, under the address and undefined-behaviour sanitizers; one target at a time.
#
#     sh scripts/fuzz.sh SECONDS [TARGET...]    SECONDS in all, shared by the targets of tests/fuzz; begins where it ended
#
# What was found is in build/fuzz/found/TARGET, inputs that fail in build/fuzz/failed. A line for each target goes into
# docs/fuzzing.csv, of which scripts/reliability.py makes a table.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=scripts/need.sh
. scripts/need.sh

seconds=${1:?usage: sh scripts/fuzz.sh SECONDS [TARGET...]}
shift
[ $# -gt 0 ] || set -- $(ls tests/fuzz/fuzz_*.c | sed 's/.*fuzz_\(.*\)\.c/\1/')
need_build
need clang-19 has clang-19
need libclang-rt-19-dev test -e /usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.fuzzer-x86_64.a
need check pkg-config --exists check
install_missing

folder=$PWD/build/fuzz
checks=address,undefined,float-cast-overflow
cmake -S . -B "$folder/build" -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_BUILD_TYPE=Release -DPM_TESTS=ON -DPM_FUZZ=ON -DPM_LTO=OFF -DPM_HARDEN=OFF \
  -DPM_TOOL=OFF "-DCMAKE_C_FLAGS=-g1 -fsanitize=fuzzer-no-link,$checks -fno-sanitize-recover=undefined,float-cast-overflow" \
  "-DCMAKE_EXE_LINKER_FLAGS=-fsanitize=$checks" "-DCMAKE_SHARED_LINKER_FLAGS=-fsanitize=$checks" >/dev/null
# shellcheck disable=SC2046 # a list of targets
cmake --build "$folder/build" -j "$(jobs)" --target $(printf 'fuzz_%s ' "$@") >"$folder/build.log"

# Names of elements, kinds and attributes, which bytes put together by chance do not make.
find data -name '*.xml' -exec grep -ohE '</?[a-z_]+|[a-z_]+="' {} + | sort -u | sed 's/"/\\"/g; s/.*/"&"/' >"$folder/words"

# begin TARGET: what the fuzzer begins with, beside what it has found.
begin() {
  case $1 in
    catalog | document) find tests/hostile data -name '*.xml' -type f -size -64k ;;
    import) find tests/import -type f ;;
    traces) find tests/traces tests/settings -type f ;;
    json) find tests/traces tests/settings -name '*.json' ;;
  esac
  find "tests/fuzz/corpus/$1" -type f 2>/dev/null || true
}

failures=0
for name in "$@"; do
  found=$folder/found/$name
  mkdir -p "$found" "$folder/failed"
  begin "$name" | while read -r file; do cp "$file" "$found/begin-$(echo "$file" | tr '/ ' '__')"; done
  (
    status=0
    "$folder/build/tests/fuzz/fuzz_$name" -max_total_time=$((seconds / $#)) -max_len=65536 -timeout=20 -rss_limit_mb=3000 -dict="$folder/words" \
      -artifact_prefix="$folder/failed/$name-" -print_final_stats=1 "$found" >"$folder/$name.log" 2>&1 || status=$?
    times >"$folder/$name.times"
    exit $status
  ) || { failures=$((failures + 1)); tail -n 20 "$folder/$name.log"; }
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$name.log")
  edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$folder/$name.log" | tail -n 1)
  took=$(tail -n 1 "$folder/$name.times" | awk '{ split($1, at, "[ms]"); printf "%d", at[1] * 60 + at[2] }') # of the processor, not of the clock
  echo "$name: $took s, ${inputs:-0} inputs, ${edges:-0} edges covered"
  python3 scripts/reliability.py fuzzed "$name" $took "${inputs:-0}" "${edges:-0}" "$(find "$folder/failed" -name "$name-*" ! -name "*-slow-unit-*" | wc -l)"
done
exit $((failures > 0))
