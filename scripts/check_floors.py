#!/usr/bin/env python3
"""Fails if the library's modules do not depend one way, or files use each other in circles.

A module is a folder of libperfmodel/src (network/kinds and collective/algorithms are modules within a module); each
public
header belongs to one. The way of a prediction (docs/architecture.md) is the order of LAYERS: a module may include, and
use functions of, itself and the modules of the layers below its own, never those beside or above it.

The laboratory (lab/src) is a program over the public headers and the functions of `base`; its modules have layers of
their own.

Files are looked at too: a.c with its header a.h is one unit, which uses another where it names a function or variable
that the other defines. Units that use each other, directly or over others, are a circle, within a module or over
modules;
so are modules of the Python package that import each other. The command in tools/ has no modules, but its files
may not go in circles either.
"""

import ast
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ROOT / "libperfmodel"
SOURCES = LIBRARY / "src"
LAB = ROOT / "lab" / "src"
PYTHON = ROOT / "bindings" / "python" / "perfmodel"

LAYERS = [
    ["base"],  # status, memory, text, numbers, the tree of a document
    ["record"],  # field tables, quantities with units
    ["hardware", "report"],  # GPUs, links, systems | tables as columns, CSV, JSON, text
    ["network", "network/kinds"],  # graphs of layers, shapes, counts, their language | one layer kind after the other
    # what a GPU holds | rings, routes | storage to GPU | networks sharded
    ["memory", "topology", "input", "sharding"],
    ["software", "collective", "collective/algorithms", "counts"],  # frameworks | time of what GPUs exchange | trees
    ["kernel"],  # time of a kernel on a GPU
    ["lowering"],  # a network as software runs it
    ["plan"],  # units: equal stretches merged
    ["schedule", "schedule/pipelines"],  # units and exchanges in time | one schedule of a pipeline after the other
    ["step", "inference", "serving"],  # a prediction of training | of inference | of serving
    ["task"],  # what a network is run for: one descriptor for training, one for inference
    ["search"],  # many predictions: sweep, size, sensitivities
]

# Beside that way: names -> records, networks and systems; nothing that costs time is known to it, or knows it.
FACTS = {"base", "record", "hardware", "report", "network", "memory", "input", "software"}
BESIDE = {
    "catalog": FACTS | {"models"},
    "import": FACTS | {"catalog"},  # machines that other programs describe, imported run configurations
    "models": FACTS,  # networks out of model files
    "complete": FACTS | {"catalog"},  # what is not given of a run
}

# Modules of that way that also know one beside it: a task completes runs.
ALSO = {"task": {"complete"}}

# Above all: plans of what is asked by name.
ABOVE = {"study"}

# The laboratory, over the public interface: rows that it ships | files of other programs | measurements beside
# predictions | constants from measurements.
LAB_LAYERS = ["lab/shipped", "lab/traces", "lab/validation", "lab/calibration"]

MODULES = [module for layer in LAYERS for module in layer] + list(BESIDE) + sorted(ABOVE) + LAB_LAYERS

# A header belongs to the lowest module that has its types.
HEADERS = {
    "error.h": "base", "units.h": "base", "record.h": "record", "hardware.h": "hardware", "network.h": "network",
    "table.h": "report", "report.h": "report", "arrow.h": "report", "counts.h": "counts", "memory.h": "memory",
    "input.h": "input",
    "input.h": "input", "framework.h": "software", "optimizer.h": "record", "attention.h": "record",
    "run.h": "software", "engine.h": "software", "serving.h": "plan",
    "study.h": "study", "software.h": "software", "parallel.h": "record",
    "finetune.h": "record",
    "collective.h": "topology",
    "topology.h": "topology", "kernel.h": "kernel", "energy.h": "plan",
    "predict.h": "plan", "pipeline.h": "plan", "plan.h": "plan",
    "inference.h": "plan",
    "size.h": "search", "serving_goal.h": "search", "search.h": "search", "sensitivity.h": "search",
    "catalog.h": "catalog", "evidence.h": "record", "settings.h": "import", "model.h": "models", "task.h": "plan",
}  # fmt: skip

