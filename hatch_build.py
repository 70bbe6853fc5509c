"""The build hook: compiles what pyproject.toml names where CLEW_COMPILE=1 asks for it, modules with mypyc, and C.

Without that the wheel is pure Python and needs no compiler. The compiled modules are made from the same sources, in a
temporary folder, so that nothing is left in the tree. The sources stay in the wheel beside them, for tracebacks and
type checkers; Python loads the compiled ones.
"""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WISH = "CLEW_COMPILE"
COMPILERS = ("mypy[mypyc]>=2.4,<2.5", "types-python-dateutil>=2.9")

EXACT = ["/std:c11"] if os.name == "nt" else ["-O3", "-ffp-contract=off"]
"""How C is compiled: so that floats are rounded after each operation, as they are by numpy."""


class CompiledModules(BuildHookInterface[BuilderConfig]):
    """What hatchling calls; it looks for the one hook in this file."""

    def dependencies(self) -> list[str]:
        """What compiling needs: mypyc, and the packages that Clew uses, for their types."""
        return [*COMPILERS, *self.metadata.core.dependencies] if _wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and add what was made to the wheel.

        Raises:
            SystemExit: it cannot be compiled, or the install is editable; the message says what to do.
        """
        if not _wanted():
            return
        if version == "editable":
            raise SystemExit(f"{WISH}=1: an editable install runs the sources; install without -e, or unset it")
        self._folder = tempfile.TemporaryDirectory(prefix="clew-compile-")
        root, folder = Path(self.root), Path(self._folder.name)
        build_data["force_include"].update(compile_modules(root, modules(root, self.config), folder, self.config["c"]))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, _version: str, _build_data: dict[str, Any], _artifact_path: str) -> None:
        """Remove what is in the wheel by now."""
        if _wanted():
            self._folder.cleanup()


def _wanted() -> bool:
    value = os.environ.get(WISH, "")
    if value not in ("", "0", "1"):
        raise SystemExit(f"{WISH} is {value!r}; expected 1 (compile) or 0 (pure Python)")
    return value == "1"


def modules(root: Path, config: dict[str, Any]) -> list[str]:
    """The paths of the modules to compile, from the patterns of pyproject.toml."""
    left_out = {path for pattern in config["exclude"] for path in root.glob(pattern)}
    found = {path for pattern in config["modules"] for path in root.glob(pattern)}
    return sorted(str(path.relative_to(root)) for path in found - left_out if path.name != "__init__.py")


def extension_name(source: str) -> str:
    """The name of the module that is made of a file in C: `src/a/b.c` is `a._b`."""
    path = Path(source)
    return ".".join((*path.parts[1:-1], f"_{path.stem}"))


def compile_modules(root: Path, paths: list[str], folder: Path, sources: Sequence[str] = ()) -> dict[str, str]:
    """Compile modules into a folder; returns the files made, each with its place in the wheel.

    Args:
        sources: files in C, each a module of its own, which has its name with an underscore before it.

    Raises:
        SystemExit: mypyc refuses a module and has said why, or there is no C compiler.
    """
    # Only here, because a pure build has neither.
    from mypyc.build import mypycify
    from setuptools import Distribution, Extension
    from setuptools.errors import BaseError, CCompilerError

    os.chdir(root)  # mypy reads pyproject.toml here, and names modules by their paths
    types, target = f"--cache-dir={folder / 'types'}", str(folder / "c")
    made = mypycify([types, *paths], group_name="clew", target_dir=target, multi_file=True, debug_level="0")
    made += [Extension(extension_name(source), [source], extra_compile_args=EXACT) for source in sources]
    command = Distribution({"name": "clew", "ext_modules": made}).get_command_obj("build_ext")
    command.build_lib, command.build_temp = str(folder / "lib"), str(folder / "objects")
    command.ensure_finalized()
    try:
        command.run()
    except (BaseError, CCompilerError, OSError) as error:
        raise SystemExit(
            f"Clew cannot be compiled: {error}. That needs a C compiler and Python's headers (Debian: apt install gcc "
            f"python3-dev; CC names another compiler). Without {WISH} the installation needs neither."
        ) from error
    return {path: str(Path(path).relative_to(folder / "lib")) for path in command.get_outputs()}
