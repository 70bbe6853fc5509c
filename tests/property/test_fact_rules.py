"""Facts by rules: any words can be read, and batches make no difference."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.knowledge.rules.clause_moods import clause_moods
from clew.knowledge.rules.extract import statements
from clew.knowledge.rules.subjects import REACH
from clew.types.turn import Turn

AT = datetime(2024, 5, 6, tzinfo=UTC)
WORDS = (
    "I my sister Anna Tom he she you we it that who 's not no is was have been will would used to want live lives "
    'moved moving in at Rome the a job because if when and or but , . ? ! " ( ) - like said says think 34 May 2019 '
    "favorite name is. No, I meant going of for there any more"
).split()
TEXTS = st.lists(st.sampled_from(WORDS) | st.text(max_size=3), max_size=14).map(" ".join)


@pytest.mark.requirement("K-RUL-09")
@given(st.lists(st.tuples(TEXTS, st.sampled_from("AB")), max_size=6), st.integers(0, 6))
def test_statements_do_not_depend_on_batches(said: list[tuple[str, str]], cut: int) -> None:
    turns = [
        Turn(role="user", content=text, speaker=speaker, at=AT).stored(seq=seq, ordinal=seq, ingested_at=AT)
        for seq, (text, speaker) in enumerate(said)
    ]
    whole = statements(turns)
    assert statements(turns[:cut]) + statements(turns[cut:], turns[max(0, cut - REACH) : cut]) == whole
    assert {each.turn for each in whole} <= {turn.id for turn in turns}
    for each in whole:
        assert each.subject
        assert each.verb
        assert type(each).from_dict(each.to_dict()) == each


@pytest.mark.requirement("K-RUL-09")
@given(TEXTS)
def test_clauses_lie_in_their_sentence(text: str) -> None:
    for low, high, _ in clause_moods(text):
        assert 0 <= low < high <= len(text)
