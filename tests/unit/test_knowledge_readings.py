"""Facts by rules: invented sentences of one kind each, with what they state and what they must not state."""

from datetime import UTC, datetime

import pytest

from clew.knowledge.rules.extract import statements
from clew.types.facts import Statement
from clew.types.turn import Turn
from tests.support.fact_readings import DATED, KINDS

TUESDAY = datetime(2026, 3, 10, 9, tzinfo=UTC)


def lines_of(text: str) -> list[tuple[str, str]]:
    """The turns of each line, and what the last of them states."""
    parts = [line.partition("=>") for line in " ".join(text.split("\n  ")).strip().splitlines()]
    return [(" ".join(said.split()), " ".join(told.split())) for said, _, told in parts]


def last_stated(said: str) -> list[Statement]:
    """What the last of some turns states."""
    turns = []
    for seq, (speaker, _, text) in enumerate(each.partition(": ") for each in said.split(" || ")):
        made = Turn(role="user", speaker=speaker, content=text, at=TUESDAY)
        turns.append(made.stored(seq=seq, ordinal=seq, ingested_at=TUESDAY))
    return [each for each in statements(turns) if each.turn == turns[-1].id]


def read(said: str) -> str:
    """What the last of some turns states, as the lines tell it."""
    return " ; ".join(f"{each.subject} | {each.verb} | {each.object}".strip() for each in last_stated(said))


def _day(moment: datetime | None) -> str:
    return "" if moment is None else f" {moment.date()}"


def read_dated(said: str) -> str:
    """The same, with status and times."""
    return " ; ".join(
        f"{each.subject} | {each.verb} | {each.object} | {each.status} |{_day(each.valid_from)} |{_day(each.valid_to)}"
        for each in last_stated(said)
    )


@pytest.mark.requirement("K-READ-10")
@pytest.mark.parametrize(
    ("said", "told"),
    [
        pytest.param(*line, id=f"{kind}-{number}")
        for kind, text in KINDS.items()
        for number, line in enumerate(lines_of(text))
    ],
)
def test_a_sentence_states_what_it_says_and_no_more(said: str, told: str) -> None:
    assert read(said) == told


@pytest.mark.requirement("K-RUL-07")
@pytest.mark.parametrize(("said", "told"), lines_of(DATED))
def test_a_date_is_that_of_its_clause_or_of_the_question_that_it_answers(said: str, told: str) -> None:
    assert read_dated(said) == told
