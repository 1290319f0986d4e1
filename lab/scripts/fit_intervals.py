#!/usr/bin/env python3
"""Fits the prediction intervals of training and inference rates to rows left out, and prints them as entries.

    lab/scripts/fit_intervals.py PERFMODEL [FILE]...     (perfmodel calibrate --all --part intervals)

Every GPU and every source with rows enough is left out in turn (`validate --hold-out`): its rows are predicted with
constants fitted without it, and with the words that they and their classes of work would get without it. Of each
setting the logarithm of measured over predicted is kept, with the share of the step or call that each class of work
takes and the kinds of its network. The spreads are those with the least interval score (Gneiting and Raftery, 2007) of
the 80 % interval, every group of kind and word counting alike, with a charge for groups of which less than 74 or more
than 86 % are covered, and one for rows that are off by more than a factor of 1.5 although their interval is narrow.
There are many local optima: the search begins where the spreads are, and once more
at a fixed start."""
import itertools
import pathlib
import sys
import tempfile

import numpy as np

from entries import DATE, FRAMEWORKS, arguments, as_file, read, with_values
from left_out import each, left_out, run, settings_of

TENTH = 1.2815515655446004  # a tenth of the normal distribution lies beyond so many standard deviations
WORDS = ["calibrated", "extrapolated", "not-calibrated"]
CLASSES = ["convolution", "product", "passes", "host", "communication"]
KINDS = ["groups", "sound", "volumes", "recurrent", "proposals", "tables"]
OF = {"training": CLASSES, "inference": CLASSES[:-1]}  # calls of one GPU do not communicate
SETS = ",".join(OF)
FEWEST_OF_KIND = 20  # settings that decide what a kind of network adds
CHARGE = 200  # for each share of a group's settings, against scores of about 1
FREE = 0.06  # how far from 80 % the share that is covered may be without a charge, in groups of 100 and more
FEWEST_OF_GROUP = 30  # settings; groups of fewer than 100 may be further off, as chance has it
NARROW, FAR, MISSED = np.log(1.8), np.log(1.5), 0.008  # p90 over p10; the error; the share of all rows that is free
CHARGE_OF_ROWS = 2000
MOST = 2  # of a spread: more would say nothing of a step that is mostly of that class
RANGES = {"training": ("batch", "gpus"), "inference": ()}  # one spread for both, since few rows are outside of either
START = {"rate": 0.08, "convolution": 0.15, "product": 0.15, "passes": 0.15, "host": 0.3, "communication": 0.3,
         "extrapolated": 0.5, "not_calibrated": 0.3, "batch": 0.05} | dict.fromkeys(KINDS, 0.1)

# A probe of words: spreads and factors of which no two products are alike.
PROBE = dict(zip(CLASSES, (1, 1.31, 0.73, 1.13, 0.87)))
FACTORS = (1, 3.7, 13.1)


# ---- What the command knows of each row ----


def probe(path, spreads, factors=(1, 1)):
    """Options for intervals of these spreads alone."""
    values = dict.fromkeys(["rate", *CLASSES, *KINDS, "batch", "gpus"], 1e-9) | spreads
    values |= {"extrapolated": factors[0], "not_calibrated": factors[1]}
    fields = "".join(f"<{field}>{value}</{field}>" for field, value in values.items())
    entries = "".join(f'<prediction_interval id="{name}" name="{name} probe">{fields}</prediction_interval>'
                      for name in OF)
    path.write_text(f'<perfmodel version="1">{entries}</perfmodel>')
    return ["--catalog", str(path)]


def spread_of(row):
    return np.log(float(row["high"]) / float(row["predicted"])) / TENTH if row["high"] else np.nan


def probed(command, folder, spreads, factors=(1, 1), words=()):
    """By set and id of the row, the spread that its interval then has."""
    found = run(command, SETS, *words, *probe(folder / "probe.xml", spreads, factors))
    return {name: {row["id"]: spread_of(row) for row in rows} for name, rows in found.items()}


