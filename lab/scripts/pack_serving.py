#!/usr/bin/env python3
"""Makes data/measured/serving.csv.gz: published serving of language models as packed rows, one quantity a row.

    lab/scripts/pack_serving.py FOLDER        with serving.csv.gz, serving_more.csv.gz, vllm_memory.csv.gz and
                                              mlperf_inference.csv.gz as they were collected

How the words of the sources are read, decided before any prediction was looked at:

  engine     by its version; where none is printed, by the month of the run: vLLM of 2024 is 0.5, of later months the
             newest of that month; TensorRT-LLM of LLM-Inference-Bench (2024) is 0.8, of 2025-09 and later 1.0, whatever
             the version of the container around it. MI250 and MI300X run vLLM's port to ROCm.
  precision  "fp8" of DeepSeek is FP8 with scales for blocks; "nvfp4" and "fp4" are NVFP4; gpt-oss has MXFP4 experts
             and multiplies in BF16 before Blackwell, in FP4 there. What a row does not say of the cache is as in two
             bytes.
  lengths    InferenceX draws lengths in [0.8 x, x]: 0.9 x in the mean.
  settings   of InferenceX outside of pools are those of its launch scripts (benchmarks/*.sh of its repository,
             2025-10 to 2026-03): keys and values in FP8 but for gpt-oss and SGLang on H200; the part of the memory and
             the tokens of a pass as there. Its pools are those of srt-slurm's recipes: keys and values in FP8, prompts
             in passes of 16,640 tokens (TensorRT-LLM), 8,192 (SGLang in FP8 on B200) and 32,768 (in FP4 on GB200);
             others were not read. The scripts were looked up after rows whose cache should be full were seen not to
             wait; what they say was written down before its effect was looked at.
  expert     moe_ep is over the GPUs that share a layer; an empty cell is 1.
  degrees    of InferenceX on nodes of eight GPUs: a degree above eight is counted with the experts'; without them the
             times are those of eight GPUs, and none falls as over eight nodes.
  MI250      is a card of two dies, each a GPU: tensor parallelism over twice as many.
  tp         with attention DP is the number of GPUs where that is what the row's GPUs say.
  duration   of an open loop: its requests over their rate.
  rates      all GPUs together.
  memory     of vLLM: weights, what it keeps beside them (activations and what is not PyTorch's) and cache of a GPU, in
             GiB; a fine-tuned model has the sizes of its base.
  use        rows whose `check` is ok; the others are packed as "skip" with its words.
  MLPerf     language models of the closed division, which nothing is fitted to ("check"). Lengths are the means of the
             benchmark's data: those of its documents (MLPERF), not of a submission. Offline is compared in tokens/s;
             server and interactive in tokens/s at the largest rate of Poisson arrivals within the limits of the
             scenario at p99. Engine by the version that is printed; of TensorRT alone the newest profile that began
             before the month of the results. Degrees, sequences, budget and cache by the submitter's file; else the
             least degree whose 0.9 of the memory holds the weights, and the engine's defaults.
"""
import csv
import gzip
import io
import re
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parents[2] / "data" / "measured" / "serving.csv.gz"
GPT = "gpt vocabulary=51200 layers={} hidden={} heads={} flash=1"
NETWORKS = {
    "DeepSeek-V3": "deepseek-v3", "DeepSeek-R1": "deepseek-v3", "DeepSeek-Math-V2": "deepseek-v3",
    "gpt-oss-120b": "gpt-oss-120b", "Llama-2-7B": "llama2-7b", "Llama-2-70B": "llama2-70b", "Llama-3-8B": "llama3-8b",
    "Llama-3.1-8B": "llama3-8b", "Llama-3-70B": "llama3-70b", "Llama-3.1-70B": "llama3-70b",
    "Llama-3.3-70B": "llama3-70b", "Mistral-7B": "mistral-7b", "Mixtral-8x7B": "mixtral-8x7b",
    "Mixtral-8x22B": "mixtral-8x22b", "Qwen3-235B-A22B": "qwen3-235b-a22b", "Qwen3-30B-A3B": "qwen3-30b-a3b",
    "Qwen3-32B": "qwen3-32b", "Megatron-530B": "megatron-530b",
    "GPT-350M": GPT.format(24, 1024, 16), "GPT-6.7B": GPT.format(32, 4096, 32), "GPT-20B": GPT.format(44, 6144, 64),
    "GPT-89B": GPT.format(48, 12288, 96),
}
SYSTEMS = {
    "H200 SXM": "dgx-h200", "B200 SXM": "dgx-b200", "GB200": "gb200-nvl72", "A100 SXM4 40GB": "dgx-a100",
    "A100 SXM4 80GB": "dgx-a100-80gb", "A100 PCIe 80GB": "a100-pcie-80gb*8:pcie", "L40S": "l40s*8:pcie",
    "MI250": "mi250x-node", "MI300X": "mi300x-node", "RTX 4090": "rtx-4090",
    "RTX PRO 6000 Blackwell Server": "rtx-pro-6000-blackwell*2:pcie",
}
# What documents say of a benchmark's data: mean tokens of a prompt and of an answer. OpenOrca of MLPerf: 5,463,976
# input tokens in 24,576 samples (source mlperf-openorca); 294.45 tokens a sample (source mlperf-llama2-70b).
MLPERF = {"Llama-2-70B": (5463976 / 24576, 294.45)}
MLPERF_MODELS = {"Llama-2-70B", "GPT-J-6B", "Mixtral-8x7B", "gpt-oss-120b", "DeepSeek-R1"}
MEMORY = {"H200 SXM": 141e9, "MI300X": 192e9, "L40S": 48e9}
COLUMNS = ["id", "task", "network", "system", "framework", "gpus", "nodes", "arrivals", "concurrency", "rate",
           "duration", "percentile", "limit_ttft", "limit_tpot", "scenario", "isl", "osl", "precision", "weights",
           "expert_weights", "kv_cache", "tensor_parallel",
           "pipeline_parallel", "attention_parallel", "expert_parallel", "memory_fraction",
           "sequences", "token_budget", "prefill_workers", "prefill_tensor_parallel",
           "prefill_attention_parallel", "prefill_expert_parallel", "quantity", "value", "source", "words", "use",
           "check"]


