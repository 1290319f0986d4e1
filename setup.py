"""Entry of pip: build_ext builds the Python module and the command with CMake, and installs them into the package.

The package holds the shared libraries once, in lib, for the module and for the command, in bin. What pip puts on the path starts
the latter.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
# One wheel for Python 3.11 and newer: CMAKE_ARGS=-DPM_PYTHON_STABLE=ON, as scripts/wheels.sh has it.
STABLE = "PM_PYTHON_STABLE=ON" in os.environ.get("CMAKE_ARGS", "")


def version() -> str:
    """The version that the C header states."""
    header = (ROOT / "libperfmodel/include/perfmodel.h").read_text(encoding="utf-8")
    return re.search(r'#define PM_VERSION "([^"]+)"', header).group(1)


def readme() -> str:
    """The page of a package index. Its links lead to PERFMODEL_REPOSITORY, such as https://github.com/OWNER/NAME."""
    sys.path.insert(0, str(ROOT / "scripts"))
    from readme import for_index

    return for_index((ROOT / "README.md").read_text(encoding="utf-8"), os.environ.get("PERFMODEL_REPOSITORY", ""))


class CMakeBuild(build_ext):
    """Builds the extension, the command and their libraries, and installs them into the package."""

    def build_extension(self, ext: Extension) -> None:
        package = Path(self.get_ext_fullpath(ext.name)).resolve().parent
        build = Path(self.build_temp).resolve() / "cmake"
        build.mkdir(parents=True, exist_ok=True)
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            "PM_PYTHON": "ON",
            "PM_LUA": "OFF",
            "PM_TOOL": "ON",
            "PM_TESTS": "OFF",
            "PM_EXAMPLES": "OFF",
            "PM_BENCHMARKS": "OFF",
            "PM_WERROR": "OFF",
            "PM_PYTHON_INSTALL_DIR": ".",
            "CMAKE_INSTALL_LIBDIR": "lib",
            "CMAKE_INSTALL_BINDIR": "bin",
            "Python_EXECUTABLE": sys.executable,
        }
        defines = [f"-D{name}={value}" for name, value in options.items()]
        extra = os.environ.get("CMAKE_ARGS", "").split()
        # Fresh each time: pip puts cmake, ninja and swig in a folder that is gone after the build.
        subprocess.run(["cmake", "--fresh", "-S", ROOT, "-B", build, "-G", "Ninja", *defines, *extra], check=True)
        targets = ["perfmodel_python", "perfmodel_python_package", "perfmodel_command", "perfmodel_schema", "perfmodel_pages"]
        subprocess.run(["cmake", "--build", build, "--target", *targets], check=True)
        subprocess.run(["cmake", "--install", build, "--component", "program", "--prefix", package], check=True)
        self.keep_one_name(package / "lib")
        self.add_data(build, "libperfmodel/perfmodel.xsd", "share/perfmodel/perfmodel.xsd")
        self.add_data(build, "tools/manual", "share/man/man1/perfmodel.1")
        self.add_data(build, "tools/completion", "share/bash-completion/completions/perfmodel")

    @staticmethod
    def keep_one_name(libraries: Path) -> None:
        """A wheel has no links: of the names of a library the one that programs look for stays."""
        for link in [path for path in libraries.iterdir() if path.is_symlink()]:
            link.resolve().replace(link)

    def add_data(self, build: Path, made: str, installed: str) -> None:
        """A file that the build makes is installed below the prefix, as those of the source are."""
        place = build / "installed" / installed
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(build / made, place)
        self.distribution.data_files.append((str(Path(installed).parent), [str(place)]))

    def copy_extensions_to_source(self) -> None:
        """For an editable install: what is generated goes beside the extension."""
        super().copy_extensions_to_source()
        for name in ("_core.py", "__init__.pyi", "_core.pyi", "_records.pyi", "_options.pyi"):
            shutil.copy(Path(self.build_lib) / "perfmodel" / name, ROOT / "bindings/python/perfmodel")
        for name in ("lib", "bin"):
            built = Path(self.build_lib) / "perfmodel" / name
            shutil.copytree(built, ROOT / "bindings/python/perfmodel" / name, dirs_exist_ok=True)


setup(
    version=version(),
    long_description=readme(),
    long_description_content_type="text/markdown",
    ext_modules=[Extension("perfmodel._libcore", sources=[], py_limited_api=STABLE)],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE else {},
    scripts=["bindings/python/command/perfmodel"],
    data_files=[
        ("share/perfmodel/examples",
         [str(p.relative_to(ROOT)) for p in sorted((ROOT / "examples").iterdir()) if p.suffix != ".txt"]),
    ],
    cmdclass={"build_ext": CMakeBuild},
    zip_safe=False,
)
