"""Fakes for the tests of those who build on Clew: models that need no model, a clock that stands still, a store."""

import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

import numpy as np

from clew.errors import InputError, ModelError, shown
from clew.models.prepare import unit_rows
from clew.models.prompt import Completion, Prompt
from clew.models.protocol import LLM, Matrix
from clew.store.memory import MemoryStore
from clew.text.terms import terms

__all__ = ["Answer", "FrozenClock", "HashEmbedder", "MemoryStore", "ScriptedLLM"]


_REVISIONS = 10**16
"""More revisions than the salt of a hash has room for."""


class HashEmbedder:
    """An embedder that hashes the terms of a text: texts that share words are similar, others almost orthogonal.

    Each term, as the search index cuts and stems them, adds 1 or -1 to one component; both come from its BLAKE2b hash
    (feature hashing: Weinberger et al., 2009). Two unrelated texts of `n` terms each have a cosine near 0, within about
    `1 / sqrt(dim)`. A text without terms (stop words, signs) goes by its words as they stand. The same everywhere.
    """

    def __init__(self, dim: int = 64, revision: int = 1) -> None:
        """Embedders of two revisions are two models: their vectors have nothing to do with each other.

        Raises:
            InputError: `dim` or `revision` is not a whole number from 1 on.
        """
        if not isinstance(dim, int) or dim < 1:
            raise InputError(f"HashEmbedder(dim={dim!r}); expected a whole number, 1 or more")
        if not isinstance(revision, int) or not 1 <= revision < _REVISIONS:
            raise InputError(f"HashEmbedder(revision={shown(revision, 40)}); expected a whole number, 1 or more")
        self.name = f"hash-{dim}@{revision}"
        self.dim = dim
        self._salt = b"" if revision == 1 else str(revision).encode()

    def embed(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder`; never fails."""
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in terms(text) or text.split():
                self._add(row, term)
            if text.strip() and not row.any():  # its terms cancel each other
                self._add(row, text)
        return unit_rows(rows)

    def _add(self, row: Matrix, term: str) -> None:
        digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8, salt=self._salt).digest()
        number = int.from_bytes(digest, "little")
        row[(number >> 1) % self.dim] += 1.0 if number & 1 else -1.0


Answer = str | Completion | Exception
"""What a ScriptedLLM does: it writes this text, gives this completion, or raises this error."""


class ScriptedLLM(LLM):
    """A language model that says what it was told to say, and remembers what it was asked.

    Tokens of an answer that is given as text are counted as words. A function that gives the answers may also wait, or
    raise, as a model would that hangs or fails. Threads may share it; they call such a function at the same time, and
    take the answers of an iterable one by one.

    Attributes:
        prompts: every prompt, in the order in which they came.
    """

    def __init__(self, answers: Iterable[Answer] | Callable[[Prompt], Answer], name: str = "scripted") -> None:
        """Takes the answers one after the other, or a function that makes each of them.

        Raises:
            InputError: the answers are a text, whose characters would be taken for answers.
        """
        if isinstance(answers, str):
            raise InputError(f"ScriptedLLM({shown(answers)}) is one text; expected a list of answers, or a function")
        self.name = name
        self._lock = threading.Lock()
        self.prompts: list[Prompt] = []
        self._make = answers if callable(answers) else None
        self._left = iter(()) if callable(answers) else iter(answers)

    def complete(self, prompt: Prompt, *, max_tokens: int) -> Completion:
        """See `LLM.complete`.

        Raises:
            ModelError: the script has no answer left; or whatever error the script has.
        """
        with self._lock:
            self.prompts.append(prompt)
            number = len(self.prompts)
            answer = next(self._left, None) if self._make is None else None
        if self._make is not None:
            answer = self._make(prompt)
        if answer is None:
            raise ModelError(f"the script of {self.name} has no answer left; this is request {number}")
        if isinstance(answer, Exception):
            raise answer
        if not isinstance(answer, str):
            return answer
        words = sum(len(text.split()) for text in prompt.texts())
        return Completion(answer, words, min(len(answer.split()), max_tokens), self.name)


class FrozenClock:
    """A clock that moves only when told to. It is what `clock=` takes: called, it gives an aware UTC datetime."""

    def __init__(self, start: datetime) -> None:
        """Starts at an aware datetime.

        Raises:
            InputError: `start` is not a datetime, has no time zone, or is outside the years 1 to 9999 in UTC.
        """
        if not isinstance(start, datetime) or start.tzinfo is None:
            raise InputError(f"FrozenClock({start!r}) has no time zone; expected an aware datetime, such as in UTC")
        try:
            self._now = start.astimezone(UTC)
        except OverflowError as error:
            raise InputError(f"FrozenClock({start!r}) is outside the years 1 to 9999 in UTC") from error

    def __call__(self) -> datetime:
        """The time at which the clock stands: the same as `now()`."""
        return self._now

    def now(self) -> datetime:
        """The time at which the clock stands."""
        return self._now

    def advance(self, seconds: float) -> datetime:
        """Moves the clock, backwards if negative, and returns the new time.

        Raises:
            InputError: the new time is outside the years 1 to 9999.
        """
        try:
            self._now += timedelta(seconds=seconds)
        except (OverflowError, ValueError) as error:
            raise InputError(f"{seconds!r} seconds after {self._now} is outside the years 1 to 9999") from error
        return self._now
