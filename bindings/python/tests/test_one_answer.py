"""One question has one answer: random questions, each asked of everything in Python and Lua that can answer it.

A question is a network, a system and some fields of a run. `predict` answers it; a sweep, a search restricted to that
one plan, sizing, an upgrade to the same system, sensitivities, memory, stages and an input pipeline are asked the same,
and so is Lua. Step time, throughput, interval, memory, verdict and what was assumed are equal to the bit; where one has
no answer, no other has one.

PERFMODEL_QUESTIONS sets the number of questions (200), PERFMODEL_SEED which ones.
"""

from __future__ import annotations

import math
import os
import random
import shutil
import subprocess
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import perfmodel as pm
import pytest
from perfmodel._keywords import NO_STEP
from perfmodel import _fields
from test_same_numbers import needed

COUNT = int(os.environ.get("PERFMODEL_QUESTIONS", "200"))
SEED = int(os.environ.get("PERFMODEL_SEED", "29"))
EQUAL = ("step_time", "throughput", "throughput_p10", "throughput_p90", "memory", "verdict")
CALL_EQUAL = ("latency", "throughput", "throughput_p10", "throughput_p90", "memory", "verdict", "assumed")

NETWORKS = pm.Catalog().ids("networks")
SYSTEMS = [*pm.Catalog().ids("systems"), *pm.Catalog().ids("gpus")]
FRAMEWORKS = [*pm.Catalog().ids("frameworks"), "pytorch", "megatron", "none"]
PROFILES = [*pm.Catalog().ids("inference_profiles"), "pytorch"]

COUNTS = {
    "gpus": [1, 2, 4, 8, 8, 16, 12],
    "nodes": [1, 2, 3],
    "batch": [1, 2, 8, 32, 33],
    "global_batch": [8, 64, 256, 30],
    "micro_batch": [1, 2, 4],
    "gradient_accumulation_steps": [1, 2, 4],
    "tensor_parallel": [2, 4, 8],
    "pipeline_parallel": [2, 4],
    "context_parallel": [2],
    "expert_parallel": [2, 8],
    "expert_tensor_parallel": [1, 2],
    "virtual_pipeline": [2],
    "zero": [1, 2, 3],
    "shard_group": [2, 8],
    "recompute_layers": [1, 2],
    "gradient_bytes": [2, 4],
    "input_rate": [100, 1e6],
    "usable_memory": ["1 TB", "8 GB"],
    "capacity_factor": [1.5],
    "expert_imbalance": [1.2],
    "lora_rank": [8, 64],
    "lora_dropout": [0.1],
    "lora_first_layer": [1],
    "lora_layers": [1, 2],
    "loss_chunks": [1, 8],
    "document_tokens": [64],
    "power_limit": ["150 W", "300 W"],
    "carbon": ["400 g/kWh"],
    "energy_price": [0.1],
    "power_budget": ["2 MW"],
}
SWITCH = [False, True]


def values_of(f: pm.Field) -> list[Any]:
    """Values of a field to draw from."""
    if f.name in COUNTS:
        return COUNTS[f.name]
    return SWITCH if f.yes_no else list(f.choices)


class Question:
    """Some fields of a run on a system, each drawn by itself."""

    def __init__(self, number: int, type_name: str):
        draw = random.Random(f"{SEED} {number} {type_name}")
        self.network, self.system = draw.choice(NETWORKS), draw.choice(SYSTEMS)
        self.run: dict[str, Any] = {}
        apart = ("gpus", "nodes", "batch", "ignore_memory", *NO_STEP)
        fields = [f for f in _fields.given(type_name) if f.name not in apart]
        for name, often in (("gpus", 0.5), ("nodes", 0.2), ("batch", 0.4)):
            if draw.random() < often:
                self.run[name] = draw.choice(COUNTS[name])
        if type_name == "run" and "batch" not in self.run and draw.random() < 0.3:
            self.run["global_batch"] = draw.choice(COUNTS["global_batch"])
        for f in draw.sample(fields, draw.choice([0, 1, 1, 2, 3])):
            self.run[f.name] = draw.choice(values_of(f))
        if draw.random() < 0.4:
            self.run["framework"] = draw.choice(FRAMEWORKS if type_name == "run" else PROFILES)
        if draw.random() < 0.6:
            self.run["ignore_memory"] = True

    def without(self, *names: str) -> dict[str, Any]:
        return {name: value for name, value in self.run.items() if name not in names}

    def __str__(self) -> str:
        return f"{self.network} {self.system} {self.run}"


