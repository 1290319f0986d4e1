#!/usr/bin/env python3
"""Follows the recipes of CONTRIBUTING.md on a copy of the source tree, and uses what came of them.

    recipes.py build SOURCE COPY CMAKE_OPTION...    copies the tree, makes the edits of all recipes, builds the copy
    recipes.py check SOURCE COPY RECIPE             uses what came of one
    recipes.py tree SOURCE COPY                     holds that the copy differs by nothing but what the recipes say

A recipe is what a contributor writes: new files, and lines in files that are there. What has to be edited besides would
show as a build that fails or as a face on which the new thing is missing.
"""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Callable


QUOTES = str.maketrans("‘’", "''")


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
            sys.exit(f"perfmodel {' '.join(map(str, arguments))}: exit code "
                     f"{done.returncode}\n{done.stdout}{done.stderr}")
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

    def refuses(self, name, trait, missing):
        """Holds that a descriptor without a trait does not compile, and that the compiler names the trait."""
        text = (self.source / name).read_text(encoding="utf-8")
        commands = json.loads((self.build / "compile_commands.json").read_text(encoding="utf-8"))
        command = next(shlex.split(c["command"]) for c in commands if c["file"] == str(self.source / name))
        for source, good in ((text, True), (text.replace(trait, ""), False)):
            broken = self.folder / f"{missing}.c"  # tests of other descriptors run beside this one
            broken.write_text(source, encoding="utf-8")
            check = [*command[:command.index("-o")], "-fsyntax-only", broken]
            done = subprocess.run(check, capture_output=True, text=True)
            said = done.stderr.translate(QUOTES)
            hold((done.returncode == 0) == good, f"{name} compiles only with {trait}\n{said}")
            hold(good or f"no member named '{missing}'" in said, f"the compiler names the trait\n{said}")

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
    tests: dict[str, tuple[str, str]] = field(default_factory=dict)  # the same, in files of tests


def hold(condition, what):
    if not condition:
        sys.exit(f"the recipe does not do what it promises: {what}")


# ---- A field of predictions: one line of the list, and it is a column and a field in every language.

def check_prediction_field(copy):
    row = copy.rows("predict", "resnet50", "dgx1-v100", "--gpus", "2")[0]
    hold("toy_share" in row, "the column of JSON")
    hold("toy_share" in copy.run("sweep", "resnet50", "t4", "--format", "csv", "--quiet").splitlines()[0],
         "the column of CSV")
    prediction = 'pm.predict("resnet50", "t4")'
    hold(copy.python(f"import perfmodel as pm; print(hasattr({prediction}, 'toy_share'))") in (None, "True"),
         "the attribute in Python")
    sweep = "pm.sweep('resnet50', 't4')"
    hold(copy.python(f"import perfmodel as pm; print(len({sweep}['toy_share']))") in (None, "1"),
         "the column in Python")
    script = "print(require 'perfmodel'.sweep{network = 'resnet50', system = 't4'}:csv():match('toy_share'))"
    hold(copy.lua(script) in (None, "toy_share"), "the column in Lua")


PREDICTION_FIELD = Recipe(
    check_prediction_field,
    lines={"libperfmodel/include/perfmodel/predict.h": (
        '  /* the next field of a prediction goes above this line */',
        '  X(REAL, toy_share, "1", "share of the step spent with toys") \\')})


# ---- A GPU: one entry in data/gpus.