def release(version):
    found = re.match(r"(\d+)\.(\d+)", version)
    return (int(found[1]), int(found[2])) if found else None


def engine_of(row):
    """The engine of the catalogue."""
    engine, version, month = row["engine"], release(row["engine_version"]), row["date"][:7]
    if engine == "vllm":
        if row["gpu"].startswith("MI2") or (row["gpu"] == "MI300X" and month < "2025"):
            return "vllm-rocm-0.5"
        if version:
            return "vllm-0.5" if version < (0, 8) else "vllm-0.8" if version < (0, 11) else \
                "vllm-0.11" if version < (0, 21) else "vllm-0.21"
        return "vllm-0.5" if month < "2025-03" else "vllm-0.8" if month < "2025-09" else "vllm-0.11"
    if engine == "trtllm":
        if "LLM-Inference-Bench" in row["source"]:
            return "trtllm-0.8"
        if version and "InferenceX" not in row["source"]:
            return "trtllm-0.5" if version < (0, 8) else "trtllm-0.8" if version < (0, 12) else \
                "trtllm-0.12" if version < (1, 0) else "trtllm-1.0"
        return "trtllm-1.0"
    return {"sglang": "sglang-0.5", "fastertransformer": "fastertransformer-5",
            "deepspeed-mii": "deepspeed-mii-0.2"}.get(engine, "")


def formats(row):
    """Precision, weights, experts' weights, cache."""
    weights, half = row["weights"], "bf16"
    if row["engine"] == "fastertransformer" or row["model"].startswith("GPT-"):
        half = "fp16"
    cache = "fp8" if row["kv_cache"] == "fp8" else "16-bit"
    if row["model"].startswith("gpt-oss"):
        narrow = row["gpu"] in ("B200 SXM", "GB200")
        return ("fp4", "16-bit", "mxfp4", cache) if narrow else (half, "16-bit", "mxfp4", cache)
    if weights == "fp8":
        return "fp8", "fp8-block" if row["model"].startswith("DeepSeek") else "fp8", "", cache
    if weights in ("fp4", "nvfp4"):
        return "fp4", "nvfp4", "", cache
    return half, "", "", cache


