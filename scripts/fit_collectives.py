#!/usr/bin/env python3
"""Fits data/calibration/collectives.xml to the rows of data/measured/collectives.csv.gz marked `fit`.

    python3 scripts/fit_collectives.py path/to/perfmodel [rounds]

The command itself is the model: constants are tried by giving it a catalogue file that overrides the shipped one. Each
constant is moved alone, up and down by shrinking factors, and kept where the sum over machines, collectives and regimes
of the mean of log(1 + |error|) is least, errors above a quarter counting more; architectures do not share rows, so all move at once. Constants
that no row of an architecture feels keep the value of the architecture named in LIKE. Rows marked held-out or document
never count.
"""
import collections
import csv
import io
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "data" / "calibration" / "collectives.xml"

UNITS = {"launch": "us", "network_hop": "us", "network_simple": "us", "in_switch_latency": "us",
         "in_switch_network": "us", "pairs_latency": "us", "pairs_rank": "us", "chain_rank": "us", "chunk": "KB",
         "old_chunk": "KB", "old_launch": "us",
         "old_most": "GB/s"}
ORDER = ["launch", "knee", "part_knee", "chain_knee", "network_knee", "network_hop", "network_simple",
         "in_switch_efficiency", "in_switch_latency", "in_switch_network", "pairs_latency", "pairs_rank",
         "pairs_efficiency", "pairs_launch", "chain_rank", "chunk", "old_chunk",
         "old_launch", "old_most", "ll_share", "ll128_share", "odd_share"]

# Architectures with rows, by machine.
ARCHITECTURE = {"azure-nda100v4": "ampere", "oci-bm-gpu-b4": "ampere", "oci-bm-gpu4": "ampere", "p5": "hopper",
                "dgx1-p100": "pascal", "summitdev": "pascal", "dgx1-v100-roce2": "volta", "dgx2": "volta",
                "oci-bm-gpu3": "volta", "mi300x-node": "cdna3"}

# Where the constants that an architecture has no rows for come from.
LIKE = {"kepler": "pascal", "maxwell": "pascal", "turing": "volta", "blackwell": "hopper", "cdna2": "cdna3"}
OLD = {name: "pascal" for name in ("chunk", "old_chunk", "old_launch", "odd_share")}
FROM = {"pascal": {"pairs_latency": "ampere", "pairs_rank": "ampere", "pairs_efficiency": "ampere",
                   "pairs_launch": "ampere", "ll128_share": "volta"},
        "volta": {"pairs_latency": "ampere", "pairs_rank": "ampere", "pairs_efficiency": "ampere",
                  "pairs_launch": "ampere", "chain_rank": "pascal", "network_hop": "ampere",
                  "network_simple": "ampere", **OLD},
        "ampere": {"chain_rank": "pascal", **OLD},
        "hopper": {"part_knee": "ampere", "chain_knee": "ampere", "pairs_latency": "ampere", "pairs_rank": "ampere",
                   "pairs_efficiency": "ampere", "pairs_launch": "ampere", "chain_rank": "pascal",
                   **OLD},
        "cdna3": {"part_knee": "ampere", "chain_knee": "ampere", "network_knee": "ampere", "network_hop": "ampere",
                  "network_simple": "ampere", "pairs_latency": "ampere", "pairs_rank": "ampere",
                  "pairs_efficiency": "ampere", "pairs_launch": "ampere", "chain_rank": "pascal",
                  **OLD}}
NO_SWITCH = ("in_switch_efficiency", "in_switch_latency", "in_switch_network")
SHARES = ("ll_share", "ll128_share", "odd_share", "pairs_efficiency")
REGIMES = ("<64 KB", "64 KB-16 MB", ">=16 MB")


def read_fits(text):
    fits = collections.OrderedDict()
    for entry in re.finditer(r'<fit id="(\w+)".*?</fit>', text, re.S):
        values = re.findall(r"<(\w+)(?: [^>]*)?>(-?[\d.e-]+)(?: (?:us|KB|GB/s))?</", entry.group(0))
        fits[entry.group(1)] = {name: float(value) for name, value in values if name in ORDER}
    return fits


