#!/usr/bin/env python3
"""Fits the prediction interval of input paths to published rates of decoding and reading, and prints it as an entry.

    lab/scripts/input_interval.py PERFMODEL [FILE]...     (perfmodel calibrate --all --part input-interval)

Calibrated: all rows of the set `storage` that are compared and are no plain arithmetic on data sheets, every group
alike. Extrapolated: rows of each CPU, decoded as fast as the others do in the mean. Not calibrated is as much again (a
rule: there are no rows without rows). A spread is such that 80 % of the rows lie in the interval."""
import csv
import pathlib
import re
import tempfile
import xml.etree.ElementTree

import numpy as np

from entries import ROOT, arguments, as_file
from fit_intervals import TENTH, interval
from left_out import run

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
    return run(command, "storage", "--data", str(file))["storage"]


def main():
    command = arguments(__doc__).command
    rows = [row for row in run(command, "storage")["storage"] if row["group"] in READ]
    with tempfile.TemporaryDirectory() as folder:
        others = left_out(command, folder)
    rate = spread_of(grouped(rows, READ))
    factor = spread_of(grouped(others, DECODED)) / rate
    values = {"rate": rate, "extrapolated": factor, "not_calibrated": factor ** 2}
    note = "decoding and reading; extrapolated: each CPU left out; not calibrated: its square (rule)"
    print(as_file([interval(command, "input", values, len(rows) + len(others), note, "storage")]))


if __name__ == "__main__":
    main()
