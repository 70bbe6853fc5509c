"""Material for evaluations 1, 2, 3 and 5: texts written for this purpose, in two parts.

The texts are split by a hash: `seen` may be looked at while rules are changed, `unseen` is run only for figures. A text
belongs to `unseen` if the first digit of the SHA-256 of its head line is odd. Further texts, in the same form, are for
measurements only (`benchmarks.sources`).
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from random import Random
from typing import Final, Literal

from clew.text.sentences import sentence_spans
from clew.types.record import Record

BankSplit = Literal["seen", "unseen"]

MaterialKind = Literal["thread", "passage", "crossing", "bridge"]

_FRAMING: Final = re.compile(r"([a-z_]+): (.*)", re.DOTALL)  # verses of one line are several by then
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
        index = 0
        while index < len(self.lines):
            step = chance.choice((1, 2, 2))
            told.append(self.join(self.lines[index : index + step]))
            index += step
        return tuple(told)


@cache
def bank(part: BankSplit) -> tuple[Material, ...]:
    """All material of one split, in the order of the files."""
    folder = resources.files(__package__) / "data" / "bank"
    materials: list[Material] = []
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        domain = file.name.removesuffix(".txt")
        for head, lines in _blocks(file.read_text(encoding="utf-8")):
            if part_of(head) == part:
                materials += _materials(domain, head, lines)
    return tuple(materials)


def read_texts(told: str) -> tuple[Material, ...]:
    """All material of a text in which each head line names what its text is about, in its order."""
    return tuple(material for head, lines in _blocks(told) for material in _materials("", head, lines))


def part_of(head: str) -> BankSplit:
    """The split that a text belongs to, by its head line."""
    return "unseen" if int(hashlib.sha256(head.encode()).hexdigest()[0], 16) % 2 else "seen"


def of_kind(texts: Sequence[Material], kind: MaterialKind) -> tuple[Material, ...]:
    """The texts of one kind."""
    return tuple(material for material in texts if material.kind == kind)


def _blocks(told: str) -> Iterator[tuple[str, list[str]]]:
    """The head line and the other lines of each text."""
    for block in told.split("# ")[1:]:
        head, *lines = block.strip().split("\n")
        yield head, [line.replace(_VERSES, "\n") for line in lines]


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
    listed = []
    for framing, told in framings:
        domains = (bridge,) if framing == bridge else (bridge, framing)
        listed.append(Material("bridge", domains, name, tuple(told) if len(told) > 1 else _sentences(told[0])))
    return listed


def _sentences(text: str) -> tuple[str, ...]:
    return tuple(text[start:end].strip() for start, end in sentence_spans(text))
