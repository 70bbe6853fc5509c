"""Phrases of a question that point at a place in the conversation: "three beats ago", "before we chose Redis".

Rules for English. Borders: looks at the question alone; `clew.rank.anchors` and `clew.recall.positions` find turns.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from clew.analyze.lexicon import PAST, describe
from clew.text.late_pattern import late_pattern

PhraseKind = Literal["ago", "last", "start", "session", "previous", "before", "after", "around", "first"]

CLAUSES: Final[tuple[PhraseKind, ...]] = ("before", "after", "around", "first")
"""Kinds that name something that was said, so that the turn has to be looked up."""

MOST: Final = 4
"""Most phrases that are read from one question."""

MOST_CHARACTERS: Final = 2_000
"""Longest question, in characters, in which phrases are looked for: a longer one is a text and no question."""

MOST_WORDS: Final = 14
"""Most words of a clause."""


@dataclass(frozen=True, slots=True)
class PositionPhrase:
    """One phrase that points at a place in the conversation.

    Attributes:
        kind: `ago`, `count` units before the end; `last`, the last `count` units; `start` of the conversation;
            `session`, the current session; `previous`, the session before it; `before`, `after` or `around` the turn
            that says what the clause says; `first`, around the first such turn.
        span: start and end of the phrase in the question.
        words: the phrase itself.
        unit: `beat`, `chapter`, `turn` or `session`, where something is counted; `request` for a message of the user.
        count: number of units.
        clause: what was said, without its subject pronoun.
        subject: the clause without its leading verb.
    """

    kind: PhraseKind
    span: tuple[int, int]
    words: str
    unit: str = ""
    count: int = 0
    clause: str = ""
    subject: str = ""


_NUMBERS: Final = {
    name: number
    for number, names in enumerate(
        "|a an one the|two couple|three few|four several|five|six|seven|eight|nine|ten|eleven|twelve".split("|")
    )
    for name in names.split()
}
_N = (
    r"(?:(?P<n>one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a couple of|a few|few|several|an?"
    r"|\d{1,3}) )"
)
_UNIT = r"(?P<unit>beats?|chapters?|turns?|messages?|sessions?|conversations?|chats?)"
_TALK = r"(?:conversations?|chats?|sessions?|discussions?)"
_ENDS = r"(?=\s*(?:[,.?!;:]|$))"
_ASKER = r"(?:I|the user|the person)"
_AGO = late_pattern(rf"\b{_N}{_UNIT} (?:ago|back|earlier)\b", re.IGNORECASE)
_BEFORE_LAST = late_pattern(
    r"\b(?:(?:in|from|during|of|at) )?(?:the|our|my) (?P<unit>session|conversation|chat) before (?:the )?last"
    r"(?: one)?\b"
    r"(?! (?:week|month|year|night|time|monday|tuesday|wednesday|thursday|friday|saturday|sunday))",
    re.IGNORECASE,
)
_LAST = late_pattern(
    rf"\b(?:(?:in|over|during|within|from|of) )?(?:the|our|my) (?:last|past|previous) (?:{_N}(?P<units>beats|chapters"
    rf"|turns|messages|sessions|conversations|chats)|(?P<one>beat|chapter|message))\b"
    r"(?! of (?:the|a|an|his|her|their) )",
    re.IGNORECASE,
)
_REQUEST = late_pattern(
    r"\b(?:the|my|our) (?:very )?(?P<end>last|latest|most recent|previous|first) (?:(?:request|question|prompt"
    rf"|instruction)|thing (?:that )?{_ASKER} (?:asked|said|wanted|requested|told))\b"
    r"(?! (?:of|in|on|from) (?:the|a|an|his|her|their) )"
    rf"|(?<=\bdid )(?:{_ASKER}) (?:ask|say|want|request|tell)(?: you| for| you for)? "
    r"(?:(?P<late>last|most recently|(?:at|in) the (?:very )?end|finally)"
    rf"|(?P<early>first|at first|to begin with|(?:at|in) the (?:very )?(?:beginning|start))){_ENDS}",
    re.IGNORECASE,
)
_REQUEST_WORDS: Final = ("last", "latest", "recent", "previous", "first", "begin", " the end", "finally", " the start")
_SESSION = late_pattern(
    rf"\b(?:earlier )?in (?:this|the current) {_TALK}\b|\bearlier (?:today )?in (?:our|the) {_TALK}\b", re.IGNORECASE
)
_PREVIOUS = late_pattern(
    rf"\b(?:in|from|during|of|at) (?:our|the|my) (?:last|previous) {_TALK}\b"
    r"|\b(?:the )?last time (?:that )?(?:we|you and I|I) (?:spoke|talked|chatted|met|worked)\b(?: together)?"
    rf"|(?<=[^.?!]{{8}})(?<!the )\blast time{_ENDS}|^last time\b(?=,| (?:we|you|I)\b)",
    re.IGNORECASE,
)
_START = late_pattern(
    rf"\b(?:at|in|near|from|since) the (?:very )?(?:beginning|start|outset) of (?:our|the|this|my) {_TALK}\b"
    rf"|\bwhen we (?:first )?(?:started|began) (?:talking|chatting|(?:this|our) {_TALK}){_ENDS}",
    re.IGNORECASE,
)
_OF_CLAUSE: Final[dict[str, PhraseKind]] = {
    "before": "before",
    "until": "before",
    "till": "before",
    "after": "after",
    "since": "after",
    "once": "after",
    "when": "around",
    "the first time": "first",
    "the first time that": "first",
}
_WORD = r"[^\s,.?!;:]+"
_CLAUSE = late_pattern(
    rf"\b(?P<side>before|after|since|until|till|once|when|the first time(?: that)?) (?P<who>we|I|you)(?P<had>['’]d)?"
    rf" (?P<clause>{_WORD}(?: {_WORD}){{0,{MOST_WORDS - 1}}})",
    re.IGNORECASE,
)
_MENTION = late_pattern(
    r"\b(?P<side>before|after|since|until|till|when|the first time(?: that)?)"
    r" (?!(?:we|I|you|it|this|that|did|do|does|is|are|was|were|will|has|have|had|can|could|should|would) )"
    rf"(?P<clause>{_WORD}(?: {_WORD}){{0,6}}?) (?:(?:was|were) (?:first )?(?:mentioned|discussed|introduced|brought up)"
    r"|(?:first )?came up)\b",
    re.IGNORECASE,
)
_SPACES: Final = late_pattern(r"\s+")
_BEFORE_MARK: Final = late_pattern(r" (?=[,.?!;:])")
_DOUBLED: Final = late_pattern(r"[,;:](?=[,.?!;:])")
_GOES_ON = late_pattern(
    r" (?:(?:and|or|but) (?:when|before|after|until|then|how|what|which|who|where|why|did|I|we|you)|what|how|which"
    r"|where|why|did|do|does) .*",
    re.IGNORECASE,
)
_ADVERBS: Final = frozenset(
    "first finally then had just originally initially already actually last both all even only ever later".split()
)
_SPEAKING: Final = frozenset(
    "to about on of with discussing talking asking mentioning working using speaking discuss talk mention use".split()
)


def position_phrases(text: str) -> tuple[PositionPhrase, ...]:
    """The position phrases of a question in the order of the text, at most `MOST`."""
    if len(text) > MOST_CHARACTERS:
        return ()
    phrases: list[PositionPhrase] = []
    for phrase in _candidates(text):
        if not any(phrase.span[0] < other.span[1] and other.span[0] < phrase.span[1] for other in phrases):
            phrases.append(phrase)
    return tuple(sorted(phrases, key=lambda phrase: phrase.span)[:MOST])


def without_position_phrases(
    text: str, phrases: Sequence[PositionPhrase], excluded: Collection[tuple[int, int]] = ()
) -> str:
    """The question without the phrases that name nothing that was said; unchanged where it has none.

    Args:
        excluded: positions of dates that are not asked about, which go too.
    """
    spans = [phrase.span for phrase in phrases if phrase.kind not in CLAUSES]
    spans = [*excluded, *(span for span in spans if not any(span[0] < to and at < span[1] for at, to in excluded))]
    if not spans:
        return text
    return _DOUBLED.sub("", _BEFORE_MARK.sub("", _SPACES.sub(" ", cut_out(text, spans)))).strip(" ,;:")


def cut_out(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with each span replaced by a space; spans do not overlap."""
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return text


