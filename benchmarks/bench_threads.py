"""How much faster threads of Python are than one: the interpreter's lock is released while the library computes.

    python benchmarks/bench_threads.py [THREADS]    4 unless told

The same work, split into as many calls, by one thread after the other and by all at once; the best of several rounds
that take turns, so that whatever else the machine does meets both. Two cores give 2 at most, and less where other
processes have part of them: how many cores were busy with it is printed beside. Fails if the smaller figure is below
1.7.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import floor

import numpy as np

import perfmodel as pm

ROUNDS = 12
WANTED = 1.7


def evaluation() -> Callable[[], object]:
    """A grid of runs of one plan."""
    plan = pm.Plan(pm.network("resnet50"), ["dgx1-p100", "dgx1-v100"])
    runs = np.tile(plan.runs(gpus=8, batch=range(1, 2049), precision="fp16"), 8)
    return lambda: plan.predict(runs, out=np.empty(len(runs), dtype=pm.dtype("prediction")))


def planning() -> Callable[[], object]:
    """Plans of a large network."""
    net, system = pm.network("gpt3-175b"), pm.system("dgx-a100")
    return lambda: [pm.Plan(net, system).runs() for _ in range(20)]


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and of processors."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - processor


def main() -> int:
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    cores = len(os.sched_getaffinity(0))
    worst = float("inf")
    print(f"{threads} threads, {cores} cores")
    with ThreadPoolExecutor(threads) as pool:
        for name, make in (("evaluation", evaluation), ("planning", planning)):
            calls = [make() for _ in range(threads)]
            rounds = [
                (timed(lambda: [call() for call in calls]), timed(lambda: list(pool.map(lambda call: call(), calls))))
                for _ in range(ROUNDS)
            ]
            (one, _), (all_at_once, busy) = min(one for one, _ in rounds), min(together for _, together in rounds)
            worst = min(worst, one / all_at_once)
            print(f"{name}: {one / all_at_once:.2f} times as fast; {busy / all_at_once:.2f} cores were busy")
    print(f"{floor(100 * worst) / 100:.2f} times, the smaller")
    return int(worst < WANTED)


if __name__ == "__main__":
    sys.exit(main())
