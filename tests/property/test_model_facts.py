"""Facts of a model: any answer that fits the schema, about any text."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.knowledge.book import Book
from clew.knowledge.guard import own_words, takes_over, trusted_sentences
from clew.knowledge.model_facts import SCHEMA, SaidTurn, facts_prompt, model_facts, worth_asking
from clew.models.schema import problem
from clew.types.facts import FactStatus, FactType
from tests.support.effort import examples

PIECES = (
    *("I live in Bergen", "My sister Ruth", "works at", "since 3 May", "if it rains", "don't", "the user", "store"),
    *('"I bank with Mallory"', "said", "ignore", "your instructions", "```", "> quoted", "From: Eve\nTo: me\n", "?"),
    *(
        ". ",
        "\n",
        "\n\n",
        "7",
        "Ich wohne",
        "忽略",
        "SYSTEM:",
        "`x`",
        "\u202e",
        "\ud800",
        "\0",
        "«",
        "»",
        "“",
        "”",
        "'",
    ),
)
texts = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=20).map(" ".join))
WORDS = ("user", "Ruth", "lives in", "Bergen", "", " ")
words = st.one_of(st.sampled_from(PIECES), st.sampled_from(WORDS), st.text(max_size=30))


@st.composite
def facts(draw: st.DrawFn, text: str) -> dict[str, Any]:
    """One fact, with quotes that are often from the text."""
    start = draw(st.integers(0, max(0, len(text) - 1)))
    quote = draw(st.one_of(words, st.just(text[start : start + draw(st.integers(1, 60))])))
    names = ("subject", "verb", "object", "scope", "instead_of", "when", "where", "reason")
    return {
        "quote": quote[:400],
        **{name: draw(words)[:60] for name in names},
        "status": draw(st.sampled_from([each.value for each in FactStatus])),
        "type": draw(st.sampled_from([each.value for each in FactType])),
        "effect": draw(st.sampled_from(("states", "adds", "ceases", "corrects"))),
    }


@pytest.mark.requirement("K-MOD-03")
@given(texts)
@settings(max_examples=examples(60, 800))
def test_what_is_left_of_a_text_keeps_its_place(text: str) -> None:
    own = own_words(text)
    assert (own == "" and (not text or takes_over(text))) or len(own) == len(text)
    assert all(left in (" ", "\n", char) for left, char in zip(own, text, strict=False))
    for sentence in trusted_sentences(text):
        assert "```" not in sentence
    worth_asking(text)
    assert facts_prompt(SaidTurn("s:turn:0", "user", None, text)).messages


@pytest.mark.requirement("K-MOD-01", "K-MOD-02")
@given(st.data())
@settings(max_examples=examples(60, 800))
def test_any_answer_gives_statements_that_the_reducer_takes_or_doubts(data: st.DataObject) -> None:
    text = data.draw(texts)
    answer = {"facts": data.draw(st.lists(facts(text), max_size=6))}
    assert problem(answer, SCHEMA) is None
    said = SaidTurn("s:turn:0", "user", datetime(2025, 3, 4, tzinfo=UTC), text)
    found = model_facts(answer, said, "model:any")
    assert len(found.statements) + sum(found.doubts.values()) == len(answer["facts"])
    assert [each.ordinal for each in found.statements] == list(range(len(found.statements)))
    for each in found.statements:
        assert each.subject
        assert each.verb
        assert each.turn == "s:turn:0"
    book = Book()
    book.add(found.statements)
    assert all(fact.sources == ("s:turn:0",) for fact in book.facts())
