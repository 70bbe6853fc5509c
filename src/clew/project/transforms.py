"""The record of how knowledge came to be: goal, inputs, outputs, method and parameters of each change of the store."""

import json
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from clew.project.parse.languages import has_grammars, queries_hash
from clew.project.parse.parsed import PARSER
from clew.types.record import Record
from clew.version import __version__

_GRAMMARS: Final = "python javascript typescript go rust java c cpp ruby markdown".split()


class Goal(StrEnum):
    """Why a transform was made."""

    GENESIS = "genesis"
    """Everything is read, and compared with what is stored."""
    UPDATE = "update"
    """What changed since is read."""
    HEAL = "heal"
    """Nothing changed in the project; objects that were lost or altered are made again."""
    PRUNE = "prune"
    """Transforms and objects of earlier states are removed; the parameters name them."""


@dataclass(frozen=True, slots=True)
class TransformInput(Record):
    """A file that was read: its path and the SHA-256 of its bytes."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class TransformOutput(Record):
    """The object that was made of a file."""

    path: str
    object: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Transform(Record):
    """One change of the store; its id is the SHA-256 of its bytes.

    Attributes:
        inputs: in the order of paths; `outputs` has the object of each at the same place.
        removed: paths that left the project.
        method: versions of what read the files: Clew, its rules, the grammars.
        parameters: what was set: the size from which files are skipped, patterns that exclude.
    """

    goal: Goal
    at: datetime
    inputs: tuple[TransformInput, ...]
    outputs: tuple[TransformOutput, ...]
    removed: tuple[str, ...] = ()
    method: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)


@cache
def method() -> dict[str, str]:
    """The versions of what reads files here and now."""
    versions = {"clew": __version__, "parser": str(PARSER), "queries": queries_hash()}
    for name in ["tree-sitter", *(f"tree-sitter-{grammar}" for grammar in _GRAMMARS)] if has_grammars() else []:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:  # this grammar was removed: its files are read as text
            continue
    return versions


def decoded_transform(data: bytes) -> Transform:
    """A stored transform."""
    return Transform.from_dict(json.loads(data))
