"""Gets a JSON value that matches a schema from a model's answer.

A model may wrap the value in a code fence or in prose, or think aloud first: it is found if exactly one value in the
answer matches. Of an answer that was cut off at the token limit the complete items are used, and lists that it did not
come to are empty. Otherwise the model is told what was wrong and asked again, at most `REPAIRS` times.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, NoReturn, Protocol

from clew.errors import ModelError
from clew.models.prompt import Completion, Prompt, Schema
from clew.models.schema import problem, strict, with_empty_lists

REPAIRS: Final = 2
"""How often a model is told what was wrong and asked again."""

_READ: Final = 100_000  # characters of an answer that are searched
_TRIED: Final = 64  # opening brackets in an answer at which parsing is tried
_DEEPEST: Final = 100  # brackets inside each other in an answer that was cut off
_RETOLD: Final = 2_000  # characters of a wrong answer that are sent back to the model
_TOLD: Final = 200  # characters of a refusal that an error message shows
_TAG: Final = re.compile(r"</?think(?:ing)?>")
_THOUGHT: Final = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>|\A<think(?:ing)?>.*", re.DOTALL)
_ENDED: Final = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL)
"""A thought whose opening tag is missing: some servers have it in the prompt."""
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_OPENING: Final = re.compile(r"[\[{]")
_MARK: Final = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[\[\]{},]', re.DOTALL)  # a string, or a sign outside of one


class Complete(Protocol):
    """A function like `LLM.complete`, which calls a model once."""

    def __call__(self, prompt: Prompt, *, max_tokens: int) -> Completion:
        """See `LLM.complete`."""
        ...


def ask_json(complete: Complete, prompt: Prompt, schema: Schema, *, max_tokens: int) -> Any:
    """Asks a model for a JSON value and checks it against the schema.

    Raises:
        ModelError: the model refused, gave no valid value after all attempts, or the call failed.
    """
    prompt = json_prompt(prompt, schema)
    repeated = 0
    while True:
        answer = complete(prompt, max_tokens=max_tokens)
        if answer.stop == "refusal":
            raise ModelError(f"{answer.model} refused to answer: {answer.text[:_TOLD]!r}")
        try:
            return read_value(answer, schema)
        except ModelError as error:
            if repeated == REPAIRS:
                raise ModelError(
                    f"{answer.model} gave no usable answer, asked {repeated + 1} times: {error}"
                ) from error
            wrong = f"That cannot be used: {error}. Answer again, with the JSON value alone."
        prompt = prompt.then(answer.text[:_RETOLD] or "(nothing)", wrong)
        repeated += 1


def json_prompt(prompt: Prompt, schema: Schema) -> Prompt:
    """A prompt as it is sent to get a JSON value: the schema beside it, and in words in its instructions."""
    rule = f"Answer with one JSON value of this schema, and nothing else:\n{json.dumps(strict(schema), sort_keys=True)}"
    return replace(prompt, instructions=f"{prompt.instructions}\n\n{rule}".strip(), schema=schema)


def read_value(answer: Completion, schema: Schema) -> Any:
    """The one value in an answer that matches the schema.

    Raises:
        ModelError: no value matches, or several different ones do; the message says what is wrong.
    """
    wrong = ""
    fitting: list[Any] = []
    text = _without_thoughts(answer.text[:_READ].strip())
    for value in _values(text):
        fault = problem(value, schema)
        if fault is None and value not in fitting:
            fitting.append(value)
        wrong = wrong or fault or ""
    if not fitting and answer.stop == "length":
        complete = (with_empty_lists(value, schema) for value in _complete_part(text))
        fitting = [value for value in complete if problem(value, schema) is None]
    if len(fitting) == 1:
        return _well_formed(fitting[0]) if _SURROGATE.search(text) else fitting[0]
    if fitting:
        raise ModelError(f"it contains {len(fitting)} different values that fit; expected one")
    if not wrong:
        wrong = "it contains no JSON value" if answer.text.strip() else "it is empty"
    raise ModelError(f"{wrong}; it was cut off at the token limit" if answer.stop == "length" else wrong)


def _well_formed(value: Any) -> Any:
    """A value in which each lone surrogate, which JSON can write and UTF-8 cannot, is a question mark."""
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _without_thoughts(text: str) -> str:
    """An answer without what the model thought aloud; all of it if a value in it quotes such a tag."""
    if _TAG.search(text) is None or any(_TAG.search(json.dumps(value)) for value in _values(text)):
        return text
    return _ENDED.sub("", _THOUGHT.sub(" ", text)).strip()


def _values(text: str) -> Iterator[Any]:
    """Yields the JSON values in a text: the whole text, or else the outermost objects and arrays in it."""
    decoder = json.JSONDecoder(parse_constant=_no_number)
    try:
        yield decoder.decode(text)
        return
    except (ValueError, RecursionError):
        pass  # not JSON as a whole; search for values inside
    offset = 0
    for _ in range(_TRIED):
        opening = _OPENING.search(text, offset)
        if opening is None:
            return
        try:
            value, offset = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            offset = opening.end()
            continue
        yield value


def _complete_part(text: str) -> Iterator[Any]:
    """Yields the value that a text begins and does not end, closed after the last array item that is complete."""
    opening = _OPENING.search(text)
    offset, closing = 0, ""
    open_brackets: list[str] = []
    for mark in _MARK.finditer(text, 0 if opening is None else opening.start()):
        sign = mark[0]
        if sign in "[{":
            open_brackets.append("]" if sign == "[" else "}")
            if len(open_brackets) > _DEEPEST:
                return
        elif sign in "]}" and (not open_brackets or open_brackets.pop() != sign):
            return
        if sign in "]}," and open_brackets[-1:] == ["]"]:
            offset, closing = mark.start() + (sign != ","), "".join(reversed(open_brackets))
    if opening is not None and closing:
        yield from _values(text[opening.start() : offset] + closing)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
