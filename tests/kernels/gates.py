#!/usr/bin/env python3
"""Holds the errors of measured kernels to their gates: gates.py PERFMODEL.

Mean and median of the absolute errors (%) over all rows of a class. KNOWN names the classes that miss their gate, with a
bound of their own, so that they do not get worse unseen; a class that holds its gate may not stand there.
"""
import csv
import re
import statistics
import subprocess
import sys

# Library versions of DeepBench that the constants belong to: the newest of each GPU.
LIBRARY = r"deepbench/cuda-(7\.5|8\.0|10\.1)"

# class: (pattern of the group, gate of the mean, of the median)
GATES = {
    "FP32 GEMM V100": (r"v100-pcie-32gb gemm.* fp32 neusight", 12, 9),
    "FP32 GEMM A100": (r"a100.* gemm.* fp32 neusight", 12, 9),
    "FP32 GEMM T4": (r"t4 gemm.* fp32 neusight", 26, 20),
    "FP32 GEMM P100": (r"p100-pcie gemm.* fp32 neusight", 26, 20),
    "FP32 GEMM P4": (r"p4 gemm.* fp32 neusight", 26, 20),
    "FP16 tensor-core GEMM": (r".* gemm fp16 " + LIBRARY, 12, 7),
    "FP32 convolution forward": (r".* conv-forward fp32 " + LIBRARY, 24, None),
    "FP32 convolution backward-data": (r".* conv-backward-data fp32 " + LIBRARY, 28, None),
    "FP32 convolution backward-weight": (r".* conv-backward-weight fp32 " + LIBRARY, 38, None),
    "FP16 tensor-core convolution forward": (r".* conv-forward fp16 " + LIBRARY, 32, None),
    "FP16 tensor-core convolution backward-data": (r".* conv-backward-data fp16 " + LIBRARY, 30, None),
    "FP16 tensor-core convolution backward-weight": (r".* conv-backward-weight fp16 " + LIBRARY, 48, None),
    "element-wise, large": (r".* elementwise-large .*", 5, None),
    "layer norm, large": (r".* layer-norm-large .*", 20, None),
    "softmax, large": (r".* softmax-large .*", 22, None),
    "RNN": (r".* rnn-.* (fp32|fp16|fp16-storage) " + LIBRARY, 35, None),
}
KNOWN = {}


def errors(command):
    text = subprocess.run([command, "validate", "--set", "kernels", "--rows", "--format", "csv"], check=True,
                          capture_output=True, text=True).stdout
    return [(row["group"], abs(float(row["error [%]"]))) for row in csv.DictReader(text.splitlines()) if row["error [%]"]]


def main():
    rows, bad = errors(sys.argv[1]), 0
    print(f"{'class':<46}{'rows':>6}{'mape':>7}{'gate':>5}{'median':>8}{'gate':>5}")
    for name, (pattern, gate, middle) in GATES.items():
        found = [error for group, error in rows if re.fullmatch(pattern, group)]
        mean, median = statistics.fmean(found), statistics.median(found)
        holds = mean <= gate and (middle is None or median <= middle)
        limits = KNOWN.get(name)
        good = holds if limits is None else not holds and mean <= limits[0] and median <= limits[1]
        bad += not good
        print(f"{name:<46}{len(found):>6}{mean:>7.1f}{gate:>5}{median:>8.1f}{middle or '':>5}"
              f"{'' if holds else '  misses its gate'}{'' if good else '  FAILED'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
