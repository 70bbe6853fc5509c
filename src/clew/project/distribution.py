"""Finds what an installed package says of itself: the metadata of its distribution stands beside it, not in it.

    site-packages/
        yaml/                     the package
        PyYAML-6.0.3.dist-info/   its distribution: METADATA, and RECORD with the files that belong to it

Wheels leave a `.dist-info` there, older installers and Debian an `.egg-info` with `PKG-INFO` and `top_level.txt`.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_PACKAGE: Final = "__init__.py"
_FORMS: Final = {".dist-info": ("METADATA", "RECORD"), ".egg-info": ("PKG-INFO", "top_level.txt")}
"""Ending of the folder -> the file with the metadata, and the one that tells which packages are its own."""
_MOST_BYTES: Final = 20_000_000
"""Of the list of a distribution's files; the largest have 2 MB."""


def metadata_of(package: Path) -> Path | None:
    """The metadata of the distribution that has installed a package; None for a folder that is no such package."""
    if not (package / _PACKAGE).is_file():
        return None
    return next((candidate for candidate in _candidates(package) if _has(candidate, package.name)), None)


def _candidates(package: Path) -> Iterator[Path]:
    """The metadata of the distributions beside a package; one that is called like it comes first."""
    try:
        with os.scandir(package.parent) as listing:
            names = [entry.name for entry in listing if Path(entry.name).suffix in _FORMS]
    except OSError:  # the folder above may not be listed
        return
    wanted = _plain(package.name)
    for name in sorted(names, key=lambda name: (_plain(name.partition("-")[0]) != wanted, name)):
        metadata = package.parent / name / _FORMS[Path(name).suffix][0]
        if metadata.is_file() and not metadata.is_symlink():
            yield metadata


def _has(metadata: Path, package: str) -> bool:
    """Whether a distribution says that a package is its own."""
    form = metadata.parent.suffix
    listed = metadata.with_name(_FORMS[form][1])
    try:
        with listed.open(encoding="utf-8", errors="replace") as file:
            text = file.read(_MOST_BYTES)
    except OSError:  # there is none, or it may not be read
        return False
    own = rf'"?{re.escape(package)}/{re.escape(_PACKAGE)}"?,' if form == ".dist-info" else rf"{re.escape(package)}\s*$"
    return re.search(f"(?m)^{own}", text) is not None


def _plain(name: str) -> str:
    """A name as installers compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()
