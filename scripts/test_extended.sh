#!/bin/sh
# Checks with programs that are too large for scripts/test.sh: the page in a browser, workbooks in LibreOffice, the two files, wheels,
# rocks, Debian packages, pages with what commands print, the documentation site and a walk through it, grids on dask and MPI. Installs what they need on
# Debian 12, uses the build of scripts/test.sh or the one that PERFMODEL_BUILD names, and ends with one line for each check.
#
#     scripts/test_extended.sh                  all
#     scripts/test_extended.sh single site ...  some of: page workbooks single wheels rocks debian pasted site walk executors
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=scripts/need.sh
. scripts/need.sh
all="page workbooks single wheels rocks debian pasted site walk executors"
wanted=${*:-$all}
build=${PERFMODEL_BUILD:-build/test}
[ -x "$build/tools/perfmodel" ] || sh scripts/test.sh quick

# bring PACKAGE...: from PyPI into build/venv.
bring() {
  [ -x build/venv/bin/python ] || python3 -m venv build/venv
  build/venv/bin/python -m pip install --disable-pip-version-check -q "$@"
}
page() {
  need chromium has chromium
  install_missing
  sh scripts/page.sh "$build"
  bring playwright pytest
  PERFMODEL_COMMAND=$PWD/$build/tools/perfmodel PERFMODEL_PAGE=$PWD/$build/page/perfmodel.html \
    build/venv/bin/python -m pytest -q -p no:cacheprovider page/test_page.py
}
workbooks() {
  need libreoffice-calc-nogui has soffice
  install_missing
  bring numpy openpyxl pytest
  PERFMODEL_COMMAND=$PWD/$build/tools/perfmodel PYTHONPATH=$PWD/$build/python \
    build/venv/bin/python -m pytest -q -p no:cacheprovider bindings/python/tests/test_excel.py
}
single() { sh scripts/single.sh "$build" check; }
wheels() { PERFMODEL_COMMAND=$PWD/$build/tools/perfmodel sh scripts/wheels.sh x86_64 aarch64; }
rocks() { sh scripts/rocks.sh "$build"; }
debian() { sh scripts/debian.sh; }
pasted() { python3 scripts/pasted.py "$build"/tools/perfmodel; }
executors() {
  need openmpi-bin has mpiexec
  need libopenmpi-dev has mpicc
  install_missing
  bring numpy distributed mpi4py pytest pyarrow
  PERFMODEL_COMMAND=$PWD/$build/tools/perfmodel PYTHONPATH=$PWD/$build/python \
    build/venv/bin/python -m pytest -q -p no:cacheprovider bindings/python/tests/test_executors.py
  PYTHONPATH=$PWD/$build/python build/venv/bin/python bindings/python/tests/test_executors.py speed
}
site() { sh scripts/site.sh "$build"; }
# As a new user: what the pages of the site have is pasted, with the package in an empty environment, then with the command alone.
walk() {
  [ -e build/site/html/index.html ] || site
  rm -rf build/walk
  python3 -m venv build/walk/venv
  build/walk/venv/bin/python -m pip install --disable-pip-version-check -q ".[plot,excel]" "torch==2.13.0+cpu"
  cmake --install "$build" --prefix "$PWD/build/walk/prefix" >/dev/null
  pages="five-minutes for-trainers for-servers for-planners for-researchers cookbook your-cluster your-framework"
  pages=$(for name in $pages; do echo "$name.html"; done)
  # shellcheck disable=SC2086 # words
  env -u PYTHONPATH python3 scripts/pasted.py --site build/site/html build/walk/venv/bin/perfmodel worked-examples.html $pages
  # shellcheck disable=SC2086 # words
  env -u PYTHONPATH python3 scripts/pasted.py --site build/site/html build/walk/prefix/bin/perfmodel $pages
}

failures=0
summary=""
for check in $wanted; do
  case " $all " in *" $check "*) ;; *) echo "there is no check \"$check\"; one of: $all" >&2; exit 2 ;; esac
  # Not as a condition: there, a failure inside would not end the check.
  set +e
  (set -e; "$check")
  result=$?
  set -e
  [ $result -eq 0 ] && verdict=PASS || { verdict=FAIL; failures=$((failures + 1)); }
  summary="$summary$verdict  $check
"
done
printf '%s' "$summary"
exit $((failures > 0))
