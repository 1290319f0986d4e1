"""The best parallel plan: the same from the command, Python and Lua, and what it is used for."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import perfmodel as pm
import pytest
from test_pages import command
from test_same_numbers import needed

ASKED = dict(global_batch=256, precision="bf16", optimizer="adam", framework="megatron-core-0.12")

LUA = """
local pm = require "perfmodel"
local found = pm.search{network = "gpt3-13b", system = "dgx-a100-80gb", gpus = {32, 64}, global_batch = 256,
                         precision = "bf16",
                        optimizer = "adam", framework = "megatron-core-0.12", top = 25}
io.write(found.plans:csv(), found.front:csv(), found.why:csv(), found.choices:csv(), found:to_settings "torchtitan")
"""


@pytest.fixture(scope="module")
def found() -> pm.Search:
    return pm.search("gpt3-13b", "dgx-a100-80gb", gpus=[32, 64], top=25, **ASKED)  # type: ignore[arg-type]


def everything(found: pm.Search) -> str:
    tables = [found.plans, found.front, found.why, found.choices]
    return "".join(table.to_csv() or "" for table in tables) + found.to_settings("torchtitan")


def output(*arguments: object, status: int = 0) -> str:
    command = needed("the perfmodel command", os.environ.get("PERFMODEL_COMMAND") or shutil.which("perfmodel"), "")
    done = subprocess.run([command, *map(str, arguments)], capture_output=True)
    assert done.returncode == status
    return (done.stderr if status else done.stdout).decode("utf-8")


def test_command_and_python(found: pm.Search) -> None:
    asked = ["gpt3-13b", "dgx-a100-80gb", "--gpus", "32,64", "--global-batch", 256, "--precision", "bf16",
             "--optimizer", "adam"]
    asked += ["--framework", "megatron-core-0.12", "--top", 25, "--quiet"]
    kinds = [["--format", "csv"], ["--front", "--format", "csv"], ["--why", "--format", "csv"],
             ["--choices", "--format", "csv"]]
    assert "".join(output("search", *asked, *kind) for kind in [*kinds, ["--as", "torchtitan"]]) == everything(found)


def test_lua_and_python(found: pm.Search, tmp_path: Path) -> None:
    lua = needed("Lua", shutil.which(os.environ.get("PERFMODEL_LUA", "lua5.4")), "set PERFMODEL_LUA")
    if subprocess.run([lua, "-e", 'require "perfmodel"'], capture_output=True).returncode != 0:
        needed("the Lua module", None, "set LUA_PATH and LUA_CPATH")
    script = tmp_path / "search.lua"
    script.write_text(LUA, encoding="utf-8")
    text = subprocess.run([lua, script], check=True, capture_output=True).stdout.decode("utf-8")
    assert text == everything(found)


DEADLINE = """
local pm = require "perfmodel"
io.write(pm.size_training{network = "gpt3-13b", system = "dgx-a100-80gb", tokens = 3e11, within = "20 d",
                            global_batch = 1024,
                            precision = "bf16", optimizer = "adam", gpu_mtbf = "500 d", checkpoint_rate = "20 GB/s",
                            restart = "10 min", price = 200000, gpu_hour_price = 2.5, pue = 1.2}:csv())
