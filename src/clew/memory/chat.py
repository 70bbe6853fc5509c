"""Stores the exchanges of a chat program, questions and answers, as turns of a memory."""

import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from typing import Any

from clew.config import Config
from clew.errors import InputError, shown
from clew.ingest.exchange import turns_of
from clew.ingest.formats.sdk import JsonObject, messages_in, plain, texts_of, with_text
from clew.ingest.formats.sdk_stream import StreamedAnswer, is_pieces
from clew.ingest.importers.message_turns import ROLES
from clew.recall.chat_prompt import block_prompt, chat_prompt
from clew.recall.read_path import ReadPath
from clew.types import Turn
from clew.write.answered_turns import add_answer
from clew.write.append import Appender
from clew.write.ingest import add_history, add_one


class ChatLog:
    """Stores the exchanges of one session."""

    def __init__(self, reads: ReadPath, appender: Appender, config: Config, session: str) -> None:
        """Takes parts of an open memory."""
        self.reads, self.session = reads, session
        self._appender, self._config = appender, config.ingest

    def asked(self, user: Any) -> tuple[str, ...]:
        """Stores what the user said and returns the ids: a text or message is a new turn, of a history the new part is.

        Raises:
            InputError: it is neither text nor messages.
            TurnRejected: a turn cannot be stored.
        """
        messages = _messages(user, "user")
        if _is_history(user):
            return add_history(
                self._appender, list(turns_of(messages, self.session, None)), self._config, self.reads.clock()
            )
        return self.add(messages)

    def add(self, messages: Iterable[JsonObject], question: str | None = None) -> tuple[str, ...]:
        """Stores messages as new turns with the current time and returns their ids.

        Args:
            question: id of the stored turn that they answer; None for the last turn.
        """
        turns = list(turns_of(messages, self.session, self.reads.clock()))
        if not turns or question is None:
            return tuple(map(self._add, turns))
        return add_answer(self._appender, question, turns, self._config, self.reads.clock())

    def answered(self, assistant: Any, question: str | None = None) -> tuple[str, ...]:
        """Stores an answer. A stream is read to its end; if it fails, what came before is stored and the error raised.

        Args:
            question: as for `add`.

        Raises:
            InputError: the answer has no known form, or is a stream that only an event loop can read.
        """
        if isinstance(assistant, AsyncIterator):
            raise InputError(
                f"the answer is {type(assistant).__name__}, an asynchronous stream, which cannot be read here; wrap "
                "the chat function (wrap_chat), or give the list of its pieces"
            )
        if not isinstance(assistant, Iterator) and not is_pieces(assistant):
            return self.add(_messages(assistant, "assistant"), question)
        answer = StreamedAnswer()
        names: tuple[str, ...] = ()
        try:
            for piece in assistant:
                answer.take(piece)
        finally:
            names = self.add(answer.messages(), question)
        return names

    def question_in(self, user: Any, names: Sequence[str]) -> str | None:
        """Id of the turn that the answer to a history follows; None for a text, which is always a new turn.

        Args:
            names: the result of `asked`.
        """
        return names[-1] if names and _is_history(user) else None

    def _add(self, turn: Turn) -> str:
        return add_one(self._appender, turn, self._config, self.reads.clock())


class ChatMemorizer:
    """What a chat function wrapped by `Memory.wrap_chat` does with the memory."""

    def __init__(self, log: ChatLog, wake: Callable[[], None]) -> None:
        """Takes the log of a session, and a function that wakes the background work."""
        self._log, self._wake = log, wake
        self._lock = threading.Lock()
        self._unanswered: str | None = None

    def prompt(self, asked: Any) -> Any:
        """The prompt for a text; for a history, the history with the block in its last message of the user."""
        reads, session = self._log.reads, self._log.session
        if isinstance(asked, str):
            return chat_prompt(reads, asked, session)
        last = _last_of_user(asked)
        if last is None:
            return asked
        message = (messages_in(last, "user") or [{}])[0]
        query = "\n".join(texts_of(message))
        if not query.strip():
            return asked
        is_list = isinstance(asked, list | tuple)
        prompt = block_prompt(reads, query, session, len(asked) - 1 if is_list else 0)
        changed = prompt if isinstance(last, str) else with_text(plain(last), prompt)
        return [changed if each is last else each for each in asked] if is_list else changed

    def heard(self, asked: Any) -> str | None:
        """Stores what was asked; a text that is asked again after a failed call is not stored twice.

        Returns:
            Id of the turn that the answer follows; None for the last turn.
        """
        with self._lock:
            again, self._unanswered = self._unanswered, None
        if again is not None and again == asked:
            return None
        history = _without_instructions(asked)
        names = self._log.asked(history)
        self._wake()
        return self._log.question_in(history, names)

    def answered(self, asked: Any, messages: list[JsonObject], question: str | None, /) -> None:
        """Stores the answer behind its question; a returned history is cut off after it."""
        self._log.add(_after(messages, "\n".join(_last_texts(asked))), question)
        self._wake()

    def failed(self, asked: Any) -> None:
        """Remembers a text that got no answer."""
        with self._lock:
            self._unanswered = asked if isinstance(asked, str) else None


def _messages(value: Any, role: str) -> list[JsonObject]:
    try:
        messages = messages_in(value, role)
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(
            f"the {role}'s {type(value).__name__} cannot be read: {error}; give text or messages"
        ) from error
    if messages is None:
        raise InputError(
            f"the {role}'s part is {type(value).__name__} {shown(value)}; expected text, a message, a list of "
            "messages, or what an SDK of OpenAI, Anthropic or Google returns"
        )
    return messages


def _is_history(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(messages_in(value, "user") or ()) > 0 and not _is_content(value)


def _is_content(values: Any) -> bool:
    """Whether a list is the content of one message: texts and blocks without roles."""
    return len(messages_in(values, "user") or ()) == 1 and len(values) > 0 and not any(map(_role_of, values))


def _role_of(value: Any) -> str | None:
    role = value.get("role") if isinstance(value, dict) else getattr(value, "role", None)
    return ROLES.get(role.lower()) if isinstance(role, str) else None


def _last_of_user(asked: Any) -> Any:
    """The last message of the user in what was asked, as it was given."""
    if not isinstance(asked, list | tuple):
        return asked
    users = [message for message in asked if isinstance(message, str) or _role_of(message) == "user"]
    return users[-1] if users else None


def _without_instructions(asked: Any) -> Any:
    """A history without the program's instructions to the model, which are not part of the conversation."""
    if not isinstance(asked, list | tuple):
        return asked
    return [message for message in asked if _role_of(message) != "system"]


def _last_texts(asked: Any) -> list[str]:
    """The texts of the user's last message."""
    last = _last_of_user(asked)
    messages = messages_in(last, "user") if last is not None else None
    return [text for message in messages or () for text in texts_of(message)]


def _after(messages: list[JsonObject], query: str) -> list[JsonObject]:
    """The messages after the last one that repeats the question or the prompt that was made of it."""
    ends = [
        at + 1
        for at, message in enumerate(messages)
        if query and _role_of(message) == "user" and query in "\n".join(texts_of(message))
    ]
    return messages[ends[-1] if ends else 0 :]
