"""Rows of training and inference that are left out in turn: which, with what they would be said to rest on, and their
settings."""
import concurrent.futures
import csv
import os
import pathlib
import statistics
import subprocess
import tempfile

import calibration_status
from entries import as_file, catalogs

FEWEST = 50  # settings of a group that has to be covered


def run(command, names, *options):
    """By set, the rows that are predicted: of `names`, with commas between them."""
    words = [command[0], "validate", "--set", names, "--rows", "--format", "csv", "-q", *catalogs(command), *options]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    tables = done.stdout.replace("\r", "").strip().split("\n\n")
    return {name: [row for row in csv.DictReader(table.splitlines()) if row["error [%]"]]
            for name, table in zip(names.split(","), tables)}


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


def each(command, sets, what_of):
    """what_of(sets that have rows of it, WHAT, options of a catalogue without them), of each GPU and source in turn."""
    gpus, rows = calibration_status.Gpus(), run(command, ",".join(sets))
    parts = {name: dict(held_out(rows[name])) for name in sets}

    def one(what, name):
        with tempfile.TemporaryDirectory() as folder:
            catalog = catalogue_without(command, pathlib.Path(folder), gpus, what, name)
            return what_of([own for own in sets if what in parts[own]], what, catalog)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        all_parts = {what: name for part in parts.values() for what, name in part.items()}
        waiting = [pool.submit(one, *part) for part in all_parts.items()]
        return [found.result() for found in waiting]


def left_out(command, sets, what, catalog):
    """By set, the rows of a GPU or source by what is fitted without them."""
    return run(command, ",".join(sets), "--hold-out", what, *catalog)
