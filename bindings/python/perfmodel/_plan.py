"""Plans: runs in, predictions out, as arrays."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import nan
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _core, _record, _records, _shipped
from ._catalog import as_network, as_system
from ._framework import Framework, frameworks_records, of_study
from ._inputs import Numbers, Quantity, many, quantity, text
from ._keywords import takes
from ._network import Network
from ._record import Records
from ._run import Input, Samples, asked
from ._study import Axes, Given, Study, all_given
from ._system import System
from ._text import printable

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import AnyRunAxes

Networks = Union[Network, str, Iterable[Network | str]]
Target = Union[System, _records.Gpu, str]
Systems = Union[Target, Iterable[Target]]
Software = Union[Framework, _records.InferenceProfile, str]
"""What runs a network: a framework, or an inference profile, by name or as a record."""
FrameworkList = Union[Software, None, Iterable[Software]]

# Small enough for Ctrl-C to be answered at once, large enough not to be felt.
CHUNK = 16384
WHOLE = 32768  # rows that are kept with all of their columns
PIECE = 131072  # rows whose columns alone are kept: the kernels of a batch are priced once in a piece
MEMO = 64  # below it a call is over before order matters


class Plan(Study):
    """What can be computed once for some networks on some systems in some frameworks: kernels, the wires of every GPU
    count, buckets of gradients. Without frameworks, each run has that of its kind of plan; "none" is kernels and
    collectives only. Of the task "inference", frameworks are inference profiles.

    Evaluation is then arithmetic. `runs` are structured arrays of dtype `perfmodel.dtype("run")`, results of dtype
    `perfmodel.dtype("prediction")`, of inference "inference_run" and "inference", of serving "serving_run" and
    "serving", whose frameworks are engines; a run that cannot be predicted has
    its status and NaN, and the others go on.

    >>> plan = Plan("resnet50", "dgx1-v100")
    >>> runs = plan.runs(gpus=[1, 2, 4, 8], batch=[32, 64])
    >>> plan.predict(runs)["throughput"].shape
    (8,)
    """

    def __init__(self, networks: Networks, systems: Systems, frameworks: FrameworkList = None, task: str = "training"):
        nets, nodes = [as_network(item) for item in many(networks)], [as_system(item) for item in many(systems)]
        chosen = [] if frameworks is None else [_chosen(item) for item in many(frameworks)]
        handle = _core.study_new(
            text(task, "task"),
            _shipped.handle(),
            [network._handle for network in nets],
            [system._handle for system in nodes],
            [item if isinstance(item, str) else "" for item in chosen],
            *frameworks_records(item for item in chosen if isinstance(item, Framework)),
            _record.side_by_side(
                "inference_profile", [item for item in chosen if isinstance(item, _records.InferenceProfile)]
            ),
        )
        super().__init__(task, nets, nodes, len(chosen), handle, (nets, nodes, chosen or None, task))
        self._found: dict[tuple[int, int], Framework] = {}
        self._software_ids: dict[tuple[int, int], str] = {}
        self._hardware_found: dict[str, Any] = {}

    @property
    def frameworks(self) -> list[Framework]:
        """The frameworks of all runs completed so far, as on the first system."""
        found: list[Framework] = []
        while (next := of_study(self._study, len(found), 0)) is not None:
            found.append(next)
        return found

    def framework(self, index: int, system: int = 0) -> Framework | None:
        """A framework by its index in runs, for the GPUs of one of the systems; None for -1."""
        if index >= 0 and (index, system) not in self._found:
            found = of_study(self._study, index, system)
            if found is None:
                raise IndexError(f"the plan has no framework {index} on system {system}")
            self._found[index, system] = found
        return self._found[index, system] if index >= 0 else None

    def profile(self, index: int, system: int = 0) -> _records.InferenceProfile:
        """An inference profile by its index in runs, for one of the systems."""
        found = _core.study_software(self._study, index, system, "inference_profile")
        if found is None:
            raise IndexError(f"the plan has no inference profile {index} on system {system}")
        return _record.read(_records.InferenceProfile, "inference_profile", found)

    def engine(self, index: int, system: int = 0) -> _records.Engine:
        """A serving engine by its index in runs, for one of the systems."""
        found = _core.study_software(self._study, index, system, "engine")
        if found is None:
            raise IndexError(f"the plan has no engine {index} on system {system}")
        return _record.read(_records.Engine, "engine", found)

    def _software_id(self, index: int, system: int) -> str:
        if (index, system) not in self._software_ids:
            of = {"framework_index": self.framework, "profile_index": self.profile, "engine_index": self.engine}
            used = of[self._task.software](index, system)
            self._software_ids[index, system] = "none" if used is None else used.id
        return self._software_ids[index, system]

    @takes("run", many=True)
    def runs(
        self,
        *,
        global_batch: Numbers = None,
        input: Input = None,
        dataset: Samples = None,
        **run: Unpack[AnyRunAxes],
    ) -> Records:
        """Every combination of the axes for all networks, systems and frameworks; batch varies fastest, then gpus,
        nodes, precision, the other options of the run from the last to the first, framework, system, network.

        `batch` is per data-parallel rank; `global_batch` is divided by the ranks and gradient_accumulation_steps, and
        where it does not divide, the batch is NaN and the prediction says so. `input` is an `input_pipeline`, or
        samples per second that a node's input path brings; `dataset` a dataset or its number of samples, for
        `epoch_time`. What is not given is completed: the runs are whole, and `predict` takes them as they are.
        """
        keywords = asked("runs", run, self._task, global_batch=global_batch, input=input, dataset=dataset)
        return self._complete(keywords, global_batch is not None)[0]

    def predict(self, runs: Records, out: Records | None = None, *, columns: Iterable[str] | None = None) -> Records:
        """Predictions of the runs, in `out` if it is given. Releases the interpreter lock; Ctrl-C stops it.

        With `columns`, fields that cost as much as all others together (`strong_scaling_efficiency`) are NaN unless
        they are among them.
        """
        extra = extra_of(columns)
        runs = _record.checked(self._task.run, runs, "runs")
        wanted = _record.dtype(self._task.answer)
        result = np.empty(runs.shape, dtype=wanted) if out is None else out
        if result.dtype != wanted or result.shape != runs.shape or not result.flags.c_contiguous:
            raise TypeError(
                f'out must be a contiguous array of dtype perfmodel.dtype("{self._task.answer}"), shape {runs.shape}'
            )
        flat_runs, flat_result, handle = runs.reshape(-1), result.reshape(-1), self._handle
        for start in range(0, flat_runs.size, CHUNK):
            part = slice(start, start + CHUNK)
            _predict_part(handle, self.task, flat_runs[part], flat_result[part], extra)
        return result

    def _columns(self, axes: Axes, first: int, last: int, given: Given, names: list[str],
                 extra: float) -> dict[str, Any]:  # fmt: skip
        """Rows first .. last - 1 of every combination of the axes, completed and predicted: some fields, as numbers.
        No run and no answer is kept."""
        found = np.empty((len(names), last - first))
        for start in range(first, last, PIECE):
            stop = min(start + PIECE, last)
            with self._lock:
                _core.study_columns(self._study, *axes, start, stop, first, *given, names, extra, found.view(np.uint8))
            if self._plan is None or _core.study_plan(self._study).this != self._plan.this:
                asked = _core.asked_part(self.task, *axes, start, stop)
                self._completed(_record.array(self._task.run, asked), given)
        return dict(zip(names, found))

    def _hardware(self, path: str) -> Any:
        """A number of the hardware of every system."""
        if path not in self._hardware_found:
            runs = np.zeros(len(self.systems), dtype=_record.dtype(self._task.run))
            runs["system_index"] = np.arange(runs.size)
            answers = np.zeros(runs.size, dtype=_record.dtype(self._task.answer))
            table = _core.study_table(self._study, runs, answers, *all_given(self._task.run), [path])
            _core.table_keep(table, [path])
            self._hardware_found[path] = np.frombuffer(_core.table_numbers(table, 0), dtype=np.float64)
        return self._hardware_found[path]

    def _report_of(self, run: Any, given: Given | None, field: str = "", dataset: str = "",
                   latency: float = nan, currency: str = "") -> _core.report:
        """What there is to say of a completed run, or of one field of its prediction."""
        known = given if given is not None else all_given(self._task.run)
        with self._lock:
            return _core.study_report(self._study, _record.write(self._task.run, run), *known, dataset, latency, field,
                                      currency)

    def within(self, run: Records, latency: Quantity) -> Records:
        """The inference run with the largest batch that fits and has a latency of at most `latency`. Raises
        UnreachableError if one sample takes longer."""
        limit = quantity(latency, "s", "latency")
        asked = _record.checked(self._task.run, run, "run").reshape(-1)
        return _record.array(self._task.run, _core.run_find_batch(self._handle, self.task, asked, limit))

    def check(self, run: Records) -> None:
        """Raises the error for which this run cannot be predicted: DoesNotFitError, ..."""
        _core.run_check(self._handle, self.task, _record.checked(self._task.run, run, "run").reshape(-1))

    def __repr__(self) -> str:
        ids = printable(", ".join(network.id for network in self.networks))
        return f"<Plan of {ids} on {', '.join(self._system_ids)}>"


def extra_of(columns: Iterable[str] | None) -> float:
    """The bits of costly columns that are wanted, as the core takes them."""
    return -1.0 if columns is None else float(sum(_core.extra_column(name) for name in set(columns)))


def _predict_part(handle: _core.plan, task: str, runs: Records, result: Records, extra: float) -> None:
    """Runs of the same batch one after the other: the core remembers a few dozen kernel times within a call, and the
    batch runs fastest in grids.
    """
    batch = runs["batch"] if "batch" in (runs.dtype.names or ()) else None
    if batch is None or runs.size <= MEMO or bool((batch[1:] >= batch[:-1]).all()):
        _core.predict_into(handle, task, runs.view(np.uint8), result.view(np.uint8), extra)
        return
    order = np.argsort(batch, kind="stable")
    ordered = np.empty_like(result)
    _core.predict_into(handle, task, runs[order].view(np.uint8), ordered.view(np.uint8), extra)
    result[order] = ordered


def _chosen(value: Software) -> Software:
    return value if isinstance(value, (Framework, _records.InferenceProfile)) else text(value, "framework")


@lru_cache(maxsize=64)
def _plan_of(network: Network, system: System, framework: Framework | str | None, task: str, version: int) -> Plan:
    return Plan(network, system, framework, task)


def plan_of(network: Network | str, system: Target, framework: Software | None, task: str = "training") -> Plan:
    """A plan of one network on one system in one framework; plans of the last few are kept, but not of profiles."""
    net, node = as_network(network), as_system(system)
    if isinstance(framework, _records.InferenceProfile):
        return Plan(net, node, framework, task)
    if framework is not None and not isinstance(framework, (str, Framework)):
        raise TypeError(f"framework must be a framework or text, not {type(framework).__name__}")
    return _plan_of(net, node, framework, task, net._version)
