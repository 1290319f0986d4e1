"""What the command leaves to Python: `perfmodel plot` and `perfmodel report`, with the words of the command line.

A kind of question is a function of the package; options are its keywords.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from . import _core
from ._errors import (
    ArgumentError,
    DoesNotFitError,
    Error,
    FileError,
    NotModelledError,
    PrecisionError,
    RouteError,
    TooManyGpusError,
    UnreachableError,
)
from ._excel import Item
from ._words import read, with_own

USAGE, CONSTRAINT, INPUT, INTERNAL, INTERRUPTED = 2, 1, 3, 4, 130
CONSTRAINTS = (DoesNotFitError, NotModelledError, PrecisionError, RouteError, TooManyGpusError, UnreachableError)
PICTURES = (".svg", ".png", ".pdf")
SIZES = [2.0**power for power in range(10, 33)]  # of collectives, where none are given: 1 KiB to 4 GiB


class Kind(NamedTuple):
    """A question by name: the function that answers it, and its arguments by position."""

    module: str
    function: str
    arguments: tuple[str, ...]
    picture: bool = False
    """Whether the function draws by itself."""


RUN = ("network", "system")
KINDS = {
    "predict": Kind("_prediction", "predict", RUN),
    "infer": Kind("_inference", "infer", RUN),
    "serve": Kind("_serving", "serve", RUN),
    "memory": Kind("_memory", "memory", RUN),
    "sweep": Kind("_sweep", "sweep", ("networks", "systems")),
    "compare": Kind("_compare", "compare", ("networks", "systems")),
    "size": Kind("_sizing", "size", ("network", "systems")),
    "size-serving": Kind("_serving_goal", "size_serving", ("network", "systems")),
    "size-training": Kind("_search", "size_training", ("network", "systems")),
    "search": Kind("_search", "search", ("network", "systems")),
    "sensitivity": Kind("_sensitivity", "sensitivity", RUN),
    "upgrades": Kind("_sensitivity", "upgrades", ("network", "system", "choices")),
    "collective": Kind("_collective", "collective", ("system", "name")),
    "loads": Kind("_collective", "collective_loads", ("system", "name", "bytes")),
    "topology": Kind("_catalog", "as_system", ("system",)),
    "validate": Kind("_validate", "validate", ("set",)),
    "roofline": Kind("_plots", "plot_roofline", ("network", "gpu"), True),
    "scaling": Kind("_plots", "plot_scaling", ("networks", "systems"), True),
    "front": Kind("_plots", "plot_serving", ("network", "systems"), True),
    "timeline": Kind("_timeline", "plot_timeline", RUN, True),
}
LISTED = ("sweep", "compare", "scaling")  # whose networks may be several
TASKS = {"predict": "training", "infer": "inference", "serve": "serving"}
HELP = """usage: perfmodel {name} KIND ARGUMENTS [options] -o FILE

{what}

Kinds, and what follows each:
{kinds}

Options are those of the command for the same question, and the keywords of the
function in Python: --batch 64, --gpus 1,2,4,8. Several systems are separated by commas.

For example:
  perfmodel {name} {example}
