#!/usr/bin/env python3
"""Fits the constants of frameworks and GPU libraries in data/frameworks/frameworks.xml to published training rates.

    python3 scripts/fit_training.py [--perfmodel PATH] [--write] [--language]

Every value below is fitted to the vision rows of data/measured/training.csv.gz that the catalogue's readings match to the
profile, and to no other row: no constant belongs to one row, one network or one GPU. Kepler, of which there are no rows of
kernels, has the rate of its convolutions from them too, and depthwise convolutions their efficiency from EfficientNet, whose
rows decide nothing else. Residual: the logarithm of
predicted over measured, Huber's loss. The program predicts all rows at once with the values of an iteration
(perfmodel validate --set training --rows --catalog ...), so what is fitted is what is run. Single GPUs and several are
fitted together; their errors are printed apart.

It prints each value with its standard error, those that the rows do not decide, the errors, those of each source
with constants fitted without it, those of A100 with constants fitted without any, and how many of those rows the band of
eight in ten covers. --write puts the values into the files. It ends with 1 if a source left out, or the cover of the band,
misses its gate. --language fits what the frameworks' own kernels take in transformers and translators instead, on the
language rows of V100; those of A100 are left out as a test.
"""
import argparse
import csv
import gzip
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "measured"))
from judge import judge  # noqa: E402

TABLE = ROOT / "data/measured/training.csv.gz"
FRAMEWORKS = ROOT / "data/frameworks/frameworks.xml"
KERNELS = ROOT / "data/calibration/kernels.xml"
HUBER = 0.1
LEFT_OUT_GATE = 15  # per cent: mean error of a source by constants fitted without it
COVER_GATE = 10  # per cent: eight in ten rows of a source left out lie in the band, give or take so many

# Profiles that share their constants: one code base, another layout or graph compiler.
FAMILIES = {
    "mxnet17": ["mxnet17"],
    "tf1": ["tf1-nchw", "tf1-nhwc", "tf1-xla", "horovod"],
    "pytorch": ["pt-nchw", "pt-nhwc", "pytorch-dp"],
    "torch7": ["torch7"],
}
# Fitted on language rows: (profiles, element, unit, least, most).
LANGUAGE = [(["pt-nhwc"], "own_factor", "", 1, 5), (["tf1-xla"], "own_factor", "", 1, 5),
            (["tf1-xla"], "kernel_time", " us", 2, 100)]
ELSEWHERE = {("tf1-xla", "kernel_time")}
# (element, unit, least, most); fitted as logarithms
HOST = [("kernel_time", " us", 2, 100), ("step_time", " us", 1, 5000), ("straggler", "", 0.001, 0.08)]
# What a constant is before any row, and by which factor that is uncertain: holds those that the rows do not decide.
PRIOR = {"kernel_time": (25, 2), "step_time": (700, 3), "straggler": (0.02, 2), "simt_factor": (1, 2),
         "tensor_factor": (1, 2), "conv_rate": (1, 1.5), "depthwise_efficiency": (0.2, 4), "own_factor": (1.5, 2)}
NOISE = 0.1  # of one row, against the uncertainty of the priors
ERAS = {"cudnn6": ["simt_factor"],
        "cudnn7.0": ["simt_factor", "tensor_factor"], "cudnn7.3": ["simt_factor", "tensor_factor"],
        "cudnn8": ["simt_factor", "tensor_factor"], "cudnn8.0": ["tensor_factor"]}
# Generations that differ in what they can do, not in how fast they do it; or, on FP32 cores, in neither.
SAME = {("cudnn6", "simt_factor"): ["cudnn4", "cudnn5.0"], ("cudnn8", "simt_factor"): ["cudnn8.0"]}
FACTOR = (0.6, 1.8)

# Rows that are not fitted on, with the reason: (test of the row and its group, reason).
LEFT_OUT = [
    (lambda row, group: row["model"] == "nnU-Net", "nnU-Net: kept as a test of networks that no constant has seen"),
    (lambda row, group: row["model"].startswith("U-Net"), "U-Net: fed by augmentation on the host, which no row describes"),
    (lambda row, group: "u39kun" in row["source_repo"] and ("titan-v " in group or " pt-" not in group),
     "u39kun: TITAN V, TensorFlow and Caffe2: up to twice as slow as other sources of the same GPU"),
    (lambda row, group: group.startswith("vision generic"), "no profile of its own"),
]


class Parameter:
    """One constant: where it stands in the XML, its bounds, and which rows it bears on."""

    def __init__(self, name, places, unit, least, most, bears, file=FRAMEWORKS, depthwise=False):
        self.name, self.places, self.unit, self.least, self.most, self.bears = name, places, unit, least, most, bears
        self.file, self.depthwise = file, depthwise


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


def of_family(names):
    return lambda group: group.split()[1].split("@")[0] in names


def language_parameters():
    return [Parameter(f"{places[0]} {name}", places, unit, least, most, of_family(places))
            for places, name, unit, least, most in LANGUAGE]


def is_fitted(group, language):
    """Whether a row of that group is one to fit on, before what is left out with a reason."""
    if language:
        return group.startswith("language") and " v100" in group and any(of_family(p[0])(group) for p in LANGUAGE)
    return group.startswith("vision")


