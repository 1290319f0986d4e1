"""Tables whose columns are fields of runs and of answers: as arrays, without a table of the library in between."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._columns import ColumnInfo
from ._fields import Field, fields
from ._rows_file import decoded
from ._table import Column, Table

if TYPE_CHECKING:
    import pyarrow

    from ._plan import Plan

Numbers = dict[str, Column]
"""Fields by name, as numbers: of a choice its place, of a run its places in the plan."""
IDS = ("network", "system", "framework", "profile", "engine")
EVERY = slice(None)


def field_of(plan: Plan, name: str) -> Field | None:
    """The field of a run or its answer that is a column of numbers or choices."""
    for record in (plan._task.run, plan._task.answer):
        for f in fields(record):
            if f.name == name:
                return f if f.kind != "text" else None
    return None


def fields_for(plan: Plan, columns: Iterable[str], paths: Sequence[str]) -> list[str] | None:
    """The fields that these columns are made of; None if one of them is more than fields."""
    needed: dict[str, None] = {}
    for name in columns:
        if name in IDS:
            needed |= dict.fromkeys(("network_index", "system_index", plan._task.software))
        elif name in paths:
            needed["system_index"] = None
        elif field_of(plan, name) is not None:
            needed[name] = None
        else:
            return None
    return list(needed)


class FieldTable(Table):
    """Columns out of `_numbers`, whatever has these."""

    plan: Plan
    _paths: list[str]

    def _numbers(self, name: str) -> Column:
        """A field of every row."""
        raise NotImplementedError

    def _column(self, index: int) -> Column:
        if index not in self._cache and (found := self._direct(self._infos[index])) is not None:
            found.flags.writeable = False
            self._cache[index] = found
        return super()._column(index)

    def _all(self) -> dict[str, Column]:
        """Without a table where every column is a field: the same, and several times as fast."""
        found = {info.title: self._direct(info) for info in self._infos}
        known = {title: column for title, column in found.items() if column is not None}
        return known if len(known) == len(found) else super()._all()

    def _frame(self) -> dict[str, Any]:
        """Texts are made by pandas once for each different one: a tenth of the time of a column of Python's texts."""
        import pandas

        found: dict[str, Any] = {}
        for info in self._infos:
            words, places = self._worded(info.name) or ([], None)
            if places is not None and words and isinstance(words[0], str):
                found[info.title] = pandas.Series(words).array.take(places)
            elif (column := self._direct(info)) is not None:
                found[info.title] = column
            else:
                return super()._frame()
        return found

    def _direct(self, info: ColumnInfo) -> Column | None:
        """A column as the fields have it; None of one that they do not have."""
        found = field_of(self.plan, info.name)
        if (worded := self._worded(info.name)) is not None:
            words, places = worded
            return np.take(np.array(words, dtype=bool if found is not None and found.yes_no else object), places)
        if found is None and info.name not in self._paths:
            return None
        values = self._cells(info.name)
        return values if found is None else values.astype(np.int64 if found.kind == "int" else np.float64)

    def _worded(self, name: str) -> tuple[list[Any], Column] | None:
        """The few different values of a column that is no number, and which of them each row has."""
        if name in IDS:
            return self._words(name)
        found = field_of(self.plan, name)
        if found is None or found.kind != "choice":
            return None
        return [False, True] if found.yes_no else list(found.choices), self._numbers(name).astype(np.intp)

    def _cells(self, name: str) -> Column:
        """A field, or a number of the hardware by path, of every row."""
        if name not in self._paths:
            return self._numbers(name)
        of_systems: Column = self.plan._hardware(name)
        return np.take(of_systems, self._numbers("system_index").astype(np.intp))

    def _words(self, name: str, part: slice = EVERY) -> tuple[list[str], Column]:
        """The ids that the places of runs stand for, each found once, and which of them each row has."""
        plan, task = self.plan, self.plan._task
        places = self._numbers("network_index" if name == "network" else task.software)[part]
        systems = self._numbers("system_index")[part].astype(np.int64)
        pairs, which = _different(places.astype(np.int64) * len(plan.systems) + systems)
        both = [divmod(int(pair), len(plan.systems)) for pair in pairs]
        if name == "system":
            return [plan._system_ids[system] for _, system in both], which
        if name == "network":
            return [plan._network_id(place) for place, _ in both], which
        return [plan._software_id(place, system) for place, system in both], which

    def to_arrow(self) -> pyarrow.Table:
        return decoded(self._coded())

    def _coded(self) -> pyarrow.Table:
        import pyarrow

        arrays: list[Any] = []
        schema = Table(self._part(0, 0)).to_arrow().schema
        for field, info in zip(schema, self._infos):
            words, places = self._worded(info.name) or ([], None)
            if places is not None and words and isinstance(words[0], str):
                coded = pyarrow.DictionaryArray.from_arrays(places.astype(np.int32), pyarrow.array(words, field.type))
                arrays.append(coded)
            elif (column := self._direct(info)) is not None:
                arrays.append(pyarrow.array(column, type=field.type, from_pandas=True))
            else:
                return super().to_arrow()
        fields = [field.with_type(array.type) for field, array in zip(schema, arrays)]
        return pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields, schema.metadata))

    def _part(self, start: int, stop: int) -> _core.table:
        """These rows as a table of the library."""
        raise NotImplementedError

    def _table_of(self, names: Iterable[str], part: slice = EVERY) -> _core.table:
        """These columns of some rows as a table of the library, which writes them and reads conditions."""
        table = _core.table_new(len(range(len(self))[part]))
        for name in names:
            if name in IDS:
                words, places = self._words(name, part)
                _core.table_add_words(table, name, words, places.astype(np.float64))
            else:
                values = np.ascontiguousarray(self._cells(name)[part], dtype=np.float64)
                _core.table_add_numbers(table, self.plan.task, name, values)
        _core.table_keep(table, list(names))
        return table


