"""One document: the command, Python and Lua print the same labels and values of predictions and memory."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import perfmodel as pm
import pytest
from test_same_numbers import needed

Run = tuple[str, str, str, dict[str, Any]]

RUNS: list[Run] = [
    ("predict", "resnet50", "dgx1-v100", {"gpus": 8, "batch": 64, "precision": "fp16"}),
    ("predict", "vgg16", "t4", {"framework": "none"}),
    ("predict", "gpt2", "dgx-a100", {"gpus": 8, "tokens": 1e9, "gpu_hour_price": "2.5 USD"}),
    ("predict", "llama3-8b", "dgx-h100", {"tensor_parallel": 4, "pipeline_parallel": 2, "global_batch": 64}),
    ("infer", "resnet50", "t4", {"batch": 8}),
    ("infer", "gpt2", "dgx-h100", {"latency": "1 s", "precision": "fp16"}),
    ("memory", "resnet152", "rtx-2080-ti", {"batch": 64}),
    ("memory", "resnet50", "t4", {"batch": 8, "task": "inference"}),
]
OPTIONS = {"tensor_parallel": "tp", "pipeline_parallel": "pp", "global_batch": "global-batch",
           "gpu_hour_price": "gpu-hour-price"}

LUA = """
local pm = require "perfmodel"
local options = {network = arg[2], system = arg[3]}
for i = 4, #arg, 2 do options[arg[i]] = arg[i + 1] == "true" or tonumber(arg[i + 1]) or arg[i + 1] end
local answer = pm[arg[1]](options)
"""
LUA_END = """
io.write(pm.explain(answer), "\\0", pm.explain(answer, "html"), "\\0", pm.explain(answer, "markdown"), "\\0",
         pm.explain(answer, "summary"), "\\0", pm.explain_lines(answer):csv())
