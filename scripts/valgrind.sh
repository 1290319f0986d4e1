#!/bin/sh
# Valgrind over the command, Lua and Python: memory that is read before it was written or after it was freed, and what is lost.
#
#     sh scripts/valgrind.sh BUILD PYTHON
#
# Of Python's interpreter, which is not clean, only what has a function of ours on its stack counts.
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "${1:?usage: sh scripts/valgrind.sh BUILD PYTHON}")
python=${2:?usage: sh scripts/valgrind.sh BUILD PYTHON}
log=$build/valgrind.log

clean() { valgrind -q --leak-check=full --errors-for-leak-kinds=definite --error-exitcode=9 "$@" >"$log" 2>&1 || { cat "$log"; exit 1; }; }

clean "$build/tools/perfmodel" predict resnet50 dgx1-v100 --gpus 8
export LUA_PATH="$build/bindings/lua/?.lua" LUA_CPATH="$build/bindings/lua/?.so"
clean lua5.4 examples/sizing.lua 5000 resnet50 "$build/sizing.csv"

# Blocks are set apart by lines without text.
PYTHONMALLOC=malloc PYTHONPATH=$build/python valgrind --leak-check=full --show-leak-kinds=definite --num-callers=40 --log-file="$log" \
  "$python" tests/memory/smoke.py || { tail "$log"; exit 1; }
sed -E 's/^==[0-9]+== ?//' "$log" | awk -v RS= '/\n.*(libperfmodel|_libcore)/ && !/^Command/ { print $0 "\n"; bad++ } END { print bad + 0 " reports of Python"; exit bad > 0 }'
