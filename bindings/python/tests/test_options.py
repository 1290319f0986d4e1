"""What users say of a run is declared once: each field that they give is a keyword, an option of the command, a key of Lua
and an axis of a sweep, with the same value in all of them."""

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

RUN = _fields.given("run")
CALL = _fields.given("inference_run")
CALLS = [
    (pm.predict, RUN, ()),
    (pm.sweep, RUN, ()),
    (pm.Plan.runs, RUN, ()),
    (pm.size, RUN, ("nodes", "epoch_samples")),
    (pm.search, RUN, ("batch", "epoch_samples")),
    (pm.sensitivity, RUN, ("epoch_samples",)),
    (pm.upgrades, RUN, ("epoch_samples",)),
    (pm.infer, CALL, ()),
    (pm.infer_sweep, CALL, ()),
    (pm.InferencePlan.runs, CALL, ()),
    (pm.size_inference, CALL, ("nodes",)),
    (pm.sensitivity_inference, CALL, ()),
]
COMMANDS = [
    ("predict", RUN, ()),
    ("sweep", RUN, ()),
    ("size", RUN, ("nodes", "epoch_samples")),
    ("search", RUN, ("batch", "epoch_samples")),
    ("sensitivity", RUN, ("epoch_samples",)),
    ("infer", CALL, ()),
]


def command() -> str:
    return needed("the perfmodel command", os.environ.get("PERFMODEL_COMMAND") or shutil.which("perfmodel"), "")


def output(*arguments: str) -> str:
    return subprocess.run([command(), *arguments], check=True, capture_output=True).stdout.decode("utf-8")


def option(f: pm.Field) -> str:
    return "--" + f.option.replace("_", "-")


def two_values(f: pm.Field) -> tuple[object, object]:
    """Two values of a field, as a keyword takes them."""
    if f.yes_no:
        return False, True
    if f.kind == "choice":
        return {"precision": ("fp32", "fp16"), "parallelism": ("all-reduce", "single-process")}.get(f.name, f.choices[:2])
    return ("1 GB", "2 TB") if f.unit == "B" else (1, 2)


def as_option(value: object) -> str:
    return {False: "no", True: "yes"}[value] if isinstance(value, bool) else str(value)


def test_positions_in_a_plan_are_no_options() -> None:
    for type_name in ("run", "inference_run"):
        hidden = {f.name for f in _fields.fields(type_name)} - {f.name for f in _fields.given(type_name)}
        assert hidden == {f.name for f in _fields.fields(type_name) if f.name.endswith("_index")}


@pytest.mark.parametrize(("function", "fields", "but"), CALLS)
def test_every_field_is_a_keyword(function: object, fields: list[pm.Field], but: tuple[str, ...]) -> None:
    parameters = inspect.signature(function).parameters
    for f in fields:
        assert (f.name in parameters) == (f.name not in but), f.name
        assert (f"\n    {f.name}: " in function.__doc__) == (f.name not in but), f.name
    assert not [p for p in parameters.values() if p.kind is p.VAR_KEYWORD]


@pytest.mark.parametrize("function", [pm.predict, pm.sweep, pm.sensitivity, pm.infer, pm.infer_sweep])
def test_what_is_no_field_is_no_keyword(function: object) -> None:
    with pytest.raises(TypeError, match="batches"):
        function("alexnet", "dgx1-v100", batches=3)
    with pytest.raises(TypeError, match="network_index"):
        function("alexnet", "dgx1-v100", network_index=0)


def test_type_checkers_see_every_field() -> None:
    tree = ast.parse((Path(pm.__file__).parent / "_options.pyi").read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for name, fields in (("Run", RUN), ("InferenceRun", CALL)):
        for end in ("Options", "Axes"):
            declared = [node.target.id for node in classes[name + end].body if isinstance(node, ast.AnnAssign)]
            assert declared == [f.name for f in fields]


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
    rows = pm.infer_sweep("alexnet", "t4", **{f.name: list(two_values(f))}, columns=["batch", "precision"])
    assert len(rows) == 2 and [column.name for column in rows.columns] == ["batch", "precision"]


@pytest.mark.parametrize(("name", "fields", "but"), COMMANDS)
def test_every_field_is_an_option_of_the_command(name: str, fields: list[pm.Field], but: tuple[str, ...]) -> None:
    words = re.findall(r"^  (--[a-z-]+)", output(name, "--help"), re.MULTILINE)
    assert len(words) == len(set(words))
    for f in fields:
        assert (option(f) in words) == (f.name not in but), f.name


@pytest.mark.parametrize("f", RUN, ids=lambda f: f.name)
def test_the_command_and_python_take_the_same_values(f: pm.Field) -> None:
    both = two_values(f)
    given = f"{option(f)}={','.join(map(as_option, both))}"
    text = output("sweep", "alexnet", "dgx1-v100", given, "--format", "csv", "--quiet")
    assert text == pm.sweep("alexnet", "dgx1-v100", **{f.name: list(both)}).to_csv()
    by_axis = output("sweep", "alexnet", "dgx1-v100", f"--axis={f.name}={given.partition('=')[2]}", "--format=csv", "-q")
    assert by_axis == text


def test_completion_offers_what_is_accepted() -> None:
    lines = output("--completion")
    for name, fields, but in COMMANDS:
        part = re.search(rf"^    {name}\) options=\"([^\"]*)\"\n(.*?)^      esac", lines, re.MULTILINE | re.DOTALL)
        assert part is not None
        known = re.findall(r"^  (?:-[a-z], )?(--[a-z-]+)", output(name, "--help"), re.MULTILINE)
        assert part.group(1).split() == known
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
