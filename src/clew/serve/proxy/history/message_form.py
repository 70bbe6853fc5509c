"""What makes two messages the same message, whatever a client does to their form between two requests.

Clients send the history of a conversation again with every request, and not byte for byte: they move cache marks, write
a text as a list of one block or the other way round, leave reasoning and ids out, order the arguments of a call anew.
None of this counts, nor do blocks of Clew, nor the notes that programs put into a user's messages and take out again.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from clew.condense.wires import Message
from clew.condense.wires.protocol import blocks
from clew.ingest.client_marks import AFTER_EXAMPLES, STAGING, split_words
from clew.ingest.echo import without_echoes
from clew.serve.proxy.exchange import ChatRequest
from clew.serve.proxy.history_prefixes import HistoryPrefixes

_ROLES: Final = {"model": "assistant", "developer": "system", "function": "tool"}
_CALLS: Final = frozenset(("function_call", "custom_tool_call", "mcp_call", "local_shell_call", "web_search_call"))
_VOLATILE: Final = frozenset(
    "id cache_control status annotations logprobs signature thoughtSignature thought_signature encrypted_content "
    "call_id tool_use_id tool_call_id index citations".split()
)
_SEALED: Final = ("compaction", "compaction_summary", "context_compaction")
"""Items of Responses that stand for a history, and say nothing but in what is encrypted."""
_NAMED: Final = ("item_reference", "image_generation_call")
"""Items of Responses that a client may send back by their ids alone."""
_KEPT: Final = 20_000
"""Messages whose hashes are remembered: about 5 MB."""
_HISTORIES: Final = 64
"""Histories whose units are remembered."""

_MOST_STRETCHES: Final = 8
"""Messages of an answer whose parts are known by themselves."""

Form = list[Any]
"""Kind and content of one part of a message."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A message of a history as it is compared: consecutive messages of the assistant are one.

    Attributes:
        first, last: indexes of its messages in the list.
        role: `user`, `assistant` or `tool`.
        digest: hash of what it says (16 bytes).
        results: whether it holds results of tools and nothing else.
    """

    first: int
    last: int
    role: str
    digest: bytes
    results: bool = False


@dataclass(frozen=True, slots=True)
class _Read:
    """One message.

    Attributes:
        digest: hash of its form; empty if it says nothing.
        results: whether it holds results of tools alone.
        is_staging: whether the program wrote it in the user's name, and the answer to it as well (aider does).
        ends_examples: whether it ends the examples with which a program begins a history.
    """

    role: str
    digest: bytes
    results: bool
    is_staging: bool = False
    ends_examples: bool = False


@dataclass(frozen=True, slots=True)
class _History:
    """The messages of a request, read, and their units."""

    reads: tuple[_Read, ...]
    units: tuple[Unit, ...]


class MessageReader:
    """Reads messages into units, and remembers the hashes of those seen before. Threads may share it."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, _Read] = OrderedDict()
        self._histories: HistoryPrefixes[_History] = HistoryPrefixes(_HISTORIES)

    def units(self, request: ChatRequest) -> list[Unit]:
        """The units of a request. Instructions (system prompts) are none, and neither is reasoning alone.

        Those that a later message cannot change are the same objects in each request that begins with the same bytes.
        """
        begun = self._histories.find(request)
        known = () if begun.value is None else begun.value.reads[: begun.count]
        reads = known + tuple(
            self._read(message, request.body[span.start : span.end])
            for message, span in zip(request.messages[len(known) :], request.spans[len(known) :], strict=True)
        )
        settled = [] if begun.value is None else _settled(begun.value.units, begun.count)
        units = units_of(request.messages, reads, settled)
        if begun.keys and not any(
            read.ends_examples for read in reads[len(known) :]
        ):  # which parts with what is before
            self._histories.keep(begun, len(reads), _History(reads, tuple(units)))
        return units

    def _read(self, message: Message, raw: bytes) -> _Read:
        key = hashlib.blake2b(raw, digest_size=16).digest()
        read = self._known.get(key)
        if read is None:
            read = self._known[key] = _read(message)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return read


def _settled(units: Sequence[Unit], count: int) -> list[Unit]:
    """The units at the beginning of a history that are the same whatever follows its first `count` messages.

    The last message may be one that a program wrote, which is seen by what follows it, and the last answer may go on.
    """
    end = len(units)
    while end and units[end - 1].last > count - 2:
        end -= 1
    return list(units[: end - 1 if end and units[end - 1].role == "assistant" else end])


