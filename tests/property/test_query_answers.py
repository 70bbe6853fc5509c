"""An expression finds what a filter over turns and their annotations finds, turn by turn, on every store."""

import operator
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory import Memory
from clew.rank.filter import TurnFilters
from clew.rows.annotations import ANALYSIS, note_replaced
from clew.store.protocol import Transaction
from clew.testing import FrozenClock
from clew.text.normalise import fold_contains
from clew.types import Part, Turn
from clew.types.ids import turn_id
from tests.support.effort import examples
from tests.support.memories import NOON, quiet

DAY = timedelta(days=1)
SENTENCES = (
    "The login page needs a token and a password against the attack.",
    "We decided that the architecture has three components, and every module is an interface.",
    "Run the deploy script, then restart the server.",
    "The equation of the particle gives its energy and momentum.",
    "I think that perhaps we should maybe look at the login page again.",
    "ok",
    "As we discussed before, this depends on the earlier decision about the login page.",
    "Our goal and our mission is to never lose the trust of users.",
    "喝茶吗",
    "Prove the theorem by induction over the matrix.",
)
ROLES = ("user", "assistant", "tool")
OVERLAYS = (
    "O1_structural",
    "O2_security",
    "O3_lineage",
    "O4_mission",
    "O5_operational",
    "O6_mathematical",
    "O7_coherence",
)
COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
}

turns = st.builds(
    lambda role, text, session, speaker, day: Turn(
        role=role,
        content=text,
        session=session,
        speaker=speaker,
        at=None if day is None else NOON + day * DAY,
    ),
    role=st.sampled_from(ROLES),
    text=st.sampled_from(SENTENCES) | st.lists(st.sampled_from(SENTENCES), min_size=2, max_size=3).map(" ".join),
    session=st.sampled_from(["api", "第三 x", "a:b"]),
    speaker=st.sampled_from([None, "Ann", "Bob O'Neil"]),
    day=st.none() | st.integers(-3, 3),
) | st.just(Turn(role="user", content=(Part(type="injected", text="The login page was recalled."),), session="api"))
logs = st.lists(turns, min_size=1, max_size=14)


@dataclass(frozen=True)
class Seen:
    """One stored turn with all that is said of it, and the best weight of each label that marks it or its beat."""

    turn: Turn
    said: Mapping[str, Any]
    marked: Mapping[str, float]

    @property
    def analysed(self) -> bool:
        return "importance" in self.said


Verdict = bool | None
Case = tuple[str, Callable[[Seen], Verdict]]
"""An expression, and what it says of one turn: None for unknown."""


def compared(value: float | None, sign: str, number: float) -> Verdict:
    return None if value is None else COMPARE[sign](round(value, 6), number)


def score(seen: Seen, name: str) -> float | None:
    if name in OVERLAYS:
        found = seen.said.get("overlays", {}).get(name, 0.0) if seen.analysed else None
    else:
        found = seen.said.get(name)
    return found if found is None else float(found)


def score_case(name: str, sign: str, number: float) -> Case:
    return f"{name} {sign} {number}", lambda seen: compared(score(seen, name), sign, number)


def overlay_case(name: str) -> Case:
    def holds(seen: Seen) -> Verdict:
        found = score(seen, name)
        return None if found is None else found >= 5

    return f"overlay:{name[:2]}", holds


def tag_weight(seen: Seen, name: str) -> float | None:
    own = seen.said.get("tags", {}).get(name, 0.0) if seen.analysed else None
    given = seen.marked.get(name)
    known = [each for each in (own, given) if each is not None]
    return max(known) if known else None


def tag_case(name: str, sign: str | None, number: float) -> Case:
    if sign is None:
        return f"tag:{name}", lambda seen: compared(tag_weight(seen, name), ">", 0)
    return f"tag:{name} {sign} {number}", lambda seen: compared(tag_weight(seen, name), sign, number)


def listed_case(namespace: str, kind: str, name: str) -> Case:
    def holds(seen: Seen) -> Verdict:
        return name in seen.said[kind] if kind in seen.said else None

    return f"{namespace}:{name}", holds


