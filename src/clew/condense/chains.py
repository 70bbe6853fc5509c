"""Collapse old tool chains of a message list to one-line stubs, and give back what each stub stands for.

The idea is Virtual Context's *chain collapse*: outside the last messages, one line that names them and a reference
replaces calls and results; the removed messages are kept as they were. What people and the model said stays where it
was. The stubs of a list are also those of the same list when it has grown, so that a provider's prompt cache keeps.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clew.condense.wires.protocol import Call, Message, Wire, checked_list
from clew.errors import InputError
from clew.ingest.encoding import json_text
from clew.text.counters import Counter
from clew.types.record import Record

PROTECTED: Final = 6
"""Messages at the end of a list that are never collapsed (Virtual Context, `protected_recent_turns`)."""

_ROUNDS: Final = 10  # most rounds of one chain, so that an endless run of tools is collapsed piece by piece
_LABELS: Final = 6  # calls named in a stub
_DIGITS: Final = 16  # of the SHA-256 in a reference: 64 bits


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain(Record):
    """Calls and results that a stub stands for.

    Attributes:
        ref: what `restore` takes: `chain-` and the head of the SHA-256 of `original`.
        original: the removed messages as a JSON list, with members in their order: what `restore` gives back.
        stub: the line that stands for them.
        calls: number of tool calls.
        tokens: token count of `original`, by the counter that was passed.
    """

    ref: str
    original: str
    stub: str
    calls: int
    tokens: int


@dataclass(frozen=True, slots=True)
class _Round:
    """Messages [start, end) that hold calls and their results, and nothing else than what stands beside a call."""

    start: int
    end: int


def collapse(
    messages: Sequence[Message], wire: Wire, counter: Counter, *, protected: int = PROTECTED
) -> tuple[list[Message], list[Chain]]:
    """The list with its old tool chains as stubs, and the chains that were taken out.

    A chain is a run of calls and results without other words between them. It is collapsed when it has ended before
    the last `protected` messages, and when its stub is shorter. Reasoning with a signature is never edited: it stays in
    its message or leaves together with its call where the format ties it to the call. The current answer's
    tools are left alone where the provider would miss the reasoning that opened it.

    Raises:
        InputError: `messages` is not a list of objects, or one that would be taken out cannot be written as JSON.
    """
    given = checked_list(messages)
    chains = _chains(given, wire, max(0, len(given) - protected))
    collapsed: list[Message] = []
    taken: list[Chain] = []
    done = 0
    for chain in chains:
        start, end = chain[0].start, chain[-1].end
        made = _made(given[start:end], wire, counter, start)
        if made is None:
            continue
        standing = _standing(given[start:end], wire, made.stub)
        bridge = wire.between(given[start - 1]) if start and standing[0].get("role") == "user" else []
        collapsed += [*given[done:start], *bridge, *standing]
        taken.append(made)
        done = end
    return collapsed + given[done:], taken


def _chains(messages: Sequence[Message], wire: Wire, border: int) -> list[list[_Round]]:
    """Complete chains before the border, in order; a chain is complete when what follows it can no longer join it."""
    rounds = _rounds(messages, wire)
    opening = max((number for number, each in enumerate(messages) if wire.is_question(each)), default=-1)
    chains: list[list[_Round]] = []
    for tool_round in rounds:
        last = chains[-1] if chains else []
        if last and _joins(last[-1], tool_round, messages, wire) and len(last) < _ROUNDS:
            last.append(tool_round)
        else:
            chains.append([tool_round])
    return [
        chain
        for number, chain in enumerate(chains)
        if chain[-1].end <= border
        and (len(chain) == _ROUNDS or number + 1 < len(chains) or chain[-1].end < len(messages))
        and _may_leave(messages, chain, opening, wire)
    ]


def _rounds(messages: Sequence[Message], wire: Wire) -> list[_Round]:
    rounds: list[_Round] = []
    number = 0
    while number < len(messages):
        each = messages[number]
        if wire.calls(each) or wire.results(each) or _leads_to_call(messages, number, wire):
            rounds.append(_Round(number, _end(messages, number, wire)))
            number = rounds[-1].end
        else:
            number += 1
    return _complete(rounds, messages, wire)


def _complete(rounds: Sequence[_Round], messages: Sequence[Message], wire: Wire) -> list[_Round]:
    """The rounds that can leave whole: those with a call whose result comes later, after other messages, cannot.

    A call without any result in the list, or a result without its call, is an orphan and may leave.
    """
    calls = [{call.id for message in messages[one.start : one.end] for call in wire.calls(message)} for one in rounds]
    results = [
        {result.id for message in messages[one.start : one.end] for result in wire.results(message)} for one in rounds
    ]
    called, answered = set[str]().union(*calls), set[str]().union(*results)
    return [
        one
        for one, own, given in zip(rounds, calls, results, strict=True)
        if not (own - given) & answered
        and not (given - own) & called
        and not any(wire.must_stay(message) for message in messages[one.start : one.end])
    ]


def _end(messages: Sequence[Message], number: int, wire: Wire) -> int:
    """The index after a round that begins with a message of calls (or with results whose call is missing)."""
    while number < len(messages) and (wire.calls(messages[number]) or _leads_to_call(messages, number, wire)):
        number += 1
        if number < len(messages) and wire.results(messages[number]):
            break
    while number < len(messages) and wire.results(messages[number]):
        number += 1
        if wire.rest(messages[number - 1]) is not None:  # words of the user beside the results end the round
            break
    return number


def _is_tied(message: Message, wire: Wire) -> bool:
    return message.get("type") in wire.tied


def _leads_to_call(messages: Sequence[Message], number: int, wire: Wire) -> bool:
    """Whether a message is reasoning that is tied to a call, directly or through more reasoning."""
    while number < len(messages) and _is_tied(messages[number], wire):
        number += 1
        if number < len(messages) and wire.calls(messages[number]):
            return True
    return False


def _joins(before: _Round, after: _Round, messages: Sequence[Message], wire: Wire) -> bool:
    """Whether nothing stands between two rounds, nor beside their calls and results."""
    return (
        before.end == after.start
        and wire.rest(messages[before.end - 1]) is None
        and all(
            _is_tied(message, wire) or wire.rest(message) is None for message in messages[after.start : after.start + 1]
        )
    )


def _may_leave(messages: Sequence[Message], chain: Sequence[_Round], opening: int, wire: Wire) -> bool:
    """Whether the provider takes the answer that goes on after the chain's stub.

    An answer that has reasoned has to open with reasoning after a stub, too. Only what stands before the stub's end and
    right after it decides, so that a chain that was collapsed once stays collapsed.
    """
    end = chain[-1].end
    if not wire.checks_reasoning or chain[0].start <= opening:
        return True
    reasoned = any(wire.reasons(message) for message in messages[opening + 1 : end])
    return not reasoned or (end < len(messages) and wire.opens_with_reasoning(messages[end]))


def _standing(removed: Sequence[Message], wire: Wire, stub: str) -> list[Message]:
    """What stands for removed messages: the words that stood beside calls, then the stub, with what the user added."""
    kept = [rest for message in removed if not _is_tied(message, wire) and (rest := wire.rest(message)) is not None]
    if kept and wire.is_question(removed[-1]) and wire.results(removed[-1]):
        return [*kept[:-1], wire.with_note(kept[-1], stub)]
    return [*kept, wire.note(stub)]


def _made(removed: Sequence[Message], wire: Wire, counter: Counter, start: int) -> Chain | None:
    """The chain of the messages removed from `start` on; None when its stub would not be shorter."""
    original = f"[{','.join(_written(each, start + at) for at, each in enumerate(removed))}]"
    digest = hashlib.sha256(original.encode("utf-8", "surrogatepass")).hexdigest()
    ref = f"chain-{digest[:_DIGITS]}"
    calls = [call for message in removed for call in wire.calls(message)]
    failed = {result.id for message in removed for result in wire.results(message) if result.failed}
    tokens = counter(original)
    stub = _stub(ref, calls, failed, tokens)
    standing = json.dumps(_standing(removed, wire, stub), ensure_ascii=False, separators=(",", ":"))
    if counter(standing) >= tokens:
        return None
    return Chain(ref=ref, original=original, stub=stub, calls=len(calls), tokens=tokens)


def _written(message: Message, number: int) -> str:
    try:
        return json_text(message)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"message {number} cannot be written as JSON, so it could not be given back: {error}; expected text, "
            "numbers, lists and dicts: write other values as text before you collapse"
        ) from error


def _stub(ref: str, calls: Sequence[Call], failed: set[str], tokens: int) -> str:
    named = [f"{_plain(call.label)}{' failed' if call.id in failed else ''}" for call in calls[:_LABELS]]
    if len(calls) > _LABELS:
        named.append(f"{len(calls) - _LABELS} more")
    if not calls:
        named.append("a result whose call is missing")
    return f"[collapsed by Clew, {tokens:,} tokens: {'; '.join(named)}. Read it in full: restore {ref}]"


def _plain(label: str) -> str:
    """A label that cannot end the stub early or fake a reference."""
    return label.replace("[", "(").replace("]", ")").replace("chain-", "chain_")
