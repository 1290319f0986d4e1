#!/usr/bin/env python3
"""Fits what frameworks need on the host in inference, in data/calibration/inference.xml, to published rates.

    python3 scripts/fit_inference.py [--perfmodel PATH] [--write]

Host time of a kernel and of a call, one pair for each code base. Everything else is as fitted to training
(perfmodel calibrate --set training), whose method this is: the rows are those of data/measured/inference.csv.gz that the
catalogue's readings match to the profile, and the program predicts them with the values of each iteration. It prints each value with its standard error, the errors, and those of each
network and each GPU with constants fitted without it. --write puts the values into the file.
"""
import argparse
import csv
import gzip

import numpy as np

import fit_language
from fit_language import ROOT, Model, Parameter, errors, fit, log_ratio, report_values, write

TABLE = ROOT / "data/measured/inference.csv.gz"
PROFILES = ROOT / "data/calibration/inference.xml"
FAMILIES = {
    "mxnet17": ["mxnet17"],
    "mxnet-ngc": ["mxnet-ngc"],
    "tf1": ["tf1-nchw", "tf1-nhwc"],
    "tf1-xla": ["tf1-xla"],
    "pytorch": ["pt-nchw", "pt-nhwc", "pt-nchw-amp", "pt-nhwc-amp"],
    "pytorch-2": [f"pytorch-{version}{layout}-amp" for version in ("2.1", "2.4", "2.9") for layout in ("", "-nhwc")],
}
HOST = [("launch", " us", 2, 100), ("step_time", " us", 1, 20000)]
# Of passes over memory, where training's is of language models, with their dropout and gradients.
PASSES = ("framework_kernel_factor", "", 1, 4)
PRIOR = {"launch": (20, 3), "step_time": (300, 3), "framework_kernel_factor": (1.2, 1.5)}

# Rows that are not fitted on, with the reason: (test of the row and its group, reason).
LEFT_OUT = [
    (lambda row, group: " t4 " in group and row["framework"] == "PyTorch" and "2020-10-21" in row["source_commit_or_date"],
     "PyTorch on T4, page of 2020-10: ResNet-50 in FP32 at more than the T4's peak"),
    (lambda row, group: row["model"].startswith("NCF"), "NCF: calls of up to a million samples, whose input no row describes"),
]


def parameters():
    def of(names):
        return lambda group: group.split()[1].split("@")[0] in names
    def constants(family):
        return [PASSES] if family == "pytorch-2" else HOST
    return [Parameter(f"{family} {name}", names, unit, least, most, of(names), PROFILES)
            for family, names in FAMILIES.items() for name, unit, least, most in constants(family)]


def print_without(model, values, keep, bear, kind, names):
    """Errors of rows with constants fitted on those of other networks, or GPUs."""
    kept_out = np.full(len(keep), np.nan)
    for name in sorted(set(names)):
        mask = names == name
        other, _, _ = fit(model, values, [k for k, m in zip(keep, mask) if not m], bear[~mask], rounds=3)
        kept_out[mask] = log_ratio(model.predict(other), [k for k, m in zip(keep, mask) if m])
        print(f"without {name:22}", errors(kept_out[mask]))
    print(f"each {kind} held out   ", errors(kept_out))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--perfmodel", default="perfmodel")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    fit_language.PRIOR.update(PRIOR)
    with gzip.open(TABLE, "rt", newline="") as file:
        table = list(csv.DictReader(file))
    model = Model(arguments.perfmodel, parameters(), "inference")
    rows = model.predict(model.start)
    of = [table[int(row["id"].split()[0]) - 2] for row in rows]
    keep = []
    for i, row in enumerate(rows):
        reasons = [text for test, text in LEFT_OUT if test(of[i], row["group"])]
        if not reasons and any(p.bears(row["group"]) for p in model.parameters):
            keep.append(i)
    bear = np.array([[p.bears(rows[i]["group"]) for p in model.parameters] for i in keep])
    print("before       ", errors(log_ratio(rows, keep)))
    values, r, J = fit(model, model.start, keep, bear)
    values = np.array([float(f"{v:.4g}") for v in values])
    report_values(model, values, r, J)
    print("fitted       ", errors(log_ratio(model.predict(values), keep)))
    if arguments.write:
        PROFILES.write_text(write(model.texts, model.parameters, values)[PROFILES])
    print_without(model, values, keep, bear, "network", np.array([of[i]["model"].split("-")[0] for i in keep]))
    print_without(model, values, keep, bear, "GPU", np.array([rows[i]["group"].split()[2].split("-")[0] for i in keep]))


if __name__ == "__main__":
    main()
