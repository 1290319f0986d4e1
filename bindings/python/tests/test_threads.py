"""Threads that build, predict, print, pickle and free the same objects never crash the process."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import perfmodel as pm
import pytest

MIXES = 100
PRELUDE = """
    import copy, gc, pickle, random, sys, threading
    import perfmodel as pm

    def network():
        net = pm.Network("own")
        net.input(3, 32, 32)
        net.add("relu")
        return net

    def swallow(call):
        try:
            call()
        except pm.Error:
            pass
"""


def run(program: str, *arguments: object) -> None:
    """A process that must end by itself."""
    text = textwrap.dedent(PRELUDE) + textwrap.dedent(program)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", text, *map(str, arguments)],
                          capture_output=True, text=True, timeout=600)  # fmt: skip
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr[-2000:]}"


USES = ["pm.predict(net, 'dgx1-v100')", "net.flop", "net.layers()", "net.to_xml()", "repr(net)", "pickle.dumps(net)",
        "pm.memory(net, 'v100')", "net.kinds()", "net.tree()", "net.times('t4')", "copy.deepcopy(net)"]  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_layers_are_added_while_others_use_the_network(use: str) -> None:
    run("""
        net, done = network(), False
        def work():
            while not done: swallow(lambda: eval(sys.argv[1]))
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads: thread.start()
        for _ in range(600): net.add("relu")
        done = True
        for thread in threads: thread.join()
    """, use)  # fmt: skip


def test_mixes_in_threads() -> None:
    run("""
        shared, held = network(), []
        def step(draw):
            what = draw.randrange(8)
            if what == 0: shared.add("relu")
            elif what == 1: held.append(network())
            elif what == 2: swallow(lambda: pm.predict(shared, "dgx1-v100", gpus=draw.choice([1, 2, 4])))
            elif what == 3: pickle.loads(pickle.dumps(shared))
            elif what == 4: str(shared), repr(shared), shared.layers()
            elif what == 5: held.append(pm.Plan(shared, "dgx1-v100"))
            elif what == 6: held.clear()
            elif held:
                swallow(lambda: pm.predict(draw.choice(list(held) or [shared]), "dgx1-v100"))
        def mix(seed):
            draw = random.Random(seed)
            for _ in range(6):
                try: step(draw)
                except (TypeError, ValueError, IndexError): pass  # a plan is no network
        for seed in range(int(sys.argv[1])):
            threads = [threading.Thread(target=mix, args=(4 * seed + k,)) for k in range(4)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
    """, MIXES)  # fmt: skip


def test_a_plan_keeps_the_network_as_it_was() -> None:
    net = pm.Network("own")
    net.input(3, 32, 32)
    net.add("conv2d", out_channels=8, kernel=3)
    plan = pm.Plan(net, "dgx1-v100")
    before = plan.predict(plan.runs(gpus=1))
    net.add("conv2d", out_channels=512, kernel=3)
    assert (plan.predict(plan.runs(gpus=1))["step_time"] == before["step_time"]).all()
    assert pm.predict(net, "dgx1-v100", gpus=1).step_time > before["step_time"][0]
