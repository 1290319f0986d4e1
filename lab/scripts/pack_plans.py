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
TRAYS = ("GB200", "GB300")  # nodes of four GPUs, of which NVLink joins those of a rack: the catalogue knows both
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
    if row["model"].upper().startswith(("GPT OSS", "GPT-OSS")):  # biases, windows and sinks have no columns
        return f"{row['model'].lower().replace(' ', '-')} seq={row['seq_len']}"
    return shaped(family_of(row), row)


# ---- Machines and software

SYSTEMS = {"JeanZay": "jean-zay-a100", "Selene": "dgx-a100-80gb", "A100 40GB with 1600 Gbps": "mosaic-a100-40",
           "H100 80GB BF16": "mosaic-h100", "4 x 8 A100 SXM 80GB": "zbpp-a100", "Grand Teton": "grand-teton",
           "4 nodes of 8 x V100": "dlperf-v100", "DGX-H100": "dgx-h100", "DGX-H200": "dgx-h200",
           "DGX-B200": "dgx-b200", "DGX-GB200": "gb200-nvl72", "DGX-GB300": "gb300-nvl72", "DGX-B300": "dgx-b300"}
MACHINES = {"A100": "dgx-a100-80gb", "H100": "dgx-h100", "H200": "dgx-h200", "B200": "dgx-b200", "B300": "dgx-b300",
            "GB200": "gb200-nvl72", "GB300": "gb300-nvl72", "MI300X": "mi300x-node"}  # by GPU, where nothing says more


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
    """By its month; the newest where the source has none."""
    for until, name in (("2023-04", "megatron-v2"), ("2023-12", "megatron-core-0.1"), ("2024-09", "megatron-core-0.5"),
                        ("2025-04", "megatron-core-0.9")):
        if month and month <= until:
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
PRECISIONS = {"fp8-cs": "fp8", "fp8-cs (fp8-mx)": "fp8",
              "fp8-ds": "fp8", "fp8-mx": "fp8", "mxfp8": "fp8", "fp8-sc": "fp8", "nvfp4": "fp4"}
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
    if source in ("NVIDIA-NeMo/Megatron-Bridge", "NVIDIA/NeMo"):
        return {"gradient_bytes": "2"}  # their performance recipes set grad_reduce_in_fp32=False
    return {}


# How Megatron-Bridge's performance recipes (scripts/performance/configs) send tokens to their experts, by model, GPU
# and the first release with it: dispatcher, and overlap with another micro-batch. Its flex dispatcher is DeepEP or
# HybridEP. The last line that fits a row counts; where none does, all-to-all without overlap, as in token drop of
# 25.09.
RECIPES = [("DeepSeek", "H100", "25.09", "deepep", "yes"), ("DeepSeek", "", "26.02", "deepep", ""),
           ("Qwen3_30B", "", "26.02", "deepep", ""), ("Qwen3_235B", "H100", "26.02", "all-to-all", "yes"),
           ("Qwen3_235B", "GB", "26.02", "deepep", "")]


def dispatch_of(row):
    """The one recipe of DeepSeek on B200 with 32 ranks of experts, for MXFP8 and a global batch of 4,096, overlaps
    too. AutoModel's rows print DeepEP; where they print no degree, its recipes (examples/benchmark/configs) distribute
    experts over all GPUs."""
    if "DeepEP" in row["note"]:
        return {"expert_dispatch": "deepep", "expert_parallel": row["expert_parallel"] or row["gpus"]}
    if row["source_repo"] != "NVIDIA-NeMo/Megatron-Bridge" or not number(row["experts"]) > 1:
        return {}
    of = [recipe[3:] for recipe in RECIPES if row["model"].startswith(recipe[0]) and row["gpu"].startswith(recipe[1])
          and row["framework_version"] >= recipe[2]]
    dispatch, overlap = of[-1] if of else ("", "")
    wide = row["model"].startswith("DeepSeek") and row["gpu"] == "B200" and row["expert_parallel"] == "32"
    said = {"expert_dispatch": dispatch, "expert_overlap": "yes" if wide else overlap}
    if number(row["tensor_parallel"]) > 1:
        said["expert_tensor_parallel"] = "1"  # in all recipes with experts (expert_tensor_parallel_size)
    if row["model"].startswith("DeepSeek") and row["gpu"] == "H100":
        said["overlap"] = "none"  # its recipe turns overlap_grad_reduce off
    return said


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
    most = 4 if row["gpu"] in TRAYS else GPUS_OF_A_NODE
    each = gpus // nodes if nodes else min(most, gpus)
    return each, gpus // each


