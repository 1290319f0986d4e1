"""Runs: what users ask for, as records."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Union

from . import _core, _record
from ._errors import ArgumentError
from ._input import InputPipeline
from ._inputs import Doubles, Number, doubles, number
from ._fields import field
from ._keywords import axes_of, check, usual, value_of
from ._record import Records

Input = Union[InputPipeline, Number, None]
Axes = tuple[list[str], Doubles, Doubles]


def fed_by(input: Input, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords with what `input` says: a pipeline, or the rate of one."""
    result = dict(keywords)
    if input is None:
        return result
    if "input_rate" in keywords or (isinstance(input, InputPipeline) and "no_prefetch" in keywords):
        raise ArgumentError("input and input_rate are both given; give one")
    if isinstance(input, InputPipeline):
        result["input_rate"], result["no_prefetch"] = input.input, input.run.prefetch == 0
    else:
        result["input_rate"] = number(input, "input")
    return result


def one_run(function: str, keywords: Mapping[str, Any], *, input: Input = None, samples: float | None = None) -> Records:
    """One run: each keyword is one value."""
    run = _usual_run()
    row = run[0]
    keywords = check("run", keywords, function)
    for name, value in (keywords if input is None else fed_by(input, keywords)).items():
        if value is not None or not (name == "batch" or usual(field("run", name)) is None):
            row[name] = value_of("run", name, value)
    _set_samples(run, keywords, samples)
    return run


@cache
def _default_bytes() -> bytes:
    return bytes(_core.run_default())


def _usual_run() -> Records:
    """A new run as it is where nobody gives anything."""
    return _record.array("run", bytearray(_default_bytes()))


def space(
    type_name: str, base: Records, keywords: Mapping[str, Any], places: Mapping[str, int]
) -> tuple[Records, list[str], Doubles, Doubles]:
    """The base run with all keywords of one value, and the axes: fields, how many values each has, all values. `places`
    are the plan's lists, by the field that is a position in one."""
    axes = {name: [float(i) for i in range(count)] for name, count in places.items()}
    for name, values in axes_of(type_name, keywords).items():
        if len(values) == 1:
            base[0][name] = values[0]
        else:
            axes[name] = values
    flat = doubles(value for values in axes.values() for value in values)
    return base, list(axes), doubles(float(len(values)) for values in axes.values()), flat


def base_run(keywords: Mapping[str, Any], samples: float | None) -> Records:
    """The usual run, with the samples of an epoch."""
    run = _usual_run()
    _set_samples(run, keywords, samples)
    return run


def _set_samples(run: Records, keywords: Mapping[str, Any], samples: float | None) -> None:
    if samples is None:
        return
    if keywords.get("epoch_samples") is not None:
        raise ArgumentError("dataset and epoch_samples are both given; give one")
    run[0]["epoch_samples"] = samples
