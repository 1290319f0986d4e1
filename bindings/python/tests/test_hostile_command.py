"""Options of the command with values that nobody means: an answer whose numbers can be read, or one line that says why
there is none. The options of every command are those of its --help-all."""

from __future__ import annotations

import os
import random
import re
import subprocess

import pytest

COMMAND = os.environ.get("PERFMODEL_COMMAND", "")
pytestmark = pytest.mark.skipif(not COMMAND, reason="PERFMODEL_COMMAND is not set")


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *words], capture_output=True, text=True)


GOAL = ["--system", "dgx-a100", "--target-rate"]
TRAIN = ["--within", "6 h", "--tokens", "1B"]
# A question of each command, and of each task that it answers differently.
QUESTIONS = [
    ["predict", "gpt2", "dgx-a100"], ["infer", "gpt2", "h100-sxm5"], ["serve", "gpt2", "h100-sxm5"],
    ["memory", "gpt2", "dgx-a100"], ["sweep", "gpt2", "dgx-a100"], ["compare", "gpt2", "dgx-a100", "dgx1-v100"],
    ["size", "gpt2", *GOAL, "9 /s"], ["size", "gpt2", *GOAL, "9 /s", "--latency", "1 s"],
    ["size", "gpt2", "--system", "dgx-a100", *TRAIN], ["size", "gpt2", "--serve", "--system", "hgx-h100"],
    ["search", "gpt2", "dgx-a100", "--gpus", "2", "--global-batch", "64"], ["search", "gpt2", "hgx-h100", "--serve"],
    ["search", "gpt2", "hgx-h100", *TRAIN], ["sensitivity", "gpt2", "dgx-a100"],
    ["explain", "step_time", "gpt2", "dgx-a100"], ["input", "resnet50", "dgx1-v100"],
    ["collective", "dgx1-v100", "all_reduce"], ["rings", "dgx1-v100"], ["fabric", "dgx1-v100"],
    ["layers", "resnet50"], ["kernel", "gemm"], ["kernel", "conv"], ["kernel", "attention"], ["kernel", "lstm"],
    ["kernel", "optimizer"], ["kernel", "copy"],
]  # fmt: skip
FILES = {"--output", "--catalog", "--run", "--resume", "--workers", "--trace", "--format", "--data", "--help-all"}
NUMBERS = ["0", "-1", "0.5", "1", "65536", "536870913", "1000000007", "2147483647", "2147483648", "1e18", "nan", "inf"]
UNITS = ["s", "B", "/s", "B/s", "W", "USD", "EUR/h", "EUR/kWh", "g/kWh"]
EXTREME = ["0", "1e-300", "1e-9", "1e12", "1e300"]
# What a reader takes for a mistake of the program: no number, or more digits than anybody knows.
ODD = re.compile(r"(?<![\w.-])-?(?:inf|nan)(?![\w-])|\d{25,}")


def options(command: str) -> list[tuple[str, str]]:
    text = run(command, "--help-all").stdout
    found = re.findall(r"^  (?:-\w, )?(--[a-z][a-z0-9-]*)(?: (\S+))?", text, re.MULTILINE)
    return sorted({(name, value) for name, value in found if name not in FILES})


def values(value: str) -> list[str]:
    if not value:
        return []
    return NUMBERS if value.startswith("N") else NUMBERS[:3] + [f"{x} {unit}" for unit in UNITS for x in EXTREME]


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_extreme_values_of_options(question: list[str]) -> None:
    draw = random.Random(" ".join(question))
    words = [[name, x] for name, value in options(question[0]) for x in values(value)]
    assert words
    for more in draw.sample(words, min(len(words), 60)):
        done = run(*question, *more)
        assert done.returncode in (0, 1, 2, 3), (more, done)
        assert done.returncode == 0 or done.stderr, more
        assert done.returncode < 2 or done.stderr.splitlines()[-1].startswith("perfmodel: "), (more, done)
        assert not ODD.search(done.stdout), (more, ODD.search(done.stdout))


@pytest.mark.parametrize("words", [
    ["serve", "llama3-70b", "h100-sxm5", "--rate", "1,2"], ["infer", "llama3-405b", "v100", "--batch", "1,2"],
    ["sweep", "gpt2", "dgx-a100", "--tp", "3,5"], ["size", "gpt2", *GOAL, "9 /s", "--tp", "7"],
    ["size", "gpt2", *GOAL, "1e9 /s"], ["size", "gpt2", "--system", "dgx-a100", "--tokens", "9T", "--within", "1 s"],
    ["size", "gpt2", "--serve", "--system", "hgx-h100", "--ttft", "1 us"],
], ids=" ".join)  # fmt: skip
def test_who_is_quiet_is_told_why_there_is_no_answer(words: list[str]) -> None:
    done = run(*words, "--quiet")
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and done.stderr.startswith("perfmodel: ")


def test_no_system_is_all_that_could_be_meant() -> None:
    for goal in (["--serve"], ["--target-rate", "9 /s"], ["--target-rate", "9 /s", "--latency", "1 s"]):
        done = run("size", "gpt2", *goal, "--format", "csv", "-q")
        assert (done.returncode, done.stderr) == (0, "") and {"dgx-h100", "p5"} <= set(re.split("[,\n]", done.stdout))


def test_a_gpu_may_be_called_so() -> None:
    words = ("--columns", "system,throughput", "-q")
    plain = run("infer", "resnet50", "h100-sxm5*4", *words)
    assert plain.returncode == 0 and run("infer", "resnet50", "gpu:h100-sxm5*4", *words).stdout == plain.stdout


def test_prices_have_their_currency() -> None:
    price = ("--gpu-hour-price", "2.5 EUR")
    for words in (["serve", "gpt2", "hgx-h100", "--concurrency", "1,2"],
                  ["search", "gpt2", "hgx-h100", "--gpus", "2", "--global-batch", "64", "--tokens", "1B"]):  # fmt: skip
        text = run(*words, *price).stdout
        assert "EUR" in text and not re.search(r"\d currency", text)


def test_small_amounts_are_no_zeros() -> None:
    text = run("search", "gpt2", "hgx-h100", "--gpus", "2", "--global-batch", "64", "--tokens", "1M", "--pue", "1.2",
               "--gpu-hour-price", "2.5 EUR", "--energy-price", "0.1 EUR/kWh", "--carbon", "300 g/kWh",
               ).stdout  # fmt: skip
    assert "GPU-hours" in text and not re.search(r"\s0(\.0+)? (EUR|t|\w*Wh)?\b", text.split("\n\n")[1])
