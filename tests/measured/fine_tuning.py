#!/usr/bin/env python3
"""Published fine-tuning with adapters against its gates: fine_tuning.py PERFMODEL rows.

Means of the absolute errors over the rows whose collection doubts neither the run nor the quantity. Where samples
differ in length, memory is of the longest, which is what is predicted, and time is of no sample that is known: such
rows count for memory alone. Errors by source come first.
"""
import collections
import csv
import gzip
import pathlib
import statistics
import sys

from judge import errors, judge, mean, run

TABLE = pathlib.Path(__file__).resolve().parents[2] / "data" / "measured" / "plans.csv.gz"
LENGTHS = "of the longest"

# figure: (gate, rows at least, start of the source): full training, weights and optimizer states in 16 bits
FULL = {
    "full, all in 16 bits, torchtune, memory": (15, 7, "pytorch/torchtune"),
    "full, all in 16 bits, litgpt, memory": (15, 4, "Lightning-AI/litgpt"),
}
KNOWN = {
    "full, all in 16 bits, litgpt, memory": (81, "5 to 7 bytes per parameter are published, less than weights, "
                                                 "gradients and states take together"),
}

# figure: (gate, rows at least, set, start of the id, whether rows of several lengths count)
GATES = {
    "fine-tuning, time": (25, 30, "plans", "finetune-", False),
    "fine-tuning, memory": (15, 30, "memory", "finetune-", False),
    "fine-tuning, memory of the longest samples too": (15, 45, "memory", "finetune-", True),
    "Llama 2 70B LoRA of MLPerf, time": (15, 33, "plans", "mlperf-lora-", False),
}


def counts(line, start, lengths):
    named = line["id"].startswith(start) and line["lora_rank"]
    certain = "GPU not named" not in line["check"] and LENGTHS in line["check"]
    return named and (line["check"] == "ok" or (lengths and certain))


def is_full(line, source):
    return line["source"] == source and not line["lora_rank"] and "lengths vary" not in line["check"]


def print_sources(name, found, lines):
    sources = collections.defaultdict(list)
    for row in found:
        line = lines[row["id"]]
        sources[line["source"], line["base_weights"] or "16 bits"].append(float(row["error [%]"]))
    for (source, weights), off in sorted(sources.items()):
        print(f"{name}, {source}, {weights}: {len(off)} rows, mean {statistics.fmean(map(abs, off)):.1f} %, "
              f"bias {statistics.fmean(off):+.1f} %")


def figures(command):
    with gzip.open(TABLE, "rt", newline="") as file:
        lines = {line["id"]: line for line in csv.DictReader(file)}
    sets = {name: run(command, name, "--rows")[0] for name in ("plans", "memory")}
    for name, (gate, least, of, start, lengths) in GATES.items():
        found = [row for row in sets[of] if row["error [%]"] and counts(lines[row["id"]], start, lengths)]
        if len(found) < least:
            sys.exit(f"{name}: {len(found)} of {least} rows have a prediction")
        print_sources(name, found, lines)
        yield name, len(found), mean(errors(found)), gate
    for name, (gate, least, source) in FULL.items():
        found = [row for row in sets["memory"] if row["error [%]"] and is_full(lines[row["id"]], source)]
        if len(found) < least:
            sys.exit(f"{name}: {len(found)} of {least} rows have a prediction")
        yield name, len(found), mean(errors(found)), gate


def main():
    return judge(list(figures(sys.argv[1])), KNOWN) > 0


if __name__ == "__main__":
    sys.exit(main())
