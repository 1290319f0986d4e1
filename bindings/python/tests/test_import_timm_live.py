"""One model of each family of timm, where it is installed: all are imported, with all their parameters."""

from __future__ import annotations

import random
from typing import Any

import needs
import perfmodel as pm
import pytest

torch = needs.package("torch")
needs.package("torchvision_on_cpu")
timm = needs.package("timm")

pytestmark = pytest.mark.filterwarnings("ignore")

FAMILIES = [name for name in sorted(timm.list_modules()) if timm.list_models(module=name)]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_model_of_the_family_is_imported(family: str) -> None:
    name = random.Random(family).choice(timm.list_models(module=family))
    with torch.device("cpu" if family == "regnet" else "meta"):  # it looks at the numbers of its widths
        module: Any = timm.create_model(name)
    net = pm.from_torch(module, module.default_cfg.get("input_size", (3, 224, 224)))
    assert net.parameters == sum(parameter.numel() for parameter in module.parameters()), name
