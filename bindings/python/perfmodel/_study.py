"""Studies: networks on systems in software, and runs of which only some fields are given. The library completes the
runs, by the same rules for every language and command."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from math import nan, prod
from typing import Any, NamedTuple, TypeVar

import numpy as np

from . import _core, _record
from ._background import MANY_GPUS, interruptible, new_lock
from ._errors import Error
from ._fields import fields
from ._inputs import Doubles, doubles
from ._keywords import axes_of, settings_of
from ._network import Network
from ._record import Records
from ._system import System

Given = tuple[list[str], float]
"""Fields that were given, and whether (1) `batch` is that of all data-parallel ranks."""
Axes = tuple[list[str], Doubles, Doubles]
"""Fields, how many values each has, all values."""
Step = tuple[str, tuple[Any, ...]]
"""A function of the core that completes runs, and its arguments beside the study."""
S = TypeVar("S", bound="Study")

MANY_LAYERS = 2000
"""A network of fewer is planned in less than a tenth of a second."""

MANY_RUNS = 16384
"""Fewer are completed in less."""


class Task(NamedTuple):
    """What there is to know of a task: the types of its runs and of what is predicted, and the field of a run that is
    its place among the frameworks of the plan."""

    name: str
    unit: str
    run: str
    answer: str
    software: str
    replicas: bool


@cache
def task_of(name: str) -> Task:
    """A task by name, "training" or "inference"."""
    unit, run, answer, software, replicas = _core.task_facts(name)
    return Task(name, unit, run, answer, software, bool(replicas))


class Study:
    """Completes runs of a task, and predicts completed ones."""

    def __init__(
        self,
        task: str,
        networks: list[Network],
        systems: list[System],
        named: int,
        handle: _core.study,
        made: tuple[Any, ...],
    ):
        self.task = task
        """What the networks are run for: "training" or "inference"."""
        self._task, self.networks, self.systems = task_of(task), networks, systems
        self._study, self._named, self._made = handle, named, made
        self._plan: _core.plan | None = None
        self._steps: list[Step] = []
        self._seen: set[tuple[int, int, int]] = set()
        self._noted = 0
        self._lock = new_lock()  # of completion, and of what reads the newest plan
        self._nothing = _core.asked_runs(task, *flat({}))  # a run of which nothing is given
        self._network_ids: dict[int, str] = {}
        self._system_ids = [system.id for system in systems]
        self._large = any(system.gpus > MANY_GPUS for system in systems) or any(
            network.totals.layers > MANY_LAYERS for network in networks
        )  # Ctrl-C is awaited while the plan is made

    def __reduce__(self) -> tuple[Any, ...]:
        """Places in the plan follow from the order in which runs were completed: what made it grow is done again."""
        return _again, (type(self), self._made, self._steps)

    # ---- Completion ----

    def _complete(
        self, keywords: Mapping[str, Any], global_batch: bool = False, *, one: bool = False
    ) -> tuple[Records, Given]:
        """Every combination of the keywords' values, completed. A run that cannot be completed is an error if it is the
        only one; else it keeps the reason for its prediction."""
        axes = axes_of(self._task.run, keywords)
        asked = self._asked(self._places() | axes)
        given = list(axes), float(global_batch)
        if self._large or asked.size > MANY_RUNS:
            return interruptible(self._complete_all, asked, given, one), given
        return self._complete_all(asked, given, one), given

    def _asked(self, axes: Mapping[str, list[float]]) -> Records:
        """Every combination of the axes."""
        places = flat(axes)
        many = prod(len(items) for items in axes.values()) > MANY_RUNS
        made = interruptible(_core.asked_runs, self.task, *places) if many else _core.asked_runs(self.task, *places)
        return _record.array(self._task.run, made)

    def _complete_all(self, asked: Records, given: Given, one: bool) -> Records:
        with self._lock:
            try:
                completed = _core.study_complete(self._study, asked, *given, float(one))
            except Error:
                with suppress(Error):  # a run may need more of the plan before it fails
                    self._follow(asked, given)
                raise
            runs = _record.array(self._task.run, completed)
            self._follow(asked, given, runs)
        return runs

    def _completed(self, asked: Records, given: Given) -> Records:
        """Runs of which these fields are given, completed."""
        with self._lock:
            runs = _record.array(self._task.run, _core.study_complete(self._study, asked, *given, 0.0))
            self._follow(asked, given, runs)
        return runs

    def _asked_axes(self, keywords: Mapping[str, Any]) -> dict[str, list[float]]:
        """The axes of the plan's lists and of the keywords."""
        return {**self._places(), **axes_of(self._task.run, keywords)}

    def _places(self) -> dict[str, list[float]]:
        """The axes of the plan's lists."""
        counts = {"network_index": len(self.networks), "system_index": len(self.systems)}
        counts[self._task.software] = self._named
        return {name: [float(i) for i in range(count)] for name, count in counts.items() if count > 0}

    def _ask(
        self, keywords: Mapping[str, Any], global_batch: float = 0.0, latency: float = nan
    ) -> tuple[bytearray, tuple[int, int, int], bytearray]:
        """One run, completed, its network, system and software, and what is predicted of it; with a latency, the run
        with the largest batch within it. Raises why that is not possible."""
        settings = settings_of(self._task.run, keywords)
        if self._large:
            return interruptible(self._answer, settings, global_batch, latency)
        return self._answer(settings, global_batch, latency)

    def _answer(
        self, settings: dict[str, float], global_batch: float, latency: float
    ) -> tuple[bytearray, tuple[int, int, int], bytearray]:
        with self._lock:
            try:
                run, result = _core.study_predict(self._study, self._nothing, settings, global_batch, latency)
            except Error:
                with suppress(Error):
                    self._follow_one(settings, global_batch)
                raise
            places = _record.places(self._task.run, run)
            if places not in self._seen:
                self._follow_one(settings, global_batch)
                self._seen.add(places)
        return run, places, result

    def _network_id(self, index: int) -> str:
        """The id of a network of the plan."""
        if index not in self._network_ids:
            self._network_ids[index] = _core.study_network_id(self._study, index)
        return self._network_ids[index]

    def _assumed_of(self, runs: Records, given: Given) -> list[str]:
        """What was assumed of each of the runs, in a line."""
        lines: list[str] = _core.study_assumed(self._study, runs, *given)
        return lines

    # ---- The plan ----

    @property
    def _handle(self) -> _core.plan:
        """The plan of all runs so far; without any, of those where nothing is given."""
        if self._plan is None:
            self._complete({})
        assert self._plan is not None
        return self._plan

    def _follow(self, asked: Records, given: Given, runs: Records | None = None) -> None:
        """After runs were completed: the plan that has them, and what is worth knowing of their software."""
        if not self._grow():
            return
        if runs is not None:
            places = runs[self._task.software].astype(np.int64) << 32 | runs["network_index"].astype(np.uint32)
            asked = asked[np.sort(np.unique(places, return_index=True)[1])]
        self._steps.append(("study_complete", (asked.tobytes(), *given, 0.0)))

    def _begin(self, name: str, arguments: tuple[Any, ...]) -> None:
        """After a function of the core completed runs of its own."""
        if self._grow():
            self._steps.append((name, arguments))

    def _follow_one(self, settings: dict[str, float], global_batch: float) -> None:
        asked = _core.asked_runs(self.task, *flat({name: [value] for name, value in settings.items()}))
        self._follow(_record.array(self._task.run, asked), (list(settings), global_batch))

    def _grow(self) -> bool:
        """Whether the plan is another one now; warns of software that does not run on a GPU."""
        plan = _core.study_plan(self._study)
        if self._plan is not None and plan.this == self._plan.this:
            return False
        self._plan = plan
        notes = _core.study_notes(self._study)
        for note in notes[self._noted :]:
            warnings.warn(note, stacklevel=6)
        self._noted = len(notes)
        return True


def _again(kind: type[S], made: tuple[Any, ...], steps: list[Step]) -> S:
    study = kind(*made)
    for name, arguments in steps:
        getattr(_core, name)(study._study, *arguments)
        study._grow()
    study._steps = list(steps)
    return study


def flat(axes: Mapping[str, list[float]]) -> Axes:
    """Axes as the core takes them."""
    values = doubles(value for items in axes.values() for value in items)
    return list(axes), doubles(float(len(items)) for items in axes.values()), values


@cache
def all_given(type_name: str) -> Given:
    """Of runs that a script filled itself: nothing was left open."""
    return [f.name for f in fields(type_name)], 0.0
