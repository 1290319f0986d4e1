"""How many training steps of ResNet-50 Python predicts per second on one core.

    python benchmarks/bench_predict.py

    pm.predict                names are looked up, a Prediction object with every field
    Plan.predict, one run     one run per call
    Plan.predict, distinct    one call for many runs, each with a batch size of its own
    Plan.predict, grid        one call for many runs that differ only in the machine: system, GPUs, overlap
    pm.sweep                  rows of a sweep, its plan and runs included

A row is the best of five stretches of at least 0.2 s of processor time; compare.py compares two builds.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import perfmodel as pm

RUNS = 4096
SYSTEMS = ["dgx1-p100", "dgx1-v100"]
FRAMEWORK = "pt-nchw"
REPEATS = 5


def batch_runs(plan: pm.Plan) -> np.ndarray:
    """8 GPUs, a batch size of its own for each run."""
    return plan.runs(gpus=8, batch=range(1, RUNS // len(SYSTEMS) + 1), precision="fp16", ignore_memory=True)


def machine_runs(plan: pm.Plan) -> np.ndarray:
    """One batch size, every machine."""
    grids = [plan.runs(gpus=range(1, 9), batch=64, precision="fp16", overlap=how) for how in ("none", "backward")]
    return np.resize(np.concatenate(grids), RUNS)


def one() -> None:
    pm.predict("resnet50", "dgx1-v100", framework=FRAMEWORK, gpus=8, batch=64, precision="fp16")


def sweep() -> None:
    axes = {"gpus": range(1, 9), "batch": range(1, RUNS // 16 + 1), "precision": "fp16"}
    assert len(pm.sweep("resnet50", SYSTEMS, framework=FRAMEWORK, **axes)) == RUNS


def rate(work: Callable[[], object], evaluations: int) -> float:
    """Evaluations per second, the best of REPEATS."""
    best = 0.0
    for _ in range(REPEATS):
        start, done, seconds = time.process_time(), 0, 0.0
        while seconds < 0.2:
            work()
            done += evaluations
            seconds = time.process_time() - start
        best = max(best, done / seconds)
    return best


def main() -> None:
    plan = pm.Plan("resnet50", SYSTEMS, FRAMEWORK)
    batches, machines = batch_runs(plan), machine_runs(plan)
    single, out = batches[:1], np.empty(RUNS, dtype=pm.dtype("prediction"))
    assert (plan.predict(batches)["status"] == 0).all() and (plan.predict(machines)["status"] == 0).all()
    rows = {
        "pm.predict": rate(one, 1),
        "Plan.predict, one run": rate(lambda: plan.predict(single, out=out[:1]), 1),
        "Plan.predict, distinct": rate(lambda: plan.predict(batches, out=out), RUNS),
        "Plan.predict, grid": rate(lambda: plan.predict(machines, out=out), RUNS),
        "pm.sweep": rate(sweep, RUNS),
    }
    for name, per_second in rows.items():
        print(f"{name:<28}  {per_second:>12.0f}")


if __name__ == "__main__":
    main()