def launched(row):
    """How the launch scripts of InferenceX set the engine: the cache, the part of the memory, the tokens of a pass."""
    if "InferenceX" not in row["source"] or row["mode"] not in ("concurrency", "disaggregated"):
        return {}
    if row["mode"] == "disaggregated":
        passes = {("trtllm", row["gpu"], row["weights"]): 16640, ("sglang", "B200 SXM", "fp8"): 8192,
                  ("sglang", "GB200", "fp4"): 32768}
        budget = passes.get((row["engine"], row["gpu"], row["weights"]))
        return {"kv_cache": "fp8"} | ({"token_budget": budget} if budget else {})
    if row["gpu"] == "GB200":
        return {}
    engine, model = row["engine"], row["model"]
    isl, osl, users = (int(float(row[name])) for name in ("isl", "osl", "concurrency"))
    hopper, four = row["gpu"] == "H200 SXM", row["weights"] == "fp4"
    if engine == "vllm":
        return {} if model.startswith("gpt-oss") and hopper else {"kv_cache": "fp8"}
    if engine == "trtllm" and model.startswith("gpt-oss"):
        return {"memory_fraction": 0.85, "token_budget": 20000} | ({} if hopper else {"kv_cache": "fp8"})
    if engine == "trtllm" and model.startswith("DeepSeek"):
        budget = max(8192, users + isl + 64)
        return {"kv_cache": "fp8", "memory_fraction": 0.75 if hopper else 0.8, "token_budget": budget}
    if engine == "trtllm":
        return {"kv_cache": "fp8", "token_budget": isl + osl + 200}
    if hopper:
        return {"memory_fraction": 0.82, "token_budget": 32768} if model.startswith("DeepSeek") else {}
    if not model.startswith("DeepSeek"):
        return {}
    return {"kv_cache": "fp8", "memory_fraction": 0.85 if four else 0.82, "token_budget": 16384 if four else 32768}


def number(text, otherwise=1):
    return int(float(text)) if text else otherwise


