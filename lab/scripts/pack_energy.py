#!/usr/bin/env python3
"""Makes data/measured/energy.csv.gz: published power and energy as packed rows, one quantity of one run a row.

    lab/scripts/pack_energy.py FOLDER         with energy.csv.gz as it was collected

Columns are those of packed rows (docs/accuracy.md), and what was measured beside the quantity, which a prediction of
power with the time known may use:

    kind         training, training-known (its time is), waiting, limit-busy, limit-waits, limit-low, serving (dense),
                 serving-moe, serving-hybrid, serving-media, serving-waits, node-training, node-inference
    tpot         measured time per token of a served model whose working time the model of serving says
    flop, rate   FLOP of a sample or token, and their rate over all GPUs: the FLOP/s of a run that is not predicted
    busy         share of the time that kernels run; empty: all of it, or what the step model says
    full_power   draw of a board of the same run under its own limit [W]
    cooling      of the node: air or liquid

How the words of the sources are read, decided before any prediction was looked at:

  Zeus         FP32 by the code's default, PyTorch 1.10 by its container. The largest limit of a GPU is its own (250 W,
               260 W). ResNet-50 is predicted from the network; BERT always works, so its draw is that of kernels; NCF
               hardly ever does, so its draw is that of waiting. What ShuffleNet and DeepSpeech wait for their input is
               not printed: only their limits are compared. A run is busy that draws three quarters of its limit or
               more; limits below half are outside the law.
  ML.ENERGY    FLOP of a token: two for each active parameter. Prompts are not printed. Diffusion is left out: neither
               its FLOP nor its tokens are printed. vLLM of 2024 waits for the host:
               how long its kernels run is what the model of serving says of vLLM 0.5, with prompts of 200 tokens (a
               mean of chats), over the time per token that was measured; networks that the catalogue lacks are left
               out, and so are runs of one request at a time (2023), whose software is no engine of the catalogue.
               Pictures and films are prepared by the host, for how long is not printed: no constant is fitted to them.
               MXFP4 multiplies in BF16 before Blackwell.
  MLPerf       boards run all the time; FLOP/s are not known, so none count. Inference: rows whose submission says the
               limit, in its description or in its power settings, or is not tuned for efficiency (MaxQ); the limits of
               the others are not printed. Of two runs of one name power was logged of MaxQ alone.
"""
import collections
import csv
import gzip
import io
import re
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parents[2] / "data" / "measured" / "energy.csv.gz"
COLUMNS = ["id", "task", "kind", "network", "system", "framework", "gpus", "nodes", "batch", "concurrency", "isl",
           "osl", "precision", "tensor_parallel", "pipeline_parallel", "power_limit", "flop", "rate", "tpot", "busy",
           "full_power", "cooling", "quantity", "value", "source", "words", "use", "check"]
