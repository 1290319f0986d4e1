#!/usr/bin/env python3
"""Packs published runs of language models over many GPUs, in the terms of the catalogue.

    lab/scripts/pack_plans.py FOLDER        with transformer_parallel.csv.gz, ... as they were collected

A packed row is one measured quantity of one run. Its columns are names of fields of the run's record, `network` (an
entry with parameters), `system` and `framework` of the catalogue, and:

    quantity, rank, value   what was measured, of which stage, in SI units
    framework_version       the release, else the month, which tells apart repeats of a run
    source, words           who published it, and how the source calls the run
    use                     fit: constants may be fitted to it; check: never; skip: it cannot be predicted
    check                   ok, or why it is not fitted, skipped, or doubted by those who collected it

What a source means by its words is decided here, once. The rules below were written down before their effect on any
error was looked at.
"""
import csv
import gzip
import io
import math
import pathlib
import re
import sys

TARGET = pathlib.Path(__file__).resolve().parents[2] / "data" / "measured"
GPUS_OF_A_NODE = 8
FACTS = ["id", "task", "network", "system", "framework"]
ABOUT = ["quantity", "rank", "value", "framework_version", "source", "words", "use", "check"]


def number(text):
    try:
        return float(text)
    except ValueError:
        return math.nan


def plain(value):
    """A number as short as it can be without a loss."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)


# ---- Networks: an entry of the catalogue by its sizes

SIZES = [("seq_len", "seq"), ("layers", "layers"), ("hidden", "hidden"), ("heads", "heads"), ("kv_heads", "kv_heads"),
         ("head_dim", "head_features"), ("ffn", "ffn"), ("vocab", "vocabulary"), ("experts", "experts"),
         ("top_k", "top_k"), ("expert_ffn", "expert_ffn"), ("shared_ffn", "shared_ffn"),
         ("dense_layers", "dense_layers")]


def family_of(row):
    """llama has a gated feed-forward network and RMS norms; gpt has neither."""
    if number(row["experts"]) > 1:
        return "moe"
    return "llama" if number(row["gated"]) > 0 else "gpt"


def shaped(name, row):
    """The entry with the row's sizes. Where nothing says how attention is computed, it is one kernel."""
    sizes = [f"{own}={number(row[column]):.0f}" for column, own in SIZES if number(row[column]) >= 1]
    attention = [] if "flash=" in name else ["flash=0" if row["attention"] == "unfused" else "flash=1"]
    return " ".join([name] + sizes + attention)


def network_of_published(row):
    if "MPT" in row["model"]:  # no biases, no dropout
        return shaped("gpt bias=0 dropout=0", row)
    if "2401.10241" in row["source_repo"]:  # the default of Megatron-LM in 2023, which the paper builds on
        return shaped("gpt flash=0", row)
    return shaped(family_of(row), row)


# ---- Machines and software

SYSTEMS = {"JeanZay": "jean-zay-a100", "Selene": "dgx-a100-80gb", "A100 40GB with 1600 Gbps": "mosaic-a100-40",
           "H100 80GB BF16": "mosaic-h100", "4 x 8 A100 SXM 80GB": "zbpp-a100", "Grand Teton": "grand-teton",
           "4 nodes of 8 x V100": "dlperf-v100", "DGX-H100": "dgx-h100", "DGX-B200": "dgx-b200"}


def system_of(row):
    return next(own for words, own in SYSTEMS.items() if words in row["system"])


def month_of(row):
    """ "654ba0434b 2021-12-17" -> "2021-12" """
    found = re.search(r"\b20[1-9]\d-[01]\d", row["source_commit_or_date"])
    return found[0] if found else ""


# Libraries of a month, where the row does not name them: the cuDNN of the containers of that time.
CUDNN = [("2025-02", "@cudnn9.10"), ("2024-03", "@cudnn9.0"), ("2023-04", "@cudnn8.9"), ("2022-07", "@cudnn8.5"),
         ("2020-06", "@cudnn8"), ("", "")]


def megatron_of(month):
    for until, name in (("2023-04", "megatron-v2"), ("2023-12", "megatron-core-0.1"), ("2024-09", "megatron-core-0.5"),
                        ("2025-04", "megatron-core-0.9")):
        if month <= until:
            return name
    return "megatron-core-0.12"


def fsdp_of(row, month):
    # Composer's mixed precision PURE: parameters, gradients and all tensors between kernels in BF16
    if "Composer" in row["framework"] and "MP PURE" in row["note"]:
        return "pytorch-2.1-fsdp-pure"
    for until, name in (("2024-05", "pytorch-2.1-fsdp"), ("2025-05", "pytorch-2.4-fsdp")):
        if month <= until:
            return name
    return "pytorch-2.9-fsdp"


def framework_of(row):
    name, month = row["framework"], month_of(row)
    if "DeepSpeed ZeRO-3" in name:
        own = "deepspeed-0.3"
    elif "Megatron-DeepSpeed" in name:
        own = "megatron-deepspeed"
    elif "24.03" in row["framework_version"]:
        own = "megatron-core-0.5"
    elif "Megatron" in name or name == "NeMo":
        own = megatron_of(month)
    else:
        own = fsdp_of(row, month)
    return own + next(cudnn for since, cudnn in CUDNN if month >= since)


# ---- Runs

# One scale for a tensor, by current values or delayed; or one for every block, whose kernels are not modelled apart.
PRECISIONS = {"fp8-cs": "fp8", "fp8-ds": "fp8", "fp8-mx": "fp8", "mxfp8": "fp8", "fp8-sc": "fp8", "nvfp4": "fp4"}
FIELDS = {"tensor_parallel": "tensor_parallel", "pipeline_parallel": "pipeline_parallel",
          "virtual_pipeline_stages": "virtual_pipeline", "context_parallel": "context_parallel",
          "expert_parallel": "expert_parallel", "schedule": "pipeline_schedule", "zero_stage": "zero",
          "activation_recompute": "recompute"}


