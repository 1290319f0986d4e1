"""Records of the library: a frozen dataclass per type, made from the library's field table.

Units are SI. A number that is not set is NaN, a count 0, a text "". Editors and type checkers read `_records.pyi`,
which the build makes from the same table.
"""

import dataclasses

from . import _core
from ._base import Record
from ._fields import class_doc, class_name, fields


def _class(type_name: str) -> type:
    table = fields(type_name)
    members = [(f.name, type(f.default), dataclasses.field(default=f.default)) for f in table]
    doc = "\n".join([class_doc(type_name), "", *(f"{f.name}: {f.meaning}" for f in table)])
    names = {"__doc__": doc, "__module__": __name__, "_type": type_name}
    made = dataclasses.make_dataclass(class_name(type_name), members, bases=(Record,), namespace=names, frozen=True,
                                      eq=False, repr=False)
    made.__module__ = __name__
    return made


_types = {class_name(type_name): type_name for type_name in _core.record_types()}


def __getattr__(name: str) -> type:
    """Each class is made when it is first asked for."""
    if name not in _types:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = globals()[name] = _class(_types[name])
    return made


def __dir__() -> list[str]:
    return sorted({*globals(), *_types})