def _candidates(text: str) -> Iterator[PositionPhrase]:
    """Every phrase that a pattern finds, stronger patterns first; they may overlap."""
    lower = text.lower()
    for match in _matches(_AGO, text, lower, "ago", "back", "earlier"):
        yield PositionPhrase("ago", match.span(), match[0], _unit(match["unit"]), _number(match["n"]))
    for match in _matches(_BEFORE_LAST, text, lower, "before last", "before the last"):
        yield PositionPhrase("ago", match.span(), match[0], _unit(match["unit"]), 2)
    for match in _matches(_LAST, text, lower, "last", "past", "previous"):
        named = match["units"] or match["one"]
        yield PositionPhrase("last", match.span(), match[0], _unit(named), _number(match["n"]) if match["units"] else 1)
    for match in _matches(_REQUEST, text, lower, *_REQUEST_WORDS):
        is_first = match["early"] or (match["end"] or "").casefold() == "first"
        yield PositionPhrase("start" if is_first else "last", match.span(), match[0], "request", 1)
    for kind, pattern, words in _PLAIN:
        for match in _matches(pattern, text, lower, *words):
            yield PositionPhrase(kind, match.span(), match[0])
    for match in _matches(_MENTION, text, lower, "mentioned", "discussed", "introduced", "brought up", "came up"):
        yield PositionPhrase(_side(match), match.span(), match[0], clause=match["clause"], subject=match["clause"])
    at = 0 if any(map(lower.__contains__, _WHO)) else len(text)
    while (begun := _CLAUSE.search(text, at)) is not None:
        phrase = _clause(begun)
        at = begun.start("clause") if phrase is None else phrase.span[1]
        if phrase is not None:
            yield phrase


