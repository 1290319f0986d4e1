#!/usr/bin/env python3
"""Fits data/calibration/collectives.xml to the published runs of collectives that are marked `fit`.

    python3 scripts/fit_collectives.py perfmodel all.csv                    fits, and writes the file
    python3 scripts/fit_collectives.py perfmodel all.csv --cross-validate   leaves one machine out after the other

perfmodel is the path of the command, all.csv the table that scripts/pack_collectives.py writes, with the rows that are not
shipped.

The command itself is the model: constants are tried by giving it a catalogue file that overrides the shipped one. All
start from round numbers, each is moved alone, up and down by shrinking factors, and kept where the sum over machines,
collectives and regimes of the mean of log(1 + |error|) is least, errors above a quarter counting more. Most constants are
one value for all architectures; those of OWN are fitted for each, on its own machines, and where those feel nothing of
it, it is that of the architecture named in NEXT. Rows marked held-out or document never count.

Cross-validation repeats the fit without any row of one machine and predicts that machine's rows; what was read off its
rows in data/calibration/links.xml is replaced by the library's own constants (LINKS). It writes no file. It takes
minutes.
"""
import collections
import concurrent.futures
import csv
import io
import math
import os
import re
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "data" / "calibration" / "collectives.xml"

# Constants in the order of the file: unit, and where the search starts. None: not fitted, read off one run.
CONSTANTS = {
    "launch": ("us", 5), "knee": ("", 0.1), "part_knee": ("", 0.1), "chain_knee": ("", 0.1), "network_knee": ("", 0.2),
    "network_base": ("us", 3), "network_hop": ("us", 3), "network_simple": ("us", 18),
    "in_switch_efficiency": ("", 0.83), "in_switch_latency": ("us", 7), "in_switch_network": ("us", 17),
    "pairs_latency": ("us", 18), "pairs_rank": ("us", 0.6), "pairs_efficiency": ("", 0.93), "pairs_launch": ("", 2.5),
    "chain_rank": ("us", 1.3), "chain_fill": ("us", 6), "chunk": ("KB", 900), "old_chunk": ("KB", 150),
    "old_launch": ("us", 4.2), "old_most": ("GB/s", 62), "ll_share": ("", 1), "ll128_share": ("", 1),
    "odd_share": ("", 0.43)}
UNFITTED = {"old_most": "broadcast of 1 GB on 8 GPUs, NCCL 1.6: dgx1-p100"}
ONLY = {"old_most": ("kepler", "maxwell", "pascal")}
OWN = ("launch", "knee", "network_knee")
MOST = {"in_switch_efficiency": 1, "pairs_efficiency": 1, "ll_share": 2, "ll128_share": 1, "odd_share": 1}
LEAST = 0.001

# Machines with rows to fit, by architecture; and where an architecture's own constants come from without them.
ARCHITECTURE = {"azure-nda100v4": "ampere", "oci-bm-gpu-b4": "ampere", "oci-bm-gpu4": "ampere", "p5": "hopper",
                "dgx1-p100": "pascal", "summitdev": "pascal", "dgx1-v100-roce2": "volta", "dgx2": "volta",
                "oci-bm-gpu3": "volta", "mi300x-node": "cdna3"}
NEXT = {"pascal": "volta", "volta": "ampere", "ampere": "volta", "hopper": "ampere", "cdna3": "ampere",
        "kepler": "pascal", "maxwell": "pascal", "turing": "volta", "blackwell": "hopper", "cdna2": "cdna3"}
ORDER = ("kepler", "maxwell", "pascal", "volta", "turing", "ampere", "hopper", "blackwell", "cdna2", "cdna3")

# What data/calibration/links.xml has from one machine alone: efficiency and fabric latency [us] without its rows, the
# library's own payload (nccl, rccl: src/graph/topo.h) over line rate, and no latency beyond its constants.
LINKS = {"dgx1-p100": ("nvlink1", 18 / 20, None), "oci-bm-gpu3": ("nvlink2", 20 / 25, None),
         "dgx2": ("nvlink2-nvswitch", 20 / 25, None), "mi300x-node": ("xgmi-mi300", 48 / 64, None),
         "p5": ("efa2-100g", 0.96, 0), "dgx1-v100-roce2": ("roce-100g-container", 0.96, 0)}
