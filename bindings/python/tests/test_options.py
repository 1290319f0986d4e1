"""What users say of a run is declared once: each field that they give is a keyword, an option of the command, a key of
Lua and an axis of a sweep, with the same value in all of them."""

from __future__ import annotations

import ast
import inspect
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import perfmodel as pm
import pytest
from conftest import bits
from perfmodel import _fields
from test_same_numbers import needed

from perfmodel._keywords import NO_STEP, NOT_SIZED

OF_SIZE = tuple(name for name in NOT_SIZED if name != "pue")  # which is an argument of its own
SIZED = ("epoch_samples",)  # which the command does not take either
RUN = _fields.given("run")
CALL = _fields.given("inference_run")
SERVED = _fields.given("serving_run")
CALLS = [
    (pm.predict, RUN, ()),
    (pm.sweep, RUN, ()),
    (pm.Plan.runs, RUN, ()),
    (pm.size, RUN, ("nodes", *OF_SIZE)),
    (pm.search, RUN, ("batch", "epoch_samples")),
    (pm.sensitivity, RUN, NO_STEP),
    (pm.upgrades, RUN, NO_STEP),
    (pm.infer, CALL, ()),
    (pm.serve, SERVED, ()),
]
COMMANDS = [
    ("predict", RUN, ()),
    ("sweep", RUN, ()),
    ("size", RUN, ("nodes", *SIZED)),
    ("search", RUN, ("batch", "epoch_samples")),
    ("sensitivity", RUN, NO_STEP),
    ("infer", CALL, ()),
    ("serve", SERVED, ()),
]


def command() -> str:
    return needed("the perfmodel command", os.environ.get("PERFMODEL_COMMAND") or shutil.which("perfmodel"), "")


def output(*arguments: str) -> str:
    return subprocess.run([command(), *arguments], check=True, capture_output=True).stdout.decode("utf-8")


def option_of(name: str) -> str:
    """The option of what a run is given: a field of it, or its framework."""
    return "--framework" if name == "framework" else option(_fields.field("run", name))


def option(f: pm.Field) -> str:
    return "--" + f.option.replace("_", "-")


def two_values(f: pm.Field) -> tuple[object, object]:
    """Two values of a field, as a keyword takes them."""
    if f.yes_no:
        return False, True
    if f.kind == "choice":
        return {"precision": ("fp32", "fp16"), "parallelism": ("all-reduce", "single-process")}.get(f.name,
            f.choices[:2])
    if f.name == "lora_dropout":
        return 0.05, 0.1
    if f.name == "power_budget":
        return "1 MW", "2 MW"
    units = {"B": ("1 GB", "2 TB"), "B/s": ("1 GB/s", "2 TB/s"), "s": ("1 h", "2 d"), "W": ("150 W", "200 W"),
             "g/kWh": ("100 g/kWh", "400 g/kWh")}
    return units.get(f.unit, (1, 2))


def as_option(value: object) -> str:
    return {False: "no", True: "yes"}[value] if isinstance(value, bool) else str(value)


def test_positions_in_a_plan_are_no_options() -> None:
    for type_name in ("run", "inference_run", "serving_run"):
        hidden = {f.name for f in _fields.fields(type_name)} - {f.name for f in _fields.given(type_name)}
        assert hidden == {f.name for f in _fields.fields(type_name) if f.name.endswith("_index")}


@pytest.mark.parametrize(("function", "fields", "but"), CALLS)
def test_every_field_is_a_keyword(function: object, fields: list[pm.Field], but: tuple[str, ...]) -> None:
    parameters = inspect.signature(function).parameters
    for f in fields:
        assert (f.name in parameters) == (f.name not in but), f.name
        assert (f"\n    {f.name}: " in function.__doc__) == (f.name not in but), f.name
    assert not [p for p in parameters.values() if p.kind is p.VAR_KEYWORD]