def training_parameters():
    out = []
    for family, names in FAMILIES.items():
        for name, unit, least, most in HOST:
            own = [n for n in names if (n, name) not in ELSEWHERE]
            out.append(Parameter(f"{family} {name}", own, unit, least, most, of_family(own)))
    for era, factors in ERAS.items():
        for name in factors:
            places = [era, *SAME.get((era, name), [])]
            out.append(Parameter(f"{era} {name}", places, "", *FACTOR,
                                 lambda group, places=places: group.split()[1].split("@")[1] in places))
    out.append(Parameter("kepler conv_rate", ["kepler"], "", 0.5, 1.5, lambda group: " k80 " in group, KERNELS))
    out.append(Parameter("default depthwise_efficiency", ["default"], "", 0.01, 0.5, lambda group: True, KERNELS, True))
    return out


def spread(r, share=0.8):
    """Standard deviation of the normal whose middle eight tenths hold that share of the residuals."""
    return float(np.quantile(np.abs(r), share)) / 1.2815515655446004


def print_band(r, kept_out, source):
    """The band's width from the sources kept out; how much of a source that of the others covers, in per cent."""
    known = ~np.isnan(kept_out)
    if not known.any():
        print(f"band: standard deviation fitted {spread(r):.3f}; one source alone, so none is kept out")
        return math.nan
    inside = 0
    for name in set(source[known]):
        own, others = known & (source == name), known & (source != name)
        inside += np.sum(np.abs(kept_out[own]) <= 1.2815515655446004 * spread(kept_out[others]))
    covered = 100 * inside / known.sum()
    print(f"band: standard deviation fitted {spread(r):.3f}, of sources kept out {spread(kept_out[known]):.3f}; "
          f"that of the other sources covers {covered:.0f} % of a source's rows")
    return covered


def without(model, values, keep, bear, mask):
    """Residuals of rows with constants fitted to the others."""
    other, _, _ = fit(model, values, [k for k, m in zip(keep, mask) if not m], bear[~mask], rounds=5)
    return log_ratio(model.predict(other), [k for k, m in zip(keep, mask) if m])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--perfmodel", default="perfmodel")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--language", action="store_true")
    arguments = parser.parse_args()
    with gzip.open(TABLE, "rt", newline="") as file:
        table = list(csv.DictReader(file))
    model = Model(arguments.perfmodel, language_parameters() if arguments.language else training_parameters())
    rows = model.predict(model.start)
    keep, counts, out = [], {}, []
    for i, row in enumerate(rows):
        group = row["group"]
        if not is_fitted(group, arguments.language):
            continue
        of = table[int(row["id"].split()[0]) - 2]
        reason = next((text for test, text in LEFT_OUT if test(of, group)), None)
        if reason is None:
            keep.append(i)
        else:
            counts[reason] = counts.get(reason, 0) + 1
            out.append(i)
    for reason, count in counts.items():
        print(f"left out {count:4d} rows: {reason}")
    groups = [rows[i]["group"] for i in keep]
    depthwise = [table[int(rows[i]["id"].split()[0]) - 2]["model"].startswith("EfficientNet") for i in keep]
    bear = np.array([[p.depthwise == d and p.bears(g) and not (p.name.endswith("straggler") and " 1-gpu " in g)
                      for p in model.parameters] for g, d in zip(groups, depthwise)])
    print("before       ", errors(log_ratio(rows, keep)))
    values, r, J = fit(model, model.start, keep, bear)
    values = np.array([float(f"{v:.4g}") for v in values])
    report_values(model, values, r, J)
    rows = model.predict(values)
    r = log_ratio(rows, keep)
    several = np.array([" n-gpu " in g for g in groups])
    print("fitted       ", errors(r), "\n one GPU     ", errors(r[~several]), "\n several     ", errors(r[several]))
    print(" left out    ", errors(log_ratio(rows, out)) if out else "")
    source = np.array([g.split()[-1] for g in groups])
    kept_out, figures = np.full(len(keep), np.nan), []
    for name in sorted(set(source)):
        mask = source == name
        if (~mask).sum() < 20:
            continue
        kept_out[mask] = without(model, values, keep, bear, mask)
        print(f"without {name:22}", errors(kept_out[mask]))
        figures.append((f"without {name}", int(mask.sum()), 100 * np.abs(np.expm1(kept_out[mask])).mean(), LEFT_OUT_GATE))
    if arguments.language:
        apart = np.array([table[int(rows[i]["id"].split()[0]) - 2]["model"] for i in keep])
        tested = [i for i, row in enumerate(rows) if row["group"].startswith("language") and " a100" in row["group"]]
        print(f"{'A100, not fitted':30}", errors(log_ratio(rows, [i for i in tested if rows[i]["predicted"]])))
    else:
        apart = np.array(["A100" if " a100" in g else "" for g in groups])
        covered = print_band(r, kept_out, source)
        figures.append(("cover of the band, distance from 80 %", len(keep), abs(covered - 80), COVER_GATE))
    for name in sorted(set(apart) - {""}):
        print(f"without {name:22}", errors(without(model, values, keep, bear, apart == name)))
    if arguments.write:
        for file, text in write(model.texts, model.parameters, values).items():
            file.write_text(text)
    return judge(figures, {})


if __name__ == "__main__":
    sys.exit(main() > 0)
