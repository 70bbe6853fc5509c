"""What a turn's wording says about whether it continues a topic or begins one, as one set of flags.

English words; a question mark is recognised in any script. Of a long turn only the opening and the end are examined,
since that is where people say such things. A cue is weighted evidence (`boundary`), never a decision.
"""

import re
from enum import IntFlag, auto
from string import ascii_lowercase
from typing import Final

from clew.text.ascii_runs import runs, table_of
from clew.text.late_pattern import late_pattern


class TurnCue(IntFlag):
    """The cues of one turn.

    Attributes:
        ASKS: the turn contains a question.
        ASKS_YOU: the question is to the other person about themselves, as new topics of small talk begin.
        REQUESTS: the turn opens with a request or an errand.
        GREETS: the turn opens with a greeting.
        THANKS: the turn contains thanks or a farewell.
        DONE: the turn says that something is finished.
        POINTS_BACK, POINTS_BACK_OFTEN: its first words contain one pronoun for something said before, or several.
        ASKS_ABOUT_YOURS: a question contains "your".
        ACQUAINTS: the turn asks what people ask who get to know each other: for work, hobbies, family, favourites.
        ASKS_HOW_YOU_ARE: the turn asks how the other person is, after which a conversation begins.
        TELLS_AND_ASKS: the turn contains a question and something that is none.
        ABOUT_SELF, ABOUT_SELF_OFTEN: the turn contains one pronoun of the first person singular, or several.
        ASSISTANT: the turn reads like a service or an assistant, which answer and seldom raise a topic, or it is a
            tool's. Wording and layout decide, never the role: people who chat are stored under either.
    """

    ASKS = auto()
    ASKS_YOU = auto()
    REQUESTS = auto()
    GREETS = auto()
    THANKS = auto()
    DONE = auto()
    POINTS_BACK = auto()
    POINTS_BACK_OFTEN = auto()
    ASSISTANT = auto()
    ASKS_ABOUT_YOURS = auto()
    ACQUAINTS = auto()
    ASKS_HOW_YOU_ARE = auto()
    TELLS_AND_ASKS = auto()
    ABOUT_SELF = auto()
    ABOUT_SELF_OFTEN = auto()


# As plain integers, because joining enum flags is much slower.
_ASKS, _ASKS_YOU, _REQUESTS, _GREETS, _THANKED = map(
    int, (TurnCue.ASKS, TurnCue.ASKS_YOU, TurnCue.REQUESTS, TurnCue.GREETS, TurnCue.THANKS)
)
_FINISHED, _POINTS_BACK, _POINTS_BACK_OFTEN, _ASSISTANT = map(
    int, (TurnCue.DONE, TurnCue.POINTS_BACK, TurnCue.POINTS_BACK_OFTEN, TurnCue.ASSISTANT)
)
_ASKS_ABOUT_YOURS, _ACQUAINTS, _ASKS_HOW_YOU_ARE = map(
    int, (TurnCue.ASKS_ABOUT_YOURS, TurnCue.ACQUAINTS, TurnCue.ASKS_HOW_YOU_ARE)
)
_TELLS_AND_ASKS, _ABOUT_SELF, _ABOUT_SELF_OFTEN = map(
    int, (TurnCue.TELLS_AND_ASKS, TurnCue.ABOUT_SELF, TurnCue.ABOUT_SELF_OFTEN)
)
_HEAD: Final = 600
_TAIL: Final = 300
_WORD: Final = late_pattern(r"[a-z]+(?:'[a-z]+)*")
_IN_WORDS: Final = table_of(f"{ascii_lowercase}'")
_QUESTION: Final = late_pattern(r"[?？؟]")
_OPENING_WORDS: Final = 10
_POINTERS: Final = frozenset("it its that this they them their he him his she her those these one there".split())
_GREETINGS: Final = frozenset("hi hello hey greetings".split())
_YOU: Final = late_pattern(r"\b(?:do|are|have|did) you\b")
_YOURS: Final = late_pattern(r"\byour\b[^.!?？؟]*[?？؟]")
_TOLD: Final = late_pattern(r"[^\W_][^.!?？؟]*(?:[.!]|$)")
_SELF: Final = frozenset("i my me mine i'm i've".split())
_HOW_YOU_ARE: Final = late_pattern(
    r"\bhow (?:(?:are|is|r|have|has|was) (?:you|u|ya|things|it|your|everything|life)|you doing)\b"
    r"|\bwhat(?:'?s| is) up\b"
)
_ACQUAINTING: Final = late_pattern(
    r"\b(?:what (?:do|did|does|are) you do|do for (?:a living|work|fun)|for fun|(?:where|who) (?:are|r) you"
    r"|your (?:favou?rite|hobb(?:y|ies)|name|plans)|any (?:hobbies|pets|kids|children|siblings|plans|brothers|sisters)"
    r"|about your(?:self)?|what (?:kind|type|sort) of \w+ do you)\b"
)
# A text without any of these words is not searched.
_MAY_ASK_HOW: Final = frozenset(("how", "what", "whats"))
_MAY_ACQUAINT: Final = frozenset(("you", "your", "yourself", "fun", "any", "living", "work"))
_THANKS: Final = late_pattern(
    r"\b(?:thank(?:s| you|you)|you(?:'re| are) (?:very |most )?welcome|(?:good)?bye|farewell)\b"
)
_DONE: Final = late_pattern(
    r"\b(?:done|fixed|solved|resolved|finished|completed?|merged|deployed|released|shipped|committed|booked|successful"
    r"|successfully|confirmed|works now|that works|all set|all tests pass|tests are green|is in place|that's all"
    r"|that is all|anything else)\b"
)
# A text without any of these words is not searched.
_MAY_THANK: Final = frozenset("thank thanks thankyou welcome bye goodbye farewell".split())
_MAY_BE_DONE: Final = frozenset(
    "done fixed solved resolved finished complete completed merged deployed released shipped committed booked "
    "successful successfully confirmed works set tests place all else".split()
)
# How a service offers, confirms and asks for what it needs.
_SERVES: Final = late_pattern(
    r"\b(?:would you (?:like|prefer|want)|anything else (?:i|we|you)|is there anything|help you|assist you|for you"
    r"|(?:can|may) (?:i|we) (?:help|assist)|do you need"
    r"|i(?:'ve| have| can|'ll| will|'d| would)?(?: also| just)? (?:book|booked|reserve|reserved|recommend|suggest"
    r"|schedule|scheduled|updated?|found|confirm)|i have (?:several|many|two|three)|number is"
    r"|(?:booking|reservation) (?:was|is|has)|was successful"
    r"|there are (?:no|two|three|four|five|several|many|over|about)"
    r"|your (?:\w+ )?(?:reference|booking|reservation|order|appointment|request|account)"
    r"|(?:is|are) located|address is|postcode|miles away|happy to help|glad (?:i|to|we)"
    r"|have a (?:great|good|nice|wonderful) (?:day|trip|time|evening|stay|one)"
    r"|here(?:'s| is| are) (?:the|your|some|an?)|let me know if|please (?:confirm|note))\b"
)
# A text without any of these words is not searched.
_MAY_SERVE: Final = frozenset(
    "like prefer want anything help assist you need book booked reserve reserved recommend suggest schedule scheduled "
    "update updated found confirm several many two three number booking reservation successful no four five over about "
    "reference order appointment request account located address postcode miles happy glad great good nice wonderful "
    "here know please".split()
)
_LAID_OUT: Final = late_pattern(
    r"^(?:```|#{1,4} |\|.*\||\s*(?:[-*]|\d{1,2}\.) +\S.*\n\s*(?:[-*]|\d{1,2}\.) )", re.MULTILINE
)
# A text without any of these is not searched.
_MAY_BE_LAID_OUT: Final = ("\n", "#", "|", "`")
_LONG: Final = 600
_REQUEST: Final = late_pattern(
    r"(?:(?:hi|hello|hey|ok|okay|and|also|now|next|so|yes|great|thanks|well) ){0,2}(?:please |also |now )?"
    r"(?:i need|i want|i(?:'d| would) like|i(?:'m| am) (?:looking|trying)|(?:can|could) you|please|find|give me|tell me"
    r"|show me|help me|let'?s|set|schedule|remind|(?:do you have|(?:are|is) there) any"
    r"|(?:what|where|when)(?:'s| is| are| will)|add|write|create|make|build|implement|fix|change|update|explain"
    r"|summari[sz]e|translate|book)\b"
)