REGIMES = ("<64 KB", "64 KB-16 MB", ">=16 MB")


# ---- Files


def fit_lines(name, fit, notes):
    yield f'  <fit id="{name}" name="Collectives on {name}" source="collective-runs">'
    for key, (unit, _) in CONSTANTS.items():
        if name not in ONLY.get(key, ORDER):
            continue
        attributes = notes[key] if notes else ""
        yield f"    <{key}{attributes}>{fit[key]:.4g}{' ' + unit if unit else ''}</{key}>"
    yield "  </fit>\n"


def write_file(fits, notes=None, links=""):
    lines = ['<?xml version="1.0" encoding="UTF-8"?>',
             "<!-- Constants of collectives, written by scripts/fit_collectives.py. They are fitted to the rows of all machines",
             f"     ({', '.join(sorted(ARCHITECTURE))}),",
             "     or of those that fitted_to names, or the note says whose value stands in. Rows that were kept out and statements of the documents played",
             "     no part. -->",
             '<perfmodel version="1">', ""]
    for name in ORDER:
        lines += fit_lines(name, fits[name], notes[name] if notes else None)
    return "\n".join(lines + [links + "</perfmodel>", ""])


def link_overrides(machine):
    if machine not in LINKS:
        return ""
    link, efficiency, fabric = LINKS[machine]
    fabric = "" if fabric is None else f"<fabric_latency>{fabric} us</fabric_latency>"
    return (f'<calibration id="{link}" name="{link}" source="nccl"><efficiency>{efficiency:.4g}</efficiency>'
            f"<hop_latency>0 us</hop_latency><base_latency>0 us</base_latency>{fabric}</calibration>\n")


# ---- The model


def predict(command, fits, links=""):
    """Rows with their errors, as fractions."""
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write(write_file(fits, links=links))
        file.flush()
        out = subprocess.run([*command, "--rows", "--format", "csv", "-q", "--catalog", file.name], capture_output=True, text=True, check=True).stdout
    rows = [row for row in csv.DictReader(io.StringIO(out)) if row["error [%]"] and row["regime"] in REGIMES]
    for row in rows:
        row["error"] = float(row["error [%]"]) / 100
    return rows


def complete(fits, known):
    """Own constants of the architectures without rows."""
    full = {name: dict(fits[name]) for name in ORDER}
    for name in ORDER:
        source = name
        while source not in known:
            source = NEXT[source]
        full[name].update({key: fits[source][key] for key in OWN})
    return full


def scores(rows, left_out):
    """By architecture. By machine and collective within, so that a long sweep does not outweigh the others."""
    cells = collections.defaultdict(list)
    for row in rows:
        if row["use"] == "fit" and row["machine"] != left_out:
            error = abs(row["error"])
            key = ARCHITECTURE[row["machine"]], row["regime"], row["machine"], row["collective"]
            cells[key].append(math.log1p(error) + max(0, error - 0.25))
    total = collections.defaultdict(float)
    for (architecture, *_), values in cells.items():
        total[architecture] += sum(values) / len(values)
    return total


# ---- The search


def moved(key, value, step):
    value = value * step if value > 0.02 else value + (step - 1) * 0.1
    return min(max(value, LEAST), MOST.get(key, math.inf))


def keep_better(key, fits, trial, best, score):
    """Own constants are kept where their architecture gains, the others where all together do. Returns who felt it."""
    felt = {name for name in best if abs(score[name] - best[name]) > 1e-9}
    if key not in OWN:
        if sum(score.values()) < sum(best.values()) - 1e-9:
            fits.update(trial)
            best.update(score)
        return felt
    for name in felt:
        if score[name] < best[name]:
            fits[name][key] = trial[name][key]
            best[name] = score[name]
    return felt


