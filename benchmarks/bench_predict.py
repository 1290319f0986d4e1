"""How many full ResNet-50 training steps per second the model evaluates from Python, on one core.

    python benchmarks/bench_predict.py

Four ways to ask for the same kind of answer:
    predict      perfmodel.predict: names checked, a Prediction object with every field
    scalar       Plan.predict, one run per call
    batch        Plan.predict, many runs per call, every run with a batch size of its own
    batch grid   Plan.predict, many runs that differ only in the machine: system, GPUs, overlap

Each row is the best of five stretches of at least 0.2 s.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import perfmodel as pm

RUNS = 4096
SYSTEMS = ["dgx1-p100", "dgx1-v100"]
REPEATS = 5


def batch_runs(plan: pm.Plan) -> np.ndarray:
    """8 GPUs, a batch size of its own for each run."""
    return plan.runs(gpus=8, batch=range(1, RUNS // len(SYSTEMS) + 1), precision="fp16")


def machine_runs(plan: pm.Plan) -> np.ndarray:
    """One batch size, every machine."""
    grids = [plan.runs(gpus=range(1, 9), batch=64, precision="fp16", overlap=how) for how in ("none", "backward")]
    return np.resize(np.concatenate(grids), RUNS)


def rate(work: Callable[[], object], evaluations: int) -> float:
    """Evaluations per second, the best of REPEATS."""
    best = 0.0
    for _ in range(REPEATS):
        start, done, seconds = time.perf_counter(), 0, 0.0
        while seconds < 0.2:
            work()
            done += evaluations
            seconds = time.perf_counter() - start
        best = max(best, done / seconds)
    return best


def main() -> None:
    net, node = pm.network("resnet50"), pm.system("dgx1-v100")
    plan = pm.Plan(net, SYSTEMS)
    batches, machines = batch_runs(plan), machine_runs(plan)
    one, out = batches[:1], np.empty(RUNS, dtype=pm.dtype("prediction"))
    rows = {
        "predict": rate(lambda: pm.predict(net, node, gpus=8, batch=64, precision="fp16"), 1),
        "scalar": rate(lambda: plan.predict(one, out=out[:1]), 1),
        "batch": rate(lambda: plan.predict(batches, out=out), RUNS),
        "batch grid": rate(lambda: plan.predict(machines, out=out), RUNS),
    }
    assert (plan.predict(batches)["status"] == 0).all() and (plan.predict(machines)["status"] == 0).all()
    print(f"{'resnet50':<12}  {'evaluations/s':>16}  {'ns each':>12}")
    for name, per_second in rows.items():
        print(f"{name:<12}  {per_second:>16.0f}  {1e9 / per_second:>12.1f}")


if __name__ == "__main__":
    main()
