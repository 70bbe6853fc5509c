"""Compacts the beginning of a history, and looks for the evidence that the rest of it uses again."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from clew.condense.last_turns import shorten_last, tokens_of_last
from clew.condense.material import RecapTurn
from clew.condense.prompt_tokens import prompt_tokens
from clew.errors import ClewError
from clew.evaluate.compression.extracts import CondenseSetup
from clew.evaluate.compression.histories import History
from clew.evaluate.compression.later_use import SENTENCES, LaterUse, later_uses
from clew.evaluate.metrics import CHARS_PER_TOKEN, Passage, words
from clew.memory import Memory
from clew.rows.recap_source import recap_source
from clew.text.counters import counter
from clew.types.record import Record
from clew.types.turn import Turn

RATIO: Final = 30
"""How many times smaller a prompt gets; a target."""

MOST: Final = 4_000
"""Most tokens of a recap; a target."""

LONGEST: Final = 120_000
"""Tokens of the longest prompt; a target."""

CUTS: Final = (0.5, 0.7, 0.9)
"""Shares of a history after which it is compacted."""

ASKED: Final = 1_000
"""Tokens within which a value is looked for by a question."""

_COVER: Final = 0.8
"""Share of a sentence's runs of four words that have to be there."""

RECAP, FOUND, SITUATION, REFERENCE = "in the recap", "or asked for", "or by the situation", "or by reference"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactedCut(Record):
    """One compaction.

    Attributes:
        tokens: of the whole prompt before.
        covered: tokens of the turns that the recap stands for; the last turns stay as they are.
        recap: tokens of the recap in which evidence is looked for: in a shorter prompt than the longest its share.
        after: tokens of the whole prompt afterwards, as it is compacted by itself: recap and last turns.
        cpu: processor seconds of the compaction.
        used: evidence of the covered turns that the rest uses again, by kind.
        kept: by form, how much of it is there, by kind: in the recap; there or in 1,000 tokens for a question; or with
            a question that names only the situation; or restored through the ledger; in the texts compared with.
    """

    history: str
    tokens: int
    covered: int
    recap: int
    after: int
    cpu: float
    used: dict[str, int] = field(default_factory=dict)
    kept: dict[str, dict[str, int]] = field(default_factory=dict)


def compact_history(history: History, setup: CondenseSetup, cuts: Sequence[float] = CUTS) -> list[CompactedCut]:
    """Compacts a history at each cut, in one memory; a cut before which there are only last turns is left out."""
    found = []
    with TemporaryDirectory(prefix="clew-bench-") as folder:
        home, told = Path(folder) / "home", 0
        left: dict[str, None] = {}  # references of all receipts so far: each lists what is new
        for index in _cut_points(history.turns, cuts):
            # Only when asked, so that no compaction of the background work comes first.
            condense = replace(setup.config.condense, recap_tokens=MOST, session_tokens=0, window=0)
            settings = replace(setup.config, condense=condense)
            with Memory.open(home, config=settings, embedder=setup.embedder or "none") as memory:
                report = memory.add_many(list(history.turns[told:index]))
                if report.rejected or not memory.drain():
                    raise ClewError(f"{history.name}: turns were rejected or are not analysed; run again")
                told = index
                measured = _measured(memory, history.turns[index:], setup, left)
                found += [] if measured is None else [measured]
    return found


def _cut_points(turns: Sequence[Turn], cuts: Sequence[float]) -> list[int]:
    """The number of turns before each cut."""
    total = min(sum(len(turn.text) for turn in turns), int(CHARS_PER_TOKEN * LONGEST / max(cuts)))
    points, characters = [], 0
    limits = [share * total for share in sorted(cuts)]
    for number, turn in enumerate(turns, start=1):
        characters += len(turn.text)
        while limits and characters >= limits[0]:
            limits.pop(0)
            points.append(number)
    return list(dict.fromkeys(index for index in points if index < len(turns)))


def _tokens(turns: Sequence[Turn]) -> int:
    return sum(len(turn.text) for turn in turns) // CHARS_PER_TOKEN


def _used_again(first: Sequence[RecapTurn], turns: Sequence[Turn], session: str) -> list[LaterUse]:
    """What these turns use again of the first ones."""
    with Memory.open(":memory:", embedder="none") as memory:
        memory.add_many(list(turns))
        with memory.reads.store.snapshot() as reader:
            source, stored = recap_source(reader, memory.space, session)
    return later_uses(first, source.turns, {turn.seq or 0: turn.text for turn in stored})