"""
WHAT = {
    "plot": ("Draws an answer: to a file that ends in .svg, .png or .pdf, or as SVG to standard output.",
             "scaling resnet50 dgx1-v100,dgx-a100 --batch 64 --precision fp16 -o scaling.svg"),
    "report": ("Writes an answer as one page of HTML that needs nothing else: what was assumed, pictures, what would\n"
               "help, how sure it is.", "predict resnet50 dgx1-v100 --gpus 8 -o answer.html"),
}  # fmt: skip


def main(words: Sequence[str]) -> int:
    """Runs `plot` or `report`, the first of the words, and returns the exit status. `workbook FILE WORDS...` and
    `network FILE SETTINGS...` are the command's own: the one writes the table that comes to standard input, as the
    answer to those words, the other the network of an ONNX or Keras model, as a file of the catalogue."""
    try:
        return _run(words[0], list(words[1:]))
    except (ArgumentError, TypeError, KeyError, ImportError) as error:
        return _fail(USAGE, error)
    except CONSTRAINTS as error:
        return _fail(CONSTRAINT, error)
    except FileError as error:
        return _fail(INPUT, error)
    except Error as error:
        return _fail(USAGE, error)
    except OSError as error:
        sys.unraisablehook = lambda _: None  # what writes a workbook complains once more when it is freed
        return _fail(INTERNAL, _unwritten(error))


def _unwritten(error: OSError) -> BaseException:
    """The words of the command for a file that cannot be written."""
    if error.strerror is None:
        return error
    what = f'"{error.filename}"' if error.filename is not None else "the rows"
    return Error(f"cannot write {what}: {error.strerror}")


def _fail(status: int, error: BaseException) -> int:
    print(f"perfmodel: {error.args[0] if isinstance(error, KeyError) else error}", file=sys.stderr)
    return status


def _run(name: str, words: list[str]) -> int:
    if name == "workbook":
        table = _core.table_unpack(sys.stdin.buffer.read().decode("utf-8"))
        found = import_module("._table", __package__).Table(table)
        import_module("._excel", __package__).write(words[0], [("answer", found)], _asked(words[1:]), found._said())
        return 0
    if name == "sweep":
        return _stream(words)
    if name == "network":
        return _network(words[0], words[1:])
    if not words or words[0] in ("-h", "--help", "help"):
        print(_help(name), end="")
        return 0 if words else USAGE
    if words[0] not in KINDS:
        raise ArgumentError(f'unknown kind "{words[0]}"; there are {", ".join(KINDS)}')
    arguments, options, file = read(words[1:])
    if "format" in options:
        raise ArgumentError("--format has no effect here: the ending of the -o file sets it")
    kind, made = KINDS[words[0]], _answer(words[0], arguments, options)
    if name == "report":
        if kind.picture:
            raise ArgumentError(f"a report needs a prediction; {words[0]} is a picture: perfmodel plot {words[0]}")
        _write(import_module("._page", __package__).report(made).encode(), file)
    else:
        _draw(made, file)
    return 0


def _asked(words: list[str]) -> list[Item]:
    """The command line as inputs of a workbook: as a whole, and option by option."""
    asked = [Item("command", shlex.join(["perfmodel", *words]), "", "the command line")]
    if not words:
        return asked  # Lua has no command line
    arguments, options, _ = read(words)
    names = KINDS[words[0]].arguments if words[0] in KINDS else ()
    for number, word in enumerate(arguments[1:]):
        name = names[number] if number < len(names) else f"argument {number + 1}"
        asked.append(Item(name, word, "", "as given"))
    for name, value in options.items():
        asked.append(Item(name, value if isinstance(value, bool | float | int) else _listed(value), "", "as given"))
    return asked


def _listed(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _stream(words: list[str]) -> int:
    """`perfmodel sweep` to a file of any size. After Ctrl-C what is done is kept."""
    from ._experiment import of_options

    quiet = "-q" in words or "--quiet" in words
    arguments, options, file = read(words)
    options |= dict(zip(("networks", "systems"), (argument.split(",") for argument in arguments)))
    workers, resume = options.pop("workers", 1), options.pop("resume", False)
    if not isinstance(workers, int) or workers < 1:
        raise ArgumentError(f'--workers "{workers}" is not a whole number of at least 1')
    for name in [name for name in ("format", "delimiter", "decimal") if name in options]:
        raise ArgumentError(f"--{name} has no effect on streamed rows")
    asked = of_options({**options, "output": file})
    try:
        with ProcessPoolExecutor(workers) if workers > 1 else nullcontext() as executor:
            asked.run(executor=executor, progress=not quiet, resume=bool(resume))
    except KeyboardInterrupt:
        return _fail(INTERRUPTED, KeyboardInterrupt(f"stopped; {file} has what is done; the same command with --resume "
                                                    "goes on"))  # fmt: skip
    return 0


def _network(file: str, words: list[str]) -> int:
    """Settings are sizes of open dimensions and shapes of inputs: batch=8, x=1x3x224x224."""
    dims, quiet = dict(word.split("=", 1) for word in words if "=" in word), "-q" in words
    options: dict[str, Any] = {"id": re.sub("[^A-Za-z0-9._-]+", "-", dims.pop("id", Path(file).stem)) or "model",
                               "name": dims.pop("name", ""), "allow_unknown": _allowed(dims.pop("allow_unknown", "no"))}
    if file.endswith(".onnx"):
        options["dims"] = {name: _shape(name, value) for name, value in dims.items()}
    elif set(dims) <= {"input_shape"}:
        options["input_shape"] = _shape("input_shape", dims["input_shape"], True) if dims else None
    else:
        raise ArgumentError(f"a Keras model has no parameter {sorted(dims)[0]}; it has input_shape, allow_unknown")
    importers = import_module(".importers", __package__)
    try:
        made = (importers.from_onnx if file.endswith(".onnx") else importers.from_keras)(file, **options)
    except Error as error:
        error.args = (_as_settings(str(error)),)
        raise
    for note in [] if quiet else [*made.report.notes, *_left_out(made.report)]:
        print(f"perfmodel: note: {note}", file=sys.stderr)
    print(made.to_xml(), end="")
    return 0


def _as_settings(text: str) -> str:
    """What a message says of keywords, as the command takes it."""
    text = text.replace("allow_unknown=True leaves", "--set allow_unknown=yes leaves")
    shape = re.search(r'dims={"([^"]*)": \(?([\d, ]+)\)?}', text)
    if shape is None:
        return text
    return text.replace(shape[0], f"--set {shape[1]}={'x'.join(re.findall('[0-9]+', shape[2]))}")


def _left_out(report: Any) -> list[str]:
    unknown = ", ".join(f"{name} ({count}x)" for name, count in report.unknown.items())
    return [f"{unknown} left out: at most {report.coverage:.1%} of FLOP are counted"] if unknown else []


def _allowed(text: str) -> bool:
    if text not in ("yes", "no", "1", "0"):
        raise ArgumentError(f"allow_unknown {text} is neither yes nor no")
    return text in ("yes", "1")


def _shape(name: str, text: str, whole: bool = False) -> Any:
    """A size, or the sizes of a shape separated by x."""
    parts = text.split("x")
    if not all(part.isdecimal() for part in parts):
        raise ArgumentError(f"{name} {text} is neither a size nor a shape; a shape is written 1x3x224x224")
    sizes = tuple(int(part) for part in parts)
    return sizes if whole or len(sizes) > 1 else sizes[0]


def _help(name: str) -> str:
    what, example = WHAT[name]
    shown = {word: kind for word, kind in KINDS.items() if name == "plot" or not kind.picture}
    kinds = "\n".join(f"  {word:<15}{' '.join(kind.arguments).upper()}" for word, kind in shown.items())
    return HELP.format(name=name, what=what, kinds=kinds, example=example)


# ---- Answers ----


def _answer(word: str, arguments: list[str], options: dict[str, Any]) -> Any:
    kind = KINDS[word]
    if "systems" in kind.arguments and "system" in options:
        options["systems"] = options.pop("system")
    known = dict(zip(kind.arguments, arguments), **options)
    missing = [name for name in kind.arguments if name not in known and not (word == "validate" or name == "bytes")]
    if missing or len(arguments) > len(kind.arguments):
        raise ArgumentError(f"{word} takes {' '.join(kind.arguments).upper()}; see perfmodel plot --help")
    for name in ("networks", "systems", "system", "choices") if word != "collective" else ("system",):
        if isinstance(known.get(name), str) and "," in known[name]:
            known[name] = known[name].split(",")
    known = with_own(known)
    if word in TASKS and any(isinstance(value, list) for name, value in known.items() if name != "system"):
        return _call(KINDS["sweep"], {"networks": known.pop("network"), "systems": known.pop("system"),
                                      "task": TASKS[word], **known})  # fmt: skip
    if word in ("collective", "loads"):
        known.setdefault("bytes", SIZES if word == "collective" else 1e9)
    if word == "timeline":
        until = {name: known.pop(name) for name in ("until",) if name in known}
        return _call(kind, {"prediction": _call(KINDS["predict"], known), **until})
    return _each(kind, known)


def _each(kind: Kind, known: dict[str, Any]) -> Any:
    """One answer, or those of several systems."""
    systems = known.get("system")
    if not isinstance(systems, list):
        return _call(kind, known)
    return [_call(kind, {**known, "system": system}) for system in systems]


def _call(kind: Kind, known: dict[str, Any]) -> Any:
    function: Callable[..., Any] = getattr(import_module(f".{kind.module}", __package__), kind.function)
    first = [known[name] for name in kind.arguments if name in known]
    return function(*first, **{name: value for name, value in known.items() if name not in kind.arguments})


# ---- Files ----


def _draw(made: Any, file: str) -> None:
    try:
        import matplotlib
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install 'perfmodel[plot]'") from None
    ending = Path(file).suffix.lower() if file != "-" else ".svg"
    if ending not in PICTURES:
        raise ArgumentError(f'-o "{file}": pictures end in {", ".join(PICTURES)}')
    matplotlib.use("Agg")
    if isinstance(made, list):
        made = made[0].plot(*made[1:])
    elif hasattr(made, "plot") and not hasattr(made, "figure"):
        made = made.plot()
    _write(import_module("._draw", __package__).picture(made, ending[1:]), file)


def _write(data: bytes, file: str) -> None:
    """To a file, whole or not at all, or to standard output."""
    if file == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    from ._files import replace

    replace(data, file)


__all__ = ["main"]
