"""From what a model wrote to a JSON value that is what was asked for, or to a clear error.

A model may wrap its answer in a fence or in prose, or think aloud first: the value is found all the same, if there is
exactly one that fits. Otherwise the model is told what was wrong and asked again, at most `REPAIRS` times.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, NoReturn, Protocol

from clew.errors import ModelError
from clew.models.prompt import Completion, Prompt, Schema
from clew.models.schema import problem, strict

REPAIRS: Final = 2
"""How often a model is told what was wrong with its answer."""

_READ: Final = 100_000  # characters of an answer that are looked at
_TRIED: Final = 64  # places in it where a value may begin
_RETOLD: Final = 2_000  # characters of a wrong answer that are put before the model again
_TOLD: Final = 200  # and before a person
_THOUGHT: Final = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_OPENING: Final = re.compile(r"[\[{]")


class Complete(Protocol):
    """Asks a model once: `LLM.complete`."""

    def __call__(self, prompt: Prompt, *, max_tokens: int) -> Completion:
        """See `LLM.complete`."""
        ...


def ask_json(complete: Complete, prompt: Prompt, schema: Schema, *, max_tokens: int) -> Any:
    """The value that a model answers with, checked against the schema.

    Raises:
        ModelError: it refused, or gave no such value, however often it was told; or asking failed.
    """
    rule = f"Answer with one JSON value of this schema, and nothing else:\n{json.dumps(strict(schema), sort_keys=True)}"
    prompt = replace(prompt, instructions=f"{prompt.instructions}\n\n{rule}".strip(), schema=schema)
    told = 0
    while True:
        answer = complete(prompt, max_tokens=max_tokens)
        if answer.stop == "refusal":
            raise ModelError(f"{answer.model} refused to answer: {answer.text[:_TOLD]!r}")
        try:
            return read_value(answer, schema)
        except ModelError as error:
            if told == REPAIRS:
                raise ModelError(f"{answer.model} gave no usable answer, asked {told + 1} times: {error}") from error
            wrong = f"That cannot be used: {error}. Answer again, with the JSON value alone."
        prompt = prompt.then(answer.text[:_RETOLD] or "(nothing)", wrong)
        told += 1


def read_value(answer: Completion, schema: Schema) -> Any:
    """The one value of the schema that an answer holds.

    Raises:
        ModelError: it holds none, or several; the message says what is wrong.
    """
    wrong = ""
    fitting: list[Any] = []
    for value in _values(_THOUGHT.sub(" ", answer.text[:_READ]).strip()):
        found = problem(value, schema)
        if found is None and value not in fitting:
            fitting.append(value)
        wrong = wrong or found or ""
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise ModelError(f"it holds {len(fitting)} different values that fit; expected one")
    if not wrong:
        wrong = "there is no JSON value in it" if answer.text.strip() else "it is empty"
    raise ModelError(f"{wrong}; it was cut off at the limit of tokens" if answer.stop == "length" else wrong)


def _values(text: str) -> Iterator[Any]:
    """The JSON values in a text: all of it, or else those that begin with a bracket, outermost ones only."""
    decoder = json.JSONDecoder(parse_constant=_no_number)
    try:
        yield decoder.decode(text)
        return
    except (ValueError, RecursionError):
        pass  # it is not JSON alone; what is inside may be
    place = 0
    for _ in range(_TRIED):
        opening = _OPENING.search(text, place)
        if opening is None:
            return
        try:
            value, place = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            place = opening.end()
            continue
        yield value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