def _measured(memory: Memory, rest: Sequence[Turn], setup: CondenseSetup, left: dict[str, None]) -> CompactedCut | None:
    """What the compaction keeps of what the rest uses again; None where there is nothing to compact."""
    (session,) = (each.name for each in memory.sessions())
    started = time.thread_time()
    receipt = memory.condense(session, force=True)
    cpu = time.thread_time() - started
    if not receipt.understood["compacted"]:
        return None
    left |= dict.fromkeys(row["restore"] for row in receipt.omitted)
    with memory.reads.store.snapshot() as reader:
        source, turns = recap_source(reader, memory.space, session, last=receipt.understood["last"])
        _, whole = recap_source(reader, memory.space, session)
    total = receipt.understood["tokens_before"]
    budget = MOST if total >= LONGEST else _recap_budget(whole[len(turns) :], total)
    recap = memory.recap(session, budget=budget)
    uses = _evenly(_used_again(source.turns, rest, session), setup.sample)
    texts = [turn.text for turn in turns]
    shown = {RECAP: recap.text} | {name: extract(texts, recap.tokens) for name, extract in setup.extracts.items()}
    kept = {name: _counted(uses, _Shown(text).has) for name, text in shown.items()}
    return CompactedCut(
        history=session,
        tokens=total,
        covered=_tokens(turns),
        recap=recap.tokens,
        after=receipt.understood["tokens_after"],
        cpu=cpu,
        used=dict(Counter(use.kind for use in uses)),
        kept=kept | _asked(memory, left, uses, _Shown(recap.text)),
    )


def _recap_budget(last: Sequence[Turn], total: int) -> int:
    """Tokens of a recap that has the share of its prompt that it would have, beside these last turns, in the longest.

    The last turns are as long in a short prompt as in a long one.
    """
    count, target = counter(), LONGEST / RATIO
    full = {turn.seq or 0: prompt_tokens(turn, count) for turn in last}
    room = target - tokens_of_last(full, shorten_last(last, target, count), count)
    return int(max(MOST // 4, room) * total / LONGEST)


def _asked(memory: Memory, left: Iterable[str], uses: Sequence[LaterUse], recap: "_Shown") -> dict[str, dict[str, int]]:
    """How much is in the recap, or found by a question, or at least restored by a reference of the receipts."""
    by_name = {use.value: recap.has(use) for use in uses}
    by_situation = dict(by_name)
    for use in uses:
        if not by_name[use.value]:
            by_name[use.value] = _Shown(memory.recall(use.query, budget=ASKED).text).has(use)
            by_situation[use.value] = _Shown(memory.recall(use.situation, budget=ASKED).text).has(use)
    missing = [use for use in uses if not by_name[use.value]]
    restored = _restored(memory, left, missing) if missing else frozenset()
    return {
        FOUND: _counted(uses, lambda use: by_name[use.value]),
        SITUATION: _counted(uses, lambda use: by_situation[use.value]),
        REFERENCE: _counted(uses, lambda use: by_name[use.value] or use.value in restored),
    }


def _restored(memory: Memory, left: Iterable[str], uses: Sequence[LaterUse]) -> frozenset[str]:
    """The values that stand in a turn which the receipts name as having left the prompt."""
    waiting = {use.value for use in uses}
    ids: set[str] = set()
    for reference in left:
        text = _squeezed(memory.restore(reference).text)
        ids |= {value for value in waiting if _squeezed(value) in text}
        waiting -= ids
    return frozenset(ids)


def _evenly(uses: Sequence[LaterUse], most: int | None) -> list[LaterUse]:
    if most is None or len(uses) <= most:
        return list(uses)
    return [uses[index * len(uses) // most] for index in range(most)]


def _counted(uses: Sequence[LaterUse], is_there: Callable[[LaterUse], bool]) -> dict[str, int]:
    return dict(Counter(use.kind for use in uses if is_there(use)))


def _squeezed(text: str) -> str:
    """A text without differences of white space and case, nor the escapes with which JSON writes a path or command."""
    plain = text.replace("\\\\", "\\").replace('\\"', '"')
    return " ".join(plain.split()).casefold()


class _Shown:
    """A text in which evidence is looked for: values but for white space and case, sentences by their words."""

    def __init__(self, text: str) -> None:
        self._text = _squeezed(text)
        self._passage = Passage(text, len(text))

    def has(self, use: LaterUse) -> bool:
        if use.kind in SENTENCES:
            return self._passage.cover(words(use.value)) >= _COVER
        return _squeezed(use.value) in self._text