def run_of(row):
    run = {own: row[column] for column, own in FIELDS.items() if row[column]}
    run.update(said_of(row))
    run.update(dispatch_of(row))
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
    if row["model"].replace("_", " ").startswith("Nemotron 3"):
        return "skip", "layers of state spaces are not modelled"
    if not row["global_batch"]:
        return "skip", "no global batch"
    if not row["precision"]:
        return "skip", "no precision"
    if any(name in row["model"] for name in ("DeepSeek", "GPT OSS", "GPT-OSS", "Qwen3")):
        return "check", "mixtures of experts: equal settings differ by up to twice between releases"
    if row["source_repo"] == "Oneflow-Inc/DLPerf":
        return "check", "DLPerf: a test that no constant sees"
    return "fit", "ok"


def source_of(row):
    """ "arXiv 2104.04473 (Narayanan et al. 2021)" -> "arXiv 2104.04473" """
    return row["source_repo"].split(" (")[0]


def memory_of(row):
    """What nvidia-smi shows; what torch allocated; of torchtitan what its log prints as memory: max_reserved."""
    if "torchtitan" in row["source_repo"]:
        return "reserved"
    return "allocator_peak" if "allocator" in row["memory_what"] else "device_total"


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
        yield {**own, "id": f"{line} memory", "quantity": memory_of(row), "rank": "fullest",
               "value": number(row["memory_GB"]) * 1e9}


# ---- Megatron-LM's functional tests

def network_of_test(row):
    """GPT as Megatron-LM builds it: biases, dropout, positions and the tied output as configured; experts without a
    gate in every layer."""
    switches = {"bias": row["bias"], "dropout": 0 if row["dropout"] == "0.0/0.0" else 1, "tied": row["tied_embeddings"]}
    if row["position"] != "learned_absolute":
        switches["positions"] = 0
    name = "gpt-moe" if number(row["experts"]) > 1 else "gpt"
    without = {"ffn": ""} if name == "gpt-moe" else {}
    return shaped(" ".join([name] + [f"{key}={value}" for key, value in switches.items()]), row | without)


def why_skipped(row):
    """What of a test is not in the catalogue."""
    if row["hidden"] == "":
        return row["check"]
    if row["q_lora_rank"]:
        return "latent attention of any size is not in the catalogue"
    if row["mtp_layers"]:
        return "multi-token prediction is not modelled"
    if row["gated"] == "1":
        return "layers of GPT with a gated feed-forward network are not in the catalogue"
    return ""


def overlap_of(row):
    """Both switches, as the test sets them."""
    if row["overlap_grad_reduce"] != "1":
        return "none"
    return "passes" if row["overlap_param_gather"] == "1" else "backward"


def attention_of(row):
    """Where Transformer Engine chose it itself. Of deterministic runs in the environment lts of 2025 on A100, memory
    shows that scores were kept: all 49 peaks are what that takes, and half as much again as fused attention takes. On
    A100 cuDNN has no deterministic gradients of fused attention; later environments, and those of dev, have
    FlashAttention, which has, and so has cuDNN on H100."""
    old = row["framework_version"] == "core lts" and row["date"] < "2026" and row["gpu"] == "A100"
    chosen = row["attention"] == "" and row["kernels"] == "transformer_engine"
    return "unfused" if chosen and old and row["deterministic"] == "1" else row["attention"]


def tests(row, number_of_row):
    """Step time, allocator peak and static memory of a functional test. FP16 gradients are kept in 16 bits, others in
    FP32 (grad_precision); memory is of the last rank."""
    why = why_skipped(row)
    row = row | {"attention": attention_of(row)}
    run = run_of(row | {"micro_batch": row["micro_batch"]})
    run["stage_layers"] = "balanced" if "account_for_embedding_loss" in row["case"] else ""
    run["gradient_bytes"] = {"fp32": 4, "fp16": 2, "bf16": 2}[row["grad_precision"]]
    run["expert_tensor_parallel"] = row["expert_tensor_parallel"]
    run["overlap"] = overlap_of(row)
    run["unfused_accumulation"] = "yes"  # all tests ask for --no-gradient-accumulation-fusion
    own = {"task": "training", "network": "" if why else network_of_test(row),
           "system": MACHINES[row["gpu"]], "framework": framework_of(row),
           "framework_version": f"{row['framework_version']} {row['date'][:7]}", "source": row["source_repo"],
           "use": "skip" if why else "check", "check": why or row["check"],
           "words": "/".join(row["source_path"].split("/")[-2:]).replace("golden_values_", "")} | run
    for name, column, rank in (("step_time", "step_time_s", ""), ("allocator_peak", "memory_bytes", "last"),
                               ("static_memory", "static_memory_bytes", "last")):
        if number(row[column]) > 0:
            yield {**own, "id": f"megatron-{number_of_row} {name}", "quantity": name, "rank": rank,
                   "value": number(row[column])}


