"""Commands that a person types into a chat, as in Virtual Context: attach, label, status, recall, and so on.

A command is a whole message: `clew status`, `/clew status` or, as the source spells it, `VCSTATUS`, in any case. The
proxy answers it; neither the command nor its answer goes upstream or is stored. What a client resends of them is taken
out of the request, at any place: start at `without_commands`. `attach` needs no memory of its own: it holds as long as
the client's history holds the command and its answer.
"""

import hashlib
import json
import logging
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clew.condense.wires import Message
from clew.errors import ClewError
from clew.ingest.exchange import own_words
from clew.memory import Memory
from clew.recall.session_names import session_meant
from clew.serve.access import AccessScope, Principal
from clew.serve.agent_tools.tools import Tools
from clew.serve.agent_tools.topics import known_topics, segments, turns_of
from clew.serve.proxy.economy.cache_model import CacheUse
from clew.serve.proxy.exchange import ChatRequest, edited
from clew.serve.proxy.question import question_index
from clew.serve.proxy.rounds import joiner_of
from clew.serve.proxy.wires import ProxyWire, reading
from clew.serve.scripted.gemini_answers import array
from clew.serve.scripted.refusal import compact
from clew.serve.scripted.script import Reply
from clew.serve.scripted.vendors import VENDORS
from clew.text.counted import counted
from clew.text.shown_names import name_on_a_line, shown_title
from clew.types.ids import cut_session

log = logging.getLogger("clew.serve")

MARK: Final = "[clew] "
"""Begins every answer to a command."""

ATTACHED: Final = "Attached to "

_COMMAND: Final = re.compile(
    r"/?(?:clew|vc)[ _-]?(?P<name>attach|label|status|recall|compact|list|forget|pause|resume)"
    r"(?:[ \t]+(?P<argument>[^\n]+))?",
    re.IGNORECASE,
)
_TITLE: Final = 80
_LISTED: Final = 20
_TOPICS: Final = 12
_CODE: Final = re.compile(r"[0-9a-f]{6}")
_NOTHING: Final = (CacheUse(0, 0, 0), 0)


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, in lower case, and what follows it."""

    name: str
    argument: str = ""


@dataclass(frozen=True, slots=True)
class CleanedRequest:
    """A request without commands.

    Attributes:
        request: without the commands that were answered before, their answers, and a command at the end; None when
            nothing is left.
        command: that stands at its end; None when something else does.
        attached: the session that the last `attach` in it chose.
    """

    request: ChatRequest | None
    command: Command | None = None
    attached: str | None = None


@dataclass(frozen=True, slots=True)
class LocalAnswer:
    """An answer that the proxy gives itself, in the shape of the client's API."""

    content_type: str
    body: bytes


def command_in(text: str) -> Command | None:
    """The command that is the whole of a text; None for any other text."""
    match = _COMMAND.fullmatch(text.strip())
    return None if match is None else Command(match["name"].lower(), (match["argument"] or "").strip())


def without_commands(wire: ProxyWire, request: ChatRequest) -> CleanedRequest:
    """Takes commands and their answers out of a request."""
    messages = request.messages
    pairs = [index for index in range(len(messages) - 1) if _is_pair(wire, messages[index], messages[index + 1])]
    attached = _attached([_said(messages[index + 1]) for index in pairs])
    at = question_index(wire, messages)
    asked = None if at is None else command_in(own_words(messages[at]))
    gone = {at for index in pairs for at in (index, index + 1)}
    gone |= set() if asked is None or at is None else set(range(at, len(messages)))
    if not gone:
        return CleanedRequest(request)
    if len(gone) == len(messages):
        return CleanedRequest(None, asked, attached)
    body = edited(request.body, [wire.replaced(request, start, stop, ()) for start, stop in _runs(sorted(gone))])
    return CleanedRequest(wire.read(request.path, request.headers, body), asked, attached)


