"""The numbers of README.md, docs/languages.md and docs/how-right.md: the example's output, and what `perfmodel
validate` and `calibrate` say of errors."""
import csv
import re
import shlex
import subprocess
import textwrap

import numpy as np

import accuracy
import kernel_accuracy
import page_parts
import perfmodel as pm

README = page_parts.ROOT / "README.md"
LANGUAGES = page_parts.ROOT / "docs" / "languages.md"
HOW_RIGHT = page_parts.ROOT / "docs" / "how-right.md"
PUBLISHED = page_parts.ROOT / "examples" / "published.csv"


def paragraph(text, indent=""):
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def errors_of(rows, chosen=True):
    return np.abs(rows["error"][accuracy.known(rows) & chosen])


def both(errors):
    return f"{np.median(errors):.1f} % (mean {errors.mean():.1f} %)"


# ---- The example ---------------------------------------------------------------------------------------------------


def asked_of(page):
    return shlex.split(re.search(r"^perfmodel (predict resnet50 dgx1-v100 .*)$", page, re.MULTILINE)[1])


def options_of(words):
    return {words[i][2:]: words[i + 1] for i in range(len(words)) if words[i].startswith("--")}


def example(page, command):
    """As much of the output as is shown."""
    printed = subprocess.run([command, *asked_of(page)], check=True, capture_output=True, text=True).stdout.splitlines()
    block = re.compile(r"(```\n)(Training ResNet-50.*?)(\n  \.\.\.\n```)", re.DOTALL)
    shown = block.search(page)[2].count("\n") + 1
    return block.sub(lambda match: match[1] + "\n".join(printed[:shown]) + match[3], page)


def same_in_python(page, prediction):
    return re.sub(r"# [0-9.]+ [0-9.]+ \w+$", f"# {prediction.throughput!r} {prediction.step_time!r} "
                  f"{prediction.bottleneck}",
                  page, count=1, flags=re.MULTILINE)


def published_rate(options):
    with PUBLISHED.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["system"] == "NVIDIA DGX-1" and
                all(row[name] == options[option] for name, option in (("gpus", "gpus"), ("batch_per_gpu", "batch"),
                                                                      ("precision", "precision")))]
    return float(rows[0]["throughput"])


# ---- Errors --------------------------------------------------------------------------------------------------------


def classes_of(training):
    """Classes of training rows: a name, and which they are."""
    columns = accuracy.split(training["group"])
    about, recent, one = columns["about"], accuracy.is_recent(columns["gpu"]), columns["scale"] == "1-gpu"
    return {
        "vision, Turing and older, one GPU": (about == "vision") & ~recent & one,
        "vision, Turing and older, several GPUs": (about == "vision") & ~recent & ~one,
        "vision, Ampere and newer": (about == "vision") & recent,
        "language models, Turing and older": (about == "language") & ~recent,
        "language models, Ampere and newer": (about == "language") & recent,
        "volumetric networks": about == "volumes",
        "all others": ~np.isin(about, ["vision", "language", "volumes"]),
    }


def first_words(training, inference, prediction, rate):
    classes = classes_of(training)
    one, several, recent = (errors_of(training, classes[name]) for name in list(classes)[:3])
    error = 100 * (prediction.throughput / rate - 1)
    side = "above" if round(error) > 0 else "below"
    return paragraph(
        f"NVIDIA published **{rate:,.0f} images/s** for this run; the prediction is **{abs(round(error))} % {side}**. "
        f"That is a "
        "good case, on rates that the model was fitted to. Across all published vision training rows the median error "
        "is "
        f"{both(one)} on one GPU older than A100, {both(several)} on several, and {both(recent)} on A100 and newer; "
        f"across all "
        f"inference it is {both(errors_of(inference))}. Frameworks and GPUs without published rates are less certain, "
        f"and every "
        "prediction prints its interval and the basis of its constants. [How accurate it is](docs/how-right.md).")


def of_kernels(command):
    rows = kernel_accuracy.measure(command)
    gates = kernel_accuracy.gates.GATES

    def means(*words):
        chosen = [pattern for name, (pattern, *_) in gates.items() if any(re.match(word, name) for word in words)]
        found = [kernel_accuracy.mean(rows, pattern)[1] for pattern in chosen]
        return f"{min(found):.0f} to {max(found):.0f} %" if len(found) > 1 else f"{found[0]:.0f} %"

    return paragraph(
        f"- **Kernels** are calibrated per architecture. Mean errors over {len(rows):,} published times (`perfmodel "
        f"validate --set "
        f"kernels`): FP32 matrix multiplications {means('FP32 GEMM [VA]100')} on V100 and A100, "
        f"{means('FP32 GEMM (T4|P100|P4)')} on P100, "
        f"T4 and P4; tensor-core products {means('FP16 tensor-core GEMM')}; FP32 convolutions {means('FP32 conv')}, on "
        f"tensor cores "
        f"{means('FP16 tensor-core conv')}; recurrent layers {means('RNN')}. Architectures without kernel measurements "
        f"use the "
        "constants of a related one, and every prediction reports this (`calibration`).", "  ")


def of_collectives():
    fit = page_parts.calibration("collectives").errors
    found = {(fit["use"][i], fit["group"][i]): f"{fit['median'][i]:.0f} %" for i in range(len(fit))}
    fitted, without = ([found[use, f"all {size}"] for size in ("<64 KB", "64 KB-16 MB", ">=16 MB")]
                       for use in ("fitted", "left-out-machine"))
    return paragraph(
        f"- **Collectives**: the median error is {fitted[0]} below 64 KB, {fitted[1]} up to 16 MB and {fitted[2]} "
        f"above on the "
        f"published times used for fitting; for a machine left out of the fit it is {without[0]}, {without[1]} and "
        f"{without[2]} "
        "([collectives](collectives.md)).", "  ")


