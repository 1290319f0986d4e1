"""Comparisons: the difference between the times of two runs, part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _core
from ._draw import steps, title
from ._errors import ArgumentError
from ._inputs import Numbers
from ._keywords import takes
from ._plan import FrameworkList, Networks, Systems
from ._reported import ReportedTable
from ._run import Input
from ._hardware import HardwareAxes
from ._sweep import Sweep, sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

    from ._options import AnyRunAxes


class Comparison(ReportedTable):
    """The parts of a step, call or pass on the way from the first run to the second: rows have the fields of
    `perfmodel.fields("comparison")`. `runs` has both with their predictions."""

    def __init__(self, runs: Sweep):
        if len(runs) != 2:
            raise ArgumentError(f"a comparison takes two runs, but there are {len(runs)}; sweep takes any number")
        self.runs = runs
        super().__init__(_core.report_table(self._report(), "waterfall"))

    def _report(self) -> _core.report:
        plan = self.runs.plan
        with plan._lock:
            return _core.comparison_report(plan._study, self.runs.runs, self.runs.predictions, *self.runs._given)

    def _picture(self, ax: Axes | None) -> Axes:
        """From the time of the first run to that of the second, part by part."""
        reached, change, last = self["reached"], self["difference"].copy(), len(self) - 1
        starts = np.append(0.0, reached[:-1])
        starts[last], change[0], change[last] = 0.0, reached[0], reached[last]
        ax = steps(ax, list(self["part"]), starts, change, "s", "time", whole={0, last})
        names = [f"{kind}: {text}" for kind, text, _, _ in self._block("comparison")[:2]]
        title(ax, "What makes the difference between two runs?", "\n".join([self._of(), *names]))
        return ax

    @property
    def ratio(self) -> float:
        """Speed of the second run relative to the first."""
        first, second = self.runs["throughput"]
        return float(second / first)


@takes("run", many=True)
def compare(
    networks: Networks,
    systems: Systems,
    *,
    task: str = "training",
    framework: FrameworkList = None,
    global_batch: Numbers = None,
    input: Input = None,
    axes: HardwareAxes | None = None,
    **run: Unpack[AnyRunAxes],
) -> Comparison:
    """Explains the difference between two runs: two networks, two systems, or two values of one option.

    The parts of the time (kernels, host, exposed communication, bubbles, waiting) add up exactly from the first to the
    second; the report says whether the prediction intervals overlap. The arguments are those of `perfmodel.sweep`.

    >>> found = compare("resnet50", ["dgx1-v100", "dgx-a100"], precision="fp16", batch=128)
    >>> float(found["reached"][-1]) == found.runs[1].step_time, found.ratio > 1
    (True, True)
    """
    return Comparison(sweep(networks, systems, task=task, framework=framework, global_batch=global_batch, input=input,
                            axes=axes, **run))


__all__ = ["Comparison", "compare"]