def fit(command, left_out=None, rounds=7):
    """Constants by architecture, and which architectures' rows feel each."""
    links = link_overrides(left_out)
    known = {ARCHITECTURE[machine] for machine in ARCHITECTURE if machine != left_out}
    fits = {name: {key: start for key, (_, start) in CONSTANTS.items()} for name in ORDER}
    best = dict(scores(predict(command, complete(fits, known), links), left_out))
    felt = collections.defaultdict(set)
    factor = 1.6
    for turn in range(rounds):
        for key in CONSTANTS:
            if key in UNFITTED:
                continue
            for step in (factor, 1 / factor):
                trial = {name: {**fits[name], key: moved(key, fits[name][key], step)} for name in ORDER}
                score = scores(predict(command, complete(trial, known), links), left_out)
                felt[key] |= keep_better(key, fits, trial, best, score)
        if left_out is None:
            print(f"round {turn + 1}: {sum(best.values()):.3f}", flush=True)
        factor = 1 + (factor - 1) * 0.7
    for key in OWN:  # an architecture whose rows feel nothing of it takes it from the next
        for name in known:
            source = name
            while source not in felt[key] or source not in known:
                source = NEXT[source]
            fits[name][key] = fits[source][key]
    return complete(fits, known), felt


def notes_of(felt):
    notes = {name: {} for name in ORDER}
    for name in ORDER:
        for key in CONSTANTS:
            source = name
            while key in OWN and source not in felt[key]:
                source = NEXT[source]
            if name not in ONLY.get(key, ORDER):
                continue
            machines = " ".join(sorted(m for m, a in ARCHITECTURE.items() if a == source))
            if key in UNFITTED:
                notes[name][key] = f' note="{UNFITTED[key]}"'
            elif key not in OWN and felt[key]:
                notes[name][key] = f' fitted_to="collectives" date="{date.today():%Y-%m}" note="all machines"'
            elif key not in OWN:
                notes[name][key] = ' note="assumed: no row feels it"'
            elif source == name:
                notes[name][key] = f' fitted_to="{machines}" date="{date.today():%Y-%m}"'
            else:
                notes[name][key] = f' note="as for {source}"'
    return notes


# ---- Cross-validation


def percentile(values, share):
    values = sorted(values)
    place = share * (len(values) - 1)
    low = int(place)
    return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def print_line(title, rows):
    line = f"{title:24s}"
    for regime in REGIMES:
        errors = [100 * abs(row["error"]) for row in rows if row["regime"] == regime]
        line += f"{len(errors):6d}  {percentile(errors, 0.5):5.1f} / {percentile(errors, 0.9):5.1f}" if errors else " " * 21
    print(line, flush=True)


def fold(command, machine):
    fits, _ = fit(command, machine)
    return [row for row in predict(command, fits, link_overrides(machine)) if row["machine"] == machine]


def cross_validate(command):
    """Machines of the fit in turn; for the others nothing was fitted to their rows anyway."""
    full, _ = fit(command)
    shipped = [row for row in predict(command, full) if row["use"] != "document"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folds = pool.map(lambda machine: fold(command, machine), ARCHITECTURE)
        left_out = [row for rows in folds for row in rows if row["use"] != "document"]
    left_out += [row for row in shipped if row["machine"] not in ARCHITECTURE]
    print(f"{'rows, median / p90 [%]':24s}" + "".join(f"{regime:>21s}" for regime in REGIMES))
    print_line("fitted", shipped)
    print_line("one machine left out", left_out)
    for machine in sorted({row["machine"] for row in left_out}):
        print_line("  " + machine, [row for row in left_out if row["machine"] == machine])


def main():
    if len(sys.argv) < 3 or sys.argv[3:] not in ([], ["--cross-validate"]):
        sys.exit(__doc__)
    command = [sys.argv[1], "validate", "--set", "collectives", "--data", sys.argv[2]]
    if sys.argv[3:]:
        cross_validate(command)
        return
    fits, felt = fit(command)
    text = write_file(fits, notes_of(felt))
    FILE.write_text(re.sub(r"\n\n\n+", "\n\n", text))


if __name__ == "__main__":
    main()
