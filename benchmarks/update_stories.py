"""Facts that change: stories with the current answer, the history and what has become stale, as a table.

    python -m benchmarks.update_stories [--markdown] [--all]

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
from datetime import UTC, datetime, timedelta
from pathlib import Path

from clew.evaluate.tables import Sheet
from clew.knowledge.book import Book
from clew.knowledge.history import as_of, current, history, known_at, standing
from clew.types.facts import Effect, Fact, FactLink, FactStatus, LinkKind, Mood, Statement
from clew.types.ids import turn_id

STORIES = Path(__file__).parent / "data" / "update_stories.txt"
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


@dataclass(frozen=True, slots=True)
class Known:
    """What a memory made of a story: all facts, also past ones, their links, and how it tells what was known when."""

    facts: tuple[Fact, ...]
    links: tuple[FactLink, ...]
    known_at: Callable[[datetime], Sequence[Fact]]


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
    book = Book()
    book.add(story.statements())
    said = story.statements()
    return Known(book.facts(), book.links(), lambda at: known_at(said, at).facts())


def tell(story: Story, known: Known) -> Outcome:
    """Asks what a story asks and compares the answers with what it expects."""
    wrong: list[str] = []
    now: list[str] = []
    past: list[str] = []
    for asked in story.asked:
        told = history(known.facts, asked.subject, asked.verb)
        now += [fact.object for fact in current(told, story.now)] or [NOTHING]
        past += [f"{fact.object} = {standing(fact, story.now)}" for fact in told]
        for what, at, expected in asked.expected:
            found = _answer(asked, what, at, story, known)
            if _differs(expected, found, in_order=what == "history"):
                when = f" {at:%Y-%m-%d}" if at else ""
                wrong.append(f"{asked.subject} {asked.verb}, {what}{when}: {'; '.join(found) or NOTHING}")
    by_id = {fact.id: fact for fact in known.facts}
    stale = [f"{fact.verb} {fact.object}" for fact in known.facts if fact.stale_because is not None]
    wrong += _missing("stale", story.stale, stale)
    against = [link for link in known.links if link.kind is LinkKind.CONTRADICTS]
    pairs = [" / ".join(sorted((by_id[link.source].object, by_id[link.target].object))) for link in against]
    wrong += _missing("contradicts", story.contradicts, pairs)
    same = [by_id[link.source].object for link in known.links if link.kind is LinkKind.SAME_AS]
    wrong += _missing("same", story.same, same)
    return Outcome(story, now, past, stale + [f"{pair} (contradiction)" for pair in pairs], wrong)


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
    parser.add_argument("--markdown", action="store_true", help="print the table for a page")
    options = parser.parse_args(arguments)
    outcomes = [tell(story, from_statements(story)) for story in read_stories()]
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


def _answer(asked: Asked, what: str, at: datetime | None, story: Story, known: Known) -> list[str]:
    if what == "history":
        told = history(known.facts, asked.subject, asked.verb)
        return [f"{fact.object} = {standing(fact, story.now)}" for fact in told]
    facts: Sequence[Fact] = known.facts
    moment = story.now
    if at is not None:
        facts = as_of(known.facts, at) if what == "as of" else known.known_at(at)
        moment = at + timedelta(microseconds=1)
    return [fact.object for fact in current(history(facts, asked.subject, asked.verb), moment)]


def _differs(expected: Sequence[str], found: Sequence[str], *, in_order: bool) -> bool:
    return list(found) != list(expected) if in_order else sorted(found) != sorted(expected)


def _missing(what: str, expected: Sequence[str], found: Sequence[str]) -> list[str]:
    """What is wrong with a list of which each expected part must occur in exactly one, and none may be left over."""
    if len(expected) == len(found) and all(any(part in each for each in found) for part in expected):
        return []
    return [f"{what}: {'; '.join(found) or NOTHING}"]


if __name__ == "__main__":
    sys.exit(main())
