#!/usr/bin/env python3
"""Follows the recipes of CONTRIBUTING.md on a copy of the source tree, and uses what came of them.

    recipes.py build SOURCE COPY CMAKE_OPTION...     copies the tree, makes the edits of every recipe, builds the copy
    recipes.py check SOURCE COPY RECIPE              holds that the recipe touched no more than it promises, and works

A recipe is what a contributor writes: new files, and lines in files that are there. What has to be edited besides would
show as a build that fails or as a face on which the new thing is missing.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Callable


@dataclass
class Copy:
    """The copied tree, built."""
    folder: pathlib.Path

    @property
    def source(self):
        return self.folder / "source"

    @property
    def build(self):
        return self.folder / "build"

    def run(self, *arguments):
        """What the command of the copy prints."""
        done = subprocess.run([self.build / "tools/perfmodel", *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"perfmodel {' '.join(arguments)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def rows(self, *arguments):
        return json.loads(self.run(*arguments, "--format", "json", "--quiet"))

    def python(self, script):
        """The last line that a script prints, with the package of the copy; None if the copy has none."""
        cache = (self.build / "CMakeCache.txt").read_text()
        if "PM_PYTHON:BOOL=ON" not in cache:
            return None
        program = next(line.partition("=")[2] for line in cache.splitlines() if line.startswith("Python_EXECUTABLE:"))
        return self.script([program, "-c", script], PYTHONPATH=self.build / "python")

    def lua(self, script):
        """The same in Lua."""
        if "PM_LUA:BOOL=ON" not in (self.build / "CMakeCache.txt").read_text():
            return None
        modules = self.build / "bindings/lua"
        return self.script(["lua5.4", "-e", script], LUA_PATH=f"{modules}/?.lua", LUA_CPATH=f"{modules}/?.so")

    @staticmethod
    def script(command, **environment):
        done = subprocess.run(command, capture_output=True, text=True,
                              env={**os.environ, **{name: str(value) for name, value in environment.items()}})
        if done.returncode != 0:
            sys.exit(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout.strip().splitlines()[-1]


@dataclass
class Recipe:
    check: Callable[[Copy], None]
    files: dict[str, str] = field(default_factory=dict)  # new files: path -> text
    lines: dict[str, tuple[str, str]] = field(default_factory=dict)  # path -> (text of a line, line to put before it)


def hold(condition, what):
    if not condition:
        sys.exit(f"the recipe does not do what it promises: {what}")


# ---- A field of predictions: one line of the list, and it is a column and a field in every language.

def check_prediction_field(copy):
    row = copy.rows("predict", "resnet50", "dgx1-v100", "--gpus", "2")[0]
    hold("toy_share" in row, "the column of JSON")
    hold("toy_share" in copy.run("sweep", "resnet50", "t4", "--format", "csv", "--quiet").splitlines()[0], "the column of CSV")
    prediction = 'pm.predict("resnet50", "t4")'
    hold(copy.python(f"import perfmodel as pm; print(hasattr({prediction}, 'toy_share'))") in (None, "True"),
         "the attribute in Python")
    sweep = "pm.sweep('resnet50', 't4')"
    hold(copy.python(f"import perfmodel as pm; print(len({sweep}['toy_share']))") in (None, "1"), "the column in Python")
    script = "print(require 'perfmodel'.sweep{network = 'resnet50', system = 't4'}:csv():match('toy_share'))"
    hold(copy.lua(script) in (None, "toy_share"), "the column in Lua")


PREDICTION_FIELD = Recipe(
    check_prediction_field,
    lines={"libperfmodel/include/perfmodel/predict.h": (
        '  X(BASIS, basis, "", "what kernels and collectives rest on")',
        '  X(REAL, toy_share, "1", "share of the step spent with toys") \\')})


# ---- A GPU: one entry in data/gpus.

def check_gpu(copy):
    hold("toy-gpu" in [row["id"] for row in copy.rows("list", "gpus")], "the list of GPUs")
    hold(copy.rows("predict", "resnet50", "toy-gpu", "--batch", "8")[0]["throughput"] > 0, "a prediction")
    hold("Toy GPU" in copy.run("memory", "resnet50", "toy-gpu", "--batch", "8"), "the memory that a run takes")
    hold(copy.python("import perfmodel as pm; print(pm.predict('resnet50', 'toy-gpu').throughput > 0)") in (None, "True"),
         "a prediction in Python")
    hold(copy.lua("print(require 'perfmodel'.predict{network = 'resnet50', system = 'toy-gpu'}.throughput > 0)")
         in (None, "true"), "a prediction in Lua")


GPU = Recipe(check_gpu, files={"data/gpus/toy.xml": """<?xml version="1.0" encoding="UTF-8"?>
<perfmodel version="1">
  <gpu id="toy-gpu" name="Toy GPU" source="general-knowledge">
    <architecture>volta</architecture>
    <sms>50</sms>
    <fp32_lanes>64</fp32_lanes>
    <clock>1 GHz</clock>
    <peak_fp32>6.4 TFLOP/s</peak_fp32>
    <memory>8 GB</memory>
    <memory_bandwidth>400 GB/s</memory_bandwidth>
    <pcie>pcie3-x16</pcie>
  </gpu>
