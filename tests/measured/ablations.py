#!/usr/bin/env python3
"""Every mechanism of lab/ablations.csv earns its place: the rows that it changes are not worse with it than without.

    ablations.py PERFMODEL

A figure is the mean error with the mechanism over the mean error without; the constants are those that were fitted with
it."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "lab" / "scripts"))

import errors  # noqa: E402
import left_out  # noqa: E402
from judge import judge  # noqa: E402

KNOWN = {
    "a hop of a pipeline waits for the host": (1.006, "0.3 % of a step, and fitted within 39 %: nothing on the whole"),
}


def figures(command):
    found = errors.mechanisms()
    rows_of = left_out.run((command,), ",".join(errors.sets_of(found)))
    for mechanism, (rows, mean, without, *_) in errors.worths((command,), found, rows_of):
        yield mechanism["mechanism"][:57], rows, mean / without, 1


if __name__ == "__main__":
    sys.exit(judge(list(figures(sys.argv[1])), KNOWN) > 0)
