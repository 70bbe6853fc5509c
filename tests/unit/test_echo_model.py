"""The model that answers from its request alone: the user's question counts, not the ones that a block quotes."""

from typing import Any

import pytest

from clew.ingest.echo import framed
from clew.serve.scripted.echo_model import UNKNOWN, answer_from_request, last_question
from clew.serve.scripted.script import RecordedRequest

QUESTION = "What is our staging server called?"
BLOCK = framed(
    "[shop, 2 March 2026]\n"
    "3 user: Our staging server is called heron and listens on port 8443.\n"
    "2 user: The launch date of the shop is 14 March.\n"
    "13 user: What is the launch date of the shop?",
    "0123abcd",
)


def request(content: Any) -> RecordedRequest:
    value = {"messages": [{"role": "user", "content": "Hello."}, {"role": "user", "content": content}]}
    return RecordedRequest(0, "POST", "/v1/chat/completions", (), b"", "openai", value)


@pytest.mark.requirement("P-UPS-08")
@pytest.mark.parametrize(
    "content",
    [
        f"{QUESTION}\n\n{BLOCK}",
        [{"type": "text", "text": QUESTION}, {"type": "text", "text": BLOCK}],
    ],
)
def test_the_users_question_is_answered_from_the_block_that_quotes_another(content: Any) -> None:
    asked = request(content)
    assert last_question(asked) == QUESTION
    assert answer_from_request(asked).text == "Our staging server is called heron and listens on port 8443."


@pytest.mark.requirement("P-UPS-08")
def test_what_is_no_question_is_answered_by_its_own_words() -> None:
    asked = request(f"Tell me the name of our staging server.\n\n{BLOCK}")
    assert last_question(asked).strip() == "Tell me the name of our staging server."
    assert answer_from_request(request(QUESTION)).text == UNKNOWN


@pytest.mark.requirement("P-UPS-08")
@pytest.mark.parametrize("text", ["word " * 200_000, "!" * 1_000_000 + "x", "a?b" * 300_000])
def test_a_long_text_without_sentences_is_read_once(text: str) -> None:
    assert answer_from_request(request(f"{QUESTION}\n{text}")).text == UNKNOWN
