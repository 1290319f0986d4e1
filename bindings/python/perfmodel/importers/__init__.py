"""Networks from other formats, one file for each: PyTorch modules, ONNX, Keras, configurations of Hugging Face.

Each function returns a `Network` whose `report` attribute tells what became of every operator. The packages that wrote
the models are imported only where they are needed, and only `from_torch` needs one.
"""

from .._report import Report
from .huggingface import from_hf
from .keras import from_keras
from .onnx import from_onnx
from .pytorch import from_torch

__all__ = ["Report", "from_hf", "from_keras", "from_onnx", "from_torch"]
