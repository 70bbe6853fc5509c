"""What a question asks for, read without a model: terms, the people it names, the time it names, what it quotes.

Borders: looks at the question, the space's speakers and the clock; never at the turns.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from clew.rank.framing import without_framing
from clew.rank.position_phrases import Place, places_in, without_places
from clew.text.names import quoted
from clew.text.query_dates import DateConstraint, counting_moment, parse_query_dates
from clew.text.stopwords import STOPWORDS
from clew.text.terms import query_terms

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
_PRONOUN = re.compile(r"\b(?:his|her|their)\b", re.IGNORECASE)
_SUBJECT_PRONOUN = re.compile(r"\b(?:he|she|they)\b", re.IGNORECASE)
_AGREEMENT: Final = (
    (re.compile(r"\bdoes you\b", re.IGNORECASE), "do you"),
    (re.compile(r"\bis you\b", re.IGNORECASE), "are you"),
    (re.compile(r"\bwas you\b", re.IGNORECASE), "were you"),
    (re.compile(r"\bhas you\b", re.IGNORECASE), "have you"),
)
_ASSISTANT_ASKED = re.compile(
    r"\b(?:you|your|assistant|assistant's)\b[^.?!]{0,40}?\b(?:suggest\w*|recommend\w*|advi[cs]e\w*|propos\w*|explain\w*|"
    r"told|tell|said|sa(?:y|id)|gave|give|list\w*|provid\w*|mention\w*|answer\w*|repl(?:y|ied)|wrote|write|show\w*)\b"
    r"|\b(?:your|the assistant's) (?:advice|answer|suggestion|recommendation|explanation|reply|list|plan|code)\w*\b",
    re.IGNORECASE,
)
_ASKING = re.compile(r"\b(?:can|could|would|will) you\b", re.IGNORECASE)
_SUMMARY = re.compile(r"\b(?:summar\w+|overview|recap\w*)\b", re.IGNORECASE)
_ORDER = re.compile(
    r"\b(?:order in which|in (?:what|which|the right|chronological) order|in order(?! to\b)|chronolog\w+|in sequence"
    r"|the sequence of|timeline)\b",
    re.IGNORECASE,
)
_HELP = re.compile(
    r"\b(?:(?:can|could|would|will) you|please|help me|how (?:do|should|can|could|would) (?:I|we)"
    r"|what (?:should|would|can|do) (?:I|you|we)|I(?:['’]m| am) (?:planning|trying|looking|thinking|preparing|working)"
    r"|I (?:want|need|plan)|recommend|suggest|advice|tips|explain|walk me)\b",
    re.IGNORECASE,
)
_LOOKS_BACK = re.compile(
    r"\b(?:did|was|were|have I|had I|mention(?:ed)?|brought up|discussed|our (?:conversations?|chats?|sessions?)|so far"
    r"|throughout|across)\b",
    re.IGNORECASE,
)
_HOP = re.compile(
    r"\b(?:the|an?|my|our|his|her|their|your|[^\W_]+['’]s) (?:[^\W_]+ ){1,3}(?:who|whom|whose|where|that|which) "
    r"|\b(?:both|in common|shared?|same|together|other than|besides|except|differen(?:t|ces?) (?:between|from)"
    r"|compared? (?:to|with)|rather than|instead of)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\b(?:when|what (?:date|day|month|year|time)|how long ago|which (?:month|year|day))\b", re.IGNORECASE
)
_BOTH = re.compile(r"\b(?:both )?(you|your),? (?:and|or) \1\b", re.IGNORECASE)
_REQUEST = re.compile(
    r"^(?:\s*+(?:(?:can|could|would|will) you|please|(?:list|tell|give|show|remind|help)(?: me| us)?"
    r"|(?:what|which|who|whom|whose|when|where|why|how)(?:['’]s| is| are| was| were| do| does| did| many| much| long)?"
    r"|about|of|the|all|to|order|in order|summar\w+|across|our|conversations?|sessions?|chats?|discussed)\b"
    r")+[\s,:]*",
    re.IGNORECASE,
)

MIN_PREFIX: Final = 3
"""Letters a capitalised short form needs to count as a speaker's name (Mel for Melanie): docs/benchmarks.md."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question as it was understood.

    Attributes:
        text: as asked.
        terms: search terms of `about` in order, each once.
        speakers: codes of the speakers it names, ascending.
        dates: time it names; empty when none.
        quotes: phrases in quotation marks.
        rewritten: the question for the second look at the vectors: names turned to "you", or request words dropped.
        wants_assistant: it asks for the assistant's own words.
        wants_summary: it asks for what was said of something as a whole.
        wants_order: it asks in which order things were, or were said.
        wants_help: it asks to have something done or explained now, and not for what was said.
        wants_time: it asks when something was, or on which day.
        wants_hop: it describes what it asks about by something else that was said, or compares.
        about: the question without what it says of the conversation itself; empty where it says nothing of it.
        places: where in the conversation it points by its words.
    """

    text: str
    terms: tuple[str, ...]
    speakers: tuple[int, ...]
    dates: tuple[DateConstraint, ...]
    quotes: tuple[str, ...]
    rewritten: str
    wants_assistant: bool
    wants_summary: bool = False
    wants_order: bool = False
    wants_help: bool = False
    wants_time: bool = False
    wants_hop: bool = False
    about: str = ""
    places: tuple[Place, ...] = ()


def understand(
    text: str,
    speakers: Sequence[str],
    now: datetime,
    *,
    with_assistant: bool,
    covered: tuple[date, date] | None = None,
    known_as: Callable[[Iterable[str]], Mapping[str, int]] | None = None,
) -> Query:
    """Reads a question.

    Args:
        speakers: the space's speakers; a speaker's place in it is its code.
        now: what "last month" is counted from, unless the conversations end before that, see `counting_day`.
        with_assistant: an assistant takes part, so "you" is the assistant and not a person.
        covered: first and last day of the conversations; a date without a year is looked for in all years between.
        known_as: from case folded words to the codes of the speakers who are also called so.
    """
    words = _possible_names(text)
    also = {} if known_as is None else known_as(words.values())
    named = {
        code: found
        for code, speaker in enumerate(speakers)
        if (found := _name_words(words, speaker) | {word for word, plain in words.items() if also.get(plain) == code})
    }
    places = places_in(text)
    asked = without_places(text, places) or text
    about = without_framing(asked) if with_assistant else asked
    return Query(
        text=text,
        terms=tuple(query_terms(about)),
        speakers=tuple(named),
        dates=tuple(parse_query_dates(text, counting_moment(text, now, covered), covered)),
        quotes=tuple(quoted(text)),
        rewritten=without_request(about) if with_assistant else to_second_person(asked, set().union(*named.values())),
        wants_assistant=with_assistant and _ASSISTANT_ASKED.search(_ASKING.sub("", text)) is not None,
        wants_summary=_SUMMARY.search(text) is not None,
        wants_order=_ORDER.search(text) is not None,
        wants_help=_HELP.search(text) is not None and _LOOKS_BACK.search(text) is None,
        wants_time=_WHEN.search(text) is not None,
        wants_hop=_HOP.search(about) is not None,
        about="" if about == text else about,
        places=places,
    )


def _possible_names(text: str) -> dict[str, str]:
    """The words that may name someone, each with its folded form: without possessive endings and stop words."""
    words = dict.fromkeys(_POSSESSIVE.sub("", word) for word in _WORD.findall(text))
    folded = {word: word.casefold() for word in words if word}
    return {word: plain for word, plain in folded.items() if plain not in STOPWORDS}


def _name_words(words: Mapping[str, str], speaker: str) -> set[str]:
    """Those of the words that name `speaker`: a word of the name, or its capitalised beginning."""
    names = [word.casefold() for word in _WORD.findall(speaker)]
    if not names:
        return set()
    return {
        word
        for word, folded in words.items()
        if folded in names or (len(word) >= MIN_PREFIX and word[0].isupper() and names[0].startswith(folded))
    }


def to_second_person(text: str, names: set[str]) -> str:
    """The question as put to the person it names: "Where did Ann go?" becomes "Where did you go?".

    A turn says "I went to Rome" and never the speaker's own name, so the name only pulls the vector away (RETRIEVAL:
    the largest single gain between two people). Two people are one "you". Without a name the text comes back as it is.
    """
    if not names:
        return text
    pattern = "|".join(sorted(map(re.escape, names), key=lambda name: (-len(name), name)))
    text = re.sub(rf"\b(?:{pattern})['’]s?(?!\w)", "your", text)
    text = re.sub(rf"\b(?:{pattern})\b", "you", text)
    text = _SUBJECT_PRONOUN.sub("you", _PRONOUN.sub("your", text))
    for wrong, right in _AGREEMENT:
        text = wrong.sub(right, text)
    return _BOTH.sub(r"\1", text)


def without_request(text: str) -> str:
    """The question without its request phrase and question word; as it is when nothing else would be left."""
    rest = _REQUEST.sub("", text, count=1).strip(" ?.!")
    return rest or text
