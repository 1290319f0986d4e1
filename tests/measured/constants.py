#!/usr/bin/env python3
"""Whether `perfmodel calibrate --all` finds the constants of the tree again, to six digits.

    constants.py PERFMODEL [PART...]     the parts that need no Python, or these

All numbers of data/calibration and data/frameworks are compared: also those that no part writes, which have to stay."""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

ROOT = pathlib.Path(__file__).resolve().parents[2]
FITS = ("collectives", "operators", "kernels", "training", "language", "documents", "inference", "large-models",
        "plans", "grouped", "energy")
FILES = ("data/calibration/*.xml", "data/frameworks/*.xml")


def values(root):
    """(file, kind, id, field) -> text and evidence, of every entry."""
    return {(str(path.relative_to(root)), entry.tag, entry.get("id"), value.tag): (value.text, dict(value.attrib))
            for pattern in FILES for path in sorted(root.glob(pattern))
            for entry in ET.parse(path).getroot() for value in entry}


def rounded(text):
    """The text with its numbers at six digits."""
    return re.sub(r"\d[\d.]*(?:e[-+]?\d+)?", lambda number: f"{float(number[0]):.6g}", text)


def moved(before, after):
    """How far a number moved, as a share of it; None if it is no number or its unit changed."""
    old, new = before.split(), after.split()
    if old[1:] != new[1:]:
        return None
    try:
        return abs(float(new[0]) / float(old[0]) - 1)
    except ValueError:
        return None


def main():
    command, parts = sys.argv[1], sys.argv[2:] or FITS
    before = values(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        options = ["--part", ",".join(parts), "--source", str(ROOT), "-o", folder, "-q"]
        subprocess.run([command, "calibrate", "--all", *options], check=True, stdout=subprocess.DEVNULL)
        after = values(pathlib.Path(folder))
    lost = [key for key in before if key not in after]
    other = [key for key, (text, _) in after.items() if key not in before or rounded(before[key][0]) != rounded(text)]
    fitted = [key for key, (_, evidence) in before.items() if "fitted_to" in evidence]
    for key in lost + other:
        old, new = before.get(key, ("nothing",))[0], after.get(key, ("nothing",))[0]
        share = moved(old, new)
        print(*key, old, "->", new, "" if share is None else f"{100 * share:.3g} %")
    print(f"{len(fitted)} fitted constants of {len(before)} values, {len(lost + other)} not found again")
    return 1 if lost or other else 0


if __name__ == "__main__":
    sys.exit(main())
