#!/usr/bin/env python3
"""Writes data/measured/kernels.csv.gz from the table of published kernel measurements.

    scripts/sample_kernels.py kernels.csv.gz [KEEP]     every KEEP-th row of NeuSight (default 4), DeepBench whole

Columns of the result are id, group, gpu, the fields of a `kernel` record, time (s) and overhead (s): what the host adds to
every row of its source, taken off before comparing. It is a property of how the rows were measured, not of the GPU.
"""
import csv
import gzip
import io
import sys
from pathlib import Path

GPUS = {"A100-PCIE-40GB": "a100-pcie-40gb", "Tesla M40": "m40", "Tesla P100": "p100-sxm2",
        "Tesla P100-PCIE-16GB": "p100-pcie", "Tesla P4": "p4", "Tesla T4": "t4", "Tesla V100": "v100-sxm2-16gb",
        "Tesla V100-PCIE-32GB": "v100-pcie", "Titan X (Maxwell)": "titan-x-maxwell"}
# us of one PyTorch call between two events (bmm, linear), by GPU
NEUSIGHT = {"v100-pcie": (40, 53), "a100-pcie-40gb": (23, 44), "t4": (30, 35), "p100-pcie": (46, 78), "p4": (30, 42)}
NEUSIGHT_STREAM, DEEPBENCH_GEMM, DEEPBENCH_CONV = 15, 6, 9
# One version of the libraries per GPU: the one that the constants belong to.
LIBRARIES = {"m40": "CUDA 7.5", "titan-x-maxwell": "CUDA 7.5", "p100-sxm2": "CUDA 8.0.88", "v100-sxm2-16gb": "CUDA 10.1",
             "t4": "CUDA 10.1"}
PRECISIONS = {"fp32": "fp32", "fp16-mixed": "fp16", "fp16-in-fp32-math": "fp16-storage"}
GATES = {"Vanilla": 1, "GRU": 3, "LSTM": 4}
PASSES = {"fwd": "forward", "bwd_data": "backward-data", "bwd_weight": "backward-weight"}
LARGE = 32e6  # bytes of a tensor: its time is that of the memory, not of the host
COLUMNS = ["id", "group", "gpu", "operation", "precision", "count", "m", "n", "k", "channels", "out_channels", "groups",
           "height", "width", "kernel_height", "kernel_width", "padding_height", "padding_width", "stride_height",
           "stride_width", "time", "overhead"]


def gemm(row, neusight):
    b = row["B"] or 1
    if row["op"] == "linear":
        return {"operation": "gemm", "count": 1, "m": int(b) * int(row["M"]), "n": row["N"], "k": row["K"]}
    return {"operation": "gemm", "count": b, "m": row["M"], "n": row["N"], "k": row["K"]}


def conv(row):
    return {"operation": "conv-" + PASSES[row["pass"]], "n": row["conv_N"], "channels": row["conv_C"],
            "out_channels": row["conv_K"], "groups": 1, "height": row["conv_H"], "width": row["conv_W"],
            "kernel_height": row["filt_R_h"], "kernel_width": row["filt_S_w"], "padding_height": row["pad_h"],
            "padding_width": row["pad_w"], "stride_height": row["stride_h"], "stride_width": row["stride_w"]}


def stream(row):
    rows, columns = row["shape"].split("x")
    if row["op"] == "ln":
        return {"operation": "layer-norm", "m": rows, "n": columns}
    if row["op"] == "softmax":
        return {"operation": "softmax", "m": rows, "n": columns}
    tensors = 3 if row["op"] in ("add", "mul", "pow", "div") else 2
    return {"operation": "elementwise", "count": tensors, "m": int(rows) * int(columns)}


def convert(row, keep, number):
    neusight = "NeuSight" in row["source_repo"]
    gpu, precision = GPUS.get(row["gpu"]), PRECISIONS.get(row["precision"])
    if gpu is None or precision is None or row["kernel"] == "allreduce" or row["sparsity"] or not float(row["time_us"]) > 0:
        return None
    if neusight and number % keep or not neusight and not row["library"].startswith(LIBRARIES[gpu]):
        return None
    op, kind = row["op"], row["kernel"]
    if kind == "gemm":
        new = gemm(row, neusight)
        overhead = NEUSIGHT[gpu][op == "linear"] if neusight else DEEPBENCH_GEMM
        label = {"bmm": "gemm-batched", "linear": "gemm-linear"}.get(op, "gemm")
    elif kind == "conv":
        new, overhead = conv(row), NEUSIGHT[gpu][0] if neusight else DEEPBENCH_CONV
        label = new["operation"]
    elif kind == "rnn":
        if row["pass"] not in PASSES:
            return None
        new = {"operation": "rnn-" + PASSES[row["pass"]], "count": GATES[op], "m": row["hidden"], "n": row["rnn_batch"],
               "k": row["timesteps"]}
        label, overhead = "rnn-" + PASSES[row["pass"]], 0
    else:
        new, overhead = stream(row), NEUSIGHT_STREAM
        label = new["operation"]
        label += "-large" if float(row["size_bytes"]) >= LARGE else "-small"
    new["precision"], new["gpu"] = precision, gpu
    new["group"] = f"{gpu} {label} {precision} {'neusight' if neusight else 'deepbench'}"
    new["time"], new["overhead"] = f"{float(row['time_us'])}e-6", f"{overhead}e-6"
    return new


def main():
    keep = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    target = Path(sys.argv[3]) if len(sys.argv) > 3 else Path(__file__).parents[1] / "data" / "measured" / "kernels.csv.gz"
    with gzip.open(sys.argv[1], "rt", newline="") as stream_in:
        rows = [convert(row, keep, i) for i, row in enumerate(csv.DictReader(stream_in))]
    rows = [row for row in rows if row]
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for number, row in enumerate(sorted(rows, key=lambda r: r["group"])):
        writer.writerow({"id": f"k{number}", **row})
    target.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))
    print(len(rows), "rows", target.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
