"""Serving from Python: one run, its report, sweeps, memory, engines, errors, and the same numbers everywhere."""

from __future__ import annotations

import csv
import io
import math
import os
import shutil
import subprocess
from pathlib import Path

import perfmodel as pm
import pytest
from test_same_numbers import needed

MODEL, SYSTEM = "llama3-8b", "hgx-h100"
ASKED = {"tp": 2, "isl": 2048, "osl": 256, "concurrency": 16}
LUA = """
local pm = require "perfmodel"
local p = pm.serve{network = "llama3-8b", system = "hgx-h100", tp = 2, isl = 2048, osl = 256, concurrency = 16}
io.write(string.format("%.17g %.17g %.17g", p.ttft, p.tpot, p.output_rate))
"""


def command(*arguments: str) -> str:
    program = needed("the perfmodel command", os.environ.get("PERFMODEL_COMMAND") or shutil.which("perfmodel"), "")
    return subprocess.run([program, *arguments], check=True, capture_output=True).stdout.decode("utf-8")


def test_one_run():
    p = pm.serve(MODEL, SYSTEM, **ASKED)
    assert p.status == "ok" and p.network == MODEL and p.system == SYSTEM and p.engine.startswith("vllm-")
    assert p.run.tensor_parallel == 2 and p.run.isl == 2048 and p.replicas == 4
    assert math.isclose(p.latency, p.ttft + 255 * p.tpot)
    assert math.isclose(p.output_rate, 256 * p.request_rate)
    assert p.ttft_p10 < p.ttft < p.ttft_p90 and p.tpot_p10 < p.tpot < p.tpot_p90
    assert p.assumed == "8 GPUs, bf16, " + p.engine


def test_the_report_has_the_numbers():
    p = pm.serve(MODEL, SYSTEM, **ASKED)
    text = p.explain()
    for word in ("TTFT", "TPOT", "80 % prediction interval", "MBU", "cache", "Bottleneck", p.assumed):
        assert word in text, word
    values = {row["label"]: row["value"] for row in p.lines()}
    assert values["TTFT"] == p.ttft and values["TPOT"] == p.tpot and values["output rate"] == p.output_rate
    assert values["requests"] == p.largest_concurrency and values["MBU"] == p.mbu
    assert "<table" in p._repr_html_() and "TTFT" in repr(p)


def test_parts_of_a_pass_add_up():
    p = pm.serve("mixtral-8x7b", SYSTEM, **ASKED)
    parts = (p.product_time, p.attention_time, p.expert_time, p.pass_time, p.communication_time, p.host_time)
    shares = [row["share"] for row in p.lines() if row["block"] == "time"]
    assert p.expert_time > 0 and len(shares) == 6 and math.isclose(sum(shares), 1)
    assert sum(parts) >= p.step_time * (1 - 1e-12)


def test_short_names_are_the_long_ones():
    long = pm.serve("mixtral-8x7b", SYSTEM, tensor_parallel=4, expert_parallel=4, concurrency=8)
    assert pm.serve("mixtral-8x7b", SYSTEM, tp=4, ep=4, concurrency=8).tpot == long.tpot
    with pytest.raises(pm.ArgumentError, match="tp and tensor_parallel"):
        pm.serve(MODEL, SYSTEM, tp=2, tensor_parallel=2)


def test_a_percentile_is_a_share_or_percent():
    late = pm.serve(MODEL, SYSTEM, tp=1, rate=4, percentile=90)
    assert late.run.percentile == 0.9 and late.run.arrivals == "open"
    assert late.ttft_percentile == pm.serve(MODEL, SYSTEM, tp=1, rate=4, percentile=0.9).ttft_percentile
    assert late.ttft_percentile < pm.serve(MODEL, SYSTEM, tp=1, rate=4, percentile=99).ttft_percentile


def test_sweep_is_the_scalar():
    table = pm.sweep([MODEL, "mixtral-8x7b"], ["hgx-h100", "hgx-h200"], task="serving", tensor_parallel=[2, 8],
                     concurrency=[1, 64], weights=["as-run", "fp8"], framework=["vllm", "sglang-0.5"])
    rows = list(table)
    assert len(rows) == 64
    for row in rows[::7]:
        one = pm.serve(row["network"], row["system"], tp=row["tensor_parallel"], concurrency=row["concurrency"],
                       weights=row["weights"], engine=row["engine"])
        assert (one.ttft, one.tpot) == (row["ttft [s]"], row["tpot [s]"])


def test_plan():
    plan = pm.Plan(MODEL, SYSTEM, "vllm", task="serving")
    runs = plan.runs(tensor_parallel=[1, 2], concurrency=[4, 8])
    result = plan.predict(runs)
    assert result.dtype == pm.dtype("serving") and (result["tpot"] > 0).all()
    assert plan.engine(0).id == pm.Catalog().engine("vllm").id


