#!/usr/bin/env python3
"""Published training of large models against its gates: large_models.py PERFMODEL rows.

Means of the absolute errors of step times and of memory by source, and the order of plans: rows of the same model, GPUs
and batch that differ in their plan alone, by Spearman's rank correlation and by regret, what the plan that is predicted
to be the fastest loses to the fastest one. Rows without a prediction are printed by perfmodel with their reason.
"""
import csv
import gzip
import math
import pathlib
import statistics
import sys

from judge import errors, judge, mean, run

TABLE = pathlib.Path(__file__).resolve().parents[2] / "data" / "measured" / "large_models.csv.gz"

# figure: (gate, words that the row's source, words, schedule, system, "moe" or "dense", "zero-N" all hold, rows at
# least)
TIMES = {
    "BLOOM prequel": (7, "bigscience", 52),
    "Narayanan, table 1": (6, "2104.04473 table-1 zero-0", 10),
    "Narayanan, table 2, tensor and pipeline": (6, "2104.04473 table-2 zero-0", 6),
    "Narayanan, table 2, ZeRO-3": (25, "2104.04473 table-2 zero-3", 6),
    "Korthikanti, table 5": (11, "2205.05198", 8),
    "zero-bubble, 1f1b": (10, "2401.10241 1f1b", 6),
    "zero-bubble, interleaved": (10, "2401.10241 interleaved", 6),
    "zero-bubble, zb-1p and zb-2p": (12, "2401.10241 zb-", 12),
    "llm-foundry, A100": (6.5, "llm-foundry a100", 156),
    "llm-foundry, H100": (12, "llm-foundry h100", 52),
    "Megatron-Bridge, dense": (9, "megatron-bridge dense", 19),
    "Megatron-Bridge, experts": (20, "megatron-bridge moe", 25),
    "AutoModel, experts": (25, "automodel moe", 3),
    "torchtitan": (18, "torchtitan", 18),
    "DLPerf": (20, "dlperf", 16),
}
MEMORY = {
    "BLOOM, nvidia-smi": (6, "bigscience", 34),
    "zero-bubble, allocator": (8, "2401.10241", 24),
    "torchtitan, reserved": (12, "torchtitan", 18),
}
KNOWN = {
    "order of 8 plans, 100 less 100 times Spearman": (46, "plans within 5 % of each other change places, and two of "
                                                      "the "
                                                      "eight ran after a repair of the machine"),
}
PLAN = ("tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel", "virtual_pipeline",
        "pipeline_schedule", "zero", "micro_batch", "recompute", "sequence_parallel")
SAME = ("source", "framework_version", "network", "gpus", "nodes", "precision", "system")
SHARE = ("tensor_parallel", "pipeline_parallel", "context_parallel")
SCHEDULES = ("1f1b", "interleaved", "zb-h1", "zb-2p")


def words(line):
    experts = "moe" if line["network"].startswith(("moe", "gpt-oss")) else "dense"
    place = line["words"].replace("table ", "table-")
    return (f"{line['source']} {place} {line['system']} {line['pipeline_schedule']} {experts} zero-{line['zero']} "
            .lower())


def samples(line):
    """Samples of a step over all GPUs."""
    return float(line["batch"]) / math.prod(int(line[name] or 1) for name in SHARE)


def holds(line, wanted):
    return all(word in words(line) for word in wanted.split())


def chosen(pairs, wanted):
    return [row for line, row in pairs if holds(line, wanted)]


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    place = [0.0] * len(values)
    for i, at in enumerate(order):
        place[at] = i
    for value in set(values):
        same = [i for i, other in enumerate(values) if other == value]
        middle = statistics.fmean(place[i] for i in same)
        for i in same:
            place[i] = middle
    return place


def groups_of_plans(pairs):
    """Measured and predicted step times by group, of plans that differ; a plan that is there again counts once."""
    groups = {}
    for line, row in pairs:
        plans = groups.setdefault((samples(line), *(line[name] for name in SAME)), {})
        plans.setdefault(tuple(line[name] for name in PLAN), (float(row["measured"]), float(row["predicted"])))
    return [list(plans.values()) for plans in groups.values() if len(plans) > 1]


def order_figures(pairs):
    groups = groups_of_plans(pairs)
    regrets = [100 * (min(group, key=lambda pair: pair[1])[0] / min(group)[0] - 1) for group in groups]
    yield "regret, the median group", len(groups), statistics.median(regrets), 5
    for group in (group for group in groups if len(group) >= 8):
        measured, predicted = zip(*group)
        rho = statistics.correlation(ranks(measured), ranks(predicted))
        print(f"order of {len(group)} plans: Spearman {rho:.2f}, regret {regrets[groups.index(group)]:.1f} %")
        yield f"order of {len(group)} plans, 100 less 100 times Spearman", len(group), 100 - 100 * rho, 30


def wrong_orders(pairs):
    """Groups of the zero-bubble table whose four schedules are not predicted in their order."""
    groups = {}
    for line, row in pairs:
        if line["pipeline_schedule"] in SCHEDULES and "2401.10241" in line["source"]:
            key = tuple(line[name] for name in ("network", "nodes", "pipeline_parallel", "batch"))
            groups.setdefault(key, {})[line["pipeline_schedule"]] = (float(row["measured"]), float(row["predicted"]))
    wrong = 0
    for key, group in groups.items():
        by = [sorted(group, key=lambda schedule: group[schedule][which]) for which in (0, 1)]
        wrong += by[0] != by[1]
        if by[0] != by[1]:
            print(f"zero-bubble {' '.join(key)}: measured {' < '.join(by[0])}, predicted {' < '.join(by[1])}")
    return len(groups), wrong


def figures(command):
    with gzip.open(TABLE, "rt", newline="") as file:
        lines = {line["id"]: line for line in csv.DictReader(file)}
    rows, notes = run(command, "large-models", "--rows")
    print(notes)
    pairs = [(lines[row["id"]], row) for row in rows if row["error [%]"]]
    memory = [(line, row) for line, row in pairs if row["unit"] == "GB"]
    times = [(line, row) for line, row in pairs if row["unit"] == "ms"]
    for gates, of, kind in ((TIMES, times, "step time"), (MEMORY, memory, "memory")):
        for name, (gate, wanted, least) in gates.items():
            found = chosen(of, wanted)
            if len(found) < least:
                sys.exit(f"{name}: {len(found)} of {least} rows have a prediction")
            bias = statistics.fmean(float(row["error [%]"]) for row in found)
            print(f"{name}, {kind}: bias {bias:+.1f} %")
            yield f"{name}, {kind}", len(found), mean(errors(found)), gate
    yield from order_figures(times)
    count, wrong = wrong_orders(times)
    yield "zero-bubble, groups whose schedules are in another order", count, wrong, 0


def main():
    return judge(list(figures(sys.argv[1])), KNOWN) > 0


if __name__ == "__main__":
    sys.exit(main())
