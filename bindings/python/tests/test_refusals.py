"""No option without effect: of two options both change the answer, or one line says why one does not. A refusal for
memory ends with a command that works, and repeated options, releases that do not exist and prices that are missing are
refused in one line."""

from __future__ import annotations

import csv
import io
import os
import shlex
import shutil
import subprocess
from itertools import combinations

import pytest
from perfmodel import _fields
from test_same_numbers import needed

PLACE = ("mixtral-8x7b", "dgx-h100", "--nodes=4", "--ignore-memory", "--format=csv", "--quiet")

# A value of every option that is not the default.
VALUES = {
    "batch": "8",
    "precision": "fp32",
    "overlap": "none",
    "kernel-model": "roofline",
    "epoch-samples": "1e6",
    "optimizer": "sgd",
    "gradient-accumulation-steps": "2",
    "input-rate": "1",
    "no-prefetch": "yes",
    "usable-memory": "1 TB",
    "micro-batch": "2",
    "tp": "2",
    "pp": "2",
    "vp": "2",
    "cp": "2",
    "ep": "4",
    "etp": "4",
    "sp": "yes",
    "schedule": "gpipe",
    "stage-layers": "balanced",
    "zero": "1",
    "shard-group": "8",
    "recompute": "full",
    "recompute-layers": "1",
    "gradient-bytes": "2",
    "context-exchange": "all-gather",
    "rank-order": "tp-dp-pp-cp",
    "capacity-factor": "0.5",
    "expert-imbalance": "1.3",
    "expert-dispatch": "deepep",
    "expert-overlap": "yes",
    "offload": "optimizer",
    "primary-weights": "yes",
    "lora-rank": "8",
    "lora-targets": "qv",
    "base-weights": "nf4",
    "lora-dropout": "0.1",
    "lora-dora": "yes",
    "lora-first-layer": "1",
    "lora-layers": "2",
    "optimizer-in-backward": "yes",
    "offload-activations": "yes",
    "loss-chunks": "8",
    "document-tokens": "512",
    "tokens": "1T",
    "samples": "1e9",
    "gpu-mtbf": "3000 h",
    "node-mtbf": "9000 h",
    "checkpoint-rate": "20 GB/s",
    "checkpoint": "1 min",
    "restart": "10 min",
    "interval": "2 h",
    "pue": "1.3",
    "gpu-hour-price": "2 USD",
    "power-limit": "200 W",
    "carbon": "400 g/kWh",
    "energy-price": "0.1 EUR/kWh",
    "power-budget": "1 MW",
    "cuda-graphs": "step",
    "unfused-accumulation": "yes",
    "embedding-sharding": "row",
    "framework": "none",
    "global-batch": "1024",
}

# Options that have an effect, which this value of the other takes away: a run of this batch and these stages is limited
# by what the option does not change.
ALIKE = {
    ("gradient-accumulation-steps", "global-batch"),  # as many micro-batches of 1, whatever cuts them
    ("input-rate", "offload"),  # copies to the host take longer than the input
    ("rank-order", "tp"),  # the last ranks of two kinds of parallelism are neighbours in both orders
    ("rank-order", "pp"),
    ("overlap", "lora-rank"),  # gradients of adapters are one bucket, which comes last in any case
    ("schedule", "pp"),  # of one micro-batch
    ("stage-layers", "pp"),  # both of two stages are the first or the last
}


def command() -> str:
    return needed("the perfmodel command", os.environ.get("PERFMODEL_COMMAND") or shutil.which("perfmodel"), "")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([command(), *arguments], capture_output=True, text=True)


def answer(*options: str) -> tuple[str, ...] | str:
    """The numbers of the answer, or the line that refuses."""
    done = run("predict", *PLACE, *(f"--{name}={VALUES[name]}" for name in options))
    if done.returncode != 0:
        assert done.returncode in (1, 2) and done.stderr.count("\n") == 1, done.stderr
        return done.stderr
    row = next(csv.DictReader(io.StringIO(done.stdout)))
    names = {f.name for f in _fields.fields("prediction")}
    return tuple(value for name, value in row.items() if name.partition(" ")[0] in names)