# ---- MLPerf training

def mlperf_network(row):
    if row["gated"] == "0":  # GPT-3
        return shaped("gpt", row)
    return shaped("llama", row)


# Layers with an adapter, as sources call them; embedding and head may be trained too, which the network says.
BESIDE = " wte lm_head"
TARGETS = {"query value": "qv", "q_proj v_proj": "qv", "down_proj gate_proj up_proj": "mlp",
           "attention: qkv and output projection": "attention", "c_attn c_proj w1 w2": "all-linear",
           "all-linear": "all-linear", "all linear (not printed in the table)": "all-linear",
           "q v output mlp (recipe default)": "qvo-mlp", "query key value projection mlp head": "all-and-head"}
FROZEN = {"nf4": "nf4", "nf4, double quantization": "nf4-double", "int4 (GPTQ)": "int4", "fp8": "fp8"}


def frozen_of(row):
    """Precision of frozen weights. AMD's submissions do not print it. They are read as FP8, an inference: 70 billion
    weights in BF16 with their casts to FP8 beside them would need more than the 192 GB of the GPU that ran them."""
    unprinted = row["gpu"] == "MI300X" and row["precision"] == "fp8"
    return "fp8" if unprinted else FROZEN.get(row["frozen_weights_precision"], "")


def adapters_of(row):
    """Fields of LoRA; targets that no run has keep their name, which refuses the row."""
    if not row["lora_rank"]:
        return {}
    targets = row["lora_targets"].removesuffix(BESIDE)
    return {"lora_rank": row["lora_rank"], "lora_targets": TARGETS.get(targets, targets),
            "base_weights": frozen_of(row), "lora_dropout": row.get("dropout", "")}


def of_mlperf(name, precision_of_gradients):
    """Rows of MLPerf: FP8 weights are primary where parameters are gathered in FP8; a pipeline that counts embedding
    and loss as a layer each is balanced; memory is of the logging rank, the first."""
    def pack(row, number_of_row):
        run = run_of(row)
        run["recompute_layers"] = row.get("recompute_layers", "")
        run["primary_weights"] = "yes" if row["fp8_param_gather"] == "1" else ""
        run["gradient_bytes"] = precision_of_gradients(row)
        run["cuda_graphs"] = "layers" if row["cuda_graphs"] == "on" else ""
        if "count as a layer each" in row["note"]:
            run["stage_layers"] = "balanced"
        known = row["tensor_parallel"] != ""
        use = "fit" if row["gpu"] == "MI300X" else "check"
        own = {"task": "training", "network": mlperf_network(row),
               "system": MACHINES[row["gpu"]],
               "framework": framework_of(row), "framework_version": row["framework_version"],
               "source": row["source_repo"], "use": use if known else "skip", "check": row["check"],
               "words": f"{row['case']}; {row['note']}"} | (adapters_of(row) if "lora_rank" in row else {}) | run
        if row["step_time_s"]:
            yield {**own, "id": f"{name}-{number_of_row} step_time", "quantity": "step_time",
                   "value": number(row["step_time_s"])}
        if number(row.get("memory_bytes", "")) > 0:
            yield {**own, "id": f"{name}-{number_of_row} allocator_peak", "quantity": "allocator_peak",
                   "rank": "first", "value": number(row["memory_bytes"])}
    return pack


def gradients_of_large(row):
    """Of Llama 3.1 the submissions' pretrain.py says grad_reduce_in_fp32=False; of GPT-3 it was not read."""
    return 2 if "Llama" in row["model"] else ""


# RetinaNet's reference trains three of the five stages of its backbone (trainable_backbone_layers=3), and all behind
# them.
LEVELS = [f"{part}{level}" for part in ("classes", "boxes") for level in range(5)]
TRAINED = ",".join(["layer2", "layer3", "layer4", "side3", "side4", "inner5", "p3", "p4", "p5", "p6", "p7"] + LEVELS)

