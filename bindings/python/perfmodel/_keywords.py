"""Fields of a record as keywords of a function: names, values, signature and help, all from the field table.

`@takes("run")` gives a function that ends in **keywords a keyword for each field of the run that users give; with
`many=True` each may be a list. Type checkers see the same in `_options.pyi`, which the build makes from the table too.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

import numpy as np

from . import _core
from ._errors import ArgumentError
from ._fields import Field, annotation, fields, given, is_plain
from ._inputs import adapters, brief, choice, many, number, quantity, text, whole
from ._text import cut

F = TypeVar("F", bound=Callable[..., Any])


Reader = Callable[[Any], float]


def default_of(f: Field) -> Any:
    """The default of a keyword, as users would write it; None: unknown, or completed by the library."""
    if f.asked:
        return None
    if f.kind == "choice":
        return f.default if f.yes_no or not f.otherwise else f.otherwise
    if not f.otherwise:
        return None
    return int(f.otherwise) if float(f.otherwise).is_integer() else float(f.otherwise)


def _reader(type_name: str, f: Field) -> Reader:
    """Turns values of a field into what the record holds."""
    name = f.name
    if f.kind == "choice":
        chosen = cache(lambda value: float(choice(type_name, name, value)))
        if f.yes_no:
            return lambda value: float(value) if isinstance(value, (bool, np.bool_)) else chosen(text(value, name))
        return lambda value: chosen(text(value, name))
    if f.kind == "int":
        return lambda value: _count(value, name)
    if is_plain(f):
        return lambda value: number(value, name)
    return lambda value: quantity(value, f.unit, name)


def _count(value: Any, name: str) -> float:
    result = whole(value, name)
    if not 0 <= result < 2**31:
        raise ArgumentError(f"{name} {brief(result)} is out of range; give at least 1")
    return float(result)


@cache
def _readers(type_name: str) -> dict[str, Reader]:
    return {f.name: _reader(type_name, f) for f in fields(type_name)}


OF_TRAINING = (
    "tokens", "samples", "gpu_mtbf", "node_mtbf", "checkpoint_rate", "checkpoint", "restart", "interval", "pue",
    "gpu_hour_price", "carbon", "energy_price", "power_budget",
)
"""Fields of a run that change no step, but what training on all tokens or samples takes."""

NO_STEP = ("epoch_samples", *OF_TRAINING)

NOT_SIZED = tuple(name for name in NO_STEP if name not in ("carbon", "energy_price", "power_budget"))
"""Those of them that sizing does not take."""


def value_of(type_name: str, name: str, value: Any) -> float:
    """A keyword's value as the record holds it."""
    return _readers(type_name)[name](value)


@cache
def _known(type_name: str) -> frozenset[str]:
    return frozenset(f.name for f in given(type_name))


def check(type_name: str, keywords: Mapping[str, Any], function: str) -> dict[str, Any]:
    """The keywords that are given: None is not given. Raises what Python raises for an
    unknown one."""
    if keywords.get("lora") is not None and "lora_rank" in _known(type_name):
        keywords = _with_adapters(keywords)
    if _known(type_name).issuperset(keywords):
        return {name: value for name, value in keywords.items() if value is not None}
    known = [f.name for f in given(type_name)]
    for name in keywords:
        if name not in known:
            near = _core.name_meant(name, known)
            advice = f"did you mean {near!r}?" if near else f"of a run it knows {', '.join(known)}"
            raise TypeError(f"{function}() got an unexpected keyword argument {cut(name, 80)!r}; {advice}")
    return {name: value for name, value in keywords.items() if value is not None}


def _with_adapters(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """`lora`, a text, a rank or words by name, as the fields of a run that it stands for."""
    words = adapters(keywords["lora"])
    for name in words:
        if keywords.get(name) is not None:
            raise ArgumentError(f"lora and {name} are both given; give one")
    return {name: value for name, value in keywords.items() if name != "lora"} | words


def settings_of(type_name: str, keywords: Mapping[str, Any]) -> dict[str, float]:
    """The one value of each keyword."""
    readers = _readers(type_name)
    return {name: readers[name](value) for name, value in keywords.items()}


def axes_of(type_name: str, keywords: Mapping[str, Any]) -> dict[str, list[float]]:
    """The values of each keyword; one value is a list of one."""
    axes = {}
    for name, value in keywords.items():
        axes[name] = [value_of(type_name, name, item) for item in many(value)]
        if not axes[name]:
            raise ArgumentError("an axis of the sweep is empty")
    return axes


def takes(
    type_name: str, *, many: bool = False, but: tuple[str, ...] = (), free: tuple[str, ...] = ()
) -> Callable[[F], F]:
    """Signature and help of a function that ends in **keywords: one for each field of the record. Those that are free
    are None by default."""

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        names = {p.name for p in own}
        more = [f for f in given(type_name) if f.name not in names and f.name not in but]
        keywords = [
            inspect.Parameter(
                f.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None if f.name in free else default_of(f),
                annotation=annotation(f, many),
            )
            for f in more
        ]
        setattr(function, "__signature__", signature.replace(parameters=[*own, *keywords]))
        if "lora_rank" in {f.name for f in more}:
            lora = inspect.Parameter("lora", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Adapters")
            setattr(function, "__signature__", signature.replace(parameters=[*own, *keywords, lora]))
        function.__doc__ = _documented(function.__doc__ or "", more, many, free)
        return function

    return decorate


def _documented(doc: str, more: list[Field], many: bool, free: tuple[str, ...]) -> str:
    head = inspect.cleandoc(doc)
    title = "Options of the run, each one value or a list of them:" if many else "Options of the run:"
    known = {f.name: f.otherwise and not f.asked and f"default {f.otherwise}" for f in more}
    known |= dict.fromkeys(free, "tried")
    lines = [f"    {f.name}: {f.question}{f' ({known[f.name]})' if known[f.name] else ''}." for f in more]
    if "lora_rank" in known:
        lines.append(
            "    lora: adapters in one: a text such as 'rank=16,targets=q+v,layers=24-31,dora', a rank, or its words "
            "by name, dict(rank=16, targets=['q_proj', 'v_proj'])."
        )
    wrapped = [textwrap.fill(line, 110, subsequent_indent="        ") for line in lines]
    return "\n".join([head, "", title, *wrapped]) + "\n"
