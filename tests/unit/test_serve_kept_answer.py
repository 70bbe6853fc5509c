"""An answer tells itself whether it is whole, whenever the client leaves."""

import pytest

from clew.serve.proxy.kept_answer import KeptAnswer
from clew.serve.proxy.wires import WIRES

SAID = b'data: {"choices":[{"index":0,"delta":{"content":"Noted."}}]}\n\n'
STOP = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'


@pytest.mark.requirement("F-RELAY-04")
@pytest.mark.parametrize(
    ("pieces", "is_complete"),
    [([SAID, STOP, b"data: [DONE]\n\n"], True), ([SAID, b"data: [DONE]"], True), ([SAID], False), ([], False)],
)
def test_a_client_that_leaves_at_the_mark_of_the_end_had_the_whole_answer(
    pieces: list[bytes], is_complete: bool
) -> None:
    kept = KeptAnswer(200, [], 10_000)
    for piece in pieces:
        kept.take(piece)
    answer = kept.read(WIRES["openai"], stream=True)
    assert answer.complete == is_complete
    assert [message["content"] for message in answer.messages] == ["Noted."] * bool(pieces)


@pytest.mark.requirement("F-RELAY-04")
def test_an_answer_of_which_only_the_beginning_is_kept_is_not_complete() -> None:
    kept = KeptAnswer(200, [], len(SAID))
    for piece in (SAID, STOP):
        kept.take(piece)
    assert not kept.read(WIRES["openai"], stream=True).complete