# What programs outside the library include; file_rule.h of tools/ says how the command and Lua write files.
PUBLIC = ("perfmodel.h", "perfmodel-lab.h", "lab_load.h", "file_rule.h")

# Lists of everything: they name what stands above them, and are part of no circle.
LISTS = {"record/record_types.c", "base/version.c"}

# One file knows libxml2, one zlib, the catalogue alone reads the embedded data, a document is for those who read one.
ONLY = {
    "libxml/": {"catalog/xml.c"},
    "zlib.h": {"catalog/inflate.c"},
    "base/embedded.h": {"catalog/"},
    "base/document.h": {"base/document.c", "catalog/", "import/", "network/"},
}

# First words of internal types (pm__<word>...), besides the module's own name. A word belongs to one module.
WORDS = {
    "base": {"arena", "csv", "document", "element", "embedded", "json", "name", "error", "string", "text", "words"},
    "hardware": {"edge", "kept", "keeper", "vertex", "system", "gpu"},
    "report": {"arrow", "column", "columns", "table"},
    "network": {
        "attribute", "autocast", "binding", "build", "builder", "conv", "cursor", "eager", "expression", "family",
        "flash", "further", "gemm", "gradient", "keeping", "layer", "loop", "operation", "operations", "parameters",
        "pass", "role", "saved", "scaling", "scope", "shape", "sharding", "space", "state", "training", "variable",
        "work",
    },
    "memory": {"alive", "parameter", "sizes", "tensors"},
    "topology": {"packing", "ring", "routes", "torus", "wiring"},
    "sharding": {"pieces", "shard", "shards"},
    "kernel": {"amount", "device", "engine", "operator", "product", "window"},
    "lowering": {"execution", "launch"},
    "plan": {"costs", "fixed", "part", "segments", "unit", "units"},
    "schedule": {"bucket", "exchange", "memo", "pipeline", "placement", "sharing"},
    "step": {"parallel", "trace"},
    "catalog": {"entry", "entries", "documents", "kind", "names", "provenance", "shipped"},
    "import": {"sketch", "wire", "setting", "settings"},
    "models": {"body", "config", "decoder", "encoder", "model"},
    "search": {"size", "vary", "sweep", "service", "sensitivity"},
    "serving": {"serve"},
}  # fmt: skip

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
FUNCTION = re.compile(
    r"^(?!typedef|static(?! inline)|extern)[A-Za-z_][\w \t*\n]*?[ *]([a-z]\w+)\(([^;{}]*)\)\s*\{", re.MULTILINE
)
VARIABLE = re.compile(r"^(?!typedef|static|extern)[A-Za-z_][\w *]*?[ *]([a-z]\w+)(?:\[[^\]]*\])*\s*=", re.MULTILINE)
NAME = re.compile(r"\bpm_\w+")
CALL = re.compile(r"(?<![.>\w])[a-z]\w+(?=\()|(?<=&)[a-z]\w+")  # outside the library, whose names begin alike
TYPE = re.compile(
    r"^(?:typedef )?(?:struct|enum|union) (pm__\w+) \{|^\} (pm__\w+);"
    r"|^typedef (?!struct (pm__\w+) \3;)[^{};]*?\b(pm__\w+);",
    re.MULTILINE,
)
GUARD = re.compile(r"\A(?:\s*/\*.*?\*/)?\s*#ifndef (\w+)", re.DOTALL)
KIND = re.compile(r"^const pm__layer_kind (\w+)\b", re.MULTILINE)
KIND_NAME = re.compile(r"strcmp\([^()\"]*\bkind->name|strcmp\([^()\"]*\blayer(?:->|\.)kind\b")


