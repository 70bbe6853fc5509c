"""LlamaIndex's chat memory over a memory of Clew: what the question recalls, then the newest messages.

    agent = FunctionAgent(...)
    await agent.run("...", memory=ClewMemory.from_defaults(memory=memory, session="thread-7"))

Needs `llama-index-core`. Resetting begins a new stretch: the earlier turns can still be recalled, and
`Memory.forget(session=...)` removes one stretch, by its name (`thread-7#2`).
"""

from collections.abc import Sequence
from typing import Any, Final, Self

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.memory.types import BaseMemory

from clew.adapters.documents import readable
from clew.adapters.session_log import Stretches
from clew.errors import InputError, shown
from clew.memory import Memory
from clew.text.counters import counter
from clew.types.turn import Role, Turn

MESSAGE: Final = "message"
TOKEN_LIMIT: Final = 30_000
"""Tokens of the newest messages by default, as of LlamaIndex's own memory."""

_ROLES: Final[dict[str, Role]] = {
    "assistant": "assistant",
    "chatbot": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
}


class ClewMemory(BaseMemory):
    """Chat memory over an open memory, which its owner closes."""

    token_limit: int = TOKEN_LIMIT
    budget: int = 2_000
    _memory: Memory = PrivateAttr()
    _stretches: Stretches = PrivateAttr()

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex writes it down."""
        return "ClewMemory"

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> Self:
        """Opens a conversation of a memory.

        Args:
            kwargs: `memory`, a `clew.Memory`; `session`, name of the conversation; `token_limit`, most tokens of the
                newest messages; `budget`, most tokens of the recalled block, 0 for none.

        Raises:
            InputError: `memory` or `session` is missing.
        """
        memory, session = kwargs.pop("memory", None), kwargs.pop("session", None)
        made = cls(**kwargs)
        made._stretches = Stretches(memory, session)
        made._memory = made._stretches.memory
        return made

    def get(self, input: str | None = None, **_: Any) -> list[ChatMessage]:  # noqa: A002  # LlamaIndex's name
        """The newest messages within `token_limit`; before them a system message with what `input` recalls.

        There is no block where it would only repeat the newest messages.
        """
        turns = self._stretches.turns(MESSAGE)
        newest = self._newest([_message(turn) for turn in turns])
        shown = {turn.id for turn in turns[len(turns) - len(newest) :]}
        block = self._memory.recall(input or "", budget=self.budget if input else 0)
        if all(set(item.turn_ids) <= shown for item in block.items):
            return newest
        return [ChatMessage(role=MessageRole.SYSTEM, content=block.text), *newest]

    def get_all(self) -> list[ChatMessage]:
        """All messages since the last reset, oldest first, as they were put but for masked secrets."""
        return [_message(turn) for turn in self._stretches.turns(MESSAGE)]

    def put(self, message: ChatMessage) -> None:
        """Stores a message.

        Raises:
            InputError: it is no `ChatMessage`.
        """
        self._memory.add(_turn(message, self._stretches.session()))

    def set(self, messages: Sequence[ChatMessage]) -> None:
        """Makes the history these messages: what continues it is added, else a new stretch begins with them."""
        before = [_kept(message) for message in self.get_all()]
        if [_kept(message) for message in messages][: len(before)] != before:
            self.reset()
            before = []
        for message in messages[len(before) :]:
            self.put(message)

    def reset(self) -> None:
        """Begins a new, empty stretch; the turns of the earlier ones stay in the memory."""
        self._stretches.clear(MESSAGE)

    def _newest(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        """The last messages within the limit, at least one; never beginning with the result of a call left out."""
        count = counter(self._memory.reads.config.counter)
        left, start = self.token_limit, len(messages)
        for number in range(len(messages) - 1, -1, -1):
            left -= count(_text(messages[number]))
            if left < 0 and start < len(messages):
                break
            start = number
        while start < len(messages) - 1 and _role(messages[start]) == "tool":
            start += 1
        return messages[start:]


def _message(turn: Turn) -> ChatMessage:
    return ChatMessage.model_validate(turn.metadata[MESSAGE])


def _role(message: ChatMessage) -> Role:
    return _ROLES.get(str(message.role.value), "user")


def _text(message: ChatMessage) -> str:
    """What is said, and the calls of tools: in blocks, and beside them as older versions of LlamaIndex keep them."""
    blocks: list[Any] = [block for block in message.blocks if block.block_type == "tool_call"]
    calls = [f"{block.tool_name}\n{readable(block.tool_kwargs)}" for block in blocks]
    older = message.additional_kwargs.get("tool_calls")
    return "\n".join(filter(None, (message.content, *calls, str(older) if older else "")))


def _turn(message: ChatMessage, session: str) -> Turn:
    kept = _kept(message)
    return Turn(role=_role(message), content=_text(message) or "…", session=session, metadata={MESSAGE: kept})


def _kept(message: object) -> dict[str, Any]:
    """A message as it is stored.

    Raises:
        InputError: it is none.
    """
    if not isinstance(message, ChatMessage):
        raise InputError(f"the message is {shown(message)}; expected a ChatMessage of LlamaIndex")
    return dict(message.model_dump(mode="json"))
