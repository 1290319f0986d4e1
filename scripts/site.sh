#!/bin/sh
# Builds the documentation site and checks its links: build/site/html, which works from a disk, offline.
#
#     scripts/site.sh [BUILD]        BUILD: a build folder with the Python module, build/test if none is given
#
# Brings mkdocs-material and matplotlib from PyPI, and makes the page in the browser if it is not there.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/test}
[ -e "$build/python/perfmodel/_core.py" ] ||
  { echo "site: \"$build\" is no build with the Python module; run cmake with -DPM_PYTHON=ON first" >&2; exit 2; }
[ -e "$build/page/perfmodel.html" ] || sh scripts/page.sh "$build"
venv=build/site-venv
[ -x $venv/bin/python ] || python3 -m venv $venv
$venv/bin/python -m pip install --disable-pip-version-check -q mkdocs-material numpy pandas matplotlib
PYTHONPATH=$PWD/$build/python $venv/bin/python site/build.py "$build/tools/perfmodel" "$build/page/perfmodel.html" build/site
