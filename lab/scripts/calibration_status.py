#!/usr/bin/env python3
"""Says which operators of which GPUs have rows behind their constants: data/calibration/operators.xml.

    lab/scripts/calibration_status.py [--check] PERFMODEL [FILE]...     (perfmodel calibrate --all --part status)

The rows are those that `perfmodel validate` predicts: kernels, operators, and rates of training for the classes whose
constants are fitted to them, convolutions and passes of vision networks. A GPU is calibrated in a class by rows of its
own or of a twin, a GPU of the same chip at the same rates and about the same power; an architecture is extrapolated by
rows of its GPUs or of its neighbours, and not calibrated without. It also prints the architectures of the rows that
frameworks, libraries and inference profiles have (`calibrated_on`). --check prints what differs from the files, and
fails if anything does."""
import collections
import csv
import functools
import io
import subprocess
import sys
import xml.etree.ElementTree as ET

from entries import (DATE, FRAMEWORKS, INFERENCE, KERNELS, OPERATORS, ROOT, arguments, as_file, catalogs, read,
                     with_values)

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

@functools.cache
def rows_of(command, name):
    words = [command[0], "validate", "--set", name, "--rows", "--format", "csv", "-q", *catalogs(command)]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
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
        for entry in ET.parse(ROOT / KERNELS).getroot():
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


def value(word, field, gpus, counts):
    if not gpus:
        return word, {"origin": "rule"}
    return word, {"fitted_to": " ".join(gpus), "rows": str(sum(counts[gpu, field] for gpu in gpus)), "date": DATE}


def entry(name, values):
    empty = ET.Element("operator_calibration", id=name, name=f"Kernels of {name}", source="kernel-fits")
    return with_values(empty, values)


def operators(gpus, counts):
    """Entries of GPUs with rows, and of all architectures."""
    for name in gpus.facts:
        found = {field: [twin for twin in gpus.twins(name) if (twin, field) in counts] for field in FIELDS}
        values = {field: value("calibrated", field, rows, counts) for field, rows in found.items() if rows}
        if values:
            yield entry(name, values)
    for name, neighbours in gpus.neighbours.items():
        near = {field: [gpu for gpu in gpus.facts
                        if gpus.kernels_of[gpu] in (name, *neighbours) and (gpu, field) in counts] for field in FIELDS}
        yield entry(name, {field: value("extrapolated" if rows else "not-calibrated", field, rows, counts)
                           for field, rows in near.items()})


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


def of_documents(software):
    """Architectures of the source documents that something of an entry is fitted to, where all of it rests on these."""
    if software.findtext("evidence") != "documents":
        return ""
    words = " ".join(element.get("fitted_to", "") for element in software).split()
    return " ".join(dict.fromkeys(DOCUMENTS[word] for word in words if word in DOCUMENTS))


def is_guess(software):
    return software.findtext("evidence") == "uncalibrated" or (software.tag == "inference_profile" and
                                                               software.findtext("origin") != "fitted")


def software(command, training, inference, gpus):
    """Entries of software with the architectures of these rows, none for guesses."""
    first, second = (lambda text: text.split("@")[0]), (lambda text: text.split("@")[-1])
    kinds = (("framework", FRAMEWORKS, architectures(training, gpus, first)),
             ("cudnn_generation", FRAMEWORKS, architectures(training, gpus, second)),
             ("inference_profile", INFERENCE, architectures(inference, gpus, first)))
    for kind, file, found in kinds:
        for name, old in read(command, file, kind).items():
            on = None if is_guess(old) else of_documents(old) or found.get(name)
            yield with_values(old, {"calibrated_on": (on, {"origin": "fact", "note": "of its rows"}) if on else None})


# ---- What differs ----


def values_of(entry):
    return {element.tag: (element.text, element.attrib) for element in entry}


def of_files(command):
    places = ((OPERATORS, "operator_calibration"), (FRAMEWORKS, "framework"), (FRAMEWORKS, "cudnn_generation"),
              (INFERENCE, "inference_profile"))
    return {(kind, name): entry for file, kind in places for name, entry in read(command, file, kind).items()}


def main():
    given = arguments(__doc__, "--check")
    gpus, command = Gpus(), given.command
    counts, training = count_rows(command)
    found = [*operators(gpus, counts), *software(command, training, rows_of(command, "inference"), gpus)]
    new, old = {(entry.tag, entry.get("id")): entry for entry in found}, of_files(command)
    for kind, name in sorted(set(new) ^ set(old)):
        sys.exit(f"{OPERATORS}: {kind} {name} " + ("is of no rows; remove it" if (kind, name) in old else
                                                  "is missing; add it: " + as_file([new[kind, name]])))
    differing = [key for key, entry in new.items() if values_of(entry) != values_of(old[key])]
    if not given.check:
        print(as_file(found))
        return 0
    for kind, name in differing:
        print(f"{kind} {name} is not what the rows say")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
