"""Figures against their gates: what the tests of published measurements share.

A figure that misses its gate is a known miss if the test names it, with the reason and a bound that it may not pass: it
stays visible, and can only shrink. One that holds its gate again must be taken off that list.
"""
import csv
import io
import math
import statistics
import subprocess


def run(command, name, *options):
    """Rows of `perfmodel validate --set NAME OPTIONS`, and what it says besides."""
    done = subprocess.run([command, "validate", "--set", name, "--format", "csv", *options], capture_output=True,
                          text=True,
                          check=True)
    return list(csv.DictReader(io.StringIO(done.stdout))), done.stderr


def errors(rows):
    """Absolute errors of the rows that have one."""
    return [abs(float(row["error [%]"])) for row in rows if row["error [%]"]]


def mean(found):
    return statistics.fmean(found) if found else math.inf


def median(found):
    return statistics.median(found) if found else math.inf


def p90(found):
    """Between neighbours in proportion."""
    return statistics.quantiles(found, n=10, method="inclusive")[-1] if len(found) > 1 else math.inf


def judge(figures, known):
    """Prints figures (what, rows, reached, gate) and returns how many fail. known: what -> (bound, reason)."""
    bad, seen = 0, set()
    print(f"{'':<58}{'rows':>6}{'reached':>9}{'gate':>7}")
    for what, rows, reached, gate in figures:
        seen.add(what)
        holds, (bound, reason) = reached <= gate, known.get(what, (gate, ""))
        good = holds if what not in known else not holds and reached <= bound
        verdict = "" if holds else "  misses its gate"
        if what in known:
            verdict += "; take it off the known misses" if holds else f", known up to {bound}: {reason}"
        bad += not good
        print(f"{what:<58}{rows:>6}{reached:>9.1f}{gate:>7g}{verdict}{'' if good else '  FAILED'}")
    for what in sorted(set(known) - seen):
        bad += 1
        print(f"{what}: a known miss without a figure  FAILED")
    return bad