def tone_case(name: str) -> Case:
    def holds(seen: Seen) -> Verdict:
        flags = seen.said.get("nuance", [])
        return name in flags if any(flag.startswith("emotional_tone") for flag in flags) else None

    return f"nuance:{name}", holds


def flag_case(name: str) -> Case:
    def holds(seen: Seen) -> Verdict:
        if not seen.analysed:
            return None
        if name == "preserved":
            return seen.said["importance"] >= 7 or bool(seen.said.get("paradigm_shift"))
        return bool(seen.said.get(name))

    return name.upper(), holds


def role_case(role: str, sign: str) -> Case:
    def holds(seen: Seen) -> Verdict:
        held = "tool" if seen.turn.origin == "tool" else seen.turn.role
        return (held == role) == (sign == "=")

    return f"role {sign} {role}", holds


def speaker_case(name: str, sign: str) -> Case:
    def holds(seen: Seen) -> Verdict:
        held = seen.turn.speaker
        return None if held is None else (held.casefold() == name.casefold()) == (sign == "=")

    return f'speaker {sign} "{name}"', holds


def session_case(name: str, sign: str) -> Case:
    return f'session {sign} "{name}"', lambda seen: (seen.turn.session == name) == (sign == "=")


def time_case(word: str, day: int) -> Case:
    start = datetime(NOON.year, NOON.month, NOON.day, tzinfo=UTC) + day * DAY
    tests: dict[str, Callable[[datetime], bool]] = {
        "before": lambda at: at < start,
        "after": lambda at: at >= start + DAY,
        "since": lambda at: at >= start,
        "on": lambda at: start <= at < start + DAY,
    }
    return f"{word} {start.date()}", lambda seen: None if seen.turn.at is None else tests[word](seen.turn.at)


def phrase_case(phrase: str) -> Case:
    return f'"{phrase}"', lambda seen: fold_contains(seen.turn.text, phrase)


signs = st.sampled_from(list(COMPARE))
equal = st.sampled_from(["=", "!="])
leaves = st.one_of(
    st.builds(score_case, st.sampled_from(OVERLAYS), signs, st.sampled_from([0.0, 1.0, 4.0, 7.5])),
    st.builds(score_case, st.just("importance"), signs, st.sampled_from([1.0, 3.0, 5.0, 7.0])),
    st.builds(score_case, st.sampled_from(["novelty", "layer1", "coherence"]), signs, st.sampled_from([0.0, 0.1, 0.5])),
    st.builds(overlay_case, st.sampled_from(OVERLAYS)),
    st.builds(
        tag_case,
        st.sampled_from(["login-page", "login page", "deploy-script", "nothing"]).filter(lambda name: " " not in name),
        st.none() | signs,
        st.sampled_from([0.0, 0.3, 1.0]),
    ),
    st.builds(listed_case, st.just("domain"), st.just("domains"), st.sampled_from(["physics", "unclassified"])),
    st.builds(listed_case, st.just("nuance"), st.just("nuance"), st.sampled_from(["hedged", "absolute"])),
    st.builds(tone_case, st.sampled_from(["emotional_tone_neutral", "emotional_tone_negative"])),
    st.builds(flag_case, st.sampled_from(["paradigm_shift", "preserved", "routine"])),
    st.builds(role_case, st.sampled_from(ROLES), equal),
    st.builds(speaker_case, st.sampled_from(["ann", "Bob O'Neil", "Eve"]), equal),
    st.builds(session_case, st.sampled_from(["api", "第三 x", "a:b", "none"]), equal),
    st.builds(time_case, st.sampled_from(["before", "after", "since", "on"]), st.integers(-3, 3)),
    st.builds(phrase_case, st.sampled_from(["login page", "OK", "the", "喝茶", "token, and a password", "no such"])),
)


def not_case(case: Case) -> Case:
    text, holds = case

    def contrary(seen: Seen) -> Verdict:
        held = holds(seen)
        return None if held is None else not held

    return f"not ({text})", contrary


