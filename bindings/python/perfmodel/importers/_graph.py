"""A network that grows operator by operator, from tensors as frameworks have them: with a batch, which is 1 here.

A tensor that depends on the network's inputs is a `Value`: the output of a layer, and views of it (another shape,
another order of dimensions) that become layers only where one is needed. So what only rearranges, as attention does
with its heads, leaves no trace. Trained tensors are `Weight`s; what depends on neither is a `Constant`.

Shapes of layers are per sample: those of the tensors without a leading 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from .._errors import NotModelledError, OutOfMemoryError, ShapeError
from .._inputs import AttributeValue
from .._network import Network
from .._report import Report

Shape = tuple[int, ...]
SLIPS = (TypeError, KeyError, IndexError, AttributeError, ValueError, ArithmeticError, AssertionError)
NAME_BYTES = 79
MOST_INPUTS = 1000


class Unmapped(NotModelledError):
    """An operator whose arguments have no counterpart; it is reported as unknown."""


def elements(shape: Sequence[int]) -> int:
    """Numbers in a tensor of that shape."""
    return math.prod(shape)


def sample(shape: Shape) -> Shape:
    """The shape without the batch of 1; a single number is a vector of one."""
    if len(shape) > 1 and shape[0] == 1:
        return shape[1:]
    return shape or (1,)


@dataclass(frozen=True)
class View:
    """One step of a rearrangement: to a shape, or, with an order, of the dimensions."""

    shape: Shape
    order: tuple[int, ...] | None = None


@dataclass(eq=False)
class Value:
    """A tensor that depends on the inputs: the output of `layer`, of shape `base`, seen through `views`."""

    layer: int
    base: Shape
    views: tuple[View, ...] = ()

    @property
    def shape(self) -> Shape:
        return self.views[-1].shape if self.views else self.base


@dataclass(frozen=True)
class Source:
    """A trained tensor."""

    name: str
    elements: int


@dataclass(eq=False)
class Weight:
    """A trained tensor, or what is made of trained tensors alone: a part, or, if `computed`, something else.

    `rows` tells that it was looked up in a table of as many rows.
    """

    shape: Shape
    sources: frozenset[Source]
    rows: int | None = None
    computed: bool = False

    @property
    def parameters(self) -> int:
        """Trained numbers behind it: of a part, those of the part."""
        whole = sum(source.elements for source in self.sources)
        return whole if self.computed or self.rows is not None else min(elements(self.shape), whole)


@dataclass(eq=False)
class Constant:
    """Depends on neither inputs nor trained tensors. Small ones may have their data."""

    shape: Shape
    data: npt.NDArray[Any] | None = None


Operand = Union[Value, Weight, Constant]


def with_view(value: Value, view: View) -> Value:
    """The value seen through one more view; views that undo each other vanish."""
    views = list(value.views)
    before = value.shape
    if view.order is not None and _moves_nothing(before, view.order):
        view = View(view.shape)
    last = views[-1] if views else None
    if last is not None and last.order is None and view.order is None:
        views.pop()
    elif last is not None and last.order is not None and view.order is not None:
        views.pop()
        order = tuple(last.order[i] for i in view.order)
        before = views[-1].shape if views else value.base
        view = View(view.shape, order)
        if _moves_nothing(before, order):
            return with_view(Value(value.layer, value.base, tuple(views)), View(view.shape))
    before = views[-1].shape if views else value.base
    if view.order is None and view.shape == before:
        return Value(value.layer, value.base, tuple(views))
    return Value(value.layer, value.base, (*views, view))


def _moves_nothing(shape: Shape, order: Sequence[int]) -> bool:
    """Whether only dimensions of size 1 change their place."""
    kept = [axis for axis in order if shape[axis] != 1]
    return kept == sorted(kept)


@dataclass
class Scope:
    """Where an operator stands: the name for its layers, and whether that name is the operator's own."""

    path: str = ""
    own: bool = False


