#!/usr/bin/env python3
"""Holds the shipped constants to what the calibration program makes of the shipped rows.

    reproduce.py PERFMODEL DATA OPTIONS...      DATA: the folder with the catalogue; OPTIONS of perfmodel calibrate

Every constant must come out again within a per cent, or within a tenth of their uncertainty:
mathematical libraries differ in the last digit, and the search has kinks.
"""
import csv
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

UNITS = {"us": 1e-6, "pJ/FLOP": 1e-12, "B": 1, "MB": 1e6}


def stored(data):
    values = {}
    roots = [xml.parse(Path(data) / name).getroot() for name in ("calibration/kernels.xml", "frameworks/frameworks.xml",
        "frameworks/today.xml")]
    for entry in [entry for root in roots for entry in root]:
        for field in entry:
            number, _, unit = (field.text or "").partition(" ")
            try:
                values[entry.get("id"), field.tag] = float(number) * UNITS.get(unit, 1)
            except ValueError:
                pass
    return values


def main():
    command, data, *options = sys.argv[1:]
    text = subprocess.run([command, "calibrate", *options, "--format", "csv", "--quiet"], check=True,
                          capture_output=True, text=True).stdout
    shipped, bad, rows = stored(data), 0, 0
    for row in csv.DictReader(text.splitlines()):
        value, uncertainty = float(row["value"]), float(row["uncertainty"] or "nan")
        old = shipped.get((row["entry"], row["constant"]))
        rows += 1
        share = abs(value / old - 1) if old else float("inf")
        if share <= 0.01 or share <= 0.1 * uncertainty:
            continue
        bad += 1
        print(f"{row['entry']} {row['constant']}: shipped {old}, calibrated {value}")
    print(f"{rows} constants, {bad} differ")
    return 1 if bad or rows == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
