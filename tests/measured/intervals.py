#!/usr/bin/env python3
"""How many settings lie in the 80 % interval of their prediction: 72 to 88 % of every set with at least 50, by word.

    intervals.py PERFMODEL rows        machines of collectives held out
    intervals.py PERFMODEL left-out    training and inference, each GPU and source left out in turn, with the word that
                                       its rows then get: some minutes

A figure is how far the share is from 80 %."""
import collections
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "lab" / "scripts"))

import left_out as rows_left_out  # noqa: E402
from judge import judge, run  # noqa: E402

SHARE, AWAY = 80, 8
WIDE = "%d %%: too wide; spreads of classes that serve other groups as well, which would be covered too little"
KNOWN_ROWS = {}
KNOWN_LEFT_OUT = {
    "inference, language, calibrated": (8.6, WIDE % 88),
    "inference, language, extrapolated": (10.0, WIDE % 90),
    "inference, vision, calibrated": (9.0, WIDE % 89),
    "inference, speech, calibrated": (20, WIDE % 100),
}


def settings(rows):
    for row, measured in rows_left_out.settings_of(rows).values():
        if row["high"]:
            yield (row["group"].split()[0], row["calibration"]), float(row["low"]) <= measured <= float(row["high"])


def figures(what, found):
    """Of (group, whether it lies within): the distance from 80 %, by group."""
    groups = collections.defaultdict(list)
    for group, inside in found:
        groups[group].append(inside)
    for group, inside in sorted(groups.items()):
        share = 100 * sum(inside) / len(inside)
        if len(inside) >= rows_left_out.FEWEST:
            print(f"{what}, {', '.join(group)}: {share:.0f} % of {len(inside)} settings")
            yield f"{what}, {', '.join(group)}", len(inside), abs(share - SHARE), AWAY


def known(rows):
    return [row for row in rows if row["error [%]"]]


def of_rows(command):
    runs = known(run(command, "collectives", "--rows", "-q")[0])
    yield from figures(
        "collectives",
        (((row["use"],), row["inside"] == "yes") for row in runs if row["p10 [s]"] and row["use"] == "held-out"),
    )


def left_out(command):
    sets = ("training", "inference")
    found = rows_left_out.each((command,), sets, lambda *part: rows_left_out.left_out((command,), *part))
    for name in sets:
        yield from figures(name, (item for rows in found for item in settings(rows.get(name, []))))


if __name__ == "__main__":
    how, misses = {"rows": (of_rows, KNOWN_ROWS), "left-out": (left_out, KNOWN_LEFT_OUT)}[sys.argv[2]]
    sys.exit(judge(list(how(sys.argv[1])), misses) > 0)
