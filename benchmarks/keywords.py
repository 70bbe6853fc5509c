"""How much of a block is noise where a question is one or two words, and how much evidence the block holds.

    python -m benchmarks.keywords --data FOLDER [--vectors-cache FILE] [--embedder none] [--only SET ...]

FOLDER is that of `benchmarks.confidence`. The questions are made of the conversations: the one and the two most telling
words of a question with evidence, which a person would type into a search box, and names and identifiers that a few
turns have. Noise is what a block shows of turns that have no word of the question, with none in the two turns on
either side that has one, far from the question by their vectors, and no evidence.
"""

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.confidence import BUDGETS, told
from benchmarks.confidence_sets import LANGUAGES, JudgedSpace, read_sets, read_talks
from clew.evaluate.metrics import Passage, words
from clew.evaluate.tables import Sheet
from clew.index.bm25 import idf
from clew.memory import Memory
from clew.models.choose import choose_embedder
from clew.models.protocol import Embedder
from clew.models.recorded import RecordedEmbedder
from clew.rank.frame import Frame
from clew.rank.information import information
from clew.rank.signals.coverage import turns_with
from clew.text.terms import terms
from clew.types import Context, parse_turn_id

ASKED: Final = 12
"""Questions of a space of which keywords are made, evenly spaced."""

NAMES: Final = 6
"""Names and identifiers of a space that are looked up, evenly spaced."""

HELD_BY: Final = range(1, 9)
"""How many turns may have such a name."""

BESIDE: Final = 2
"""Turns on either side of one with a word that are no noise."""

FAR: Final = 0.35
"""Cosine below which a turn is far from a question; the nearest of 271 development questions has 0.358 at least."""

T = TypeVar("T")