@dataclass
class Graph:
    """The network so far, and what is said about it."""

    network: Network
    report: Report
    allow_unknown: bool = False
    scope: Scope = field(default_factory=Scope)
    operator: str = ""
    unknown_places: dict[str, str] = field(default_factory=dict)
    _names: set[str] = field(default_factory=set)
    _numbers: dict[str, int] = field(default_factory=dict)
    _counted: dict[Source, int] = field(default_factory=dict)
    _approximate_layers: set[int] = field(default_factory=set)
    _views: dict[tuple[object, ...], int] = field(default_factory=dict)
    _layers: list[int] = field(default_factory=list)

    # ---- Layers.

    def input(self, name: str, shape: Shape) -> Value:
        """A further input of the network; `shape` is with the batch."""
        return Value(self.network.input(*sample(shape), name=self._free_name(name)), shape)

    def add(self, kind: str, inputs: Sequence[int], shape: Shape, /, **attributes: AttributeValue) -> Value:
        """A layer whose output is, with the batch, of that shape."""
        number = self.network.add(kind, inputs=inputs, name=self._layer_name(kind), **attributes)
        self._layers.append(number)
        made = self.network.shape(number)
        if elements(made) != elements(shape):
            raise ShapeError(f"{self.operator} makes {_text(shape)}, but {kind} would make {_text(made)}")
        return Value(number, shape)

    def _layer_name(self, kind: str) -> str:
        path, own = self.scope.path, self.scope.own and kind not in ("reshape", "permute")
        return self._free_name(path if path and own else f"{path}.{kind}" if path else kind)

    def _free_name(self, wanted: str) -> str:
        wanted = "".join("_" if character in " \t\r\n{}" else character for character in wanted) or "layer"
        while len(wanted.encode()) > NAME_BYTES:
            wanted = wanted[1:]
        name, number = wanted, self._numbers.get(wanted, 1)
        while name in self._names:
            number += 1
            ending = f"_{number}"
            name = wanted[: NAME_BYTES - len(ending)] + ending
        self._numbers[wanted] = number
        self._names.add(name)
        return name

    # ---- Views become layers.

    def at(self, value: Value, shape: Shape | None = None) -> int:
        """The layer that has this value, per sample in its own shape or in another of as many elements."""
        layer, current = self._ordered(value)
        return self._reshaped(layer, sample(value.shape) if shape is None else shape)

    def _ordered(self, value: Value) -> tuple[int, Shape]:
        """The layer with all changes of order done, and the value's shape, in which the layer may not yet be."""
        layer, current = value.layer, value.base
        for view in value.views:
            if view.order is not None:
                layer = self._permuted(layer, current, view.order)
            current = view.shape
        return layer, current

    def _reshaped(self, layer: int, shape: Shape) -> int:
        if self.network.shape(layer) == shape:
            return layer
        key = (layer, shape)
        if key not in self._views:
            self._views[key] = self.add("reshape", [layer], shape, shape=shape).layer
        return self._views[key]

    def _permuted(self, layer: int, shape: Shape, order: Sequence[int]) -> int:
        if shape[0] == 1 and order[0] == 0 and len(shape) > 1:
            shape, order = shape[1:], [axis - 1 for axis in order[1:]]
        elif len(shape) > 6 or shape[0] == 1:
            kept = [axis for axis in range(len(shape)) if shape[axis] != 1]
            order = [kept.index(axis) for axis in order if axis in kept]
            shape = tuple(shape[axis] for axis in kept)
        layer = self._reshaped(layer, shape)
        key = (layer, "permute", tuple(order))
        if key not in self._views:
            permuted = tuple(shape[axis] for axis in order)
            self._views[key] = self.add("permute", [layer], permuted, order=list(order)).layer
        return self._views[key]

    def plain(self, value: Value) -> int:
        """The layer that has the value's elements in their order, in whatever shape; for functions of elements."""
        return self._ordered(value)[0]

    def rows(self, value: Value) -> int:
        """The value with its last dimension as it is, and the others in whatever shape."""
        layer = self.plain(value)
        shape, last = self.network.shape(layer), value.shape[-1] if value.shape else 1
        if shape[-1] == last:
            return layer
        *leading, _ = sample(value.shape) if len(value.shape) > 1 else (1,)
        kept = tuple(size for size in leading if size != 1)
        return self._reshaped(layer, (*kept, last))

    def unordered(self, value: Value, shape: Shape) -> int:
        """The layer of the value whatever the order of its elements, for counts that do not depend on it."""
        return self._reshaped(value.layer, shape)

    # ---- Trained tensors.

    def take(self, *weights: Weight | None, whole: bool = False) -> bool:
        """Notes that a layer has these parameters. True if they were counted before: the layer shares them.

        A part of a tensor counts as much of it; `whole`: the layer has all of the tensor, whatever part it uses.
        """
        needs = [need for weight in weights if weight is not None for need in self._needs(weight, whole)]
        if needs and all(self._counted.get(source, 0) + count > source.elements for source, count in needs):
            return True
        for source, count in needs:
            self._counted[source] = min(self._counted.get(source, 0) + count, source.elements)
        return False

    def _needs(self, weight: Weight, whole: bool) -> list[tuple[Source, int]]:
        """How many elements of which tensors it is."""
        if len(weight.sources) != 1 or whole or weight.rows is not None or weight.computed:
            return [(source, source.elements) for source in weight.sources]
        return [(source, min(elements(weight.shape), source.elements)) for source in weight.sources]

    def is_counted(self, weight: Weight) -> bool:
        """Whether its parameters were counted before."""
        needs = self._needs(weight, False)
        return bool(needs) and all(self._counted.get(source, 0) + count > source.elements for source, count in needs)

    @property
    def counted_parameters(self) -> int:
        """Parameters of all tensors that were taken."""
        return sum(source.elements for source in self._counted)

    def is_taken(self, source: Source) -> bool:
        return source in self._counted

    # ---- The report.

    def run(self, operator: str, do: Callable[[], None]) -> None:
        """Carries out what an operator means, and notes it as mapped, or approximated if `near` was called."""
        before, self.operator = self.operator, operator
        self._near = False
        first = len(self._layers)
        try:
            do()
        except (Unmapped, OutOfMemoryError):
            raise
        except SLIPS as error:  # arguments that its handler does not expect, or shapes that no kind of layer takes
            raise Unmapped(str(error) or type(error).__name__) from error
        finally:
            self.operator = before
        (self.report.approximated if self._near else self.report.mapped)[operator] += 1
        if self._near:
            self._approximate_layers.update(self._layers[first:])

    _near = False

    def near(self, note: str = "") -> None:
        """The layers of this operator only come near to it."""
        self._near = True
        if note and note not in self.report.notes:
            self.report.notes.append(note)

    def unknown(self, operator: str, operands: Iterable[Operand], shape: Shape, reason: str = "") -> Value:
        """A place holder for what an unknown operator makes."""
        self.report.unknown[operator] += 1
        place = f", first in {self.scope.path}" if self.scope.path else ""
        self.unknown_places.setdefault(operator, f"{place}: {reason}" if reason not in ("", operator) else place)
        self.report.unknown_elements += elements(shape)
        first = next((operand for operand in operands if isinstance(operand, Value)), None)
        if first is None:
            return self.input(f"unknown.{operator}", shape)
        scope, self.scope = self.scope, Scope(f"unknown.{operator}", True)
        copy = self.copy(first, shape)
        self.scope = scope
        return copy

    def copy(self, value: Value, shape: Shape) -> Value:
        """Some elements of a value, in another shape: as many as it takes."""
        wanted, given = elements(shape), elements(value.shape)
        layer = self.unordered(value, (given,))
        if wanted > given:
            layer = self.repeated(layer, (given,), 0, -(-wanted // given))
            given = elements(self.network.shape(layer))
        if wanted < given:
            layer = self.add("slice", [layer], (wanted,), axis=0, end=wanted).layer
        elif given == elements(value.shape):
            layer = self.add("pointwise", [layer], (wanted,), flop=0, keeps="nothing").layer
        return Value(layer, shape)

    def repeated(self, layer: int, shape: Shape, axis: int, times: int) -> int:
        """The layer's output several times along an axis."""
        while times > 1:
            count = next((n for n in range(min(times, MOST_INPUTS), 1, -1) if times % n == 0), min(times, MOST_INPUTS))
            times = -(-times // count)
            shape = (*shape[:axis], shape[axis] * count, *shape[axis + 1 :])
            layer = self.add("concat", [layer] * count, shape, axis=axis).layer
        return layer

    def finish(self) -> Network:
        """The network with its report. Raises NotModelledError for unknown operators that are not allowed."""
        if self.report.unknown and not self.allow_unknown:
            names = ", ".join(
                f"{name} ({count}x{self.unknown_places[name]})" for name, count in self.report.unknown.most_common(8)
            )
            more = len(self.report.unknown) - 8
            raise NotModelledError(
                f"unknown operators: {names}{f' and {more} more' if more > 0 else ''}; "
                "allow_unknown=True leaves them out and reports the coverage"
            )
        flop = np.asarray(self.network.layers()["flop"], dtype=np.float64)
        near = [position for position, number in enumerate(self._layers) if number in self._approximate_layers]
        self.report.flop = float(flop.sum())
        self.report.flop_approximated = float(flop[near].sum())
        difference = self.counted_parameters - self.network.parameters
        if difference != 0:
            self.report.notes.append(
                f"the layers have {abs(difference):,} parameters {'fewer' if difference > 0 else 'more'} than the "
                "tensors that they are made of"
            )
        self.network.report = self.report
        return self.network


def _text(shape: Sequence[int]) -> str:
    return "x".join(str(size) for size in shape)
