"""Plans: runs in, predictions out, as arrays."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _core, _record, _records
from ._catalog import as_network, as_samples, as_system
from ._errors import ArgumentError
from ._framework import DEFAULT, Framework, as_framework, frameworks_records
from ._inputs import Numbers, many, number
from ._keywords import check, takes
from ._network import Network
from ._record import Records
from ._run import Input, base_run, fed_by, space
from ._system import System

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import RunAxes

Networks = Union[Network, str, Iterable[Network | str]]
Systems = Union[System, str, Iterable[System | str]]
FrameworkList = Union[Framework, str, None, Iterable[Framework | str]]
Samples = Union[_records.Dataset, str, float, None]

# Small enough for Ctrl-C to be answered at once, large enough not to be felt.
CHUNK = 16384
MEMO = 64  # below it a call is over before order matters


class Plan:
    """What can be computed once for some networks on some systems in some frameworks: kernels, the wires of every GPU
    count, buckets of gradients.

    Evaluation is then arithmetic. `runs` are structured arrays of dtype `perfmodel.dtype("run")`, results of dtype
    `perfmodel.dtype("prediction")`; a run that cannot be predicted has its status and NaN, and the others go on.

    >>> plan = Plan("resnet50", "dgx1-v100")
    >>> runs = plan.runs(gpus=[1, 2, 4, 8], batch=[32, 64])
    >>> plan.predict(runs)["throughput"].shape
    (8,)
    """

    def __init__(self, networks: Networks, systems: Systems, frameworks: FrameworkList = DEFAULT):
        self.networks = [as_network(item) for item in many(networks)]
        self.systems = [as_system(item) for item in many(systems)]
        # The lists above keep alive what the core's plan refers to.
        self._handle = _core.plan_new(
            [network._handle for network in self.networks], [system._handle for system in self.systems]
        )
        self._asked = frameworks if frameworks is None or isinstance(frameworks, (str, Framework)) else many(frameworks)
        self._assumed = isinstance(frameworks, str) and frameworks == DEFAULT
        chosen = ([as_framework(item, system) for system in self.systems] for item in many(self._asked))
        self._by_system = [[item for item in items if item is not None] for items in chosen if items[0] is not None]
        if self._by_system and len(self._by_system) < len(many(self._asked)):
            raise ArgumentError("no framework and frameworks are different plans")
        for items in self._by_system:
            _core.plan_add_framework(self._handle, *frameworks_records(items))
        self.frameworks = [items[0] for items in self._by_system]
        self._network_ids = [network.id for network in self.networks]
        self._system_ids = [system.id for system in self.systems]

    def __reduce__(self) -> tuple[Any, ...]:
        return Plan, (self.networks, self.systems, self._asked)

    def framework(self, index: int, system: int = 0) -> Framework | None:
        """A framework of the plan as the GPUs of one of its systems have it; None for -1."""
        return self._by_system[index][system] if index >= 0 else None

    @takes("run", many=True)
    def runs(
        self,
        *,
        global_batch: Numbers = None,
        input: Input = None,
        dataset: Samples = None,
        **run: Unpack[RunAxes],
    ) -> Records:
        """Every combination of the axes for all networks, systems and frameworks; batch varies fastest, then gpus,
        nodes, precision, the other options of the run from the last to the first, framework, system, network.

        `batch` is per GPU; `global_batch` is divided by GPUs x nodes x gradient_accumulation_steps, and where it does not divide, the
        batch is NaN and the prediction says so. `input` is an `input_pipeline`, or samples per second that a node's
        input path brings; `dataset` a dataset or its number of samples, for `epoch_time`.
        """
        keywords = fed_by(input, check("run", run, "runs"))
        if global_batch is not None:
            if keywords.get("batch") is not None:
                raise ArgumentError("batch and global_batch are both given; give one")
            keywords["batch"] = [number(item, "global_batch") for item in many(global_batch)]
        base = base_run(keywords, None if dataset is None else as_samples(dataset))
        places = {"network_index": len(self.networks), "system_index": len(self.systems)}
        if self.frameworks:
            places["framework_index"] = len(self.frameworks)
        axes = space("run", base, keywords, places)
        return _record.array("run", _core.run_space(*axes, 0.0 if global_batch is None else 1.0))

    def predict(self, runs: Records, out: Records | None = None, *, columns: Iterable[str] | None = None) -> Records:
        """Predictions of the runs, in `out` if it is given. Releases the interpreter lock; Ctrl-C stops it.

        With `columns`, fields that cost as much as all others together (`strong_scaling_efficiency`) are NaN unless they
        are among them.
        """
        extra = -1.0 if columns is None else float(sum(_core.extra_column(name) for name in set(columns)))
        runs = _record.checked("run", runs, "runs")
        wanted = _record.dtype("prediction")
        result = np.empty(runs.shape, dtype=wanted) if out is None else out
        if result.dtype != wanted or result.shape != runs.shape or not result.flags.c_contiguous:
            raise TypeError(
                f'out must be a contiguous array of dtype perfmodel.dtype("prediction"), shape {runs.shape}'
            )
        flat_runs, flat_result = runs.reshape(-1), result.reshape(-1)
        for start in range(0, flat_runs.size, CHUNK):
            part = slice(start, start + CHUNK)
            self._predict_part(flat_runs[part], flat_result[part], extra)
        return result

    def _predict_part(self, runs: Records, result: Records, extra: float) -> None:
        """Runs of the same batch one after the other: the core remembers a few dozen kernel times within a call, and
        the batch runs fastest in grids.
        """
        batch = runs["batch"]
        if runs.size <= MEMO or bool((batch[1:] >= batch[:-1]).all()):
            _core.predict_into(self._handle, runs, result, extra)
            return
        order = np.argsort(batch, kind="stable")
        ordered = np.empty_like(result)
        _core.predict_into(self._handle, runs[order], ordered, extra)
        result[order] = ordered

    def _predict_one(self, run: bytes) -> bytearray:
        """The prediction of one run made by the package itself: nothing of it has to be checked. NumPy describes arrays of
        records anew each time that C looks at them, so both are bytes.
        """
        result = bytearray(_record.dtype("prediction").itemsize)
        _core.predict_into(self._handle, run, result, -1.0)
        return result

    def check(self, run: Records) -> None:
        """Raises the error that says why this one run cannot be predicted: DoesNotFitError, ..."""
        _core.run_check(self._handle, _record.checked("run", run, "run").reshape(-1))

    def __repr__(self) -> str:
        return f"<Plan of {', '.join(self._network_ids)} on {', '.join(self._system_ids)}>"


@lru_cache(maxsize=32)
def _plan_of(network: Network, system: System, framework: Framework | str | None, version: int) -> Plan:
    return Plan(network, system, framework)


def plan_of(network: Network | str, system: System | str, framework: Framework | str | None) -> Plan:
    """A plan of one network on one system in one framework; plans of the last few are kept."""
    net = as_network(network)
    if framework is not None and not isinstance(framework, (str, Framework)):
        raise TypeError(f"framework must be a framework or text, not {type(framework).__name__}")
    return _plan_of(net, as_system(system), framework, net._version)
