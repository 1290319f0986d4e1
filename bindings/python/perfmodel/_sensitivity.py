"""Sensitivities: how the step time depends on each number of the hardware; which upgrade pays; systems with a part exchanged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from . import _core
from ._catalog import as_network, as_system
from ._errors import ArgumentError
from ._framework import DEFAULT, Framework, as_framework, framework_records, frameworks_records
from ._inference import InferencePlan, Profile, Target
from ._input import InputPipeline, PathArrays, path_arrays
from ._hardware import with_gpu, with_link, with_number
from ._inputs import Doubles, Number, doubles, many, number, text
from ._keywords import takes
from ._network import Network
from ._record import Records
from ._run import Input, one_run
from ._sizing import Prices
from ._system import System
from ._table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import InferenceRunOptions, RunOptions


@takes("run", but=("epoch_samples",))
def sensitivity(
    network: Network | str,
    system: System | str,
    *,
    by: Number = 0.1,
    framework: Framework | str | None = DEFAULT,
    input: Input = None,
    **run: Unpack[RunOptions],
) -> Table:
    """How the step time depends on each number of the hardware: each is raised by the share `by` alone, and the step predicted
    anew. Columns: `resource`, whether it is a `rate`, `step_time`, `change`, `elasticity`, `throughput`, `bottleneck`.

    The other arguments are those of `perfmodel.predict`; with an `input_pipeline` as `input`, storage is a number too.
    """
    asked = one_run("sensitivity", run, input=input)
    base = as_system(system)
    table = _core.sensitivity_table(
        as_network(network)._handle,
        base._handle,
        asked,
        *framework_records(as_framework(framework, base)),
        *_path_of(input),
        number(by, "by"),
    )
    return Table(table)


@takes("run", but=("epoch_samples",))
def upgrades(
    network: Network | str,
    system: System | str,
    choices: Mapping[str, System | str] | Iterable[System | str],
    *,
    prices: Prices | None = None,
    framework: Framework | str | None = DEFAULT,
    input: Input = None,
    **run: Unpack[RunOptions],
) -> Table:
    """Which upgrade pays: the same run on other systems (by name, or as a dict of systems of your own by any name; see
    `with_gpu`, `with_link`), most gain first. `prices` of the changes by those names give the gain for each unit of price.
    """
    asked = one_run("upgrades", run, input=input)
    names, others, owed = _changes(choices, prices)
    base = as_system(system)
    found = [as_framework(framework, item) for item in [base, *others]]
    used = frameworks_records([item for item in found if item is not None])
    table = _core.upgrade_table(
        as_network(network)._handle,
        base._handle,
        asked,
        *used,
        *_path_of(input),
        [item._handle for item in others],
        names,
        owed,
    )
    return Table(table)


@takes("inference_run")
def sensitivity_inference(
    network: Network | str,
    system: Target,
    *,
    by: Number = 0.1,
    framework: Profile = DEFAULT,
    **run: Unpack[InferenceRunOptions],
) -> Table:
    """How the latency of inference depends on each number of the hardware, as `sensitivity` for a step; `step_time` is the
    latency. The arguments are those of `perfmodel.infer`, and `by`.

    >>> owed = sensitivity_inference("resnet50", "t4", batch=64, precision="int8")
    >>> list(owed["resource"][:2])
    ['clock', 'memory-bandwidth']
    """
    owed = _call(network, system, framework, run)
    return Table(_core.call_sensitivity_table(*owed, number(by, "by")))


@takes("inference_run")
def upgrades_inference(
    network: Network | str,
    system: Target,
    choices: Mapping[str, System | str] | Iterable[System | str],
    *,
    prices: Prices | None = None,
    framework: Profile = DEFAULT,
    **run: Unpack[InferenceRunOptions],
) -> Table:
    """Which upgrade pays in inference: as `upgrades`, of a call. GPUs by themselves are systems too ("t4")."""
    names, others, owed = _changes(choices, prices)
    net, base, call, profile = _call(network, system, framework, run)
    used = [profile, *(InferencePlan(network, item, framework).profiles[:1] for item in others)]
    profiles = np.concatenate(used).astype(profile.dtype)
    return Table(_core.call_upgrade_table(net, base, call, profiles, [item._handle for item in others], names, owed))


def _changes(
    choices: Mapping[str, System | str] | Iterable[System | str], prices: Prices | None
) -> tuple[list[str], list[System], Doubles]:
    """Names, systems and prices of what could be instead."""
    named = choices if isinstance(choices, Mapping) else {getattr(item, "id", item): item for item in many(choices)}
    for name in prices or {}:
        if name not in named:
            raise ArgumentError(f'a price is given for "{name}", which is none of the upgrades')
    names = [text(name, "upgrade") for name in named]
    others = [as_system(item) for item in named.values()]
    return names, others, doubles(number((prices or {}).get(name, nan), "price") for name in named)


def _call(
    network: Network | str, system: Target, framework: Profile, run: InferenceRunOptions
) -> tuple[_core.network, _core.system, Records, Records]:
    """Network, system, run and profile of a call."""
    plan = InferencePlan(network, system, framework)
    return plan.networks[0]._handle, plan.systems[0]._handle, plan.runs(**run), plan.profiles[:1]


def _path_of(value: Input) -> PathArrays:
    """The records of an input pipeline, or none."""
    return path_arrays([value.setup] if isinstance(value, InputPipeline) else [])


__all__ = ["sensitivity", "sensitivity_inference", "upgrades", "upgrades_inference", "with_gpu", "with_link", "with_number"]