def same(a: Any, b: Any) -> bool:
    return bool(a == b or (a != a and b != b))


def differences(who: str, ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    other = [name for name, value in ours.items() if not same(value, theirs[name])]
    return [f"{who}: {name} is {theirs[name]!r}, not {ours[name]!r}" for name in other]


def fields_of(p: Any, names: tuple[str, ...] = EQUAL) -> dict[str, Any]:
    return {name: getattr(p, name) for name in names}


def answer_of(ask: Callable[[], Any]) -> tuple[Any, pm.Error | None]:
    try:
        return ask(), None
    except pm.Error as error:
        return None, error


# ---- Training ----


def ask_sweep(q: Question, p: pm.Prediction | None) -> list[str]:
    row, error = answer_of(lambda: pm.sweep(q.network, q.system, **q.run)[0])
    if p is None:
        return [] if error is not None or row.status != "ok" else ["sweep has an answer, predict has none"]
    if error is not None:
        return [f"sweep: {error}"]
    return differences("sweep", {**p.to_dict()}, row.to_dict())


def ask_memory(q: Question, p: pm.Prediction) -> list[str]:
    m = pm.memory(q.network, q.system, **q.without("input_rate", "no_prefetch", "ignore_memory"))
    ours = fields_of(p, ("memory", "gpu_memory", "verdict", "largest_batch", "assumed"))
    use = {"memory": m.total, "gpu_memory": m.usable} | fields_of(m, ("verdict", "largest_batch", "assumed"))
    kept, rows = m.stages(), p.stages()
    found = differences("memory", ours, use)
    if kept["memory"].tolist() != rows["memory"].tolist() or rows["memory"].max() != p.memory:
        found.append(f"stages: memory is {rows['memory'].tolist()} and {kept['memory'].tolist()}, not {p.memory}")
    return found


def ask_size(q: Question, p: pm.Prediction) -> list[str]:
    """Of one node: more are found, not given."""
    if p.run.nodes > 1:
        return []
    best = pm.size(q.network, q.system, rate=1e-9, **{**q.without("nodes"), "gpus": p.run.gpus}).best
    ours = {"throughput": p.throughput, "memory": p.memory, "verdict": p.verdict, "gpus": p.total_gpus, "nodes": 1}
    return differences("size", ours, {name: getattr(best, name) for name in ours})


def ask_upgrade(q: Question, p: pm.Prediction) -> list[str]:
    table = pm.upgrades(q.network, q.system, {"same": q.system}, **q.run)
    ours = {"step_time": p.step_time, "throughput": p.throughput, "gain": 0.0, "assumed": p.assumed}
    theirs = {name: table[name][0] for name in ("step_time", "throughput", "gain")}
    found = differences("upgrades", ours, {**theirs, "assumed": table.assumed})
    rows = pm.sensitivity(q.network, q.system, by=0.1, **q.run)
    for time, change in zip(rows["step_time"], rows["change"]):
        if not math.isclose(time, p.step_time * (1 + change), rel_tol=1e-12):
            found.append(f"sensitivity: {time!r} is no change of {change!r} to {p.step_time!r}")
    return found


def ask_input(q: Question, p: pm.Prediction) -> list[str]:
    if "input_rate" in q.run:
        return []
    run = q.without("no_prefetch")
    path = pm.input_pipeline("ilsvrc2012", q.system, storage="dgx1-raid0", workers=16, network=q.network, **run)
    ours = {"rate": p.throughput / p.run.nodes, "gpus": p.run.gpus, "nodes": p.run.nodes, "assumed": p.assumed}
    theirs = {"rate": path.run.gpu_rate, "gpus": path.run.gpus, "nodes": path.run.nodes, "assumed": path.assumed}
    return differences("input", ours, theirs)


PLAN = ("tensor_parallel", "sequence_parallel", "context_parallel", "pipeline_parallel", "virtual_pipeline",
        "expert_parallel", "zero", "recompute")  # fmt: skip


def ask_search(q: Question, p: pm.Prediction) -> list[str] | None:
    """The search that has this plan alone; None where it has not even that: of steps that are no plans of a search, and
    of plans that never fit."""
    run = p.run
    micro = run.micro_batch if run.micro_batch == run.micro_batch else 1 if run.pipeline_parallel > 1 else run.batch
    if run.gradient_accumulation_steps != 1 or p.verdict == "does-not-fit":
        return None
    if "parallelism" in q.run or "input_rate" in q.run:
        return None
    plan = {name: getattr(run, name) for name in PLAN}
    asked = {**q.without("batch", "global_batch"), **plan, "micro_batch": micro}
    asked["global_batch"] = run.batch * p.data_parallel
    found, error = answer_of(lambda: pm.search(q.network, q.system, top=1, **asked))
    if error is not None:
        return None
    best = found.best
    again = pm.predict(q.network, found.best.system, **found.options)
    listed = differences("search", fields_of(p), fields_of(best))
    return listed + differences("the search's options", fields_of(best), fields_of(again))


# ---- Inference ----


def ask_call(q: Question, p: pm.Inference) -> list[str]:
    row = pm.sweep(q.network, q.system, task="inference", **q.run)[0]
    ours = fields_of(p, (*CALL_EQUAL, "total_gpus"))
    units = {"latency": "latency [s]", "throughput": "throughput [1/s]", "throughput_p10": "throughput_p10 [1/s]",
             "throughput_p90": "throughput_p90 [1/s]", "memory": "memory [B]"}  # fmt: skip
    found = differences("sweep", ours, {name: row[units.get(name, name)] for name in ours})
    m = pm.memory(q.network, q.system, task="inference", **q.without("ignore_memory"))
    use = {"memory": m.total, "verdict": m.verdict, "assumed": m.assumed}
    found += differences("memory", {name: ours[name] for name in use}, use)
    table = pm.upgrades(q.network, q.system, {"same": q.system}, task="inference", **q.run)
    theirs = {"latency": table["step_time"][0], "throughput": table["throughput"][0], "assumed": table.assumed}
    found += differences("upgrades", {name: ours[name] for name in theirs}, theirs)
    if p.run.nodes == 1:
        asked = {**q.without("nodes"), "gpus": p.run.gpus}
        best = pm.size(q.network, q.system, task="inference", rate=1e-9, **asked).best
        theirs = {name: getattr(best, name) for name in ("latency", "throughput", "memory", "verdict")}
        found += differences("size", {name: ours[name] for name in theirs}, theirs)
    return found


# ---- Lua: all questions in one script ----

LUA = """
local pm = require "perfmodel"
local function known(value)
  return value == nil and "-" or type(value) == "number" and string.format("%a", value) or tostring(value)
end
local function ask(f, fields, options)
  local ok, p = pcall(f, options)
  local line = {}
  for i, name in ipairs(fields) do line[i] = ok and known(p[name]) or "-" end
  io.write(ok and "ok" or "no", "\\t", table.concat(line, "\\t"), "\\n")
end
"""


def in_lua(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, (int, float)) else '"' + str(value) + '"'


def from_lua(
    script: Path, asked: list[tuple[str, Question]], fields: tuple[str, ...]
) -> Iterator[dict[str, Any] | None]:
    lua = needed("Lua", shutil.which(os.environ.get("PERFMODEL_LUA", "lua5.4")), "set PERFMODEL_LUA")
    if subprocess.run([lua, "-e", 'require "perfmodel"'], capture_output=True).returncode != 0:
        needed("the Lua module", None, "set LUA_PATH and LUA_CPATH")
    names = "{" + ", ".join(f'"{name}"' for name in fields) + "}"
    lines = []
    for function, q in asked:
        options = {"network": q.network, "system": q.system, **q.run}
        pairs = ", ".join(f"{name} = {in_lua(value)}" for name, value in options.items())
        lines.append(f"ask(pm.{function}, {names}, {{{pairs}}})\n")
    script.write_text(LUA + "".join(lines), encoding="utf-8")
    output = subprocess.run([lua, script], check=True, capture_output=True, text=True).stdout
    for line in output.splitlines():
        status, *words = line.split("\t")
        yield None if status == "no" else {name: number(word) for name, word in zip(fields, words)}


def number(word: str) -> Any:
    """What Lua printed: a number to the last bit, nothing, or a word."""
    if word == "-":
        return math.nan
    return float.fromhex(word) if word.lstrip("-").startswith(("0x", "inf")) else word


def ask_lua(script: Path, asked: list[tuple[str, Question]], answers: list[Any], wanted: tuple[str, ...]) -> list[str]:
    found = []
    for (_, q), p, theirs in zip(asked, answers, from_lua(script, asked, wanted), strict=True):
        if (p is None) != (theirs is None):
            found.append(f"{q}\n    lua: one has an answer, the other has none")
        elif p is not None and theirs is not None:
            found += [f"{q}\n    {line}" for line in differences("lua", fields_of(p, wanted), theirs)]
    return found


# ---- The questions ----


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    """Frameworks that never ran on a GPU are asked for too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_training_has_one_answer(tmp_path: Path) -> None:
    found, asked, answers, searched = [], [], [], 0
    for number_ in range(COUNT):
        q = Question(number_, "run")
        p, error = answer_of(lambda: pm.predict(q.network, q.system, **q.run))
        lines = ask_sweep(q, p)
        if p is not None:
            for ask in (ask_memory, ask_size, ask_upgrade, ask_input):
                listed, refused = answer_of(lambda: ask(q, p))
                lines += [f"{ask.__name__}: {refused}"] if refused is not None else listed
            one = ask_search(q, p)
            searched += one is not None
            lines += one or []
        elif isinstance(error, pm.DoesNotFitError):
            row = pm.sweep(q.network, q.system, **q.run)[0]
            lines += ask_memory(q, row)
        found += [f"{q}\n    {line}" for line in lines]
        asked.append(("predict", q))
        answers.append(p)
    answered = sum(p is not None for p in answers)
    found += ask_lua(tmp_path / "ask.lua", asked, answers, (*EQUAL, "assumed"))
    assert not found, f"{len(found)} of {COUNT}:\n" + "\n".join(found[:20])
    assert answered > COUNT / 4 and searched > COUNT / 20


def test_inference_has_one_answer(tmp_path: Path) -> None:
    found, asked, answers = [], [], []
    for number_ in range(COUNT // 2):
        q = Question(number_, "inference_run")
        p, _ = answer_of(lambda: pm.infer(q.network, q.system, **q.run))
        if p is not None:
            found += [f"{q}\n    {line}" for line in ask_call(q, p)]
        elif answer_of(lambda: pm.sweep(q.network, q.system, task="inference", **q.run)["status"][0])[0] == "ok":
            found.append(f"{q}\n    sweep has an answer, infer has none")
        asked.append(("infer", q))
        answers.append(p)
    found += ask_lua(tmp_path / "ask.lua", asked, answers, CALL_EQUAL)
    assert not found, f"{len(found)}:\n" + "\n".join(found[:20])
    assert sum(p is not None for p in answers) > COUNT / 8
