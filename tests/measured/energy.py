#!/usr/bin/env python3
"""Published power and energy against its gates: energy.py PERFMODEL rows.

Means of the absolute errors. Power of serving is that with the time known: its energy has the same errors. Every group
of the table is also compared with the power limit drawn all the time, and those in which boards wait with a constant
share of it.
"""
import statistics
import sys

from judge import errors, judge, mean, run

# figure: (gate, rows at least, kinds, quantity, start of the GPU)
GATES = {
    "training, power": (12, 35, ("training",), "gpu_power", ""),
    "training, joules per image, end to end": (15, 15, ("training",), "energy_per_sample", ""),
    "training, joules per image, time known": (15, 15, ("training-known",), "energy_per_sample", ""),
    "power limits, busy: power": (8, 250, ("limit-busy",), "gpu_power", ""),
    "power limits, busy: time": (8, 250, ("limit-busy",), "slowdown", ""),
    "power limits, busy: energy": (8, 250, ("limit-busy",), "energy_factor", ""),
    "dense serving, Hopper": (12, 50, ("serving",), "gpu_power", "h100"),
    "all serving, Hopper and Blackwell": (25, 300, ("serving", "serving-moe", "serving-hybrid", "serving-media"),
                                          "gpu_power", ""),
    "nodes at the wall, training": (15, 6, ("node-training",), "power", ""),
}
WAIT = ("limit-waits", "limit-low", "serving-waits")
MISSES = {}


def figures(command):
    rows, _ = run(command, "energy", "--rows")
    groups, notes = run(command, "energy")
    print(notes)
    of = {row["group"]: row["group"].split() for row in rows}
    for name, (gate, least, kinds, quantity, gpu) in GATES.items():
        found = [row for row in rows if of[row["group"]][-2] in kinds and of[row["group"]][-1] == quantity and
                 of[row["group"]][-3].startswith(gpu)]
        if len(found) < least:
            sys.exit(f"{name}: {len(found)} rows, {least} expected")
        yield name, len(found), mean(errors(found)), gate
    worse = [row for row in groups if float(row["mape [%]"]) > float(row["limit [%]"])]
    print(*(row["group"] for row in worse), sep="\n")
    yield "groups that the limit predicts better", len(groups), len(worse), 0
    wait = [row for row in groups if row["group"].split()[-2] in WAIT]
    yield ("groups that wait, and a constant share predicts better", len(wait),
           sum(float(row["mape [%]"]) > float(row["constant [%]"]) + 0.05 for row in wait), 0)
    held = [float(row["covered [%]"]) for row in rows if row["covered [%]"]]
    yield "rows beyond 80 +- 10 % in the interval", len(held), max(0, abs(statistics.fmean(held) - 80) - 10), 0


def main():
    sys.exit(judge(list(figures(sys.argv[1])), MISSES) > 0)


if __name__ == "__main__":
    main()
