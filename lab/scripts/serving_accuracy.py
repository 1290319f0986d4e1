"""The table of docs/serving.md on errors: published rows by GPU, engine and kind of model."""
import collections
import functools

import numpy as np
import page_parts
import perfmodel as pm

COLUMNS = {("tpot", "closed"): "time per token", ("ttft", "closed"): "first token",
           ("request_rate", "closed"): "request rate", ("tpot", "disaggregated"): "disaggregated time per token",
           ("latency", "static"): "static batch", ("output_rate", "offline"): "largest throughput"}
MEDIAN = "first token"


@functools.cache
def kind(network):
    """Groups name the first letters of a network."""
    name = next((name for name in pm.list("networks")["id"] if name.startswith(network)), None)
    return "experts" if name and "mixture_of_experts" in set(pm.network(name).layers()["kind"]) else "dense"


def rows():
    """Of each published row: GPU, engine, kind of model, column, error and whether its interval holds it (per cent)."""
    table = pm.validate("serving", rows=True)
    for group, error, covered in zip(table["group"], table["error"], table["covered"]):
        quantity, arrivals, engine, gpu, network = group.split()
        column = COLUMNS.get((quantity, arrivals))
        if column and error == error:
            yield (gpu, engine, kind(network)), column, error, covered


def errors():
    """Of each GPU, engine and kind, the errors by column."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for group, column, error, _ in rows():
        found[group][column].append(abs(error))
    return found


def shares():
    """Of each engine and kind, by column: per cent of the rows within their intervals, and rows."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for (_, engine, models), column, _, covered in rows():
        if covered == covered:
            found[engine, models][column].append(covered)
    return found


def share(values):
    """Beside 80 %, and twice the deviation of so many rows, it is a miss."""
    if not values:
        return ""
    off = abs(np.mean(values) - 80) > max(8, 80 / len(values) ** 0.5)
    return f"{np.mean(values):.0f} %{' !' if off else ''} ({len(values)})"


def coverage():
    names = list(COLUMNS.values())
    yield f"| engine | models | {' | '.join(names)} |"
    yield f"|---|---|{'--:|' * len(names)}"
    for (engine, models), found in sorted(shares().items()):
        yield f"| {engine} | {models} | {' | '.join(share(found[name]) for name in names)} |"


def cell(column, values):
    if not values:
        return ""
    return f"{np.median(values) if column == MEDIAN else np.mean(values):.0f} %"


def lines():
    names = list(COLUMNS.values())
    yield f"| GPU | engine | models | {' | '.join(names)} | rows |"
    yield f"|---|---|---|{'--:|' * (len(names) + 1)}"
    for (gpu, engine, models), found in sorted(errors().items()):
        cells = " | ".join(cell(name, found[name]) for name in names)
        yield f"| {gpu} | {engine} | {models} | {cells} | {sum(map(len, found.values()))} |"


def scenarios():
    """MLPerf's rows by GPU and engine, and of all, by scenario: the mean error and how many."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    table = pm.validate("serving", rows=True)
    for group, error in zip(table["group"], table["error"]):
        _, arrivals, engine, gpu, _ = group.split()
        if arrivals.startswith("mlperf-") and error == error:
            for key in (gpu, engine), ("all", ""):
                found[key][arrivals.removeprefix("mlperf-")].append(abs(error))
    return found


def mlperf():
    names = ("offline", "server", "interactive")
    yield f"| GPU | engine | {' | '.join(names)} |"
    yield f"|---|---|{'--:|' * len(names)}"
    for (gpu, engine), found in sorted(scenarios().items(), key=lambda item: (item[0][0] == "all", item[0])):
        cells = (f"{np.mean(found[name]):.1f} % ({len(found[name])})" if found[name] else "" for name in names)
        yield f"| {gpu} | {engine} | {' | '.join(cells)} |"


def write(command, check):
    del command
    parts = {"errors": "\n".join(lines()), "coverage": "\n".join(coverage()), "mlperf": "\n".join(mlperf())}
    page_parts.update(page_parts.ROOT / "docs" / "serving.md", parts, check)
