#!/bin/sh
# Coverage of the library by its C tests, the cases of the command and the corpora of the fuzzers: lines, branches, and
# conditions that alone decide (MC/DC), by clang, which must be 18 or newer.
#
#     sh scripts/coverage.sh            all tests; prints a line for each file with what is missing, and the sums
#     sh scripts/coverage.sh fuzz       what the fuzzers alone reach in the readers of catalogue files; fails for a
#                                       branch that they do not reach and docs/fuzz_unreached.csv has no reason for
#     sh scripts/coverage.sh report     the same lines once more, of the run before
#
# Builds under build/coverage.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=scripts/need.sh
. scripts/need.sh

need_build
need clang-19 has clang-19
need llvm-19 has llvm-cov-19
need libclang-rt-19-dev has clang-19
need check pkg-config --exists check
need python3 has python3
install_missing

folder=$PWD/build/coverage
profiles=$folder/profiles
if [ "${1:-all}" = report ]; then
  python3 scripts/coverage.py all <"$folder/all.json"
  exit 0
fi
mkdir -p "$folder"
# Functions count by the names of their files without folders, and those of tools/ and tests/ have the same ones.
printf '[clang]\ndefault:skip\nsource:*/%s/src/*=allow\nsource:*/%s/src/*=allow\n' libperfmodel lab >"$folder/counted"
# PM_COUNTS_BLOCKS: test_worst and test_growth count the work of a build of their own, of which coverage would be a part.
cmake -S . -B "$folder" -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 \
  -DPM_TESTS=ON -DPM_HARDEN=OFF -DPM_COUNTS_BLOCKS=OFF \
  "-DCMAKE_C_FLAGS=-fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc -fprofile-list=$folder/counted" >/dev/null
cmake --build "$folder" -j "$(jobs)" >"$folder/build.log"
rm -rf "$profiles"
mkdir -p "$profiles"
export LLVM_PROFILE_FILE="$profiles/%4m.profraw" CK_TIMEOUT_MULTIPLIER=10
run() {
  # golden_output limits the size of files and faults lets calls fail, of profiles too: they fail, and what they reach counts.
  ctest --test-dir "$folder" -j "$(jobs)" "$@" >"$folder/ctest.log" ||
    grep -F '***' "$folder/ctest.log" | grep -vE ' (golden_output|faults) ' >&2 || true
}
if [ "${1:-all}" = all ]; then
  run -L 'unit|golden|fuzz'
  run -L measured -LE slow
else
  run -L fuzz
fi
llvm-profdata-19 merge -o "$folder/merged.profdata" "$profiles"/*.profraw

# The same object files are in each of these; every function counts once.
objects="$folder/tests/unit_tests"
for program in "$folder"/libperfmodel/libperfmodel.so "$folder"/lab/libperfmodel-lab.so "$folder"/tests/fuzz/fuzz_* "$folder"/tests/memory/test_memory; do
  [ ! -x "$program" ] || [ -d "$program" ] || objects="$objects -object $program"
done
# shellcheck disable=SC2086 # words
llvm-cov-19 export -skip-functions -skip-expansions -show-mcdc-summary -instr-profile "$folder/merged.profdata" $objects \
  -ignore-filename-regex '/(tests|tools|build|compile)/' >"$folder/${1:-all}.json"
python3 scripts/coverage.py "${1:-all}" <"$folder/${1:-all}.json"
