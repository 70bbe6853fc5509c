"""What a question says of the conversation itself, and of the form of the answer, is not looked up."""

from collections.abc import Sequence

import pytest

from clew.memory import Memory
from clew.models.protocol import Matrix
from clew.rank.intent.framing import without_framing
from clew.testing import FrozenClock, HashEmbedder
from clew.types import Turn
from tests.support.ranking_spaces import NOON, asked, order, said, space


def talk(*texts: str) -> list[Turn]:
    """A person's turns, each answered by an assistant."""
    return [turn for text in texts for turn in (said(text), said("Fine.", role="assistant"))]


class Recording(HashEmbedder):
    """Keeps what it was given to embed."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[str] = []

    def embed(self, texts: Sequence[str]) -> Matrix:
        """The same vectors."""
        self.given += texts
        return super().embed(texts)


@pytest.mark.requirement("F-RANKING-24")
@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("Which roses did I mention in our conversations?", "Which roses?"),
        ("Which roses have we discussed so far?", "Which roses?"),
        ("What did we talk about in our first chat about roses?", "What about roses?"),
        ("What did we prune in the rose garden session?", "What did we prune in rose garden?"),
        ("What changed in the Rose Garden chat?", "What changed in Rose Garden?"),
        ("What changed across our rose garden chats?", "What changed?"),
        ("How do I keep roses in the session storage?", "How do I keep roses in the session storage?"),
        ("Why do my requests fail?", "Why do my requests fail?"),
        ("List the order in which I brought up parts of the garden, in order.", "List parts of the garden,."),
        ("What did I say that I paid for the pond over time?", "What I paid for the pond?"),
        ("What of the garden? Mention only three items.", "What of the garden?"),
        ("What of the garden? Please keep it short!", "What of the garden?"),
        ("Which roses that we’ve talked about need shade throughout all of these chats?", "Which roses need shade?"),
        ("What do I do in order to plant roses?", "What do I do in order to plant roses?"),
        ("How many people talk in the chat room?", "How many people talk in the chat room?"),
        ("Mention only roses.", "Mention only roses."),
        ("  Where  is it? ", "  Where  is it? "),
        ("so far", "so far"),
        ("", ""),
    ],
)
def test_framing_is_taken_out(question: str, rest: str) -> None:
    assert without_framing(question) == rest


@pytest.mark.requirement("F-RANKING-24")
@pytest.mark.parametrize("start", ["in our ", "the order ", ". Mention ", "did I ", " ", ". list only"])
def test_a_long_question_takes_no_long_time(start: str) -> None:
    assert len(without_framing(start * 20_000)) <= len(start) * 20_000


@pytest.mark.requirement("F-RANKING-24")
def test_words_of_framing_find_nothing_beside_an_assistant() -> None:
    turns = talk("We raised the order of the sessions.", "The roses stand by the pond.")
    question = "List the order in which I brought up the roses across our sessions."
    frame = asked(space(*turns), question)
    assert frame.intent.about == "List the roses."
    assert frame.intent.terms == ("list", "rose")
    assert frame.intent.rewritten == "roses"
    assert frame.intent.text == question
    assert order(frame)[0] == 2


@pytest.mark.requirement("F-RANKING-24")
def test_between_people_every_word_counts() -> None:
    view = space(said("roses", speaker="Ann"), said("pond", speaker="Bob"))
    query = asked(view, "Which roses did I mention in our conversations?").intent
    assert (query.about, query.rewritten) == ("", query.text)


@pytest.mark.requirement("F-RANKING-24")
def test_what_was_looked_up_is_embedded_and_told() -> None:
    embedder = Recording()
    with Memory.open(":memory:", embedder=embedder, clock=FrozenClock(NOON)) as memory:
        memory.add_many(talk("The roses stand by the pond."))
        assert memory.drain(200)
        receipt = memory.explain(memory.recall("Which roses did I mention in our chats?").receipt_id)
    assert receipt.query == "Which roses did I mention in our chats?"
    assert receipt.understood["about"] == "Which roses?"
    assert embedder.given[-2:] == ["Which roses?", "roses"]
