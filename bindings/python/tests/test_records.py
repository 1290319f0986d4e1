"""Records: dtypes, dataclasses and the checked-in module agree with the library's field table."""

from __future__ import annotations

import dataclasses
import importlib.util
import math
from pathlib import Path

import numpy as np
import perfmodel as pm
import pytest
from perfmodel import _core, _record, _records

GENERATOR = Path(__file__).parents[1] / "generate_records.py"
CHECKED_IN = Path(__file__).parents[1] / "perfmodel" / "_records.py"


def test_the_checked_in_records_are_current() -> None:
    spec = importlib.util.spec_from_file_location("generate_records", GENERATOR)
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    assert CHECKED_IN.read_text(encoding="utf-8") == generator.module()


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
    data = _core.run_default()
    array = _record.array("run", data)
    array["gpus"] = 5
    assert array.flags.writeable and np.frombuffer(data, dtype=pm.dtype("run"))["gpus"] == 5
