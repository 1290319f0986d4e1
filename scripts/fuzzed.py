"""Adds a run of a fuzzer to docs/fuzzing.csv: seconds and inputs are added up, edges and failures are those of now.

    scripts/fuzzed.py TARGET SECONDS INPUTS EDGES FAILURES
"""

from __future__ import annotations

import csv
import datetime
import sys
from pathlib import Path

KEPT = Path(__file__).resolve().parents[1] / "docs" / "fuzzing.csv"
COLUMNS = ("target", "seconds", "inputs", "edges", "failures", "date")


def main() -> None:
    runs = {run["target"]: run for run in csv.DictReader(KEPT.open(newline=""))} if KEPT.exists() else {}
    run = dict(zip(COLUMNS, sys.argv[1:], strict=False), date=datetime.date.today().isoformat())
    before = runs.get(run["target"])
    if before:
        run |= {key: str(int(run[key]) + int(before[key])) for key in ("seconds", "inputs")}
    runs[run["target"]] = run
    with KEPT.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(runs[name] for name in sorted(runs))


if __name__ == "__main__":
    main()
