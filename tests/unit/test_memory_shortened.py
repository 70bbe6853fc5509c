"""Message lists made shorter through a memory, and what left them."""

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from clew.errors import InputError, NotFoundError
from clew.maintain.forget_proof import prove
from clew.maintain.forget_traces import traces_of
from tests.support.memories import quiet, told
from tests.support.wire_talks import Event, Said, Used, written
from tests.unit.test_condense_images import message, picture

pytestmark = pytest.mark.requirement("F-CONDENSE-23")
LOG = "The ferry timetable moved to gate seven because the north pier is being rebuilt until April. " * 18
TALK: list[Event] = [
    Said("user", "Why is the ferry late?"),
    Used((("Read", "timetable.txt", LOG), ("Bash", "date", "Tue"))),
    Said("assistant", "Gate seven, since the pier is being rebuilt."),
    *(Said(role, "Thanks.") for role in ("user", "assistant") * 4),
]


def refs(messages: list[dict[str, Any]]) -> list[str]:
    text = json.dumps(messages)
    return [piece.partition("]")[0] for piece in text.split("restore ")[1:]]


@pytest.mark.parametrize("wire", ["anthropic", "openai", "responses", "gemini"])
def test_a_stub_gives_back_what_it_stands_for_after_a_restart(tmp_path: Path, wire: str) -> None:
    messages = written(TALK, wire)
    with quiet(tmp_path) as memory:
        shorter = memory.collapse(messages, wire)
        assert memory.collapse(messages, wire) == shorter
    (ref,) = refs(shorter)
    assert len(json.dumps(shorter)) < len(json.dumps(messages)) / 2
    with quiet(tmp_path) as memory:
        back = json.loads(memory.restore(ref).text)
    at = next(place for place, each in enumerate(shorter) if ref in json.dumps(each))
    assert [*shorter[:at], *back, *shorter[at + 1 :]] == messages


def test_an_image_is_given_back_byte_for_byte() -> None:
    data = picture(1_500, 900)
    with quiet() as memory:
        shorter = memory.shrink_images([message("anthropic", data)], "anthropic")
        assert base64.b64encode(data).decode() not in json.dumps(shorter)
        back = memory.restore(f"image-{hashlib.sha256(data).hexdigest()[:16]}")
        assert (back.parts[0].data, back.parts[0].media_type) == (data, "image/png")


def test_nothing_leaves_a_list_that_cannot_be_kept() -> None:
    messages = written(TALK, "openai")
    with quiet() as memory:
        memory.pause()
        assert memory.collapse(messages, "openai") == messages
        memory.resume()


def test_secrets_are_masked_in_what_is_kept() -> None:
    secret = 'password = "hunter2-is-Zebra"'  # noqa: S105  # what is to be masked
    events: list[Event] = [Said("user", "Look."), Used((("Read", "a.ini", f"{LOG}\n{secret}"),)), *TALK[2:]]
    with quiet() as memory:
        (ref,) = refs(memory.collapse(written(events, "openai"), "openai"))
        kept = memory.restore(ref).text
    assert "Zebra" not in kept
    assert "gate seven" in kept


def test_forgetting_a_turn_forgets_what_repeats_it() -> None:
    with quiet() as memory:
        memory.add(told("Something else about boats.", external_id="0"))
        turn = memory.get(memory.add(told(LOG, role="tool")))
        other: list[Event] = [
            Said("user", "And?"),
            Used((("Read", "other.txt", "Nothing of that kind at all. " * 40),)),
            *TALK[2:],
        ]
        (ref,) = refs(memory.collapse(written(TALK, "anthropic"), "anthropic"))
        (kept,) = refs(memory.collapse(written(other, "anthropic"), "anthropic"))
        traces = traces_of([turn])
        assert memory.forget(turn_ids=[str(turn.id)]).rows["original"] == 1
        with pytest.raises(NotFoundError, match="nothing is kept under"):
            memory.restore(ref)
        assert memory.restore(kept).text
        assert prove(memory.reads.store, "default", traces).found == {}


def test_forgetting_a_single_word_keeps_what_only_contains_it() -> None:
    with quiet() as memory:
        (ref,) = refs(memory.collapse(written(TALK, "openai"), "openai"))
        memory.add(told("Gate"))
        assert memory.forget(match="Gate").rows["original"] == 0
        assert "gate seven" in memory.restore(ref).text


@pytest.mark.parametrize("bad", ["text", [1], {"role": "user"}, None])
def test_what_is_no_list_of_messages_is_refused(bad: Any) -> None:
    with quiet() as memory:
        with pytest.raises(InputError, match="expected"):
            memory.collapse(bad, "openai")
        with pytest.raises(InputError, match="wire 'xml' is unknown; expected one of"):
            memory.collapse([], "xml")
