"""A prediction as one self-contained HTML page."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from . import _core, _display, _record
from ._draw import picture
from ._errors import Error
from ._files import replace
from ._fields import class_name, given
from ._inference import Inference
from ._memory import Memory
from ._prediction import Prediction
from ._reported import Explained
from ._sensitivity import Answers, raised
from ._serving import Serving
from ._table import Table
from ._text import escape, printable
from ._timeline import plot_timeline

RUNS = {Prediction: "run", Inference: "inference_run", Serving: "serving_run"}
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1.2em; color: #1a1a1a }
h1 { font-size: 1.5em; line-height: 1.25 } h2 { font-size: 1.15em; margin: 2em 0 .5em; border-bottom: 1px solid #ccc }
table { border-collapse: collapse; margin: .6em 0 } td, th { padding: .15em .9em .15em 0; vertical-align: top }
th { text-align: left } tr + tr td { border-top: 1px solid #eee } figure { margin: 1em 0 }
figure svg { max-width: 100%; height: auto } .wide { overflow-x: auto }
td[style*=right] { white-space: nowrap } td[style*=pre]:last-child:nth-child(-n+3) { white-space: pre-wrap !important }
footer { color: #666; margin-top: 3em }
@media print { body { max-width: none } h2 { break-after: avoid } figure { break-inside: avoid } }
"""


def report(answer: Any, path: str | os.PathLike[str] | None = None) -> str:
    """A page for a prediction: results, assumptions, pictures, possible improvements, uncertainty. Written to `path`
    too
    if there is one, whole or not at all. Pictures need matplotlib.

    Args:
        answer: what `perfmodel.predict`, `infer`, `serve`, `memory`, `size`, `search`, `compare`, `sweep`, ... return;
            several of a kind as a list are drawn beside each other, and each has its answer.

    >>> report(pm.infer("resnet50", "t4", batch=8)).startswith("<!DOCTYPE html>")
    True
    """
    answers = list(answer) if isinstance(answer, (list, tuple)) else [answer]
    if not answers or not all(hasattr(item, "plot") and hasattr(item, "_repr_html_") for item in answers):
        raise TypeError(f"a report needs a prediction, not {type(answer).__name__}")
    first = answers[0]
    parts = [
        ("Answer", "".join(f'<div class="wide">{item._repr_html_()}</div>' for item in answers)),
        ("Pictures", "".join(_pictures(answers))),
        ("What would help", _help(first)),
        ("How sure it is", _sure(answers)),
        ("Assumptions and inputs", "".join(map(_inputs, answers))),
    ]
    page = _whole(_title(first), [(head, body) for head, body in parts if body])
    if path is not None:
        replace(page.encode("utf-8"), path)
    return page


def _whole(title: str, parts: Iterable[tuple[str, str]]) -> str:
    body = "".join(f"<section><h2>{escape(head)}</h2>{content}</section>" for head, content in parts)
    return (f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
            f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body>'
            f"<h1>{escape(title)}</h1>{body}<footer>perfmodel {escape(_core.version_get())}: predicted in closed form, "
            "not measured.</footer></body></html>\n")  # fmt: skip


def _title(answer: Any) -> str:
    if isinstance(answer, Explained):
        lines = answer.lines()
        return str(lines["text"][0]) if len(lines) else type(answer).__name__
    return f"{type(answer).__name__} of {len(answer)} rows" if isinstance(answer, Table) else type(answer).__name__


def _pictures(answers: list[Any]) -> Iterable[str]:
    """What each kind of answer has to show. What cannot be drawn says why."""
    from matplotlib import pyplot

    draw: list[Callable[[], Any]] = [partial(answers[0].plot, *answers[1:])]
    for item in answers:
        if isinstance(item, Prediction):
            draw.append(partial(plot_timeline, item))
        if (found := _sensitivity(item)) is not None:
            draw.append(found.plot)
    for drawn in draw:
        try:
            ax = drawn()
        except Error as error:
            yield f"<p>{escape(str(error))}</p>"
            continue
        svg = printable(picture(ax, "svg").decode("utf-8"), "\n")
        pyplot.close(ax.figure)
        yield f"<figure>{svg[svg.index('<svg'):]}</figure>"


def _sensitivity(answer: Any) -> Answers | None:
    """How the same run depends on each number of the hardware."""
    name = next((record for kind, record in RUNS.items() if isinstance(answer, kind)), None)
    if name is None or answer._plan is None or answer._given is None:
        return None
    plan, run = answer._plan, _record.write(name, answer.run)
    system = plan.systems[answer.run.system_index]
    rows = raised(plan, system, run, None, 0.1)
    return Answers("sensitivity", rows, (plan, run, answer._given))


def _help(answer: Any) -> str:
    hints = _sentences(answer, ("hints", "bottleneck"))
    if isinstance(answer, Memory) and answer._asked is not None and answer._asked[0].task == "training":
        return hints + answer.advice()._repr_html_()
    found = _sensitivity(answer)
    return hints if found is None else hints + f'<div class="wide">{found._repr_html_()}</div>'


def _sure(answers: list[Any]) -> str:
    """Intervals, and what the numbers rest on."""
    return "".join(_notes(item) + _sentences(item, ("calibration",)) for item in answers)


def _notes(answer: Any) -> str:
    if not isinstance(answer, Explained):
        return ""
    lines = answer.lines()
    rows = [f"<tr><td>{escape(label)}</td><td>{escape(text)}</td><td>{escape(note)}</td></tr>"
            for label, text, note in zip(lines["label"], lines["text"], lines["note"])
            if "prediction interval" in note]  # fmt: skip
    return f"<table>{''.join(rows)}</table>" if rows else ""


def _sentences(answer: Any, blocks: tuple[str, ...]) -> str:
    if not isinstance(answer, Explained):
        return ""
    lines = answer.lines()
    return "".join(f"<p>{escape(text)}</p>" for block, text in zip(lines["block"], lines["text"]) if block in blocks)


def _inputs(answer: Any) -> str:
    """What was assumed, and every input that is known, with its meaning as a tip."""
    said = getattr(answer, "assumed", "")
    assumed = f"<p>Assumed: {escape(str(said))}</p>" if said and isinstance(said, str) else ""
    run = getattr(answer, "run", None)
    name = next((record for record in ("run", "inference_run", "serving_run")
                 if type(run).__name__ == class_name(record)), None)  # fmt: skip
    if name is None:
        return assumed
    asked = {f.name for f in given(name)}
    facts = [fact for fact in _display.facts(name, run) if fact[0] in asked]
    rows = "".join(f"<tr><td>{escape(a)}</td><td>{escape(b)}</td><td>{escape(c)}</td></tr>" for a, b, c in facts)
    return f"{assumed}<table><tr><th>input</th><th>value</th><th>meaning</th></tr>{rows}</table>"


__all__ = ["report"]
