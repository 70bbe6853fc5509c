"""What a turn's own words say about whether it goes on or begins something, as one set of flags.

English words; a question mark is read in any script. Of a long turn its opening and its end are looked at, since that
is where people say such things. A cue is evidence with a weight (`boundary`), never a decision.
"""

import re
from enum import IntFlag, auto
from typing import Final


class Cue(IntFlag):
    """The cues of one turn.

    Attributes:
        ASKS: there is a question.
        ASKS_YOU: it is a question to the other person about themselves, as new topics of small talk begin.
        REQUESTS: it opens with a request or an errand.
        GREETS: it opens with a greeting.
        THANKS: there are thanks, or a farewell.
        DONE: it says that something is finished.
        POINTS_BACK, POINTS_BACK_OFTEN: its first words stand for something said before: once, more than once.
        ASSISTANT: an assistant or a tool speaks, which answer and seldom raise a topic.
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


_HEAD: Final = 600
_TAIL: Final = 300
_WORD: Final = re.compile(r"[a-z]+(?:'[a-z]+)*")
_QUESTION: Final = re.compile(r"[?？؟]")
_OPENING_WORDS: Final = 10
_POINTERS: Final = frozenset("it its that this they them their he him his she her those these one there".split())
_GREETINGS: Final = frozenset("hi hello hey greetings".split())
_YOU: Final = re.compile(r"\b(?:do|are|have|did) you\b")
_THANKS: Final = re.compile(
    r"\b(?:thank(?:s| you|you)|you(?:'re| are) (?:very |most )?welcome|(?:good)?bye|farewell)\b"
)
_DONE: Final = re.compile(
    r"\b(?:done|fixed|solved|resolved|finished|completed?|merged|deployed|released|shipped|committed|booked|successful"
    r"|successfully|confirmed|works now|that works|all set|all tests pass|tests are green|is in place|that's all"
    r"|that is all|anything else)\b"
)
_REQUEST: Final = re.compile(
    r"(?:(?:hi|hello|hey|ok|okay|and|also|now|next|so|yes|great|thanks|well) ){0,2}(?:please |also |now )?"
    r"(?:i need|i want|i(?:'d| would) like|i(?:'m| am) (?:looking|trying)|(?:can|could) you|please|find|give me|tell me"
    r"|show me|help me|let'?s|set|schedule|remind|(?:do you have|(?:are|is) there) any"
    r"|(?:what|where|when)(?:'s| is| are| will)|add|write|create|make|build|implement|fix|change|update|explain"
    r"|summari[sz]e|translate|book)\b"
)


def cues_of(text: str, role: str = "user", speaker: str | None = None) -> Cue:
    """The cues of a turn; total for any string.

    Args:
        text: the turn's plain text.
        role: who speaks, as the wire formats say it.
        speaker: the speaker's own name. An "assistant" who has a name is taken for a person: conversations of two
            people are stored so.
    """
    seen = text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    seen = seen.lower().replace("’", "'")
    words = _WORD.findall(seen)
    plain = " ".join(words)
    found = Cue(0)
    if _QUESTION.search(seen):
        found |= Cue.ASKS
        if _YOU.search(plain):
            found |= Cue.ASKS_YOU
    pointers = sum(word in _POINTERS for word in words[:_OPENING_WORDS])
    if pointers:
        found |= Cue.POINTS_BACK if pointers == 1 else Cue.POINTS_BACK | Cue.POINTS_BACK_OFTEN
    if words and words[0] in _GREETINGS:
        found |= Cue.GREETS
    if _REQUEST.match(plain):
        found |= Cue.REQUESTS
    if _THANKS.search(plain):
        found |= Cue.THANKS
    if _DONE.search(plain):
        found |= Cue.DONE
    if role in ("assistant", "tool") and (speaker is None or speaker.lower() in ("", "assistant", "tool", "ai", "bot")):
        found |= Cue.ASSISTANT
    return found
