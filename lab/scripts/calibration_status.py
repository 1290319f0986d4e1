#!/usr/bin/env python3
"""Writes which operators of which GPUs have rows behind their constants, in data/calibration/operators.xml.

    lab/scripts/calibration_status.py [--perfmodel PATH] [--check]

The rows are those that `perfmodel validate` predicts: kernels, operators, and rates of training for the classes whose
constants are fitted to them, convolutions and passes of vision networks. A GPU is calibrated in a class by rows of its
own or of a twin, a GPU of the same chip at the same rates and about the same power; an architecture is extrapolated by
rows of its GPUs or of its neighbours, and not calibrated without. It also writes the architectures of the rows that
frameworks, libraries and inference profiles have (`calibrated_on`). --check writes nothing and fails if anything would
change."""
import argparse
import collections
import csv
import functools
import io
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "data/calibration/operators.xml"
KERNELS = ROOT / "data/calibration/kernels.xml"
SOFTWARE = (ROOT / "data/frameworks/frameworks.xml", ROOT / "data/calibration/inference.xml")
DATE = "2026-11"
FIELDS = ["product_simt", "product_tensor", "convolution_simt", "convolution_tensor", "recurrent_simt",
          "recurrent_tensor",
          "attention", "passes"]
SIMT = ("fp32", "fp64", "fp16-storage", "fp16-half")
FEWEST = 5  # rows of a class that count as rows of a GPU

# Architectures of the same generation, of the one before and of the one after, of the same maker.
NEIGHBOURS = {
    "kepler": "maxwell", "maxwell": "kepler pascal gp100 gp102", "pascal": "maxwell gp100 gp102 volta",
    "gp100": "maxwell pascal gp102 volta", "gp102": "maxwell pascal gp100 volta turing",
    "volta": "pascal gp100 gp102 turing ampere", "turing": "volta ampere ga102",
    "ampere": "volta turing ga102 ada hopper",
    "ga102": "turing ampere ada", "ada": "ampere ga102 hopper", "hopper": "ampere ada blackwell",
    "blackwell": "ada hopper",
    "gb20x": "ada blackwell",
    "vega": "cdna", "cdna": "vega cdna2", "cdna2": "cdna cdna3", "cdna3": "cdna2 cdna4", "cdna4": "cdna3",
}

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!-- What the times of kernels rest on, by class of operators: of GPUs with rows of their own or of a twin, and of
     architectures. Written by lab/scripts/calibration_status.py from the rows that `perfmodel validate` predicts. -->