def _runs(indexes: Sequence[int]) -> list[tuple[int, int]]:
    """Ranges of messages as long as possible: a list must not lose two neighbours in two edits."""
    runs: list[tuple[int, int]] = []
    for at in indexes:
        if runs and runs[-1][1] == at:
            runs[-1] = (runs[-1][0], at + 1)
        else:
            runs.append((at, at + 1))
    return runs


def _is_pair(wire: ProxyWire, message: Message, following: Message) -> bool:
    # The answer first: what it takes to read a message as a user's would be spent on every one of a long history.
    if not (_said(following).startswith(MARK) and joiner_of(wire.name).is_answer(following)):
        return False
    return wire.is_question(message) and command_in(own_words(message)) is not None


def _said(message: Message) -> str:
    return reading.texts(message.get("content", message.get("parts")))


def _attached(answers: list[str]) -> str | None:
    begin = MARK + ATTACHED
    named = [text.removeprefix(begin).splitlines() for text in answers if text.startswith(begin)]
    return next((lines[0] for lines in reversed(named) if lines), None)


def answered(wire: ProxyWire, request: ChatRequest, text: str) -> LocalAnswer:
    """An answer with this text, whole or streamed as the request asks for it."""
    api = VENDORS[wire.name]
    value: Mapping[str, Any] = {**request.value, "model": request.model or "clew", "tools": []}
    reply, number = Reply(MARK + text, output_tokens=0), int.from_bytes(secrets.token_bytes(6), "big")
    if not request.stream:
        return LocalAnswer("application/json", compact(api.whole(value, reply, _NOTHING, number)).encode())
    if wire.name == "gemini" and "alt=sse" not in request.path:
        return LocalAnswer("application/json", b"".join(array(value, reply, _NOTHING, number)))
    return LocalAnswer("text/event-stream; charset=utf-8", b"".join(api.events(value, reply, _NOTHING, number)))


