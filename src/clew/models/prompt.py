"""What a language model is asked, and what it says: plain data, the same for every vendor."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from clew.types.record import Record

Schema = Mapping[str, Any]
"""What a JSON value must be: the part of JSON Schema that `clew.models.schema` knows."""


@dataclass(frozen=True, slots=True)
class ChatMessage(Record):
    """One message of the exchange: the `user` asks, the `assistant` answered."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is asked at once.

    Attributes:
        instructions: what the model is to do; never holds a word of what it is to do it with.
        messages: the material, the user's first and last.
        schema: the JSON value that is wanted; None for plain text.
    """

    instructions: str
    messages: tuple[ChatMessage, ...]
    schema: Schema | None = None

    @classmethod
    def of(cls, instructions: str, text: str) -> Self:
        """Instructions and one message."""
        return cls(instructions, (ChatMessage("user", text),))

    def then(self, answer: str, reply: str) -> "Prompt":
        """The same exchange, gone on with an answer and what the user says to it."""
        return replace(self, messages=(*self.messages, ChatMessage("assistant", answer), ChatMessage("user", reply)))

    def texts(self) -> list[str]:
        """All that is sent, as texts."""
        written = [] if self.schema is None else [json.dumps(self.schema, sort_keys=True)]
        return [self.instructions, *(message.text for message in self.messages), *written]


@dataclass(frozen=True, slots=True)
class Completion(Record):
    """What a model answered.

    Attributes:
        tokens_in: tokens of the prompt, as the model counts them; None when it does not say.
        tokens_out: tokens that it wrote, those that it does not show included; None likewise.
        model: the model that says to have answered.
        stop: why the text ends: it is complete, it met the limit of tokens, or the model will not answer.
    """

    text: str
    tokens_in: int | None
    tokens_out: int | None
    model: str
    stop: Literal["end", "length", "refusal"] = "end"


def request_digest(prompt: Prompt, max_tokens: int) -> bytes:
    """SHA-256 of a request: what its recorded answer is known by, besides the model."""
    told = {
        "instructions": prompt.instructions,
        "messages": [message.to_dict() for message in prompt.messages],
        "schema": prompt.schema,
        "max_tokens": max_tokens,
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).digest()