def units_of(
    messages: Sequence[Message], reads: Sequence[_Read] | None = None, settled: Sequence[Unit] = ()
) -> list[Unit]:
    """The units of a list of messages, see `MessageReader.units`.

    Args:
        settled: the first units, where they are known. The last of them is not an answer.
    """
    read = list(reads) if reads is not None else [_read(message) for message in messages]
    begin = settled[-1].last + 1 if settled else 0
    begins = max((at for at in range(begin, len(read)) if read[at].ends_examples), default=0)
    units = list(settled)
    if begins and settled:  # the examples with which a program begins, or what looks like it
        units, begin = [], 0
    places = [at for at in range(max(begin, begins), len(read)) if read[at].digest and not _is_staged(read, at)]
    for is_answer, run in groupby(places, key=lambda at: read[at].role == "assistant"):
        joined = list(run)
        if not is_answer:
            units += (Unit(at, at, read[at].role, read[at].digest, read[at].results) for at in joined)
            continue
        first, digest = joined[0], read[joined[0]].digest
        if len(joined) > 1:
            digest = _digest("assistant", [form for at in joined for form in _forms(messages[at])])
        while first and read[first - 1].role == "assistant":  # reasoning alone, which tells no messages apart
            first -= 1
        units.append(Unit(first, joined[-1], "assistant", digest))
    return units


def _is_staged(read: Sequence[_Read], at: int) -> bool:
    """Whether the program wrote a message in the user's name, or the answer to one; never true of the last message."""
    asked = at - 1 if at and read[at].role == "assistant" else at
    return read[asked].is_staging and asked < len(read) - 1


def is_sealed(messages: Sequence[Message], unit: Unit) -> bool:
    """Whether a unit holds a history that the provider sealed: no other conversation has the same."""
    return any(
        message.get("type") in _SEALED and bool(message.get("encrypted_content"))
        for message in messages[unit.first : unit.last + 1]
    )


def messages_apart(messages: Sequence[Message], unit: Unit) -> list[Unit]:
    """The messages of a unit of several as units of their own; those that say nothing by themselves are left out."""
    return [
        Unit(at, at, unit.role, read.digest, read.results)
        for at in range(unit.first, unit.last + 1)
        if (read := _read(messages[at])).digest
    ]


def stretches_of(messages: Sequence[Message]) -> list[tuple[int, int, bytes]]:
    """What a client may send of an answer of several messages: one of them, or the first or last ones.

    A client that cuts its history cuts it between any two messages.

    Returns:
        First and last index of each stretch, and the hash of what it says; none for an answer of one message.
    """
    said = [at for at, message in enumerate(messages) if _read(message).digest]
    if not 1 < len(said) <= _MOST_STRETCHES:
        return []
    inner = range(1, len(said))
    ends = {(at, at) for at in said} | {(said[0], said[n - 1]) for n in inner} | {(said[n], said[-1]) for n in inner}
    return [(first, last, units_of(messages[first : last + 1])[-1].digest) for first, last in sorted(ends)]


def words_of(messages: Sequence[Message], unit: Unit) -> str | None:
    """What a unit says, with single spaces; None where it holds anything but text."""
    forms = [form for message in messages[unit.first : unit.last + 1] for form in _forms(message)]
    is_text = all(form[0] == "text" for form in forms)
    return " ".join(" ".join(form[1] for form in forms).split()) if is_text else None


def _read(message: Message) -> _Read:
    role = _role(message)
    forms = _own(list(_forms(message))) if role == "user" else list(_forms(message))
    if role == "system" or not forms:
        return _Read(role, b"", False)
    told = forms[0][1].strip() if role == "user" and forms[0][0] == "text" else ""
    return _Read(
        role,
        _digest(role, forms),
        results=all(kind == "result" for kind, *_ in forms),
        is_staging=told.startswith((*STAGING, AFTER_EXAMPLES)),
        ends_examples=told == AFTER_EXAMPLES,
    )


def _own(forms: Sequence[Form]) -> list[Form]:
    """The forms of a user's message without what programs added to it; all of them where there is nothing else."""
    own: list[Form] = []
    for form in forms:
        if form[0] == "text":
            own += [["text", text] for text, is_own in split_words(form[1]) if is_own]
        else:
            own.append(form)
    return own or list(forms)


def _role(message: Message) -> str:
    role = message.get("role")
    if isinstance(role, str):
        return _ROLES.get(role, role)
    kind = message.get("type")
    if isinstance(kind, str) and kind.endswith("_output"):
        return "tool"
    return "user" if kind is None else "assistant"