def test_memory():
    m = pm.memory("llama3-70b", SYSTEM, task="serving", tensor_parallel=4, isl=32768)
    p = pm.serve("llama3-70b", SYSTEM, tp=4, isl=32768)
    assert (m.weights, m.reserve, m.cache) == (p.weight_memory, p.reserve_memory, p.cache_memory)
    assert m.total == m.weights + m.reserve + m.cache and m.verdict == "fits" and m.framework == p.engine
    assert str(int(p.largest_concurrency)) in m.explain() and "327.7 kB" in m.explain()
    assert pm.memory("llama3-70b", SYSTEM, task="serving", tensor_parallel=1).verdict == "does-not-fit"


def test_engines():
    engine = pm.Catalog().engine("vllm")
    assert isinstance(engine, pm.Engine) and engine.scheduler == "mixed" and engine.sequences == 1024
    assert pm.serve(MODEL, SYSTEM, tp=1, engine="sglang-0.5").engine == "sglang-0.5"


def test_engines_are_choices_by_name():
    rows = pm.size_serving(MODEL, SYSTEM, rate=20, engine=["vllm", "sglang-0.5"])
    assert set(rows["engine"]) == {pm.Catalog().engine("vllm").id, "sglang-0.5"}


def test_errors():
    with pytest.raises(pm.NotFoundError):
        pm.serve(MODEL, SYSTEM, engine="nosuch")
    with pytest.raises(pm.DoesNotFitError, match="141"):
        pm.serve("llama3-70b", SYSTEM, tp=1)
    with pytest.raises(pm.ArgumentError, match="percentile"):
        pm.serve(MODEL, SYSTEM, percentile=30)
    with pytest.raises(TypeError, match="isll"):
        pm.serve(MODEL, SYSTEM, isll=30)
    with pytest.raises(pm.ArgumentError, match="batch has no effect in serving"):
        pm.memory(MODEL, SYSTEM, task="serving", batch=3)
    with pytest.raises(pm.Error):
        pm.serve("resnet50", SYSTEM)


def test_the_command_and_lua_have_the_same_numbers(tmp_path: Path):
    p = pm.serve(MODEL, SYSTEM, **ASKED)
    text = command("serve", MODEL, SYSTEM, "--tp", "2", "--isl", "2048", "--osl", "256", "--concurrency", "16", "-q",
                   "--format", "csv")
    row = next(csv.DictReader(io.StringIO(text, newline="")))
    assert (float(row["ttft [s]"]), float(row["tpot [s]"])) == (p.ttft, p.tpot)
    assert command("serve", MODEL, SYSTEM, "--tp", "2", "--isl", "2048", "--osl", "256", "--concurrency",
                   "16").split() == p.explain().split()
    lua = needed("Lua", shutil.which(os.environ.get("PERFMODEL_LUA", "lua5.4")), "set PERFMODEL_LUA")
    if subprocess.run([lua, "-e", 'require "perfmodel"'], capture_output=True).returncode != 0:
        needed("the Lua module", None, "set LUA_PATH and LUA_CPATH")
    script = tmp_path / "serve.lua"
    script.write_text(LUA, encoding="utf-8")
    found = subprocess.run([lua, script], check=True, capture_output=True).stdout.split()
    assert [float(word) for word in found] == [p.ttft, p.tpot, p.output_rate]


def test_workers_that_read_prompts_need_the_memory_too():
    asked = {"tp": 4, "gpus": 6, "concurrency": 4, "prefill_workers": 2}
    with pytest.raises(pm.DoesNotFitError):
        pm.serve("llama3-70b", SYSTEM, **asked)
    assert pm.serve("llama3-70b", SYSTEM, precision="fp8", **asked).ttft > 0


# ---- Sizing ----

GOAL = {"isl": 2048, "osl": 256, "ttft": "1 s", "tpot": "40 ms", "percentile": 95}


def test_the_largest_rate_is_the_limit():
    rows = pm.size_serving("llama3-70b", SYSTEM, rate=50, **GOAL)
    best = {column.name: rows[column.name][0] for column in rows.columns}
    asked = {"tp": best["tp"], "gpus": best["replica_gpus"], "isl": 2048, "osl": 256, "percentile": 95}
    at = pm.serve("llama3-70b", SYSTEM, rate=best["replica_rate"], **asked)
    over = pm.serve("llama3-70b", SYSTEM, rate=1.01 * best["replica_rate"], **asked)
    assert at.ttft_percentile <= 1 and at.tpot_percentile <= 0.04
    assert over.ttft_percentile > 1 or over.tpot_percentile > 0.04
    assert best["replicas"] == math.ceil(50 / best["replica_rate"])
    assert best["gpus"] == best["replicas"] * best["replica_gpus"]
    assert best["ttft"] == pm.serve("llama3-70b", SYSTEM, rate=50 / best["replicas"], **asked).ttft_percentile


def test_wider_limits_take_no_more_gpus():
    def gpus(**limits):
        return pm.size_serving("llama3-70b", SYSTEM, rate=50, **{**GOAL, **limits})["gpus"][0]

    assert gpus() >= gpus(ttft="2 s") and gpus() >= gpus(tpot="60 ms") and gpus() >= gpus(percentile=90)
    assert gpus() > gpus(precision="fp8")


