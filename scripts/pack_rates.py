#!/usr/bin/env python3
"""Writes data/measured/training.csv.gz and inference.csv.gz from tables of published rates.

    scripts/pack_rates.py FOLDER        with cnn_training.csv.gz, transformer_training.csv.gz, ... as they were collected

Rows stay as they are, in their order; columns that nothing reads are left out, and empty rows. Pairs of rows that were
collected as mixed precision, although the heading of one's column in the source is FP32, are named as the source does.
"""
import csv
import gzip
import io
import pathlib
import sys

TARGET = pathlib.Path(__file__).resolve().parent.parent / "data" / "measured"
SETS = {
    "training": ["cnn_training", "transformer_training", "other_training"],
    "inference": ["inference"],
}
UNREAD = {"data", "parallelism", "gpu_family", "concurrency", "latency_p50_ms", "latency_p90_ms", "latency_p95_ms",
          "latency_p99_ms"}


# Tables with a column for FP32 and one for mixed precision, both collected as mixed, by path, and which of the two is FP32.
# Of pages up to 2019 it is the second, later the first, as their headings say.
PAIRS = {"PyTorch/Recommendation/NCF/README.md": lambda row: 0 if row["source_commit_or_date"].split()[-1] >= "2020" else 1}


def name_columns(rows):
    """The precision of such pairs: neighbours with the same place, batch and GPUs."""
    for first, second in zip(rows, rows[1:]):
        same = all(first.get(key) == second.get(key) for key in ("source_path", "source_commit_or_date", "gpus", "batch_per_gpu"))
        page = PAIRS.get(first["source_path"].split("#")[0])
        if not same or page is None or {first["precision"], second["precision"]} != {"fp16-mixed"}:
            continue
        single = (first, second)[page(first)]
        single["precision"] = "fp32"
        single["note"] += "; precision by the heading of the column"


def read(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def pack(name, files, folder):
    rows = [row for file in files for row in read(folder / f"{file}.csv.gz")]
    name_columns(rows)
    columns = [column for column in rows[0] if column not in UNREAD]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    with open(TARGET / f"{name}.csv.gz", "wb") as raw:
        with gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:  # the same bytes every time
            file.write(text.getvalue().encode())
    print(f"{name}: {len(rows)} rows, {(TARGET / f'{name}.csv.gz').stat().st_size} bytes")


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, files in SETS.items():
        pack(name, files, folder)


if __name__ == "__main__":
    main()
