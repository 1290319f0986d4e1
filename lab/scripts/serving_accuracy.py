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


def errors():
    """Of each GPU, engine and kind, the errors by column."""
    table = pm.validate("serving", rows=True)
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for group, error in zip(table["group"], table["error"]):
        quantity, arrivals, engine, gpu, network = group.split()
        column = COLUMNS.get((quantity, arrivals))
        if column and error == error:
            found[gpu, engine, kind(network)][column].append(abs(error))
    return found


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


def write(command, check):
    del command
    page_parts.update(page_parts.ROOT / "docs" / "serving.md", {"errors": "\n".join(lines())}, check)
