#!/usr/bin/env python3
"""Collectives against published runs: fails when an error passes its limit, prints the errors by system and size.

    collectives.py path/to/perfmodel

Limits are median and 90th percentile of |predicted - measured| / measured, in per cent: the errors of the closed form
that the model began with, fitted (`all`) and on systems kept out. Systems of `held-out` took no part in any fit. Below
16 MB these are two nodes of A100s with SHARP and two single rows, whose errors pass that form's (18.5 / 60 and 13.3 / 44):
printed, not limited. From 16 MB on its median is reached, its 90th percentile, 18, is not. docs/collectives.md has the errors with each machine left out in turn.
"""
import csv
import io
import subprocess
import sys

LIMITS = {
    "all <64 KB": (8.5, 32),
    "all 64 KB-16 MB": (15.8, 41),
    "all >=16 MB": (4.8, 18),
    "all copies": (5, 20),
    "held-out >=16 MB": (5.3, 25),
    "document >=16 MB": (5, 12),
    "document copies": (5, 20),
}
ROWS = {"all <64 KB": 340, "all 64 KB-16 MB": 240, "all >=16 MB": 380}


def main():
    out = subprocess.run([sys.argv[1], "validate", "--set", "collectives", "--format", "csv", "-q"],
                         capture_output=True, text=True, check=True).stdout
    rows = {row["group"]: row for row in csv.DictReader(io.StringIO(out))}
    bad = 0
    for group, row in rows.items():
        median, p90, count = float(row["median [%]"]), float(row["p90 [%]"]), int(row["rows"])
        limit = LIMITS.get(group)
        over = limit is not None and (median > limit[0] or p90 > limit[1] or count < ROWS.get(group, 1))
        bad += over
        print(f"{group:36s} {count:5d} rows  median {median:6.1f} %  p90 {p90:6.1f} %"
              + (f"   limits {limit[0]} / {limit[1]}" if limit else "") + ("   ABOVE" if over else ""))
    missing = set(LIMITS) - set(rows)
    if missing:
        print("no rows for " + ", ".join(sorted(missing)))
    return 1 if bad or missing else 0


if __name__ == "__main__":
    sys.exit(main())
