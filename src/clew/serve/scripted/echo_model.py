"""A model that knows nothing but its request: it answers with the sentence of it that is nearest to the question.

So a test can prove that a fact reached the model, and the demo needs no real one.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from clew.ingest.echo import without_echoes
from clew.serve.scripted.script import RecordedRequest, Reply

UNKNOWN: Final = "I do not know."
_TEXT_KEYS: Final = tuple(
    "system systemInstruction instructions messages contents input content parts text output response result "
    "functionResponse".split()
)
_WORD: Final = re.compile(r"\w+")
_END: Final = re.compile(r"(?<![.!?])[.!?]++(?=\s|\Z)|\n")
"""The end of a sentence."""
_LABEL: Final = re.compile(r"^\d+ [^:]{0,40}: ")
"""Number and speaker of a remembered turn."""

_SMALL: Final = frozenset(
    "a about an and are at be by did do does for from had has have he her his how i in is it me my of on or our please "
    "she tell that the their them they this to us was we were what when where which who why will with you your".split()
)


def answer_from_request(request: RecordedRequest) -> Reply:
    """The sentence with the most of the question's rare words; `UNKNOWN` when none shares half of them."""
    texts = [text for text in strings(request.value) if text.strip()]
    if not texts:
        return Reply(UNKNOWN)
    question = last_question(request)
    wanted = _words(question)
    sentences = [sentence for text in texts for sentence in _sentences(text) if "?" not in sentence]
    counts = Counter(word for sentence in sentences for word in _words(sentence))
    best, score = "", 0.0
    for sentence in sentences:
        shared = wanted & _words(sentence)
        if 2 * len(shared) < len(wanted) or sentence in question:
            continue
        worth = sum(1.0 / counts[word] for word in shared) + len(shared)
        if worth > score:
            best, score = sentence, worth
    return Reply(_LABEL.sub("", best) or UNKNOWN)


def last_question(request: RecordedRequest) -> str:
    """The user's last question in the last message; what the proxy quotes behind it asks nothing."""
    value = request.value or {}
    given = value.get("messages") or value.get("contents") or value.get("input") or []
    last = [given] if isinstance(given, str) else list(strings(given[-1:]))
    texts = [without_echoes(text) for text in last]
    questions = [sentence for text in texts for sentence in _sentences(text) if sentence.endswith("?")]
    return questions[-1] if questions else " ".join(texts)


def strings(value: Any) -> Iterator[str]:
    """The texts in a body, without ids, types and pictures."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)
    elif isinstance(value, dict):
        for key in _TEXT_KEYS:
            if key in value:
                yield from strings(value[key])


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for end in (*(match.end() for match in _END.finditer(text)), len(text)):
        if sentence := text[start:end].strip():
            yield sentence
        start = end


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if word not in _SMALL}