"""


def test_a_deadline_is_the_same_everywhere(tmp_path: Path) -> None:
    told = dict(tokens=3e11, within="20 d", global_batch=1024, precision="bf16", optimizer="adam", gpu_mtbf="500 d")
    told |= dict(checkpoint_rate="20 GB/s", restart="10 min", gpu_hour_price=2.5, pue=1.2)
    found = pm.size_training("gpt3-13b", "dgx-a100-80gb", price=200000, **told)  # type: ignore[arg-type]
    assert found.reached and found.best.time <= 20 * 86400 and 0.9 < found.best.goodput < 1
    assert (
        found.best.gpu_hour_cost == 2.5 * found.best.gpu_hours
        and found.best.gpu_design_power == 1.2 * 400 * found.best.gpus
    )
    asked = [word for name, value in told.items() for word in ("--" + name.replace("_", "-"), value)]
    asked += ["--price", "dgx-a100-80gb=200000 USD", "--quiet"]
    assert output("search", "gpt3-13b", "dgx-a100-80gb", *asked, "--format", "csv") == found.to_csv()
    assert f"{found.best.nodes} nodes, {found.best.gpus} GPUs" in output("search", "gpt3-13b", "dgx-a100-80gb", *asked)
    lua = needed("Lua", shutil.which(os.environ.get("PERFMODEL_LUA", "lua5.4")), "set PERFMODEL_LUA")
    script = tmp_path / "deadline.lua"
    script.write_text(DEADLINE, encoding="utf-8")
    assert subprocess.run([lua, script], check=True, capture_output=True).stdout.decode("utf-8") == found.to_csv()


def test_a_deadline_that_is_missed() -> None:
    asked = dict(samples=1e6, within="1 s", global_batch=64, precision="bf16", max_nodes=8)
    found = pm.size_training("gpt3-13b", "dgx-a100-80gb", **asked)  # type: ignore[arg-type]
    assert not found.reached and found.best.time == min(found["time"])
    with pytest.raises(pm.ArgumentError, match="samples or tokens"):
        pm.size_training("gpt3-13b", "dgx-a100-80gb", tokens=1e6, **asked)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="gpus"):
        pm.size_training("gpt3-13b", "dgx-a100-80gb", gpus=8, **asked)  # type: ignore[arg-type]
    with pytest.raises(pm.ArgumentError, match="checkpoint"):
        pm.size_training("gpt3-13b", "dgx-a100-80gb", gpu_mtbf="100 d", **asked)  # type: ignore[arg-type]
    given = ["gpt3-13b", "dgx-a100-80gb", "--global-batch", 64, "--precision", "bf16", "--within", "1 s", "--samples",
             "1e6"]
    assert output("search", *given, "--max-nodes", 8, status=1) == "perfmodel: no number of nodes trains in that time\n"
    assert "leave out --gpus" in output("search", *given, "--gpus", 8, status=2)
    assert "one value of every option" in output("search", *given, "--tp", "1,2", status=2)


def test_which_machine_trains_a_language_model() -> None:
    systems = ["dgx-a100-80gb", "dgx-h100", "hgx-h100"]
    prices = {"dgx-a100-80gb": 9, "DGX H100": 1}
    found = pm.size_training("llama2-13b", systems, tokens="300B", within="30 d", minimize="cost",
                             gpu_hour_price=prices)
    assert found.best.system == "dgx-h100" and found.reached and list(found["rank"]) == [1, 2, 0]
    alone = [pm.size_training("llama2-13b", name, tokens=3e11, within="30 d").best for name in found["system"]]
    assert [row.time for row in alone] == list(found["time"])
    asked = ["llama2-13b", "--tokens", "300B", "--within", "30 d", "--minimize", "cost", "--system", ",".join(systems)]
    asked += ["--gpu-hour-price", "dgx-a100-80gb=9 USD,dgx-h100=1 USD", "--quiet", "--format", "csv"]
    assert output("size", *asked) == found.to_csv()
    with pytest.raises(TypeError, match="tokens"):
        pm.size("llama2-13b", "dgx-h100", tokens="300B", within="30 d")


def test_any_number_of_threads_finds_the_same(found: pm.Search, monkeypatch: pytest.MonkeyPatch) -> None:
    for threads in (1, 7):
        monkeypatch.setattr("perfmodel._search.RANGE", 97)
        monkeypatch.setattr("perfmodel._search.THREADS_MOST", threads)
        monkeypatch.setattr("os.cpu_count", lambda: 7)
        again = pm.search("gpt3-13b", "dgx-a100-80gb", gpus=[32, 64], top=25, **ASKED)  # type: ignore[arg-type]
        assert everything(again) == everything(found)


def test_the_best_plan_is_a_run(found: pm.Search) -> None:
    again = pm.predict("gpt3-13b", found.best.system, **found.options)
    assert again.step_time == found.best.step_time and again.throughput_p10 == max(found.plans["throughput_p10"])
    assert again.memory == found.best.memory
    assert found.best.run.nodes == 8 and found.count > found.fitting > 25 == len(found.plans)
    assert [row.throughput_p10 for row in found.plans] == sorted(found.plans["throughput_p10"], reverse=True)
    assert [row.step_time for row in found.fastest] == sorted(found.fastest["step_time"])
    assert min(found.fastest["step_time"]) <= min(found.plans["step_time"])
    assert "framework" not in pm.search("gpt3-13b", "dgx-h100", global_batch=64, precision="bf16",
                                        tensor_parallel=8).options


@pytest.mark.parametrize("format", ["megatron", "torchtitan"])
def test_the_best_plan_as_others_write_it(format: str, tmp_path: Path) -> None:
    found = pm.search("gpt3-13b", "dgx-a100-80gb", gpus=64, tensor_parallel=4, pipeline_parallel=4,
                      **ASKED)  # type: ignore[arg-type]
    path = tmp_path / "run.sh"
    path.write_text(found.to_settings(format))
    read = pm.run_from(path).options
    degrees = {name: value for name, value in found.options.items() if "parallel" in name}
    assert {name: read.get(name) for name in degrees} == degrees and len(degrees) >= 2


def test_why(found: pm.Search) -> None:
    best = found.best
    columns = ("choice", "chosen", "value", "slowdown", "cause")
    for choice, chosen, value, slowdown, cause in zip(*(found.why[column] for column in columns)):
        asked = getattr(best.run, choice)
        assert chosen == ({False: "no", True: "yes"}[asked] if isinstance(asked,
            bool) else f"{asked:g}" if asked == asked and not isinstance(asked, str) else asked)
        assert value != chosen and (slowdown >= 0 or cause == "memory")
    assert "tensor_parallel" in found.why["choice"] and "nodes" in found.why["choice"]
    assert len(found.choices) > len(found.why)


def test_what_is_given_is_taken_as_it_is() -> None:
    found = pm.search("gpt3-13b", "dgx-a100-80gb", gpus=64, tensor_parallel=[2, 4], zero=1, top=1000,
                      **ASKED)  # type: ignore[arg-type]
    assert set(found.plans["tensor_parallel"]) == {2, 4} and set(found.plans["zero"]) == {1}
    both = pm.search("gpt3-13b", ["dgx-a100-80gb", "dgx-h100"], gpus=32, global_batch=64, precision=["fp16", "bf16"])
    assert both.best.system == "dgx-h100"
    assert len(both.plans.to_pandas()) == 10 and "zero" in repr(both) and "Why" in both._repr_html_()


def test_progress() -> None:
    seen: list[tuple[int, int]] = []
    found = pm.search("gpt3-13b", "dgx-a100-80gb", gpus=64, progress=lambda done, all: seen.append((done, all)),
                      **ASKED)  # type: ignore[arg-type]
    assert seen[-1] == (found.count, found.count) and seen == sorted(seen)


def test_what_fails_in_progress_stops_the_search() -> None:
    def fail(done: int, all: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        pm.search("gpt3-13b", "dgx-a100-80gb", gpus=64, progress=fail, **ASKED)  # type: ignore[arg-type]
    assert threading.main_thread().is_alive()


def test_racks_are_filled_evenly() -> None:
    best = pm.search("llama3-70b", "gb200-nvl72", gpus=256, global_batch=512, top=1).best
    assert (best.run.gpus, best.run.nodes) == (64, 4)


@pytest.mark.parametrize(
    ("error", "match", "asked"),
    [
        (pm.TooManyGpusError, "12 GPUs do not fill whole nodes of 8; 8 or 16 GPUs do", {"gpus": 12}),
        (pm.ArgumentError, "tensor_parallel 0 is not at least 1", {"tensor_parallel": 0}),
        (pm.NotFoundError, "no parallel plan shares", {"tensor_parallel": 3}),
        (pm.NotFoundError, "no parallel plan shares",
         {"global_batch": 7, "gpus": 64, "pipeline_parallel": 1, "tensor_parallel": 1}),
        (pm.ArgumentError, "global batch 0.5", {"global_batch": 0.5}),
        (pm.DoesNotFitError, "none of .* plans fits", {"usable_memory": "1 GB"}),
        (pm.ArgumentError, "room for at least one plan", {"top": 0}),
        (TypeError, "batch", {"batch": 3}),
        (TypeError, "did you mean", {"tensor_paralel": 3}),
        (pm.NotFoundError, "nosuch", {"framework": "nosuch"}),
    ],
)
def test_what_is_wrong_is_said(error: type[Exception], match: str, asked: dict[str, object]) -> None:
    with pytest.raises(error, match=match):
        pm.search("gpt3-13b", "dgx-a100-80gb", **{"global_batch": 64, **asked})  # type: ignore[arg-type]


def test_the_command_says_it_too() -> None:
    asked = ["search", "gpt3-13b", "dgx-a100-80gb", "--precision", "bf16"]
    assert "global batch 2048 of 4 Mi tokens" in output(*asked)
    assert "only language models have" in output("search", "resnet50", "dgx1-v100", status=2)
    assert "none of" in output(*asked, "--global-batch", 64, "--usable-memory", "1 GB", status=1)
    assert "tp4" in output(*asked, "--global-batch", 64, "--tp", 4, "--zero", "0,1", "--sp")


def test_least_energy_of_plans() -> None:
    asked = dict(gpus=[8, 16], global_batch=64, precision="bf16")
    found = pm.search("llama3-8b", "dgx-h100", minimize="energy", **asked)
    others = pm.search("llama3-8b", "dgx-h100", top=1000, **asked)
    assert found.best.site_energy_per_sample <= min(p.site_energy_per_sample for p in others.plans)
    with pytest.raises(pm.ArgumentError, match="400 g/kWh"):
        pm.search("llama3-8b", "dgx-h100", minimize="carbon", **asked)
    with pytest.raises(pm.ArgumentError, match="can minimize energy"):
        pm.search("llama3-8b", "dgx-h100", minimize="power", **asked)


@pytest.mark.parametrize(
    "words", ["llama2-13b dgx-h100 --nodes 4 --tokens 300B", "gpt2 dgx-a100 --tp 1,2 --precision bf16,fp16",
              "mixtral-8x7b dgx-h100,dgx-a100 --nodes 8 --global-batch 512 --framework megatron-core-0.12",
              "resnet50 dgx1-v100 --global-batch 512 --rank fastest",
              "gpt3-13b dgx-a100-80gb --gpus 32,64 --global-batch 256 --tp 2,4 --power-limit 300W,400W"])  # fmt: skip
def test_the_command_of_the_first_plan_predicts_it(words: str) -> None:
    """The last line of a search is a command to paste; its step takes as long as that of the first plan."""
    report = [command(), "search", *words.split(), "--top", "1"]
    done = subprocess.run(report, capture_output=True, text=True, check=True)
    asked = done.stderr.partition("the first plan in full: perfmodel ")[2]
    rows = json_of(["search", *words.split(), "--top", "1", "-q"])
    assert json_of([*shlex.split(asked), "-q"])[0]["step_time"] == rows[0]["step_time"]


def json_of(words: list[str]) -> Any:
    done = subprocess.run([command(), *words, "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)
