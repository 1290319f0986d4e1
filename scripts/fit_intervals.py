#!/usr/bin/env python3
"""Fits the prediction intervals of training and inference rates, in data/frameworks/frameworks.xml, to rows left out.

    scripts/fit_intervals.py [--perfmodel PATH] [--kept FOLDER] [--write]

Every GPU and every source with rows enough is left out in turn (`validate --hold-out`): its rows are predicted with
constants fitted without it, and with the words that they and their classes of work would get without it. Of each setting the logarithm of measured
over predicted is kept, with the share of the step that each class of work takes. The spreads are those with the least
interval score (Gneiting and Raftery, 2007) of the 80 % interval, every group of kind and word counting alike, with a charge
for groups of which less than 75 or more than 85 % are covered. Inference has
no constants that a hold-out would fit anew: its spreads are of the rows as they are. --kept keeps what the hold-outs print."""
import argparse
import csv
import pathlib
import re
import tempfile

import numpy as np
from scipy.optimize import minimize

import calibration_status
from left_out import FEWEST, held_out, override, run, settings_of

ROOT = pathlib.Path(__file__).resolve().parents[1]
FRAMEWORKS = ROOT / "data/frameworks/frameworks.xml"
TENTH = 1.2815515655446004  # a tenth of the normal distribution lies beyond so many standard deviations
WORDS = ["calibrated", "extrapolated", "not-calibrated"]
CLASSES = ["convolution", "product", "passes", "host", "communication"]
CHARGE = 5  # for each share of a group's settings, against scores of about 1
LEFT = {
    "training": ("speech",),  # mostly three networks, whose errors would widen the intervals of all convolutions
    "inference": ("speech", "other"),  # loops frame by frame; calls of a recommender, whose input no row describes
}


def one_class(path, name, factors=(1, 1)):
    """A file with the interval of one class alone: it shows the share of the step, times the factor of the class's word."""
    other = "".join(f"<{part}>{1 if part == name else 1e-9}</{part}>" for part in ["rate", *CLASSES])
    path.write_text(f'<perfmodel version="1"><prediction_interval id="training" name="One class">{other}<extrapolated>{factors[0]}'
                    f"</extrapolated><not_calibrated>{factors[1]}</not_calibrated></prediction_interval></perfmodel>")
    return ["--catalog", str(path)]


def spread_of(row):
    return np.log(float(row["high"]) / float(row["predicted"])) / TENTH if row["high"] else np.nan


def shares_of(command, folder, factors=(1, 1), words=()):
    """By id of the row: the share of each class of work in its step, times the factor of the class's word."""
    by_class = [run(command, "training", *words, *one_class(folder / "one.xml", name, factors)) for name in CLASSES]
    return {rows[0]["id"]: np.array([spread_of(row) for row in rows]) for rows in zip(*by_class)}


def outside_of(command, folder):
    """By id: the part of the variance that batch and GPUs outside of the rows add."""
    return {row["id"]: spread_of(row) ** 2 for row in run(command, "training", *one_class(folder / "one.xml", "none"))}


def words_of(command, folder, shares, words):
    """By id of the row: the number of each class's word, by the words of a file."""
    factored = shares_of(command, folder, (4, 16), words)
    return {row: np.rint(np.log((times + 1e-9) / (shares[row] + 1e-9)) / np.log(4)).clip(0, 2).astype(int)
            for row, times in factored.items()}


def left_out(command, folder, kept, shares):
    """Settings that were left out: (kind, word, logarithm of measured over predicted, id, number of each class's word)."""
    rows = run(command, "training")
    gpus = calibration_status.Gpus()
    for what, name in held_out(rows):
        by_gpu = what.startswith("gpu=")
        counts, _ = calibration_status.count_rows(command, lambda group: name == group.split()[2 if by_gpu else -1], by_gpu)
        catalog = override(folder / "words.xml", gpus, counts)
        file = kept / f"{what}.csv" if kept else None
        if file and file.exists():
            found = list(csv.DictReader(file.open()))
        else:
            found = run(command, "training", "--hold-out", what)
            if file:
                with file.open("w", newline="") as out:
                    writer = csv.DictWriter(out, found[0])
                    writer.writeheader()
                    writer.writerows(found)
        words = {row["id"]: row["calibration"] for row in run(command, "training", *catalog)}
        by_class = words_of(command, folder, shares, catalog)
        for row, measured in settings_of([row for row in found if row["error [%]"]]).values():
            if row["id"] in words:
                off = np.log(measured / float(row["predicted"]))
                yield row["group"].split()[0], words[row["id"]], off, row["id"], by_class[row["id"]]


