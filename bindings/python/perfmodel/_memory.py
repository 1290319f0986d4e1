"""Memory of one GPU: what a step keeps, whether it fits, the largest batch, what would help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from . import _core, _display, _record, _records
from ._catalog import as_gpu, as_network, default
from ._errors import ArgumentError, NotFoundError
from ._fields import NOT_OF_A_PLAN, fields
from ._framework import Framework
from ._inputs import Number, Quantity, choice, number, quantity, whole
from ._keywords import check, takes
from ._network import Network
from ._plan import Plan, plan_of
from ._quantity import format_quantity
from ._record import Records
from ._run import one_run
from ._system import System
from ._table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import PlanOptions


@dataclass(frozen=True, eq=False, repr=False)
class Memory(_records.MemoryUse):
    """Memory of one GPU, part by part, and whether it fits. The parts add up to `total`; all are in bytes.

    >>> m = memory("resnet50", "v100", batch=64)
    >>> m.verdict, m.total < m.usable
    ('fits', True)
    """

    network: str = ""
    """Id of the network."""
    gpu: str = ""
    """Id of the GPU."""
    run: _records.MemoryRun = field(default_factory=_records.MemoryRun, repr=False)
    """What was asked."""
    profile: _records.MemoryProfile = field(default_factory=_records.MemoryProfile, repr=False)
    """How the framework handles memory."""
    optimizer_record: _records.Optimizer = field(default_factory=_records.Optimizer, repr=False)
    """What the optimizer keeps."""
    _network: Network | None = field(default=None, repr=False)
    _asked: tuple[Plan, Records] | None = field(default=None, repr=False)

    def stages(self) -> Table:
        """Of a network that is shared out: what every stage of the pipeline keeps; this memory is that of the heaviest."""
        if self._asked is None:
            raise ValueError("only a network that is shared out has stages: give tensor_parallel, pipeline_parallel, ...")
        plan, run = self._asked
        return Table(_core.prediction_stages(plan._handle, run))

    def layers(self) -> Table:
        """What every layer keeps; the column `saved` adds up to `activations`."""
        assert self._network is not None
        profile = _record.write("memory_profile", self.profile)
        return Table(_core.memory_layers(self._network._handle, profile, self.run.batch, self.run.precision))

    def advice(self) -> Table:
        """Single changes that take less memory, largest saving first."""
        assert self._network is not None
        ids = default().ids("optimizers")
        others = np.concatenate([_record.write("optimizer", default().optimizer(name)) for name in ids])
        return Table(
            _core.memory_advice(
                self._network._handle,
                _record.write("memory_profile", self.profile),
                _record.write("optimizer", self.optimizer_record),
                _record.write("memory_run", self.run),
                others,
            )
        )

    def __str__(self) -> str:
        total, usable = format_quantity(self.total, "B"), format_quantity(self.usable, "B")
        return f"{total} of {usable}: {self.verdict}, largest batch {self.largest_batch:g}"

    def _title(self) -> str:
        kind = "inference" if self.run.inference else self.optimizer_record.id
        return f"Memory {self.network} on {self.gpu}, batch {self.run.batch:g}, {self.run.precision}, {kind}: {self}"

    def __repr__(self) -> str:
        return f"<{self._title()}>"

    def _repr_html_(self) -> str:
        """The parts, largest first, with their shares of the total."""
        parts = sorted(_parts(self), key=lambda part: -part[1])
        known = [(name, f"{format_quantity(size, 'B')}, {100 * size / self.total:.1f} %", doc) for name, size, doc in parts if size]
        return _display.html(self._title(), known)


def _parts(use: _records.MemoryUse) -> list[tuple[str, float, str]]:
    """The parts that add up to the total: the sizes between the largest batches and the size of a sample; not the host's."""
    others = ("total", "usable", "missing", "sample", "host")
    sizes = [f for f in fields("memory_use") if f.unit == "B" and f.name not in others]
    return [(f.name, getattr(use, f.name), f.doc) for f in sizes]