def _digest(role: str, forms: Sequence[Form]) -> bytes:
    text = json.dumps([role, _joined(forms)], ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=str)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _joined(forms: Sequence[Form]) -> list[Form]:
    """The forms, with adjacent texts as one: streams are resent in the pieces in which they came."""
    joined: list[Form] = []
    for form in forms:
        if form[0] == "text" and joined and joined[-1][0] == "text":
            joined[-1] = ["text", joined[-1][1] + form[1]]
        else:
            joined.append(form)
    return [["text", form[1].strip()] if form[0] == "text" else form for form in joined]


def _forms(message: Message) -> Iterator[Form]:
    kind, role = message.get("type"), message.get("role")
    if kind == "reasoning":
        return
    if role in ("tool", "function") or (isinstance(kind, str) and kind.endswith("_output")):
        content = next((message[name] for name in ("content", "output") if message.get(name) is not None), "")
        yield ["result", _result(content)]
        return
    if isinstance(kind, str) and kind in _CALLS:
        yield _call(message.get("name") or kind, message.get("arguments", message.get("input", message.get("action"))))
        return
    if kind in (*_SEALED, *_NAMED) and role is None:
        yield ["item", kind, message.get("encrypted_content" if kind in _SEALED else "id")]
        return
    for name in ("content", "parts"):
        yield from _content(message.get(name))
    yield from _beside(message)
    for call in blocks(message.get("tool_calls")):
        about = next((call[name] for name in ("function", "custom") if isinstance(call.get(name), dict)), call)
        yield _call(about.get("name"), about.get("arguments", about.get("input")))
    old = message.get("function_call")
    if isinstance(old, dict):
        yield _call(old.get("name"), old.get("arguments"))
    if kind is not None and kind != "message" and role is None and message.get("content") is None:
        yield ["item", _stable(message)]


def _beside(message: Message) -> Iterator[Form]:
    """What a message of Chat Completions says beside its content."""
    spoken = message.get("audio")
    if isinstance(spoken, dict):  # sent again by its id alone, without what it says
        yield ["audio", spoken["id"]] if spoken.get("id") else ["text", str(spoken.get("transcript") or "")]
    if message.get("refusal"):
        yield ["text", str(message["refusal"])]


def _content(content: Any) -> Iterator[Form]:
    if isinstance(content, str):
        yield from _text(content)
    elif isinstance(content, list):
        for block in content:
            yield from _text(block) if isinstance(block, str) else _block(block)
    elif isinstance(content, dict):
        yield from _block(content)


def _text(text: str) -> Iterator[Form]:
    said = without_echoes(text)
    if said.strip():
        yield ["text", said.replace("\r\n", "\n")]


def _block(block: Any) -> Iterator[Form]:
    if not isinstance(block, dict):
        yield ["other", block]
        return
    kind = block.get("type")
    if kind in ("thinking", "redacted_thinking", "reasoning") or block.get("thought") is True:
        return
    if isinstance(block.get("text"), str) and (kind is None or str(kind).endswith("text")):
        yield from _text(block["text"])
    elif kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        yield _call(block.get("name"), block.get("input"))
    elif isinstance(kind, str) and kind.endswith("tool_result"):
        yield ["result", _result(block.get("content"))]
    elif call := next((block[name] for name in ("functionCall", "function_call") if name in block), None):
        yield _call(call.get("name"), call.get("args")) if isinstance(call, dict) else ["other", call]
    elif given := next((block[name] for name in ("functionResponse", "function_response") if name in block), None):
        yield ["result", [given.get("name"), given.get("response")] if isinstance(given, dict) else given]
    else:
        yield ["other", _stable(block)]


def _result(content: Any) -> Any:
    """What a tool said: texts as one, everything else without what changes from request to request."""
    forms = _joined(list(_content(content))) if isinstance(content, str | list) else [["other", content]]
    return forms[0][1] if len(forms) == 1 and forms[0][0] == "text" else forms


def _call(name: Any, arguments: Any) -> Form:
    """A call; arguments written as JSON text are compared by their values."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):  # cut short, or no JSON: compared as text
            return ["call", name, arguments]
    return ["call", name, arguments or {}]


def _stable(block: Mapping[str, Any]) -> dict[str, Any]:
    """A block without the members of its own that change; what is inside of them is content, and stays."""
    return {name: value for name, value in block.items() if name not in _VOLATILE and value is not None}