_PLAIN: Final[tuple[tuple[PhraseKind, re.Pattern[str], tuple[str, ...]], ...]] = (
    ("start", _START, ("beginning", "start", "outset", "began")),
    ("previous", _PREVIOUS, ("last", "previous")),
    ("session", _SESSION, ("this", "current", "earlier")),
)
_WHO: Final = tuple(
    f"{side} {who}"
    for side in ("before", "after", "since", "till", "until", "once", "when", "time", "that")
    for who in ("we", "i", "you")
)


def _matches(pattern: re.Pattern[str], text: str, lower: str, *words: str) -> Iterable[re.Match[str]]:
    """The matches of a pattern that needs one of `words`: most questions have none, which is cheaper to test."""
    return pattern.finditer(text) if any(map(lower.__contains__, words)) else ()


def _clause(match: re.Match[str]) -> PositionPhrase | None:
    """The phrase of a clause; None where the clause is not about the past."""
    clause = _GOES_ON.sub("", match["clause"])
    words = clause.split()
    verb = next((at for at, word in enumerate(words[:3]) if word.casefold() not in _ADVERBS), None)
    if verb is None or not (match["had"] or _had(words[:verb]) or _past(words[verb])):
        return None
    rest = verb + 1
    while rest < len(words) and words[rest].casefold() in _SPEAKING:
        rest += 1
    end = match.start("clause") + len(clause)
    words_of = match.string[match.start() : end]
    return PositionPhrase(
        _side(match), (match.start(), end), words_of, clause=clause, subject=" ".join(words[rest:]) or clause
    )


def _had(words: Sequence[str]) -> bool:
    return "had" in map(str.casefold, words)


def _past(word: str) -> bool:
    """Whether a word may be a verb in the past."""
    plain = word.casefold()
    return plain in ("was", "were", "did", "had", "used") or bool(plain and describe(plain).flags & PAST)


def _side(match: re.Match[str]) -> PhraseKind:
    return _OF_CLAUSE[match["side"].casefold()]


def _unit(word: str) -> str:
    plain = word.casefold().removesuffix("s")
    return {"message": "turn", "conversation": "session", "chat": "session"}.get(plain, plain)


def _number(words: str) -> int:
    words = words.casefold()
    return int(words) if words.isdecimal() else max(_NUMBERS.get(word, 0) for word in words.split())
