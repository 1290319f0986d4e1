#!/bin/sh
# Runs the checks: installs what they need, builds under build/, and ends with one line for each.
#
#     scripts/test.sh            every check: what has to pass; under 20 minutes on two idle cores
#     scripts/test.sh quick      without what takes long: under a minute once everything is built
#     scripts/test.sh full       what has to pass, comparisons with packages of others as they are today, and every row of
#                                docs/reliability.md, which is written again: coverage, changed code, other machines, two builds
#
# Exit code 0 only if all pass, also where the cores have other work; then it takes longer, and the seconds of the
# processor say what it would take without. A second run builds only what changed. One test alone: see CONTRIBUTING.md.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=scripts/need.sh
. scripts/need.sh

amount=${1:-all}
case $amount in
  all | quick | full) ;;
  *) echo "usage: scripts/test.sh [quick | full]" >&2; exit 2 ;;
esac

python_has_venv() { python3 -c 'import ensurepip, venv'; }
python_has_headers() { python3 -c 'import os, sysconfig as s; os.stat(s.get_path("include") + "/Python.h")'; }

echo "== What is needed"
need_build
need g++ has c++
need ccache has ccache
need check pkg-config --exists check
need swig has swig
need liblua5.4-dev pkg-config --exists lua5.4
need lua5.4 has lua5.4
need libxml2-utils has xmllint
need binutils has nm
need python3 has python3
need python3-venv python_has_venv
need python3-dev python_has_headers
install_missing
# A chroot may lack what the sanitizers read of a process.
[ -e /proc/self/maps ] || mount -t proc proc /proc ||
  { echo "/proc is not there, which the sanitizers read" >&2; exit 1; }

venv=$PWD/build/venv
python=$venv/bin/python
logs=$PWD/build/logs
mkdir -p "$logs"
rm -f "$logs"/* "$logs"/.[a-z]*
: >"$logs/summary"
failures=0

# What is compiled twice alike, for the tests and for pip, is compiled once.
export CMAKE_C_COMPILER_LAUNCHER=ccache

# closing_line LOG: what the test runner says at its end.
closing_line() {
  grep -E -e '^[0-9]+% tests passed|^[0-9]+%: Checks|^(floors|headers|symbols):' \
    -e '[0-9]+ (passed|failed|error).* in [0-9.]+s' "$1" | tail -n 2 | sed 's/^=* *//; s/ *=*$//' | paste -sd ' ' -
}

# processor_seconds NAME: what the commands of a check took of the processor, from what `times` said before and after.
processor_seconds() {
  awk 'FNR == 2 { gsub(/[ms]/, " "); sum[++n] = $1 * 60 + $2 + $3 * 60 + $4 }
    END { print int(sum[2] - sum[1] + 0.5) }' "$logs/.before-$1" "$logs/.after-$1"
}

# measure NAME COMMAND...: runs a check, keeps its output, and writes its line into .NAME; fails if the check does.
measure() {
  name=$1
  shift
  start=$(date +%s)
  times >"$logs/.before-$name"
  if "$@" >"$logs/$name" 2>&1; then verdict=PASS; else verdict=FAIL; fi
  seconds=$(($(date +%s) - start))
  times >"$logs/.after-$name"
  printf '%s  %-12s %4ss, %4ss of the processor  %s\n' $verdict "$name" $seconds "$(processor_seconds "$name")" \
    "$(closing_line "$logs/$name")" >"$logs/.$name"
  [ $verdict = PASS ]
}

# show NAME: what came out of a check that was measured; goes on after a failure.
show() {
  echo
  echo "== $1"
  cat "$logs/.$1" >>"$logs/summary"
  if grep -q '^PASS' "$logs/.$1"; then
    tail -n 4 "$logs/$1"
  else
    failures=$((failures + 1))
    tail -n 200 "$logs/$1"
  fi
}

# step NAME COMMAND...
step() {
  measure "$@" || true
  show "$1"
}

# A check that runs beside others, since it waits for the net more than it computes: begin NAME COMMAND..., finish NAME
begin() {
  (measure "$@") &
  echo $! >"$logs/.pid-$1"
}
finish() {
  wait "$(cat "$logs/.pid-$1")" || true
  show "$1"
}

floors() { python3 scripts/check_floors.py; }

headers() { python3 scripts/check_headers.py; }

pip_install() { "$python" -m pip install --disable-pip-version-check -q "$@"; }

# What the build and the smallest tests of Python need.
venv_setup() {
  [ -x "$python" ] || python3 -m venv "$venv" || return 1
  echo "Installing from PyPI into build/venv: numpy pytest pytest-xdist"
  pip_install numpy pytest pytest-xdist
}

packages() {
  echo "Installing from PyPI into build/venv: pandas matplotlib openpyxl nbclient nbformat ipykernel mypy"
  pip_install pandas matplotlib openpyxl nbclient nbformat ipykernel mypy || return 1
  # Readers of Arrow data are large and not made for every Python: without them their tests say so and are skipped.
  pip_install --only-binary :all: pyarrow polars ||
    echo "pyarrow and polars cannot be installed: Arrow data is not read back"
  # Of PyTorch the CPU build alone: the others bring gigabytes. Without it the imports of its modules are not tested.
  pip_install --only-binary :all: "torch==2.13.0+cpu" onnx onnxscript ||
    echo "no CPU build of PyTorch can be installed: imports of PyTorch modules are not tested"
  # Their counts are committed (hf_parameters.py, timm_counts.py among Python's tests); with the packages they are counted again.
  [ $amount != full ] || pip_install --only-binary :all: transformers timm==1.0.22 torchvision==0.28.0 ||
    echo "Transformers and timm cannot be installed: their counts are not compared, and a row of docs/reliability.md fails"
}