@pytest.mark.parametrize("function", [pm.predict, pm.sweep, pm.sensitivity, pm.infer])
def test_what_is_no_field_is_no_keyword(function: object) -> None:
    with pytest.raises(TypeError, match="batches"):
        function("alexnet", "dgx1-v100", batches=3)
    with pytest.raises(TypeError, match="network_index"):
        function("alexnet", "dgx1-v100", network_index=0)


def test_type_checkers_see_every_field() -> None:
    tree = ast.parse((Path(pm.__file__).parent / "_options.pyi").read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for name, fields in (("Run", RUN), ("InferenceRun", CALL), ("ServingRun", SERVED)):
        for end in ("Options", "Axes"):
            declared = [node.target.id for node in classes[name + end].body if isinstance(node, ast.AnnAssign)]
            assert declared == [f.name for f in fields] + (["lora"] if name == "Run" else [])


@pytest.mark.parametrize("f", RUN, ids=lambda f: f.name)
def test_every_field_is_an_axis(f: pm.Field) -> None:
    first, second = two_values(f)
    rows = pm.sweep("alexnet", "dgx1-v100", **{"ignore_memory": True, f.name: [first, second]})
    assert len(rows) == 2 and rows.runs[f.name][0] != rows.runs[f.name][1]
    for value, row in zip((first, second), rows.predictions):
        alone = pm.sweep("alexnet", "dgx1-v100", **{"ignore_memory": True, f.name: value})
        assert bits(alone.predictions[:1]) == bits(np.array([row], dtype=rows.predictions.dtype))


@pytest.mark.parametrize("f", CALL, ids=lambda f: f.name)
def test_every_field_is_an_axis_of_inference(f: pm.Field) -> None:
    asked = {f.name: list(two_values(f))}
    rows = pm.sweep("alexnet", "t4", task="inference", **asked, columns=["batch", "precision"])
    assert len(rows) == 2 and [column.name for column in rows.columns] == ["batch", "precision"]


@pytest.mark.parametrize(("name", "fields", "but"), COMMANDS)
def test_every_field_is_an_option_of_the_command(name: str, fields: list[pm.Field], but: tuple[str, ...]) -> None:
    words = re.findall(r"^  (--[a-z-]+)", output(name, "--help-all"), re.MULTILINE)
    assert len(words) == len(set(words))
    for f in fields:
        assert (option(f) in words) == (f.name not in but), f.name


# A run that has what fields need to have an effect.
NEEDED = {
    "gpus": {"gpus": 2},
    "input": {"input_rate": 1000},
    "tensor": {"tensor_parallel": 2},
    "pipeline": {"pipeline_parallel": 2},
    "context": {"context_parallel": 2},
    "expert": {"expert_parallel": 2},
    "beside": {"expert_parallel": 2, "micro_batch": 1, "batch": 2},
    "shards": {"gpus": 2},
    "experts": {"gpus": 8},
    "zero": {"zero": 1},
    "recompute": {"recompute": "full"},
    "linear": {"precision": "fp8"},
    "fusion": {"framework": "megatron-core-0.9"},
    "axes": {"gpus": 8, "tensor_parallel": 2},
    "lora": {"lora_rank": 8},
    "bags": {"gpus": 2},
    "goal": {"samples": 1000000},
    "failures": {"samples": 1000000, "gpu_mtbf": "3 d", "checkpoint": "10 s"},
    "checkpoints": {"samples": 1000000, "gpu_mtbf": "3 d"},
}


def used_by(f: pm.Field) -> tuple[str, str, dict[str, object]]:
    """A network, a system and a run on which a field has an effect."""
    of_words = ("tokens", "lora_rank", "document_tokens")
    words = f.name in of_words or f.needs not in ("", "gpus", "input", "shards", "zero")
    network = "dlrm" if f.needs == "bags" else "mixtral-8x7b" if words else "alexnet"
    place = (network, "dgx-h100" if words else "dgx1-v100")
    written = {"checkpoint": "10 s"} if f.name in ("gpu_mtbf", "node_mtbf", "interval") else {}
    return *place, {**NEEDED.get(f.needs, {}), **written}


@pytest.mark.parametrize("f", RUN, ids=lambda f: f.name)
def test_the_command_and_python_take_the_same_values(f: pm.Field) -> None:
    network, system, run = used_by(f)
    both = two_values(f)
    others = {name: value for name, value in run.items() if name != f.name}
    fixed = [f"{option_of(name)}={as_option(value)}" for name, value in others.items()]
    given = f"{option(f)}={','.join(map(as_option, both))}"
    asked = ["sweep", network, system, *fixed, "--format", "csv", "--quiet", "--ignore-memory=yes"]
    asked = asked[: len(asked) - (f.name == "ignore_memory")]
    text = output(*asked, given)
    assert text == pm.sweep(network, system, **{"ignore_memory": True, **run, f.name: list(both)}).to_csv()
    assert output(*asked, f"--axis={f.name}={given.partition('=')[2]}") == text


# Runs that lack something each.
PLAIN = [
    ("alexnet", "dgx1-v100", {"gpus": 1, "batch": 64}),
    ("gpt2", "dgx-h100", {"gpus": 1}),
    ("gpt2", "dgx-h100", {"gpus": 8, "framework": "none"}),
    ("bert-large", "dgx-h100", {"gpus": 16, "batch": 8, "optimizer": "adam"}),
    ("llama2-7b", "dgx-h100", {"gpus": 8, "tensor_parallel": 8}),
    ("llama2-7b", "dgx-h100", {"gpus": 8, "pipeline_parallel": 8, "global_batch": 64}),
    ("mixtral-8x7b", "dgx-h100", {"nodes": 4, "zero": 3, "recompute": "selective"}),
    ("mixtral-8x7b", "dgx-h100", {"nodes": 4, "tensor_parallel": 8, "expert_parallel": 8, "expert_tensor_parallel": 1}),
]


def lacks(need: str, p: pm.Prediction) -> bool:
    """Whether a run has nothing of what fields with this need act on."""
    r = p.run
    ranks = r.gpus * r.nodes
    each = r.tensor_parallel * r.context_parallel * r.pipeline_parallel
    degrees = (r.tensor_parallel, r.context_parallel, r.pipeline_parallel, ranks // each)
    has = {
        "gpus": ranks > 1,
        "input": r.input_rate == r.input_rate,
        "tensor": r.tensor_parallel > 1,
        "pipeline": r.pipeline_parallel > 1,
        "context": r.context_parallel > 1,
        "expert": r.expert_parallel > 1 and p.network == "mixtral-8x7b",
        "beside": r.expert_parallel > 1 and p.network == "mixtral-8x7b" and r.micro_batch < r.batch,
        "shards": ranks > 1 or r.offload != "none",
        "experts": p.network == "mixtral-8x7b",
        "bags": p.network == "dlrm",
        "host": p.framework != "none",
        "zero": r.zero > 0,
        "recompute": r.recompute != "none",
        "linear": r.precision in ("fp8", "fp4"),
        "axes": sum(degree > 1 for degree in degrees) > 1,
        "lora": r.lora_rank > 0,
        "fusion": p.framework.startswith("megatron"),
        "goal": False,
        "failures": False,
        "checkpoints": False,
    }
    return not has[need]


def neutral_values(f: pm.Field) -> list[object]:
    return list(f.choices) if f.kind == "choice" and not f.yes_no else [False, True] if f.yes_no else [1, 2, 3]


@pytest.mark.parametrize("f", [f for f in RUN if f.needs], ids=lambda f: f.name)
def test_values_without_effect_change_no_bit(f: pm.Field) -> None:
    """Keywords and sweeps take any value of a field that has no effect, and the answer is the same to the bit."""
    tried = 0
    for network, system, run in PLAIN:
        plain = pm.predict(network, system, ignore_memory=True, **run)
        if not lacks(f.needs, plain):
            continue
        for value in neutral_values(f):
            p = pm.predict(network, system, ignore_memory=True, **{**run, f.name: value})
            assert repr_of(p, f) == repr_of(plain, f)
            row = pm.sweep(network, system, ignore_memory=True, **{**run, f.name: [value]})[0]
            assert repr_of(row, f) == repr_of(plain, f)
            tried += 1
    assert tried > 0


def repr_of(p: pm.Prediction, f: pm.Field) -> str:
    """All of a prediction to the last bit but the field itself; unknown is unknown."""
    return repr({name: value for name, value in p.to_dict().items() if name != f.name})


def test_completion_offers_what_is_accepted() -> None:
    lines = output("--completion")
    for name, fields, but in COMMANDS:
        part = re.search(rf"^    {name}\) options=\"([^\"]*)\"\n(.*?)^      esac", lines, re.MULTILINE | re.DOTALL)
        assert part is not None
        known = re.findall(r"^  (?:-[a-z], )?(--[a-z-]+)", output(name, "--help-all"), re.MULTILINE)
        assert sorted(part.group(1).split()) == sorted(known)
        offered = dict(re.findall(r"^ +(--[a-z-]+)\) words=\"([^\"]*)\"", part.group(2), re.MULTILINE))
        for f in fields:
            if f.kind == "choice" and not f.yes_no and f.name not in but:
                assert tuple(offered[option(f)].split()) == f.choices


def test_hardware_axes_and_columns_of_the_command_and_python() -> None:
    axes = {"link.nvlink2.bandwidth": ["x1", "50 GB/s"], "gpu.memory_bandwidth": ["x1", "x1.1"]}
    columns = ["batch", "optimizer", "gpu.memory_bandwidth", "link.nvlink2.bandwidth", "step_time"]
    given = [f"--axis={path}={','.join(values)}" for path, values in axes.items()]
    more = ["--gpus", "8", "--batch", "16,32", "--optimizer", "sgd,adam", f"--columns={','.join(columns)}"]
    text = output("sweep", "alexnet", "dgx1-v100", *given, *more, "--format", "csv")
    rows = pm.sweep(
        "alexnet", "dgx1-v100", gpus=8, batch=[16, 32], optimizer=["sgd", "adam"], axes=axes, columns=columns
    )
    assert rows.to_csv() == text and len(rows) == 16
    faster = pm.with_number("dgx1-v100", "gpu.memory_bandwidth", "x1.1")
    assert pm.predict("alexnet", faster, gpus=8, batch=32, optimizer="adam").step_time == rows["step_time"][7]
    with pytest.raises(pm.NotFoundError, match="step_time"):
        pm.sweep("alexnet", "dgx1-v100", columns=["step_tme"])
    with pytest.raises(pm.NotFoundError, match="memory_bandwidth"):
        pm.sweep("alexnet", "dgx1-v100", axes={"gpu.memory_bandwith": ["x2"]})


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not there")
def test_completion_in_zsh(tmp_path: Path) -> None:
    """What bash is offered, zsh is offered."""
    (tmp_path / "completion").write_text(output("--completion"), encoding="utf-8")
    (tmp_path / "perfmodel").symlink_to(os.path.abspath(command()))
    script = (
        f"export PATH={tmp_path}:$PATH\n"
        f"source {tmp_path}/completion\n"
        "COMP_WORDS=(perfmodel predict resnet50 dgx1-v100 --precision '')\nCOMP_CWORD=5\ncompgen -F _perfmodel\n"
    )
    offered = subprocess.run(["zsh", "-f", "-c", script], capture_output=True, text=True, timeout=300)
    known = next(field.choices for field in pm.fields("run") if field.name == "precision")
    assert (offered.stderr, offered.stdout.split()) == ("", list(known))