def said_of(row):
    """What the source says of its runs besides the columns of the table."""
    source, note = row["source_repo"], row["note"]
    if "bigscience" in source:
        # BF16: gradients are added up in FP32, embedding and head count as a layer each; before that FP16, "which grad
        # accumulates in fp16"; at first only layers counted.
        if "section Rebalancing layers" in note:
            return {"stage_layers": "balanced", "gradient_bytes": "4"}
        return {"stage_layers": "balanced" if "embedding slots" in note else "even", "gradient_bytes": "2"}
    if "torchtitan" in source:
        # Gradients are reduced in FP32, its default; selective recomputation is by operation; schedules of several
        # stages for each rank have two.
        said = {"gradient_bytes": "4"}
        if "selective" in note.lower():
            said["recompute"] = "operations"
        elif row["schedule"] == "interleaved":
            said["virtual_pipeline"] = "2"
        return said
    if "2401.10241" in source:  # first and last stage have one layer less; zb-1p has the memory of 1F1B
        said = {"stage_layers": "balanced"}
        if row["schedule"].startswith("zb-"):
            said["pipeline_schedule"] = {"zb-1p": "zb-h1"}.get(row["schedule"], row["schedule"])
        return said
    return {}


def micro_batch_of(row, run):
    """Where it is not printed: torchtitan has as many micro-batches as stages; of others the best of a few counts."""
    batch, stages = run["batch"], int(run.get("pipeline_parallel") or 1)
    if row["micro_batch"]:
        return row["micro_batch"]
    if "torchtitan" in row["source_repo"]:
        chunks = int(run.get("virtual_pipeline") or 1)
        return max(1.0, math.floor(batch / (stages * chunks))) if stages > 1 else ""
    return " ".join(str(size) for size in (1, 2, 4, 8) if batch % size == 0)


def counts_of(row):
    """GPUs of each node, and nodes: whole machines where the row does not say."""
    gpus, nodes = int(row["gpus"]), int(row["nodes"] or 0)
    each = gpus // nodes if nodes else min(GPUS_OF_A_NODE, gpus)
    return each, gpus // each


def run_of(row):
    run = {own: row[column] for column, own in FIELDS.items() if row[column]}
    run.update(said_of(row))
    run["gpus"], run["nodes"] = counts_of(row)
    run["precision"] = PRECISIONS.get(row["precision"], row["precision"])
    run["optimizer"] = row["optimizer"] or "adam"  # language models are trained with it
    run["sequence_parallel"] = "yes" if number(row["tensor_parallel"]) > 1 and row["sequence_parallel"] == "1" else ""
    share = math.prod(int(row[name] or 1) for name in ("tensor_parallel", "pipeline_parallel", "context_parallel"))
    if row["global_batch"]:
        run["batch"] = float(row["global_batch"]) * share / (run["gpus"] * run["nodes"])
        run["micro_batch"] = micro_batch_of(row, run)
    return run


# ---- Rows

def use_of(row):
    if "Nemotron 3 Nano" in row["model"] or "Nemotron_3_Nano" in row["model"]:
        return "skip", "layers of state spaces are not modelled"
    if not row["global_batch"]:
        return "skip", "no global batch"
    if any(name in row["model"] for name in ("DeepSeek", "GPT OSS", "GPT-OSS", "Qwen3")):
        return "check", "mixtures of experts: equal settings differ by up to twice between releases"
    if row["source_repo"] == "Oneflow-Inc/DLPerf":
        return "check", "DLPerf: a test that no constant sees"
    return "fit", "ok"


def source_of(row):
    """ "arXiv 2104.04473 (Narayanan et al. 2021)" -> "arXiv 2104.04473" """
    return row["source_repo"].split(" (")[0]


def published(row, line):
    """Step time and memory of a row of transformer_parallel."""
    use, why = use_of(row)
    place = row["source_path"].rpartition("#")[2] if "#" in row["source_path"] else ""
    own = {"task": "training", "network": network_of_published(row), "system": system_of(row),
           "framework": framework_of(row), "framework_version": row["framework_version"] or month_of(row),
           "source": source_of(row), "use": use, "check": why,
           "words": "; ".join(filter(None, (row["model"], row["source_path"], row["note"]))), **run_of(row)}
    time = number(row["step_time_s"])
    yield {**own, "id": f"{line} {place}".strip(), "quantity": "step_time", "value": "" if math.isnan(time) else time}
    if number(row["memory_GB"]) > 0:
        yield {**own, "id": f"{line} memory", "quantity": "device_total", "rank": "fullest",
               "value": number(row["memory_GB"]) * 1e9}


def read(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(name, rows):
    """Columns that no row has are left out."""
    fields = [key for key in dict.fromkeys(key for row in rows for key in row) if key not in FACTS + ABOUT]
    text = io.StringIO()
    writer = csv.DictWriter(text, FACTS + fields + ABOUT, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: plain(value) for key, value in row.items()} for row in rows)
    path = TARGET / f"{name}.csv.gz"
    path.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))
    print(f"{name}: {len(rows)} rows, {path.stat().st_size} bytes")


def main():
    folder = pathlib.Path(sys.argv[1])
    table = [row for row in read(folder / "transformer_parallel.csv.gz") if row["gpu"] != "B200"]
    write("large_models", [packed for line, row in enumerate(table, 2) for packed in published(row, line)])


if __name__ == "__main__":
    main()
