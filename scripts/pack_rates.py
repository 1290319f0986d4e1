#!/usr/bin/env python3
"""Writes data/measured/training.csv.gz and inference.csv.gz from tables of published rates.

    scripts/pack_rates.py FOLDER        with cnn_training.csv.gz, transformer_training.csv.gz, ... as they were collected

Rows stay as they are, in their order; columns that nothing reads are left out, and empty rows.
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


def read(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def pack(name, files, folder):
    rows = [row for file in files for row in read(folder / f"{file}.csv.gz")]
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
