"""The compiled build answers as the sources do. `./dev test-compiled` compiles it, and runs this and others on it."""

import os
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from clew.version import build
from hatch_build import extension_name, modules
from tests.house.tree import ROOT

pytestmark = pytest.mark.skipif(build() != "compiled", reason="these are the sources: run ./dev test-compiled")

PROGRAM = """
import json, sys
from datetime import UTC, datetime
from clew.evaluate.datasets import load
from clew.memory import Memory
from clew.store.tables import TABLES
from clew.testing import FrozenClock, HashEmbedder
from clew.version import build

AS_IT_CAME = {"space", "segment", "tail", "vector", "receipt", "job", "lease", "meta"}  # drawn ids; how work was cut up

print(build())
[talk] = load(sys.argv[1])
for embedder in ("none", HashEmbedder()):
    with Memory.open(":memory:", embedder=embedder, clock=FrozenClock(datetime(2026, 1, 1, tzinfo=UTC))) as memory:
        memory.add_many([turn.to_turn() for turn in talk.turns])
        assert memory.drain()
        with memory.reads.store.snapshot() as reader:
            for table in sorted(TABLES.keys() - AS_IT_CAME):
                print(table, sorted(map(repr, reader.scan(table, ("default",), ("default",)))))
        for question in talk.questions:
            found = memory.recall(question.text, budget=1000).to_dict()
            del found["receipt_id"]
            print(json.dumps(found, sort_keys=True))
            print([(hit.turn.id, hit.score, hit.signals) for hit in memory.search(question.text, limit=10)])
"""
"""Prints what a build makes of the sample conversation, and what it answers."""


def answers(*path: str) -> list[str]:
    """What `PROGRAM` prints with these folders first on Python's path."""
    sample = ROOT / "src" / "clew" / "cli" / "sample"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    command = [sys.executable, "-c", PROGRAM, str(sample)]
    ran = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=True)
    return ran.stdout.splitlines()


@pytest.mark.requirement("F-FAST-02")
def test_it_stores_and_answers_as_the_sources_do() -> None:
    compiled, plain = answers(os.environ["PYTHONPATH"]), answers(str(ROOT / "src"))
    assert (compiled[0], plain[0]) == ("compiled", "pure Python")
    assert len(compiled) > 100
    assert compiled[1:] == plain[1:]


@pytest.mark.requirement("F-FAST-02")
def test_every_module_that_is_named_is_compiled_and_nothing_is_left_in_the_tree() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    hook = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]
    for path in modules(ROOT, hook):
        spec = find_spec(".".join(Path(path).with_suffix("").parts[1:]))
        assert spec is not None, path
        assert not str(spec.origin).endswith(".py"), path
    for source in hook["c"]:
        assert find_spec(extension_name(source)) is not None, source
    left = [path for path in (ROOT / "src").rglob("*") if path.suffix in {".so", ".pyd", ".c"}]
    assert [str(path.relative_to(ROOT)) for path in left] == hook["c"]
