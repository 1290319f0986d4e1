"""Records: dtypes, dataclasses and stubs agree with the library's field table."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import math
import pickle
from pathlib import Path

import numpy as np
import perfmodel as pm
import pytest
from perfmodel import _core, _record, _records
from perfmodel._fields import class_name

STUBS = Path(pm.__file__).parent


def test_stubs_declare_every_record_with_every_field() -> None:
    tree = ast.parse((STUBS / "_records.pyi").read_text(encoding="utf-8"))
    declared = {
        node.name: {member.target.id: ast.unparse(member.annotation) for member in node.body if isinstance(member,
            ast.AnnAssign)}
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    made = [getattr(_records, class_name(name)) for name in _core.record_types()]
    assert declared == {cls.__name__: {f.name: f.type.__name__ for f in dataclasses.fields(cls)} for cls in made}


def test_stubs_declare_every_function_of_the_core() -> None:
    tree = ast.parse((STUBS / "_core.pyi").read_text(encoding="utf-8"))
    declared = {node.name: len(node.args.args) for node in tree.body if isinstance(node, ast.FunctionDef)}
    functions = inspect.getmembers(_core, inspect.isfunction)
    assert declared == {n: len(inspect.signature(f).parameters) for n, f in functions if not n.startswith("_")}


def test_a_record_says_what_its_fields_are() -> None:
    assert "memory_bandwidth: peak device memory bandwidth [B/s]" in inspect.getdoc(pm.Gpu)
    with pytest.raises(AttributeError, match="Gqu"):
        _records.Gqu  # noqa: B018
    assert {"Gpu", "NetworkTotals"} <= set(dir(_records))


def test_records_can_be_pickled() -> None:
    gpu = pm.gpu("t4")
    assert pickle.loads(pickle.dumps(gpu)) == gpu


@pytest.mark.parametrize("name", _core.record_types())
def test_dtypes_have_the_layout_of_c(name: str) -> None:
    dtype = pm.dtype(name)
    assert dtype.itemsize == _core.record_size(name)
    assert dtype.names == tuple(field.name for field in pm.fields(name))
    assert all(dtype.fields[field.name][1] == field.offset for field in pm.fields(name))


def test_every_number_has_a_unit_and_every_field_a_meaning() -> None:
    for name in _core.record_types():
        for field in pm.fields(name):
            assert field.doc
            assert (field.unit != "") == (field.kind in ("int", "real")), (name, field.name)


def test_prediction_has_every_field_as_attribute() -> None:
    p = pm.predict("alexnet", "dgx1-v100")
    assert all(hasattr(p, field.name) for field in pm.fields("prediction"))


def test_records_go_to_c_and_back() -> None:
    gpu = pm.gpu("v100-sxm2-16gb")
    assert _record.values("gpu", _record.write("gpu", gpu)[0]).items() >= {
        (name, value) for name, value in dataclasses.asdict(gpu).items() if value == value
    }
    run = _records.Run(gpus=4, batch=8.0, precision="fp16", overlap="backward", epoch_samples=1.0)
    assert _record.read(_records.Run, "run", bytearray(_record.write("run", run).tobytes())) == run


def test_records_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="too long"):
        _record.write("gpu", pm.Gpu(name="x" * 80))
    with pytest.raises(ValueError, match="fp17"):
        _record.write("run", pm.Run(precision="fp17"))


def test_unknown_is_nan() -> None:
    assert math.isnan(pm.Gpu().memory_bandwidth) and pm.Gpu().sms == 0 and pm.Gpu().name == ""


def test_arrays_share_memory_with_what_the_core_gave() -> None:
    data = _core.asked_runs("training", [], np.zeros(0), np.zeros(0))
    array = _record.array("run", data)
    array["gpus"] = 5
    assert array.flags.writeable and np.frombuffer(data, dtype=pm.dtype("run"))["gpus"] == 5
