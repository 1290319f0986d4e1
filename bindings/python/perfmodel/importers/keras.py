"""Keras models from what `model.to_json()` writes: Sequential and functional ones, of Keras 2 and 3, without Keras.

Tensors are as Keras has them, with the channels last by default; the layers of the network have them first. Changes of
order in between vanish, as nothing moves in memory for them.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .._errors import ArgumentError, FileError, FormatError
from .._files import MOST_BYTES, content, reading
from .._network import Network
from ._graph import Graph, Scope, Shape, Unmapped, Value
from .._report import Report
from .keras_layers import HANDLERS, Layer

MOST_NESTING = 32


def from_keras(
    source: str | os.PathLike[str] | Mapping[str, Any],
    input_shape: Sequence[int] | None = None,
    *,
    allow_unknown: bool = False,
    id: str = "",
    name: str = "",
) -> Network:
    """The network of a Keras model: the text that `model.to_json()` returns, a file with it, a `.keras` file, or the
    same as a dict.

    Args:
        input_shape: the shape of one sample, as Keras has it ((224, 224, 3)), for a model that leaves sizes open.
        allow_unknown: leave unknown layers out instead of raising NotModelledError; `network.report` then tells how
            much is covered.

    Returns: a network, its `report` attribute telling what became of the layers.
    """
    model = _read(source)
    title = str(_config(model).get("name") or "model") if isinstance(model.get("config"), dict) else "model"
    graph = Graph(Network(id or title, name or id or title), Report(f"Keras {title}"), allow_unknown)
    reader = Reader(graph, tuple(input_shape) if input_shape is not None else None)
    try:
        reader.model(model, None, "")
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise FormatError(f"not the JSON of a Keras model: {type(error).__name__}: {error}") from error
    return graph.finish()


def _read(source: str | os.PathLike[str] | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(source, Mapping):
        return _checked(source, "this dict")
    text, what = os.fspath(source), "this text"
    if not text.lstrip().startswith(("{", '"')):
        what = text
        text = _text_of(Path(text))
    try:
        model = json.loads(text)
        model = json.loads(model) if isinstance(model, str) else model
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{what}: not the JSON of a Keras model: {error}") from error
    return _checked(model, what)


def _text_of(path: Path) -> str:
    """The text of a file; of a `.keras` file, a zip, that of its config.json."""
    try:
        if not zipfile.is_zipfile(path):
            return content(path).decode("utf-8-sig")
        with zipfile.ZipFile(reading(path)) as archive:
            if archive.getinfo("config.json").file_size > MOST_BYTES:
                raise FormatError(f"{path}: its config.json has more than {MOST_BYTES} bytes")
            return archive.read("config.json").decode("utf-8")
    except (KeyError, zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error) as error:
        raise FormatError(f"{path}: not a .keras file: {error.args[0] if error.args else error}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: neither the JSON of a Keras model nor a .keras file") from error
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from error


def _checked(model: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(model, Mapping) or "class_name" not in model or "config" not in model:
        raise FormatError(f"{what}: not the JSON of a Keras model: it has no class_name and config")
    return model


def _config(layer: Mapping[str, Any]) -> Mapping[str, Any]:
    config = layer.get("config", {})
    return config if isinstance(config, Mapping) else {"layers": config}


def is_model(layer: Mapping[str, Any]) -> bool:
    """Whether a layer is a model itself."""
    return "layers" in _config(layer) and isinstance(_config(layer)["layers"], list)


class Reader:
    """The values that layers make, by the layer's name, the number of its call, and that of its result."""

    def __init__(self, graph: Graph, input_shape: Shape | None):
        self.graph = graph
        self.input_shape = input_shape
        self._depth = 0

    def model(self, model: Mapping[str, Any], given: Sequence[Value] | None, prefix: str) -> list[Any]:
        """Outputs of a model, of its own inputs or of given ones."""
        self._depth += 1
        if self._depth > MOST_NESTING:
            raise FormatError(f"models are nested more than {MOST_NESTING} deep")
        config = _config(model)
        layers = config.get("layers")
        if not isinstance(layers, list) or not layers:
            raise FormatError(
                f"the model {config.get('name', '')} has no layers; a subclassed model has none in its JSON"
            )
        functional = any("inbound_nodes" in layer for layer in layers) and model.get("class_name") != "Sequential"
        made = self._functional(config, given, prefix) if functional else self._sequential(model, given, prefix)
        self._depth -= 1
        return made

    # ---- One layer after the other.

    def _sequential(self, model: Mapping[str, Any], given: Sequence[Value] | None, prefix: str) -> list[Any]:
        config = _config(model)
        values = list(given) if given is not None else []
        for layer in config["layers"]:
            if layer["class_name"] == "InputLayer":
                values = values or [self._input(layer, prefix)]
                continue
            if not values:
                shape = _batch_shape(layer) or config.get("build_input_shape") or config.get("batch_input_shape")
                values = [self._new_input(f"{prefix}input", shape)]
            values = self._call(layer, values, {}, prefix)
        return values

    # ---- A graph of layers.

    def _functional(self, config: Mapping[str, Any], given: Sequence[Value] | None, prefix: str) -> list[Any]:
        known: dict[tuple[str, int, int], Any] = {}
        waiting = []
        inputs = [_reference(item) for item in _references(config.get("input_layers", []))]
        for layer in config["layers"]:
            calls = list(_calls(layer))
            name = str(layer.get("name") or _config(layer).get("name"))
            if layer["class_name"] == "InputLayer" or not calls:
                place = inputs.index((name, 0, 0)) if (name, 0, 0) in inputs else -1
                value = given[place] if given is not None and place >= 0 else self._input(layer, prefix)
                known[(name, 0, 0)] = value
            waiting += [(name, number, layer, call) for number, call in enumerate(calls)]
        while waiting:
            left = []
            for name, number, layer, (arguments, options) in waiting:
                wanted = list(_keys(arguments)) + list(_keys(options))
                if any(key not in known for key in wanted):
                    left.append((name, number, layer, (arguments, options)))
                    continue
                values = [known[key] for key in _keys(arguments)]
                made = self._call(layer, values, _resolved(options, known), prefix)
                known.update({(name, number, i): value for i, value in enumerate(made)})
            if len(left) == len(waiting):
                raise FormatError(f'layer "{left[0][0]}" takes what no layer makes')
            waiting = left
        return [known[_reference(item)] for item in _references(config.get("output_layers", []))]

    # ---- One layer.

    def _call(
        self, layer: Mapping[str, Any], values: Sequence[Any], options: Mapping[str, Any], prefix: str
    ) -> list[Any]:
        kind, config = str(layer["class_name"]), _config(layer)
        name = prefix + str(config.get("name") or layer.get("name") or kind.lower())
        if is_model(layer):
            return self.model(layer, list(values), f"{name}.")
        handler = HANDLERS.get(kind.rsplit(">", 1)[-1])
        made: list[Any] = []

        def do() -> None:
            assert handler is not None
            answer = handler(Layer(self.graph, name, kind, config, dict(options)), *values)
            made.extend(answer if isinstance(answer, list) else [answer])

        self.graph.scope = Scope(name, True)
        try:
            if handler is None:
                raise Unmapped(kind)
            self.graph.run(kind, do)
        except Unmapped as error:
            shape = values[0].shape if values else (1,)
            self.graph.report.notes.append(f"the output of {kind} is taken to have the shape of its input")
            return [self.graph.unknown(kind, list(values), shape, str(error))]
        return made

    def _input(self, layer: Mapping[str, Any], prefix: str) -> Value:
        name = str(layer.get("name") or _config(layer).get("name") or "input")
        return self._new_input(prefix + name, _batch_shape(layer))

    def _new_input(self, name: str, shape: Any) -> Value:
        sizes = list(shape[1:]) if isinstance(shape, (list, tuple)) else None
        if self.input_shape is not None and (sizes is None or len(sizes) == len(self.input_shape)):
            sizes = list(self.input_shape)
        if sizes is None or any(size is None for size in sizes):
            text = ", ".join("?" if size is None else str(size) for size in sizes or [])
            raise ArgumentError(f'input "{name}" leaves sizes open ({text}); give input_shape, such as (224, 224, 3)')
        shape = (1, *(int(size) for size in sizes))
        if len(shape) in (4, 5):
            return self._channels_last(name, shape)
        return self.graph.input(name, shape)

    def _channels_last(self, name: str, shape: Shape) -> Value:
        """An image, which is an input with the channels first, seen with the channels last."""
        from ._operators import permute

        rank = len(shape)
        value = self.graph.input(name, (1, shape[-1], *shape[1:-1]))
        seen = permute(value, (0, *range(2, rank), 1))
        assert isinstance(seen, Value)
        return seen