def test_costs():
    rows = pm.size_serving("llama3-70b", [SYSTEM, "hgx-h200"], rate=50, gpu_hour_prices={SYSTEM: 2.5}, **GOAL)
    for gpus, system, cost, both in zip(rows["paid_gpus"], rows["system"], rows["output_cost"], rows["token_cost"]):
        if system == SYSTEM and gpus > 0:
            assert math.isclose(cost, 2.5 * gpus / 3600 / (50 * 256) * 1e6) and math.isclose(both * 9, cost)
        else:
            assert math.isnan(cost)
    known = [cost for cost in rows["output_cost"] if not math.isnan(cost)]
    assert known == sorted(known) and not math.isnan(rows["output_cost"][0])


def test_one_price_everywhere():
    run = {"tp": 4, "isl": 2048, "osl": 256, "rate": 3}
    served = pm.serve("llama3-70b", SYSTEM, gpu_hour_price="2.5 USD", **run)
    assert math.isclose(served.output_cost, 2.5 * 8 / 3600 / (3 * 256) * 1e6)
    assert math.isclose(2048 * served.input_cost + 256 * served.decode_cost, 256 * served.output_cost)
    text = command("serve", "llama3-70b", SYSTEM, "--tp", "4", "--isl", "2048", "--osl", "256", "--rate", "3", "-q",
                   "--gpu-hour-price", "2.5 USD", "--format", "csv")
    row = next(csv.DictReader(io.StringIO(text, newline="")))
    costs = ("hour_cost", "input_cost", "decode_cost", "output_cost", "token_cost")
    assert [float(row[name]) for name in costs] == [getattr(served, name) for name in costs]
    sized = {**run, "layouts": "given", "gpu_hour_price": 2.5}
    rows = pm.size_serving("llama3-70b", SYSTEM, **sized)
    assert rows["hour_cost"][0] == served.hour_cost and math.isclose(rows["output_cost"][0], served.output_cost)
    del sized["gpu_hour_price"]
    other = pm.size_serving("llama3-70b", SYSTEM, gpu_hour_prices=2.5, **sized)
    assert rows["output_cost"][0] == other["output_cost"][0]


def test_all_layouts_are_no_worse_and_the_front_rises():
    best = pm.size_serving("llama3-70b", SYSTEM, layouts="all", precision="bf16", **GOAL)["gpu_rate [1/s]"]
    plain = pm.size_serving("llama3-70b", SYSTEM, **GOAL)["gpu_rate [1/s]"]
    assert best[0] >= plain[0] and list(best) == sorted(best, reverse=True)
    front = pm.size_serving("llama3-70b", SYSTEM, layouts="all", front=True, **GOAL)
    users, gpus = list(front["user_rate [1/s]"]), list(front["gpu_rate [1/s]"])
    assert len(users) > 5 and users == sorted(users, reverse=True) and gpus == sorted(gpus)


def test_no_layout_is_a_silent_zero():
    rows = pm.size_serving("llama3-70b", SYSTEM, layouts="all", isl=2048, osl=256)
    assert all(ttft > 0 for ttft in rows["ttft [s]"]) and all(tpot > 0 for tpot in rows["tpot [s]"])


def test_what_cannot_be_reached_says_so():
    rows = pm.size_serving("llama3-70b", SYSTEM, rate=50, ttft="1 us")
    assert set(rows["status"]) == {"unreachable", "does_not_fit"} and set(rows["rank"]) == {0}
    with pytest.raises(pm.UnreachableError):
        pm.size_serving("llama3-70b", SYSTEM, layouts="all", ttft="1 us")
    with pytest.raises(pm.ArgumentError, match="concurrency"):
        pm.size_serving("llama3-70b", SYSTEM, rate=50, concurrency=3)
    with pytest.raises(pm.ArgumentError, match="ttft"):
        pm.size_serving("llama3-70b", SYSTEM, rate=50, ttft=-1)


def test_the_command_sizes_as_python_does():
    text = command("size", "llama3-70b", "--serve", "--system", SYSTEM, "--rate", "50", "--isl", "2048", "--osl", "256",
                   "--ttft", "1 s", "--tpot", "40 ms", "--percentile", "95", "--gpu-hour-price", f"{SYSTEM}=2.5 USD",
                   "-q", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    table = pm.size_serving("llama3-70b", SYSTEM, rate=50, gpu_hour_prices=2.5, **GOAL)
    assert [float(row["output_cost"] or "nan") for row in rows[:3]] == list(table["output_cost"])[:3]
    text = command("search", "llama3-70b", SYSTEM, "--serve", "--isl", "2048", "--osl", "256", "--ttft", "1 s",
                   "--tpot", "40 ms", "--percentile", "95", "-q", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    table = pm.size_serving("llama3-70b", SYSTEM, layouts="all", top=10, **GOAL)
    assert [float(row["gpu_rate [1/s]"]) for row in rows] == list(table["gpu_rate [1/s]"])
