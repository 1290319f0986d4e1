#!/usr/bin/env python3
"""Plants one fault at a time in a small tree: scripts/check_floors.py must find each, and none in the good tree."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check_floors.py"
SRC = "libperfmodel/src/"
LAB = "lab/src/"
PACKAGE = "bindings/python/perfmodel/"


def function(name: str, body: str) -> str:
    return f"int {name}(void)\n{{\n  return {body};\n}}\n"


def record(name: str) -> str:
    return f"typedef struct {name} {{\n  int a;\n}} {name};\n"


GOOD = {
    SRC + "base/base.h": "#ifndef A\n#define A\nint pm__fail(void);\n" + record("pm__arena") + "#endif\n",
    SRC + "base/base.c": '#include "base/base.h"\n' + function("pm__fail", "1"),
    SRC + "hardware/gpu.c": '#include "base/base.h"\n' + function("pm_gpu", "pm__fail()"),
    SRC + "network/kinds/relu.c": "const pm__layer_kind pm__relu = {0};\n",
    SRC + "search/size.c": '#include "perfmodel/hardware.h"\n' + function("pm_size_evaluate", "pm_gpu()"),
    "libperfmodel/include/perfmodel/error.h": "",
    "libperfmodel/include/perfmodel/hardware.h": '#include "error.h"\n',
    "tools/main.c": '#include "perfmodel.h"\n',
    LAB + "validation/rate.c": '#include "perfmodel-lab.h"\n#include "base/base.h"\n' + function("pm__lab_rate",
        "pm_gpu()"),
    PACKAGE + "__init__.py": "from ._a import x\n",
    PACKAGE + "_a.py": "from typing import TYPE_CHECKING\nfrom . import _b\nif TYPE_CHECKING:\n    from . import _c\n",
    PACKAGE + "_b.py": "from . import _core\n",
    PACKAGE + "_c.py": "from ._a import x\n",
}

FAULTS = [
    ("includes upwards", SRC + "base/up.c", '#include "hardware/system.h"\n', "base may not know hardware"),
    ("includes a header above", SRC + "base/up.c", '#include "perfmodel/hardware.h"\n', "base may not know hardware"),
    ("uses upwards", SRC + "base/up.c", function("pm__up", "pm_gpu()"), "uses pm_gpu of hardware/gpu.c"),
    ("a public header includes upwards", "libperfmodel/include/perfmodel/error.h", '#include "hardware.h"\n',
     "base may not know hardware"),
    ("an unknown public header", "libperfmodel/include/perfmodel/more.h", "", "belongs to no module"),
    ("a circle of files", SRC + "hardware/gpu.c",
     function("pm_gpu", "pm__b()") + "|hardware/b.c|" + function("pm__b", "pm_gpu()"),
     "circle of 2 files: hardware/b -> hardware/gpu"),
    ("a circle over a variable", SRC + "base/x.c",
     "const int pm__x[2] = {1};\n" + function("pm__f", "pm__g()") + "|base/y.c|" + function("pm__g", "pm__x[0]"),
     "circle of 2 files"),
    ("a loose file", SRC + "loose.c", "", "at the top of src"),
    ("a module that is none", SRC + "attic/a.c", "", "is in no module"),
    ("a type given twice", SRC + "base/more.h", record("pm__arena"), "type pm__arena stands in"),
    ("a guard given twice", SRC + "base/more.h", "#ifndef A\n#define A\n#endif\n", "header guard A stands in"),
    ("a word of another module", SRC + "hardware/more.h", record("pm__arena_of"),
     "does not begin with a word of its module"),
    ("a list of kinds", SRC + "memory/list.c", function("pm__m", "kind == &pm__relu"), "names a layer kind"),
    ("kinds by name", SRC + "memory/list.c", function("pm__m", 'strcmp(layer->kind->name, "relu")'),
     "names a layer kind"),
    ("libxml2 elsewhere", SRC + "base/xml.c", "#include <libxml/tree.h>\n", "not its business"),
    ("a tool that looks inside", "tools/main.c", '#include "perfmodel/error.h"\n', "only perfmodel.h is known"),
    ("a circle of the command", "tools/help.c",
     "void help(void)\n{\n  run();\n}\n|../../tools/run.c|void run(void)\n{\n  help();\n}\n",
     "circle of 2 files: tools/help -> tools/run"),
    ("a laboratory that looks inside", LAB + "validation/more.c", '#include "hardware/system.h"\n',
     "may not know hardware"),
    ("a laboratory that uses internals", LAB + "validation/more.c",
     function("pm__lab_more", "pm__x()") + "|hardware/x.c|" + function("pm__x", "1"), "uses pm__x of hardware/x.c"),
    ("a lower module of the laboratory that knows a higher one", LAB + "traces/more.c",
     function("pm__lab_more", "pm__lab_rate()"),
     "uses pm__lab_rate of lab/validation/rate.c"),
    ("a library that knows the laboratory", SRC + "study/more.c", function("pm__more", "pm__lab_rate()"),
     "uses pm__lab_rate"),
    ("a circle of modules", PACKAGE + "_b.py", "def f():\n    from . import _a\n", "circle of Python modules"),
]  # fmt: skip


def check(root: Path) -> tuple[int, str]:
    command = [sys.executable, root / "scripts" / SCRIPT.name]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def plant(root: Path, files: dict[str, str]) -> None:
    shutil.rmtree(root, ignore_errors=True)
    for name, text in files.items():
        write(root, name, text)
    (root / "scripts").mkdir()
    shutil.copy(SCRIPT, root / "scripts")


def main() -> int:
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "tree"
        plant(root, GOOD)
        code, text = check(root)
        if code != 0 or "0 circles of files" not in text:
            wrong.append(f"finds fault with a good tree:\n{text}")
        for what, name, content, expected in FAULTS:
            first, *rest = content.split("|")
            files = {**GOOD, name: first}
            if rest:
                files[SRC + rest[0]] = rest[1]
            plant(root, files)
            code, text = check(root)
            if code == 0 or expected not in text:
                wrong.append(f"does not find {what}:\n{text}")
    for each in wrong:
        print(each, file=sys.stderr)
    print(f"{len(FAULTS) + 1 - len(wrong)} of {len(FAULTS) + 1} trees judged rightly")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
