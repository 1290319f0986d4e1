"""The catalogue: names -> records, networks and systems."""

from __future__ import annotations

import os
import threading
from functools import lru_cache
from typing import Any, TypeVar

from . import _core, _record, _records, _shipped
from ._background import interruptible
from ._files import reading
from ._framework import Framework, from_catalog
from ._inputs import AttributeValue, attributes, number, text
from ._network import Network
from ._system import System, as_gpu
from ._table import Table

R = TypeVar("R")
Names = list[str]  # inside the class, `list` is its method


class Catalog:
    """The shipped catalogue and, on top of it, files or folders of a user's own XML.

    >>> catalog = Catalog("my-cluster.xml")          # doctest: +SKIP
    >>> node = catalog.system("my-node")             # doctest: +SKIP

    A catalogue does not change once it is made. Case, blanks and punctuation of names do not matter.
    """

    def __init__(self, *paths: str | os.PathLike[str], _handle: _core.catalog | None = None):
        self._handle = _handle if _handle is not None else _core.catalog_new()
        self._paths = tuple(reading(path) for path in paths)
        for path in self._paths:
            interruptible(_core.catalog_load, self._handle, path)
        self._networks = lru_cache(maxsize=64)(lambda id: self.network(id))
        self._systems = lru_cache(maxsize=64)(lambda id: self.system(id))

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle contains the paths, not the files; unpickling reads the files again."""
        paths = tuple(os.path.abspath(path) for path in self._paths)
        return (Catalog, paths) if paths else (default, ())

    @property
    def notes(self) -> Names:
        """Notes of loading: which shipped entries were replaced."""
        return _core.catalog_notes(self._handle)

    @property
    def kinds(self) -> Names:
        """Kinds of entries: gpus, links, systems, networks, ..."""
        return _core.catalog_kinds()

    def ids(self, kind: str) -> Names:
        """Ids of all entries of a kind."""
        return _core.catalog_ids(self._handle, text(kind, "kind"))

    def resolve(self, kind: str, name: str) -> str:
        """The id of a name. Raises NotFoundError with a suggestion."""
        return _core.catalog_resolve(self._handle, text(kind, "kind"), text(name, "name"))

    def list(self, kind: str) -> Table:
        """All entries of a kind, with its main facts."""
        return Table(_core.catalog_list(self._handle, text(kind, "kind")))

    def show(self, kind: str, name: str) -> Table:
        """One entry: every field with value, unit, source and note."""
        return Table(_core.catalog_show(self._handle, text(kind, "kind"), text(name, "name")))

    def export(self, kind: str, name: str, id: str | None = None) -> str:
        """An entry as XML that a catalogue can load, with the same numbers; `id` makes it a copy with another id."""
        return _core.catalog_export(self._handle, text(kind, "kind"), text(name, "name"), text(id or "", "id"))

    def network(self, name: str, **sets: AttributeValue) -> Network:
        """A network; `sets` sets its parameters (`classes=10`)."""
        return Network("", _handle=_core.catalog_new_network(self._handle, text(name, "name"), attributes(sets)))

    def system(self, name: str) -> System:
        """A system with its link graph."""
        return System(_core.catalog_new_system(self._handle, text(name, "name")), (_system_of, (self, name)))

    def framework(self, name: str) -> Framework:
        """A framework's profile, "pt-nchw"; with another cuDNN generation, "tf1-nchw@cudnn6"."""
        return from_catalog(self._handle, name)

    def gpu(self, name: str) -> _records.Gpu:
        """The datasheet of a GPU."""
        return self._read(_records.Gpu, "gpu", name)

    def link(self, name: str) -> _records.Link:
        """A link type."""
        return self._read(_records.Link, "link", name)

    def dataset(self, name: str) -> _records.Dataset:
        """A training set."""
        return self._read(_records.Dataset, "dataset", name)

    def memory_profile(self, name: str) -> _records.MemoryProfile:
        """How a framework handles memory."""
        return self._read(_records.MemoryProfile, "memory_profile", name)

    def inference_profile(self, name: str, architecture: str = "") -> _records.InferenceProfile:
        """How a framework or an engine runs a forward pass on GPUs of an architecture: an inference profile, or a
        framework."""
        data = _core.catalog_inference(self._handle, text(name, "name"), text(architecture, "architecture"))
        return _record.read(_records.InferenceProfile, "inference_profile", data)

    def engine(self, name: str, architecture: str = "") -> _records.Engine:
        """How an engine serves language models on GPUs of an architecture: "vllm" is its newest release."""
        data = _core.catalog_engine(self._handle, text(name, "name"), text(architecture, "architecture"))
        return _record.read(_records.Engine, "engine", data)

    def usable_memory(self, gpu: str) -> float:
        """Memory [B] of a GPU that programs can use: as reported by its driver, or by a rule from its nominal
        memory."""
        return _core.catalog_usable_memory(self._handle, _record.write("gpu", self.gpu(gpu)))

    def source(self, name: str) -> _records.Source:
        """Where values come from."""
        return self._read(_records.Source, "source", name)

    def _read(self, cls: type[R], kind: str, name: str) -> R:
        return _record.read(cls, kind, _core.catalog_record(self._handle, kind, text(name, "name")))

    def __repr__(self) -> str:
        main = ("gpus", "systems", "networks", "frameworks", "datasets")
        counts = ", ".join(f"{len(self.ids(kind))} {kind}" for kind in main)
        return f"<Catalog: {counts}, and {len(self.kinds) - len(main)} other kinds>"


