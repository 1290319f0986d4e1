#!/usr/bin/env python3
"""Published training rates against their gates. Means of the absolute errors, no row left out.

    training.py PERFMODEL rows           each group of rows, by the shipped constants
    training.py PERFMODEL sources        each source by constants that are fitted without it: half a minute

Classification is what remains of vision without detection, segmentation and depthwise convolutions. Rows of Lambda's
benchmark have figures of their own: PyTorch 1.4 on images is no part of
the fit, and language decides the factor of framework kernels alone."""
import csv
import gzip
import operator
import pathlib
import subprocess
import sys

from judge import errors, judge, mean, median, run

TABLE = pathlib.Path(__file__).resolve().parents[2] / "data" / "measured" / "training.csv.gz"

HOST = "U-Net, whose augmentation on the host no row describes"
PAGES = ("B4 in TensorFlow on several GPUs, with batch norms over all of them; one table has half of its own rates "
         "on one GPU")
KNOWN = {
    "vision, V100 and older": (12.0, HOST + ", EfficientNet; classification holds the gate"),
    "vision, V100 and older, one GPU": (11.8, "as all of them"),
    "vision, V100 and older, several GPUs": (12.3, "as all of them"),
    "EfficientNet, V100 and older": (20.0, PAGES),
    "all networks of convolutions, V100 and older": (12.1, "as vision"),
    "volumes, A100": (15.6, "nnU-Net of 2020, which was fed TFRecords by the host"),
    "GNMT v2, V100": (22.2, "PyTorch of 2018 in FP16 a third too fast: its loss is taken to run as in later releases"),
    "Lambda, hosts without peer access": (22.3, "sockets of one kind stand for all hosts"),
}
LATER = ("Mask R-CNN", "Tacotron2", "WaveGlow")  # in groups of their own; constants have seen the second alone
LAMBDA = {"V100": 8, "A100": 10, "H100": 12}  # other GPUs are cards
KNOWN_SOURCES = {
    "mxnet left out": (22.5, "nothing else decides its host times, nor Kepler's convolutions"),
    "convnet-benchmarks left out": (31.1, "cuDNN 4, whose Fourier transforms the model does not take"),
    "deep-learning-benchmark left out": (17.2, "the only rows of tensor cores with cuDNN 7.0"),
}


def figures(command):
    with gzip.open(TABLE, "rt", newline="") as file:
        lines = list(csv.DictReader(file))
    rows, _ = run(command, "training", "--rows", "-q")
    for row in rows:
        line = lines[int(row["id"].split()[0]) - 2]
        row["model"] = line["model"].lower()
        row["new"] = "lambdal" in line["source_repo"]
        row["gpu"] = next((gpu for gpu in LAMBDA if gpu in line["gpu"]), "cards")
    for name in LATER:
        found = errors(row for row in rows if row["model"] == name.lower())
        yield name, len(found), mean(found), 25
    rows = [row for row in rows if row["model"] not in map(str.lower, LATER)]
    new, rows = [row for row in rows if row["new"]], [row for row in rows if not row["new"]]
    alone = errors(row for row in new if " no-peer " in row["group"])
    new = [row for row in new if " no-peer " not in row["group"]]
    yield "Lambda, hosts without peer access", len(alone), mean(alone), 15
    for name, gate in (*LAMBDA.items(), ("cards", 15)):
        found = errors(row for row in new if row["gpu"] == name and row["group"].startswith("vision "))
        yield f"Lambda, vision, {name}", len(found), mean(found), gate
    found = errors(row for row in new if row["group"].startswith("language "))
    yield "Lambda, language", len(found), mean(found), 18

    def figure(what, gate, chosen):
        found = errors(row for row in rows if chosen(row["group"], row["model"]))
        print(f"{what}: median {median(found):.1f} %")
        return what, len(found), mean(found), gate

    for name, gate, recent in (("V100 and older", 10, False), ("A100", 15, True)):
        for scale, word in (("", " "), (", one GPU", " 1-gpu "), (", several GPUs", " n-gpu ")):
            yield figure(f"vision, {name}{scale}", gate, lambda group, model, recent=recent, word=word:
                         group.startswith("vision ") and (" a100" in group) == recent and word in group)
        yield figure(f"classification, {name}", gate, lambda group, model, recent=recent:
                     group.startswith("vision ") and (" a100" in group) == recent
                     and not any(word in model for word in ("ssd", "u-net", "efficientnet")))
        yield figure(f"all networks of convolutions, {name}", gate, lambda group, model, recent=recent:
                     group.startswith(("vision ", "volumes ")) and (" a100" in group) == recent)
        yield figure(f"EfficientNet, {name}", 15, lambda group, model, recent=recent:
                     "efficientnet" in model and (" a100" in group) == recent)
        yield figure(f"volumes, {name}", 15, lambda group, model, recent=recent:
                     group.startswith("volumes ") and (" a100" in group) == recent)
    for name in ("BERT", "GNMT v2", "Transformer-XL"):
        yield figure(f"{name}, V100", 20, lambda group, model, name=name: model == name.lower() and " v100" in group)


def left_out(command):
    """Each source by constants that are fitted without it."""
    done = subprocess.run([command, "calibrate", "--set", "training", "--errors", "--format", "csv", "--quiet"],
                          check=True,
                          capture_output=True, text=True)
    sources = [row for row in csv.DictReader(done.stdout.splitlines()) if row["use"] == "left-out-source"]
    counts, means = [int(row["rows"]) for row in sources], [float(row["mape [%]"]) for row in sources]
    for row, count, reached in zip(sources, counts, means):
        yield f"{row['group']} left out", count, reached, 15
    yield "every source left out", sum(counts), sum(map(operator.mul, counts, means)) / sum(counts), 15


if __name__ == "__main__":
    what, known = {"rows": (figures, KNOWN), "sources": (left_out, KNOWN_SOURCES)}[sys.argv[2]]
    sys.exit(judge(list(what(sys.argv[1])), known) > 0)
