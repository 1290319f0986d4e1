#!/usr/bin/env python3
"""Makes data/measured/operators.csv.gz of tables of published times of operators of language models.

    python3 lab/scripts/pack_operators.py serving_kernels.csv.gz operator_profiles.csv.gz

The sample is a rule: of each GPU, library, operator, kernel and type, sorted by their sizes, every second row,
beginning with the first. Collectives of NCCL other than all-reduces, and the exchanges of experts (DeepEP), are left
out: no operator of ours reads them. Columns that nothing reads are dropped.

Experts of vLLM in MXFP4 take as long on one GPU of many as on all: 64 tokens, 534 us on the one with 1 of 128 experts,
347 and more to read the weights of all. They are marked, as what ran is not what the row says.
"""
import csv
import gzip
import io
import sys
from pathlib import Path

COLUMNS = ["id", "source", "gpu", "library", "op", "kernel", "dtype", "kv_dtype", "m", "n", "k", "batch", "new_tokens",
           "past_tokens", "heads", "kv_heads", "head_dim", "window", "tokens", "hidden", "intermediate", "topk",
           "experts", "moe_tp", "moe_ep", "distribution", "gpus", "tp", "time_us", "message_bytes", "check"]
GROUP = ["source", "gpu", "library", "op", "kernel", "dtype", "kv_dtype"]
SIZES = ["m", "n", "k", "batch", "new_tokens", "past_tokens", "heads", "kv_heads", "head_dim", "window", "tokens",
         "hidden", "intermediate", "topk", "experts", "moe_tp", "moe_ep", "gpus", "tp", "message_bytes"]
LEFT_OUT = ("nccl_all_gather", "nccl_alltoall", "nccl_reduce_scatter", "deepep_ll_dispatch", "deepep_ll_combine")
EVERY = 2
TARGET = Path(__file__).resolve().parents[2] / "data" / "measured" / "operators.csv.gz"


def plain(text):
    """Times to five digits, as no measurement is better; sizes as whole numbers."""
    try:
        return f"{float(text):.5g}" if text else ""
    except ValueError:
        return text


def marked(row):
    whole = row["kernel"] == "vllm_mxfp4_moe" and float(row["moe_ep"]) > 1
    return {**row, "check": "all experts" if whole else row.get("check")}


def read(path):
    with gzip.open(path, "rt", newline="") as table:
        return [marked(row) for row in csv.DictReader(table) if row["op"] not in LEFT_OUT]


def order(row):
    return [row[name] for name in GROUP], [float(row[name] or 0) for name in SIZES], row["id"]


def sample(rows):
    groups = {}
    for row in sorted(rows, key=order):
        groups.setdefault(tuple(row[name] for name in GROUP), []).append(row)
    return [row for group in groups.values() for row in group[::EVERY]]


def main():
    rows = sample([row for path in sys.argv[1:] for row in read(path)])
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "time_us": plain(row["time_us"])} for row in rows)
    TARGET.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))
    print(len(rows), "rows", TARGET.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