def facts_of(command):
    """By set and id of the row: shares of the classes of work, kinds of its network, the square of how far batch and
    GPUs are outside of the rows."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        by_field = [probed(command, folder, {field: 1}) for field in CLASSES + KINDS]
        outside = probed(command, folder, {"batch": 1, "gpus": 1})
    return {name: {row: (np.array([found[name][row] for found in by_field]), outside[name][row] ** 2)
                   for row in outside[name]} for name in OF}


def words_of(command, facts, words=()):
    """By set and id of the row, the number of each class's word, by the words of a file: the combination of words whose
    spread is the row's."""
    with tempfile.TemporaryDirectory() as folder:
        found = probed(command, pathlib.Path(folder), PROBE, FACTORS[1:], words)
    choices = np.array(list(itertools.product(range(len(FACTORS)), repeat=len(CLASSES))))
    squares = (np.array(FACTORS)[choices] * np.array(list(PROBE.values()))) ** 2

    def decoded(parts, spread):
        return choices[np.argmin(np.abs(squares @ parts[:len(CLASSES)] ** 2 - spread ** 2))]

    return {name: {row: decoded(facts[name][row][0], spread) for row, spread in rows.items()}
            for name, rows in found.items()}


def cells_of(rows, words, facts):
    """Settings: (kind, word, logarithm of measured over predicted, number of each class's word, facts)."""
    return [(row["group"].split()[0], row["calibration"], np.log(measured / float(row["predicted"])), words[row["id"]],
             *facts[row["id"]]) for row, measured in settings_of(rows).values() if row["high"] and row["id"] in words]


def cells_left_out(command, facts):
    """By set, the settings of all GPUs and sources, each left out in turn."""
    def of(sets, what, catalog):
        words, rows = words_of(command, facts, tuple(catalog)), left_out(command, sets, what, catalog)
        return {name: cells_of(rows[name], words[name], facts[name]) for name in sets}

    found = each(command, tuple(OF), of)
    return {name: [cell for part in found for cell in part.get(name, [])] for name in OF}


def cells_of_rows(command, facts):
    """By set, all rows by the constants as they are: each counts, repeats as well."""
    words, rows = words_of(command, facts), run(command, SETS)
    return {name: [cell for row in rows[name] for cell in cells_of([row], words[name], facts[name])] for name in OF}


# ---- The fit ----


class Model:
    """The variance of settings as a function of the spreads."""

    def __init__(self, name, cells):
        self.fields = ["rate", *OF[name], "extrapolated", "not_calibrated", *RANGES[name][:1]]
        self.kinds = np.array([cell[4][len(CLASSES):] > 0.5 for cell in cells])
        self.share = np.array([cell[4][:len(OF[name])] for cell in cells]) ** 2
        self.words = np.array([cell[3][:len(OF[name])] for cell in cells])
        self.word = np.array([WORDS.index(cell[1]) for cell in cells])
        self.outside = np.array([cell[5] for cell in cells])
        self.size = np.abs([cell[2] for cell in cells])

    def width(self, p):
        factor = np.array([1, 1 + p["extrapolated"], 1 + p["extrapolated"] + p["not_calibrated"]]) ** 2
        kind = np.max(self.kinds * np.array([p.get(name, 0) for name in KINDS]), axis=1)
        spread = np.array([p[name] for name in self.fields[1:1 + self.share.shape[1]]]) ** 2
        variance = (factor[self.word] * (p["rate"] ** 2 + kind ** 2) + (factor[self.words] * self.share) @ spread +
                    self.outside * p.get("batch", 0) ** 2)
        return TENTH * np.sqrt(variance)


def groups_of(cells):
    names = [cell[0] + cell[1] for cell in cells]
    return [np.array([other == name for other in names]) for name in sorted(set(names))
            if names.count(name) >= FEWEST_OF_GROUP]


def now_of(command, name):
    """The spreads as they are, in the terms of the fit."""
    entry = read(command, FRAMEWORKS, "prediction_interval")[name]
    found = {value.tag: float(value.text) for value in entry if value.tag in START and float(value.text) > 0}
    factors = 1, found.pop("extrapolated", 1), found.pop("not_calibrated", 1)
    return found | {"extrapolated": max(factors[1] - factors[0], 0.01),
                    "not_calibrated": max(factors[2] - factors[1], 0.01)}