def cues_of(text: str, role: str = "user") -> TurnCue:
    """The cues of a turn. Accepts any string.

    Args:
        text: the turn's plain text.
        role: the role in the wire formats' terms; only that of a tool matters.
    """
    seen = text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    seen = seen.lower().replace("’", "'")
    words = _words(seen)
    plain = " ".join(words)
    bare = frozenset(plain.replace("'", " ").split() if "'" in plain else words)
    found = _asked(seen, plain, bare) if _QUESTION.search(seen) else 0
    if not _MAY_ASK_HOW.isdisjoint(bare) and _HOW_YOU_ARE.search(plain):
        found |= _ASKS_HOW_YOU_ARE
    if not _MAY_ACQUAINT.isdisjoint(bare) and _ACQUAINTING.search(plain):
        found |= _ACQUAINTS
    selves = len([word for word in words if word in _SELF])
    if selves:
        found |= _ABOUT_SELF if selves == 1 else _ABOUT_SELF | _ABOUT_SELF_OFTEN
    pointers = len([word for word in words[:_OPENING_WORDS] if word in _POINTERS])
    if pointers:
        found |= _POINTS_BACK if pointers == 1 else _POINTS_BACK | _POINTS_BACK_OFTEN
    if words and words[0] in _GREETINGS:
        found |= _GREETS
    if _REQUEST.match(plain):
        found |= _REQUESTS
    if not _MAY_THANK.isdisjoint(bare) and _THANKS.search(plain):
        found |= _THANKED
    if not _MAY_BE_DONE.isdisjoint(bare) and _DONE.search(plain):
        found |= _FINISHED
    laid_out = any(map(seen.__contains__, _MAY_BE_LAID_OUT)) and _LAID_OUT.search(seen)
    serves = not _MAY_SERVE.isdisjoint(bare) and _SERVES.search(plain)
    if role == "tool" or len(text) >= _LONG or laid_out or serves:
        found |= _ASSISTANT
    return TurnCue(found)


def _words(seen: str) -> list[str]:
    """The words of a text in lower case, with the apostrophes inside."""
    if not seen.isascii() or "''" in seen:
        return _WORD.findall(seen)
    found = runs(seen, _IN_WORDS)
    return [word for run in found if (word := run.strip("'"))] if "'" in seen else found


def _asked(seen: str, plain: str, bare: frozenset[str]) -> int:
    """The cues of a turn with a question mark that depend on the question."""
    found = _ASKS
    if "you" in bare and _YOU.search(plain):
        found |= _ASKS_YOU
    if "your" in bare and _YOURS.search(seen):
        found |= _ASKS_ABOUT_YOURS
    return found | _TELLS_AND_ASKS if _TOLD.search(seen) else found
