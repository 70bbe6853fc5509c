"""Facts that change: stories with the current answer, the history and what has become stale, as a table.

    python -m benchmarks.update_stories [--memory | --reworded] [--markdown]

A story in `data/update_stories.txt` has turns (`date [session] speaker: text`) and below each the statements that a
reader finds in it (`subject | verb | object | options`). `ask subject | verb` begins what is expected at the moment
after `now`: the current objects, the history with what each amounts to, and the objects as of, or as known at, earlier
times.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from clew import Memory, Turn
from clew.evaluate.tables import Sheet
from clew.knowledge.book import Book
from clew.knowledge.history import as_of, current, history, known_at, standing
from clew.knowledge.values import value_key
from clew.testing import FrozenClock
from clew.types.facts import Effect, Fact, FactLink, FactStatus, LinkKind, Mood, Statement
from clew.types.ids import turn_id
from clew.types.provenance import Provenance

STORIES = Path(__file__).parent / "data" / "update_stories.txt"
REWORDED = STORIES.with_stem("update_stories_reworded")
NOTHING = "nothing"

_TURN = re.compile(r"(?P<at>-|\d{4}-\d\d-\d\d(?: \d\d:\d\d)?) (?:\[(?P<session>\w+)\] )?(?P<speaker>\w+): (?P<text>.+)")
_EXPECTED = re.compile(r"(?P<name>[a-z ]+?)(?: (?P<at>\d{4}-\d\d-\d\d(?: \d\d:\d\d)?))?: (?P<value>.+)")


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of a story and its statements."""

    session: str
    seq: int
    at: datetime | None
    speaker: str
    text: str
    statements: list[Statement]


@dataclass(slots=True)
class Asked:
    """One subject and verb, with what is expected: (what, at when, the answers)."""

    subject: str
    verb: str
    expected: list[tuple[str, datetime | None, list[str]]] = field(default_factory=list)


@dataclass(slots=True)
class Story:
    """One story; `stale`, `contradicts` and `same` are objects of facts."""

    name: str
    kind: str = ""
    turns: list[Said] = field(default_factory=list)
    now: datetime | None = None
    asked: list[Asked] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    contradicts: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)

    def statements(self) -> list[Statement]:
        """The statements of all turns."""
        return [each for turn in self.turns for each in turn.statements]

    def is_by_hand(self) -> bool:
        """Whether a user or a model makes statements in it, which the turns alone do not give."""
        return any(each.provenance != Provenance.RULE for each in self.statements())