def fit(name, cells, rows, before):
    """The spreads with the least score, every group counting alike, from where they are (`before`) or start."""
    model, whole, groups = Model(name, cells), Model(name, rows), groups_of(cells)
    kinds = [kind for kind, n in zip(KINDS, model.kinds.sum(axis=0)) if n >= FEWEST_OF_KIND]
    fields = model.fields + kinds
    start = np.log([START[field] for field in fields])
    by_group = np.array([group / group.sum() for group in groups])
    free = np.array([max(FREE, FREE * 10 / group.sum() ** 0.5) for group in groups])

    def score(logs):
        p = dict(zip(fields, np.exp(logs)))
        width, size, wide = model.width(p), model.size, whole.width(p)
        off = np.abs(by_group @ (size <= width) - 0.8) - free
        missed = np.mean((2 * wide < NARROW) & (whole.size > FAR)) - MISSED
        prior = 1e-3 * np.sum((logs - start) ** 2)  # decides what the rows do not
        return (np.sum(by_group @ (2 * width + 10 * np.maximum(0, size - width))) +
                CHARGE * np.sum(np.maximum(0, off)) + CHARGE_OF_ROWS * max(0, missed) + prior)

    now = np.log([before.get(field, START[field]) for field in fields])
    best = min((settle(score, point) for point in (now, start)), key=score)
    return dict(zip(fields, np.exp(best))), model, whole


def moves(count):
    """One parameter up or down; then two at a time."""
    one = np.eye(count)
    pairs = [one[i] * sign + one[j] * other for i, j in itertools.combinations(range(count), 2)
             for sign, other in itertools.product((-1, 1), repeat=2)]
    return [*one, *-one, *pairs]


def settle(score, best):
    """To where no move by shrinking steps is better."""
    least = score(best)
    for step in (0.8, 0.4, 0.2, 0.1, 0.05):
        better = True
        while better:
            better = False
            for move in moves(len(best)):
                tried = np.minimum(best + step * move, np.log(MOST))
                if (found := score(tried)) < least:
                    best, least, better = tried, found, True
    return best


def report(name, cells, spreads, model, whole):
    width = model.width(spreads)
    print(f"{name}: {len(cells)} settings left out", file=sys.stderr)
    for group in sorted({cell[:2] for cell in cells}):
        chosen = np.array([cell[:2] == group for cell in cells])
        print(f"  {group[0]:<10} {group[1]:<15}{chosen.sum():>5} settings, covered "
              f"{100 * np.mean(model.size[chosen] <= width[chosen]):.0f} %, "
              f"interval +-{100 * (np.exp(np.median(width[chosen])) - 1):.0f} %", file=sys.stderr)
    for what, of in ("settings left out", model), ("rows", whole):
        missed = (2 * of.width(spreads) < NARROW) & (of.size > FAR)
        print(f"  {100 * np.mean(missed):.2f} % of {what} are off by more than 1.5 within a narrow interval",
              file=sys.stderr)


def values_of(name, found):
    factors = {"extrapolated": 1 + found["extrapolated"],
               "not_calibrated": 1 + found["extrapolated"] + found["not_calibrated"]}
    return dict.fromkeys(KINDS) | found | factors | dict.fromkeys(RANGES[name], found.get("batch"))


def interval(command, name, values, count, note, rows=None):
    """The entry with these spreads."""
    about = {"fitted_to": rows or name, "rows": str(count), "date": DATE, "note": note}
    old = read(command, FRAMEWORKS, "prediction_interval")[name]
    return with_values(old, {field: (f"{value:.3g}", about) if value else None for field, value in values.items()})


def main():
    command, entries = arguments(__doc__).command, []
    facts = facts_of(command)
    cells, rows = cells_left_out(command, facts), cells_of_rows(command, facts)
    for name in OF:
        found, model, whole = fit(name, cells[name], rows[name], now_of(command, name))
        report(name, cells[name], found, model, whole)
        entries.append(interval(command, name, values_of(name, found), len(cells[name]),
                                "settings, each GPU and source left out in turn"))
    print(as_file(entries))


if __name__ == "__main__":
    main()
