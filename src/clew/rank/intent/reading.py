"""Reads a question: its terms, the people and times that it names, what it quotes, and what it asks for.

Borders: looks at the question, the space's speakers and the clock; never at the turns.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Literal

from clew.rank.intent.conversation_ends import ConversationEnd, conversation_end
from clew.rank.intent.framing import without_framing
from clew.rank.intent.position_phrases import PositionPhrase, position_phrases, without_position_phrases
from clew.rank.intent.rewriting import to_second_person, without_request
from clew.rank.intent.teller import teller
from clew.rank.intent.wants import NOTHING_SPECIAL, Wants, wants_of
from clew.rank.intent.work_questions import WorkAsked, work_asked
from clew.text.foreign_dates import shown_languages, without_empty_words
from clew.text.names import quoted
from clew.text.period_parts import narrowed
from clew.text.query_dates import DateConstraint, counting_moment, exception_spans, parse_query_dates
from clew.text.stopwords import STOPWORDS
from clew.text.terms import query_terms, terms

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")

MIN_PREFIX: Final = 3
"""Letters a capitalised short form needs to count as a speaker's name (Mel for Melanie): docs/benchmarks.md."""

Kind = Literal["default", "broad", "temporal", "position", "fact"]


@dataclass(frozen=True, slots=True)
class Intent:
    """A question as it was understood.

    Attributes:
        text: the question as asked.
        terms: search terms of `about` in order, each once.
        speakers: codes of the speakers that the question names, ascending.
        dates: times that the question names.
        quotes: phrases in quotation marks.
        rewritten: the second form for the vectors: names turned to "you", or request words dropped.
        wants: the kinds of answer that it asks for.
        about: the question without its framing and without the position phrases that name nothing that was said; empty
            where that is the question as asked.
        positions: phrases that point at a place in the conversation ("three beats ago").
        tellers: those of `speakers` whose words it asks for.
        respelt: words that no turn has, each with the word that it was read as.
        end: the end or the beginning of a conversation, where that alone is asked for; there are no terms then.
        work: the work of an assistant with tools that alone is asked for.
        empty: those of `terms` that tell nothing of what is asked for: stop words of another language than English,
            which the index has, since there they may be words of any language.
    """

    text: str
    terms: tuple[str, ...]
    speakers: tuple[int, ...]
    dates: tuple[DateConstraint, ...]
    quotes: tuple[str, ...]
    rewritten: str
    wants: Wants = NOTHING_SPECIAL
    about: str = ""
    positions: tuple[PositionPhrase, ...] = ()
    tellers: tuple[int, ...] = ()
    respelt: tuple[tuple[str, str], ...] = ()
    end: ConversationEnd | None = None
    work: WorkAsked | None = None
    empty: frozenset[str] = frozenset()

    @property
    def telling(self) -> tuple[str, ...]:
        """The terms that tell what is asked for; all of them where none does."""
        return tuple([term for term in self.terms if term not in self.empty]) or self.terms

    def kind(self, *, placed: bool) -> Kind:
        """The one kind that chooses a strategy.

        `position` when the caller points at a beat, or the question asks for an end alone; `temporal` when it names a
        time; `broad` when it asks for many things at once; `position` when its words point somewhere; `fact` when it
        asks for one; else `default`.

        Args:
            placed: the caller points at a beat.
        """
        if placed or self.end is not None:
            return "position"
        if self.dates:
            return "temporal"
        if self.wants.several:
            return "broad"
        if self.positions:
            return "position"
        return "fact" if self.wants.time or self.wants.fact else "default"


def read_intent(
    text: str,
    speakers: Sequence[str],
    now: datetime,
    *,
    with_assistant: bool,
    covered: tuple[date, date] | None = None,
    known_as: Callable[[Iterable[str]], Mapping[str, int]] | None = None,
) -> Intent:
    """Reads a question.

    Args:
        speakers: the space's speakers; a speaker's place in the sequence is its code.
        now: what "last month" is counted from, unless the conversations end before that, see `counting_day`.
        with_assistant: an assistant takes part, so "you" is the assistant and not a person.
        covered: first and last day of the conversations; a date without a year is looked for in all years between.
        known_as: maps case-folded words to the codes of the speakers who are also called so.
    """
    words = _possible_names(text)
    also = {} if known_as is None else known_as(words.values())
    named = {
        code: names
        for code, speaker in enumerate(speakers)
        if (names := _name_words(words, speaker) | {word for word, folded in words.items() if also.get(folded) == code})
    }
    end = conversation_end(text, set().union(*named.values()), with_assistant=with_assistant)
    if end is not None:
        wants = Wants(summary=True, overview=True) if end.is_whole else NOTHING_SPECIAL
        return Intent(text, (), tuple(named), (), (), text, wants, end=end)
    dates = parse_query_dates(text, counting_moment(text, now, covered), covered)
    dates = [narrowed(text, date) for date in dates]
    positions = position_phrases(text)
    asked = without_position_phrases(text, positions, exception_spans(text, dates)) or text
    about = without_framing(asked) if with_assistant else asked
    asked_terms = query_terms(about)
    asks = None if with_assistant else teller(asked, named)
    tellers = tuple(named) if asks is None else (asks,)
    return Intent(
        text=text,
        terms=tuple(asked_terms),
        speakers=tuple(named),
        dates=tuple(dates),
        quotes=tuple(quoted(text)),
        rewritten=without_request(about) if with_assistant else _as_asked_by_another(asked, named, tellers),
        wants=wants_of(text, about, with_assistant=with_assistant),
        about="" if about == text else about,
        positions=positions,
        tellers=tellers,
        work=work_asked(text) if with_assistant else None,
        empty=_empty_terms(about, asked_terms),
    )


def _empty_terms(about: str, asked: Sequence[str]) -> frozenset[str]:
    """The terms of a question that tell nothing of what it is about; none in English, whose stop words are not terms.

    One such word alone may be English where nothing else shows a question of another language: "comment field".
    """
    languages = shown_languages(about)
    if not languages:
        return frozenset()
    empty = frozenset(asked).difference(terms(without_empty_words(about, languages)))
    may_be_english = len(empty) == 1 and about.isascii() and "?" not in about
    return frozenset() if may_be_english else empty


def _as_asked_by_another(text: str, named: Mapping[int, set[str]], tellers: Sequence[int]) -> str:
    """The question as put to those whose words it asks for, by the others whom it names."""
    mine = set().union(*(named[code] for code in tellers))
    return to_second_person(text, mine, set().union(*named.values()) - mine)


def _possible_names(text: str) -> dict[str, str]:
    """The words that may name someone, without possessive endings and stop words, each with its case-folded form."""
    possible = _WORD.findall(text)
    if "'" in text or "’" in text:
        possible = [_POSSESSIVE.sub("", word) for word in possible]
    words = dict.fromkeys(possible)
    folded = {word: word.casefold() for word in words if word}
    return {word: plain for word, plain in folded.items() if plain not in STOPWORDS}


def _name_words(words: Mapping[str, str], speaker: str) -> set[str]:
    """The words that name `speaker`: a word of the name, or its capitalised beginning."""
    names = [word.casefold() for word in _WORD.findall(speaker)]
    if not names:
        return set()
    return {
        word
        for word, folded in words.items()
        if folded in names or (len(word) >= MIN_PREFIX and word[0].isupper() and names[0].startswith(folded))
    }
