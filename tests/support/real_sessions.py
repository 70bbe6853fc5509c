"""Message lists in the four wire formats from real agents' sessions on disk, which lie outside of the repository."""

import base64
import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clew.ingest.importers import ImportedTurn, read_path
from clew.types import Part, Turn

FOLDERS = ("agent_claude_code_entire", "agent_claude_code_viewer", "agent_openhands", "agent_tau_bench")
Messages = list[dict[str, Any]]
_LONGEST_ID = 40  # of a call, in Chat Completions


def sessions() -> Iterator[tuple[str, list[Turn]]]:
    """Every session of the folders below CLEW_DATA, as the importers read it; skips the test when none is there."""
    folders = [Path(os.environ.get("CLEW_DATA", "nowhere")) / name for name in FOLDERS]
    there = [folder for folder in folders if folder.exists()]
    if not there:
        pytest.skip(f"CLEW_DATA names no folder with any of {', '.join(FOLDERS)}")
    for folder in there:
        found: dict[str, list[Turn]] = {}
        for record in read_path(folder):
            if isinstance(record, ImportedTurn):
                found.setdefault(record.turn.session, []).append(record.turn)
        yield from found.items()


def raw_claude_code() -> Iterator[tuple[str, Messages]]:
    """The messages of Claude Code's files as the client sent them, with signatures, images and nested results."""
    folder = Path(os.environ.get("CLEW_DATA", "nowhere"))
    for path in sorted([*folder.glob("agent_claude_code_*/*/full.jsonl"), *folder.glob("agent_claude_code_*/*.jsonl")]):
        messages: Messages = []
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                record = json.loads(line)
            except ValueError:  # a file of edge cases has broken lines
                continue
            message = record.get("message") if isinstance(record, dict) else None
            if not isinstance(message, dict) or record.get("isSidechain") or not message.get("content"):
                continue
            content = message["content"]
            blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
            if messages and messages[-1]["role"] == message.get("role"):
                messages[-1]["content"] += blocks
            else:
                messages.append({"role": message.get("role"), "content": list(blocks)})
        if messages:
            yield path.name, messages


def raw_openai() -> Iterator[tuple[str, Messages]]:
    """The runs of the airline desk, which are in OpenAI's format."""
    for path in sorted(Path(os.environ.get("CLEW_DATA", "nowhere")).glob("agent_tau_bench/*.json")):
        for number, run in enumerate(json.loads(path.read_text(encoding="utf-8"))):
            yield f"{path.name}:{number}", run["traj"]


def paired(turns: Sequence[Turn]) -> list[tuple[str, list[Part]]]:
    """Role and parts of the turns; calls without a result and results without a call are left out."""
    calls = {part.call_id for turn in turns for part in turn.parts if part.type == "tool_call" and part.call_id}
    results = {part.call_id for turn in turns for part in turn.parts if part.type == "tool_result" and part.call_id}
    both, seen = calls & results, set[tuple[str, str | None]]()
    found: list[tuple[str, list[Part]]] = []
    for turn in turns:
        parts = []
        for part in turn.parts:
            if part.type in ("tool_call", "tool_result"):
                if part.call_id not in both or (part.type, part.call_id) in seen:
                    continue
                seen.add((part.type, part.call_id))
            if part.text.strip() or part.type == "tool_result" or part.data:
                parts.append(part)
        if parts:
            found.append((turn.role, parts))
    return found


def as_wire(turns: Sequence[Turn], wire: str) -> Messages:
    """The session as a client of the wire format would send it: each run of calls with its results right after it."""
    rounds = _rounds(paired(turns))
    if wire in ("anthropic", "openai"):
        rounds = _with_short_ids(rounds)
    return {"anthropic": _anthropic, "openai": _openai, "responses": _responses, "gemini": _gemini}[wire](rounds)


Round = tuple[str, list[Part], list[Part]]
"""Who speaks, what is said and called, and the results of the calls."""


def _rounds(told: Sequence[tuple[str, list[Part]]]) -> list[Round]:
    results = {part.call_id: part for _, parts in told for part in parts if part.type == "tool_result"}
    rounds: list[Round] = []
    for role, parts in told:
        speaker = "assistant" if role == "assistant" else "user"
        said = [part for part in parts if part.type in ("text", "image", "tool_call", "thinking")]
        if speaker == "user":
            said = [part for part in said if part.type in ("text", "image")]
        if not said:
            continue
        answers = [results[part.call_id] for part in said if part.type == "tool_call"]
        if rounds and rounds[-1][0] == speaker and not rounds[-1][2]:
            rounds[-1] = (speaker, [*rounds[-1][1], *said], answers)
        else:
            rounds.append((speaker, said, answers))
    if rounds and rounds[0][0] != "user":
        rounds.insert(0, ("user", [Part(type="text", text="Go on.")], []))
    return rounds


def _with_short_ids(rounds: Sequence[Round]) -> list[Round]:
    """With ids that both APIs take: letters, digits, `_` and `-`, at most 40."""

    def renamed(parts: list[Part]) -> list[Part]:
        return [replace(part, call_id=_short(part.call_id)) if part.call_id else part for part in parts]

    return [(speaker, renamed(said), renamed(answers)) for speaker, said, answers in rounds]


