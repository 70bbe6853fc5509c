"""Projects for tests: folders with files, and the present of their stores."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from clew.project.building import BuildReport
from clew.project.genesis import genesis
from clew.project.limits import Limits
from clew.project.parse.languages import has_grammars
from clew.project.update import update

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
LATER = datetime(2026, 5, 5, 12, 0, tzinfo=UTC)

needs_grammars = pytest.mark.skipif(not has_grammars(), reason="code is read as text without the extra `project`")

SHOP: Mapping[str, str] = {
    "README.md": "# Shop\n\nSells things. See [the rules](docs/rules.md).\n\n## Goals\n\nNo order is lost.\n",
    "docs/rules.md": "# Rules\n\n## Context\n\nPrices change.\n\n## Decision\n\nPrices are whole cents.\n",
    "src/shop/__init__.py": '"""A shop."""\n\nfrom shop.cart import Cart\n',
    "src/shop/cart.py": (
        '"""The cart."""\n\nfrom shop.price import total\n\n\nclass Cart:\n    """What a customer will buy."""\n\n'
        "    def pay(self) -> int:\n        return total(self.items)\n"
    ),
    "src/shop/price.py": (
        "# Decision: prices are whole cents, since floats lose some.\n\n\ndef total(items):\n"
        '    """The sum of the prices."""\n    return sum(map(cents, items))\n\n\n'
        "def cents(item):\n    return item.cents\n"
    ),
    "web/app.ts": 'import {pay} from "./pay";\n\n// Starts the page.\nexport function start() { pay(); }\n',
    "web/pay.ts": "export function pay() { return 1; }\n",
}
"""A project in three languages."""


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Writes files below a folder, and returns it."""
    for name, text in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)
    return root


def made(root: Path, files: Mapping[str, str | bytes] = SHOP) -> BuildReport:
    """A project with a store."""
    return genesis(write(root, files), NOW)


def changed(root: Path, files: Mapping[str, str | bytes], limits: Limits | None = None) -> BuildReport:
    """Writes files, and updates the store."""
    return update(write(root, files), LATER, limits=limits)


def stored(root: Path, kind: str) -> set[str]:
    """The names of the stored objects or transforms."""
    folder = root / ".clew" / "project" / kind
    return {file.parent.name + file.name for file in folder.glob("??/*")}
