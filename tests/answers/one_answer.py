#!/usr/bin/env python3
"""Asks random questions of every command that can answer them, and compares the answers to the bit.

    one_answer.py --command build/tools/perfmodel               40 questions
    one_answer.py --command build/tools/perfmodel --count 200 --seed 7

A question is a network, a system and some options. predict answers it; sweep, search (restricted to that one plan),
size, sensitivity (as an upgrade to the same system), memory, the stages of predict, and input are asked the same.
Inference is asked of infer, sensitivity and memory. Step time, throughput, interval, memory and verdict must be equal,
digit by digit; where one has no answer, no other may have one. Prints the questions that have two answers; the exit
status says whether there are any.
"""

import argparse
import json
import math
import random
import subprocess
import sys

NETWORKS = ["gpt2", "gpt2-medium", "llama3-8b", "mixtral-8x7b", "bert-base", "bert-large", "t5-base", "vit-b-16",
            "resnet50",
            "vgg16", "mobilenet-v2", "dlrm-dcnv2", "gnmt"]
SYSTEMS = ["dgx-h100", "dgx-a100", "dgx1-v100", "dgx1-p100", "dgx2", "h100-sxm5", "rtx-3090", "v100-sxm2-16gb"]
FRAMEWORKS = ["pytorch", "pytorch-2.4-compile", "pytorch-1.13", "megatron", "tensorflow-2.18", "none"]
CALLS = ["pytorch", "tensorrt-10", "onnxruntime-1.22", "tensorflow-2.18"]
OPTIMIZERS = ["momentum", "adam", "adamw", "sgd", "lamb"]

# What must be equal, by the names of predict.
EQUAL = ["step_time", "throughput", "throughput_p10", "throughput_p90", "memory", "verdict"]


class Question:
    """Options are words of a command line; `plan` are those that search has to be told as well."""

    def __init__(self, draw):
        self.network = draw.choice(NETWORKS)
        self.system = draw.choice(SYSTEMS)
        self.options = {}
        self.plan = {}
        self.single = draw.random() < 0.5
        self.choose(draw)

    def choose(self, draw):
        """Some options, each as likely as not."""
        node = 1 if self.system in SYSTEMS[5:] else 16 if self.system == "dgx2" else 8
        if draw.random() < 0.6:
            self.options["gpus"] = draw.choice([1, 2, 4, 8, 8, 16])
        if draw.random() < 0.15 and node > 1:
            self.options["nodes"] = draw.choice([1, 2])
        if draw.random() < 0.6:
            self.options["batch"] = draw.choice([1, 2, 4, 8, 16, 32])
        if draw.random() < 0.4:
            self.options["precision"] = draw.choice(["fp32", "fp16", "fp16", "bf16", "tf32", "tf32-conv", "fp8"])
        if draw.random() < 0.4:
            self.options["optimizer"] = draw.choice(OPTIMIZERS)
        if draw.random() < 0.4:
            self.options["framework"] = draw.choice(FRAMEWORKS)
        if draw.random() < 0.25:
            self.plan["zero"] = draw.choice([1, 2, 3])
        if draw.random() < 0.25:
            self.plan["tp"] = draw.choice([2, 4, 8])
        if draw.random() < 0.2:
            self.plan["pp"] = draw.choice([2, 4])
        if draw.random() < 0.2:
            self.plan["recompute"] = draw.choice(["full", "selective"])
        if draw.random() < 0.4:
            self.options["usable-memory"] = "1 TB"

    def words(self, without=()):
        """The options as words."""
        both = {**self.options, **self.plan}
        return [word for name, value in both.items() if name not in without for word in (f"--{name}", str(value))]

    def text(self):
        return f"{self.network} {self.system} {' '.join(self.words())}"


class Asker:
    """Runs the command; answers are rows, or None where there is no answer."""

    def __init__(self, command):
        self.command = command
        self.last = ""

    def ask(self, *words):
        done = subprocess.run([self.command, *words, "--format", "json", "-q"], capture_output=True, text=True,
                              check=False)
        self.last = done.stderr.strip()
        if done.returncode not in (0, 1, 2):
            raise SystemExit(f"{' '.join(words)}: exit status {done.returncode}: {self.last}")
        return json.loads(done.stdout) if done.returncode == 0 else None


def first(rows):
    """The one row, if it is an answer."""
    return rows[0] if rows and rows[0].get("status", "ok") == "ok" else None


def differences(name, answer, other, fields=EQUAL, names=None):
    """What differs between predict and another command; `names`: what that calls a field."""
    if (answer is None) != (other is None):
        return [f"{name} has {'an' if other else 'no'} answer, predict has {'an' if answer else 'no'} answer"]
    if answer is None:
        return []
    pairs = [(field, answer[field], other[(names or {}).get(field, field)]) for field in fields]
    return [f"{name}: {field} is {theirs}, not {ours}" for field, ours, theirs in pairs if ours != theirs]