<perfmodel version="1">
"""


def rows_of(command, name):
    done = subprocess.run([command, "validate", "--set", name, "--rows", "--format", "csv", "-q"], check=True,
                          capture_output=True, text=True)
    return [row for row in csv.DictReader(io.StringIO(done.stdout)) if row["error [%]"]]


def cores(precision):
    return "simt" if precision in SIMT else "tensor"


def class_of_kernel(group):
    gpu, operator, precision = group.split()[:3]
    kinds = {"gemm": "product_", "conv": "convolution_", "rnn": "recurrent_"}
    found = next((field for word, field in kinds.items() if operator.startswith(word)), None)
    return gpu, "passes" if found is None else found + cores(precision)


def class_of_operator(group):
    gpu, operator, precision = group.split()[:3]
    if "doubted" in group or operator.startswith(("all-reduce", "experts", "latent", "products-latent")):
        return gpu, None
    if operator.startswith("attention"):
        return gpu, "attention"
    return gpu, "product_" + cores(precision) if operator.startswith("products") else "passes"


@functools.lru_cache
def count_kernels(command):
    counts = collections.Counter()
    counts.update(class_of_kernel(row["group"]) for row in rows_of(command, "kernels"))
    counts.update(class_of_operator(row["group"]) for row in rows_of(command, "operators"))
    return counts


def count_rows(command, without=lambda group: False, kernels=False):
    """(GPU, class) -> rows; `without` groups of training, and with `kernels` without the kernels of their GPUs."""
    training = rows_of(command, "training")
    gone = {row["group"].split()[2] for row in training if without(row["group"])} if kernels else set()
    counts = collections.Counter({key: n for key, n in count_kernels(command).items() if key[0] not in gone})
    for row in training:
        kind, _, gpu, precision = row["group"].split()[:4]
        if kind == "vision" and not without(row["group"]):
            counts[gpu, "convolution_" + cores(precision)] += 1
            counts[gpu, "passes"] += 1
    return {key: count for key, count in counts.items() if key[1] and count >= FEWEST}, training


class Gpus:
    """The GPUs of the catalogue, with their constants of kernels and their twins."""

    def __init__(self):
        self.neighbours, self.kernels_of, self.facts = {}, {}, {}
        for entry in ET.parse(KERNELS).getroot():
            if entry.get("id") != "default":
                self.neighbours[entry.get("id")] = NEIGHBOURS.get(entry.get("id"), entry.findtext("like") or "").split()
            for alias in (entry.get("alias") or "").split(","):
                self.kernels_of[alias.strip()] = entry.get("id")
        for path in sorted((ROOT / "data/gpus").glob("*.xml")):
            for gpu in ET.parse(path).getroot().iter("gpu"):
                name = gpu.get("id")
                known = [self.kernels_of.get(alias.strip()) for alias in [name, *(gpu.get("alias") or "").split(",")]]
                self.kernels_of[name] = next((found for found in known if found), gpu.findtext("architecture"))
                clock, unit = (gpu.findtext("clock") or "nan GHz").split()
                power = float((gpu.findtext("power") or "nan W").split()[0])
                self.facts[name] = gpu.findtext("sms"), float(clock) * {"GHz": 1000, "MHz": 1}[unit], power

    def twins(self, name):
        """Of the same chip with as many SMs, at the same clock, with hardly more or less power; itself among them."""
        def same(other):
            (sms, clock, power), (its_sms, its_clock, its_power) = self.facts[name], self.facts[other]
            return sms == its_sms and clock == its_clock and max(power, its_power) <= 1.25 * min(power, its_power)
        return [other for other in self.facts if other == name
                or (self.kernels_of[other] == self.kernels_of[name] and same(other))]


def element(field, word, gpus, counts):
    rows = sum(counts[gpu, field] for gpu in gpus)
    if not gpus:
        return f'    <{field} origin="rule">{word}</{field}>'
    return f'    <{field} fitted_to="{" ".join(gpus)}" rows="{rows}" date="{DATE}">{word}</{field}>'


def entry(name, title, elements):
    return f'\n  <operator_calibration id="{name}" name="{title}" source="kernel-fits">\n' + "\n".join(elements) + \
        "\n  </operator_calibration>\n"


def written(gpus, counts):
    text = HEAD
    for name in gpus.facts:
        found = {field: [twin for twin in gpus.twins(name) if (twin, field) in counts] for field in FIELDS}
        elements = [element(field, "calibrated", rows, counts) for field, rows in found.items() if rows]
        if elements:
            text += entry(name, f"Kernels of {name}", elements)
    for name, neighbours in gpus.neighbours.items():
        near = {field: [gpu for gpu in gpus.facts if gpus.kernels_of[gpu] in (name, *neighbours) and (gpu,
            field) in counts]
                for field in FIELDS}
        text += entry(name, f"Kernels of {name}", [element(field, "extrapolated" if rows else "not-calibrated", rows,
                                                           counts)
                                                  for field, rows in near.items()])
    return text + "\n</perfmodel>\n"


# ---- Software ----


def architectures(rows, gpus, part):
    """Name of the software -> architectures of its rows, in the order of the catalogue."""
    found = collections.defaultdict(collections.Counter)
    for row in rows:
        found[part(row["framework"])][gpus.kernels_of[row["group"].split()[2]]] += 1
    order = list(gpus.neighbours)
    return {name: " ".join(sorted((a for a, n in counts.items() if n >= FEWEST), key=order.index)) for name, counts in
            found.items()}


DOCUMENTS = {"dgx1-p100": "gp100", "dgx1-v100": "volta", "bnl2019": "volta", "dell2018": "volta", "keras2018": "volta"}


def of_documents(body):
    """Architectures of the source documents that something of an entry is fitted to, where all of it rests on these."""
    if "<evidence>documents</evidence>" not in body:
        return ""
    words = " ".join(re.findall(r'fitted_to="([^"]*)"', body)).split()
    return " ".join(dict.fromkeys(DOCUMENTS[word] for word in words if word in DOCUMENTS))


def is_guess(body, kind):
    return "<evidence>uncalibrated</evidence>" in body or (kind == "inference_profile" and
                                                           not re.search(r"<origin[^>]*>fitted</origin>", body))


def with_architectures(text, kind, found):
    """The text of a file with `calibrated_on` of its entries of a kind as found; none of those that are guesses."""
    def replaced(match):
        head, name, body, tail = match.groups()
        on = None if is_guess(body, kind) else of_documents(body) or found.get(name)
        line = f'    <calibrated_on origin="fact" note="of its rows">{on}</calibrated_on>\n' if on else ""
        body, places = re.subn(r"    <calibrated_on[^\n]*\n", line, body)
        if places == 0:
            body = body.rstrip(" ") + line + "  "
        return head + body + tail
    return re.sub(rf'(  <{kind} id="([^"]+)"[^>]*>)(.*?)(</{kind}>)', replaced, text, flags=re.S)


def software(training, inference, gpus):
    """The files of software, with the architectures of these rows."""
    first, second = (lambda text: text.split("@")[0]), (lambda text: text.split("@")[-1])
    kinds = {"framework": architectures(training, gpus, first),
             "cudnn_generation": architectures(training, gpus, second),
             "inference_profile": architectures(inference, gpus, first)}
    files = {}
    for path in SOFTWARE:
        files[path] = path.read_text()
        for kind, found in kinds.items():
            files[path] = with_architectures(files[path], kind, found)
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--perfmodel", default="perfmodel")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    gpus = Gpus()
    counts, training = count_rows(arguments.perfmodel)
    files = software(training, rows_of(arguments.perfmodel, "inference"), gpus) | {OUT: written(gpus, counts)}
    stale = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        print(f"{path.relative_to(ROOT)} {'is not what the rows say' if arguments.check else 'written'}")
        if not arguments.check:
            path.write_text(files[path])
    return 1 if arguments.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
