"""How many blind questions over public sessions of coding agents are answered, and how sure recall is of its answers.

    python -m benchmarks.public_sessions --data FOLDER [--embedder none] [--vectors-cache FILE] [--half even|odd]

The sessions are other people's, so `benchmarks/data/public_sessions.json` only names them, and of each needle it gives
length and digest. FOLDER holds the repositories as `owner+name`, each at its commit; where one is missing, the commands
that fetch it are printed. Each set is one memory, asked on the day after its last turn. A question counts where all its
needles are in the block. Nothing may be chosen by the questions about sessions of odd number, nor are they to be read.
"""

import argparse
import hashlib
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.confidence import BUDGETS
from benchmarks.confidence_sets import DATA
from clew.errors import InputError
from clew.evaluate.corpus import read_json
from clew.evaluate.recall import EPOCH, AskingClock
from clew.evaluate.tables import Sheet
from clew.memory import Memory
from clew.models.choose import choose_embedder
from clew.models.protocol import Embedder
from clew.models.recorded import RecordedEmbedder
from clew.types.context import DOUBTFUL

HALVES: Final = ("even", "odd")
"""Halves of a set, by the number of the session."""


@dataclass(frozen=True, slots=True)
class Needle:
    """A piece of text that is known by its length and SHA-256 alone, each run of whitespace counting as one blank."""

    length: int
    sha256: str

    def is_in(self, text: str) -> bool:
        """Whether a text, in which each run of whitespace is one blank, holds the needle."""
        ends = range(self.length, len(text) + 1)
        return any(hashlib.sha256(text[end - self.length : end].encode()).hexdigest() == self.sha256 for end in ends)


@dataclass(frozen=True, slots=True)
class PublicSession:
    """Where a session is: a file, or a folder of files, of a repository at a commit."""

    repo: str
    commit: str
    path: str

    def folder(self, data: Path) -> Path:
        """The clone of the repository."""
        return data / self.repo.replace("/", "+")


@dataclass(frozen=True, slots=True)
class BlindQuestion:
    """A question about the session of a number; without needles it is one whose answer was never told."""

    session: int
    kind: str
    text: str
    needles: tuple[Needle, ...]

    @property
    def half(self) -> str:
        """See `HALVES`."""
        return HALVES[self.session % 2]


@dataclass(frozen=True, slots=True)
class PublicSet:
    """Sessions that are told to one memory, and the questions that it is asked."""

    name: str
    sessions: tuple[PublicSession, ...]
    questions: tuple[BlindQuestion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Whether the block showed all needles, by budget; empty for what was never told."""

    question: BlindQuestion
    shown: tuple[bool, ...]
    is_doubted: bool


def read_public(path: Path = DATA / "public_sessions.json") -> Iterator[PublicSet]:
    """The sets of the data."""
    for name, each in read_json(path).items():
        questions = [
            BlindQuestion(item["session"], item["kind"], item["question"], tuple(Needle(**n) for n in item["needles"]))
            for item in each["questions"]
        ]
        yield PublicSet(name, tuple(PublicSession(**session) for session in each["sessions"]), tuple(questions))


def shows(text: str, needles: Sequence[Needle]) -> bool:
    """Whether a text holds all needles, however its whitespace is broken."""
    flat = re.sub(r"\s+", " ", text)
    return all(needle.is_in(flat) for needle in needles)


def fetching(sets: Sequence[PublicSet], data: Path) -> Iterator[str]:
    """The commands that fetch what is missing."""
    sessions = [session for each in sets for session in each.sessions]
    for session in {each.repo: each for each in sessions if not (each.folder(data) / each.path).exists()}.values():
        yield f"git clone https://github.com/{session.repo} {session.folder(data)}"
        yield f"git -C {session.folder(data)} checkout {session.commit}"


def ask(asked: PublicSet, data: Path, embedder: Embedder | None, half: str | None) -> list[Asked]:
    """Tells a memory the sessions of a set, and asks the questions of one half, or all."""
    questions = [each for each in asked.questions if half in (None, each.half)]
    clock = AskingClock(EPOCH)
    with (
        tempfile.TemporaryDirectory(prefix="clew-bench-") as folder,
        Memory.open(Path(folder) / "home", embedder=embedder or "none", clock=clock) as memory,
    ):
        for number, session in enumerate(asked.sessions):
            _tell(memory, session.folder(data) / session.path, Path(folder) / str(number))
        times = [turn.at for turn in memory.turns() if turn.at is not None]
        clock.now = max(times, default=EPOCH) + timedelta(days=1)
        memory.drain()
        return [_ask(memory, question) for question in questions]


def _ask(memory: Memory, question: BlindQuestion) -> Asked:
    blocks = [memory.recall(question.text, budget=budget) for budget in BUDGETS]
    shown = tuple(shows(block.text, question.needles) for block in blocks) if question.needles else ()
    confidence = blocks[0].confidence
    return Asked(question=question, shown=shown, is_doubted=confidence is not None and confidence < DOUBTFUL)


def _tell(memory: Memory, path: Path, folder: Path) -> None:
    """Imports a copy, lest an importer take in what lies beside a session in its repository."""
    folder.mkdir()
    copied: Callable[..., Any] = shutil.copytree if path.is_dir() else shutil.copyfile
    report = memory.import_path(copied(path, folder / path.name))
    if not report.added:
        raise InputError(f"no turn was imported from {path}; check the commit of the repository")


def tables(title: str, found: dict[str, list[Asked]]) -> Iterator[Sheet]:
    """What the blocks show, by half and by kind, and how many questions of either sort are doubted."""
    rows, doubts = [], []
    for name, of in found.items():
        told = [each for each in of if each.question.needles]
        parts = {half: [each for each in told if each.question.half == half] for half in HALVES}
        for kind in sorted({each.question.kind for each in told}):
            parts[kind] = [each for each in told if each.question.kind == kind]
        rows += [_row(name, told), *(_row(f"{name}: {part}", those) for part, those in parts.items() if those)]
        never = [each for each in of if not each.question.needles]
        doubts.append((name, *(f"{sum(each.is_doubted for each in s)} of {len(s)}" for s in (told, never))))
    yield Sheet(title, ("questions", "n", *(f"{budget:,}" for budget in BUDGETS)), tuple(rows))
    yield Sheet(f"Confidence below {DOUBTFUL}", ("questions", "answerable", "never told"), tuple(doubts))


def _row(name: str, found: Sequence[Asked]) -> tuple[str, ...]:
    shares = 100 * np.mean([each.shown for each in found], axis=0)
    return name, str(len(found)), *(f"{share:.1f}" for share in shares)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.public_sessions", description="Blind questions.")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="the repositories, as owner+name")
    parser.add_argument("--vectors-cache", type=Path, metavar="FILE", help="keeps vectors for the next run")
    parser.add_argument("--embedder", default="auto", help="as the setting of that name; auto by default")
    parser.add_argument("--half", choices=HALVES, help="only questions about sessions of even or odd number")
    options = parser.parse_args(arguments)
    sets = list(read_public())
    if commands := list(fetching(sets, options.data)):
        print("\n".join(commands))
        print(f"public_sessions: sessions are missing in {options.data}; run the commands above", file=sys.stderr)
        return 1
    embedder = choose_embedder(options.embedder)[0]
    if embedder is not None and options.vectors_cache is not None:
        embedder = RecordedEmbedder(embedder, options.vectors_cache)
    found = {each.name: ask(each, options.data, embedder, options.half) for each in sets}
    way = "no embedder" if embedder is None else "with vectors"
    for sheet in tables(f"{way}, all needles in the block, %", found):
        print(f"{sheet.markdown()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
