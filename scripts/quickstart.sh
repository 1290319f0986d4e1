#!/bin/sh
# First numbers: installs what is missing, builds the library and the command in build/, and prints published rates of
# ResNet-50 training in PyTorch beside their predictions.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=scripts/need.sh
. scripts/need.sh

echo "== 1. What is needed"
need_build
install_missing

echo
echo "== 2. Build, in build/"
mkdir -p build
log=build/quickstart.log
{ cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release && cmake --build build -j "$(jobs)"; } >"$log" 2>&1 ||
  { cat "$log" >&2; exit 1; }
build/tools/perfmodel --version

echo
echo "== 3. ResNet-50 training in PyTorch, images/s: published by NVIDIA, and predicted"
PERFMODEL=build/tools/perfmodel sh examples/published.sh

cat <<'END'

Next:
  build/tools/perfmodel predict resnet50 dgx1-v100 --gpus 8 --batch 256 --precision fp16 --framework pt-nhwc
                                               where the time of a step goes, and what limits it
  build/tools/perfmodel validate --set training
                                               how far off predictions are: every framework and GPU
  build/tools/perfmodel list systems           machines; list networks, list frameworks: what else there is
  build/tools/perfmodel --help                 all commands; README.md: the rest, Python and Lua among it
END
