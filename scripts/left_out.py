"""Rows of training that are left out in turn: which, with what they would be said to rest on, and their settings."""
import csv
import io
import statistics
import subprocess

import calibration_status

FEWEST = 50  # settings of a group that has to be covered


def run(command, name, *options):
    done = subprocess.run([command, "validate", "--set", name, "--rows", "--format", "csv", "-q", *options],
                          check=True, capture_output=True, text=True)
    return [row for row in csv.DictReader(io.StringIO(done.stdout)) if row["error [%]"]]


def held_out(rows):
    """What is left out in turn, with a test of the rows that are then to be predicted."""
    parts = [row["group"].split() for row in rows]
    gpus = [part[2] for part in parts]
    sources = [part[-1] for part in parts]
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
    return {key: (repeats[0], statistics.median(float(row["measured"]) for row in repeats)) for key, repeats in found.items()}


def override(path, gpus, counts):
    """A file of the catalogue: what is calibrated by these counts, in place of what is shipped."""
    text = calibration_status.written(gpus, counts)
    silent = [calibration_status.entry(name, f"Kernels of {name}", []) for name in gpus.facts if f'id="{name}"' not in text]
    path.write_text(text.replace("\n</perfmodel>", "".join(silent) + "\n</perfmodel>"))
    return ["--catalog", str(path)]
