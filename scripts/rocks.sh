#!/bin/sh
# Rocks of LuaRocks for Lua 5.1 to 5.4 and LuaJIT, in build/rocks, each installed into an empty tree and compared with the
# command of a build: one number everywhere.
#
#     scripts/rocks.sh [BUILD]       BUILD: a build folder of the command, build/test if none is given
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=scripts/need.sh
. scripts/need.sh
command=$PWD/${1:-build/test}/tools/perfmodel
[ -x "$command" ] || { echo "rocks: \"$command\" is not there; run cmake --build first" >&2; exit 2; }

need_build
need swig has swig
need luarocks has luarocks
need ccache has ccache
for version in 1 2 3 4; do need lua5.$version has lua5.$version; done
need liblua5.1-0-dev [ -e /usr/include/lua5.1/lua.h ]
for version in 2 3 4; do need liblua5.$version-dev [ -e /usr/include/lua5.$version/lua.h ]; done
need luajit has luajit
need libluajit-5.1-dev pkg-config --exists luajit
install_missing
rocks=$PWD/build/rocks
rm -rf "$rocks"
mkdir -p "$rocks/source"
# LuaRocks builds inside the source: a copy of it.
tar -c --exclude=./build* --exclude=./.git . | tar -x -C "$rocks/source"
export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_BUILD_PARALLEL_LEVEL="$(jobs)"

program='local p = require("perfmodel").predict{network = "resnet50", system = "dgx1-v100", gpus = 8, batch = 64, precision = "fp16"}
  print(string.format("%.17g", p.throughput))'
expected=$("$command" predict resnet50 dgx1-v100 --gpus 8 --batch 64 --precision fp16 --columns throughput --format csv -q |
  awk 'END { printf "%.17g\n", $0 }')

# rock LUA VERSION HEADERS: packs a rock and asks an empty tree that it is installed into.
rock() {
  mkdir -p "$rocks/$1"
  (cd "$rocks/source" && luarocks --lua-version "$2" --tree "$rocks/$1/made" make perfmodel-scm-1.rockspec LUA_INCDIR="$3" &&
    cd "$rocks/$1" && luarocks --lua-version "$2" --tree made pack perfmodel &&
    luarocks --lua-version "$2" --tree empty install perfmodel-scm-1.*.rock) >"$rocks/$1/log" 2>&1 ||
    { tail -n 30 "$rocks/$1/log" >&2; return 1; }
  answer=$(cd / && LUA_PATH="$rocks/$1/empty/share/lua/$2/?.lua" LUA_CPATH="$rocks/$1/empty/lib/lua/$2/?.so" "$1" -e "$program")
  [ "$answer" = "$expected" ] || { echo "$1 gives $answer, the command $expected" >&2; return 1; }
  echo "$1: $(stat -c %s "$rocks/$1"/*.rock) bytes, $answer samples/s as the command"
}

for version in 5.1 5.2 5.3 5.4; do rock lua$version $version /usr/include/lua$version; done
rock luajit 5.1 "$(pkg-config --variable=includedir luajit)"
