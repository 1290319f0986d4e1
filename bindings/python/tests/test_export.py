"""Entries as files, and systems in one word."""

from __future__ import annotations

from pathlib import Path

import perfmodel as pm
import pytest


@pytest.mark.parametrize("name", ["dgx1-v100", "t4", "h100-sxm5*8:nvswitch"])
def test_an_exported_system_predicts_the_same(tmp_path: Path, name: str) -> None:
    path = tmp_path / "mine.xml"
    path.write_text(pm.export("system", name, id="mine"))
    catalog = pm.Catalog(path)
    assert catalog.notes == []
    for gpus in (1, pm.system(name).machine.gpus):
        copy = pm.predict("resnet50", catalog.system("mine"), gpus=gpus)
        assert copy.step_time == pm.predict("resnet50", name, gpus=gpus).step_time


def test_words_say_the_choices() -> None:
    with pytest.raises(pm.NotFoundError, match="those of .* are: pcie, nvswitch"):
        pm.system("h100-sxm5*8:ring")