def test_every_option_has_a_value_here() -> None:
    options = {f.option.replace("_", "-") for f in _fields.given("run")}
    left = {"gpus", "nodes", "ignore-memory", "parallelism"}  # the last is a name for others over several nodes
    assert options - left == set(VALUES) - {"framework", "global-batch"}


def test_of_two_options_both_have_an_effect() -> None:
    alone = {name: answer(name) for name in VALUES}
    plain = answer()
    assert all(found != plain for found in alone.values())
    for one, two in combinations(VALUES, 2):
        both = answer(one, two)
        for option, other in ((one, two), (two, one)):
            silent = isinstance(both, tuple) and both == alone[other]
            assert not silent or (option, other) in ALIKE, f"--{option} beside --{other}"


@pytest.mark.parametrize(
    "asked",
    [
        "llama3-8b mi300x-node --gpus 8 --batch 4 --precision bf16 --optimizer adamw --zero 3 --set seq=8192",
        "mixtral-8x7b dgx-h100 --nodes 4 --ep 8 --etp 1 --sp --tp 2",
        "mixtral-8x7b dgx-h100 --nodes 4 --global-batch 512",
        "llama2-7b dgx-h100 --batch 4 --gradient-accumulation-steps 3 --framework pytorch-2.4-fsdp",
        "bert-large v100-sxm2-16gb --batch 256",
        "llama3.1-405b dgx-h100",
    ],
)
def test_a_refusal_ends_with_a_command_that_works(asked: str) -> None:
    refused = run("predict", *shlex.split(asked))
    assert refused.returncode == 1 and refused.stderr.count("\n") == 1
    _, found, what = refused.stderr.rstrip("\n").partition("this fits: perfmodel ")
    assert found, refused.stderr
    fits = run(*shlex.split(what), "--format", "csv")
    assert fits.returncode == 0, fits.stderr


@pytest.mark.parametrize(
    ("asked", "change"),
    [
        ("gpt2-xl a100-sxm4-80gb --batch 64 --precision bf16", "--micro-batch 8"),
        ("llama2-7b dgx-h100", "--zero 3"),
        ("llama2-7b h100-sxm5", "--lora-rank 16"),
    ],
)
def test_a_refusal_changes_as_little_as_fits(asked: str, change: str) -> None:
    refused = run("predict", *shlex.split(asked))
    assert refused.returncode == 1 and refused.stderr.endswith(f"fits: perfmodel predict {asked} {change}\n")


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("predict resnet50 dgx-h100 --framework pytorch-24", "no such release; the nearest is pytorch-2.4"),
        ("predict resnet50 dgx-h100 --framework pytorch-2.99", "no such release; the nearest is pytorch-2.9"),
        ("predict resnet50 dgx-h100 --framework megatron-core-0.99", "the nearest is megatron-core-0.12"),
        ("predict resnet50 dgx-h100 --batch 64 --batch 128", "--batch is given twice"),
        ("predict resnet50 dgx-h100 --framework none --framework pytorch", "--framework is given twice"),
        ("predict resnet50 dgx-h100 --gpu-mtbf 1000h", "has no effect without tokens or samples"),
        ("predict resnet50 dgx-h100 --tokens 1T", "reads no tokens: give samples"),
        ("size resnet50 --system dgx-h100 --target-rate 1000/s --minimize cost", "--minimize cost needs prices"),
        ("search gpt2 dgx-h100 --global-batch 64 --max-nodes 4", "has no effect without --within"),
        ("search gpt2 dgx-h100 --global-batch 64 --why --rank fastest", "--rank has no effect with --why"),
    ],
)
def test_what_would_be_ignored_is_refused(asked: str, why: str) -> None:
    refused = run(*shlex.split(asked))
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1 and why in refused.stderr
