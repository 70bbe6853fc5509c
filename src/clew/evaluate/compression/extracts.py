"""What a recap is compared with: the last turns, and extracts by the summarisers of sumy (the extra `bench`)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from clew.config import Config
from clew.errors import MissingExtra
from clew.evaluate.metrics import CHARS_PER_TOKEN
from clew.models.protocol import Embedder
from clew.text.sentences import sentence_spans
from clew.text.terms import terms

Extract = Callable[[Sequence[str], int], str]
"""From the texts of turns and a number of tokens to the text that stands for them."""

LAST: Final = "last turns"
SUMMARISERS: Final = ("TextRank", "LexRank", "LSA")
"""The summarisers of sumy that are compared with."""

STRETCH: Final = 150
"""Sentences that are summarised at a time; the time of LexRank and TextRank grows with their square."""

_LONGEST: Final = 400  # characters of a sentence; what is longer is a listing, and is cut


@dataclass(frozen=True, slots=True, kw_only=True)
class CondenseSetup:
    """How compactions are measured.

    Attributes:
        embedder: shared by all histories; None means none, whatever the configuration says.
        extracts: what recaps are compared with, by name.
        sample: most values of a cut, and most questions of a history, that are looked at, evenly chosen; None: all.
    """

    config: Config
    embedder: Embedder | None = None
    extracts: Mapping[str, Extract] = field(default_factory=dict)
    sample: int | None = None


def last_turns(texts: Sequence[str], budget: int) -> str:
    """The end of the texts, the first of them cut."""
    return "\n".join(texts)[-CHARS_PER_TOKEN * budget :] if budget else ""


def extracts(names: Sequence[str] = SUMMARISERS) -> dict[str, Extract]:
    """The last turns, and the summarisers by name.

    Raises:
        MissingExtra: sumy is not installed and a summariser is asked for.
    """
    by_name: dict[str, Extract] = {LAST: last_turns}
    for name in names:
        by_name[name] = partial(_extract, _summariser(name))
    return by_name


def _summariser(name: str) -> Any:
    try:
        from sumy.nlp.stemmers import null_stemmer  # the extra `bench`
        from sumy.summarizers.lex_rank import LexRankSummarizer  # likewise
        from sumy.summarizers.lsa import LsaSummarizer  # likewise
        from sumy.summarizers.text_rank import TextRankSummarizer  # likewise
    except ImportError as error:
        raise MissingExtra("summaries to compare with need the package sumy; install clew[bench]") from error
    kinds = {"TextRank": TextRankSummarizer, "LexRank": LexRankSummarizer, "LSA": LsaSummarizer}
    return kinds[name](null_stemmer)  # words are stemmed by `_Words`


class _Words:
    """Sentences and words as Clew sees them: stemmed, without stop words; sumy's own need a download."""

    def to_sentences(self, text: str) -> list[str]:
        """The sentences of a text."""
        return [text[start:end][:_LONGEST] for start, end in sentence_spans(text)]

    def to_words(self, sentence: str) -> list[str]:
        """The terms of a sentence; one without any is a word itself, so that it can be ranked."""
        return list(terms(sentence)) or [sentence]


def _extract(summariser: Any, texts: Sequence[str], budget: int) -> str:
    """The best sentences of each stretch, within the stretch's share of the budget, in order."""
    words = _Words()
    sentences = [sentence for text in texts for sentence in words.to_sentences(text)]
    stretches = [sentences[at : at + STRETCH] for at in range(0, len(sentences), STRETCH)]
    share = CHARS_PER_TOKEN * budget / max(1, len(stretches))
    return "\n".join(_best(summariser, words, stretch, share) for stretch in stretches)[: CHARS_PER_TOKEN * budget]


def _best(summariser: Any, words: _Words, stretch: Sequence[str], room: float) -> str:
    """The best sentences of a stretch that fit, in the order of the stretch."""
    from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence  # the extra `bench`

    def fitting(ranked: Sequence[Any]) -> list[Any]:
        kept, left = [], room
        for sentence in ranked:
            left -= len(str(sentence.sentence)) + 1
            if left < 0:
                break
            kept.append(sentence)
        return kept

    document = ObjectDocumentModel([Paragraph([Sentence(sentence, words) for sentence in stretch])])
    return "\n".join(map(str, summariser(document, fitting)))
