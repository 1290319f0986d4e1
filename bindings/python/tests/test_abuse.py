"""Every callable of the package with arguments of every kind: its own exceptions or Python's for wrong calls, no
others; no crash, no hang, no memory that grows."""

from __future__ import annotations

import inspect
import resource
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import perfmodel as pm

TRIED = r"""
import inspect, os, sys, warnings
warnings.simplefilter("ignore")
os.chdir(sys.argv[1])
import perfmodel as pm
sys.stdout = open(os.devnull, "w")
BAD = [None, True, -1, 2**63, 1.5, float("nan"), float("inf"), "", "x" * 100000, "\0", "\ud800", b"x",
       [], [None], {}, {"a": object()}, object(), int, ()]
ALLOWED = (pm.Error, TypeError, ValueError, KeyError, IndexError, LookupError, OSError, ImportError,
           NotImplementedError, OverflowError)
calls = 0

def attempt(name, function, *args, **values):
    global calls
    calls += 1
    try:
        made = function(*args, **values)
        if not isinstance(function, type):  # a record of anything may be of anything
            repr(made)
    except ALLOWED:
        pass
    except BaseException as error:
        print(f"{name}{tuple(repr(a)[:30] for a in args)}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)

def methods(name, thing):
    for method in dir(thing):
        if method.startswith("_") or method in sys.argv[2].split(","):
            continue
        function = getattr(thing, method, None)
        if not callable(function) or isinstance(function, type):
            continue
        attempt(f"{name}.{method}", function)
        for bad in BAD:
            attempt(f"{name}.{method}", function, bad)
            attempt(f"{name}.{method}", function, bad, bad)

for name in sorted(pm.__all__):
    function = getattr(pm, name)
    if not callable(function) or name == "calibrate":  # without a wrong set it takes its time
        continue
    attempt(name, function)
    for bad in BAD:
        for count in (1, 2, 3):
            attempt(name, function, *[bad] * count)
        attempt(name, function, "resnet18", bad)
        attempt(name, function, bad, "dgx1-v100")
        for keyword in ("batch", "gpus", "precision", "framework", "nodes"):
            attempt(name, function, "resnet18", "dgx1-v100", **{keyword: bad})
for bad in BAD:
    attempt("calibrate", pm.calibrate, "" if bad is None else bad, architectures=bad)
plan = pm.Plan("resnet18", "dgx1-v100")
things = {"network": pm.network("alexnet"), "system": pm.system("dgx1-v100"), "catalog": pm.Catalog(), "plan": plan,
          "table": pm.network("alexnet").layers(), "prediction": pm.predict("resnet18", "dgx1-v100"),
          "framework": pm.framework("generic")}
for name, thing in things.items():
    methods(name, thing)
print(calls, file=sys.__stdout__)
"""


def test_no_call_does_harm(tmp_path) -> None:  # type: ignore[no-untyped-def]
    slow = "to_pandas,to_arrow"  # of other packages
    done = subprocess.run([sys.executable, "-c", TRIED, str(tmp_path), slow], capture_output=True, text=True,
                          timeout=3600)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-2000:]}"
    assert done.stderr == ""
    assert int(done.stdout) > 3000


def growth(do) -> int:  # type: ignore[no-untyped-def]
    """KiB that the process grows by in ten thousand calls, after as many as it takes to fill what is kept."""
    for _ in range(500):
        do()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(10_000):
        do()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before


def wrong_name() -> None:
    with pytest.raises(pm.NotFoundError):
        pm.network("no such network")


def wrong_shape() -> None:
    net = pm.Network("x")
    net.input(3)
    with pytest.raises(pm.Error):
        net.add("conv2d", out_channels=1, kernel=3)


def wrong_run() -> None:
    with pytest.raises(pm.TooManyGpusError):
        pm.predict("alexnet", "dgx1-v100", gpus=9)


