"""Runs as other programs have them: Megatron-LM, NeMo, torchtitan, DeepSpeed, Accelerate."""

from __future__ import annotations

import os
from typing import Any, Union

from . import _core
from ._background import interruptible
from ._files import reading
from ._inputs import text
from ._table import Table


class RunSettings(Table):
    """The settings of a file, a row each: line, key, value, state, option, set_to."""

    @property
    def options(self) -> dict[str, Any]:
        """What `predict` takes: `predict(network, system, **run_from("train.sh").options)`."""
        return {
            option: _value(value) for option, value in self._pairs() if option and not option.startswith("network.")
        }

    @property
    def network(self) -> dict[str, Any]:
        """Sizes of the network, as the file has them."""
        return {option[8:]: _value(value) for option, value in self._pairs() if option.startswith("network.")}

    @property
    def not_understood(self) -> list[str]:
        """Keys whose effect is not known here."""
        return [key for key, state in zip(self["key"], self["state"]) if state == "not understood"]

    @property
    def not_modelled(self) -> list[str]:
        """Keys of what the model leaves out, such as an optimizer that is on the host in part."""
        return [key for key, state in zip(self["key"], self["state"]) if state == "not modelled"]

    def _pairs(self) -> list[tuple[str, str]]:
        return list(zip(self["option"], self["set_to"]))


def _value(word: str) -> Any:
    if word in ("yes", "no"):
        return word == "yes"
    try:
        return int(word) if word.lstrip("-").isdigit() else float(word)
    except ValueError:
        return word


def run_from(path: Union[str, "os.PathLike[str]"], format: str | None = None) -> RunSettings:
    """Reads the parallel plan of a run from a script of Megatron-LM, a recipe of NeMo or Megatron-Bridge, torchtitan's
    TOML, DeepSpeed's JSON or Accelerate's YAML.

    Args:
        format: "megatron", "nemo", "torchtitan", "deepspeed" or "accelerate"; by default by what the file looks like.

    Settings that are not understood are rows too, and in `not_understood`; none is dropped.
    """
    known = "" if format is None else text(format, "format")
    return RunSettings(interruptible(_core.settings_table, known, reading(path)))
