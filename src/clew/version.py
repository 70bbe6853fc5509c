"""The version of Clew, for programs and for the package metadata; and which build of it runs."""

from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from typing import Final

__version__ = "0.1.0"

_HOT: Final = "clew.analyze.words"
"""A module that every compiled build compiles, see pyproject.toml."""


def build() -> str:
    """`compiled` where the modules that mypyc can compile are compiled, else `pure Python`; results are the same."""
    spec = find_spec(_HOT)
    where = spec.origin if spec is not None else None
    return "compiled" if where is not None and where.endswith(tuple(EXTENSION_SUFFIXES)) else "pure Python"
