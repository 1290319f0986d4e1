#!/usr/bin/env python3
"""Fits the prediction intervals of training and inference rates to rows left out, and prints them as entries.

    lab/scripts/fit_intervals.py PERFMODEL [FILE]...     (perfmodel calibrate --all --part intervals)

Every GPU and every source with rows enough is left out in turn (`validate --hold-out`): its rows are predicted with
constants fitted without it, and with the words that they and their classes of work would get without it. Of each
setting the logarithm of measured over predicted is kept, with the share of the step or call that each class of work
takes. The spreads are those with the least interval score (Gneiting and Raftery, 2007) of the 80 % interval, every
group of kind and word counting alike, with a charge for groups of which less than 74 or more than 86 % are covered.
There are many local optima: the whole range is searched, until the population agrees. What a kind of network adds
(KINDS) comes after it: the least spread with which eight of ten of its settings are covered, nothing if they are."""
import concurrent.futures
import os
import pathlib
import sys
import tempfile

import numpy as np
from scipy.optimize import differential_evolution, minimize

import calibration_status
from entries import DATE, FRAMEWORKS, arguments, as_file, read, with_values
from left_out import FEWEST, catalogue_without, held_out, run, settings_of

TENTH = 1.2815515655446004  # a tenth of the normal distribution lies beyond so many standard deviations
WORDS = ["calibrated", "extrapolated", "not-calibrated"]
CLASSES = ["convolution", "product", "passes", "host", "communication"]
KINDS = ["groups", "sound", "volumes", "recurrent", "proposals", "tables"]  # a setting counts for the last of its kinds
OF = {"training": CLASSES, "inference": CLASSES[:-1]}  # calls of one GPU do not communicate
CHARGE = 200  # for each share of a group's settings, against scores of about 1
FREE = 0.06  # how far from 80 % the share that is covered may be without a charge
RANGES = {"training": ("batch", "gpus"), "inference": ()}  # one spread for both, since few rows are outside of either
LEFT = {"training": (), "inference": ("speechnot-calibrated",)}  # twice as far off as all else


def one_class(path, name, only, factors=(1, 1)):
    """A file with the interval of one class alone: it shows the share of the step, times the factor of the class's
    word; of no class, how far batch and GPUs are outside of the rows."""
    other = "".join(f"<{part}>{1 if part == only else 1e-9}</{part}>" for part in ["rate", *CLASSES, *KINDS])
    if only is None:
        other += "".join(f"<{part}>1</{part}>" for part in RANGES[name])
    path.write_text(f'<perfmodel version="1"><prediction_interval id="{name}" name="One '
                    f'class">{other}<extrapolated>{factors[0]}'
                    f"</extrapolated><not_calibrated>{factors[1]}</not_calibrated></prediction_interval></perfmodel>")
    return ["--catalog", str(path)]


def spread_of(row):
    return np.log(float(row["high"]) / float(row["predicted"])) / TENTH if row["high"] else np.nan


def shares_of(command, folder, name, factors=(1, 1), words=()):
    """By id of the row: the share of each class of work in its step, times the factor of the class's word."""
    by_class = [run(command, name, *words, *one_class(folder / "one.xml", name, only, factors)) for only in OF[name]]
    return {rows[0]["id"]: np.array([spread_of(row) for row in rows]) for rows in zip(*by_class)}


def kinds_of(command, folder, name):
    """By id of the row: of each kind of network, whether its network is of that kind."""
    by_kind = [run(command, name, *one_class(folder / "one.xml", name, kind)) for kind in KINDS]
    return {rows[0]["id"]: np.array([spread_of(row) > 0.5 for row in rows]) for rows in zip(*by_kind)}


def words_of(command, folder, name, shares, words):
    """By id of the row: the number of each class's word, by the words of a file."""
    factored = shares_of(command, folder, name, (4, 16), words)
    return {row: np.rint(np.log((times + 1e-9) / (shares[row] + 1e-9)) / np.log(4)).clip(0, 2).astype(int)
            for row, times in factored.items()}


def left_out_by(command, gpus, name, shares, what, which):
    """Settings of a GPU or source that were left out: (kind, word, logarithm of measured over predicted, id, number of
    each class's word, square of how far batch and GPUs are outside of other rows, which intervals of no class say)."""
    with tempfile.TemporaryDirectory() as name_of_folder:
        folder = pathlib.Path(name_of_folder)
        catalog = catalogue_without(command, folder, gpus, what, which)
        found = run(command, name, "--hold-out", what, *catalog, *one_class(folder / "one.xml", name, None))
        by_class = words_of(command, folder, name, shares, catalog)
    settings = settings_of([row for row in found if row["error [%]"]]).values()
    return [(row["group"].split()[0], row["calibration"], np.log(measured / float(row["predicted"])), row["id"],
             by_class[row["id"]], spread_of(row) ** 2) for row, measured in settings if row["id"] in by_class]


def left_out(command, name, shares):
    """The settings of all GPUs and sources, each left out in turn."""
    gpus = calibration_status.Gpus()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = [pool.submit(left_out_by, command, gpus, name, shares, what, which)
                   for what, which in held_out(run(command, name))]
        return [setting for found in waiting for setting in found.result()]


