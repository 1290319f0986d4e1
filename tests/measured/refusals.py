#!/usr/bin/env python3
"""Published runs that the memory model would refuse, against their gates: refusals.py PERFMODEL rows.

A published run ran: each one that is predicted not to fit is a false refusal, by the row's own software, batch,
accumulation and recomputation. What is refused is printed by network and software. Runs that ran out of memory are
counted by the unit tests of published memory (footprint_published), whose rows state profiles instead of software.
"""
import collections
import sys

from judge import judge, run

# set: (most refusals in per cent, rows at least)
GATES = {"training": (1, 5200), "plans": (1, 500), "inference": (0, 4200), "large-models": (5, 470)}


def print_refused(name, rows):
    refused = collections.Counter((row["network"][:60], row["framework"]) for row in rows)
    for (network, framework), count in refused.most_common():
        print(f"{name}: {count} x {network}, {framework}")


def figures(command):
    for name, (gate, least) in GATES.items():
        rows = [row for row in run(command, name, "--rows")[0] if row["predicted"]]
        if len(rows) < least:
            sys.exit(f"{name}: {len(rows)} of {least} rows have a prediction")
        refused = [row for row in rows if row["verdict"] == "does-not-fit"]
        print_refused(name, refused)
        yield f"{name}, refused though they ran, %", len(rows), 100 * len(refused) / len(rows), gate


def main():
    return judge(list(figures(sys.argv[1])), {}) > 0


if __name__ == "__main__":
    sys.exit(main())
