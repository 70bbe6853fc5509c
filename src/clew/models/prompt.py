"""Prompts to language models and their completions, as plain data common to all vendors."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from clew.types.record import Record

Schema = Mapping[str, Any]
"""A JSON Schema, limited to the keywords that `clew.models.schema` supports."""


@dataclass(frozen=True, slots=True)
class ChatMessage(Record):
    """One message of a prompt, by the `user` or the `assistant`."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request to a language model.

    Attributes:
        instructions: the task; never contains any of the material it is applied to.
        messages: the material; the first and last message are the user's.
        schema: schema of the expected JSON value; None for plain text.
    """

    instructions: str
    messages: tuple[ChatMessage, ...]
    schema: Schema | None = None

    @classmethod
    def of(cls, instructions: str, text: str) -> Self:
        """A prompt of instructions and one message."""
        return cls(instructions, (ChatMessage("user", text),))

    def then(self, answer: str, reply: str) -> "Prompt":
        """A longer prompt: this one, the model's answer, and the user's reply."""
        return replace(self, messages=(*self.messages, ChatMessage("assistant", answer), ChatMessage("user", reply)))

    def texts(self) -> list[str]:
        """All texts that are sent, the schema included."""
        written = [] if self.schema is None else [json.dumps(self.schema, sort_keys=True)]
        return [self.instructions, *(message.text for message in self.messages), *written]


@dataclass(frozen=True, slots=True)
class Completion(Record):
    """A model's answer.

    Attributes:
        tokens_in: input tokens as the model reports them; None if it does not.
        tokens_out: output tokens, hidden reasoning included; None if the model does not report them.
        model: the name of the model as the answer states it.
        stop: why the text ends: `end` (complete), `length` (token limit) or `refusal`.
    """

    text: str
    tokens_in: int | None
    tokens_out: int | None
    model: str
    stop: Literal["end", "length", "refusal"] = "end"


def request_digest(prompt: Prompt, max_tokens: int) -> bytes:
    """SHA-256 of a request: with the model's name, the key of its recorded answer."""
    request = {
        "instructions": prompt.instructions,
        "messages": [message.to_dict() for message in prompt.messages],
        "schema": prompt.schema,
        "max_tokens": max_tokens,
    }
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).digest()
