#!/bin/sh
# Fits the constants of frameworks and of generations of GPU libraries, then those of language models and of the source documents, and writes
# data/frameworks/frameworks.xml; then those of architectures that training alone decides, into data/calibration/kernels.xml.
#
#     scripts/calibrate_training.sh [PERFMODEL]     (default build/tools/perfmodel, built from this tree)
#
# The rows are those that travel with the project (data/measured/training.csv.gz):
#
#     NVIDIA/DeepLearningExamples      images/s on V100 and A100, in NVIDIA's containers
#     apache/mxnet                     MXNet of 2017: K80, M40, M60, P100, V100; K80 for Kepler's convolutions
#     jcjohnson/cnn-benchmarks         Torch7 on GeForce
#     soumith/convnet-benchmarks       Torch7 and TensorFlow on Titan X
#     u39kun/deep-learning-benchmark   PyTorch
#
# Rows that are left out, and why, are readings of the catalogue that decide "unfit" (data/readings/tables.xml). The same rows
# give the same constants, whatever the files hold before: constants that are fitted start from fixed values.
set -e
here=$(cd "$(dirname "$0")/.." && pwd)
command=${1:-$here/build/tools/perfmodel}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$command" calibrate --set training --xml --quiet -o "$work/training.xml"
"$command" calibrate --set language --catalog "$work/training.xml" --xml --quiet -o "$work/language.xml"
"$command" calibrate --set documents --catalog "$work/language.xml" --xml --quiet -o "$work/documents.xml"
"$command" calibrate --set kernels --catalog "$work/training.xml" --xml --quiet -o "$work/kernels.xml"
# Frameworks of other files stay there.
sed -n 's/^  <framework id="\([^"]*\)".*/\1/p' "$here/data/frameworks/frameworks.xml" > "$work/own"
sed '/^  <kernel_calibration /,/^  <\/kernel_calibration>/d' "$work/documents.xml" | awk -v list="$work/own" '
  BEGIN { while ((getline id < list) > 0) own[id] = 1 }
  /^  <framework id=/ { split($0, part, "\""); skip = !(part[2] in own) }
  !skip { print }
  /^  <\/framework>/ { skip = 0 }' | cat -s > "$work/frameworks.xml"
cp "$work/frameworks.xml" "$here/data/frameworks/frameworks.xml"
cp "$work/kernels.xml" "$here/data/calibration/kernels.xml"
"$command" calibrate --set training --errors --catalog "$work/training.xml" --quiet
