"""Writes what editors and type checkers see of the built core and of the package into the package's folder: *.pyi.

    python generate_stubs.py FOLDER

Types of functions are the C types that SWIG writes down, classes of records come from the library's field table, the
names that the package offers from _public.py.
"""

from __future__ import annotations

import importlib
import inspect
import sys
import types
from pathlib import Path
from typing import Any

CORE_HEAD = '''"""Types of the core that SWIG generates from bindings/swig/perfmodel.i. Private."""

from typing import Any, Union

import numpy.typing as npt

_Array = Union[npt.NDArray[Any], bytearray]  # C-contiguous: records of a type, or doubles

TEXT_MAX: int
'''
RECORDS_HEAD = '''"""Records of the library, one dataclass per type. Units are SI."""

from dataclasses import dataclass
from math import nan

from ._base import Record
'''
OPTIONS_HEAD = '''"""Options of runs as keywords: one value each, or lists of them. Made from the field tables."""

from typing import SupportsIndex, TypedDict

from ._inputs import Adapters, Number, Numbers, Quantities, Quantity, Switches, Texts, Wholes
'''
PACKAGE_HEAD = '''"""How fast a deep-learning network trains on a GPU machine, in closed form, and why."""

'''
RUNS = ("run", "inference_run", "serving_run")
PLAIN = {
    "answer": "tuple[bytearray, bytearray]",
    "char const *": "str",
    "char *": "str",
    "char const *const *": "list[str]",
    "double": "float",
    "int": "int",
    "names": "list[str]",
    "numbers": "bytearray",
    "pm_attribute const *": "dict[str, str]",
    "PyObject *": "Any",
    "records": "bytearray",
    "setting const *": "dict[str, float]",
    "void": "None",
}


def python_type(c_type: str, handles: list[str]) -> str:
    """The Python type of what C calls `c_type`; an array of records or numbers if it is nothing else."""
    if c_type in PLAIN:
        return PLAIN[c_type]
    name = c_type.replace("const", "").replace("*", "").strip().removeprefix("pm_")
    if name not in handles:
        return "_Array"
    return f"list[{name}]" if c_type.count("*") == 2 else name


def declaration(name: str, function: types.FunctionType, handles: list[str]) -> str:
    """One function of the core."""
    taken = [(arg, python_type(c, handles)) for arg, c in function.__annotations__.items() if arg != "return"]
    result = python_type(function.__doc__.partition(" -> ")[2] or "void", handles)
    if result == "_Array":
        raise TypeError(f"no Python type for what this returns: {function.__doc__}")
    return f"def {name}({', '.join(f'{arg}: {kind}' for arg, kind in taken)}) -> {result}: ...\n"


def core_stub(core: types.ModuleType) -> str:
    """All handles and functions of the core."""
    public = {name: member for name, member in vars(core).items() if not name.startswith("_")}
    handles = [name for name, member in public.items() if inspect.isclass(member)]
    classes = "".join(f'\nclass {name}:\n    """Opaque handle."""\n\n    this: object\n' for name in handles)
    functions = [declaration(name, f, handles) for name, f in public.items() if inspect.isfunction(f)]
    return f"{CORE_HEAD}{classes}\n{''.join(functions)}"


def wrapped(doc: str, width: int = 105) -> str:
    """Breaks a long docstring at blanks."""
    lines = [""]
    for word in doc.split(" "):
        if len(lines[-1]) + len(word) >= width:
            lines.append("   ")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


def records_stub(core: types.ModuleType, table: types.ModuleType) -> str:
    """The dataclasses of all record types."""
    text = RECORDS_HEAD
    for type_name in core.record_types():
        text += f"\n@dataclass(frozen=True, eq=False)\nclass {table.class_name(type_name)}(Record):\n"
        text += f'    """{table.class_doc(type_name)}"""\n\n'
        for field in table.fields(type_name):
            text += f"    {field.name}: {type(field.default).__name__} = {field.default!r}\n"
            text += f'    """{wrapped(field.meaning)}"""\n'
    return text


def options_stub(table: types.ModuleType) -> str:
    """The keywords of a run, as the signatures of functions show them: a TypedDict of single values, one of lists."""
    text = OPTIONS_HEAD
    for type_name in RUNS:
        for many, end in ((False, "Options"), (True, "Axes")):
            text += keywords_class(table, table.class_name(type_name) + end, table.given(type_name), many)
    for many, end in ((False, "Options"), (True, "Axes")):
        text += keywords_class(table, f"AnyRun{end}", further_fields(table), many, f"Run{end}")
    return text


def further_fields(table: types.ModuleType) -> list[Any]:
    """The fields that runs of other tasks have beside those of training."""
    known = {field.name for field in table.given(RUNS[0])}
    further = {field.name: field for name in RUNS[1:] for field in table.given(name) if field.name not in known}
    return list(further.values())


def keywords_class(table: types.ModuleType, name: str, fields: list[Any], many: bool, base: str = "TypedDict") -> str:
    text = f"\nclass {name}({base}, total=False):\n"
    for field in fields:
        text += f'    {field.name}: {table.annotation(field, many)}\n    """{wrapped(field.question)}"""\n'
    if any(field.name == "lora_rank" for field in fields):
        text += '    lora: Adapters | None\n    """adapters in one: text, rank, or words by name"""\n'
    return text


def package_stub(public: types.ModuleType) -> str:
    """Every name that the package offers, as if it were imported from its module at once."""
    lines = [f"from .{home} import {own} as {name}\n" for name, (home, own) in sorted(public.HOMES.items())]
    names = "".join(f"    {name!r},\n" for name in sorted(public.HOMES))
    return f"{PACKAGE_HEAD}{''.join(lines)}\n__version__: str\n__all__ = [\n{names}]\n"


def main(folder: Path) -> None:
    """The core is loaded as part of a package without its __init__, which needs NumPy."""
    package = types.ModuleType("perfmodel")
    package.__path__ = [str(folder), str(Path(__file__).parent / "perfmodel")]
    sys.modules["perfmodel"] = package
    core = importlib.import_module("perfmodel._core")
    table = importlib.import_module("perfmodel._fields")
    public = importlib.import_module("perfmodel._public")
    (folder / "__init__.pyi").write_text(package_stub(public), encoding="utf-8")
    (folder / "_core.pyi").write_text(core_stub(core), encoding="utf-8")
    (folder / "_records.pyi").write_text(records_stub(core, table), encoding="utf-8")
    (folder / "_options.pyi").write_text(options_stub(table), encoding="utf-8")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main(Path(sys.argv[1]))