build_all() {
  cmake -S . -B build/test -G Ninja -DCMAKE_BUILD_TYPE=Release -DPM_WERROR=ON -DPM_TESTS=ON -DPM_EXAMPLES=ON \
    -DPM_BENCHMARKS=ON -DPM_LUA=ON -DPM_PYTHON=ON "-DPython_EXECUTABLE=$python" &&
    cmake --build build/test -j "$(jobs)"
}

# Every command of the page on reliability, on the build of the tests; what they gave is the page.
reliability() {
  for tool in valgrind strace; do need $tool has $tool; done
  install_missing
  result=0
  PYTHONPATH=$PWD/build/test/python PERFMODEL_COMMAND=$PWD/build/test/tools/perfmodel LUA_PATH="$PWD/build/test/bindings/lua/?.lua" \
    LUA_CPATH="$PWD/build/test/bindings/lua/?.so" "$python" scripts/reliability.py run build/test "$python" || result=$?
  "$python" scripts/reliability.py write && grep '^Of' docs/reliability.md
  return $result
}

# The numbers of errors on the pages are what the rows give, by the installed package.
pages() {
  "$python" lab/scripts/pages.py --check "$PWD/build/test/tools/perfmodel"
}

symbols() { sh scripts/check_symbols.sh build/test; }

# ctest, and under it what the suites of check add up to.
run_ctest() {
  (
    cd "$1" && shift && result=0
    ctest --output-on-failure --timeout 7200 -j "$(jobs)" "$@" || result=$?
    awk -F '[:,]' '/^[0-9]+%: Checks:/ { checks += $3; failures += $5; errors += $7 }
      END { if (checks) printf "%d%%: Checks: %d, Failures: %d, Errors: %d\n",
            100 * (checks - failures - errors) / checks, checks, failures, errors }' Testing/Temporary/LastTest.log
    exit "$result"
  )
}

# What setuptools left behind last time would get into the package. Warnings are errors as in the other build, so that
# ccache has the objects already.
pip_package() {
  rm -rf build/lib build/lib.* build/temp.* build/bdist.*
  CMAKE_ARGS=-DPM_WERROR=ON "$python" -m pip install --disable-pip-version-check --force-reinstall --no-deps . &&
    (cd / && "$python" -c 'import perfmodel; print(perfmodel.__version__, perfmodel.__file__)')
}

# The installed package, compared with the command and the Lua module of the build.
run_pytest() {
  PERFMODEL_ALL=1 PERFMODEL_COMMAND=$PWD/build/test/tools/perfmodel LUA_PATH="$PWD/build/test/bindings/lua/?.lua" \
    LUA_CPATH="$PWD/build/test/bindings/lua/?.so" "$python" -m pytest -q -n "$(jobs)" --dist worksteal
}

# The package as the build left it: a few files that touch all of it.
smoke() {
  PYTHONPATH=$PWD/build/test/python PERFMODEL_COMMAND=$PWD/build/test/tools/perfmodel \
    LUA_PATH="$PWD/build/test/bindings/lua/?.lua" LUA_CPATH="$PWD/build/test/bindings/lua/?.so" \
    "$python" -m pytest -q -p no:cacheprovider bindings/python/tests/test_api.py bindings/python/tests/test_records.py \
    bindings/python/tests/test_same_numbers.py
}

sanitize_build() {
  cmake -S . -B build/sanitize -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 \
    -DPM_SANITIZE=ON -DPM_TESTS=ON -DPM_EXAMPLES=ON &&
    cmake --build build/sanitize -j "$(jobs)"
}

# The tests of what threads share, under the thread sanitizer.
threads() {
  cmake -S . -B build/threads -G Ninja -DCMAKE_BUILD_TYPE=Debug -DPM_SANITIZE_THREADS=ON -DPM_TESTS=ON -DPM_TOOL=OFF \
    -DPM_SUITES=threads &&
    cmake --build build/threads -j "$(jobs)" --target unit_tests &&
    CK_TIMEOUT_MULTIPLIER=100 build/threads/tests/unit_tests threads
}

step floors floors
step headers headers
step venv venv_setup
if [ $amount = quick ]; then
  step build build_all
  step symbols symbols
  step ctest run_ctest build/test -L 'unit|golden' -LE slow
  step pytest smoke
else
  begin packages packages
  step build build_all
  step symbols symbols
  step ctest run_ctest build/test
  finish packages
  step pip pip_package
  step pytest run_pytest
  begin pages pages
  step sanitize sanitize_build
  # Tests labelled "once" add nothing under sanitizers: xmllint on files, the golden cases a second time, fits to and
  # errors of all published rows, laws over all shapes and networks. Other tests run their code through here on less.
  # In full a row of the page on reliability runs them.
  [ $amount = full ] || step ctest-san run_ctest build/sanitize -LE 'install|recipes|once'
  step threads threads
  finish pages
  [ $amount != full ] || step reliability reliability
fi

echo
echo "== Summary"
cat "$logs/summary"
if [ $failures -gt 0 ]; then
  echo "FAILED: $failures of $(wc -l <"$logs/summary") checks"
  exit 1
fi
echo "PASSED: all $(wc -l <"$logs/summary") checks"
