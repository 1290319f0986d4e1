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