def of_steps(training):
    lines = ["- **Training steps**: errors over all published rows that can be predicted, including those used for "
             "fitting.", "",
             "  | | rows | median | mean |", "  |---|--:|--:|--:|"]
    for name, chosen in classes_of(training).items():
        errors = errors_of(training, chosen)
        lines.append(f"  | {name} | {len(errors)} | {np.median(errors):.1f} % | {errors.mean():.1f} % |")
    return "\n".join(lines)


def of_sources():
    fit = page_parts.calibration("training").errors
    without = [i for i in range(len(fit)) if fit["use"][i] == "left-out-source"]
    mean = np.average([fit["mape"][i] for i in without], weights=[fit["rows"][i] for i in without])
    documents = pm.validate("statements", rows=True)
    own = errors_of(documents)
    others = np.abs(documents["holdout_error"][accuracy.known(documents)])
    return textwrap.indent(paragraph(
        f"With their source left out of the fit, the vision rows used for fitting have a mean error of {mean:.1f} %. "
        f"The values of "
        f"the project's five source documents ({len(own)} rows) have a median error of {both(own)}, and {both(others)} "
        f"without the "
        "constants that were fitted to them."), "  ")


def of_intervals(training, inference):
    def share(rows):
        settings = accuracy.settings_of(rows)
        inside = [rows["low"][i] <= rows["predicted"][i] / (1 + error) <= rows["high"][i] for i, _, error in settings]
        return len(settings), f"{100 * np.mean(inside):.0f} %"

    count, inside = share(inference)
    return "\n".join([
        paragraph(f"- **Inference**: median error {both(errors_of(inference))} over all published rows that can be "
                  f"predicted "
                  f"({len(errors_of(inference)):,} rows, {count:,} settings).", "  "),
        paragraph(f"- **Intervals**: every prediction has an 80 % interval, which contains {share(training)[1]} of the "
                  f"training and "
                  f"{inside} of the inference settings. It also reports whether its framework was fitted, guessed, or "
                  f"is used outside "
                  "the measured range.", "  ")])


def of_energy():
    table = pm.validate("energy")
    groups = [group.split() for group in table["group"]]

    def mean(kind, quantity, gpu=""):
        chosen = [i for i, group in enumerate(groups) if group[2:] == [kind, quantity] and group[1].startswith(gpu)]
        return f"{np.average([table['mape'][i] for i in chosen], weights=[table['rows'][i] for i in chosen]):.1f} %"

    return paragraph(
        f"- **Power and energy**: the mean error of the power of a board is {mean('training', 'gpu_power')} in "
        f"training, {mean('limit-busy', 'gpu_power')} under power limits, and "
        f"{mean('serving', 'gpu_power', 'h100')} for dense language models served on H100; of joules per image "
        f"{mean('training', 'energy_per_sample')} with the time "
        "predicted ([accuracy](accuracy.md#power-and-energy)).", "  ")


# Rows that decided no constant: a name, a set, words that a group has, and words that it has not.
UNSEEN = (
    ("training of timm's networks on an RTX 3090", "training-checks", ["pytorch-image-models"], ["nhwc"]),
    ("training on B200, language and speech", "training-checks", ["b200"], ["vision"]),
    ("MLPerf 4.1 and 5.0, language models and their plans", "plans", ["training_results", ", ok"], []),
    ("memory of Megatron-LM's tests, dense", "memory", ["allocator_peak", "dense Megatron-LM", ", ok"], []),
    ("memory of Megatron-LM's tests, experts", "memory", ["allocator_peak", "moe Megatron-LM", ", ok"], []),
    ("step time of Megatron-LM's tests of small models", "plans", ["dense Megatron-LM", ", ok"], []),
)


def of_unseen():
    lines = ["| rows | | median | mean |", "|---|--:|--:|--:|"]
    tables = {name: pm.validate(name, rows=True) for name in {row[1] for row in UNSEEN}}
    for name, table, words, without in UNSEEN:
        rows = tables[table]
        chosen = np.array([all(word in group for word in words) and not any(word in group for word in without)
                           for group in rows["group"]])
        errors = errors_of(rows, chosen)
        lines.append(f"| {name} | {len(errors)} | {np.median(errors):.1f} % | {errors.mean():.1f} % |")
    return "\n".join(lines)


def write(command, check):
    training, inference = pm.validate("training", rows=True), pm.validate("inference", rows=True)
    page, languages, right = (path.read_text(encoding="utf-8") for path in (README, LANGUAGES, HOW_RIGHT))
    options = options_of(asked_of(page))
    prediction = pm.predict("resnet50", "dgx1-v100", gpus=int(options["gpus"]), batch=int(options["batch"]),
                            precision=options["precision"], framework=options["framework"])
    page = same_in_python(example(page, command), prediction)
    page = page_parts.replaced(page, "first-words",
                               first_words(training, inference, prediction, published_rate(options)))
    page_parts.store(README, page_parts.replaced(page, "unseen", of_unseen()), check)
    page_parts.store(LANGUAGES, same_in_python(languages, prediction), check)
    right = page_parts.replaced(right, "collectives", of_collectives())
    right = page_parts.replaced(right, "errors", "\n".join([of_kernels(command), of_steps(training), "", of_sources(),
                                                            of_intervals(training, inference), of_energy()]))
    page_parts.store(HOW_RIGHT, right, check)
