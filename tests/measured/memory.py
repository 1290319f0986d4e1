#!/usr/bin/env python3
"""Published memory of plans against its gates: memory.py PERFMODEL rows.

Means of the absolute errors, like with like: what torch's allocator had at its peak against the same of the measured
rank, without the context of CUDA. Only rows that their collection does not doubt count, but for Llama 3.1 405B, whose
doubt is that the first rank, which logged, may not be the fullest: it is the first rank that is predicted.
"""
import csv
import gzip
import pathlib
import statistics
import sys

from judge import errors, judge, mean, run

TABLE = pathlib.Path(__file__).resolve().parents[2] / "data" / "measured" / "plans.csv.gz"
LOGGED = "memory is of the logging rank, maybe not the fullest stage"

# figure: (gate, rows at least, quantity, start of the network, start of the id, check)
GATES = {
    "Megatron-LM tests, dense, allocator peak": (6, 150, "allocator_peak", "gpt ", "megatron-", "ok"),
    "Megatron-LM tests, experts, allocator peak": (10, 50, "allocator_peak", "gpt-moe ", "megatron-", "ok"),
    "Llama 3.1 405B in FP8, allocator peak": (15, 7, "allocator_peak", "llama ", "mlperf-large-", LOGGED),
}


def is_of(line, quantity, network, start, check):
    return (line["quantity"], line["check"]) == (quantity, check) and line["network"].startswith(network) and \
        line["id"].startswith(start)


def figures(command):
    with gzip.open(TABLE, "rt", newline="") as file:
        lines = {line["id"]: line for line in csv.DictReader(file)}
    rows, notes = run(command, "memory", "--rows")
    print(notes)
    predicted = [row for row in rows if row["error [%]"]]
    for name, (gate, least, *wanted) in GATES.items():
        found = [row for row in predicted if is_of(lines[row["id"]], *wanted)]
        if len(found) < least:
            sys.exit(f"{name}: {len(found)} of {least} rows have a prediction")
        print(f"{name}: bias {statistics.fmean(float(row['error [%]']) for row in found):+.1f} %")
        yield name, len(found), mean(errors(found)), gate


def main():
    return judge(list(figures(sys.argv[1])), {}) > 0


if __name__ == "__main__":
    sys.exit(main())
