"""perfmodel: how fast a deep-learning network trains on a GPU machine, in closed form, and why.

>>> import perfmodel as pm
>>> net, node = pm.network("resnet50"), pm.system("dgx1-v100")
>>> p = pm.predict(net, node, gpus=8, batch=64, precision="fp16")
>>> p.bottleneck in ("compute", "memory-bandwidth", "communication", "launch-overhead")
True

Everything is in SI units: seconds, bytes, FLOP, bytes/s; columns of tables carry theirs in the name. 1 MAC = 2 FLOP.
Unknown is NaN.
"""

import importlib as _importlib

from . import _core
from ._public import HOMES as _HOMES, MODULES as _MODULES

__version__ = _core.version_get()
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    """Imports a module when one of its names is first used, so a script loads only what it needs."""
    if name in _MODULES:
        return _importlib.import_module(f".{name}", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _HOMES[name]
    value = globals()[name] = getattr(_importlib.import_module(f".{module}", __name__), attribute)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
