"""Runs: what users ask for, as records."""

from __future__ import annotations

from typing import SupportsIndex, Union

from . import _core, _errors, _record
from ._input import InputPipeline
from ._inputs import Number, choice, number, whole
from ._record import Records

Input = Union[InputPipeline, Number, None]


def base_run(
    *,
    overlap: str,
    kernel_model: str,
    parallel: str,
    optimizer: str,
    accumulation: SupportsIndex,
    input: Input,
    epoch_samples: float,
) -> Records:
    """One run with everything that no axis of a sweep says."""
    run = _record.array("run", _core.run_default())
    row = run[0]
    choices = {"overlap": overlap, "kernel_model": kernel_model, "parallel": parallel, "optimizer": optimizer}
    for name, value in choices.items():
        row[name] = choice("run", name, value)
    row["accumulation"] = count(accumulation, "accumulation")
    row["epoch_samples"] = epoch_samples
    if isinstance(input, InputPipeline):
        row["input_rate"] = input.input
        row["input_in_turn"] = input.run.prefetch == 0
    elif input is not None:
        row["input_rate"] = number(input, "input")
    return run


def count(value: SupportsIndex, what: str) -> int:
    """A whole number from 1."""
    result = whole(value, what)
    if not 0 < result < 2**31:
        raise _errors.ArgumentError(f"{what} {result} is out of range; give at least 1")
    return result