GPUS = {
    "V100-PCIE-32": "v100-pcie-32gb", "Quadro-RTX-6000": "quadro-rtx-6000", "H100-SXM-80": "h100-sxm5",
    "B200-SXM-180": "b200-sxm6", "A100-SXM-40": "a100-sxm4-40gb", "V100-SXM2-16": "v100-sxm2-16gb",
    "A100-SXM-80GB": "a100-sxm4-80gb", "A100-SXM-80GB CTS": "a100-sxm4-80gb", "A100-SXM-80": "a100-sxm4-80gb",
    "A100-PCIe-80GB": "a100-pcie-80gb", "A100-PCIe-40GB": "a100-pcie-40gb", "A100-PCIE-40GB": "a100-pcie-40gb",
    "A100-SXM4-40GB": "a100-sxm4-40gb", "A30": "a30", "T4": "t4", "RTX-6000-Ada": "rtx-6000-ada",
}
OWN_LIMIT = {"V100-PCIE-32": 250, "Quadro-RTX-6000": 260}  # of Zeus' boards, W
SOURCES = {  # ids of data/sources.xml
    "ml-energy/zeus NSDI 2023 traces": "zeus", "ml-energy/leaderboard": "ml-energy-v3",
    "ml-energy/leaderboard-v2": "ml-energy-v2", "ml-energy/leaderboard-v2 legacy": "ml-energy-legacy",
    "MLPerf inference power (HPCA 2025 artefact)": "mlperf-inference-power",
    "MLPerf training v4.0 power (HPCA 2025 artefact)": "mlperf-training-power",
    "chuyishang/inference-energy": "inference-energy",
}
NETWORKS = {
    "meta-llama/Meta-Llama-3.1-70B-Instruct": "llama3-70b", "meta-llama/Meta-Llama-3.1-8B-Instruct": "llama3-8b",
    "mistralai/Mistral-7B-Instruct-v0.3": "mistral-7b", "codellama/CodeLlama-70b-hf": "llama2-70b",
    "codellama/CodeLlama-13b-hf": "llama2-13b", "codellama/CodeLlama-7b-hf": "llama2-7b",
    "mistralai/Mixtral-8x7B-Instruct-v0.1": "mixtral-8x7b", "mistralai/Mixtral-8x22B-Instruct-v0.1": "mixtral-8x22b",
}
# Power limits [W] that the power settings of a submission state, by the start of the node's name.
SUBMITTED_LIMITS = {"PRIMERGY GX2570M6": 275, "Dell EMC PowerEdge R750xa": 175}
PRECISIONS = {"bfloat16": "bf16", "16 bit": "fp16", "fp8": "fp8", "mxfp4": "bf16", "": ""}


def basic(row, kind, **more):
    return {"id": f"{row['number']}", "task": row["task"], "kind": kind, "system": "gpu:" + GPUS[row["gpu"]],
            "gpus": row["gpus"], "nodes": 1, "source": SOURCES[row["source"]], "words": words_of(row), "use": "fit",
            **more}


def words_of(row):
    return " ".join(filter(None, (row["model"], row["workload"], row["engine"][:30], "batch " + row["batch"]
                                  if row["batch"] else "")))


def skipped(row, why):
    yield {**basic(row, row["task"]), "quantity": "gpu_power", "value": row["power_W"], "use": "skip", "check": why}


def number(value):
    return f"{value:.7g}"


# ---- Zeus ----


def zeus(row, full):
    """A run under its own limit, or what a lower limit made of it."""
    limit, own = float(row["power_limit_W"]), OWN_LIMIT[row["gpu"]]
    out = basic(row, "training", precision="fp32", power_limit=f"{limit:g} W", batch=row["batch"])
    if limit == own:
        yield from zeus_full(row, out)
        return
    power, time = float(full["power_W"]), float(full["time_s"])
    busy = "busy" if power >= 0.75 * own else "waits"
    out["kind"] = "limit-low" if limit < own / 2 else "limit-" + busy
    out["full_power"] = number(power)
    if limit < own / 2:
        out.update(use="check", check="below half of the board's limit")
    yield {**out, "quantity": "gpu_power", "value": row["power_W"]}
    yield {**out, "quantity": "slowdown", "value": number(float(row["time_s"]) / time)}
    yield {**out, "quantity": "energy_factor",
           "value": number(float(row["power_W"]) * float(row["time_s"]) / (power * time))}


def zeus_full(row, out):
    if row["model"] == "resnet50":
        yield {**out, "kind": "training-known", "rate": row["throughput"], "busy": 1, "quantity": "energy_per_sample",
               "value": row["energy_J"]}
        out.update(network="resnet50", framework="pytorch-1.10")
        yield {**out, "quantity": "gpu_power", "value": row["power_W"]}
        yield {**out, "quantity": "energy_per_sample", "value": row["energy_J"]}
    elif row["model"] == "bert_base_uncased":
        yield {**out, "busy": 1, "quantity": "gpu_power", "value": row["power_W"]}
    elif row["model"] == "ncf":
        yield {**out, "kind": "waiting", "busy": 0, "quantity": "gpu_power", "value": row["power_W"]}
    else:
        yield from skipped(row, "how much of the time GPUs wait for input is not printed")


# ---- ML.ENERGY ----


