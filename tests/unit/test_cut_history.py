"""Histories that their client has changed, lined up with what is stored of the conversation."""

import pytest

from clew.rows.conversations import StoredMessage
from clew.serve.proxy.history.cut_history import Alignment, align_cut
from clew.serve.proxy.history.message_form import Unit

ROLES = ("user", "assistant")


def aligned(stored: list[bytes], sent: list[bytes]) -> Alignment:
    nodes = [StoredMessage(b"", n, b"", digest, 1, ((n,),)) for n, digest in enumerate(stored)]
    units = [Unit(n, n, ROLES[n % 2], digest) for n, digest in enumerate(sent)]
    found = align_cut(units, sent, nodes, lambda _: ())
    assert found is not None
    return found


@pytest.mark.requirement("P-IDN-26")
@pytest.mark.parametrize("count", [60_000])
def test_a_long_history_with_an_edit_in_each_exchange_is_quickly_lined_up(count: int) -> None:
    said = [b"%d" % n for n in range(count)]
    found = aligned(said, [b"edited " + each if n % 2 == 0 else each for n, each in enumerate(said)] + [b"new"])
    assert (found.known, found.cut, len(found.unmatched)) == (count, False, count // 2)


@pytest.mark.requirement("P-IDN-26")
@pytest.mark.parametrize("count", [60_000])
def test_a_long_history_of_equal_words_is_quickly_lined_up(count: int) -> None:
    found = aligned([b"ok"] * count, [b"ok"] * count + [b"new"])
    assert found.held[:-1] == tuple((n,) for n in range(count))
