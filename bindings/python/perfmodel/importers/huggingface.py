"""Models of Hugging Face from their `config.json`, offline: the architecture of each model type is written down here.

Neither weights nor the package transformers are needed. `architectures` in the configuration tells the head; without
it, decoders get their language-model head, image models their classifier, encoders their pooler.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._errors import FileError, FormatError, NotModelledError
from .._network import Network
from .._report import Report
from . import (  # noqa: F401  (each registers its model types)
    huggingface_clip,
    huggingface_encoders,
    huggingface_families,
    huggingface_images,
    huggingface_swin,
    huggingface_translators,
)
from .huggingface_body import MODELS, Body
from .huggingface_config import Config

# Model types that cannot be described by layers that there are, and what is missing.
NOT_MODELLED = {
    name: "its layers scan a state over the tokens, and no layer kind does that"
    for name in ("mamba", "mamba2", "falcon_mamba", "jamba", "zamba", "zamba2", "bamba", "nemotron_h", "rwkv",
                 "recurrent_gemma", "falcon_h1", "granitemoehybrid")
}  # fmt: skip


def from_hf(
    source: str | os.PathLike[str] | Mapping[str, Any],
    seq: int | None = None,
    *,
    image: int | None = None,
    flash: bool = True,
    id: str = "",
    name: str = "",
) -> Network:
    """The network of a Hugging Face configuration: the path of a `config.json` or of its folder, or the same as a dict.

    Args:
        seq: tokens of a sample; of encoder-decoder models on both sides. Otherwise as many as the model has positions.
        image: height and width of an image, if they are not those of the configuration.
        flash: whether attention is one fused kernel.

    Returns: a network, its `report` attribute telling what it consists of. Raises NotModelledError for a model type
    that is not known, naming those that are.
    """
    settings, title = _read(source)
    kind = str(settings.get("model_type", ""))
    build = MODELS.get(kind)
    if kind in NOT_MODELLED:
        raise NotModelledError(f'model_type "{kind}" cannot be imported: {NOT_MODELLED[kind]}')
    if build is None:
        raise NotModelledError(f'unknown model_type "{kind}"; known are {", ".join(sorted(MODELS))}')
    title = id or title or kind
    network = Network(title, name or title)
    body = Body(network, Report(f"Hugging Face {kind}"), flash)
    try:
        build(body, Config(settings), seq, image)
    except (TypeError, AttributeError, IndexError, KeyError) as error:  # settings of a form that nobody expects
        raise FormatError(f"the configuration of a {kind} is not one: {error}") from error
    body.finish()
    return network


def _read(source: str | os.PathLike[str] | Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    if isinstance(source, Mapping):
        return source, ""
    path = Path(os.fspath(source))
    path = path / "config.json" if path.is_dir() else path
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise FormatError(f"{path}: not JSON: {error}") from error
    if not isinstance(settings, dict):
        raise FormatError(f"{path}: not a configuration: it is no object")
    return settings, path.parent.name if path.name == "config.json" else path.stem
