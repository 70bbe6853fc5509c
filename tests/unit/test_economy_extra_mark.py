"""A cache mark of our own, where a client returns to a model and our blocks lie between."""

import json
from typing import Any

import pytest

from clew.serve.proxy.economy.prices import price_list
from clew.serve.proxy.economy.request_economy import EditsInQuestion, RequestEconomy
from clew.serve.proxy.exchange import edited
from clew.serve.proxy.wires import WIRES
from clew.serve.scripted.anthropic_rules import refusals
from clew.text.counters import counter
from tests.support.chat_requests import chat_request

pytestmark = pytest.mark.requirement("DOOR-RETURN-01")

EXCHANGES = 9
WORDS = "What did we decide about the port of the billing service? " * 40


def asked(count: int, model: str, heads: int, ttl: str) -> Any:
    """A request with so many exchanges before its question; marks at parts of the system prompt and at the end."""
    mark = {"cache_control": {"type": "ephemeral", "ttl": ttl}}
    messages: list[dict[str, Any]] = []
    for number in range(count):
        messages += [{"role": "user", "content": f"{number} {WORDS}"}, {"role": "assistant", "content": WORDS}]
    messages.append({"role": "user", "content": [{"type": "text", "text": f"{count} {WORDS}", **mark}]})
    system = [{"type": "text", "text": f"{part} {WORDS}" * 9, **mark} for part in range(heads)]
    return chat_request("anthropic", messages, model=model, system=system, max_tokens=9)


@pytest.mark.parametrize("ttl", ["5m", "1h"])
@pytest.mark.parametrize("heads", [1, 2, 3])
def test_the_mark_stands_at_a_block_of_ours(heads: int, ttl: str) -> None:
    now = [0.0]
    economy = RequestEconomy(price_list(), counter(), lambda: now[0])
    wire = WIRES["anthropic"]
    blocks: dict[int, str] = {}
    for number in range(EXCHANGES + 1):
        model = "claude-haiku-4-5" if 0 < number < EXCHANGES else "claude-opus-4-1"
        request = asked(number, model, heads, ttl)
        kept = [wire.appended(request, 2 * at, text) for at, text in blocks.items()]
        block = wire.appended(request, 2 * number, f"Remembered {number}.")
        edits = EditsInQuestion(kept=kept, block=[block])
        decision = economy.choose(request, edits, account="a", session="s")
        if decision.inject:
            blocks[number] = f"Remembered {number}."
        now[0] += 5.0
    assert decision.prospect.harm <= 1e-6 * decision.prospect.cost
    sent = json.loads(edited(request.body, edits.chosen(decision)))
    assert list(refusals(sent)) == []
    own = [part for part in marked_parts(sent) if part["text"].startswith("Remembered")]
    if heads == 3:  # all four marks are the client's: so nothing is added while another model may have a part cached
        assert (own, len(blocks)) == ([], 1)
    else:
        assert [part["cache_control"].get("ttl", "5m") for part in own] == [ttl]
        assert len(blocks) == EXCHANGES + 1


@pytest.mark.requirement("P-REV-34")
def test_marks_inside_of_the_results_of_tools_leave_fewer_for_ours() -> None:
    now, wire, most = [0.0], WIRES["anthropic"], 0
    economy = RequestEconomy(price_list(), counter(), lambda: now[0])
    blocks: dict[int, str] = {}
    for number in range(EXCHANGES + 1):
        model = "claude-haiku-4-5" if 0 < number < EXCHANGES else "claude-opus-4-1"
        value = json.loads(asked(number, model, 1, "5m").body)
        mark = {"cache_control": {"type": "ephemeral"}}
        inner = [{"type": "text", "text": part, **mark} for part in ("one", "two")]
        if number == EXCHANGES:
            value["messages"][-1]["content"].insert(0, {"type": "tool_result", "tool_use_id": "t", "content": inner})
        rest = {name: value[name] for name in ("model", "system", "max_tokens")}
        request = chat_request("anthropic", value["messages"], **rest)
        kept = [wire.appended(request, 2 * at, text) for at, text in blocks.items()]
        edits = EditsInQuestion(kept=kept, block=[wire.appended(request, 2 * number, f"Remembered {number}.")])
        decision = economy.choose(request, edits, account="a", session="s")
        if decision.inject:
            blocks[number] = f"Remembered {number}."
        sent = edited(request.body, edits.chosen(decision))
        most = max(most, sent.count(b'"cache_control"'))
        now[0] += 5.0
    assert len(blocks) > 1
    assert most == 4, "Anthropic refuses a request with five"


def marked_parts(sent: dict[str, Any]) -> list[dict[str, Any]]:
    contents = [message["content"] for message in sent["messages"] if isinstance(message["content"], list)]
    return [part for content in contents for part in content if "cache_control" in part]
