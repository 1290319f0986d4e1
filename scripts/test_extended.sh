#!/bin/sh
# Checks with programs that are too large for scripts/test.sh: the page in a browser, workbooks in LibreOffice. Installs what they need on Debian 12,
# uses the build of scripts/test.sh, and ends with one line for each check.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=scripts/need.sh
. scripts/need.sh
need chromium has chromium
need libreoffice-calc-nogui has soffice
install_missing
[ -x build/test/tools/perfmodel ] || sh scripts/test.sh quick
sh scripts/page.sh build/test
build/venv/bin/python -c 'import playwright, pytest' 2>/dev/null ||
  build/venv/bin/python -m pip install --disable-pip-version-check -q playwright pytest
PERFMODEL_COMMAND=$PWD/build/test/tools/perfmodel PERFMODEL_PAGE=$PWD/build/test/page/perfmodel.html \
  build/venv/bin/python -m pytest -q -p no:cacheprovider page/test_page.py && echo "PASS  page" || { echo "FAIL  page"; exit 1; }
build/venv/bin/python -c 'import openpyxl' 2>/dev/null ||
  build/venv/bin/python -m pip install --disable-pip-version-check -q openpyxl
PERFMODEL_COMMAND=$PWD/build/test/tools/perfmodel PYTHONPATH=$PWD/build/test/python \
  build/venv/bin/python -m pytest -q -p no:cacheprovider bindings/python/tests/test_excel.py && echo "PASS  workbooks" ||
  { echo "FAIL  workbooks"; exit 1; }
