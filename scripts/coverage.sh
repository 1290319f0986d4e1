#!/bin/sh
# Coverage of the library by its C tests, the cases of the command and the corpora of the fuzzers: lines, branches, and
# conditions that alone decide (MC/DC), by clang, which must be 18 or newer.
#
#     sh scripts/coverage.sh            all tests; prints a line for each file with what is missing, and the sums
#     sh scripts/coverage.sh fuzz       what the fuzzers alone reach in the readers of catalogue files
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
  python3 scripts/coverage.py all <"$folder/coverage.json"
  exit 0
fi
cmake -S . -B "$folder" -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_BUILD_TYPE=Debug -DPM_TESTS=ON -DPM_HARDEN=OFF \
  "-DCMAKE_C_FLAGS=-O1 -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc" >/dev/null
cmake --build "$folder" -j "$(jobs)" >"$folder/build.log"
rm -rf "$profiles"
mkdir -p "$profiles"
export LLVM_PROFILE_FILE="$profiles/%4m.profraw" CK_TIMEOUT_MULTIPLIER=10
tests="-L unit|golden|fuzz -LE once"
[ "${1:-all}" = all ] || tests="-L fuzz"
# shellcheck disable=SC2086 # words
ctest --test-dir "$folder" -j "$(jobs)" $tests >"$folder/ctest.log" || grep 'Failed' "$folder/ctest.log" >&2 # a test wants small files
llvm-profdata-19 merge -o "$folder/all.profdata" "$profiles"/*.profraw

# The same object files are in each of these; every function counts once.
objects="$folder/tests/unit_tests"
for program in "$folder"/libperfmodel/libperfmodel.so "$folder"/lab/libperfmodel-lab.so "$folder"/tests/fuzz/fuzz_* "$folder"/tests/memory/test_memory; do
  [ ! -x "$program" ] || [ -d "$program" ] || objects="$objects -object $program"
done
# shellcheck disable=SC2086 # words
llvm-cov-19 export -summary-only -show-mcdc-summary -instr-profile "$folder/all.profdata" $objects \
  -ignore-filename-regex '/(tests|tools|build|compile)/' >"$folder/coverage.json"
python3 scripts/coverage.py "${1:-all}" <"$folder/coverage.json"
