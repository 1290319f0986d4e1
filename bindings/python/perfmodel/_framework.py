"""Frameworks: framework overhead on kernels and collectives."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from . import _core, _display, _record, _records, _shipped
from ._inputs import text
from ._record import R, Records
from ._text import printable


@dataclass(frozen=True, repr=False)
class Framework:
    """A framework's profile with its cuDNN generation and the spread of its rates: records of the catalogue.

    >>> framework("pt-nchw").profile.evidence
    'fitted'
    """

    profile: _records.Framework
    """Facts and constants of the framework."""
    cudnn: _records.CudnnGeneration
    """How fast matrix kernels are, over the kernel model."""
    interval: _records.PredictionInterval
    """Spread of measured over predicted rates."""
    memory: _records.MemoryProfile
    """How it handles memory."""

    @cached_property
    def _hash(self) -> int:
        return hash((self.profile, self.cudnn, self.interval, self.memory))

    def __hash__(self) -> int:
        return self._hash  # of a hundred numbers, and plans are kept by it

    @property
    def id(self) -> str:
        """Id of the framework."""
        return self.profile.id

    @property
    def basis(self) -> str:
        """What its constants were fitted to, in words.

        >>> framework("generic").basis
        'assumed: no measured training rate of this framework was fitted'
        """
        return _core.framework_basis(_record.write("framework", self.profile))

    def _title(self) -> str:
        return printable(f"Framework {self.id}: {self.profile.name}; {self.cudnn.name}; {self.basis}")

    def __repr__(self) -> str:
        return f"<{self._title()}>"

    def _repr_html_(self) -> str:
        """Facts and constants, with those of the libraries, the spread of its rates and the memory below them."""
        parts = (
            _part_html("cudnn_generation", "cuDNN generation", self.cudnn),
            _part_html("prediction_interval", "spread of measured over predicted rates", self.interval),
            _part_html("memory_profile", "memory profile", self.memory),
        )
        return _display.html(self._title(), _display.facts("framework", self.profile), "".join(parts))

    def replace(self, **values: Any) -> Framework:
        """The same with other constants: framework("generic").replace(kernel_time=20e-6). Names are those of the fields
        of `profile`, `cudnn`, `interval` or `memory`, in SI units.
        """
        parts: dict[str, Any] = {
            "profile": self.profile,
            "cudnn": self.cudnn,
            "interval": self.interval,
            "memory": self.memory,
        }
        for name, value in values.items():
            owner = next((key for key, part in parts.items() if name != "id" and hasattr(part, name)), None)
            if owner is None:
                raise TypeError(f'a framework has no constant "{name}"')
            parts[owner] = dataclasses.replace(parts[owner], **{name: value})
        return Framework(**parts)


def _part_html(kind: str, words: str, part: Any) -> str:
    return f"<details><summary>{words}</summary>{_display.html(part.name, _display.facts(kind, part))}</details>"


def from_catalog(catalog: _core.catalog, name: str, architecture: str = "") -> Framework:
    """A framework of a catalogue, as GPUs of an architecture have it."""

    def part(cls: type[R], kind: str) -> R:
        return _record.read(cls, kind, _core.catalog_framework(catalog, text(name, "framework"), architecture, kind))

    return _of_parts(part)


def _of_parts(part: Callable[[type[Any], str], Any]) -> Framework:
    return Framework(
        part(_records.Framework, "framework"),
        part(_records.CudnnGeneration, "cudnn_generation"),
        part(_records.PredictionInterval, "prediction_interval"),
        part(_records.MemoryProfile, "memory_profile"),
    )


def framework(name: str, architecture: str = "") -> Framework:
    """A framework of the shipped catalogue, "pytorch-2.4"; of a month, "pytorch@2024-06"; with another cuDNN
    generation, "tf1-nchw@cudnn6". Without a release it is the newest that was fitted, of those that run on GPUs of the
    `architecture`.

    >>> framework("pytorch").id, framework("pytorch", "kepler").id
    ('pytorch-2.4', 'pytorch-1.13')
    """
    return from_catalog(_shipped.handle(), name, text(architecture, "architecture"))


def of_study(study: _core.study, index: int, system: int) -> Framework | None:
    """A framework of completed runs by its place, as the GPUs of a system of the study have it, or None."""
    if _core.study_software(study, index, system, "framework") is None:
        return None

    def part(cls: type[R], kind: str) -> R:
        return _record.read(cls, kind, _core.study_software(study, index, system, kind))

    return _of_parts(part)


def frameworks_records(items: Iterable[Framework]) -> tuple[Records, Records, Records, Records]:
    """The four records of each, kind by kind."""
    found = list(items)
    return (
        _record.side_by_side("framework", [item.profile for item in found]),
        _record.side_by_side("cudnn_generation", [item.cudnn for item in found]),
        _record.side_by_side("prediction_interval", [item.interval for item in found]),
        _record.side_by_side("memory_profile", [item.memory for item in found]),
    )
