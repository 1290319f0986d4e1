"""Settings of a Hugging Face configuration, read one by one, each checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import FormatError

LAYERS, SIZE = 10_000, 2**31  # the most that a configuration may ask for


class Config:
    """Settings by name; some have other names in older configurations."""

    def __init__(self, settings: Mapping[str, Any], kind: str = ""):
        self._settings = settings
        self.kind = kind or str(settings.get("model_type", ""))

    def get(self, name: str, otherwise: Any = None) -> Any:
        value = self._settings.get(name)
        return otherwise if value is None else value

    def wrong(self, text: str) -> FormatError:
        return FormatError(f"the configuration of a {self.kind} {text}")

    def _first(self, names: tuple[str, ...]) -> tuple[str, Any]:
        """The first of the names that has a value, and that."""
        for name in names:
            if self._settings.get(name) is not None:
                return name, self._settings[name]
        return names[0], None

    def _whole(self, name: str, value: Any, least: int, most: int) -> int:
        whole = isinstance(value, int) or isinstance(value, float) and value.is_integer()
        if isinstance(value, bool) or not whole or not least <= value <= most:
            raise self.wrong(f"has {name} {value!r}, which is no whole number of {least} to {most}")
        return int(value)

    def count(self, *names: str, otherwise: int | None = None, least: int = 1, most: int = SIZE) -> int:
        """A whole number under one of the names; it must be there unless there is another."""
        name, value = self._first(names)
        if value is None and otherwise is not None:
            return otherwise
        if value is None:
            raise self.wrong(f"has no {name!r}")
        return self._whole(name, value, least, most)

    def layers(self, *names: str, otherwise: int | None = None) -> int:
        return self.count(*names, otherwise=otherwise, most=LAYERS)

    def counts(self, name: str, otherwise: tuple[int, ...]) -> tuple[int, ...]:
        values = self.get(name, otherwise)
        if not isinstance(values, (list, tuple)):
            raise self.wrong(f"has {name} {values!r}, which is no list of whole numbers")
        return tuple(self._whole(name, value, 0, SIZE) for value in values)

    def number(self, *names: str, otherwise: float, least: float = 0, most: float = 1e6) -> float:
        name, value = self._first(names)
        value = otherwise if value is None else value
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
            raise self.wrong(f"has {name} {value!r}, which is no number of {least:g} to {most:g}")
        return float(value)

    def rate(self, *names: str, otherwise: float = 0.0) -> float:
        """A share that is dropped."""
        return self.number(*names, otherwise=otherwise, most=1)

    def switch(self, name: str, otherwise: bool) -> bool:
        value = self.get(name, otherwise)
        if not isinstance(value, (bool, int)) or value not in (0, 1):
            raise self.wrong(f"has {name} {value!r}, which is neither true nor false")
        return bool(value)

    def words(self, name: str) -> tuple[str, ...] | None:
        """A list of words; None without one."""
        values = self.get(name)
        if values is None:
            return None
        if not isinstance(values, (list, tuple)) or not all(isinstance(value, str) for value in values):
            raise self.wrong(f"has {name} {values!r}, which is no list of words")
        return tuple(values)

    def child(self, name: str) -> Config:
        """A configuration within this one, or one without settings."""
        value = self.get(name, {})
        if not isinstance(value, Mapping):
            raise self.wrong(f"has {name} {value!r}, which is no configuration")
        return Config(value, self.kind)

    def part_of_heads(self, hidden: int, heads: int, *names: str) -> int:
        """Features of one head: as stated, else those that the heads share."""
        if names and self._first(names)[1] is not None:
            return self.count(*names)
        if hidden % heads != 0:
            raise self.wrong(f"has {hidden} features, which {heads} heads do not divide")
        return hidden // heads

    @property
    def labels(self) -> int:
        named = self.get("id2label") or {}
        return self.count("num_labels", otherwise=len(named) or 2, least=0)

    def head(self, otherwise: str) -> str:
        """What follows the body: "Model", "ForCausalLM", ... as the name of the architecture ends."""
        names = self.words("architectures")
        if not names:
            return otherwise
        for ending in ("ForPreTraining", "LMHeadModel", "DoubleHeadsModel"):
            if names[0].endswith(ending):
                return ending
        place = names[0].rfind("For")
        return names[0][place:] if place > 0 else "Model"
