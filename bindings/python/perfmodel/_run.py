"""Runs: what users ask for, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Union

from . import _records
from ._catalog import as_samples
from ._errors import ArgumentError
from ._input_path import InputPipeline
from ._inputs import Number, Numbers, many, number
from ._keywords import check
from ._study import Task

Input = Union[InputPipeline, Number, None]
Samples = Union[_records.Dataset, str, float, None]


def asked(
    function: str,
    run: Mapping[str, Any],
    task: Task,
    *,
    global_batch: Numbers = None,
    input: Input = None,
    dataset: Samples = None,
) -> dict[str, Any]:
    """The fields of a run that are given, by name, with what other arguments say of them: a global batch is then
    `batch`."""
    keywords = check(task.run, run, function)
    only = {"global_batch": global_batch, "input": input, "dataset": dataset}
    for name in [name for name, value in only.items() if value is not None and task.name != "training"]:
        raise ArgumentError(f"{name} has no effect in {task.name}")
    if global_batch is not None:
        values = [number(item, "global_batch") for item in many(global_batch)]
        _set(keywords, "batch", values[0] if len(values) == 1 else values, "global_batch")
    if dataset is not None:
        _set(keywords, "epoch_samples", as_samples(dataset), "dataset")
    if isinstance(input, InputPipeline):
        _set(keywords, "input_rate", input.input, "input")
        _set(keywords, "no_prefetch", input.run.prefetch == 0, "input")
    elif input is not None:
        _set(keywords, "input_rate", number(input, "input"), "input")
    return keywords


def _set(keywords: dict[str, Any], name: str, value: Any, argument: str) -> None:
    if name in keywords:
        raise ArgumentError(f"{name} and {argument} are both given; give one")
    keywords[name] = value
