#!/usr/bin/env python3
"""Prints the public names of the Python package: classes with their members, functions with a line for each parameter.

    list_python.py        with the package on PYTHONPATH

Fields of records, as members and as keywords, are those of the library, which list_records.c prints.
"""

import dataclasses
import inspect

import perfmodel
import records
from perfmodel._base import Record


LISTS = {record: list(options) for record, options in records.given().items()}


def print_function(name: str, function: object) -> None:
    print(f"{name}()")
    parameters = inspect.signature(function).parameters
    keywords = [each for each, parameter in parameters.items() if parameter.kind is inspect.Parameter.KEYWORD_ONLY]
    line, said = records.described(keywords, LISTS)
    if line:
        print(f"{name}: {line}")
    for parameter in parameters.values():
        if parameter.name in said:
            continue
        text = str(parameter.replace(annotation=inspect.Parameter.empty))
        star = "*, " if parameter.kind is inspect.Parameter.KEYWORD_ONLY else ""
        if parameter.name != "self" and not parameter.name.startswith("_"):
            print(f"{name}({star}{text})")


def print_value(name: str, value: object) -> None:
    value = getattr(value, "__func__", value)  # of class methods and static ones
    if callable(value):
        print_function(name, value)
    else:
        print(name)


def print_class(name: str, cls: type) -> None:
    print(f"class {name}({', '.join(base.__name__ for base in cls.__bases__)})")
    fields = {field.name for field in dataclasses.fields(cls)} if issubclass(cls, Record) else set()
    if "__init__" in vars(cls) and not fields:
        print_function(name, cls.__init__)
    for member, value in sorted(vars(cls).items()):
        if not member.startswith("_") and member not in fields:
            print_value(f"{name}.{member}", value)


if __name__ == "__main__":
    for name in perfmodel.__all__:
        value = getattr(perfmodel, name)
        (print_class if isinstance(value, type) else print_value)(name, value)
