"""Serving: what requests see of a language model that is served, and how many fit at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, SupportsIndex

from . import _core, _record, _records
from ._errors import ArgumentError
from ._inputs import Quantity, currency_of
from ._keywords import check, takes
from ._network import Network
from ._plan import Plan, Target, plan_of
from ._reported import Predicted
from ._study import Given
from ._table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import ServingRunOptions


@dataclass(frozen=True, eq=False, repr=False)
class Serving(Predicted, _records.Serving):
    """What is predicted of requests to a language model; SI units.

    >>> p = serve("llama3-8b", "hgx-h100", tp=1, gpus=1, isl=1024, osl=128, concurrency=8)
    >>> p.status, p.ttft < 1, p.tpot < 0.05
    ('ok', True, True)
    """

    _parts = ("time", "Where does the time of a decoding pass go?")

    network: str = ""
    """Id of the network."""
    system: str = ""
    """Id of the system, or of the GPU."""
    engine: str = ""
    """Id of the engine."""
    run: _records.ServingRun = field(default_factory=_records.ServingRun)
    """What was predicted: the whole run."""
    _plan: Plan | None = field(default=None, repr=False, compare=False)
    _given: Given | None = field(default=None, repr=False, compare=False)
    _currency: str = field(default="", repr=False, compare=False)

    @cached_property
    def assumed(self) -> str:
        """Defaults that were assumed; "" if none were."""
        if self._plan is None or self._given is None:
            return ""
        return self._plan._assumed_of(_record.write("serving_run", self.run), self._given)[0]

    def _numbers(self) -> list[tuple[str, Table]]:
        if self._plan is None or self._given is None:
            return []
        run, answer = _record.write("serving_run", self.run), _record.write("serving", self)
        return [("numbers", Table(_core.study_table(self._plan._study, run, answer, *self._given, [])))]

    def _report(self, field: str = "") -> _core.report | None:
        if self._plan is None:
            return None
        return self._plan._report_of(self.run, self._given, field, currency=self._currency)


def with_short(function: str, run: dict[str, Any], **short: Any) -> dict[str, Any]:
    """The options of a run with those that have a shorter name."""
    names = {"tp": "tensor_parallel", "pp": "pipeline_parallel", "ep": "expert_parallel", "usable": "usable_memory"}
    for name, value in short.items():
        if value is None:
            continue
        if run.get(names[name]) is not None:
            raise ArgumentError(f"{name} and {names[name]} are both given; give one")
        run[names[name]] = value
    return check("serving_run", run, function)


@takes("serving_run")
def serve(
    network: Network | str,
    system: Target,
    *,
    engine: str | None = None,
    tp: SupportsIndex | None = None,
    pp: SupportsIndex | None = None,
    ep: SupportsIndex | None = None,
    usable: Quantity | None = None,
    **run: Unpack[ServingRunOptions],
) -> Serving:
    """Predicts what requests see of a language model on a GPU or a system (objects, or names of the catalogue).

    Args:
        engine: "vllm", "sglang-0.5", ..., see `perfmodel.list("engines")`; by default vLLM, the newest.
        tp: another name of `tensor_parallel`.
        pp: another name of `pipeline_parallel`.
        ep: another name of `expert_parallel`.
        usable: another name of `usable_memory`.

    With a `rate`, requests come whatever happens to those before; else `concurrency` clients wait for their answers.

    Raises:
        NotFoundError for an unknown name, PrecisionError, TooManyGpusError, ArgumentError; DoesNotFitError where
        weights and one request need more memory than the GPUs have; NotModelledError for a network that is no language
        model.
    """
    keywords = with_short("serve", dict(run), tp=tp, pp=pp, ep=ep, usable=usable)
    plan = plan_of(network, system, engine, "serving")
    whole, (at, on, by), result = plan._ask(keywords)
    members = _record.values("serving", result)
    members["network"], members["system"] = plan._network_id(at), plan._system_ids[on]
    members["engine"] = plan._software_id(by, on)
    members["run"] = _record.made(_records.ServingRun, _record.values("serving_run", whole))
    members["_plan"], members["_given"] = plan, (list(keywords), 0.0)
    members["_currency"] = currency_of(run.get("gpu_hour_price"))
    return _record.made(Serving, members)