def fit(cells, variance, start, left):
    """Parameters with the least score, every group counting alike. variance(parameters) -> of each setting."""
    size = np.abs([item[2] for item in cells])
    names = [item[0] + item[1] for item in cells]
    weight = np.array(
        [1 / names.count(name) if names.count(name) >= FEWEST and name not in left else 0 for name in names]
    )

    groups = [np.array([other == name for other in names]) for name in sorted({n for n, w in zip(names,
        weight) if w > 0})]

    def missed(width):
        return sum(max(0, abs(np.mean(size[group] <= width[group]) - 0.8) - FREE) for group in groups)

    def score(logs):
        width = TENTH * np.sqrt(variance(np.exp(logs)))
        prior = 1e-3 * np.sum((logs - np.log(start)) ** 2)  # decides what the rows do not
        return np.sum(weight * (2 * width + 10 * np.maximum(0, size - width))) + CHARGE * missed(width) + prior

    ranges = [(middle - 3, middle + 2) for middle in np.log(start)]
    found = differential_evolution(score, ranges, seed=1, maxiter=1500, popsize=40, tol=1e-9, polish=False)
    best = minimize(score, found.x, method="Nelder-Mead", options={"maxiter": 8000, "maxfev": 8000, "adaptive": True})
    return np.exp(best.x), TENTH * np.sqrt(variance(np.exp(best.x))), size


def add_kinds(kinds, word, variance, size):
    """What each kind of network adds to the spread of any rate, which the word of a setting multiplies, and the widths
    with it. kinds: of each setting, whether it is of each kind; word: the factor of its word."""
    found, last = np.zeros(len(KINDS)), len(KINDS) - 1 - np.argmax(kinds[:, ::-1], axis=1)

    def width(spreads):
        return TENTH * np.sqrt(variance + (word * np.max(kinds * spreads, axis=1)) ** 2)

    for kind in range(len(KINDS)):
        of = kinds[:, kind] & (last == kind)
        ratio = np.maximum(0, (size[of] / TENTH) ** 2 - variance[of]) / word[of] ** 2
        if of.sum() >= FEWEST:
            found[kind] = np.sqrt(np.quantile(ratio, 0.8, method="higher"))
    return found, width(found)


def report(cells, width, size):
    groups = sorted({item[:2] for item in cells})
    for kind, word in groups:
        chosen = np.array([item[:2] == (kind, word) for item in cells])
        print(f"  {kind:<10} {word:<15}{chosen.sum():>5} settings, covered "
              f"{100 * np.mean(size[chosen] <= width[chosen]):.0f} %, "
              f"interval +-{100 * (np.exp(np.median(width[chosen])) - 1):.0f} %", file=sys.stderr)


def spreads_of(command, folder, name):
    """The spreads of a set, and how many settings they were fitted to."""
    shares, of_network = shares_of(command, folder, name), kinds_of(command, folder, name)
    cells = left_out(command, name, shares)
    kinds = np.array([of_network[item[3]] for item in cells])
    share = np.array([shares[item[3]] for item in cells])
    beyond = np.array([item[5] for item in cells])
    word, words = np.array([WORDS.index(item[1]) for item in cells]), np.array([item[4] for item in cells])
    start = {"rate": 0.08, "convolution": 0.15, "product": 0.15, "passes": 0.15, "host": 0.3, "communication": 0.3}
    first = np.array([start[part] for part in ["rate", *OF[name]]] + [0.5, 0.3] + ([0.05] if RANGES[name] else []))
    n = 1 + len(OF[name])  # then what a word adds

    def variance(p):
        factor = np.array([1, 1 + p[n], 1 + p[n] + p[n + 1]])
        ranges = beyond * p[-1] ** 2 if RANGES[name] else 0
        return (factor[word] * p[0]) ** 2 + np.sum((factor[words] * share * p[1:n]) ** 2, axis=1) + ranges

    found, width, size = fit(cells, variance, first, LEFT[name])
    factor = np.array([1, 1 + found[n], 1 + found[n] + found[n + 1]])[word]
    more, width = add_kinds(kinds, factor, (width / TENTH) ** 2, size)
    print(f"{name}: {len(cells)} settings left out", file=sys.stderr)
    report(cells, width, size)
    values = dict(zip(["rate", *OF[name]], found[:n])) | {"extrapolated": 1 + found[n],
                                                          "not_calibrated": 1 + found[n] + found[n + 1]}
    values |= dict(zip(KINDS, more))
    return values | dict.fromkeys(RANGES[name], found[-1]), len(cells)


def interval(command, name, values, count, note, rows=None):
    """The entry with these spreads."""
    about = {"fitted_to": rows or name, "rows": str(count), "date": DATE, "note": note}
    old = read(command, FRAMEWORKS, "prediction_interval")[name]
    return with_values(old, {field: (f"{value:.3g}", about) if value > 0 else None
                             for field, value in values.items()})


def main():
    command, entries = arguments(__doc__).command, []
    for name in OF:
        with tempfile.TemporaryDirectory() as folder:
            values, count = spreads_of(command, pathlib.Path(folder), name)
        entries.append(interval(command, name, values, count, "settings, each GPU and source left out in turn"))
    print(as_file(entries))


if __name__ == "__main__":
    main()