@pytest.mark.parametrize("do", [wrong_name, wrong_shape, wrong_run])
def test_errors_leave_nothing_behind(do) -> None:  # type: ignore[no-untyped-def]
    assert growth(do) < 2048


def test_every_public_callable_is_known() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert all(hasattr(pm, name) for name in pm.__all__)
    assert inspect.ismodule(pm)


VALUES = {"huge": 10**400, "half": "\ud800", "long": "x" * 10_000_000, "many": range(10**12)}
GIVEN = {"networks": ["gpt2"], "system": "dgx-a100", "systems": ["dgx-a100"], "gpu": "v100", "field": "step_time",
         "name": "all_reduce", "path": "/nonexistent", "file": "/nonexistent"}  # fmt: skip
NOT_SAID = (SystemError, RecursionError, MemoryError, OverflowError, UnicodeError, AttributeError, AssertionError)


def arguments_of(function: Any, parameter: str, value: object) -> tuple[list[Any], dict[str, Any]]:
    words: dict[str, Any] = {}
    at: list[Any] = []
    for p in inspect.signature(function).parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        needed = p.default is p.empty
        given = value if p.name == parameter else GIVEN.get(p.name, "gpt2")
        if p.kind == p.POSITIONAL_ONLY and (needed or p.name == parameter):
            at.append(given)
        elif needed or p.name == parameter:
            words[p.name] = given
    return at, words


def functions() -> list[str]:
    """Without those that work for minutes when they are given anything, and readers of what is no text."""
    every = [name for name in dir(pm) if name[0] != "_" and inspect.isfunction(getattr(pm, name))]
    return sorted(set(every) - {"calibrate", "calibrate_all", "from_keras", "from_onnx"})


@pytest.mark.parametrize("kind", VALUES)
def test_values_that_nobody_means_are_said_in_short(kind: str) -> None:
    for name in functions():
        function = getattr(pm, name)
        for p in inspect.signature(function).parameters.values():
            if p.name in ("ax", "axis_of", "progress"):  # of matplotlib, and calls
                continue
            at, words = arguments_of(function, p.name, VALUES[kind])
            try:
                function(*at, **words)
            except NOT_SAID as error:
                raise AssertionError(f"{name}({p.name}={kind}): {error!r:.300}") from None
            except Exception as error:  # noqa: BLE001 (whichever it is, it is short)
                said = str(error)
                assert len(said) < 3000, (name, p.name, len(said))
                assert not set(said) & {"\x9b", "\u202e"}, (name, p.name)


TAKEN_FOR_NUMBERS = b"8", bytearray(b"8"), memoryview(b"8"), np.bytes_(b"8"), np.array([b"8"])


@pytest.mark.parametrize("value", TAKEN_FOR_NUMBERS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("call", [
    lambda value: pm.sweep("gpt2", "dgx-a100", batch=value),
    lambda value: pm.collective("dgx1-v100", "all_reduce", value),
    lambda value: pm.memory("gpt2", "v100", batch=value),
    lambda value: pm.gemm(value, 8, 8, gpu="v100"),
    lambda value: pm.network("gpt2", seq=value),
    lambda value: pm.Network("own").input(value),
])  # fmt: skip
def test_bytes_are_no_numbers(call: Any, value: object) -> None:
    with pytest.raises(TypeError):
        call(value)


def test_text_is_no_size() -> None:
    with pytest.raises(TypeError, match="m must be a number or several, not str"):
        pm.gemm("8", 8, 8, gpu="v100")


@pytest.mark.parametrize(("value", "why"), [(range(10**12), "more than 1000"), (10**5000, "out of range"),
                                            ("\ud800", "surrogate")],
                         ids=["long", "huge", "half"])  # fmt: skip
def test_attributes_that_nobody_means_are_refused_at_once(value: Any, why: str) -> None:
    with pytest.raises(pm.ArgumentError, match=why):
        pm.network("gpt2", seq=value)