def joined_case(word: str, cases: Sequence[Case]) -> Case:
    def holds(seen: Seen) -> Verdict:
        held = [each[1](seen) for each in cases]
        stops = word == "OR"
        return stops if stops in held else None if None in held else not stops

    return f" {word} ".join(f"({text})" for text, _ in cases), holds


cases = st.recursive(
    leaves,
    lambda inner: st.one_of(
        inner.map(not_case),
        st.builds(joined_case, st.sampled_from(["AND", "OR"]), st.lists(inner, min_size=2, max_size=3)),
    ),
    max_leaves=6,
)


def every(memory: Memory) -> list[Seen]:
    """The turns of a memory in the order in which they came, read one by one."""
    marked: dict[str, dict[str, float]] = {}
    for label in memory.labels():
        for mark in memory.labelled(label.name):
            for name in mark.turn_ids:
                held = marked.setdefault(name, {})
                held[label.name] = max(mark.weight, held.get(label.name, 0.0))
    rows = memory.reads.store
    with rows.snapshot() as reader:
        keys = reader.scan("turn", (memory.space,), (memory.space,), index="ordinal", columns=("session", "seq"))
    found = [memory.get(turn_id(str(session), int(str(seq)))) for session, seq in keys]
    return [
        Seen(
            turn,
            {kind: each.value for kind, each in memory.annotations(str(turn.id)).items()},
            marked.get(str(turn.id), {}),
        )
        for turn in found
    ]


def lose(memory: Memory, each: int) -> None:
    """Removes the analysis of every n-th turn, as if it were still pending; 0 removes none."""

    def work(tx: Transaction) -> None:
        rows = tx.scan(ANALYSIS, (memory.space,), (memory.space,))
        for row in rows[::each]:
            tx.delete(ANALYSIS, row[:2], row[:2])
        note_replaced(tx, memory.space)

    if each:
        memory.reads.store.transaction(work)


@pytest.mark.requirement("F-QUERY-03", "F-QUERY-04")
@settings(max_examples=examples(5, 40))
@given(logs, st.lists(cases, min_size=3, max_size=8), st.sampled_from([0, 3]))
def test_an_expression_finds_what_a_filter_finds(log: list[Turn], asked: list[Case], each: int) -> None:
    with (
        tempfile.TemporaryDirectory() as home,
        quiet() as plain,
        quiet(Path(home), config={"index": {"pack_minimum": 2}}) as packed,
    ):
        for memory in (plain, packed):
            memory.add_many(log)
            assert memory.drain(None)
            lose(memory, each)
            seen = every(memory)
            for text, holds in asked:
                held = [one.turn for one in seen if holds(one) is True]
                expected = [turn.id for turn in held if turn.origin != "injected"]
                assert [turn.id for turn in memory.query(text)] == expected, text
                assert [turn.id for turn in memory.query(text, limit=2)] == expected[:2]


@pytest.mark.requirement("F-QUERY-06", "F-QUERY-08")
@settings(max_examples=examples(6, 30))
@given(logs, cases, st.integers(-3, 3), st.integers(0, 14))
def test_what_a_recall_shows_or_names_passes_its_filter(log: list[Turn], case: Case, day: int, told: int) -> None:
    clock = FrozenClock(NOON)
    with quiet(clock=clock) as memory:
        memory.add_many(log[:told])
        clock.advance(60)
        memory.add_many(log[told:])
        assert memory.drain(None)
        text, _ = case
        chosen: list[TurnFilters] = [{"where": text}, {"as_of": NOON + day * DAY}, {"where": text, "known_at": NOON}]
        for only in chosen:
            rest: TurnFilters = {**only, "where": None}
            passing = {str(turn.id) for turn in memory.query(only.get("where") or "layer1 >= 0", **rest)}
            for strategy in ("auto", "broad", "temporal", "sigma"):
                context = memory.recall("What of the login page, by and large?", budget=300, strategy=strategy, **only)
                assert {name for item in context.items for name in item.turn_ids} <= passing
                assert {name for item in context.omitted for name in item.turn_ids} <= passing
            assert {str(hit.turn.id) for hit in memory.search("login page", limit=50, **only)} <= passing