def check_gpu(copy):
    hold("toy-gpu" in [row["id"] for row in copy.rows("list", "gpus")], "the list of GPUs")
    hold(copy.rows("predict", "resnet50", "toy-gpu", "--batch", "8")[0]["throughput"] > 0, "a prediction")
    hold("Toy GPU" in copy.run("memory", "resnet50", "toy-gpu", "--batch", "8"), "the memory that a run takes")
    hold(copy.python("import perfmodel as pm; print(pm.predict('resnet50', 'toy-gpu').throughput > 0)") in (None,
        "True"),
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
    hold(copy.python("import perfmodel as pm; print(pm.predict('resnet50', 't4', framework='toy-framework').throughput "
                     "> 0)")
         in (None, "True"), "a prediction in Python")


FRAMEWORK = Recipe(check_framework, files={"data/frameworks/toy.xml": """<?xml version="1.0" encoding="UTF-8"?>
<perfmodel version="1">
  <framework id="toy-framework" name="Toy framework" source="general-knowledge">
    <cudnn>cudnn8</cudnn>
    <evidence>uncalibrated</evidence>
    <kernel_time origin="guess">20 us</kernel_time>
    <step_time origin="guess">500 us</step_time>
    <straggler origin="guess">0.03</straggler>
    <parallelism>all-reduce</parallelism>
    <overlap>backward</overlap>
    <bucket>25 MB</bucket>
    <host_copy_bandwidth>unlimited</host_copy_bandwidth>
    <loader origin="default">mxnet</loader>
    <memory>pytorch</memory>
  </framework>
</perfmodel>
"""})


# ---- A layer kind: one file with its descriptor, one line in the list of kinds.

NETWORK = """<perfmodel version="1">
  <network id="toy-net" name="Toy">
    <input shape="3,8,8"/>
    <flatten/>
    <linear out_features="10"/>
    <toy_gate/>
    <linear out_features="10"/>
    <softmax_loss/>
  </network>
</perfmodel>
"""


def check_kind(copy):
    path = copy.folder / "toy-net.xml"
    path.write_text(NETWORK, encoding="utf-8")
    hold("toy_gate" in [row["kind"] for row in copy.rows("list", "layers")], "the list of kinds")
    hold("toy_gate" in [row["kind"] for row in copy.rows("layers", "toy-net", "--catalog", path)],
         "the counts of layers")
    hold(copy.rows("predict", "toy-net", "t4", "--catalog", path)[0]["throughput"] > 0, "a prediction of training")
    hold(copy.rows("infer", "toy-net", "t4", "--catalog", path)[0]["throughput"] > 0, "a prediction of inference")
    hold('"toy_gate"' in (copy.build / "libperfmodel/perfmodel.xsd").read_text(encoding="utf-8"), "the schema")
    done = subprocess.run([copy.build / "tests/unit_tests", "kinds"], capture_output=True, text=True)
    hold(done.returncode == 0, f"its descriptor states every trait\n{done.stdout}{done.stderr}")


KIND = Recipe(
    check_kind,
    lines={"libperfmodel/src/network/kinds/kinds.h": ("  X(swiglu)", "  X(toy_gate) \\")},
    tests={"tests/unit/test_kinds.c": ('  {"swiglu"', '  {"toy_gate", "6x20", ""},')},
    files={"libperfmodel/src/network/kinds/toy_gate.c": """/* A toy: x max(0, x). */
#include "network/kinds/kinds.h"

static const pm__attribute_rule no_rules[] = {PM__RULES_END};

static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  double elements = layer->elements_out;
  layer->saved.inputs = true;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){2 * elements, 2 * elements, 0});
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){3 * elements, 3 * elements, 0});
}

const pm__layer_kind pm__kind_toy_gate = {
  .name = "toy_gate",
  .doc = "x max(0, x)",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = pm__shape_same, .count = count,
  .role = PM__ROLE_ACTIVATION,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_ACTIVATION,
  .inference = PM__INFERENCE_SIMPLE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__NO_PARAMETERS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
};
"""})


# ---- A collective algorithm: one file with its descriptor, one line in the list of algorithms.

def check_algorithm(copy):
    run = ("collective", "dgx1-v100", "all_reduce", "--bytes", "64MiB", "--algorithm", "toy-star")
    hold(copy.rows(*run)[0]["algorithm"] == "toy-star", "a collective by name")
    hold("toy-star" in copy.run("collective", "--help"), "the command's help")
    script = "pm.collective('dgx1-v100', 'all_reduce', 1e6, algorithm='toy-star')['algorithm'][0]"
    hold("toy-star" in (copy.python(f"import perfmodel as pm; print({script})") or "toy-star"),
         "a collective in Python")


ALGORITHM = Recipe(
    check_algorithm,
    lines={
        "libperfmodel/include/perfmodel/collective.h": (
            "  /* the next one goes above this line */",
            '  X(TOY_STAR, "toy-star", "all to one GPU, and back") \\',
        )
    },
    files={
        "libperfmodel/src/collective/algorithms/toy_star.c": """/* A toy: all send to one GPU, which sends the sum. */
#include "collective/algorithm.h"

static void toy_star_cost(const pm__collective_parameters *group, pm_collective collective, int protocol,
                          pm__collective_cost *cost)
{
  double bus = pm__collective_slower(group, &cost->limit);
  cost->latency = group->base[protocol][PM__RING] + 2 * group->step[protocol][PM__RING];
  cost->per_byte = 2 * (group->ranks - 1) / bus;
  (void)collective;
}

static pm__collective_traffic toy_star_traffic(const pm__collective_parameters *group, pm_collective collective,
                                               double bytes)
{
  (void)collective;
  return (pm__collective_traffic){.route = PM__ROUTE_RINGS, .inside = 2 * bytes * (group->ranks - 1)};
}

const pm__collective_algorithm pm__collective_algorithm_TOY_STAR = {
  .collectives = PM__BIT(PM_COLLECTIVE_ALL_REDUCE),
  .protocols = PM__ANY_PROTOCOL,
  .nccl = PM__ANY_NCCL,
  .needs = PM__NEEDS_ONE_NODE,
  .selection = PM__SELECTED_BY_NAME,
  .cost = toy_star_cost,
  .traffic = toy_star_traffic,
};
"""
    },
)


# ---- An optimizer: one file with its descriptor, one line in the list of optimizers.

def check_optimizer(copy):
    run = ("resnet50", "t4", "--batch", "8", "--optimizer", "toy-descent")
    hold(copy.rows("predict", *run)[0]["update_time"] > 0, "a prediction of training")
    plain = copy.rows("memory", *run[:-1], "sgd")[0]
    state = copy.rows("memory", *run)[0]["optimizer"] - plain["optimizer"]
    hold(state == 2 * plain["gradients"] / 4, "its state in memory")
    hold("toy-descent" in [row["optimizer"] for row in copy.rows("list", "optimizers")], "the list of optimizers")
    hold("toy-descent" in copy.run("predict", "--help-all"), "the command's help")
    hold("toy-descent" in copy.run("--completion"), "the command's completion")
    kernel = copy.rows("kernel", "optimizer", "--parameters", "1e9", "--gpu", "t4", "--optimizer", "ToyDescent")
    hold(kernel[0]["bytes"] == 16e9, "a kernel by itself, by its alias")
    hold(copy.python("import perfmodel as pm; print(pm.optimizers()['toy-descent'].state)") in (None, "2.0"), "Python")
    hold(copy.lua("print(require 'perfmodel'.optimizers()['toy-descent'].state)") in (None, "2.0"), "Lua")
    done = subprocess.run([copy.build / "tests/unit_tests", "descriptors"], capture_output=True, text=True)
    hold(done.returncode == 0, f"its tests\n{done.stdout}{done.stderr}")
    copy.refuses("libperfmodel/src/software/optimizers/toy_descent.c", "TRAIT(kernels, 1)", "kernels")


OPTIMIZER = Recipe(
    check_optimizer,
    lines={"libperfmodel/include/perfmodel/optimizer.h": (
        "  /* the next optimizer goes above this line */",
        '  X(TOY_DESCENT, "toy-descent", "half a velocity", .aliases = "ToyDescent") \\')},
    files={"libperfmodel/src/software/optimizers/toy_descent.c": """/* A toy: a velocity in two bytes. */
#include "software/optimizer.h"

#define TOY_DESCENT(TRAIT) \\
  TRAIT(state, 2) TRAIT(embedding_state, 2) TRAIT(scratch, 0) \\
  TRAIT(accesses, 4) TRAIT(kernels, 1) \\
  TRAIT(replicated, 0) TRAIT(suggested, 0) \\
  TRAIT(source, "general-knowledge")
PM__OPTIMIZER_DEFINE(TOY_DESCENT)
"""})


# ---- An implementation of attention: one file with its descriptor, one line in the list of implementations.

SOFTWARE = """<perfmodel version="1">
  <framework id="toy-software" name="Toy" source="general-knowledge">
    <cudnn>cudnn9.0</cudnn>
    <evidence>uncalibrated</evidence>
    <like>pytorch-2.4</like>
    <attention>toy-attention</attention>
  </framework>
</perfmodel>
"""


def check_attention(copy):
    path = copy.folder / "toy-software.xml"
    path.write_text(SOFTWARE, encoding="utf-8")
    run = ("bert-large", "dgx1-v100", "--gpus", "1", "--batch", "8", "--catalog", path, "--framework")
    toy, fused = (copy.rows("predict", *run, name)[0] for name in ("toy-software", "pytorch-2.4"))
    hold(toy["step_time"] > fused["step_time"] and toy["memory"] == fused["memory"], "a prediction of training")
    hold("toy-attention attention" in toy["assumed"], "the assumptions")
    hold(copy.rows("infer", *run, "toy-software")[0]["throughput"] > 0, "a prediction of inference")
    kernel = ("kernel", "attention", "--heads", "16", "--tokens", "2048", "--head-size", "64", "--gpu", "v100",
              "--precision", "fp16", "--attention")
    toy, fused = (copy.rows(*kernel, name)[0]["time"] for name in ("toy-attention", "fused"))
    hold(toy > fused, "a kernel by itself")
    hold("toy-attention" in [row["attention"] for row in copy.rows("list", "attention")], "the list of implementations")
    hold('"toy-attention"' in (copy.build / "libperfmodel/perfmodel.xsd").read_text(encoding="utf-8"), "the schema")
    done = subprocess.run([copy.build / "tests/unit_tests", "descriptors"], capture_output=True, text=True)
    hold(done.returncode == 0, f"its tests\n{done.stdout}{done.stderr}")
    copy.refuses("libperfmodel/src/network/attention/toy_attention.c", "TRAIT(masked, 0)", "masked")


ATTENTION = Recipe(
    check_attention,
    lines={"libperfmodel/include/perfmodel/attention.h": (
        "  /* the next implementation goes above this line */",
        '  X(TOY_ATTENTION, "toy-attention", "one kernel that is half as fast") \\')},
    files={"libperfmodel/src/network/attention/toy_attention.c": """/* A toy: half as fast as FlashAttention. */
#include "network/attention/attention.h"

#define TOY_ATTENTION(TRAIT) \\
  TRAIT(scores, 0) TRAIT(masked, 0) TRAIT(rate, 0.5) TRAIT(source, "general-knowledge")
PM__ATTENTION_DEFINE(TOY_ATTENTION)
"""})


# ---- A field of a run: one line of the list, and it is an option, a keyword, a column and an axis.

def check_run_field(copy):
    hold(copy.rows("predict", "resnet50", "t4", "--toy-factor", "3")[0]["toy_factor"] == 3, "the option and the column")
    hold("--toy-factor" in copy.run("predict", "--help-all"), "the command's help")
    hold("--toy-factor" in (copy.build / "tools/completion").read_text(encoding="utf-8"), "the command's completion")
    swept = copy.rows("sweep", "resnet50", "t4", "--toy-factor", "1,2")
    hold([row["toy_factor"] for row in swept] == [1, 2], "the axis of a sweep")
    script = "pm.sweep('resnet50', 't4', toy_factor=[1, 2])['toy_factor']"
    hold(copy.python(f"import perfmodel as pm; print(list(map(float, {script})))") in (None, "[1.0, 2.0]"),
         "the keyword in Python")
    script = "print(require 'perfmodel'.sweep{network = 'resnet50', system = 't4', toy_factor = {1, 2}}:count())"
    hold(copy.lua(script) in (None, "2"), "the key in Lua")


RUN_FIELD = Recipe(
    check_run_field,
    lines={"libperfmodel/include/perfmodel/run.h": (
        '  /* the next field of a run goes above this line */',
        '  X(REAL, toy_factor, "1", "how many toys a step has") \\')})


# ---- A report block: one file with its descriptor, one line in the list of blocks.

def check_report_block(copy):
    printed = copy.run("predict", "resnet50", "t4", "--quiet")
    hold("\nToys\n  toys per step    3 per GPU\n" in printed, "the command's report")
    hold("Toys" not in copy.run("infer", "resnet50", "t4", "--quiet"), "reports of other answers are as they were")
    prediction = "pm.predict('resnet50', 't4')"
    for rendering in ("text", "html", "markdown"):
        script = f"import perfmodel as pm; print('toys per step' in {prediction}.explain('{rendering}'))"
        hold(copy.python(script) in (None, "True"), f"its {rendering} in Python")
    script = "local pm = require 'perfmodel'; local p = pm.predict{network = 'resnet50', system = 't4'}"
    said = copy.lua(f"{script} print(pm.explain(p):match('toys per step'))")
    hold(said in (None, "toys per step"), "the report in Lua")
    done = subprocess.run([copy.build / "tests/unit_tests", "report"], capture_output=True, text=True)
    hold(done.returncode == 0, f"its descriptor is complete\n{done.stdout}{done.stderr}")


REPORT_BLOCK = Recipe(
    check_report_block,
    lines={"libperfmodel/src/study/blocks/blocks.h": ("  X(bottleneck)", "  X(toys) \\")},
    files={"libperfmodel/src/study/blocks/toys.c": """/* The toys of a step. */
#include "study/blocks/blocks.h"

static void fill(const pm__study_subject *s, pm_report *r)
{
  if (!s->trains || s->step.status != PM_OK) return;
  pm__report_add_quantity(r, "toys per step", 3, "1");
  pm__report_note(r, "per GPU");
}

const pm__study_block pm__study_block_toys = {
  .title = "Toys", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill}};
"""})


# ---- A task: one file with its descriptor, one line in the list; here calls of inference by another name.

def check_task(copy):
    asked = ("resnet50", "t4", "--batch", "8")
    row = copy.rows("sweep", *asked, "--task", "scoring")[0]
    hold(row["latency"] == copy.rows("infer", *asked)[0]["latency"] > 0, "a sweep")
    sized = ("size", "resnet50", "--system", "t4,v100", "--target-rate", "1000 1/s", "--task", "scoring")
    hold(copy.rows(*sized)[0]["rank"] == 1, "sizing")
    hold(len(copy.rows("sensitivity", *asked, "--task", "scoring")) > 2, "sensitivities")
    hold(copy.rows("memory", *asked, "--task", "scoring")[0]["total"] > 0, "the memory that a run takes")
    said = {"memory": ("Memory of ResNet-50 in scoring on", asked), "sensitivity": ("Time of a score of", asked),
            "size": ("Scoring of ResNet-50 at 1000 samples/s", sized[1:-2])}
    for command, (words, options) in said.items():
        hold(words in copy.run(command, *options, "--task", "scoring", "--quiet"), f"the report of {command}")
    script = "import perfmodel as pm; p = pm.memory('resnet50', 't4', task='scoring', batch=8); print(p.explain()[:25])"
    hold(copy.python(script) in (None, "Memory of ResNet-50 in sc"), "a report in Python")
    sweep = "pm.sweep('resnet50', 't4', task='scoring', batch=[8])['status'][0]"
    hold(copy.python(f"import perfmodel as pm; print({sweep})") in (None, "ok"), "a sweep in Python")
    size = "pm.size('resnet50', 't4', task='scoring', rate=1000).reached"
    hold(copy.python(f"import perfmodel as pm; print({size})") in (None, "True"), "sizing in Python")
    sweep = "sweep{network = 'resnet50', system = 't4', task = 'scoring', batch = {8, 9}}:count()"
    hold(copy.lua(f"print(require 'perfmodel'.{sweep})") in (None, "2"), "a sweep in Lua")
    done = subprocess.run([copy.build / "tests/unit_tests", "task"], capture_output=True, text=True)
    hold(done.returncode == 0, f"its descriptor is complete\n{done.stdout}{done.stderr}")


INFERENCE = pathlib.Path(__file__).resolve().parents[2] / "libperfmodel/src/task/inference.c"
TASK = Recipe(
    check_task,
    lines={"libperfmodel/include/perfmodel/task.h": (
        "  /* the next task goes above this line */", "  X(SCORING, scoring) \\")},
    files={"libperfmodel/src/task/scoring.c": INFERENCE.read_text(encoding="utf-8")
           .replace("pm__task_inference", "pm__task_scoring").replace('"inference", "call"', '"scoring", "score"')})


RECIPES = {"prediction_field": PREDICTION_FIELD, "run_field": RUN_FIELD, "kind": KIND, "algorithm": ALGORITHM,
           "optimizer": OPTIMIZER, "attention": ATTENTION, "gpu": GPU,
           "framework": FRAMEWORK, "report_block": REPORT_BLOCK, "task": TASK}


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
    for name, (before, line) in [*recipe.lines.items(), *recipe.tests.items()]:
        insert(source / name, before, line)


def build(source, copy, options):
    """Follows all recipes on one copy: one build is enough for all."""
    shutil.rmtree(copy.folder, ignore_errors=True)
    shutil.copytree(source, copy.source, symlinks=True, ignore=shutil.ignore_patterns(*NO_SOURCE))
    for recipe in RECIPES.values():
        follow(recipe, copy.source)
    subprocess.run(["cmake", "-S", copy.source, "-B", copy.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                    "-DPM_WERROR=ON", "-DPM_TESTS=ON", "-DPM_SUITES=kinds;descriptors;report;task",
                    "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options], check=True)
    targets = ["perfmodel_command", "unit_tests", "perfmodel_schema",
               "perfmodel_pages"] + ["perfmodel_lua"] * ("-DPM_LUA=ON" in options)
    targets += ["perfmodel_python", "perfmodel_python_package"] * ("-DPM_PYTHON=ON" in options)
    subprocess.run(["cmake", "--build", copy.build, "--target", *targets], check=True)


# ---- What they touched.

NO_SOURCE = (".git", "build", "__pycache__", "*.egg-info", ".*_cache")


def tree(folder):
    """Every file of a source tree: path -> content."""
    found = {}
    for path, folders, names in os.walk(folder):
        ignored = shutil.ignore_patterns(*NO_SOURCE)(path, [*folders, *names])
        folders[:] = [name for name in folders if name not in ignored]
        files = (pathlib.Path(path, name) for name in names if name not in ignored)
        found.update({file.relative_to(folder).as_posix(): file.read_bytes() for file in files})
    return found


def added_lines(before, after):
    """The lines that a file has more; None if it is not the old one with lines put between."""
    rest = iter(before.splitlines())
    expected, added = next(rest, None), []
    for line in after.splitlines():
        if line == expected:
            expected = next(rest, None)
        else:
            added.append(line.decode())
    return added if expected is None else None


def hold_tree(source, copy):
    """Nothing differs from the tree that the recipes started from but what they say."""
    old, new = tree(source), tree(copy.source)
    files, lines = set(), {}
    for recipe in RECIPES.values():
        files |= set(recipe.files)
        for name, (_, line) in [*recipe.lines.items(), *recipe.tests.items()]:
            lines.setdefault(name, []).append(line)
    hold(set(old) <= set(new), f"{sorted(set(old) - set(new))} are gone")
    hold(set(new) - set(old) == files, f"new files are {sorted(set(new) - set(old))}")
    for name in sorted(old):
        if old[name] != new[name]:
            hold(sorted(added_lines(old[name], new[name]) or []) == sorted(lines.get(name, [])), f"{name} is changed")
    print(f"{len(files)} new files and {sum(map(len, lines.values()))} lines in {len(lines)} files; "
          f"{len(old) - len(lines)} others are as they were")


def main():
    what, source, copy, *rest = sys.argv[1:]
    source, copy = pathlib.Path(source), Copy(pathlib.Path(copy))
    if what == "build":
        build(source, copy, rest)
    elif what == "tree":
        hold_tree(source, copy)
    else:
        recipe = RECIPES[rest[0]]
        recipe.check(copy)
        print(f"{len(recipe.files)} new files, {len(recipe.lines)} lines, {len(recipe.tests)} lines of tests")


if __name__ == "__main__":
    main()