def serving(row):
    if row["engine"] == "diffusers":
        yield from skipped(row, "neither FLOP nor tokens of a picture are printed")
        return
    active = row["active_params_B"] or row["params_B"]
    experts = "MoE" in row["note"] or float(active) < float(row["params_B"])
    kind = "serving-moe" if experts else "serving-hybrid" if "Hybrid" in row["note"] else "serving"
    old = row["source"] != "ml-energy/leaderboard"
    if old and (row["engine"] != "vLLM" or row["model"] not in NETWORKS):
        yield from skipped(row, "waits for the host, for how long is not printed, and the catalogue has no such " +
                           ("network" if row["engine"] == "vLLM" else "engine"))
        return
    out = basic(row, kind, precision=PRECISIONS[row["precision"]], flop=number(2e9 * float(active)),
                rate=row["throughput"])
    if old:
        parallel, gpus = re.match(r"TP(\d+) PP(\d+)", row["plan"]), int(row["gpus"])
        out.update(use="check", kind="serving-waits", task="serving", system="dgx-a100", network=NETWORKS[row["model"]],
                   framework="vllm-0.5", concurrency=row["batch"], isl=200, osl=row["output_tokens"],
                   tensor_parallel=parallel[1], pipeline_parallel=parallel[2], tpot=row["time_s"],
                   gpus=min(gpus, 8), nodes=max(1, gpus // 8), check="prompts are not printed")
    elif row["workload"] in ("image-chat", "video-chat"):
        out.update(use="check", kind="serving-media", check="the host prepares pictures, for how long is not printed")
    yield {**out, "quantity": "gpu_power", "value": number(float(row["power_W"]) / float(row["gpus"]))}
    yield {**out, "quantity": "energy_per_token", "value": row["energy_J"]}


# ---- MLPerf ----


def stated_limit(note):
    return next((limit for node, limit in SUBMITTED_LIMITS.items() if note.startswith(node)), None)


def node_inference(row):
    limit = stated_limit(row["note"])
    tuned = "MaxQ" in row["note"].replace("MaxQ = tuned for efficiency", "")
    if "500W" in row["note"]:
        yield from skipped(row, "boards of 500 W are not in the catalogue")
    elif tuned and limit is None:
        yield from skipped(row, "the power limit of MaxQ is not printed")
    else:
        out = basic(row, "node-inference", precision="int8", cooling="air")
        if limit is not None:
            out["power_limit"] = f"{limit:g} W"
        yield {**out, "quantity": "power", "value": row["power_W"]}


def node_training(row):
    if row["scope"] == "node DC":
        yield from skipped(row, "the same run as its row at the wall")
    else:
        yield {**basic(row, "node-training", precision="fp16", cooling="liquid"), "quantity": "power",
               "value": row["power_W"]}


def packed(rows):
    full = {}
    for row in rows:
        if "zeus" in row["source"] and float(row["power_limit_W"]) == OWN_LIMIT[row["gpu"]]:
            full.setdefault((row["gpu"], row["model"], row["workload"], row["batch"]), row)
    for row in rows:
        source = row["source"]
        if "zeus" in source:
            base = full.get((row["gpu"], row["model"], row["workload"], row["batch"]))
            yield from zeus(row, base) if base else skipped(row, "no run under the board's own limit")
        elif source.startswith("ml-energy"):
            yield from serving(row)
        elif "training" in source:
            yield from node_training(row)
        elif source.startswith("MLPerf"):
            yield from node_inference(row)
        else:
            yield from skipped(row, "how many requests run at once is not printed")


def main():
    with gzip.open(Path(sys.argv[1]) / "energy.csv.gz", "rt", newline="") as table:
        rows = [{**row, "number": n} for n, row in enumerate(csv.DictReader(table), 1)]
    lines = list(packed(rows))
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    TARGET.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))
    print(len(rows), "rows", len(lines), "quantities", collections.Counter(line["use"] for line in lines),
          TARGET.stat().st_size, "bytes")
    print(collections.Counter((line["kind"], line["quantity"]) for line in lines if line["use"] != "skip"))
    print(collections.Counter(line["check"] for line in lines if line["use"] == "skip"))


if __name__ == "__main__":
    main()
