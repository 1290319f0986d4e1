#!/bin/sh
# Fits the constants of frameworks and of generations of GPU libraries, then those of language models and of the source documents, and writes
# data/frameworks/frameworks.xml; then those of architectures that training and language models alone decide, into data/calibration/kernels.xml;
# then those of inference besides, into data/calibration/inference.xml.
#
#     lab/scripts/calibrate_training.sh [PERFMODEL]     (default build/tools/perfmodel, built from this tree)
#
# The rows are those that travel with the project (data/measured/training.csv.gz, inference.csv.gz):
#
#     NVIDIA/DeepLearningExamples      images/s on V100 and A100, in NVIDIA's containers
#     apache/mxnet                     MXNet of 2017: K80, M40, M60, P100, V100; K80 for Kepler's convolutions
#     jcjohnson/cnn-benchmarks         Torch7 on GeForce
#     soumith/convnet-benchmarks       Torch7 and TensorFlow on Titan X
#     u39kun/deep-learning-benchmark   PyTorch
#     huggingface/pytorch-image-models inference with PyTorch 2 on RTX 4090
#
# Rows that are left out, and why, are readings of the catalogue that decide "unfit" (data/readings/tables.xml). The same rows
# give the same constants, whatever the files hold before: constants that are fitted start from fixed values.
set -e
here=$(cd "$(dirname "$0")/../.." && pwd)
command=${1:-$here/build/tools/perfmodel}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$command" calibrate --set training --xml --quiet -o "$work/training.xml"
"$command" calibrate --set language --catalog "$work/training.xml" --xml --quiet -o "$work/language.xml"
"$command" calibrate --set documents --catalog "$work/language.xml" --xml --quiet -o "$work/documents.xml"
"$command" calibrate --set kernels --catalog "$work/training.xml" --catalog "$work/language.xml" --xml --quiet -o "$work/kernels.xml"

# of_file TAG FILE: what was fitted without the entries of that tag that other files have.
of_file() {
  sed -n 's/^  <'"$1"' id="\([^"]*\)".*/\1/p' "$2" > "$work/own"
  awk -v tag="$1" -v list="$work/own" '
    BEGIN { while ((getline id < list) > 0) own[id] = 1 }
    $0 ~ "^  <" tag " id=" { split($0, part, "\""); skip = !(part[2] in own) }
    !skip { print }
    $0 ~ "^  </" tag ">" { skip = 0 }' | cat -s
}

frameworks="$here/data/frameworks/frameworks.xml" inference="$here/data/calibration/inference.xml"
"$command" calibrate --set inference --catalog "$work/documents.xml" --catalog "$work/kernels.xml" --xml --quiet -o "$work/inference.xml"
sed '/^  <kernel_calibration /,/^  <\/kernel_calibration>/d' "$work/documents.xml" | of_file framework "$frameworks" > "$work/frameworks.xml"
of_file inference_profile "$inference" < "$work/inference.xml" > "$work/own_inference.xml"
cp "$work/frameworks.xml" "$frameworks"
cp "$work/own_inference.xml" "$inference"
cp "$work/kernels.xml" "$here/data/calibration/kernels.xml"
"$command" calibrate --set training --errors --catalog "$work/training.xml" --quiet