def _short(call_id: str) -> str:
    named = re.sub(r"[^a-zA-Z0-9_-]", "_", call_id)
    return named if len(named) <= _LONGEST_ID else hashlib.sha256(call_id.encode()).hexdigest()[:_LONGEST_ID]


def _arguments(part: Part) -> dict[str, Any]:
    try:
        value = json.loads(part.text)
    except ValueError:
        value = part.text
    return value if isinstance(value, dict) else {"input": value}


def _image(part: Part) -> str:
    return base64.b64encode(part.data or b"").decode()


def _anthropic(rounds: Sequence[Round]) -> Messages:
    messages: Messages = []

    def put(role: str, blocks: list[dict[str, Any]]) -> None:
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += blocks
        elif blocks:
            messages.append({"role": role, "content": blocks})

    for speaker, said, answers in rounds:
        blocks = [block for part in said if (block := _block(part))]
        if blocks and blocks[-1]["type"] == "thinking":
            blocks.append({"type": "text", "text": "(thinking)"})
        put(speaker, sorted(blocks, key=lambda block: block["type"] == "tool_use"))
        put(
            "user",
            [
                {
                    "type": "tool_result",
                    "tool_use_id": part.call_id,
                    "content": [{"type": "text", "text": part.text}] if part.text else [],
                }
                for part in answers
            ],
        )
    return _opening_with_reasoning(messages)


def _opening_with_reasoning(messages: Messages) -> Messages:
    """An answer that reasons opens with reasoning, as models answer that were asked to reason."""
    opening = None
    for message in messages:
        kinds = [block["type"] for block in message["content"]]
        if message["role"] == "user":
            opening = opening if set(kinds) == {"tool_result"} else None
        else:
            opening = opening or message["content"]
            if "thinking" in kinds and opening[0]["type"] != "thinking":
                opening.insert(0, {"type": "thinking", "thinking": "So.", "signature": "c2ln"})
    return messages


def _block(part: Part) -> dict[str, Any] | None:
    if part.type == "text":
        return {"type": "text", "text": part.text}
    if part.type == "tool_call":
        return {"type": "tool_use", "id": part.call_id, "name": part.name, "input": _arguments(part)}
    if part.type == "thinking":
        return {"type": "thinking", "thinking": part.text, "signature": (part.extra or {}).get("signature", "c2ln")}
    source = {"type": "base64", "media_type": part.media_type or "image/png", "data": _image(part)}
    return {"type": "image", "source": source} if part.data else None


def _openai(rounds: Sequence[Round]) -> Messages:
    messages: Messages = []
    for speaker, said, answers in rounds:
        text = "\n".join(part.text for part in said if part.type == "text")
        calls = [
            {"id": part.call_id, "type": "function", "function": {"name": part.name, "arguments": part.text}}
            for part in said
            if part.type == "tool_call"
        ]
        if calls:
            messages.append({"role": "assistant", "content": text or None, "tool_calls": calls})
        elif text:
            messages.append({"role": speaker, "content": text})
        messages += [{"role": "tool", "tool_call_id": part.call_id, "content": part.text} for part in answers]
    return messages


def _responses(rounds: Sequence[Round]) -> Messages:
    items: Messages = []
    for speaker, said, answers in rounds:
        for part in said:
            if part.type == "text":
                items.append(_item(speaker, part.text, len(items)))
            elif part.type == "tool_call":
                call = {"type": "function_call", "call_id": part.call_id, "name": part.name, "arguments": part.text}
                thought = {"type": "reasoning", "id": f"rs_{part.call_id}", "summary": [], "encrypted_content": "gAAA"}
                items += [thought, call]
        items += [{"type": "function_call_output", "call_id": part.call_id, "output": part.text} for part in answers]
    return items


def _item(speaker: str, text: str, number: int) -> dict[str, Any]:
    """What was said, as the API itself gives it back."""
    if speaker == "user":
        return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    said = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "role": speaker, "id": f"msg_{number}", "status": "completed", "content": [said]}


def _gemini(rounds: Sequence[Round]) -> Messages:
    contents: Messages = []
    for speaker, said, answers in rounds:
        role = "model" if speaker == "assistant" else "user"
        parts: list[dict[str, Any]] = [{"text": part.text} for part in said if part.type == "text"]
        calls: list[dict[str, Any]] = [
            {"functionCall": {"name": part.name, "args": _arguments(part)}} for part in said if part.type == "tool_call"
        ]
        if calls:
            calls[0]["thoughtSignature"] = "c2ln"
        names = {part.call_id: part.name for part in said if part.type == "tool_call"}
        responses = [
            {"functionResponse": {"name": names[part.call_id], "response": {"output": part.text}}} for part in answers
        ]
        if not parts and not calls:
            continue
        if contents and contents[-1]["role"] == role:
            contents[-1]["parts"] += [*parts, *calls]
        else:
            contents.append({"role": role, "parts": [*parts, *calls]})
        if responses:
            contents.append({"role": "user", "parts": responses})
    return contents
