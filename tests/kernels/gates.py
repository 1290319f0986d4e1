#!/usr/bin/env python3
"""Holds the errors of measured kernels to their gates: gates.py PERFMODEL.

Mean and median of the absolute errors (%) over all rows of a class.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "measured"))
from judge import errors, judge, mean, median, run  # noqa: E402

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
    "FP32 convolution dgrad": (r".* conv-dgrad fp32 " + LIBRARY, 28, None),
    "FP32 convolution wgrad": (r".* conv-wgrad fp32 " + LIBRARY, 38, None),
    "FP16 tensor-core convolution forward": (r".* conv-forward fp16 " + LIBRARY, 32, None),
    "FP16 tensor-core convolution dgrad": (r".* conv-dgrad fp16 " + LIBRARY, 30, None),
    "FP16 tensor-core convolution wgrad": (r".* conv-wgrad fp16 " + LIBRARY, 48, None),
    "element-wise, large": (r".* elementwise-large .*", 5, None),
    "layer norm, large": (r".* layer-norm-large .*", 20, None),
    "softmax, large": (r".* softmax-large .*", 22, None),
    "RNN": (r".* rnn-.* (fp32|fp16|fp16-storage) " + LIBRARY, 20, None),
}
# Operators of language models: class: (pattern of the group, gate of the mean). Rows that are doubted are in none.
MODERN = r"(h200-sxm5|b200-sxm6|l40s)"
OPERATORS = {
    "FP16 products A100": (r"a100-.* products fp16 m.*", 8),
    "FP16 products A100, few rows": (r"a100-.* products fp16 m<64", 8),
    "BF16 products": (MODERN + r" products bf16 m.*", 12),
    "BF16 products, few rows": (MODERN + r" products bf16 m<64", 15),
    "FP8 products": (MODERN + r" products fp8(-block)? m.*", 20),
    "FP8 products L40S": (r"l40s products fp8(-block)? m.*", 20),
    "FP4 products": (MODERN + r" products nvfp4 m.*", 20),
    "experts": (MODERN + r" experts (bf16|fp8|fp8-block)", 30),
    "attention": (r".* attention-(prompt|decode) [^ ]*", 20),
    "attention of decoding B200": (r"b200-sxm6 attention-decode [^ ]*", 20),
    "attention of decoding H200": (r"h200-sxm5 attention-decode [^ ]*", 20),
    "attention of decoding L40S": (r"l40s attention-decode [^ ]*", 20),
    "attention of prompts H200": (r"h200-sxm5 attention-prompt [^ ]*", 20),
    "norms and passes A100": (r"a100-\S* (?!products|attention)\S* fp16 m[^ ]*", 15),
}
KNOWN = {}


def figures(rows):
    for name, (pattern, gate, middle) in GATES.items():
        found = errors(row for row in rows if re.fullmatch(pattern, row["group"]))
        yield f"{name}, mean", len(found), mean(found), gate
        if middle is not None:
            yield f"{name}, median", len(found), median(found), middle


def operator_figures(rows):
    for name, (pattern, gate) in OPERATORS.items():
        found = errors(row for row in rows if re.fullmatch(pattern, row["group"]))
        yield f"{name}, mean", len(found), mean(found), gate


if __name__ == "__main__":
    command = sys.argv[1]
    reached = list(figures(run(command, "kernels", "--rows", "-q")[0]))
    reached += operator_figures(run(command, "operators", "--rows", "-q")[0])
    sys.exit(judge(reached, KNOWN) > 0)
