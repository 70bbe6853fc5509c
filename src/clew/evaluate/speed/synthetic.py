"""Synthetic conversations of any length from a seed, with invented words in the frequencies of real text."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.text.stopwords import STOPWORDS
from clew.types.turn import Role, Turn

SEED: Final = 20_250_101
VOCABULARY: Final = 20_000
SHORT: Final = 500
"""Content words of one syllable; the others have two."""

MEAN_WORDS: Final = 25
SESSION: Final = 100
"""Turns of a session."""

QUERY_WORDS: Final = (2, 6)
"""Fewest and most content words of a question."""

_FUNCTION_SHARE: Final = 0.45
"""Share of function words in running English text, about 45 %."""

_START: Final = datetime(2024, 1, 1, 8, tzinfo=UTC)
_ONSETS: Final = (
    "b bl br c ch cl cr d dr f fl fr g gl gr h j k l m n p pl pr qu r s sh sl sp st str t th tr v w".split()
)
_NUCLEI: Final = "a e i o u ai ea ee oa ou".split()
_CODAS: Final = ["", "", "", *"n r l s t m d nd st nt rm ck".split()]


@dataclass(frozen=True, slots=True)
class Probe:
    """One question as a person would ask it, and its content words."""

    question: str
    words: tuple[str, ...]


@cache
def vocabulary(size: int = VOCABULARY) -> tuple[str, ...]:
    """Invented pronounceable words, each once; shorter ones first, since frequent words are short."""
    rng = np.random.default_rng(SEED)
    words: dict[str, None] = {}
    while len(words) < size:
        word = "".join(_syllable(rng) for _ in range(1 if len(words) < SHORT else 2))
        if word not in STOPWORDS:
            words[word] = None
    return tuple(words)


def _syllable(rng: np.random.Generator) -> str:
    onset, nucleus, coda = rng.integers(0, (len(_ONSETS), len(_NUCLEI), len(_CODAS)))
    return f"{_ONSETS[onset]}{_NUCLEI[nucleus]}{_CODAS[coda]}"


def _is_word(text: str) -> bool:
    """Whether the text is a word rather than a fragment left by an apostrophe."""
    return len(text) > 1 or text in "ai"


class ConversationGenerator:
    """Generates turns and questions, deterministically for the same sequence of calls."""

    def __init__(self, seed: int = SEED) -> None:
        """Builds the vocabulary: content and function words by Zipf's law (frequency ~ 1 / rank)."""
        self._rng = np.random.default_rng(seed)
        self._content = np.array(vocabulary(), dtype=object)
        self._function = np.array(sorted(filter(_is_word, STOPWORDS), key=lambda word: (len(word), word)), dtype=object)

    def turns(self, count: int) -> Iterator[Turn]:
        """A conversation of a person with an assistant, in sessions of `SESSION` turns, one session a day."""
        for number, text in enumerate(self._texts(count)):
            session, index = divmod(number, SESSION)
            role: Role = "assistant" if index % 2 else "user"
            at = _START + timedelta(days=session, minutes=index)
            yield Turn(role=role, content=text, session=f"s{session:05}", at=at)

    def probes(self, texts: list[str], count: int) -> list[Probe]:
        """Questions that each ask for content words of one of the texts."""
        made_probes: list[Probe] = []
        while len(made_probes) < count:
            text = texts[int(self._rng.integers(0, len(texts)))]
            words = sorted({word for word in text.lower().replace(".", "").split() if word not in STOPWORDS})
            wanted = min(int(self._rng.integers(QUERY_WORDS[0], QUERY_WORDS[1] + 1)), len(words))
            if wanted:
                chosen = tuple(str(word) for word in self._rng.choice(words, wanted, replace=False))
                made_probes.append(Probe(f"What did we say about {' '.join(chosen)}?", chosen))
        return made_probes

    def _texts(self, count: int) -> Iterator[str]:
        lengths = np.clip(self._rng.lognormal(np.log(MEAN_WORDS) - 0.18, 0.6, count).astype(int), 2, 200)
        for start in range(0, count, 1000):
            some = lengths[start : start + 1000]
            total = int(some.sum())
            words = np.where(
                self._rng.random(total) < _FUNCTION_SHARE,
                self._drawn(self._function, total),
                self._drawn(self._content, total),
            )
            for sentence in np.split(words, np.cumsum(some)[:-1]):
                yield _sentences([str(word) for word in sentence])

    def _drawn(self, words: NDArray[np.object_], count: int) -> NDArray[np.object_]:
        weights = 1.0 / np.arange(1, len(words) + 1)
        return np.asarray(self._rng.choice(words, count, p=weights / weights.sum()))


def _sentences(words: list[str]) -> str:
    """The words as sentences of about twelve words."""
    spans = [words[start : start + 12] for start in range(0, len(words), 12)]
    return " ".join(" ".join(span).capitalize() + "." for span in spans)
