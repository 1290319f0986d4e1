"""The parts of docs/accuracy.md that `perfmodel validate` gives, and their pictures."""
import csv
import gzip
import pathlib
import re
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import page_parts
import perfmodel as pm

DOCUMENTS = {
    "dgx1-v100": "DGX-1 V100 paper", "dgx1-p100": "DGX-1 P100 paper", "bnl2019": "BNL paper",
    "dell2018": "Dell EMC guide",
    "keras2018": "Keras best practices",
}


def statistics(errors):
    """Count, mean absolute error, median, 90th percentile, bias."""
    size = np.abs(errors)
    if len(size) == 0:
        return ["0"] + ["-"] * 4
    return [str(len(size)), f"{size.mean():.1f}", f"{np.median(size):.1f}", f"{np.quantile(size, 0.9):.1f}",
            f"{errors.mean():+.1f}"]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell).replace("|", "/") for cell in row) + " |" for row in rows])


STATISTICS = ["rows", "mape", "median", "p90", "bias"]


def known(rows):
    return ~np.isnan(rows["error"])


# ---- Pictures ------------------------------------------------------------------------------------------------------


def picture(folder, name, rows, classes, title):
    """Predicted over measured against measured, and how errors are spread, by class."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2))
    bins = np.linspace(-100, 150, 51)
    for label, chosen in classes:
        chosen = chosen & known(rows)
        if not chosen.any():
            continue
        left.loglog(rows["measured"][chosen], rows["predicted"][chosen], ".", markersize=4, label=label)
        right.hist(np.clip(rows["error"][chosen], -100, 150), bins=bins, histtype="step", label=label)
    low, high = left.get_xlim()
    left.plot([low, high], [low, high], color="gray", linewidth=0.8)
    left.set(xlabel="measured", ylabel="predicted", title=title)
    right.axvline(0, color="gray", linewidth=0.8)
    right.set(xlabel="error [%]", ylabel="rows", title="errors")
    left.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(folder / f"{name}.png", dpi=90, metadata={"Software": None})
    plt.close(figure)


# ---- Parts ---------------------------------------------------------------------------------------------------------


def number(text):
    return float(text) if text else np.nan


def left_out(notes):
    """By document: rows, mean, median and 90th percentile with constants fitted without it."""
    pattern = re.compile(r"(\S+), without the constants that rest on it: \d+ rows, mean (\S+) %, median (\S+) %, "
                         r"90th percentile (\S+) %")
    return {m[1]: list(m.groups()[1:]) for m in map(pattern.match, notes) if m}


def fitted_to_documents():
    """Names of the constants that were fitted to rows of a document."""
    found, fitted = [], re.compile(rf"fitted: (\d+ rows? of )?({'|'.join(DOCUMENTS)})\b")
    for kind in ("framework", "cudnn_generation", "loader"):
        for entry in pm.list(f"{kind}s")["id"]:
            shown = pm.show(kind, entry)
            found += [f"{shown['field'][i]} of {entry}" for i in range(len(shown))
                      if fitted.match(shown["note"][i])]
    return found


def statements(folder):
    rows, notes = pm.validate("statements", rows=True), pm.validate("statements").notes
    counted, alone = known(rows), left_out(notes)
    by_document = [[name] + statistics(rows["error"][counted & (rows["group"] == key)]) +
                   statistics(rows["holdout_error"][counted & (rows["group"] == key)])[1:4:2] + alone[key]
                   for key, name in DOCUMENTS.items()]
    by_document.append(
        ["all"] + statistics(rows["error"][counted]) + statistics(rows["holdout_error"][counted])[1:4:2] + [""] * 3
    )
    worst = [[rows["id"][i], f"{rows['measured'][i]:g}", f"{rows['predicted'][i]:.4g}", rows["unit"][i],
              f"{rows['error'][i]:+.1f}", f"{rows['holdout_error'][i]:+.1f}", rows["constants"][i], rows["note"][i]]
             for i in np.argsort(-np.abs(np.where(counted, rows["error"], 0)), kind="stable")
             if counted[i] and max(abs(rows["error"][i]), abs(rows["holdout_error"][i])) > 20]
    broken = [[rows["id"][i], rows["kind"][i], rows["note"][i]] for i in range(len(rows)) if rows["holds"][i] == "no"]
    kinds = [[kind, int((rows["kind"] == kind).sum())] for kind in dict.fromkeys(rows["kind"])]
    classes = [(name, rows["group"] == key) for key, name in DOCUMENTS.items()]
    picture(folder / "images", "accuracy-statements", rows, classes, "values of the documents")
    return "\n\n".join([
        "All 271 statements of the five documents are in `data/measured/statements.csv`. `perfmodel validate --rows` "
        "prints each one with its prediction, the constants used, and whether it holds. Constants fitted to rows of "
        f"these documents: {', '.join(fitted_to_documents())}. All others are fitted to other rows or are facts. The "
        "columns of hold-outs are predictions without any of these constants (`of all`), and predictions of one "
        "document without the constants fitted to it (`of it`). The values of the generic framework replace them.",
        table(["document"] + STATISTICS + ["hold-out of all, mape", "p90", "of it, mape", "median", "p90"],
              by_document),
        "; ".join(note for note in notes if note.startswith("all rows")).capitalize() + ". The aims are 9 and 12 %.",
        f"{notes[0][0].upper()}{notes[0][1:]}. " + ("Those that do not:" if broken else ""),
        table(["row", "kind", "claim or remark"], broken) if broken else "",
        "Values that are off by more than 20 %, as shipped or held out:",
        table(["row", "measured", "predicted", "unit", "error", "hold-out", "constants", "remark"], worst),
        "Rows by kind: " + ", ".join(f"{count} {kind}" for kind, count in kinds) + ".",
        "![predicted beside measured](images/accuracy-statements.png)",
    ])


ORDER = ["about", "framework", "gpu", "precision", "scale", "source"]


def split(groups):
    """The words of the groups of training and inference, as columns."""
    words = [group.split(" ") + [""] for group in groups]
    return {name: np.array([word[i] for word in words]) for i, name in enumerate(ORDER)}


def is_recent(gpu):
    return np.array([name.startswith(("a100", "h100", "h200", "a10", "a30", "a40", "rtx-3", "rtx-4", "rtx-6", "rtx-a"))
                     for name in gpu])


MEASURED = page_parts.ROOT / "data" / "measured"
SPEECH = re.compile("Jasper|QuartzNet|Tacotron|WaveGlow|wav2vec|FastPitch|HiFi-GAN")
DECODED = re.compile("GNMT|BART|Transformer$")


def kind_of(row, name):
    """What a row of a table is counted among when it is asked how many find a prediction."""
    if name == "inference":
        if "Triton" in row["serving"]:
            return "behind a server's queue"
        return "decoded word by word" if DECODED.match(row["model"]) else "all others"
    if "images" in row["unit"]:
        return "vision"
    language = any(word in row["unit"] for word in ("sequences", "tokens", "sentences"))
    return "language" if language and not SPEECH.search(row["model"]) else "others"


def shares(name, rows):
    """How many rows of a table find a prediction, by kind."""
    with gzip.open(MEASURED / f"{name}.csv.gz", "rt", newline="") as file:
        kinds = [kind_of(row, name) for row in csv.DictReader(file)]
    found = {int(rows["id"][i].split()[0]) - 2 for i in np.flatnonzero(known(rows))}
    lines = []
    for kind in dict.fromkeys(kinds):
        members = [i for i, own in enumerate(kinds) if own == kind]
        predicted = sum(i in found for i in members)
        lines.append([kind, len(members), predicted, f"{100 * predicted / len(members):.0f} %"])
    return table(["rows", "all", "predicted", "share"], lines)


def rates(folder, name):
    rows, summary = pm.validate(name, rows=True), pm.validate(name)
    columns, counted = split(rows["group"]), known(rows)
    vision, recent = columns["about"] == "vision", is_recent(columns["gpu"])
    one = columns["scale"] == "1-gpu"
    classes = [
        ("vision, Turing and older, one GPU", vision & ~recent & one),
            ("vision, Turing and older, more", vision & ~recent & ~one),
        ("vision, Ampere and newer", vision & recent),
            ("language, Turing and older", (columns["about"] == "language") & ~recent),
        ("language, Ampere and newer", (columns["about"] == "language") & recent),
            ("volumes", columns["about"] == "volumes"),
        ("others", ~np.isin(columns["about"], ["vision", "language", "volumes"])),
    ]
    picture(folder / "images", f"accuracy-{name}", rows, classes, f"{name} rates")
    broad = [
        [label] + statistics(rows["error"][chosen & counted]) for label, chosen in classes if (chosen & counted).any()
    ]
    fine = [[summary["group"][i], summary["rows"][i]] + [f"{summary[key][i]:.1f}" for key in STATISTICS[1:]]
            for i in range(len(summary))]
    fine = [line + [summary["settings"][i], f"{summary['covered'][i]:.0f}"] for i, line in enumerate(fine)]
    remarks = [note for note in summary.notes if " settings, whose errors are" in note]
    return "\n\n".join([
        "; ".join(remarks) + ".",
        table(["rows of"] + STATISTICS, broad),
        f"![predicted beside measured](images/accuracy-{name}.png)",
        "By framework, GPU, precision and source. `covered` is the share of settings in the 80 % "
        "interval:",
        table(["group"] + STATISTICS + ["settings", "covered"], fine),
        "Rows that have a prediction:",
        shares(name, rows),
        "Reasons why the others have none:",
        "\n".join(f"- {note}" for note in summary.notes if note not in remarks),
    ])


def sources(folder):
    """Training rows of each source with constants that were fitted without it."""
    fit = page_parts.calibration("training")
    errors, left_out = fit.errors, np.flatnonzero(fit.errors["use"] == "left-out-source")
    rows = [[errors["group"][i],
             errors["rows"][i]] + [f"{errors[key][i]:.1f}" for key in STATISTICS[1:]] for i in left_out]
    counts = np.array([errors["rows"][i] for i in left_out])
    mean = np.sum(counts * np.array([errors["mape"][i] for i in left_out])) / counts.sum()
    spread = next(note for note in fit.notes if note.startswith("standard deviation"))
    return "\n\n".join([
        table(["source left out"] + STATISTICS, rows),
        f"All of these rows: mean {mean:.1f} % (aim 15 %). {spread[0].upper()}{spread[1:]}.",
    ])


KINDS = ["vision", "language", "volumes", "speech", "other"]


def settings_of(rows):
    """Repeats of a run are one setting; the first row of each, with the error of the median."""
    found = {}
    for i in np.flatnonzero(known(rows)):
        key = tuple(str(rows[name][i]) for name in ("group", "network", "machine", "gpus", "nodes", "batch", "unit"))
        found.setdefault(key, []).append(i)
    return [(same[0], len(same),
             rows["predicted"][same[0]] / np.median(rows["measured"][same]) - 1) for same in found.values()]


def cell(rows, chosen):
    """How far off, of how many: the mean error, the interval, settings and rows."""
    if not chosen:
        return ""
    size = np.mean([abs(error) for _, _, error in chosen])
    ends = [rows["high"][i] / rows["predicted"][i] - 1 for i, _, _ in chosen if rows["high"][i] > 0]
    interval = f", +-{100 * np.median(ends):.0f} %" if ends else ""
    return f"**{100 * size:.0f} %**{interval} ({len(chosen)} of {sum(count for _, count, _ in chosen)} rows)"


def expect(folder):
    """One screen: for a GPU and a kind of network, how far off, and on how many rows."""
    training, inference = pm.validate("training", rows=True), pm.validate("inference", rows=True)
    columns = {name: split(rows["group"]) for name, rows in (("training", training), ("inference", inference))}
    steps, calls = settings_of(training), settings_of(inference)
    gpus = dict.fromkeys([*columns["training"]["gpu"], *columns["inference"]["gpu"]])

    def chosen(settings, which, gpu, kind=None):
        about = columns[which]
        return [
            item
            for item in settings
            if about["gpu"][item[0]] == gpu and (kind is None or about["about"][item[0]] == kind)
        ]

    def count(gpu):
        return len(chosen(steps, "training", gpu)) + len(chosen(calls, "inference", gpu))

    lines = []
    for gpu in sorted(gpus, key=lambda name: -count(name)):
        if count(gpu) >= 5:
            others = [item for kind in KINDS[2:] for item in chosen(steps, "training", gpu, kind)]
            lines.append([gpu] + [cell(training, chosen(steps, "training", gpu, kind)) for kind in KINDS[:2]] +
                         [cell(training, others), cell(inference, chosen(calls, "inference", gpu))])
    everything = [cell(training,
                       [item for item in steps if columns["training"]["about"][item[0]] == kind]) for kind in KINDS[:2]]
    rest = [item for item in steps if columns["training"]["about"][item[0]] in KINDS[2:]]
    lines.append(["all"] + everything + [cell(training, rest), cell(inference, calls)])
    words = []
    for word in ("calibrated", "extrapolated", "not-calibrated"):
        own = [[item for item in settings if rows["calibration"][item[0]] == word]
               for rows, settings in ((training, steps), (inference, calls))]
        words.append([word, cell(training, own[0]), cell(inference, own[1])])
    return "\n\n".join([
        "Each cell has the mean error over all settings that have a prediction, the median 80 % interval of these "
        "predictions, and the number of settings and rows. The intervals are fitted to the errors of held-out rows.",
        table(["GPU", "training, vision", "language", "other networks", "inference"], lines),
        "By the calibration that the prediction reports:",
        table(["calibration", "training", "inference"], words),
    ])


CLASSES = [("products, fewer than 64 rows", r" products (fp16|bf16) m<64$"),
           ("products, 64 rows and more", r" products (fp16|bf16) m>=64$"),
           ("FP8 products", r" products fp8"), ("FP4 products", " products nvfp4 "),
               ("experts", r" experts (bf16|fp8|fp8-block)$"),
           ("experts in FP4", " experts nvfp4"), ("experts with weights of 4 bits", " experts w4a16"),
           ("attention of prompts", " attention-prompt "),
               ("attention of prompts within a window", " attention-window "),
           ("attention of decoding", " attention-decode "), ("latent attention of prompts", " latent-prompt "),
           ("latent attention of decoding", " latent-decode "), ("products of latents", " products-latent "),
           ("all-reduces of engines", " all-reduce "), ("all-reduces of NCCL", " all-reduce-nccl "),
           ("norms and passes", r" (activation|add-norm|embedding|gated-activation|norm|residual|rotary) ")]


def operators(folder):
    """Kernels of language models by class and GPU."""
    rows = pm.validate("operators", rows=True)
    gpu = np.array([group.split()[0] for group in rows["group"]])
    doubted = np.array(["doubted" in group for group in rows["group"]])
    lines = []
    for label, pattern in CLASSES:
        own = np.array([re.search(pattern, group) is not None for group in rows["group"]]) & known(rows) & ~doubted
        lines += [[label, name] + statistics(rows["error"][own & (gpu == name)]) for name in sorted(set(gpu[own]))]
    rest = known(rows) & ~doubted
    lines.append(["all", "all"] + statistics(rows["error"][rest]))
    return table(["class", "GPU"] + STATISTICS, lines)


def storage(folder):
    summary = pm.validate("storage")
    rows = [[summary["group"][i], summary["rows"][i]] + [f"{summary[key][i]:.1f}" for key in STATISTICS[1:]]
            for i in range(len(summary))]
    return table(["group"] + STATISTICS, rows) + "\n\n" + f"{summary.notes[0][0].upper()}{summary.notes[0][1:]}."


PARTS = {
    "expect": expect,
    "operators": operators,
    "statements": statements,
    "training": lambda folder: rates(folder, "training"),
    "sources": sources,
    "inference": lambda folder: rates(folder, "inference"),
    "storage": storage,
}


def write(command, check):
    folder = page_parts.ROOT / "docs"
    with tempfile.TemporaryDirectory() as spare:
        drawn = pathlib.Path(spare) if check else folder
        (drawn / "images").mkdir(exist_ok=True)
        page_parts.update(folder / "accuracy.md", {name: make(drawn) for name, make in PARTS.items()}, check)
