#!/usr/bin/env python3
"""Fits the prediction interval of input paths, in data/frameworks/frameworks.xml, to published rates of decoding and
reading.

    lab/scripts/input_interval.py [--perfmodel PATH] [--write]

Calibrated: all rows of the set `storage` that are compared and are no plain arithmetic on data sheets, every group
alike. Extrapolated: rows of each CPU, decoded as fast as the others do in the mean. Not calibrated is as much again (a
rule: there are no rows without rows). A spread is such that 80 % of the rows lie in the interval."""
import argparse
import csv
import pathlib
import re
import tempfile
import xml.etree.ElementTree

import numpy as np

from fit_intervals import TENTH, write
from left_out import run

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = ROOT / "data/measured/storage.csv"
READ = ("decode", "loader", "fio", "dali")
DECODED = ("decode", "loader")


def spread_of(groups):
    """The spread whose interval holds 80 % of the rows, every group counting alike."""
    off = sorted((abs(np.log(float(row["measured"]) / float(row["predicted"]))),
                  1 / len(rows)) for rows in groups for row in rows)
    size, weight = np.array(off).T
    return np.interp(0.8, np.cumsum(weight) / len(groups), size) / TENTH


def grouped(rows, names):
    return [[row for row in rows if row["group"] == name] for name in names]


def scales():
    """Time of decoding over that of the reference, by CPU: those that were measured."""
    decoders = xml.etree.ElementTree.parse(ROOT / "data/hosts/decoders.xml").getroot().iter("decoder")
    return {decoder.get("alias"): float(decoder.findtext("scale")) for decoder in decoders
            if decoder.get("alias") and decoder.findtext("calibration") == "calibrated"}


def of_others(run_of, known):
    """What a row asks, with the scale of its CPU that of the others."""
    cpu = re.search(r"cpu=([^,]+)", run_of)[1]
    others = [np.log(scale) for name, scale in known.items() if name != cpu]
    return f"{run_of}, decoder.scale={np.exp(np.mean(others)):.4f}"


def left_out(command, folder):
    """The rows of decoding, each with its CPU left out."""
    rows, known = list(csv.DictReader(ROWS.open())), scales()
    kept = [row | {"run": of_others(row["run"],
                                    known)} for row in rows if row["document"] in DECODED and row["kind"] == "value"]
    file = pathlib.Path(folder) / "storage.csv"
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(kept)
    return run(command, "storage", "--data", str(file))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--perfmodel", default="perfmodel")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    rows = [row for row in run(arguments.perfmodel, "storage") if row["group"] in READ]
    with tempfile.TemporaryDirectory() as folder:
        others = left_out(arguments.perfmodel, folder)
    rate = spread_of(grouped(rows, READ))
    factor = spread_of(grouped(others, DECODED)) / rate
    values = {"rate": rate, "extrapolated": factor, "not_calibrated": factor ** 2}
    print(f"{len(rows)} rows, {len(others)} with the CPU left out: {values}")
    if arguments.write:
        write("input", values, len(rows) + len(others), "decoding and reading; extrapolated: each CPU left out; not "
              "calibrated: its square (rule)", "storage")


if __name__ == "__main__":
    main()