Asker = Callable[["Asked", str, datetime | None], Sequence[Fact]]
"""Answers `current`, `history`, `as of` or `known at` for a subject and verb, at a moment where one is named."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known after a story: all facts, also past ones, their links, and the way to ask."""

    facts: Sequence[Fact]
    links: Sequence[FactLink]
    ask: Asker


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answers to a story and what is wrong with them."""

    story: Story
    now: list[str]
    past: list[str]
    stale: list[str]
    wrong: list[str]


def read_stories(path: Path = STORIES) -> list[Story]:
    """The stories of a file."""
    stories: list[Story] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("story: "):
            stories.append(Story(line.removeprefix("story: ")))
        elif not _read_line(stories[-1], line):
            raise SystemExit(f"{path.name}: cannot read {line!r}; see the docstring of benchmarks.update_stories")
    return stories


def from_statements(story: Story) -> Known:
    """What the reducer makes of the statements that the story gives."""
    book, said = Book(), story.statements()
    book.add(said)

    def ask(asked: Asked, what: str, at: datetime | None) -> Sequence[Fact]:
        facts: Sequence[Fact] = book.facts()
        if at is not None:
            facts = as_of(facts, at) if what == "as of" else known_at(said, at).facts()
        told = history(facts, asked.subject, asked.verb)
        if what == "history":
            return told
        return [fact for fact in current(told, at or story.now) if fact.slot or fact.verb == asked.verb]

    return Known(book.facts(), book.links(), ask)


def from_memory(story: Story) -> Known:
    """What a memory that is given the turns of the story answers."""
    if story.now is None:
        raise SystemExit(f"the story {story.name!r} has no line `now`; the answers depend on it")
    with Memory.open(":memory:", clock=FrozenClock(story.now), embedder=None) as memory:
        for said in story.turns:
            memory.add(Turn(role="user", content=said.text, session=said.session, speaker=said.speaker, at=said.at))
        memory.drain()
        subjects = {fact.subject for fact in memory.facts()} | {each.subject for each in story.statements()}
        facts = [fact for subject in sorted(subjects) for fact in memory.history(subject)]
        links = memory.edges()
        answers: dict[tuple[str, str, str, datetime | None], Sequence[Fact]] = {}
        for asked in story.asked:
            subject, verb = asked.subject, asked.verb
            answers[subject, verb, "history", None] = memory.history(subject, verb)
            answers[subject, verb, "current", None] = memory.facts(subject, verb)
            for what, at, _ in asked.expected:
                if what == "as of":
                    answers[subject, verb, what, at] = memory.facts(subject, verb, as_of=at)
                elif what == "known at":
                    answers[subject, verb, what, at] = memory.facts(subject, verb, known_at=at)
    return Known(facts, links, lambda asked, what, at: answers[asked.subject, asked.verb, what, at])


def tell(story: Story, known: Known) -> Outcome:
    """Asks what a story asks and compares the answers with what it expects."""
    wrong: list[str] = []
    now: list[str] = []
    past: list[str] = []
    for asked in story.asked:
        now += [fact.object for fact in known.ask(asked, "current", None)] or [NOTHING]
        past += _history(known.ask(asked, "history", None), story.now)
        for what, at, expected in asked.expected:
            facts = known.ask(asked, what, at)
            found = _history(facts, story.now) if what == "history" else [fact.object for fact in facts]
            if _differs(expected, found, in_order=what == "history"):
                when = f" {at:%Y-%m-%d}" if at else ""
                wrong.append(f"{asked.subject} {asked.verb}, {what}{when}: {'; '.join(found) or NOTHING}")
    return Outcome(story, now, past, *_linked(story, known, wrong))


def _history(facts: Sequence[Fact], now: datetime | None) -> list[str]:
    return [f"{fact.object} = {standing(fact, now)}" for fact in facts]


def _linked(story: Story, known: Known, wrong: list[str]) -> tuple[list[str], list[str]]:
    """What is stale or contradicts, and what is wrong with it, after what is wrong already."""
    objects = {fact.id: fact.object for fact in known.facts}
    stale = [f"{fact.verb} {fact.object}" for fact in known.facts if fact.stale_because is not None]
    pairs = {
        kind: [
            " / ".join(sorted((objects.get(link.source, "?"), objects.get(link.target, "?"))))
            for link in known.links
            if link.kind is kind
        ]
        for kind in (LinkKind.CONTRADICTS, LinkKind.SAME_AS)
    }
    problems = (
        _missing("stale", story.stale, stale),
        _missing("contradicts", story.contradicts, pairs[LinkKind.CONTRADICTS]),
        _missing("same", story.same, pairs[LinkKind.SAME_AS]),
    )
    shown = stale + [f"{pair} (contradiction)" for pair in pairs[LinkKind.CONTRADICTS]]
    return shown, wrong + [problem for found in problems for problem in found]


def table(outcomes: Iterable[Outcome]) -> Sheet:
    """One row for each story."""
    rows = [
        (
            outcome.story.name,
            outcome.story.kind,
            "; ".join(outcome.now),
            "; ".join(outcome.past),
            "; ".join(outcome.stale) or "-",
            "; ".join(outcome.wrong) or "yes",
        )
        for outcome in outcomes
    ]
    return Sheet("Facts that change", ("story", "kind", "now", "history", "stale", "as expected"), tuple(rows))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memory", action="store_true", help="have a memory read the turns and answer")
    parser.add_argument("--reworded", action="store_true", help="as --memory, in words that no rule was made for")
    parser.add_argument("--markdown", action="store_true", help="print the table for a page")
    options = parser.parse_args(arguments)
    by_memory = options.memory or options.reworded
    stories = read_stories(REWORDED if options.reworded else STORIES)
    told = [story for story in stories if not (by_memory and story.is_by_hand())]
    outcomes = [tell(story, from_memory(story) if by_memory else from_statements(story)) for story in told]
    sheet = table(outcomes)
    print(sheet.markdown() if options.markdown else sheet.text())
    right = sum(not outcome.wrong for outcome in outcomes)
    print(f"\n{right} of {len(outcomes)} stories as expected")
    return int(right < len(outcomes))


def _read_line(story: Story, line: str) -> bool:
    turn = _TURN.fullmatch(line)
    if turn is not None:
        session = turn["session"] or "one"
        seq = sum(said.session == session for said in story.turns)
        story.turns.append(Said(session, seq, _time(turn["at"]), turn["speaker"], turn["text"], []))
    elif line.startswith("  ") and not story.asked and story.now is None:
        said = story.turns[-1]
        said.statements.append(_statement(said, line))
    elif line.startswith("now "):
        story.now = _time(line.removeprefix("now "))
    elif line.startswith("ask "):
        subject, verb = (part.strip() for part in line.removeprefix("ask ").split("|"))
        story.asked.append(Asked(subject, verb))
    else:
        return _read_expected(story, line)
    return True


def _read_expected(story: Story, line: str) -> bool:
    name, colon, value = line.partition(": ")
    answers = [] if value == NOTHING else [part.strip() for part in value.split(";")]
    if not colon:
        return False
    if name == "kind":
        story.kind = value
    elif name in ("stale", "contradicts", "same"):
        getattr(story, name).extend(answers)
    else:
        found = _EXPECTED.fullmatch(line.strip())
        if found is None or not story.asked:
            return False
        story.asked[-1].expected.append((found["name"], _time(found["at"]) if found["at"] else None, answers))
    return True


def _statement(said: Said, line: str) -> Statement:
    subject, verb, value, *rest = (part.strip() for part in line.split("|"))
    options = dict(option.split("=", 1) for option in " ".join(rest).split())
    words = {name: value.replace("~", " ") for name, value in options.items()}
    begin, end = (_time(words[name]) if name in words else None for name in ("from", "to"))
    return Statement(
        turn=turn_id(said.session, said.seq),
        ordinal=len(said.statements),
        said_at=said.at,
        subject=subject,
        verb=verb,
        object=value,
        status=FactStatus(words.get("status", "active")),
        mood=Mood(words.get("mood", "asserted")),
        effect=Effect(words.get("effect", "states")),
        scope=words.get("scope"),
        instead_of=words.get("instead"),
        when=words.get("when"),
        where=words.get("where"),
        valid_from=begin,
        valid_to=end,
        reason=words.get("reason"),
        because=(int(words["because"]),) if "because" in words else (),
        rests_on=tuple(words["rests"].split(",")) if "rests" in words else (),
        provenance=words.get("provenance", "rule"),
    )


def _time(text: str) -> datetime | None:
    """A time of a story; a day means nine in the morning for a turn, which no other moment of the day precedes."""
    return None if text == "-" else datetime.fromisoformat(text).replace(tzinfo=UTC)


def _differs(expected: Sequence[str], found: Sequence[str], *, in_order: bool) -> bool:
    """Whether answers differ in more than articles and capitals."""
    keys = [[value_key(each) for each in answers] for answers in (expected, found)]
    return keys[0] != keys[1] if in_order else sorted(keys[0]) != sorted(keys[1])


def _missing(what: str, expected: Sequence[str], found: Sequence[str]) -> list[str]:
    """What is wrong with a list of which each expected part must occur in exactly one, and none may be left over."""
    if len(expected) == len(found) and all(any(part in each for each in found) for part in expected):
        return []
    return [f"{what}: {'; '.join(found) or NOTHING}"]


if __name__ == "__main__":
    sys.exit(main())