# Network and software of NVIDIA's submissions. Those of RetinaNet fuse convolutions with frozen norms and ReLU in NHWC
# (--apex-backbone-fusion, --apex-head-fusion) and run in a CUDA graph (--cuda-graphs). Those of Stable Diffusion
# compile the U-Net with Inductor, channels last, and run it in a CUDA graph (conf/custom.yaml of training 4.0:
# inductor, channels_last, capture_cudagraph_iters); its text encoder, which is not trained, runs ahead of it and is not
# among the layers. Those of BERT remove padding, which is half of the tokens of its Wikipedia at 512
# (arXiv:2107.02027), and fuse bias and GELU, dropout, sums and norms. All of DLRM-DCNv2 are HugeCTR's, whose train.py
# asks for AdaGrad, a CUDA graph of the step and sharding_plan auto, with tables of up to 0.008 GiB on every GPU. Of
# LoRA a layer is a graph (LAYER_CUDA_GRAPH=1).
KNOWN = {"RetinaNet (ResNeXt50-32x4d)": (f"retinanet-resnext50-fpn trainable={TRAINED}", "pytorch-2.4-apex"),
         "Stable Diffusion v2": ("stable-diffusion-2", "pytorch-2.4-compile"),
         "DLRM-DCNv2": ("dlrm-dcnv2", "hugectr-24.06"),
         "BERT-Large": ("bert-large-pretraining seq=256", "pytorch-2.4-compile")}


def known_of(row):
    """What is predicted of a row of a recommender, detection, diffusion or BERT, and why not."""
    system = SYSTEMS.get(row["system"])
    why = "the machine is not in the catalogue" if not system else "no precision" if not row["precision"] else ""
    network, framework = KNOWN[row["model"]]
    return why, {"network": network, "system": system or row["system"], "framework": framework,
                 "precision": row["precision"].removesuffix("-mixed"),
                 "cuda_graphs": "step" if "apex" in framework or "diffusion" in network else "",
                 "optimizer": {"BERT-Large": "lamb", "DLRM-DCNv2": "adagrad"}.get(row["model"], "adam")}


def step_time_of(row):
    """RetinaNet's logs print images per second of each GPU, and the table divided the whole batch by them: 285 images/s
    for the 36 minutes of a run on 8 H100 would be half an epoch of OpenImages (1,170,301 images), of which it takes
    four at least."""
    of_each = row["model"].startswith("RetinaNet") and "throughput of the log" in row["note"]
    return number(row["step_time_s"]) / (int(row["gpus"]) if of_each else 1)


def others(row, number_of_row):
    """Graphs cannot be predicted, and say why; recommenders, detection, diffusion and BERT can."""
    why, more = f"{row['model']} is not in the catalogue", {"system": row["system"]}
    if row["model"] in KNOWN:
        why, more = known_of(row)
    gpus, nodes = counts_of(row)
    yield {"id": f"mlperf-other-{number_of_row} step_time", "task": "training", **more,
           "framework_version": row["framework_version"], "source": row["source_repo"],
           "use": "skip" if why else "check", "check": why or row["check"],
           "words": f"{row['model']}; {row['case']}; {row['note']}", "gpus": gpus, "nodes": nodes,
           "batch": row["batch_per_gpu"], "quantity": "step_time", "value": step_time_of(row)}


# ---- Fine-tuning

MEMORY_WORDS = [("max_memory_allocated", "allocator_peak"), ("peak memory active", "allocator_peak"),
                ("reserved", "reserved"), ("nvidia-smi", "device_total")]


def network_of_tuned(row):
    """Decoders with rotary positions and without dropout of their own; the head as the model ties it."""
    family = family_of(row)
    switches = [f"tied={row['tied_embeddings']}"] + (["positions=0", "dropout=0"] if family == "gpt" else [])
    if row["lora_targets"].endswith(BESIDE):
        switches.append("trainable=embed_tokens,lm_head")
    return shaped(" ".join([family] + switches), row)


def tuned_run(row):
    """Where the time is of one iteration, that is the run."""
    if "one micro-batch iteration" in row["note"]:
        row = row | {"global_batch": str(int(row["micro_batch"]) * int(row["gpus"]))}
    return run_of(row)