_WORD: Final = re.compile(r"[^\W_]+(?:['’_.-][^\W_]+)*")
_NAME: Final = re.compile(
    r"(?<=[a-z,] )[A-Z][a-z]{2,}\b|\b[a-z]+(?:_[a-z]+)+\b|\b[a-z]+[A-Z]\w+\b|\b[A-Za-z]+-?\d{2,}\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordQuestion:
    """Words that somebody looks up.

    Attributes:
        kind: "one word", "two words" or "a name".
        evidence: the texts that are wanted.
    """

    kind: str
    text: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundByKeywords:
    """What the blocks for one question hold, by budget.

    Attributes:
        evidence: share of the evidence turns.
        noise: share of the budget that noise takes.
        filled: share of the budget that the block takes.
    """

    group: str
    space: str
    question: KeywordQuestion
    evidence: tuple[float, ...]
    noise: tuple[float, ...]
    filled: tuple[float, ...]


def keyword_questions(memory: Memory, space: JudgedSpace) -> Iterator[KeywordQuestion]:
    """The questions over one space, each once."""
    asked = [each for each in space.questions if each.evidence]
    seen: set[str] = set()
    for question in _spaced(asked, ASKED):
        telling = _telling_words(memory, question.text)
        evidence = tuple(space.texts[name] for name in question.evidence)
        for kind, count in (("one word", 1), ("two words", 2)):
            best = telling[:count]
            text = " ".join(word for word in _WORD.findall(question.text) if word in best)
            if len(best) == count and text not in seen:
                seen.add(text)
                yield KeywordQuestion(kind=kind, text=text, evidence=evidence)
    for name, texts in _spaced(sorted(_names(space).items()), NAMES):
        if name not in seen:
            yield KeywordQuestion(kind="a name", text=name, evidence=texts)


def _spaced(values: Sequence[T], count: int) -> list[T]:
    return [values[int(place)] for place in np.linspace(0, len(values) - 1, min(count, len(values)))]


def _telling_words(memory: Memory, text: str) -> list[str]:
    """The words of a question that some turn has, the most telling first."""
    frame = _frame(memory, text)
    told_by = information(frame.intent)
    worth: dict[str, float] = {}
    for word in dict.fromkeys(_WORD.findall(text)):
        own = terms(word)
        if len(own) == 1 and own[0] in told_by and frame.view.document_frequency(own[0]):
            worth[word] = told_by[own[0]] * idf(frame.size, frame.view.document_frequency(own[0]))
    return sorted(worth, key=lambda word: -worth[word])


def _names(space: JudgedSpace) -> dict[str, tuple[str, ...]]:
    """Names and identifiers, each with the texts of the turns that have it."""
    texts = defaultdict(list)
    for text in space.texts.values():
        for term in set(terms(text)):
            texts[term].append(text)
    names = {name for text in space.texts.values() for name in _NAME.findall(text)}
    own = {name: terms(name) for name in names}
    return {
        name: tuple(texts[parts[0]])
        for name, parts in own.items()
        if len(parts) == 1 and len(texts[parts[0]]) in HELD_BY
    }


def _frame(memory: Memory, text: str) -> Frame:
    return memory.reads.ranker.frame(text, memory.reads.clock())


def noisy_turns(frame: Frame) -> NDArray[np.bool_]:
    """Whether each turn is noise for a question, unless it is evidence."""
    has = np.zeros(frame.size, dtype=np.bool_)
    for term in frame.intent.terms:
        has[turns_with(frame, term)] = True
    near = has.copy()
    session = frame.view.turns.session
    for step in range(1, BESIDE + 1):
        same = session[step:] == session[:-step]
        near[step:] |= has[:-step] & same
        near[:-step] |= has[step:] & same
    if frame.cosines is not None:
        near |= np.nan_to_num(frame.cosines) >= FAR
    return ~near


def find(space: JudgedSpace, embedder: Embedder | None) -> Iterator[FoundByKeywords]:
    """Asks a space its keywords."""
    with told(space, embedder) as memory:
        for asked in keyword_questions(memory, space):
            frame = _frame(memory, asked.text)
            noise = _named_noise(frame)
            blocks = [memory.recall(asked.text, budget=budget, counter="estimate") for budget in BUDGETS]
            wanted = [words(text) for text in asked.evidence]
            passages = [Passage(block.text, budget) for block, budget in zip(blocks, BUDGETS, strict=True)]
            yield FoundByKeywords(
                group=space.group,
                space=space.name,
                question=asked,
                evidence=tuple(float(np.mean([passage.has(turn) for turn in wanted])) for passage in passages),
                noise=tuple(_noise(block, noise, asked) / block.budget for block in blocks),
                filled=tuple(block.tokens / block.budget for block in blocks),
            )


def _named_noise(frame: Frame) -> set[tuple[str, int]]:
    """The turns that are noise, by session and place in it."""
    turns, places = frame.view.turns, np.flatnonzero(noisy_turns(frame))
    sessions = [frame.view.sessions[code] for code in turns.session[places].tolist()]
    return set(zip(sessions, turns.seq[places].tolist(), strict=True))


def _noise(block: Context, noise: set[tuple[str, int]], asked: KeywordQuestion) -> int:
    """The tokens that a block gives to noise."""
    shown = (item for item in block.items if item.text not in asked.evidence)
    return sum(item.tokens for item in shown if all(parse_turn_id(name) in noise for name in item.turn_ids))


def table(title: str, found: Sequence[FoundByKeywords]) -> Sheet:
    """A row for each set and kind of question: evidence, noise and the filled share at each budget."""
    rows = []
    for group in dict.fromkeys(each.group for each in found):
        of = [each for each in found if each.group == group]
        kinds = dict.fromkeys(each.question.kind for each in of)
        rows += [_row(f"{group}: {kind}", [each for each in of if each.question.kind == kind]) for kind in kinds]
    rows.append(_row("all", found))
    columns = ("evidence / noise / filled", "n", *(f"{budget:,}" for budget in BUDGETS))
    return Sheet(title, columns, tuple(rows))


def _row(name: str, found: Sequence[FoundByKeywords]) -> tuple[str, ...]:
    columns = (
        [each.evidence for each in found],
        [each.noise for each in found],
        [each.filled for each in found],
    )
    figures = [100 * np.mean(column, axis=0) for column in columns]
    return name, str(len(found)), *(" / ".join(f"{value:.1f}" for value in cell) for cell in zip(*figures, strict=True))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.keywords", description="Noise in blocks for keywords.")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="the development data")
    parser.add_argument("--vectors-cache", type=Path, metavar="FILE", help="keeps vectors for the next run")
    parser.add_argument("--embedder", default="auto", help="as the setting of that name; auto by default")
    parser.add_argument("--only", action="append", metavar="SET", help="only this set; may be repeated")
    options = parser.parse_args(arguments)
    embedder = choose_embedder(options.embedder)[0]
    if embedder is not None and options.vectors_cache is not None:
        embedder = RecordedEmbedder(embedder, options.vectors_cache)
    spaces = [*read_sets(options.data, lambda line: print(line, file=sys.stderr)), *read_talks()]
    spaces = [space for space in spaces if space.group != LANGUAGES and space.group in (options.only or [space.group])]
    for used in (embedder, None) if embedder is not None else (None,):
        found = [each for space in spaces for each in find(space, used)]
        print(table("no embedder" if used is None else "with vectors", found).markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main())
