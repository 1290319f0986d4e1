#!/bin/sh
# Every check: installs what the tests need, builds in build/, runs all of them, and ends with one line for each.
# Exit code 0 only if all pass.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=scripts/need.sh
. scripts/need.sh

python_has_venv() { python3 -c 'import ensurepip, venv'; }
python_has_headers() { python3 -c 'import os, sysconfig as s; os.stat(s.get_path("include") + "/Python.h")'; }

echo "== What is needed"
need_build
need g++ has c++
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

venv=$PWD/build/venv
python=$venv/bin/python
logs=$PWD/build/logs
mkdir -p "$logs"
rm -f "$logs"/*
: >"$logs/summary"
failures=0

# closing_line LOG: what the test runner says at its end.
closing_line() {
  grep -E -e '^[0-9]+% tests passed|^[0-9]+%: Checks|^(floors|symbols|schema):' \
    -e '[0-9]+ (passed|failed|error).* in [0-9.]+s' "$1" | tail -n 2 | sed 's/^=* *//; s/ *=*$//' | paste -sd ' ' -
}

# step NAME COMMAND...: runs a check, keeps its output, and goes on after a failure.
step() {
  name=$1
  shift
  echo
  echo "== $name"
  start=$(date +%s)
  if "$@" >"$logs/$name" 2>&1; then verdict=PASS; else verdict=FAIL; fi
  if [ $verdict = FAIL ]; then
    failures=$((failures + 1))
    tail -n 200 "$logs/$name"
  else
    tail -n 4 "$logs/$name"
  fi
  seconds=$(($(date +%s) - start))
  printf '%s  %-12s %4ss  %s\n' $verdict "$name" $seconds "$(closing_line "$logs/$name")" >>"$logs/summary"
}

floors() { python3 scripts/check_floors.py; }

venv_setup() {
  [ -x "$python" ] || python3 -m venv "$venv" || return 1
  packages="numpy pandas matplotlib pytest nbclient nbformat ipykernel mypy"
  echo "Installing from PyPI into build/venv: $packages"
  # shellcheck disable=SC2086 # a list of names
  "$python" -m pip install --disable-pip-version-check -q $packages || return 1
  # Readers of Arrow data are large and not made for every Python: without them their tests say so and are skipped.
  "$python" -m pip install --disable-pip-version-check -q --only-binary :all: pyarrow polars ||
    echo "pyarrow and polars cannot be installed: Arrow data is not read back"
  # Of PyTorch the CPU build alone: the others bring gigabytes. Without it the imports of its modules are not tested.
  "$python" -m pip install --disable-pip-version-check -q --only-binary :all: "torch==2.13.0+cpu" onnx onnxscript ||
    echo "no CPU build of PyTorch can be installed: imports of PyTorch modules are not tested"
}

build_all() {
  cmake -S . -B build/test -G Ninja -DCMAKE_BUILD_TYPE=Release -DPM_WERROR=ON -DPM_TESTS=ON -DPM_EXAMPLES=ON \
    -DPM_BENCHMARKS=ON -DPM_LUA=ON -DPM_PYTHON=ON "-DPython_EXECUTABLE=$python" &&
    cmake --build build/test -j "$(jobs)"
}

symbols() { sh scripts/check_symbols.sh build/test; }

# ctest, and under it what the suites of check add up to.
run_ctest() {
  (
    cd "$1" && shift && result=0
    CK_TIMEOUT_MULTIPLIER=5 ctest --output-on-failure -j "$(jobs)" "$@" || result=$?
    awk -F '[:,]' '/^[0-9]+%: Checks:/ { checks += $3; failures += $5; errors += $7 }
      END { if (checks) printf "%d%%: Checks: %d, Failures: %d, Errors: %d\n",
            100 * (checks - failures - errors) / checks, checks, failures, errors }' Testing/Temporary/LastTest.log
    exit "$result"
  )
}

# The schema is for editors; every shipped file keeps to it.
schema() {
  find data -name '*.xml' -exec xmllint --noout --nonet --schema data/perfmodel.xsd {} + &&
    echo "schema: $(find data -name '*.xml' | wc -l) files are valid"
}

# What setuptools left behind last time would get into the package.
pip_install() {
  rm -rf build/lib build/lib.* build/temp.* build/bdist.*
  "$python" -m pip install --disable-pip-version-check --force-reinstall --no-deps . &&
    (cd / && "$python" -c 'import perfmodel; print(perfmodel.__version__, perfmodel.__file__)')
}

# The installed package, compared with the command and the Lua module of the build.
run_pytest() {
  PERFMODEL_ALL=1 PERFMODEL_COMMAND=$PWD/build/test/tools/perfmodel LUA_PATH="$PWD/build/test/bindings/lua/?.lua" \
    LUA_CPATH="$PWD/build/test/bindings/lua/?.so" "$python" -m pytest -q
}

sanitize_build() {
  cmake -S . -B build/sanitize -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DPM_SANITIZE=ON -DPM_TESTS=ON \
    -DPM_EXAMPLES=ON &&
    cmake --build build/sanitize -j "$(jobs)"
}

# The tests of what threads share, under the thread sanitizer.
threads() {
  cmake -S . -B build/threads -G Ninja -DCMAKE_BUILD_TYPE=Debug -DPM_SANITIZE_THREADS=ON -DPM_TESTS=ON -DPM_TOOL=OFF \
    -DPM_SUITES=threads &&
    cmake --build build/threads -j "$(jobs)" --target unit_tests &&
    CK_TIMEOUT_MULTIPLIER=5 build/threads/tests/unit_tests threads
}

step floors floors
step venv venv_setup
step build build_all
step symbols symbols
step ctest run_ctest build/test
step schema schema
step pip pip_install
step pytest run_pytest
step sanitize sanitize_build
step ctest-san run_ctest build/sanitize -LE install
step threads threads

echo
echo "== Summary"
cat "$logs/summary"
if [ $failures -gt 0 ]; then
  echo "FAILED: $failures of $(wc -l <"$logs/summary") checks"
  exit 1
fi
echo "PASSED: all $(wc -l <"$logs/summary") checks"