def ask_search(asker, question, answer):
    """Search for that one plan: everything that it could choose is given."""
    batch = answer["batch"] * answer["data_parallel"]
    micro = answer["micro_batch"] or (1 if answer["pipeline_parallel"] > 1 else answer["batch"])
    if micro > 64 or batch != math.floor(batch):
        return None
    plan = {"tp": answer["tensor_parallel"], "pp": answer["pipeline_parallel"], "cp": 1, "ep": 1, "vp": 1,
            "zero": answer["zero"],
            "recompute": answer["recompute"], "micro-batch": micro, "global-batch": batch, "sp": "no"}
    words = [word for name, value in plan.items() for word in ([f"--{name}={value}"] if name == "sp" else [f"--{name}",
        str(value)])]
    rows = asker.ask("search", question.network, question.system, *question.words(without=[*plan, "batch"]), *words)
    return rows[0] if rows else None


def compare_training(asker, question):
    """Every difference of one question, how many commands were asked, and why there is no answer."""
    words = [question.network, question.system, *question.words()]
    answer = first(asker.ask("predict", *words))
    why = asker.last
    swept = first(asker.ask("sweep", *words))
    found = differences("sweep", answer, swept)
    raised = asker.ask("sensitivity", *words, "--upgrade", f"system={question.system}")
    found += differences("sensitivity", answer, first(raised), ["step_time", "throughput"])
    if answer is None:
        return found, 3, why
    kept = first(asker.ask("memory", *words))
    found += differences("memory", answer, kept, ["memory", "verdict"], {"memory": "total"})
    stages = asker.ask("predict", *words, "--stages")
    fullest = max(stages, key=lambda stage: stage["memory"])
    found += differences("stages", answer, fullest, ["memory", "verdict"])
    read = first(asker.ask("input", "ilsvrc2012", question.system, "--network", question.network, "--storage",
                           "dgx1-raid0",
                           "--workers", "16", *question.words()))
    found += differences("input", {"rate": answer["throughput"] / answer["nodes"]}, read and {"rate": read["gpu_rate"]},
                         ["rate"])
    asked = 6
    if answer["nodes"] == 1:
        per_node = ["--gpus", str(answer["gpus"])]
        sized = first(asker.ask("size", question.network, "--system", question.system, "--target-rate", "1e-9 1/s",
                                *per_node,
                                *question.words(without=["gpus", "nodes"])))
        found += differences("size", answer, sized, ["throughput", "memory", "verdict"])
        asked += 1
    searched = ask_search(asker, question, answer)
    if searched is not None:
        found += differences("search", answer, searched)
        asked += 1
    return found, asked, why


def compare_inference(asker, draw):
    """The same of a call."""
    network, system = draw.choice(NETWORKS), draw.choice(SYSTEMS)
    words = [network, system]
    for name, values in [("batch", [1, 8, 32]), ("gpus", [1, 4]), ("framework", CALLS),
                         ("precision", ["fp32", "fp16"])]:
        if draw.random() < 0.5:
            words += [f"--{name}", str(draw.choice(values))]
    answer = first(asker.ask("infer", *words))
    raised = first(asker.ask("sensitivity", *words, "--inference", "--upgrade", f"system={system}"))
    found = differences("sensitivity", answer, raised, ["latency", "throughput"], {"latency": "step_time"})
    if answer is None:
        return " ".join(words), found
    kept = first(asker.ask("memory", *words, "--inference"))
    return " ".join(words), found + differences("memory", answer, kept, ["memory", "verdict"], {"memory": "total"})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", required=True, help="the program")
    parser.add_argument("--count", type=int, default=40, help="questions of training; a quarter as many of inference")
    parser.add_argument("--seed", type=int, default=29, help="of the random numbers")
    args = parser.parse_args()
    draw, asker = random.Random(args.seed), Asker(args.command)
    two = answered = commands = 0
    for _ in range(args.count):
        question = Question(draw)
        found, asked, _ = compare_training(asker, question)
        commands += asked
        answered += asked > 3
        two += bool(found)
        for line in found:
            print(f"{question.text()}\n  {line}")
    for _ in range(args.count // 4):
        words, found = compare_inference(asker, draw)
        two += bool(found)
        for line in found:
            print(f"infer {words}\n  {line}")
    print(f"{args.count} questions, {answered} with an answer, asked {commands} times; {two} have two answers")
    return two > 0 or answered < args.count // 4


if __name__ == "__main__":
    sys.exit(main())
