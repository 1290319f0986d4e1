"""Every callable of the package with arguments of every kind: its own exceptions or Python's for wrong calls, no
others; no crash, no hang, no memory that grows."""

from __future__ import annotations

import inspect
import resource
import subprocess
import sys
import warnings

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
