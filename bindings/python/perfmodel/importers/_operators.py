"""What operators of frameworks mean in kinds of layers: shared by all importers that read a graph of operators.

Each function takes operands as frameworks have them (`_graph`), adds layers, and returns the result. With weights and
constants alone, nothing depends on the input: the result is a weight or a constant again, and no layer.
"""

from ._norms import batch_norm, group_norm, layer_norm
from ._operands import as_value, embedding, folded, is_whole
from ._pointwise import activation, local_response_norm, pointwise, prelu, reduce, softmax
from ._products import attention, linear, matmul
from ._rearranged import concat, cut, expand, pad, permute, repeat, reshape, swap
from ._tables import look_up, recurrent
from ._windows import adaptive_pool, convolution, interpolate, pool

__all__ = [
    "activation",
    "adaptive_pool",
    "as_value",
    "attention",
    "batch_norm",
    "concat",
    "convolution",
    "cut",
    "embedding",
    "expand",
    "folded",
    "group_norm",
    "interpolate",
    "is_whole",
    "layer_norm",
    "linear",
    "local_response_norm",
    "look_up",
    "matmul",
    "pad",
    "permute",
    "pointwise",
    "pool",
    "prelu",
    "recurrent",
    "reduce",
    "repeat",
    "reshape",
    "softmax",
    "swap",
]