def _batch_shape(layer: Mapping[str, Any]) -> Any:
    config = _config(layer)
    for name in ("batch_input_shape", "batch_shape"):
        if config.get(name):
            shape = config[name]
            return shape[0] if isinstance(shape[0], (list, tuple)) else shape
    return (layer.get("build_config") or {}).get("input_shape")


# ---- How layers refer to each other.

Key = tuple[str, int, int]


def _calls(layer: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """What each call of a layer takes: arguments, and options by name."""
    for node in layer.get("inbound_nodes") or []:
        if isinstance(node, Mapping):
            yield node.get("args", []), node.get("kwargs", {})
            continue
        items = [node] if node and isinstance(node[0], str) else node
        options: dict[str, Any] = {}
        for item in items:
            options.update(item[3] if len(item) > 3 and isinstance(item[3], Mapping) else {})
        yield [list(item[:3]) for item in items], options


def _keys(arguments: Any) -> Iterator[Key]:
    """All references in nested arguments."""
    if isinstance(arguments, Mapping):
        if arguments.get("class_name") == "__keras_tensor__":
            name, node, index = arguments["config"]["keras_history"]
            yield str(name), int(node), int(index)
            return
        for value in arguments.values():
            yield from _keys(value)
    elif isinstance(arguments, (list, tuple)):
        if _is_reference(arguments):
            yield _reference(arguments)
            return
        for value in arguments:
            yield from _keys(value)


def _is_reference(item: Any) -> bool:
    return (
        isinstance(item, (list, tuple))
        and len(item) >= 3
        and isinstance(item[0], str)
        and all(isinstance(number, int) for number in item[1:3])
    )


def _reference(item: Any) -> Key:
    return str(item[0]), int(item[1]), int(item[2])


def _references(items: Any) -> Iterator[Any]:
    """References of a model's inputs or outputs: one, several, or by name."""
    if _is_reference(items):
        yield items
    elif isinstance(items, Mapping):
        for item in items.values():
            yield from _references(item)
    else:
        for item in items:
            yield from _references(item)


def _resolved(options: Any, known: Mapping[Key, Any]) -> dict[str, Any]:
    return {
        name: known[next(_keys(value))] if next(_keys(value), None) is not None else value
        for name, value in (options or {}).items()
    }
