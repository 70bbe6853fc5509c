"""Material for evaluations 1, 2, 3 and 5: texts written for this purpose, in several parts.

The first texts are split in two by a hash: `seen` may be looked at while rules are changed, `unseen` is run only for
figures. A text belongs to `unseen` if the first digit of the SHA-256 of its head line is odd. Each further source is a
part of its own, in other genres and voices: letters of earlier centuries, spoken lectures, terse notes, forum posts,
newspapers, chats with an assistant, tales and chronicles, essays and sermons, the stage and memoirs, handbooks,
messages between friends, papers of a workplace, reviews and columns, diaries, and talk on the radio. The texts of a
source were written before any of them was run, and none was changed because of a result.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from random import Random
from typing import Final, Literal, get_args

from clew.text.sentences import sentence_spans
from clew.types.record import Record

LearnedSource = Literal[
    "letters",
    "lectures",
    "notes",
    "forum",
    "news",
    "assistant",
    "chronicle",
    "sermons",
    "stage",
    "handbook",
    "messages",
    "workplace",
    "reviews",
]
BankSplit = Literal["seen", "unseen", LearnedSource, "diary", "radio"]
LEARNED: Final[tuple[BankSplit, ...]] = get_args(LearnedSource)
"""The parts that are one source each, and that the weights of words and vectors were learned from, among others."""

SOURCES: Final[tuple[BankSplit, ...]] = (*LEARNED, "diary", "radio")
"""The parts that are one source each, kept in one file each; from the last two nothing was learned or chosen."""

MaterialKind = Literal["thread", "passage", "crossing", "bridge"]

_FRAMING: Final = re.compile(r"([a-z_]+): (.*)")
_VERSE: Final = "poetry"
_VERSES: Final = " / "  # between the verses of one turn


@dataclass(frozen=True, slots=True)
class Material(Record):
    """One text of the bank, labelled by hand.

    Attributes:
        kind: a `thread` of eight sentences that people say in turn, a long `passage`, a `crossing` of two domains in
            four turns, or one framing of a `bridge`.
        domains: what it is about; of a framing the bridge domain first, then the one that it is framed in, where that
            is another.
        name: unique within its kind; of a framing, the family that it belongs to.
        lines: sentences, verses or turns.
    """

    kind: MaterialKind
    domains: tuple[str, ...]
    name: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole text; verses keep their line breaks."""
        return self.join(self.lines)

    def join(self, lines: Sequence[str]) -> str:
        """Joins lines to one turn."""
        return ("\n" if _VERSE in self.domains else " ").join(lines)

    def turns(self, chance: Random) -> tuple[str, ...]:
        """The lines as turns of one or two lines, at random: too short to be weighed alone."""
        told: list[str] = []
        place = 0
        while place < len(self.lines):
            step = chance.choice((1, 2, 2))
            told.append(self.join(self.lines[place : place + step]))
            place += step
        return tuple(told)


@cache
def bank(part: BankSplit) -> tuple[Material, ...]:
    """All material of one split, in the order of the files."""
    found: list[Material] = []
    folder = resources.files(__package__) / "data" / "bank"
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        domain = file.name.removesuffix(".txt")
        for block in file.read_text(encoding="utf-8").split("# ")[1:]:
            head, *lines = block.strip().split("\n")
            if part == (domain if domain in SOURCES else part_of(head)):
                found += _materials(domain, head, [line.replace(_VERSES, "\n") for line in lines])
    return tuple(found)


def part_of(head: str) -> BankSplit:
    """The split that one of the first texts belongs to, by its head line."""
    return "unseen" if int(hashlib.sha256(head.encode()).hexdigest()[0], 16) % 2 else "seen"


def of_kind(part: BankSplit, kind: MaterialKind) -> tuple[Material, ...]:
    """The texts of one kind."""
    return tuple(material for material in bank(part) if material.kind == kind)


def _materials(domain: str, head: str, lines: list[str]) -> list[Material]:
    kind, *rest = head.split(": ", 2)
    match kind:
        case "thread" | "passage":
            named = rest[0] if len(rest) > 1 else domain
            return [Material("thread" if kind == "thread" else "passage", (named,), rest[-1], tuple(lines))]
        case "crossing":
            return [Material("crossing", tuple(rest[0].split(" + ")), rest[1], tuple(lines))]
        case _:
            return _framings(rest[0], rest[1], lines)


def _framings(bridge: str, name: str, lines: list[str]) -> list[Material]:
    """The framings of one family; a line that names no domain goes on with the framing before it."""
    framings: list[tuple[str, list[str]]] = []
    for line in lines:
        begun = _FRAMING.fullmatch(line)
        if begun is None:
            framings[-1][1].append(line)
        else:
            framings.append((begun[1], [begun[2]]))
    found = []
    for framing, told in framings:
        domains = (bridge,) if framing == bridge else (bridge, framing)
        found.append(Material("bridge", domains, name, tuple(told) if len(told) > 1 else _sentences(told[0])))
    return found


def _sentences(text: str) -> tuple[str, ...]:
    return tuple(text[start:end].strip() for start, end in sentence_spans(text))