def write_fits(fits, notes=None):
    lines = ['<?xml version="1.0" encoding="UTF-8"?>',
             "<!-- Constants of collectives, written by scripts/fit_collectives.py: which architecture's rows each was fitted to, or",
             "     whose value stands in, is in its note. Rows that were kept out and statements of the documents played no part. -->",
             '<perfmodel version="1">', ""]
    for name, fit in fits.items():
        lines.append(f'  <fit id="{name}" name="Collectives on {name}" source="collective-runs">')
        for key in ORDER:
            if key not in fit:
                continue
            unit = " " + UNITS[key] if key in UNITS else ""
            note = f' note="{notes[name][key]}"' if notes and notes[name].get(key) else ""
            lines.append(f"    <{key}{note}>{fit[key]:.4g}{unit}</{key}>")
        lines += ["  </fit>", ""]
    return "\n".join(lines + ["</perfmodel>", ""])


def scores(command, fits):
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write(write_fits(fits))
        file.flush()
        out = subprocess.run([command, "validate", "--set", "collectives", "--rows", "--format", "csv", "-q",
                              "--catalog", file.name], capture_output=True, text=True, check=True).stdout
    sums = collections.defaultdict(list)
    for row in csv.DictReader(io.StringIO(out)):
        if row["use"] == "fit" and row["error [%]"] and row["regime"] in REGIMES:
            # by machine and collective, so that a long sweep does not outweigh the others
            key = ARCHITECTURE[row["machine"]], row["regime"], row["machine"], row["collective"]
            error = abs(float(row["error [%]"])) / 100
            sums[key].append(math.log1p(error) + max(0, error - 0.25))
    total = collections.defaultdict(float)
    for (architecture, *_), values in sums.items():
        total[architecture] += sum(values) / len(values)
    return total


def felt(architecture, key):
    if key in NO_SWITCH and architecture != "hopper":
        return False
    if key == "old_most" and architecture != "pascal":
        return False
    return key not in FROM[architecture]


def improve(command, fits, key, factor, best):
    """Tries the key up and down at once in all architectures; keeps what helps."""
    for step in (factor, 1 / factor):
        trial = {name: dict(fit) for name, fit in fits.items()}
        for name in best:
            if felt(name, key):
                value = trial[name][key]
                trial[name][key] = value * step if abs(value) > 0.02 else value + (step - 1) * 0.1
                if key == "in_switch_efficiency":
                    trial[name][key] = min(trial[name][key], 1)
                trial[name][key] = max(trial[name][key], 0.001)
                if key in SHARES:
                    trial[name][key] = min(trial[name][key], 2 if key == "ll_share" else 1)
        for name, score in scores(command, trial).items():
            if felt(name, key) and score < best[name] - 1e-9:
                best[name] = score
                fits[name][key] = trial[name][key]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    command, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 6
    fits = read_fits(FILE.read_text())
    best = dict(scores(command, fits))
    factor = 1.5
    for turn in range(rounds):
        for key in ORDER:
            improve(command, fits, key, factor, best)
        print(f"round {turn + 1}: " + ", ".join(f"{name} {score:.3f}" for name, score in sorted(best.items())))
        factor = 1 + (factor - 1) * 0.65
    notes = collections.defaultdict(dict)
    for name, sources in FROM.items():
        for key, source in sources.items():
            fits[name][key] = fits[source][key]
            notes[name][key] = f"as fitted for {source}"
        for key in ORDER:
            if felt(name, key):
                machines = ", ".join(sorted(m for m, a in ARCHITECTURE.items() if a == name))
                notes[name][key] = f"fitted: {machines}"
            elif key in NO_SWITCH and key in fits[name]:
                del fits[name][key]
    for name, like in LIKE.items():
        launch = fits[name].get("launch")
        fits[name] = dict(fits[like])
        notes[name] = {key: f"as for {like}" for key in fits[name]}
        del launch
    FILE.write_text(write_fits(fits, notes))


if __name__ == "__main__":
    main()
