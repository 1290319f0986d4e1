#!/usr/bin/env python3
"""Writes data/measured/kernels.csv.gz, a sample of the table of published kernel times, in the same layout.

    lab/scripts/sample_kernels.py TABLE.csv.gz [KEEP]     every KEEP-th row of NeuSight (default 4), DeepBench whole

Rows that are no kernel of ours are dropped, and so are the columns that nothing reads.
"""
import csv
import gzip
import io
import sys
from pathlib import Path

COLUMNS = ["kernel", "op", "pass", "B", "M", "N", "K", "transA", "transB", "conv_W", "conv_H", "conv_C", "conv_N",
           "conv_K", "filt_R_h", "filt_S_w", "pad_h", "pad_w", "stride_h", "stride_w", "hidden", "rnn_batch",
           "timesteps", "shape", "precision", "gpu", "gpu_memory_GB", "time_us", "library", "source_repo", "note"]
CHECKS = ("AMD MI25", "AMD Instinct MI100", "Titan X (Pascal)")  # whose constants are rules: these rows test them
TARGET = Path(__file__).resolve().parents[2] / "data" / "measured" / "kernels.csv.gz"


def wanted(row, number, keep):
    if row["kernel"] == "allreduce" or row["sparsity"]:
        return False
    return row["gpu"] not in CHECKS and ("NeuSight" not in row["source_repo"] or number % keep == 0)


def shortened(row):
    """Of the notes only the line of a NeuSight convolution is needed: what the host adds grows with it."""
    neusight = "NeuSight" in row["source_repo"] and row["kernel"] == "conv"
    return {**row, "note": row["note"].split(";")[0] if neusight else ""}


def main():
    keep = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    with gzip.open(sys.argv[1], "rt", newline="") as table:
        rows = [shortened(row) for number, row in enumerate(csv.DictReader(table)) if wanted(row, number, keep)]
    rows.sort(key=lambda row: (row["source_repo"], row["gpu"], row["precision"], row["kernel"], row["op"], row["pass"]))
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    TARGET.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))
    print(len(rows), "rows", TARGET.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