class Commands:
    """Carries out commands on one memory. They may take a while: not for the event loop."""

    def __init__(self, memory: Memory, principal: Principal, session: str) -> None:
        """Takes whose commands they are, and the conversation in which they stand, empty for none."""
        self._memory, self._principal, self._session = memory, principal, session

    def answer(self, command: Command) -> str:
        """What the person is told; every failure, too."""
        work, scope = _WORK[command.name]
        if scope not in self._principal.scopes:
            return f"This token does not allow {command.name}; it needs the scope {scope}."
        try:
            return work(self, command.argument)
        except ClewError as error:
            return f"Not done: {error}"
        except Exception as error:  # a bug must not send the command to the provider
            log.exception("the command %s failed", command.name)
            return f"Not done: internal error in Clew ({type(error).__name__}); see the server's log."

    def attach(self, name: str) -> str:
        """Makes the chat go on as another conversation."""
        if not name:
            return "Name the conversation: clew attach NAME. `clew list` shows them."
        labelled = [info.name for info in self._memory.sessions() if (info.title or "").casefold() == name.casefold()]
        session = labelled[0] if len(labelled) == 1 else session_meant(self._memory.reads, name)
        if session.splitlines() != [session]:
            return f"The conversation {session!r} has a line break in its name; use the header X-Clew-Session."
        return f"{ATTACHED}{session}\nWhat is said from here on belongs to it."

    def label(self, name: str) -> str:
        """Gives the conversation a name that people read."""
        if not name:
            label = next((info.title for info in self._memory.sessions() if info.name == self._session), None)
            return f"This conversation is called {label!r}." if label else "This conversation has no label yet."
        if not any(info.name == self._session for info in self._memory.sessions()):
            return "Nothing of this conversation is stored yet; say something first."
        self._memory.parts.appender.set_titles({self._session: name[:_TITLE]})
        return f"This conversation is now called {name[:_TITLE]!r}."

    def status(self, _argument: str) -> str:
        """What is known of the conversation and of the space."""
        own = next((info for info in self._memory.sessions() if info.name == self._session), None)
        stats, topics = self._memory.stats(), self._memory.topics(limit=_TOPICS)
        lines = [
            f"Conversation: {self._session or '(not stored yet)'}",
            f"Label: {shown_title(own.title) if own and own.title else '(none)'}",
            f"Turns: {own.turns if own else 0} here, {stats.turns} in {counted(stats.sessions, 'conversation')}",
            f"Active topics: {', '.join(own.topics) if own and own.topics else '(none yet)'}",
            f"All topics: {', '.join(f'{topic.name} ({segments(topic.count)})' for topic in topics) or '(none yet)'}",
        ]
        waiting = ", ".join(f"{count} {task}" for task, count in stats.pending.items() if count)
        return "\n".join([*lines, *([f"Waiting in the background: {waiting}"] if waiting else [])])

    def pause(self, _argument: str) -> str:
        """Makes the conversation incognito until `resume`."""
        if not self._session:
            return "Nothing of this conversation is stored yet, and it has no name; use the header X-Clew-Incognito."
        self._memory.pause(self._session)
        return "Paused. Until `clew resume` nothing of this conversation is stored, looked up or added."

    def resume(self, _argument: str) -> str:
        """Ends the pause."""
        if self._session:
            self._memory.resume(self._session)
        if self._memory.stats().details["paused_since"] is not None:
            return "The whole space is paused; `clew resume` in a terminal ends that."
        return "What is said from here on is stored."

    def recall(self, query: str) -> str:
        """What is remembered of something."""
        return Tools(self._memory).recall(query)

    def compact(self, _argument: str) -> str:
        """Condenses the conversation now."""
        receipt = self._memory.condense(self._session, force=True)
        if not receipt.understood["compacted"]:
            return f"Nothing was condensed: {receipt.understood['why']}"
        return f"Condensed; the recap has {receipt.tokens} tokens. Receipt {receipt.id}."

    def list(self, _argument: str) -> str:
        """The latest conversations."""
        sessions = self._memory.sessions(limit=_LISTED)
        names = [name_on_a_line(cut_session(session.name)) for session in sessions]
        lines = [
            f"{name}: {shown_title(each.title) if each.title else '(no label)'}, {counted(each.turns, 'turn')}"
            for name, each in zip(names, sessions, strict=True)
        ]
        return "\n".join(lines) or "None yet."

    def forget(self, argument: str) -> str:
        """Deletes the turns of a topic, when the code is given that the first answer shows."""
        words = argument.split()
        code = words[-1] if len(words) > 1 and _CODE.fullmatch(words[-1]) else ""
        topic = argument.removesuffix(code).strip() if code else argument
        if not topic:
            return "Name the topic: clew forget TOPIC. `clew status` shows them."
        turns = turns_of(self._memory, topic)
        if not turns:
            return f"No topic is called {topic!r}; {known_topics(self._memory, topic)}"
        asked = hashlib.sha256(json.dumps([self._memory.space, *turns]).encode()).hexdigest()[:6]
        if code == asked:
            report = self._memory.forget(turn_ids=turns)
            return f"Deleted {counted(report.turns, 'turn')} about {topic!r} and everything derived from them."
        changed = "That is another number of turns than before. " if code else ""
        what = f"{counted(len(turns), 'turn')} about {topic!r} would be deleted for good."
        return f"{changed}{what} To do it, type: clew forget {topic} {asked}"


_Work = Callable[[Commands, str], str]
_WORK: Final[Mapping[str, tuple[_Work, AccessScope]]] = {
    "attach": (Commands.attach, AccessScope.READ),
    "label": (Commands.label, AccessScope.WRITE),
    "status": (Commands.status, AccessScope.READ),
    "recall": (Commands.recall, AccessScope.READ),
    "compact": (Commands.compact, AccessScope.WRITE),
    "list": (Commands.list, AccessScope.READ),
    "forget": (Commands.forget, AccessScope.FORGET),
    "pause": (Commands.pause, AccessScope.WRITE),
    "resume": (Commands.resume, AccessScope.WRITE),
}