def layout(row):
    """GPUs and degrees; None where they are not known."""
    scale = 2 if row["gpu"] == "MI250" else 1
    if row["mode"] == "disaggregated":
        if not row["prefill_workers"] or row["decode_pp"] not in ("", "1") or row["prefill_pp"] not in ("", "1"):
            return None
        each = number(row["decode_tp"]) * number(row["decode_attention_dp"])
        first = number(row["prefill_tp"]) * number(row["prefill_attention_dp"])
        gpus = number(row["prefill_workers"]) * first + number(row["decode_workers"]) * each
        return gpus, {"tensor_parallel": number(row["decode_tp"]),
                      "attention_parallel": number(row["decode_attention_dp"]),
                      "expert_parallel": number(row["decode_moe_ep"]),
                      "prefill_workers": number(row["prefill_workers"]),
                      "prefill_tensor_parallel": number(row["prefill_tp"]),
                      "prefill_attention_parallel": number(row["prefill_attention_dp"]),
                      "prefill_expert_parallel": number(row["prefill_moe_ep"])}
    tp, pp, dp = number(row["tp"]) * scale, number(row["pp"]), number(row["attention_dp"])
    ep = number(row["moe_ep"])
    if tp * pp == number(row["gpus"]) * scale and tp % dp == 0:
        tp //= dp
    if tp * dp > 8 and "InferenceX" in row["source"] and row["gpu"] in ("H200 SXM", "B200 SXM"):
        tp, dp = (tp // ep, dp) if tp > 1 else (tp, dp // ep)
    return tp * pp * dp, {"tensor_parallel": tp, "pipeline_parallel": pp, "attention_parallel": dp,
                          "expert_parallel": ep}


def lengths(row):
    isl, osl = float(row["isl"]), float(row["osl"])
    return (0.9 * isl, 0.9 * osl) if "InferenceX" in row["source"] else (isl, osl)


def quantities(row):
    """(name, SI value) of what the row measures."""
    if row["mode"] == "static":
        if row["latency_s"]:
            yield "latency", float(row["latency_s"])
        elif row["total_rate"]:
            yield "total_rate", float(row["total_rate"])
    elif row["mode"] == "max throughput":
        for name in ("output_rate", "total_rate"):
            if row[name]:
                yield name, float(row[name])
                break
    else:
        for name, column in (("tpot", "tpot_s"), ("ttft", "ttft_s")):
            if row[column]:
                yield name, float(row[column])
        if row["mode"] == "concurrency" and row["tpot_s"] and row["ttft_s"]:
            isl, osl = lengths(row)
            yield "request_rate", float(row["concurrency"]) / (float(row["ttft_s"]) + (osl - 1) * float(row["tpot_s"]))


MEMORY_NETWORKS = {
    "Qwen3-14B": "qwen3-14b", "Qwen3-30B-A3B": "qwen3-30b-a3b", "Kimi-Dev-72B": "qwen2-72b",
    "Qwen2.5-72B-Instruct": "qwen2-72b", "Mistral-Small-3.1-24B-Instruct-2503": "mistral-small-3.1-24b",
    "granite-3.1-2b-instruct": "granite-3.1-2b", "granite-3.1-8b-instruct": "granite-3.1-8b",
}


def packed_memory(row):
    """What vLLM prints of its memory."""
    network, why = MEMORY_NETWORKS.get(row["model"]), row["check"]
    if not network:
        why = "the catalogue has no " + row["model"]
    out = {"id": row["id"], "task": "serving", "network": network or row["model"], "system": "dgx-h100",
           "framework": "vllm-0.17" if release(row["engine_version"]) >= (0, 17) else "vllm-0.11",
           "gpus": row["tp"], "nodes": 1, "arrivals": "closed", "concurrency": 1, "isl": 1024, "osl": 256,
           "precision": "bf16", "tensor_parallel": row["tp"], "memory_fraction": row["memory_fraction"],
           "source": row["source"], "words": f"vllm {row['engine_version']} {row['gpu']} {row['quantization']}",
           "use": "fit" if why == "ok" else "skip", "check": "" if why == "ok" else why}
    kept = float(row["activation_gib"]) + float(row["non_torch_gib"])
    parts = {"weight_memory": row["weights_gib"], "reserve_memory": kept, "cache_memory": row["kv_gib"]}
    for name, value in parts.items():
        if value != "":
            yield {**out, "quantity": name, "value": f"{float(value) * 2**30:.6g}"}


ARRIVALS = {"static": "static", "max throughput": "offline", "open loop": "open"}


def packed(row):
    network, system, engine = NETWORKS.get(row["model"]), SYSTEMS.get(row["gpu"]), engine_of(row)
    how, why = layout(row), row["check"]
    use = "fit" if why == "ok" else "skip"
    if not network or not engine or not system:
        use, why = "skip", "the catalogue has no " + (row["model"] if not network else row["gpu"] + " or engine")
    elif how is None:
        use, why = "skip", "workers are not printed"
    if use == "skip":
        how = how or (1, {})
    precision, weights, experts, cache = formats(row)
    isl, osl = lengths(row)
    scale = {"dgx-h200": 8, "dgx-b200": 8, "dgx-a100": 8, "dgx-a100-80gb": 8, "mi250x-node": 8, "mi300x-node": 8}
    gpus, degrees = how
    per_node = scale.get(system, 72)
    nodes = -(-gpus // per_node)
    out = {"id": row["id"], "task": "serving", "network": network or row["model"], "system": system or row["gpu"],
           "framework": engine, "gpus": gpus // nodes if gpus % nodes == 0 else gpus, "nodes": nodes,
           "arrivals": ARRIVALS.get(row["mode"], "closed"), "isl": f"{isl:g}", "osl": f"{osl:g}",
           "concurrency": row["batch"] if row["mode"] == "static" else row["concurrency"],
           "rate": row["rate"] + " 1/s" if row["mode"] == "open loop" else "", "precision": precision,
           "weights": weights, "expert_weights": experts, "kv_cache": cache, "source": row["source"],
           "words": " ".join(filter(None, (row["engine"], row["engine_version"], row["gpu"], row["note"][:60]))),
           "use": use, "check": "" if why == "ok" else why}
    out.update(launched(row))
    if out["rate"] and row.get("requests"):
        out["duration"] = f"{float(row['requests']) / float(row['rate']):.6g} s"
    always = ("tensor_parallel", "prefill_workers")
    out.update({name: value for name, value in degrees.items() if value != 1 or name in always})
    if gpus % nodes:
        out["use"], out["check"] = "skip", "GPUs of different nodes are not alike"
    for name, value in quantities(row):
        yield {**out, "quantity": name, "value": f"{value:.6g}"}


def mlperf_engine(row):
    if row["engine"] == "trtllm":
        return "trtllm-0.8" if row["date"] <= "2024-08" else "trtllm-0.12" if row["date"] <= "2025-09" else "trtllm-1.0"
    found = re.search(r"vLLM (\d+\.\d+)", row["engine_version"])
    if not found:
        return ""
    own = engine_of({**row, "engine_version": found[1]})
    return "vllm-rocm-0.5" if row["gpu"].startswith("MI") and own == "vllm-0.5" else own


def mlperf_doubt(row):
    """Why a row is left out; "" if it is not."""
    if row["division"] != "closed" or row["check"] != "ok":
        return row["check"]
    if row["model"] not in MLPERF:
        return f"no document states the mean input length of {row['model']}'s data"
    if row["weights"] not in ("fp8", "16 bit"):
        return "weights are not printed"
    return "" if mlperf_engine(row) else "the engine is none of the catalogue"


def packed_mlperf(row):
    why, scenario = mlperf_doubt(row), row["mode"].split()[1]
    isl, osl = MLPERF.get(row["model"], (1024, 256))
    bytes_of = 1 if row["weights"] == "fp8" else 2
    tensor = number(row["tp"])
    while not row["tp"] and tensor < 8 and 69e9 * bytes_of / tensor > 0.9 * MEMORY.get(row["gpu"], 80e9):
        tensor *= 2
    yield {"id": row["id"], "task": "serving", "network": NETWORKS.get(row["model"], row["model"]),
           "system": SYSTEMS.get(row["gpu"], row["gpu"]), "framework": mlperf_engine(row),
           "gpus": number(row["gpus"]) // number(row["nodes"]), "nodes": number(row["nodes"]),
           "arrivals": "offline" if scenario == "offline" else "open", "concurrency": "",
           "percentile": "" if scenario == "offline" else 0.99, "limit_ttft": row["limit_ttft_s"],
           "limit_tpot": row["limit_tpot_s"], "scenario": "mlperf-" + scenario,
           "isl": f"{isl:.6g}", "osl": f"{osl:.6g}",
           "precision": "fp8" if bytes_of == 1 else "fp16", "weights": "fp8" if bytes_of == 1 else "",
           "kv_cache": "fp8" if row["kv_cache"] == "fp8" else "16-bit", "tensor_parallel": tensor,
           "sequences": row["batch"], "token_budget": row["token_budget"], "quantity": "output_rate",
           "value": f"{float(row['output_rate']):.6g}" if row["output_rate"] else "", "source": row["source"],
           "words": f"{row['submitter']} {row['engine_version'][:40]} {row['gpu']}",
           "use": "skip" if why else "check", "check": why}


def main():
    folder = Path(sys.argv[1])
    rows = []
    for name in ("serving", "serving_more"):
        with gzip.open(folder / f"{name}.csv.gz", "rt", newline="") as table:
            rows += [line for row in csv.DictReader(table) for line in packed(row)]
    with gzip.open(folder / "vllm_memory.csv.gz", "rt", newline="") as table:
        rows += [line for row in csv.DictReader(table) for line in packed_memory(row)]
    with gzip.open(folder / "mlperf_inference.csv.gz", "rt", newline="") as table:
        rows += [line for row in csv.DictReader(table) if row["model"] in MLPERF_MODELS for line in packed_mlperf(row)]
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    TARGET.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))
    print(len(rows), "rows", sum(row["use"] == "fit" for row in rows), "fit", TARGET.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