def tuner_of(row):
    """Full training with 16-bit weights and states has profiles of its own, with the loss in chunks where that is said:
    8 of torchtune, as its CEWithChunkedOutputLoss has them, beside adapters too."""
    torchtune = row["source_repo"] == "pytorch/torchtune"
    if "bf16" not in row["optimizer_precision"] or (row["lora_rank"] and not torchtune):
        return ""
    return "pytorch-2.4-torchtune" if "chunked cross entropy" in row["check"] + row["note"] else "pytorch-2.4-pure"


def finetuning(row, number_of_row):
    """LoRA, adapters and full fine-tuning. What a run cannot say (other adapters)
    has columns of its own, which refuse the row. Memory by an instrument that is not named is
    taken to be what nvidia-smi shows."""
    quantity = next((own for words, own in MEMORY_WORDS if words in row["memory_kind"]), "device_total")
    beside = {"adapter": row["parallelism"] if row["parallelism"].startswith("adapter") else "", **adapters_of(row)}
    said = row["check"] + row["note"]
    beside["optimizer_in_backward"] = "yes" if "fused into backward" in said else ""
    beside["offload_activations"] = "yes" if row["offload"] == "activations" else ""
    why = ("no shape" if not row["hidden"] else "no batch" if not row["global_batch"] or not row["micro_batch"]
           else "no system" if int(row["gpus"]) > 1 and "DGX" not in row["system"] else "")
    own = {"task": "training", "framework": tuner_of(row), "framework_version": month_of(row),
           "source": row["source_repo"], "use": "skip" if why else "check", "check": why or row["check"], **beside,
           "words": f"{row['case']}; {row['framework']}; {row['note']}",
           "network": network_of_tuned(row) if row["hidden"] else "",
           "system": TUNERS.get(row["system"] or row["gpu"], row["gpu"]), **(tuned_run(row) if not why else {})}
    if "8-bit AdamW" in said and not why:
        own["optimizer"] = "adam8bit"
    own["offload"] = "" if row["offload"] == "activations" else row["offload"]
    if row["step_time_s"]:
        yield {**own, "id": f"finetune-{number_of_row} step_time", "quantity": "step_time",
               "value": number(row["step_time_s"])}
    if number(row["memory_bytes"]) > 0 and row["memory_kind"] != "out of memory":
        yield {**own, "id": f"finetune-{number_of_row} memory", "quantity": quantity,
               "value": number(row["memory_bytes"])}


TUNERS = {"A100-SXM4-80G": "a100-sxm4-80gb", "A100-SXM4-40GB": "a100-sxm4-40gb", "DGX-H100": "dgx-h100",
          "A100 80GB": "a100-sxm4-80gb", "A100 40GB": "a100-sxm4-40gb", "A800 80GB": "a800-sxm4-80gb"}


# ---- Files

def read(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(name, rows):
    """Columns that no row has are left out."""
    seen = dict.fromkeys(key for row in rows for key, value in row.items() if value not in ("", None))
    fields = [key for key in seen if key not in FACTS + ABOUT]
    text = io.StringIO()
    writer = csv.DictWriter(text, FACTS + fields + ABOUT, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: plain(value) for key, value in row.items()} for row in rows)
    path = TARGET / f"{name}.csv.gz"
    path.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))
    print(f"{name}: {len(rows)} rows, {path.stat().st_size} bytes")


def packed(folder, file, pack, keep=lambda row: True):
    rows = [row for row in read(folder / f"{file}.csv.gz") if keep(row)]
    return [out for line, row in enumerate(rows, 2) for out in pack(row, line)]


def main():
    """Constants are fitted to rows of the first file; of the second, to those of B200, where experts show what
    Megatron's host takes, and of MI300X, which alone show how fast products run on CDNA 3."""
    folder = pathlib.Path(sys.argv[1])
    write("large_models", packed(folder, "transformer_parallel", published, lambda row: row["gpu"] != "B200"))
    blackwell = [row | {"id": f"b200-{row['id']}", "use": "skip" if row["use"] == "skip" else "fit"} for row in
                 packed(folder, "transformer_parallel", published, lambda row: row["gpu"] == "B200")]
    write("plans", packed(folder, "megatron_goldens", tests)
          + packed(folder, "mlperf_large", of_mlperf("mlperf-large", gradients_of_large))
          + packed(folder, "mlperf_lora", of_mlperf("mlperf-lora", lambda row: ""))
          + packed(folder, "mlperf_other", others) + packed(folder, "finetune_lora", finetuning) + blackwell)


if __name__ == "__main__":
    main()
