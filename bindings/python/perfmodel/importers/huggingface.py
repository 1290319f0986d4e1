"""Models of Hugging Face from their `config.json`, offline: the library knows the architecture of each model type.

Neither weights nor the package transformers are needed. `architectures` in the configuration tells the head; without
it, decoders get their language-model head, image models their classifier, encoders their pooler.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import _core
from .._background import interruptible
from .._errors import FormatError
from .._files import content
from .._inputs import attributes, path_text
from .._network import Network
from .._report import Report


def from_hf(
    source: str | os.PathLike[str] | Mapping[str, Any],
    seq: int | None = None,
    *,
    image: int | None = None,
    flash: bool = True,
    part: str = "",
    id: str = "",
    name: str = "",
) -> Network:
    """The network of a Hugging Face configuration: the path of a `config.json` or of its folder, or the same as a dict.

    Args:
        seq: tokens of a sample; of encoder-decoder models on both sides. Otherwise as many as the model has positions.
        image: height and width of an image, if they are not those of the configuration.
        flash: whether attention is one fused kernel.
        part: which part of a composite is read, such as "vision_config", instead of its text model.

    Returns: a network, its `report` attribute telling what it consists of. Raises NotModelledError for a model type
    that is not known, naming those that are.
    """
    settings, title = _read(source)
    asked = {"id": id or title, "name": name, "seq": seq, "image": image, "flash": flash, "part": part}
    sets = {key: value for key, value in asked.items() if value is not None and value != ""}
    words = json.dumps(settings, default=str)
    network = Network("", _handle=interruptible(_core.model_read, words, "config.json", attributes(sets)))
    network.report = _report(network, str(settings.get("model_type", "")))
    return network


def _report(network: Network, kind: str) -> Report:
    """The notes of the library, and the kinds of layers that it made."""
    kinds = network.kinds()
    report = Report(f"Hugging Face {kind}", Counter(dict(zip(kinds["kind"].tolist(), kinds["layers"].tolist()))))
    for line in _core.network_get_notes(network._handle).splitlines():
        head, _, rest = line.partition(": ")
        if head == "note":
            report.notes.append(rest)
            continue
        near, times = rest.split()
        report.mapped[near] -= int(times)
        report.approximated[near] += int(times)
    report.flop = network.totals.flop
    return report


def _read(source: str | os.PathLike[str] | Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    if isinstance(source, Mapping):
        return source, ""
    path = Path(path_text(source))
    path = path / "config.json" if os.path.isdir(path) else path
    try:
        settings = json.loads(content(path).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: not JSON: {error}") from error
    if not isinstance(settings, dict):
        raise FormatError(f"{path}: not a configuration: not an object")
    return settings, path.parent.name if path.name == "config.json" else path.stem
