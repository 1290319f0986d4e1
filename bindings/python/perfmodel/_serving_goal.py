"""Sizing of serving: GPUs and layouts for a rate within limits of latency, what a million tokens cost, the front."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex, Union

from . import _core, _record, _records
from ._catalog import default
from ._errors import ArgumentError
from ._excel import Item
from ._front import of_served
from ._inputs import Doubles, Numbers, Quantity, Wholes, currency_of, doubles, quantity, text, whole
from ._keywords import takes, value_of
from ._network import Network
from ._plan import Plan, Systems
from ._record import Records
from ._reported import ReportedTable, run_items
from ._serving import with_short
from ._study import Given

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

    from ._options import ServingRunAxes

HourPrices = Union[Mapping[str, Quantity], Quantity, None]


class _Question(NamedTuple):
    """What the core is asked, more than once."""

    plan: Plan
    goal: Records
    runs: Records
    prices: Doubles
    given: Given
    currency: str

    def ask(self, function: Callable[..., Any], *more: str) -> Any:
        plan, *others, given, _ = self
        with plan._lock:
            return function(plan._study, *others, *given, *more)


class Served(ReportedTable):
    """Layouts within limits, best first; rows have the fields of `perfmodel.fields("serving_choice")`, and what was
    assumed.

    >>> rows = size_serving("llama3-8b", "hgx-h100", rate=20)
    >>> rows["assumed"][0]
    'bf16, ISL 1024, OSL 256, vllm-0.21, TTFT 2 s, TPOT 200 ms, p99'
    >>> rows.explain().split("\\n")[0]
    'Serving Llama 3 8B: 20 requests/s, ISL 1024, OSL 256'
    """

    def __init__(self, question: _Question, table: _core.table):
        self._question = question
        super().__init__(table)

    def _inputs(self) -> list[Item]:
        runs = _record.read(_records.ServingRun, "serving_run", bytearray(self._question.runs[:1].tobytes()))
        goal = _record.read(_records.ServingGoal, "serving_goal", bytearray(self._question.goal.tobytes()))
        return [*run_items(goal), *run_items(runs)]

    def _picture(self, ax: Axes | None) -> Axes:
        """Tokens/s of a GPU over those of a user for every row, each system in its colour."""
        return of_served(self, f"{self._block('setting')[0][1]}\n{self['assumed'][0]}", ax)

    def _report(self) -> _core.report:
        report: _core.report = self._question.ask(_core.serving_goal_report, self._question.currency)
        return report


@takes("serving_run", many=True, but=("gpus", "nodes", "concurrency", "arrivals"))
def size_serving(
    network: Network | str,
    systems: Systems,
    *,
    ttft: Quantity | None = None,
    tpot: Quantity | None = None,
    engine: str | Iterable[str] | None = None,
    gpu_hour_prices: HourPrices = None,
    layouts: str = "tensor",
    front: bool = False,
    top: SupportsIndex = 0,
    max_gpus: SupportsIndex = 32,
    max_workers: SupportsIndex = 8,
    minimize: str = "nodes",
    tp: Wholes = None,
    pp: Wholes = None,
    ep: Wholes = None,
    **run: Unpack[ServingRunAxes],
) -> Served:
    """GPUs and layouts that answer `rate` requests per second within limits, least cost or fewest GPUs first.

    Rows have the fields of `perfmodel.fields("serving_choice")`. Limits apply to the `percentile` of the run. Without a
    rate, one replica answers as much as it can, and rows are sorted by tokens/s/GPU; with a `power_budget` there are as
    many replicas as it feeds, by design power.

    Args:
        ttft: longest time to first token ("1 s"; `math.inf`: any); by default 2 s, and 1 ms for each token of a prompt
            beyond 2,048.
        tpot: longest time per output token ("50 ms"; `math.inf`: any); by default 200 ms.
        engine: "vllm", "sglang-0.5", ..., or several; by default vLLM, the newest.
        gpu_hour_prices: price of a GPU for an hour, by system or one for all, in your own currency.
        layouts: "tensor" tries every degree of tensor parallelism; "all" every layout, pools that only read prompts and
            FP8 included; "given" that of the run. What is given as an option is not varied.
        front: rows are the front of tokens/s/GPU over tokens/s/user, at any load within the limits.
        top: so many of the best rows; 0 is all.
        max_gpus: most GPUs of a replica or of a pair of pools.
        max_workers: most workers of a pair of pools; 1: no pools.
        minimize: what is to be least: "nodes" (cost where there are prices, else GPUs that are paid for), "cost",
            "power" (by design), or of the predicted draw "energy", "carbon" or "energy-cost" for an output token.
        tp: another name of `tensor_parallel`.
        pp: another name of `pipeline_parallel`.
        ep: another name of `expert_parallel`.

    Raises:
        UnreachableError if every layout was tried and none is within the limits; NotFoundError, ArgumentError.

    >>> rows = size_serving("llama3-8b", "hgx-h100", rate=20, ttft="1 s", tpot="50 ms", percentile=95)
    >>> int(rows["gpus"][0]) <= 8
    True
    """
    goal = _records.ServingGoal(
        ttft=_limit(ttft, "ttft"), tpot=_limit(tpot, "tpot"), layouts=text(layouts, "layouts"), front=bool(front),
        top=whole(top, "top"), max_gpus=whole(max_gpus, "max_gpus"), max_workers=whole(max_workers, "max_workers"),
        minimize=text(minimize, "minimize"),
    )  # fmt: skip
    value_of("serving_goal", "layouts", layouts)
    value_of("serving_goal", "minimize", minimize)
    keywords = with_short("size_serving", dict(run), tp=tp, pp=pp, ep=ep)
    plan = Plan(network, systems, engine, "serving")
    runs, given = plan._complete(keywords)
    prices = doubles(_price(gpu_hour_prices, plan._system_ids[i]) for i in runs["system_index"])
    question = _Question(plan, _record.write("serving_goal", goal), runs, prices, given, currency_of(gpu_hour_prices))
    return Served(question, question.ask(_core.serving_goal_table))


def _limit(value: Quantity | None, name: str) -> float:
    return nan if value is None else quantity(value, "s", name)


def _price(prices: HourPrices, system: str) -> float:
    """Of one system; names that are none raise."""
    if prices is None:
        return nan
    if not isinstance(prices, Mapping):
        return _positive(prices)
    for name, value in prices.items():
        if name == system or (not name.startswith("gpu:") and default().system(name).id == system):
            return _positive(value)
    return nan


def _positive(value: Quantity) -> float:
    price = quantity(value, "currency/h", "price")
    if not 0 < price < float("inf"):
        raise ArgumentError(f"price {price:g} is not positive")
    return price