def module_of(path: str) -> str:
    """The module of a path relative to src/ (the laboratory's begin with lab/), or of the text of an #include; "" of a
    file that is in none."""
    if path.startswith("perfmodel/"):
        return HEADERS.get(path.removeprefix("perfmodel/"), "")
    folder = path.rpartition("/")[0]
    while folder and folder not in MODULES:
        folder = folder.rpartition("/")[0]
    return folder


def allowed(module: str) -> set[str]:
    """What a module may include. Nested modules know each other."""
    if module in BESIDE:
        return BESIDE[module] | {module}
    if module in ABOVE:
        return set(MODULES) - set(LAB_LAYERS)
    if module in LAB_LAYERS:
        return {"base", *LAB_LAYERS[: LAB_LAYERS.index(module) + 1]}
    nest = {each for each in MODULES if each.split("/")[0] == module.split("/")[0]}
    for index, layer in enumerate(LAYERS):
        if module in layer:
            return {each for lower in LAYERS[:index] for each in lower} | {module} | nest | ALSO.get(module, set())
    return set()


def bare(text: str) -> str:
    """C without comments and strings."""
    return NOISE.sub(lambda found: '""' if found[0][0] == '"' else " " + "\n" * found[0].count("\n"), text)


# ---- Includes.


def include_problems(name: str, text: str) -> list[str]:
    """What is wrong with the includes of a file of src/."""
    module = module_of(name)
    if not module:
        return [f"{name}: is in no module"]
    may = allowed(module)
    problems = []
    for bracket, target in INCLUDE.findall(text):
        if module in LAB_LAYERS:
            if target in PUBLIC:
                continue
            target = f"lab/{target}" if (LAB / target).exists() else target
        for prefix, owners in ONLY.items():
            if target.startswith(prefix) and not any(name.startswith(owner) for owner in owners):
                problems.append(f"{name}: includes {target}, which is not its business")
        if bracket == "<" or name in LISTS:
            continue
        if not module_of(target):
            problems.append(f"{name}: includes {target}, which is in no module")
        elif module_of(target) not in may:
            problems.append(f"{name}: includes {target}: {module} may not know {module_of(target)}")
    return problems


def header_problems(header: Path) -> list[str]:
    """What is wrong with the includes of a public header."""
    module = HEADERS.get(header.name, "")
    if not module:
        return [f"{header.name}: belongs to no module; name it in HEADERS"]
    targets = [target for _, target in INCLUDE.findall(header.read_text(encoding="utf-8")) if target in HEADERS]
    wrong = [target for target in targets if HEADERS[target] not in allowed(module)]
    return [f"{header.name}: includes {target}: {module} may not know {HEADERS[target]}" for target in wrong]


def outsider_problems(file: Path) -> list[str]:
    """What is wrong with the includes of a file that stands for a user: the public header and its neighbours only."""
    problems = []
    top = ROOT / file.relative_to(ROOT).parts[0]
    for bracket, target in INCLUDE.findall(file.read_text(encoding="utf-8")):
        ours = (SOURCES / target).exists() or target.startswith("perfmodel/")
        neighbour = bracket == '"' and (file.parent / target).exists() and "/" not in target
        if ours or (bracket == '"' and not neighbour and target not in PUBLIC):
            name = file.relative_to(ROOT)
            problems.append(f"{name}: includes {target}; outside the library only perfmodel.h is known")
    return problems


