#!/bin/sh
# Fits what hosts add to published operators and the constants of kernels, and writes data/calibration/kernel_harnesses.xml and
# kernels.xml.
#
#     lab/scripts/calibrate_kernels.sh [PERFMODEL]     (default build/tools/perfmodel)
#
# The rows are those that travel with the project (data/measured/kernels.csv.gz, made by lab/scripts/sample_kernels.py):
#
#     NeuSight (sitar-lab/NeuSight, MIT)     every 4th row, FP32, PyTorch 2.1 with CUDA 12.1: A100 PCIe 40 GB, V100 PCIe,
#                                            T4, P100 PCIe, P4; products, convolutions, norms, softmax, element-wise
#     DeepBench (baidu-research, Apache-2.0) FP32 and FP16, the newest library of each GPU: M40 and Titan X (Maxwell) CUDA 7.5,
#                                            P100 CUDA 8.0, V100 and T4 CUDA 10.1; products, convolutions, recurrent layers
#
# A fifth of the shapes is kept out, and so are A100 80 GB, H100, L4 and every other GPU that has no row there. The same rows
# give the same constants, whatever the file holds before, but for those of attention: they are fitted with what hosts add, and that
# with the constants before.
set -e
here=$(cd "$(dirname "$0")/../.." && pwd)
command=${1:-$here/build/tools/perfmodel}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$command" calibrate --set operators --xml --quiet -o "$work/kernel_harnesses.xml"
"$command" calibrate --set kernels --catalog "$work/kernel_harnesses.xml" --xml --quiet -o "$work/kernels.xml"
cp "$work/kernel_harnesses.xml" "$work/kernels.xml" "$here/data/calibration"
"$command" calibrate --set kernels --errors --quiet
