"""Sweeps: a grid of runs and its predictions, as a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import SupportsIndex, overload

from . import _core
from ._plan import CHUNK, FrameworkList, Networks, Numbers, Plan, Samples, Systems, Texts, Wholes
from ._prediction import Prediction, prediction
from ._record import Records, checked
from ._run import Input
from ._table import SHOWN_ROWS, Column, Table


class Sweep(Table):
    """Predictions of a grid of runs: a Table whose rows are Prediction objects.

    `runs` and `predictions` are the same as structured arrays.
    """

    def __init__(self, plan: Plan, runs: Records, predictions: Records):
        self.plan = plan
        self.runs = checked("run", runs, "runs")
        self.predictions = checked("prediction", predictions, "predictions")
        super().__init__(self._part(0, 0))

    def _part(self, start: int, stop: int) -> _core.table:
        part = slice(start, stop)
        return _core.prediction_table(self.plan._handle, self.runs[part], self.predictions[part])

    def _parts(self) -> Iterator[_core.table]:
        for start in range(0, max(len(self), 1), CHUNK):
            yield self._part(start, start + CHUNK)

    def _head(self) -> _core.table:
        return self._part(0, SHOWN_ROWS)

    def __len__(self) -> int:
        return int(self.runs.size)

    def __iter__(self) -> Iterator[Prediction]:
        return (self._row(i) for i in range(len(self)))

    @overload
    def __getitem__(self, key: str) -> Column: ...
    @overload
    def __getitem__(self, key: int) -> Prediction: ...
    def __getitem__(self, key: str | int) -> Column | Prediction:
        return super().__getitem__(key)

    def _row(self, row: int) -> Prediction:
        return prediction(self.plan, self.runs[row], self.predictions[row])


def sweep(
    networks: Networks,
    systems: Systems,
    *,
    gpus: Wholes = None,
    batch: Numbers = None,
    precision: Texts = None,
    nodes: Wholes = None,
    global_batch: Numbers = None,
    framework: FrameworkList = "generic",
    overlap: str = "framework",
    kernel_model: str = "calibrated",
    parallel: str = "framework",
    optimizer: str = "momentum",
    accumulation: SupportsIndex = 1,
    input: Input = None,
    dataset: Samples = None,
) -> Sweep:
    """Predicts every combination: one or several networks, systems, frameworks, GPU counts, batches, precisions, node
    counts.

    A combination that cannot be predicted (more GPUs than the system has, a precision that its GPU lacks) is a row
    with its `status` and unknown numbers. See `Plan.runs` for the order and the defaults.
    """
    plan = Plan(networks, systems, framework)
    runs = plan.runs(
        gpus=gpus,
        batch=batch,
        precision=precision,
        nodes=nodes,
        global_batch=global_batch,
        overlap=overlap,
        kernel_model=kernel_model,
        parallel=parallel,
        optimizer=optimizer,
        accumulation=accumulation,
        input=input,
        dataset=dataset,
    )
    return Sweep(plan, runs, plan.predict(runs))