def fit(cells, variance, start, left):
    """Parameters with the least score, every group counting alike. variance(parameters) -> of each setting."""
    size = np.abs([item[2] for item in cells])
    names = [item[0] + item[1] for item in cells]
    weight = np.array([1 / names.count(name) if names.count(name) >= FEWEST and not name.startswith(left) else 0
                       for name in names])

    groups = [np.array([other == name for other in names]) for name in sorted({n for n, w in zip(names, weight) if w > 0})]

    def missed(width):
        return sum(max(0, abs(np.mean(size[group] <= width[group]) - 0.8) - 0.05) for group in groups)

    def score(logs):
        width = TENTH * np.sqrt(variance(np.exp(logs)))
        prior = 1e-3 * np.sum((logs - np.log(start)) ** 2)  # decides what the rows do not
        return np.sum(weight * (2 * width + 10 * np.maximum(0, size - width))) + CHARGE * missed(width) + prior

    best = minimize(score, np.log(start), method="Nelder-Mead", options={"maxiter": 8000, "maxfev": 8000, "adaptive": True})
    best = minimize(score, best.x, method="Nelder-Mead", options={"maxiter": 8000, "maxfev": 8000, "adaptive": True})
    return np.exp(best.x), TENTH * np.sqrt(variance(np.exp(best.x))), size


def report(cells, width, size):
    groups = sorted({item[:2] for item in cells})
    for kind, word in groups:
        chosen = np.array([item[:2] == (kind, word) for item in cells])
        print(f"  {kind:<10} {word:<15}{chosen.sum():>5} settings, covered {100 * np.mean(size[chosen] <= width[chosen]):.0f} %, "
              f"interval +-{100 * (np.exp(np.median(width[chosen])) - 1):.0f} %")


def training(command, folder, kept):
    shares, outside = shares_of(command, folder), outside_of(command, folder)
    cells = list(left_out(command, folder, kept, shares))
    share = np.array([shares[item[3]] for item in cells])
    beyond = np.array([outside[item[3]] for item in cells])
    word, words = np.array([WORDS.index(item[1]) for item in cells]), np.array([item[4] for item in cells])

    def variance(p):
        factor = np.array([1, 1 + p[6], 1 + p[6] + p[7]])
        return (factor[word] * p[0]) ** 2 + np.sum((factor[words] * share * p[1:6]) ** 2, axis=1) + beyond

    found, width, size = fit(cells, variance, np.array([0.08, 0.15, 0.15, 0.15, 0.3, 0.3, 0.5, 0.3]), LEFT["training"])
    print(f"training: {len(cells)} settings left out")
    report(cells, width, size)
    values = dict(zip(["rate", *CLASSES], found[:6])) | {"extrapolated": 1 + found[6], "not_calibrated": 1 + found[6] + found[7]}
    return values, len(cells)


def inference(command):
    cells = [(row["group"].split()[0], row["calibration"], np.log(measured / float(row["predicted"])), row["id"])
             for row, measured in settings_of(run(command, "inference")).values()]
    word = np.array([WORDS.index(item[1]) for item in cells])

    def variance(p):
        return (p[0] * np.array([1, 1 + p[1], 1 + p[1] + p[2]])[word]) ** 2

    found, width, size = fit(cells, variance, np.array([0.2, 0.3, 0.3]), LEFT["inference"])
    print(f"inference: {len(cells)} settings")
    report(cells, width, size)
    return {"rate": found[0], "extrapolated": 1 + found[1], "not_calibrated": 1 + found[1] + found[2]}, len(cells)


def write(name, values, count, note):
    text = FRAMEWORKS.read_text()
    lines = "".join(f'\n    <{field} fitted_to="{name}" rows="{count}" date="{calibration_status.DATE}" note="{note}">'
                    f"{value:.3g}</{field}>" for field, value in values.items())
    kept = "(?:rate|" + "|".join(CLASSES) + "|extrapolated|not_calibrated)"

    def replaced(match):
        return match[1] + lines + re.sub(rf"\n    <{kept}[ >][^\n]*", "", match[2])
    text = re.sub(rf'(<prediction_interval id="{name}"[^>]*>)(.*?</prediction_interval>)', replaced, text, flags=re.S)
    FRAMEWORKS.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--perfmodel", default="perfmodel")
    parser.add_argument("--kept", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        values, count = training(arguments.perfmodel, pathlib.Path(folder), arguments.kept)
    calls, call_count = inference(arguments.perfmodel)
    print(values, calls, sep="\n")
    if arguments.write:
        write("training", values, count, "settings, each GPU and source left out in turn")
        write("inference", calls, call_count, "settings")


if __name__ == "__main__":
    main()