class Columns(FieldTable):
    """Some columns of rows that were never held as runs and answers."""

    def __init__(self, plan: Plan, columns: Sequence[str], found: Numbers, paths: list[str]):
        self.plan, self._paths, self._found, self._names = plan, paths, found, list(columns)
        super().__init__(self._part(0, 0))

    def _numbers(self, name: str) -> Column:
        return self._found[name]

    def __len__(self) -> int:
        return len(next(iter(self._found.values())))

    def _part(self, start: int, stop: int) -> _core.table:
        return self._table_of(self._names, slice(start, stop))

    def _parts(self) -> Iterator[_core.table]:
        yield self._whole()

    def _whole(self) -> _core.table:
        return self._table_of(self._names)

    def _head(self) -> _core.table:
        return self._whole()

    def meet(self, where: list[str]) -> Column:
        """Which rows meet all conditions."""
        table = self._table_of(dict.fromkeys(map(asked_of, where)))
        return np.frombuffer(_core.table_meet(table, where), dtype=np.float64).astype(np.intp)

    def taken(self, rows: Column, columns: Sequence[str]) -> Columns:
        """Some columns of some rows."""
        return Columns(self.plan, columns, {name: of[rows] for name, of in self._found.items()}, self._paths)


def asked_of(condition: str) -> str:
    """The column that a condition is about."""
    return re.split("[ <>=!]", condition, maxsplit=1)[0]


def _different(values: Column) -> tuple[Column, Column]:
    """The different ones of few, and which of them each is: `np.unique` without its sorting."""
    if values.size == 0:
        return values, values.astype(np.intp)
    least = int(values.min())
    span = int(values.max()) - least + 1
    if span > 1 << 16:
        found, which = np.unique(values, return_inverse=True)
        return found, which
    seen = np.zeros(span, dtype=bool)
    seen[values - least] = True
    found = np.flatnonzero(seen)
    where = np.empty(span, dtype=np.intp)
    where[found] = np.arange(found.size)
    return found + least, where[values - least]


__all__ = ["Columns", "FieldTable", "Numbers", "asked_of", "field_of", "fields_for"]
