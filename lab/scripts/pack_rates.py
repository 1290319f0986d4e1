#!/usr/bin/env python3
"""Writes data/measured/training.csv.gz, training_checks.csv.gz and inference.csv.gz from tables of published rates.

    lab/scripts/pack_rates.py FOLDER        with cnn_training.csv.gz, transformer_training.csv.gz, ... as they were
                                            collected

Rows stay as they are, in their order; columns that nothing reads are left out, and empty rows. Pairs of rows that were
collected as mixed precision, although the heading of one's column in the source is FP32, are named as the source does;
so are tables of inference whose precision only a caption above them says, and those of speech recognition batch and
duration, and what ran, where a line compares two.
"""
import csv
import gzip
import io
import pathlib
import re
import sys

TARGET = pathlib.Path(__file__).resolve().parents[2] / "data" / "measured"
TRAINING = ["cnn_training", "transformer_training", "other_training"]
SETS = {
    "training": TRAINING,
    "training_checks": TRAINING,
    "inference": ["inference"],
}
UNREAD = {"data", "parallelism", "gpu_family", "concurrency", "latency_p50_ms", "latency_p90_ms", "latency_p95_ms",
          "latency_p99_ms"}


# Tables with a column for FP32 and one for mixed precision, both collected as mixed, by path, and which of the two is
# FP32.
# Of pages up to 2019 it is the second, later the first, as their headings say.
PAIRS = {
    "PyTorch/Recommendation/NCF/README.md": lambda row: 0 if row["source_commit_or_date"].split()[-1] >= "2020" else 1
}


def name_columns(rows):
    """The precision of such pairs: neighbours with the same place, batch and GPUs."""
    for first, second in zip(rows, rows[1:]):
        same = all(first.get(key) == second.get(key) for key in ("source_path", "source_commit_or_date", "gpus",
            "batch_per_gpu"))
        page = PAIRS.get(first["source_path"].split("#")[0])
        if not same or page is None or {first["precision"], second["precision"]} != {"fp16-mixed"}:
            continue
        single = (first, second)[page(first)]
        single["precision"] = "fp32"
        single["note"] += "; precision by the heading of the column"


# Sections of inference hold a table for each precision, of which the captions are "FP16" and "TF32", or the other way
# round.
# Collected was the precision of the first alone. What follows it is the other one, but for these pages.
SECTION = re.compile(r"section: ([^;]*)")
# FP32, mixed, mixed + XLA; on A100 TF32, TF32 + XLA, mixed, mixed + XLA
CONVNETS = "TensorFlow/Classification/ConvNets/"
PADDLE = "PaddlePaddle/Classification/RN50v1.5/"  # TF32, FP16, INT8
BERT = "LanguageModeling/BERT/"  # BERT-Large in both, then BERT-Base in both
UNKNOWN = ("GNMT/", "UNet3P/", "FasterTransformer/")  # other orders, not opened


def tables_of(rows):
    """Tables of inference by section: rows on consecutive lines of a page."""
    sections = {}
    for row in rows:
        page, _, line = row["source_path"].partition("#L")
        section = SECTION.search(row["note"])
        if (
            line.isdigit()
            and section
            and row["serving"] == "native"
            and row["source_repo"].endswith("DeepLearningExamples")
        ):
            sections.setdefault((page, row["source_commit_or_date"], section.group(1)), []).append((int(line), row))
    for (page, _, _), found in sections.items():
        tables = []
        for line, row in sorted(found, key=lambda entry: entry[0]):
            if not tables or line > last + 1:
                tables.append([])
            tables[-1].append(row)
            last = line
        yield page, tables


def name_tables(rows):
    """The precision of tables that were collected without one, by their captions."""
    for page, tables in tables_of(rows):
        named = {row["precision"] for row in tables[0]}
        if any(word in page for word in UNKNOWN) or len(named) != 1 or named == {""}:
            continue
        first = named.pop()
        other = "fp16-mixed" if first in ("fp32", "tf32") else "tf32" if tables[0][0]["gpu"].startswith("A") else "fp32"
        unnamed = [(index, table) for index, table in enumerate(tables) if table[0]["precision"] == ""]
        for index, table in unnamed:
            for row in table:
                row["precision"] = "int8" if page.startswith(PADDLE) and index == 2 else other
                row["note"] += "; precision by the caption of the table"
                if BERT in page and index >= 2:
                    row["model"], row["precision"] = "BERT-Base", (first, other)[index % 2]
        if page.startswith(CONVNETS):
            again = [table for a, table in zip(tables, tables[1:]) if a[0]["precision"] == table[0]["precision"]]
            for row in (row for table in again for row in table):
                row["note"] += "; XLA by the caption of the table"


DURATIONS = ("2.0", "7.0", "16.7")
BATCHES = (1, 2, 4, 8, 16)


def name_durations(rows):
    """Batch and duration of the tables of speech recognition, whose first two columns were not collected: 15 lines,
    batches within durations. What was collected is the latency in FP16, its 90th percentile; a line of the heading is
    no row."""
    for page, tables in tables_of(row for row in rows if row["batch"] == "" and row["latency_avg_ms"]):
        if "SpeechRecognition/" not in page:
            continue
        found = [(int(row["source_path"].partition("#L")[2]), row) for table in tables for row in table]
        headings = [line + 1 for line, row in found if "speed up=Avg" in row["note"]]
        first = headings[0] if headings else found[0][0]
        if found[-1][0] - first != len(DURATIONS) * len(BATCHES) - 1:
            continue
        for line, row in found:
            if line >= first:
                row["batch"] = str(BATCHES[(line - first) % len(BATCHES)])
                row["note"] += f"; Duration (s)={DURATIONS[(line - first) // len(BATCHES)]}; 90th percentile"


COMPARED = "PyTorch/SpeechRecognition/Jasper/tensorrt/README.md"


def name_compared(rows):
    """A page with two rates in each line, of TensorRT and then of PyTorch, both collected as TensorRT's, and with the
    duration in the first of its five lines alone."""
    lines = {}
    for row in rows:
        page, _, line = row["source_path"].partition("#L")
        if page == COMPARED and row["batch"]:
            lines.setdefault(int(line), []).append(row)
    duration = None
    for _, (engine, framework) in sorted(lines.items()):
        duration = engine["seq_len"] or duration
        framework["serving"] = "native"
        for row in (engine, framework):
            row["seq_len"] = ""
            row["note"] += f"; Duration (s)={float(duration)}; 90th percentile"


def read(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def is_of(name, row):
    """Constants are fitted to the rows of `training`; further GPUs and timm check them. Plans are packed with all that
    their source says (pack_plans.py)."""
    check = row["gpu"] in ("B200", "RTX A4000") or row["source_repo"] == "huggingface/pytorch-image-models"
    if row["source_repo"] == "NVIDIA-NeMo/Megatron-Bridge":
        return False
    return name == "inference" or check == (name == "training_checks")


def pack(name, files, folder):
    rows = [row for file in files for row in read(folder / f"{file}.csv.gz") if is_of(name, row)]
    name_columns(rows)
    if name == "inference":
        name_tables(rows)
        name_durations(rows)
        name_compared(rows)
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
