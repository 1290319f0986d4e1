#!/bin/sh
# First numbers: installs what is missing, builds the library and the command in build/, predicts ResNet-50 training on
# one to eight GPUs of a DGX-1, prints predicted beside published, and writes plan.csv.
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
perfmodel=build/tools/perfmodel
"$perfmodel" --version

echo
echo "== 3. ResNet-50 training on a DGX-1 (V100), 64 images per GPU, mixed precision"
"$perfmodel" sweep resnet50 dgx1-v100 --gpus 1,2,4,8 --batch 64 --precision fp16

echo
echo "== 4. Predicted beside published: every statement of the documents that the catalogue grew from"
"$perfmodel" validate --rows

echo
echo "== 5. A plan for the spreadsheet"
"$perfmodel" sweep resnet50,vgg16 dgx1-v100,dgx1-p100 --gpus 1,2,4,8 --batch 32,64,128 --precision fp16 \
  --format csv -o plan.csv
echo "plan.csv: $(($(wc -l <plan.csv) - 1)) rows"
