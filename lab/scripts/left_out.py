"""Rows of training and inference that are left out in turn: which, with what they would be said to rest on, and their
settings."""
import csv
import io
import statistics
import subprocess

import calibration_status
from entries import as_file, catalogs

FEWEST = 50  # settings of a group that has to be covered


def run(command, name, *options):
    done = subprocess.run([command[0], "validate", "--set", name, "--rows", "--format", "csv", "-q", *catalogs(command),
                           *options], check=True, stdout=subprocess.PIPE, text=True)
    return [row for row in csv.DictReader(io.StringIO(done.stdout)) if row["error [%]"]]


def held_out(rows):
    """What is left out in turn, with a test of the rows that are then to be predicted."""
    parts = [row["group"].split() for row in rows]
    gpus = [part[2] for part in parts]
    names = {part[-1] for part in parts}  # the end of a long group is cut off
    sources = [max((name for name in names if name.startswith(part[-1])), key=len) for part in parts]
    for gpu in sorted(set(gpus)):
        if gpus.count(gpu) >= 2 * FEWEST:
            yield f"gpu={gpu}", gpu
    for source in sorted(set(sources)):
        if sources.count(source) >= 2 * FEWEST:
            yield f"source={source}", source


def settings_of(rows):
    """Repeats are one setting: its first row, with the median of what was measured."""
    found = {}
    for row in rows:
        key = tuple(row[name] for name in ("group", "network", "machine", "gpus", "nodes", "batch", "unit"))
        found.setdefault(key, []).append(row)
    return {key: (repeats[0],
                  statistics.median(float(row["measured"]) for row in repeats)) for key, repeats in found.items()}


def catalogue_without(command, folder, gpus, what, name):
    """Options for a catalogue in which nothing is calibrated by the rows of a GPU or source."""
    by_gpu = what.startswith("gpu=")

    def gone(group):
        words = group.split()
        return words[2] == name if by_gpu else name.startswith(words[-1])
    counts, training = calibration_status.count_rows(command, gone, by_gpu)
    kept = [[row for row in rows if not gone(row["group"])] for rows in (training,
        calibration_status.rows_of(command, "inference"))]
    words = list(calibration_status.operators(gpus, counts))
    known = {entry.get("id") for entry in words}
    silent = [calibration_status.entry(gpu, {}) for gpu in gpus.facts if gpu not in known]
    file = folder / "without.xml"
    file.write_text(as_file([*words, *silent, *calibration_status.software(command, *kept, gpus)]))
    return ["--catalog", str(file)]