@takes("run", but=NOT_OF_A_PLAN)
def memory(
    network: Network | str,
    gpu: _records.Gpu | System | str,
    *,
    batch: Number = 32,
    precision: str = "fp32",
    optimizer: _records.Optimizer | str = "momentum",
    framework: _records.MemoryProfile | str = "pytorch",
    dp: SupportsIndex = 1,
    zero: SupportsIndex = 0,
    recompute: str = "none",
    inference: bool = False,
    usable: Quantity | None = None,
    global_batch: Number | None = None,
    **plan: Unpack[PlanOptions],
) -> Memory:
    """Memory of one GPU at the peak of a step, whether it fits, and the largest batch that does.

    With options of a parallel plan (tensor_parallel, pipeline_parallel, ...) it is that of the heaviest rank, `framework` the
    name of a framework, `largest_batch` of micro-batches; `stages()` has every stage of the pipeline.

    Args:
        network: a network, or a name of the catalogue.
        gpu: a GPU or a system, or the name of one.
        batch: samples per GPU and step.
        precision: "fp32", "fp16" (mixed, as the framework does it), ...
        optimizer: "momentum", "adam", ..., or a record of one's own.
        framework: a memory profile ("pytorch", "tensorflow-1", ...), or a record of one's own.
        dp: data-parallel GPUs; `zero` shares out over them: 1 the optimizer, 2 gradients too, 3 weights too.
        recompute: "none", "selective" (scores of attention), "full" or "operations" (all but attention and every other
            product).
        inference: forward pass only.
        usable: memory that the GPU has for this ("30 GiB"); otherwise what its driver reports.
        global_batch: samples per step over all GPUs of a plan, in place of `batch`.

    Raises:
        NotFoundError for an unknown name, ArgumentError, NotModelledError (training in int8).
    """
    shared = check("run", plan, "memory")
    for name in NOT_OF_A_PLAN:
        if name in shared:
            raise TypeError(f"memory() got an unexpected keyword argument {name!r}")
    if shared or global_batch is not None or precision in ("fp8", "fp4"):
        if inference:
            raise ArgumentError("inference and a parallel plan, which is of training, exclude each other")
        given = {"precision": precision, "optimizer": optimizer, "zero": zero, "recompute": recompute, "usable_memory": usable}
        samples = batch if global_batch is None else number(global_batch, "global_batch") / whole(dp, "dp")
        return _of_plan(network, gpu, framework, whole(dp, "dp"), {**shared, **given, "batch": samples})
    net, card = as_network(network), _gpu(gpu)
    profile = default().memory_profile(framework) if isinstance(framework, str) else framework
    if not isinstance(profile, _records.MemoryProfile):
        raise TypeError(f"framework must be a memory profile or its name, not {type(framework).__name__}")
    state = default().optimizer(optimizer) if isinstance(optimizer, str) else optimizer
    run = _run(batch, precision, dp, zero, recompute, inference)
    run[0]["usable"] = _usable(card) if usable is None else quantity(usable, "B", "usable")
    written = _record.write("memory_profile", profile), _record.write("optimizer", state)
    used = _record.array("memory_use", _core.memory_use(net._handle, *written, run))
    return Memory(
        **_record.values("memory_use", used[0]),
        network=net.id,
        gpu=card.id,
        run=_records.MemoryRun(**_record.values("memory_run", run[0])),
        profile=profile,
        optimizer_record=state,
        _network=net,
    )


def _gpu(value: _records.Gpu | System | str) -> _records.Gpu:
    """A GPU by name, or that of a system."""
    try:
        return as_gpu(value)
    except NotFoundError:
        if not isinstance(value, str) or value not in default().ids("systems"):
            raise
        return default().system(value).gpu


def _usable(gpu: _records.Gpu) -> float:
    """What the driver reports, or, if nobody wrote that down, what is printed on the box."""
    known = default().usable_memory(gpu.id)
    return gpu.memory if isnan(known) else known


def _run(
    batch: Number, precision: str, dp: SupportsIndex, zero: SupportsIndex, recompute: str, inference: bool
) -> Records:
    run = _record.array("memory_run", _core.memory_run_default())
    row = run[0]
    row["batch"] = number(batch, "batch")
    row["precision"], row["recompute"] = (
        choice("memory_run", "precision", precision),
        choice("memory_run", "recompute", recompute),
    )
    row["ranks"], row["zero_stage"] = whole(dp, "dp"), whole(zero, "zero")
    row["inference"] = bool(inference)
    return run


# ---- Shared out ----

MACHINE_MOST = 1024  # GPUs of a machine in one word


def _of_plan(
    network: Network | str, gpu: _records.Gpu | System | str, framework: Any, dp: int, options: Mapping[str, Any]
) -> Memory:
    """Memory of the heaviest rank of a parallel plan."""
    if not isinstance(framework, (str, Framework)):
        raise TypeError(f"a parallel plan takes a framework or its name, not {type(framework).__name__}")
    degrees = [whole(options.get(f"{axis}_parallel", 1), axis) for axis in ("tensor", "context", "pipeline")]
    gpus = dp * degrees[0] * degrees[1] * degrees[2]
    asked = plan_of(network, _machine(gpu, gpus), framework)
    system = asked.systems[0]
    nodes = _core.system_nodes(system._handle, gpus)
    if nodes == 0:
        raise ArgumentError(f"{gpus} GPUs are no whole number of nodes with {system.gpus}")
    run = one_run("memory", {**options, "gpus": gpus // nodes, "nodes": nodes, "ignore_memory": True})
    run[0]["framework_index"] = len(asked.frameworks) - 1
    used = _record.array("memory_use", _core.prediction_memory(asked._handle, run))
    profile = asked.frameworks[0].memory if asked.frameworks else _records.MemoryProfile()
    return Memory(
        **_record.values("memory_use", used[0]),
        network=asked.networks[0].id,
        gpu=system.gpu.id,
        run=_run_of(run[0], dp),
        profile=profile,
        optimizer_record=default().optimizer(_record.values("run", run[0])["optimizer"]),
        _network=asked.networks[0],
        _asked=(asked, run),
    )


def _machine(gpu: _records.Gpu | System | str, gpus: int) -> System | str:
    """The system, or as many of the GPU on one PCIe switch: links do not matter to memory."""
    if isinstance(gpu, System) or (isinstance(gpu, str) and gpu in default().ids("systems")):
        return gpu
    name = gpu if isinstance(gpu, str) else gpu.id
    return f"{name}*{min(gpus, MACHINE_MOST)}:pcie"


def _run_of(run: np.void, dp: int) -> _records.MemoryRun:
    """What was asked, as far as a question without a plan has it."""
    asked = _record.values("run", run)
    batch = asked["batch"] if isnan(asked["micro_batch"]) else asked["micro_batch"]
    own = {"batch": batch, "ranks": dp, "zero_stage": asked["zero"], "usable": asked["usable_memory"]}
    same = {name: asked[name] for name in ("precision", "recompute")}
    return _records.MemoryRun(**own, **same, inference=False)