</perfmodel>
"""})


# ---- A framework: one entry in data/frameworks, found by its name everywhere.

def check_framework(copy):
    run = ("resnet50", "t4", "--framework", "toy-framework", "--batch", "8")
    hold(copy.rows("predict", *run)[0]["framework"] == "toy-framework", "a prediction of training")
    hold(copy.rows("infer", *run)[0]["throughput"] > 0, "a prediction of inference")
    hold(copy.python("import perfmodel as pm; print(pm.predict('resnet50', 't4', framework='toy-framework').throughput > 0)")
         in (None, "True"), "a prediction in Python")


FRAMEWORK = Recipe(check_framework, files={"data/frameworks/toy.xml": """<?xml version="1.0" encoding="UTF-8"?>
<perfmodel version="1">
  <framework id="toy-framework" name="Toy framework" source="general-knowledge">
    <era>cudnn8</era>
    <evidence>uncalibrated</evidence>
    <kernel_time note="guess">20 us</kernel_time>
    <step_time note="guess">500 us</step_time>
    <straggler note="guess">0.03</straggler>
    <parallel>all-reduce</parallel>
    <overlap>backward</overlap>
    <bucket>25 MB</bucket>
    <feed_bandwidth>unlimited</feed_bandwidth>
    <memory>pytorch</memory>
  </framework>
</perfmodel>
"""})


RECIPES = {"prediction_field": PREDICTION_FIELD, "gpu": GPU, "framework": FRAMEWORK}


# ---- Following them.

def insert(path, before, line):
    """Puts a line before the only one that starts with `before`."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    found = [number for number, text in enumerate(lines) if text.startswith(before)]
    if len(found) != 1:
        sys.exit(f"{path}: {len(found)} lines start with {before!r}, not one")
    lines.insert(found[0], line + "\n")
    path.write_text("".join(lines), encoding="utf-8")


def follow(recipe, source):
    for name, text in recipe.files.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text, encoding="utf-8")
    for name, (before, line) in recipe.lines.items():
        insert(source / name, before, line)


def build(source, copy, options):
    shutil.rmtree(copy.folder, ignore_errors=True)
    shutil.copytree(source, copy.source, symlinks=True,
                    ignore=shutil.ignore_patterns(".git", "build", "__pycache__", "*.egg-info", ".*_cache"))
    for recipe in RECIPES.values():
        follow(recipe, copy.source)
    subprocess.run(["cmake", "-S", copy.source, "-B", copy.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                    "-DPM_WERROR=ON", *options], check=True)
    subprocess.run(["cmake", "--build", copy.build], check=True)


def count(recipe, source, copy):
    """What the recipe touched, against the tree that it started from."""
    for name in recipe.files:
        hold(not (source / name).exists(), f"{name} is new")
    lines = 0
    for name in recipe.lines:
        before, after = (len((tree / name).read_text(encoding="utf-8").splitlines()) for tree in (source, copy.source))
        lines += after - before
    print(f"{len(recipe.files)} new files, {len(recipe.lines)} files with {lines} new lines")


def main():
    what, source, copy, *rest = sys.argv[1:]
    source, copy = pathlib.Path(source), Copy(pathlib.Path(copy))
    if what == "build":
        build(source, copy, rest)
    else:
        recipe = RECIPES[rest[0]]
        recipe.check(copy)
        count(recipe, source, copy)


if __name__ == "__main__":
    main()