"""


def ids(run: Run) -> str:
    return "-".join(run[:3])


def explained(run: Run) -> Any:
    name, network, system, options = run
    return getattr(pm, name)(network, system, **options)


@pytest.mark.parametrize("run", RUNS, ids=ids)
def test_the_command_prints_what_python_explains(run: Run) -> None:
    name, network, system, options = run
    command = needed("the perfmodel command", os.environ.get("PERFMODEL_COMMAND") or shutil.which("perfmodel"), "")
    given = [f"--{OPTIONS.get(key, key)}={value}" for key, value in options.items()]
    done = subprocess.run([command, name, network, system, *given, "--quiet"], capture_output=True)
    assert done.stdout.decode("utf-8") == explained(run).explain(), done.stderr.decode("utf-8")


@pytest.mark.parametrize("run", RUNS, ids=ids)
def test_lua_explains_as_python(run: Run, tmp_path: Path) -> None:
    name, network, system, options = run
    lua = needed("Lua", shutil.which(os.environ.get("PERFMODEL_LUA", "lua5.4")), "set PERFMODEL_LUA")
    if subprocess.run([lua, "-e", 'require "perfmodel"'], capture_output=True).returncode != 0:
        needed("the Lua module", None, "set LUA_PATH and LUA_CPATH")
    script = tmp_path / "explain.lua"
    script.write_text(LUA + LUA_END, encoding="utf-8")
    given = [word for key, value in options.items() for word in (key, str(value).replace("True", "true"))]
    done = subprocess.run([lua, script, name, network, system, *given], capture_output=True)
    assert done.returncode == 0, done.stderr.decode("utf-8")
    text, html, markdown, summary, lines = done.stdout.decode("utf-8").split("\0")
    answer = explained(run)
    assert text == answer.explain() and html == answer._repr_html_() and markdown == answer.explain("markdown")
    assert repr(answer) == f"<{type(answer).__name__} {summary}>"
    assert lines == answer.lines().to_csv()


QUESTIONS: dict[str, tuple[str, Callable[[], Any], str]] = {
    "size": (
        "size resnet50 --system dgx1-v100,dgx1-p100 --epochs 90 --within 6h --precision fp16 --batch 128",
        lambda: pm.size("resnet50", ["dgx1-v100", "dgx1-p100"], epochs=90, within="6 h", precision="fp16", batch=128),
        "size{network='resnet50', system={'dgx1-v100', 'dgx1-p100'}, epochs=90, within='6 h', precision='fp16', "
        "batch=128}",
    ),
    "size of calls": (
        "size resnet50 --system t4,v100 --target-rate 1e6/s --latency 10ms --max-nodes 100 --precision fp16",
        lambda: pm.size("resnet50", ["t4", "v100"], task="inference", rate=1e6, latency="10 ms", max_nodes=100,
                        precision="fp16"),
        "size{network='resnet50', system={'t4', 'v100'}, task='inference', rate=1e6, latency='10 ms', max_nodes=100, "
        "precision='fp16'}",
    ),
    "search": (
        "search gpt3-13b dgx-a100-80gb --gpus 16 --global-batch 64 --top 3",
        lambda: pm.search("gpt3-13b", "dgx-a100-80gb", gpus=16, global_batch=64, top=3),
        "search{network='gpt3-13b', system='dgx-a100-80gb', gpus=16, global_batch=64, top=3}",
    ),
    "deadline": (
        "search gpt3-13b dgx-a100-80gb --global-batch 1024 --tokens 3e11 --within 20d --gpu-mtbf 2000d --checkpoint 9s",
        lambda: pm.size_training("gpt3-13b", "dgx-a100-80gb", global_batch=1024, tokens=3e11, within="20 d",
                                 gpu_mtbf="2000 d", checkpoint="9 s"),
        "size_training{network='gpt3-13b', system='dgx-a100-80gb', global_batch=1024, tokens=3e11, within='20 d', "
        "gpu_mtbf='2000 d', checkpoint='9 s'}",
    ),
    "machines": (
        "size gpt3-13b --system dgx-a100-80gb,hgx-h100 --tokens 300B --within 20d --gpu-hour-price 2",
        lambda: pm.size_training("gpt3-13b", ["dgx-a100-80gb", "hgx-h100"], tokens="300B", within="20 d",
                                 gpu_hour_price=2),
        "size_training{network='gpt3-13b', system={'dgx-a100-80gb', 'hgx-h100'}, tokens='300B', within='20 d', "
        "gpu_hour_price=2}",
    ),
    "assumed_batch": (
        "search llama2-13b dgx-h100 --gpus 32 --top 3",
        lambda: pm.search("llama2-13b", "dgx-h100", gpus=32, top=3),
        "search{network='llama2-13b', system='dgx-h100', gpus=32, top=3}",
    ),
    "sensitivity": (
        "sensitivity resnet50 dgx1-v100 --gpus 8 --raise 20%",
        lambda: pm.sensitivity("resnet50", "dgx1-v100", gpus=8, by=0.2),
        "sensitivity{network='resnet50', system='dgx1-v100', gpus=8, by=0.2}",
    ),
    "upgrades": (
        "sensitivity resnet50 t4 --inference --batch 8 --upgrade system=v100@9000usd",
        lambda: pm.upgrades("resnet50", "t4", {"system=v100": "v100"}, task="inference", batch=8,
                            prices={"system=v100": 9000}),
        "upgrades{network='resnet50', system='t4', task='inference', batch=8, upgrades={['system=v100']='v100'}, "
        "prices={['system=v100']=9000}}",
    ),
    "comparison": (
        "compare resnet50 dgx1-v100,dgx-a100 --precision fp16 --batch 64",
        lambda: pm.compare("resnet50", ["dgx1-v100", "dgx-a100"], precision="fp16", batch=64),
        "compare{network='resnet50', system={'dgx1-v100', 'dgx-a100'}, precision='fp16', batch=64}",
    ),
    "comparison of serving": (
        "compare llama3-8b hgx-h100,hgx-h200 --serve",
        lambda: pm.compare("llama3-8b", ["hgx-h100", "hgx-h200"], task="serving"),
        "compare{network='llama3-8b', system={'hgx-h100', 'hgx-h200'}, task='serving'}",
    ),
    "input": (
        "input ilsvrc2012 dgx1-v100 --storage isilon-f800 --network resnet50 --cpu skylake --first-epoch",
        lambda: pm.input_pipeline("ilsvrc2012", "dgx1-v100", storage="isilon-f800", network="resnet50", cpu="skylake"),
        "input_pipeline{dataset='ilsvrc2012', system='dgx1-v100', storage='isilon-f800', network='resnet50'}",
    ),
    "input alone": (
        "input ilsvrc2012 dgx1-v100 --storage isilon-f800 --cpu skylake",
        lambda: pm.input_pipeline("ilsvrc2012", "dgx1-v100", storage="isilon-f800", cpu="skylake"),
        "input_pipeline{dataset='ilsvrc2012', system='dgx1-v100', storage='isilon-f800'}",
    ),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_of_many_runs_have_one_document(question: str, tmp_path: Path) -> None:
    words, python, lua_call = QUESTIONS[question]
    answer = python()
    command = needed("the perfmodel command", os.environ.get("PERFMODEL_COMMAND") or shutil.which("perfmodel"), "")
    given = [word.replace("usd", " USD") for word in words.split()]
    done = subprocess.run([command, *given, "--quiet"], capture_output=True)
    assert done.stdout.decode("utf-8") == answer.explain(), done.stderr.decode("utf-8")
    lua = needed("Lua", shutil.which(os.environ.get("PERFMODEL_LUA", "lua5.4")), "set PERFMODEL_LUA")
    if subprocess.run([lua, "-e", 'require "perfmodel"'], capture_output=True).returncode != 0:
        needed("the Lua module", None, "set LUA_PATH and LUA_CPATH")
    script = tmp_path / "explain.lua"
    script.write_text(f"local pm = require 'perfmodel'; local answer = pm.{lua_call}\n{LUA_END}", encoding="utf-8")
    done = subprocess.run([lua, script], capture_output=True)
    assert done.returncode == 0, done.stderr.decode("utf-8")
    text, html, markdown, summary, lines = done.stdout.decode("utf-8").split("\0")
    assert text == answer.explain() and html == answer._repr_html_() and markdown == answer.explain("markdown")
    assert summary == answer.explain("summary") and lines == answer.lines().to_csv()


FIELDS = [(RUNS[0], "step_time"), (RUNS[3], "communication_time"), (RUNS[4], "latency"), (RUNS[2], "training_cost")]


@pytest.mark.parametrize(("run", "field"), FIELDS)
def test_one_field_has_one_document(run: Run, field: str, tmp_path: Path) -> None:
    name, network, system, options = run
    command = needed("the perfmodel command", os.environ.get("PERFMODEL_COMMAND") or shutil.which("perfmodel"), "")
    given = [f"--{OPTIONS.get(key, key)}={value}" for key, value in options.items()]
    task = ["--task", "inference"] if name == "infer" else []
    asked = [command, "explain", field, network, system, *given, *task, "--quiet"]
    answer = explained(run)
    done = subprocess.run(asked, capture_output=True)
    assert done.stdout.decode("utf-8") == answer.explain(field), done.stderr.decode("utf-8")
    table = subprocess.run([*asked, "--format", "csv"], capture_output=True)
    assert table.stdout.decode("utf-8") == answer.lines(field).to_csv(), table.stderr.decode("utf-8")
    lua = needed("Lua", shutil.which(os.environ.get("PERFMODEL_LUA", "lua5.4")), "set PERFMODEL_LUA")
    if subprocess.run([lua, "-e", 'require "perfmodel"'], capture_output=True).returncode != 0:
        needed("the Lua module", None, "set LUA_PATH and LUA_CPATH")
    end = 'io.write(pm.explain(answer, "{0}"), "\\0", pm.explain(answer, "{0}", "html"), "\\0")\n' \
          'io.write(pm.explain_lines(answer, "{0}"):csv())'
    script = tmp_path / "explain.lua"
    script.write_text(LUA + end.format(field), encoding="utf-8")
    words = [str(word) for pair in options.items() for word in pair]
    done = subprocess.run([lua, script, name, network, system, *words], capture_output=True)
    assert done.returncode == 0, done.stderr.decode("utf-8")
    shown, html, lines = done.stdout.decode("utf-8").split("\0")
    assert shown == answer.explain(field) and html == answer.explain(field, "html")
    assert lines == answer.lines(field).to_csv()


def test_parts_of_a_field_add_up_to_the_bit() -> None:
    p = pm.predict("llama3-8b", "dgx-h100", gpus=8, tensor_parallel=4, pipeline_parallel=2, global_batch=64)
    for field in ("step_time", "memory", "compute_time"):
        total = 0.0
        for row in p.lines(field):
            total += row["value"] if row["block"] == "explained_parts" else 0
        assert total == getattr(p, field), field


def test_prices_name_their_currency() -> None:
    p = pm.predict("gpt2", "dgx-a100", gpus=8, tokens=1e9, gpu_hour_price="2.5 USD/h")
    assert f"cost             {p.training_cost:.4g} USD" in p.explain()
    served = pm.size_serving("llama3-8b", "hgx-h100", rate=20, gpu_hour_prices={"hgx-h100": "2.5 EUR"})
    assert "EUR for a million output tokens" in served.explain("summary")
    with pytest.raises(pm.ArgumentError, match="prices in EUR and in USD cannot be compared"):
        pm.size_serving("llama3-8b", ["hgx-h100", "hgx-h200"], rate=20,
                        gpu_hour_prices={"hgx-h100": "2.5 EUR", "hgx-h200": "3 USD"})


def test_what_is_not_counted_is_said_everywhere() -> None:
    network = pm.Network("odd")
    x = network.add("linear", inputs=network.input(8), out_features=8)
    network.add("pointwise", inputs=x, name="unknown.fft_r2c", flop=0)
    p = pm.predict(network, "t4")
    said = "1 layer of unknown operators not counted"
    assert said in p.assumed and said in p.explain() and said in pm.infer(network, "t4").explain()
    assert said in pm.sweep(network, "t4", batch=[1, 2]).to_csv()


def test_every_part_has_one_label() -> None:
    """What a report says of a step has the same labels in every rendering, and the values of the prediction."""
    p = pm.predict("resnet50", "dgx1-v100", gpus=8, batch=64)
    rows = {(row["block"], row["label"]): row for row in p.lines()}
    rate, largest = rows["outcome", "throughput"], rows["memory", "largest batch"]
    assert (rate["value"], rate["unit"], largest["value"]) == (p.throughput, "samples/s", p.largest_batch)
    assert rows["time", "launch overhead"]["value"] == p.launch_overhead_time
    assert rows["time", "communication"]["share"] == p.exposed_communication_time / p.step_time
    for (block, label), row in rows.items():
        if block in ("outcome", "time", "communication", "efficiency", "memory"):
            for rendering in ("text", "html", "markdown"):
                assert label in p.explain(rendering) and row["text"] in p.explain(rendering)
