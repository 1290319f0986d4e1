"""Python without memory: one allocation of the interpreter after the other fails, and the answer is right or says
so."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("_testcapi", reason="this Python cannot fail its own allocations")

TRIED = r"""
import sys, _testcapi, perfmodel as pm

WORKS = {
    "predict": lambda: pm.predict("resnet18", "dgx1-v100", gpus=8).throughput,
    "sweep": lambda: pm.sweep("resnet18", "dgx1-v100", gpus=[1, 2], batch=[8, 16]).to_csv(),
    "tables": lambda: str(pm.list("links")),
    "collective": lambda: pm.collective("dgx1-v100", "all_reduce", bytes=[8, 1e6], gpus=8)["time"].tolist(),
    "network": lambda: pm.network("alexnet").layers()["mac"].tolist(),
}
# Wrappers that SWIG generates, in some of its releases, go on after a MemoryError: another error, and no answer.
OF_WRAPPERS = {SystemError: "exception set", TypeError: "in method"}

def is_of_wrapper(error):
    return OF_WRAPPERS.get(type(error), "\0") in str(error)

what = WORKS[sys.argv[1]]
what()
normal = what()
for which in range(1200):
    wrong = None
    _testcapi.set_nomemory(which, which + 1)
    try:
        answer = what()
    except (MemoryError, pm.Error) as error:
        _testcapi.remove_mem_hooks()
    except BaseException as error:
        _testcapi.remove_mem_hooks()
        if not is_of_wrapper(error):
            print(f"allocation {which}: {type(error).__name__}: {error}", file=sys.stderr)
    else:
        _testcapi.remove_mem_hooks()
        if answer != normal:
            print(f"allocation {which}: another answer", file=sys.stderr)
"""


@pytest.mark.parametrize("work", ["predict", "sweep", "tables", "collective", "network"])
def test_every_allocation_fails(work: str) -> None:
    done = subprocess.run([sys.executable, "-c", TRIED, work], capture_output=True, text=True, timeout=3600)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-2000:]}"
    found = [line for line in done.stderr.splitlines() if line.startswith("allocation")]
    assert not found, "\n".join(found[:20])
