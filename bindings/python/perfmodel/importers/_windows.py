"""Windows: convolutions, pooling, interpolation."""

from __future__ import annotations

from ._graph import Constant, Graph, Operand, Shape, Unmapped, Value, View, Weight, elements, sample, with_view
from ._operands import Axes, Learned, as_value, as_weight, folded, sharing
from ._rearranged import reshape
from ._pointwise import pointwise
from ._products import is_zero, take_both


def convolution(
    g: Graph,
    x: Operand,
    weight: Operand,
    bias: Learned,
    shape: Shape,
    stride: Axes,
    padding: Axes,
    padding_end: Axes,
    dilation: Axes,
    groups: int,
    transposed: bool = False,
    output_padding: Axes = (),
) -> Operand:
    """Convolution in one to three dimensions; the weight is out x in/groups x kernel, or, transposed, in x out/groups x
    kernel."""
    if isinstance(weight, Value):
        raise Unmapped("a convolution whose weights are computed from the input")
    if isinstance(weight, Constant):
        g.near("a convolution with fixed weights counts as one with shared weights")
        weight = Weight(weight.shape, frozenset())
    value, kernel, axes = as_value(g, x), weight.shape[2:], len(weight.shape) - 2
    if len(value.shape) == axes + 1:
        value = with_view(value, View((1, *value.shape)))
    images = value.shape[0]
    windows = {"kernel": kernel, "stride": tuple(stride), "padding": tuple(padding), "dilation": tuple(dilation)}
    if tuple(padding_end) != tuple(padding):
        windows["padding_end"] = tuple(padding_end)
    if transposed and any(output_padding):
        windows["output_padding"] = tuple(output_padding)
    out_channels = weight.shape[1] * groups if transposed else weight.shape[0]
    layer, axes = g.at(value, tuple(value.shape[1:])) if images == 1 else -1, axes
    if images > 1:
        layer, axes, windows = _many_images(g, value, axes, windows)
    elif weight.parameters == elements(weight.shape) + out_channels and axes == 2 and kernel[0] == kernel[1]:
        layer = _standardized(g, layer, value.shape, out_channels, kernel[0], groups)
    bias = None if is_zero(bias) else bias
    shared, together = take_both(g, weight, as_weight(bias))
    attributes = {name: tuple(numbers) for name, numbers in windows.items() if any(n != _plain(name) for n in numbers)}
    made = g.add(
        f"conv_transpose{axes}d" if transposed else f"conv{axes}d",
        [layer],
        shape,
        out_channels=out_channels,
        bias=together,
        **attributes,
        **({"groups": groups} if groups != 1 else {}),
        **sharing(shared),
    )
    if bias is None or together:
        return made
    return pointwise(g, "add", [made, reshape(bias, (out_channels, *([1] * (len(shape) - 2))))], shape)


def _standardized(g: Graph, layer: int, shape: Shape, out_channels: int, kernel: int, groups: int) -> int:
    """In front of a convolution whose weights have a learned gain for each channel of the output."""
    more = {"groups": groups} if groups != 1 else {}
    sizes = {"out_channels": out_channels, "kernel": kernel}
    return g.add("weight_standardization", [layer], shape, **sizes, gain=True, **more).layer


def _plain(name: str) -> int:
    return {"stride": 1, "dilation": 1, "padding": 0, "output_padding": 0}.get(name, -1)


def _many_images(
    g: Graph, value: Value, axes: int, windows: dict[str, tuple[int, ...]]
) -> tuple[int, int, dict[str, tuple[int, ...]]]:
    """Several images in one sample: one more dimension, in which the window is 1."""
    if axes > 2:
        raise Unmapped("a convolution of several volumes in one sample")
    images, channels, *space = value.shape
    layer = g.at(with_view(value, View((channels, images, *space), (1, 0, *range(2, len(value.shape))))))
    more = {name: (1 if name in ("kernel", "stride", "dilation") else 0, *numbers) for name, numbers in windows.items()}
    return layer, axes + 1, more


def pool(
    g: Graph,
    kind: str,
    x: Operand,
    shape: Shape,
    kernel: Axes,
    stride: Axes,
    padding: Axes,
    padding_end: Axes,
    ceil: bool = False,
) -> Operand:
    """Maximum or average of windows."""
    if not isinstance(x, Value):
        return folded([x], shape)
    axes = len(kernel)
    space = x.shape[len(x.shape) - axes :]
    value_shape = (elements(x.shape[:-axes]), *space)
    attributes: dict[str, AttributeTuple] = {"kernel": tuple(kernel), "stride": tuple(stride)}
    if any(padding) or any(padding_end):
        attributes["padding"] = tuple(padding)
        if tuple(padding_end) != tuple(padding):
            attributes["padding_end"] = tuple(padding_end)
    if ceil:
        attributes["ceil"] = True
    return g.add(kind, [g.at(x, value_shape)], shape, **attributes)
AttributeTuple = tuple[int, ...] | bool


def adaptive_pool(g: Graph, x: Operand, shape: Shape, axes: int, maximum: bool = False) -> Operand:
    """Average or maximum of windows that make a given size."""
    if not isinstance(x, Value):
        return folded([x], shape)
    size, given = shape[len(shape) - axes :], x.shape[len(x.shape) - axes :]
    value_shape = (elements(x.shape[:-axes]), *given)
    if maximum:
        if all(have % want == 0 for have, want in zip(given, size)):
            kernel = [have // want for have, want in zip(given, size)]
            return pool(g, "max_pool", x, shape, kernel, kernel, [0] * axes, [0] * axes)
        g.near("an adaptive maximum is taken as an adaptive average")
    if all(want == 1 for want in size):
        return g.add("global_avg_pool", [g.at(x, value_shape)], shape)
    return g.add("adaptive_avg_pool", [g.at(x, value_shape)], shape, size=size)


def interpolate(g: Graph, x: Operand, shape: Shape, mode: str) -> Operand:
    """Another size of an image."""
    if not isinstance(x, Value):
        return folded([x], shape)
    axes = len(shape) - 2
    value_shape = (elements(x.shape[:2]), *x.shape[2:])
    return g.add("interpolate", [g.at(x, value_shape)], shape, size=shape[2 : 2 + axes], mode=mode)