def _system_of(catalog: Catalog, name: str) -> System:
    return catalog.system(name)


_default: Catalog | None = None
_lock = threading.Lock()


def default() -> Catalog:
    """The shipped catalogue, shared."""
    global _default
    with _lock:
        if _default is None:
            _default = Catalog(_handle=_shipped.handle())
        return _default


def network(name: str, **sets: AttributeValue) -> Network:
    """A network of the shipped catalogue; `sets` sets its parameters (`classes=10`)."""
    return default().network(name, **sets)


def system(name: str) -> System:
    """A system of the shipped catalogue, with its link graph."""
    return default().system(name)


def gpu(name: str) -> _records.Gpu:
    """The datasheet of a GPU of the shipped catalogue."""
    return default().gpu(name)


def dataset(name: str) -> _records.Dataset:
    """A training set of the shipped catalogue."""
    return default().dataset(name)


def list_entries(kind: str) -> Table:
    """All entries of a kind ("gpus", "systems", "networks", ...), with its main facts."""
    return default().list(kind)


def show(kind: str, name: str) -> Table:
    """One entry: every field with value, unit, source and note."""
    return default().show(kind, name)


def export(kind: str, name: str, id: str | None = None) -> str:
    """An entry as XML that a catalogue can load, with the same numbers; `id` makes it a copy with another id."""
    return default().export(kind, name, id)


def as_network(value: Network | str) -> Network:
    """A network, given as an object or a name of the shipped catalogue."""
    return value if isinstance(value, Network) else default()._networks(text(value, "network"))


def as_system(value: System | _records.Gpu | str) -> System:
    """A system, or a name of the shipped catalogue; a GPU is a machine with one of it."""
    if isinstance(value, System):
        return value
    return default()._systems(f"gpu:{value.id}" if isinstance(value, _records.Gpu) else text(value, "system"))


def as_samples(value: _records.Dataset | str | float | None) -> float:
    """Samples of one epoch: a dataset, a name of the shipped catalogue, or their number."""
    if value is None:
        return float("nan")
    if isinstance(value, str):
        value = default().dataset(value)
    return value.samples if isinstance(value, _records.Dataset) else number(value, "dataset")


def dataset_name(value: _records.Dataset | str | float | None) -> str:
    """The name of a dataset; "" of a number of samples."""
    if isinstance(value, str):
        value = default().dataset(value)
    return value.name if isinstance(value, _records.Dataset) else ""


__all__ = [
    "Catalog",
    "as_gpu",
    "as_network",
    "as_samples",
    "as_system",
    "dataset",
    "dataset_name",
    "default",
    "gpu",
    "list_entries",
    "network",
    "show",
    "system",
]
