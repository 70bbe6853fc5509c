"""Edits of a body."""

import pytest

from clew.errors import InputError
from clew.serve.proxy.exchange import Edit, Span, edited


def test_edits_change_their_stretch_and_nothing_else() -> None:
    body = b'{"a": 1, "b": [2]}'
    changes = (Edit(Span(16, 16), b", 3"), Edit(Span(6, 7), b"10"), Edit(Span(16, 16), b", 4"))
    assert edited(body, changes) == b'{"a": 10, "b": [2, 3, 4]}'
    assert edited(body, ()) == body


@pytest.mark.parametrize("spans", [((0, 3), (2, 4)), ((5, 99),), ((4, 2),)])
def test_edits_that_cannot_be_made_are_refused(spans: tuple[tuple[int, int], ...]) -> None:
    with pytest.raises(InputError, match="edit of bytes"):
        edited(b"0123456789", (Edit(Span(*span), b"x") for span in spans))
