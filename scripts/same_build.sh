#!/bin/sh
# Two builds of the same files in different folders, at different times, are equal byte for byte; and what is built passes its
# tests without a network.
#
#     sh scripts/same_build.sh            builds twice under build/twice, compares, tests one of them in a network of its own
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=scripts/need.sh
. scripts/need.sh
need_build
need util-linux has unshare
need python3 has python3
install_missing

place=$PWD/build/twice
rm -rf "$place"
for name in first second/elsewhere; do
  mkdir -p "$place/$name/source"
  git ls-files -z | xargs -0 cp --parents -t "$place/$name/source"
  CCACHE_DISABLE=1 cmake -S "$place/$name/source" -B "$place/$name/build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
  CCACHE_DISABLE=1 cmake --build "$place/$name/build" -j "$(jobs)" >/dev/null
done
for name in first second/elsewhere; do DESTDIR=$place/$name/installed cmake --install "$place/$name/build" >/dev/null; done
different=$(diff -rq "$place/first/installed" "$place/second/elsewhere/installed" | tee /dev/stderr | wc -l)
files=$(find "$place/first/installed" -type f | wc -l)
echo "two builds: $files installed files, $different differ"
[ "$different" -eq 0 ]
# Without a network, of which even the machine's own address is gone: the cases of the command.
unshare -rn python3 tests/golden/run.py --command "$place/first/build/tools/perfmodel" >"$place/tests.log" 2>&1 ||
  { tail -n 30 "$place/tests.log"; exit 1; }
echo "without a network: the cases of the command pass"
