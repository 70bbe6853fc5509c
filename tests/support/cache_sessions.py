"""The requests of recorded sessions, as their clients sent them, and as clients send them that edit, cut or pause."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from clew.evaluate.datasets import load
from clew.ingest.importers import ImportedTurn, read_path
from clew.serve.proxy.economy.cache_model import Block
from clew.serve.proxy.economy.replay import Sent
from clew.types import Turn

AGENTS: Final = ("agent_claude_code_entire", "agent_claude_code_viewer", "agent_openhands")
DESK: Final = ("agent_tau_bench",)
CHATS: Final = ("beam-dev", "oasst")
HEADS: Final = {"coding agents": 12_000, "airline desk": 2_000, "chats": 300}
"""Tokens of tools and system prompt, which the recordings do not hold; Claude Code's have some 12,000."""

STEP_SECONDS: Final = 15.0
QUESTION_SECONDS: Final = 60.0


def recorded(data: Path) -> Iterator[tuple[str, str, list[Sent]]]:
    """Kind, name and requests of each session below a folder; sessions of fewer than three requests are left out."""
    for kind, folders in (("coding agents", AGENTS), ("airline desk", DESK), ("chats", CHATS)):
        for folder in folders:
            if (data / folder).exists():
                for name, turns in sorted(_turns(data / folder).items()):
                    sent = requests(turns, HEADS[kind])
                    if len(sent) > 2:
                        yield kind, f"{folder}/{name}", sent


def _turns(folder: Path) -> dict[str, list[Turn]]:
    found: dict[str, list[Turn]] = {}
    if folder.name == "beam-dev":
        return {each.name: [turn.to_turn() for turn in each.turns] for each in load(folder)}
    for record in read_path(folder):
        if isinstance(record, ImportedTurn):
            found.setdefault(record.turn.session, []).append(record.turn)
    return found


def requests(turns: Sequence[Turn], head: int) -> list[Sent]:
    """A request for each message of the assistant, with everything before it."""
    prompt = (Block(b"system" * head, head),)
    messages: list[Block] = []
    sent: list[Sent] = []
    now, last = 0.0, 0.0
    for number, turn in enumerate(turns):
        if turn.role == "assistant" and messages and turns[number - 1].role != "assistant":
            at = turn.at.timestamp() if turn.at is not None else None
            is_question = turns[number - 1].role == "user"
            now = max(now + 1.0, at) if at is not None else now + (QUESTION_SECONDS if is_question else STEP_SECONDS)
            sent.append(Sent(prompt, tuple(messages), now, is_question))
            last = now
        data = f"{number} {turn.role} {turn.text}".encode("utf-8", "surrogatepass")
        messages.append(Block(data, -(-len(turn.text) // 4)))
    del last
    return sent


def _edited(sent: Sequence[Sent]) -> Iterator[Sent]:
    """Every fifth request is sent again with another last message, and the conversation goes on from the first."""
    for number, request in enumerate(sent):
        if number % 5 == 4:
            other = Block(request.messages[-1].data + b" (edited)", request.messages[-1].tokens + 3)
            yield replace(request, messages=(*request.messages[:-1], other), is_question=True)
        yield replace(request, at=request.at + 0.5)


def _truncated(sent: Sequence[Sent]) -> Iterator[Sent]:
    """From the middle on, the older half of the messages is missing."""
    middle = len(sent) // 2
    gone = len(sent[middle].messages) // 2
    for number, request in enumerate(sent):
        yield replace(request, messages=request.messages[gone:]) if number >= middle else request


def _compacted(sent: Sequence[Sent]) -> Iterator[Sent]:
    """From the middle on, a summary by the client stands in place of all but the last four messages of then."""
    middle = len(sent) // 2
    gone = max(0, len(sent[middle].messages) - 4)
    summary = Block(b"The client's own summary. " * 80, 500)
    for number, request in enumerate(sent):
        yield replace(request, messages=(summary, *request.messages[gone:])) if number >= middle else request


def _sliding(sent: Sequence[Sent]) -> Iterator[Sent]:
    """The client sends the last twelve messages alone."""
    return (replace(request, messages=request.messages[-12:]) for request in sent)


def _other_tools(sent: Sequence[Sent]) -> Iterator[Sent]:
    """Every tenth request the tools change."""
    for number, request in enumerate(sent):
        yield replace(request, head=(*request.head, Block(f"tools {number // 10}".encode() * 40, 120)))


def _other_models(sent: Sequence[Sent]) -> Iterator[Sent]:
    """The model changes every six requests, back and forth: with blocks, that is 18 parts to look back."""
    return (replace(request, model=f"m{number // 6 % 2}") for number, request in enumerate(sent))


def _returns(sent: Sequence[Sent]) -> Iterator[Sent]:
    """The client returns to a model after nine requests with another: 18 parts, and with blocks more than 20."""
    return (replace(request, model=f"m{number // 9 % 2}") for number, request in enumerate(sent))


def _returns_late(sent: Sequence[Sent]) -> Iterator[Sent]:
    """The same after fifteen requests, which is in reach where each brings one message."""
    return (replace(request, model=f"m{number // 15 % 2}") for number, request in enumerate(sent))


def _pauses(sent: Sequence[Sent]) -> Iterator[Sent]:
    """Pauses longer than the life of a cache: seven minutes before every fourth request, two days before each ninth."""
    late = 0.0
    for number, request in enumerate(sent):
        late += 420.0 if number % 4 == 3 else 0.0
        late += 172_800.0 if number % 9 == 8 else 0.0
        yield replace(request, at=request.at + late)


def _many_parts(sent: Sequence[Sent]) -> Iterator[Sent]:
    """Every request brings eighteen small parts more, near the number that a mark looks back."""
    for number, request in enumerate(sent):
        parts = [Block(f"part {at}".encode(), 2) for at in range(18 * (number + 1))]
        yield replace(request, messages=(*parts, *request.messages[-1:]))


VARIATIONS: Final[Mapping[str, Callable[[Sequence[Sent]], Iterator[Sent]]]] = {
    "as recorded": iter,
    "edits": _edited,
    "truncates": _truncated,
    "compacts": _compacted,
    "slides": _sliding,
    "other tools": _other_tools,
    "other models": _other_models,
    "returns": _returns,
    "returns late": _returns_late,
    "pauses": _pauses,
    "many parts": _many_parts,
}
"""What clients do."""