# ---- Circles.


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Strongly connected parts of more than one member (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            part = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(part) > 1:
                found.append(sorted(part))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def uses(texts: dict[str, str], names: re.Pattern[str]) -> tuple[dict[str, set[str]], dict[tuple[str, str], str]]:
    """Which units use which, and a name for each such pair. A unit is called by its path without .c or .h."""
    owner = {}
    for name, text in texts.items():
        for symbol in [found[0] for found in FUNCTION.findall(text)] + VARIABLE.findall(text):
            owner[symbol] = name[:-2]
    graph: dict[str, set[str]] = defaultdict(set)
    example = {}
    for name, text in texts.items():
        for symbol in sorted(set(names.findall(text))) if name not in LISTS and name.endswith(".c") else []:
            other = owner.get(symbol, name[:-2])
            if other != name[:-2]:
                graph[name[:-2]].add(other)
                example.setdefault((name[:-2], other), symbol)
    return graph, example


def path_within(graph: dict[str, set[str]], part: list[str]) -> list[str]:
    """A shortest way round, from the first member of a circle to itself."""
    start, members = part[0], set(part)
    ways = [[start]]
    seen = set()
    for way in ways:
        for other in sorted(graph[way[-1]] & members):
            if other == start:
                return [*way, start]
            if other not in seen:
                seen.add(other)
                ways.append([*way, other])
    return part


def use_problems(texts: dict[str, str]) -> tuple[list[str], int]:
    """Uses that go up, and circles; how many circles there are."""
    graph, example = uses(texts, NAME)
    problems = []
    for unit, others in sorted(graph.items()):
        for other in sorted(others):
            if unit.startswith("lab/") and not example[unit, other].startswith("pm__"):
                continue  # the public interface
            if module_of(other + ".c") not in allowed(module_of(unit + ".c")):
                problems.append(f"{unit}.c: uses {example[unit, other]} of {other}.c, above or beside it")
    found = circle_problems(graph, example)
    return problems + found, len(found)


def circle_problems(graph: dict[str, set[str]], example: dict[tuple[str, str], str]) -> list[str]:
    problems = []
    for part in circles(graph):
        way = path_within(graph, part)
        names = ", ".join(example[a, b] for a, b in zip(way, way[1:]) if (a, b) in example)
        problems.append(f"circle of {len(part)} files: {' -> '.join(way)} ({names})")
    return problems


def folder_circles(folder: str) -> list[str]:
    """Circles among the files of a folder outside the library."""
    files = sorted((ROOT / folder).rglob("*.[ch]"))
    texts = {file.relative_to(ROOT).as_posix(): bare(file.read_text(encoding="utf-8")) for file in files}
    return circle_problems(*uses(texts, CALL))


def imports(file: Path, modules: set[str]) -> set[str]:
    """The modules of the package that a module imports, but for those that only type checkers see."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    package = ["perfmodel", *file.relative_to(PYTHON).parts[:-1]]
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for child in node.orelse:
                visit(child)
            return
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            names = [f"{base}.{alias.name}" for alias in node.names]
            names = [name if name in modules else base for name in names]
        found.update(name for name in names if name in modules and name != "perfmodel")
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(tree)
    return found


def python_module_of(file: Path) -> str:
    parts = ["perfmodel", *file.relative_to(PYTHON).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def python_problems() -> tuple[list[str], int, int]:
    files = {python_module_of(file): file for file in sorted(PYTHON.rglob("*.py"))}
    graph = {name: imports(file, set(files)) - {name} for name, file in files.items()}
    found = circles(graph)
    problems = [f"circle of Python modules: {' -> '.join(path_within(graph, part))}" for part in found]
    return problems, len(files), len(found)


# ---- Names.


def twice_problems(types: dict[str, set[str]], texts: dict[str, str], raw: dict[str, str]) -> list[str]:
    """Types, functions and guards of headers that have a name in common."""
    defined: dict[str, set[str]] = defaultdict(set)
    guards: dict[str, set[str]] = defaultdict(set)
    for name, text in texts.items():
        for symbol, _ in FUNCTION.findall(text):
            defined[symbol].add(name)
        guard = GUARD.search(raw[name]) if name.endswith(".h") else None
        if guard:
            guards[guard[1]].add(name)
    both = {name: where | defined.get(name, set()) for name, where in types.items()}
    problems = []
    for what, table in (("type", both), ("function", defined), ("header guard", guards)):
        twice = {name: sorted(where) for name, where in sorted(table.items()) if len(where) > 1}
        problems += [f"{what} {name} stands in {', '.join(where)}" for name, where in twice.items()]
    return problems


def name_problems(texts: dict[str, str], raw: dict[str, str]) -> list[str]:
    """Names that are given twice, or types that say another module than theirs."""
    types: dict[str, set[str]] = defaultdict(set)
    for name, text in texts.items():
        for found in TYPE.findall(text):
            types[found[0] or found[1] or found[3]].add(name)
    problems = twice_problems(types, texts, raw)
    words: dict[str, set[str]] = defaultdict(set)
    for name, file in sorted((name, file) for name, where in types.items() for file in where):
        word, module = name.removeprefix("pm__").split("_")[0], module_of(file)
        words[word].add(module.split("/")[0])
        if word not in {*module.split("/"), *WORDS.get(module, ()), *WORDS.get(module.split("/")[0], ())}:
            problems.append(f"{file}: type {name} does not begin with a word of its module")
    shared = {word: sorted(modules) for word, modules in sorted(words.items()) if len(modules) > 1}
    return problems + [f"types of {', '.join(modules)} begin with the word {word}" for word, modules in shared.items()]


def kind_problems(texts: dict[str, str]) -> list[str]:
    """Places outside the kinds that name one: what is asked of a kind is the descriptor's to answer."""
    kinds = {kind for name, text in texts.items() if module_of(name) == "network/kinds" for kind in KIND.findall(text)}
    named = re.compile(rf"&\s*(?:{'|'.join(sorted(kinds))})\b") if kinds else KIND_NAME
    both = re.compile(f"{named.pattern}|{KIND_NAME.pattern}")
    problems = []
    for name, text in texts.items():
        if module_of(name) == "network/kinds":
            continue
        for found in (named if name.startswith("lab/") else both).finditer(text):  # constants of the lab have kinds too
            line = text.count("\n", 0, found.start()) + 1
            problems.append(f"{name}:{line}: names a layer kind; let the kind's descriptor say what it does")
    return problems


def main() -> int:
    raw = {
        file.relative_to(SOURCES).as_posix(): file.read_text(encoding="utf-8")
        for file in sorted(SOURCES.rglob("*.[ch]"))
    }
    raw |= {
        f"lab/{file.relative_to(LAB).as_posix()}": file.read_text(encoding="utf-8")
        for file in sorted(LAB.rglob("*.[ch]"))
    }
    texts = {name: bare(text) for name, text in raw.items()}
    problems = [problem for name, text in raw.items() for problem in include_problems(name, text)]
    problems += [f"{name}: lies at the top of src" for name in raw if "/" not in name.removeprefix("lab/")]
    headers = sorted((LIBRARY / "include" / "perfmodel").glob("*.h"))
    problems += [problem for header in headers for problem in header_problems(header)]
    outside = ["tools", "bindings", "examples", "benchmarks", "tests/install"]
    outsiders = sorted(each for folder in outside for each in (ROOT / folder).rglob("*.[chi]") if each.is_file())
    problems += [problem for file in outsiders for problem in outsider_problems(file)]
    found, circle_count = use_problems(texts)
    others = [problem for folder in ("tools",) for problem in folder_circles(folder)]
    circle_count += len(others)
    python, module_count, python_circles = python_problems()
    problems += found + others + python + name_problems(texts, raw) + kind_problems(texts)
    for problem in problems:
        print(problem, file=sys.stderr)
    modules = {module_of(name) for name in raw} - {""}
    count = len(raw) + len(headers) + len(outsiders)
    print(f"floors: {len(modules)} modules, {count} files, {circle_count} circles of files")
    print(f"python: {module_count} modules, {python_circles} circles")
    print(f"problems: {len(problems)}")
    return 1 if problems or not raw else 0


if __name__ == "__main__":
    sys.exit(main())
