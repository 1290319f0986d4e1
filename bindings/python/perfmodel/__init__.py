"""perfmodel: how fast a deep-learning network trains on a GPU machine, in closed form, and why.

>>> import perfmodel as pm
>>> net, node = pm.network("resnet50"), pm.system("dgx1-v100")
>>> p = pm.predict(net, node, gpus=8, batch=64, precision="fp16")
>>> p.bottleneck in ("compute", "memory-bandwidth", "communication", "launch-overhead")
True

Everything is in SI units: seconds, bytes, FLOP, bytes/s; columns of tables carry theirs in the name. 1 MAC = 2 FLOP.
Unknown is NaN.
"""

from . import _core
from ._calibrate import Calibration, calibrate
from ._catalog import Catalog, dataset, export, gpu, network, show, system
from ._catalog import list_entries as list
from ._collective import Cycle, Rings, collective, collective_loads, rings
from ._errors import (
    ArgumentError,
    BadValueError,
    DoesNotFitError,
    Error,
    FileError,
    FormatError,
    InternalError,
    NotFoundError,
    NotModelledError,
    OutOfMemoryError,
    PrecisionError,
    RouteError,
    ShapeError,
    TooManyGpusError,
    UnitError,
    UnreachableError,
)
from ._fields import Field, fields
from ._inference import Inference, InferencePlan, infer, infer_sweep
from ._framework import Framework, framework
from ._input import InputPipeline, input_pipeline
from ._kernel import gemm, kernel
from ._memory import Memory, memory
from ._network import Network, layer_kinds
from ._plan import Plan
from ._plots import plot_roofline, plot_scaling, plot_timeline
from ._prediction import Prediction, predict
from ._quantity import format_quantity, quantity
from ._record import dtype
from ._records import (
    Dataset,
    Gpu,
    InferenceProfile,
    Link,
    Machine,
    MemoryProfile,
    NetworkTotals,
    Optimizer,
    Run,
    Source,
)
from ._sensitivity import (
    sensitivity,
    sensitivity_inference,
    upgrades,
    upgrades_inference,
    with_gpu,
    with_link,
    with_number,
)
from ._sizing import Choices, Sizing, size, size_inference
from ._sweep import Sweep, sweep
from ._system import Ring, System
from ._table import ColumnInfo, Table
from ._validate import Validation, validate, validation_sets
from ._versions import show_versions
from .importers import from_hf, from_keras, from_onnx, from_torch

__version__ = _core.version_get()

__all__ = [
    "Calibration",
    "calibrate",
    "ArgumentError",
    "BadValueError",
    "Catalog",
    "Choices",
    "ColumnInfo",
    "Cycle",
    "Dataset",
    "DoesNotFitError",
    "Error",
    "Field",
    "Framework",
    "FileError",
    "FormatError",
    "Gpu",
    "Inference",
    "InferencePlan",
    "InferenceProfile",
    "InternalError",
    "Link",
    "Machine",
    "Memory",
    "MemoryProfile",
    "Network",
    "NetworkTotals",
    "NotFoundError",
    "NotModelledError",
    "Optimizer",
    "OutOfMemoryError",
    "Plan",
    "PrecisionError",
    "Prediction",
    "Ring",
    "Rings",
    "RouteError",
    "Run",
    "ShapeError",
    "Sizing",
    "Source",
    "Sweep",
    "System",
    "Table",
    "TooManyGpusError",
    "UnitError",
    "UnreachableError",
    "Validation",
    "collective",
    "collective_loads",
    "dataset",
    "dtype",
    "export",
    "fields",
    "format_quantity",
    "framework",
    "from_hf",
    "from_keras",
    "from_onnx",
    "from_torch",
    "gemm",
    "kernel",
    "gpu",
    "infer",
    "infer_sweep",
    "layer_kinds",
    "list",
    "InputPipeline",
    "input_pipeline",
    "memory",
    "network",
    "plot_roofline",
    "plot_scaling",
    "plot_timeline",
    "predict",
    "quantity",
    "rings",
    "sensitivity",
    "sensitivity_inference",
    "show",
    "show_versions",
    "size",
    "size_inference",
    "sweep",
    "system",
    "upgrades",
    "upgrades_inference",
    "with_gpu",
    "with_link",
    "with_number",
    "validate",
    "validation_sets",
]
