#!/usr/bin/env python3
"""The method of scripts/fit_inference.py: bounded Gauss-Newton in the logarithms of constants, Huber's loss, priors.

Residual: the logarithm of predicted over measured. The program predicts all rows at once with the values of an iteration,
so what is fitted is what is run. Constants of training are fitted by perfmodel calibrate.
"""
import csv
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
FRAMEWORKS = ROOT / "data/frameworks/frameworks.xml"
HUBER = 0.1

# What a constant is before any row, and by which factor that is uncertain: holds those that the rows do not decide.
PRIOR = {"kernel_time": (25, 2), "framework_kernel_factor": (1.5, 2)}
NOISE = 0.1  # of one row, against the uncertainty of the priors


class Parameter:
    """One constant: where it stands in the XML, its bounds, and which rows it bears on."""

    def __init__(self, name, places, unit, least, most, bears, file=FRAMEWORKS):
        self.name, self.places, self.unit, self.least, self.most, self.bears = name, places, unit, least, most, bears
        self.file = file


def element(text, entry, name):
    """The match of one element's value within one entry."""
    start = re.search(rf'<\w+ id="{re.escape(entry)}"', text).start()
    end = text.find("\n\n", start)
    match = re.compile(rf"(<{name}\b[^>]*>)([0-9.eE+-]+)([^<]*)(</{name}>)").search(text, start, end)
    if match is None:
        sys.exit(f"no {name} in {entry}")
    return match


def write(texts, parameters, values):
    """The files' texts with these values."""
    texts = dict(texts)
    for parameter, value in zip(parameters, values):
        for entry in parameter.places:
            text = texts[parameter.file]
            m = element(text, entry, parameter.name.split()[-1])
            texts[parameter.file] = text[:m.start(2)] + f"{value:.4g}" + parameter.unit + text[m.end(3):]
    return texts


class Model:
    def __init__(self, binary, parameters, rows="training"):
        self.binary, self.parameters, self.rows = binary, parameters, rows
        self.texts = {p.file: p.file.read_text() for p in parameters}
        self.start = np.array([float(element(self.texts[p.file], p.places[0], p.name.split()[-1])[2])
                               for p in parameters])

    def predict(self, values):
        with tempfile.TemporaryDirectory() as catalog:
            for file, text in write(self.texts, self.parameters, values).items():
                (Path(catalog) / file.name).write_text(text)
            run = subprocess.run([self.binary, "validate", "--set", self.rows, "--rows", "--format", "csv", "-q",
                                  "--catalog", catalog], capture_output=True, text=True, check=True)
        return list(csv.DictReader(run.stdout.splitlines()))


def log_ratio(rows, keep):
    return np.array([math.log(float(rows[i]["predicted"]) / float(rows[i]["measured"])) for i in keep])


def colours(parameters, bear):
    """Parameters that no row shares are moved in one run of the program."""
    groups = []
    for j in range(len(parameters)):
        for group in groups:
            if not any((bear[:, j] & bear[:, k]).any() for k in group):
                group.append(j)
                break
        else:
            groups.append([j])
    return groups


def jacobian(model, values, base, keep, bear):
    jacobian = np.zeros((len(keep), len(values)))
    for group in colours(model.parameters, bear):
        moved = values.copy()
        for j in group:
            moved[j] *= 1.03 if values[j] * 1.03 < model.parameters[j].most else 0.97
        change = log_ratio(model.predict(moved), keep) - base
        for j in group:
            jacobian[:, j] = np.where(bear[:, j], change / math.log(moved[j] / values[j]), 0)
    return jacobian


def loss(r):
    a = np.abs(r)
    return float(np.sum(np.where(a < HUBER, 0.5 * a * a, HUBER * (a - 0.5 * HUBER))))


def prior(model, values):
    """Weighted residuals of the priors, and their derivatives in the logarithms of the values."""
    centre, factor = np.array([PRIOR[p.name.split()[-1]] for p in model.parameters]).T
    weight = NOISE / np.log(factor)
    return weight * np.log(values / centre), weight


def fit(model, values, keep, bear, rounds=12):
    """Bounded Gauss-Newton in the logarithms, with Huber's weights; returns values, residuals, Jacobian."""
    low, high = (np.array([getattr(p, b) for p in model.parameters]) for b in ("least", "most"))
    values = np.clip(values, low, high)
    damping, r = 1e-3, log_ratio(model.predict(values), keep)
    J = jacobian(model, values, r, keep, bear)
    for _ in range(rounds):
        w = np.minimum(1, HUBER / np.maximum(np.abs(r), 1e-9))
        q, slope = prior(model, values)
        g, H = J.T @ (w * r) + slope * q, J.T @ (w[:, None] * J) + np.diag(slope * slope)
        free = ~(((values <= low * 1.0001) & (g > 0)) | ((values >= high * 0.9999) & (g < 0)))
        A = H[np.ix_(free, free)]
        step = np.zeros(len(values))
        step[free] = -np.linalg.solve(A + damping * (np.diag(np.diag(A)) + 1e-3 * np.eye(len(A))), g[free])
        trial = np.clip(values * np.exp(np.clip(step, -1, 1)), low, high)
        moved = log_ratio(model.predict(trial), keep)
        before, after = (loss(x) + 0.5 * np.sum(prior(model, v)[0] ** 2) for x, v in ((r, values), (moved, trial)))
        if after > before:
            damping *= 10
            if damping > 1e3:
                break
            continue
        values, r, damping = trial, moved, max(damping / 5, 1e-5)
        if before - after < 1e-4 * before:
            break
        J = jacobian(model, values, r, keep, bear)
    return values, r, J


def errors(r):
    e = np.exp(r) - 1
    return f"{len(e):4d} rows  mean {100 * np.mean(np.abs(e)):5.1f}  median {100 * np.median(np.abs(e)):5.1f}  bias {100 * np.mean(e):+6.1f} %"


def report_values(model, values, r, J):
    w = np.minimum(1, HUBER / np.maximum(np.abs(r), 1e-9))
    H = J.T @ (w[:, None] * J)
    freedom = max(1, len(r) - len(values))
    scale = np.sum(w * r * r) / freedom
    slope = prior(model, values)[1]
    error = np.sqrt(np.diag(np.linalg.inv(H / scale + np.diag((slope / NOISE) ** 2))))
    for p, value, se in zip(model.parameters, values, error):
        bound = value <= p.least * 1.001 or value >= p.most * 0.999
        known = se < 0.7 * math.log(PRIOR[p.name.split()[-1]][1])
        note = "at its bound" if bound else "" if known else "not identifiable"
        print(f"{p.places[0]:12} {p.name.split()[-1]:16} {value:9.4g}{p.unit:3} x/ {math.exp(se):5.2f}  {note}")
