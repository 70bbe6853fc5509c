"""Words that a text announces as not its author's own: what somebody said or wrote, a text to be worked on, a play.

They stand behind a colon or dash without quotation marks: "The customer wrote: I want a refund", "Translate this: I
have two dogs". In a play that is agreed on ("let's role-play") everything after it is somebody's part.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from clew.analyze.entities import listed_type
from clew.text.ascii_runs import LETTERS, runs
from clew.text.late_pattern import late_pattern
from clew.types.entity import NodeType

_MARK: Final = late_pattern(r":(?=\s)|-(?<=[ \t]-)-?[ \t]|–(?<=[ \t]–)[ \t]|—(?<=[ \t]—)[ \t]")
"""A colon, or a dash between blanks; each alternative begins with its sign, for which a search is fast."""
_ENDS: Final = ".!?\n:"
_LONGEST_LEAD: Final = 160
"""Characters before a mark in which the announcement stands, within its sentence."""
_WORDS: Final = r"(?:\s+(?!(?:he|she|they|it|that|we|i|you|is|are|was|were|has|have|had)\b)[^\s,;]+){0,6}\s*$"
_SAYING: Final = (
    "said|says|saying|wrote|writes|replied|replies|answered|answers|texted|texts|messaged|emailed|commented|posted"
    "|tweeted|stated|states|claimed|complained|quoted|shouted|yelled|asked|asks|told|read|reads|goes|was like"
)
_SAID: Final = late_pattern(rf"\b(?P<verb>{_SAYING})\b{_WORDS}", re.IGNORECASE)
"""A verb of saying, with no more than whom it was said to and where behind it."""
_OWN: Final = late_pattern(
    r"\b(?:i|we)(?:['’](?:ve|d|m)| have| had| am)?(?: \w+ly| just| also| already| only)?\s*$", re.IGNORECASE
)
_TEXT: Final = (
    "message|messages|mail|mails|email|emails|e-mail|e-mails|review|reviews|comment|comments|ticket|tickets|letter"
    "|letters|reply|replies|feedback|complaint|complaints|testimonial|testimonials|tweet|tweets|voicemail|voicemails|sms"
    "|bug report|bug reports"
)
_WRITTEN: Final = late_pattern(
    rf"\b(?:the|their|his|her|this|that|an?|another|[\w-]+['’]s)\s+(?:[\w-]+\s+){{0,3}}?(?:{_TEXT})(?:\s+[^\s,;]+){{0,5}}\s*$",
    re.IGNORECASE,
)
"""A piece of writing that is not called one's own: "the review we got", "this mail from a customer"."""
_ABOUT: Final = frozenset(("about", "for"))
_OF_TOPICS: Final = frozenset(("asked", "asks", "told", "read", "reads"))
_TOPICS: Final = frozenset("about re regarding concerning on of for after since before with".split())
"""Before a piece of writing that the author speaks of: "about the ticket: I fixed it"."""
_PRESENTING: Final = frozenset("here here's is was this that's see look at from and so then ok now below".split())
"""All that may stand before a piece of writing that follows behind a dash."""
_POLITE: Final = r"^\W*(?:(?:please|can you|could you|would you|help me|i want you to|i need you to|to|now|ok|hey)\W+)*"
_REWORDING: Final = "translate|proofread|proof-read|paraphrase|rephrase|reword|rewrite|summarise|summarize"
_OF_TEXTS: Final = "correct|polish|shorten|simplify|continue|classify|label|annotate"
_OF_ANYTHING: Final = "improve|edit|analyse|analyze"
_OF_THINGS: Final = "fix|check|complete"
"""What is done to programs and tasks, too, of which the author tells: "fix this: I use zsh and it fails"."""
_TREATING: Final = f"{_OF_TEXTS}|{_OF_ANYTHING}|{_OF_THINGS}"
_WORK: Final = late_pattern(
    rf"{_POLITE}(?:(?:{_REWORDING})\b|(?!.*\bmy\b)(?:(?:{_OF_TEXTS})\b.*\b(?:following|this|these)\b"
    rf"|(?:{_OF_ANYTHING})\b.*\b(?:following|this|these)\W*$"
    rf"|(?:{_TREATING})\b.*\b(?:sentences?|text|paragraph|passage|grammar|spelling|story|(?<!command )line)\b))",
    re.IGNORECASE,
)
"""An order to work on a text."""
_ANNOUNCING: Final = frozenset(re.split(r"\W", "|".join((_SAYING, _TEXT, _REWORDING, _TREATING))))
"""The words without one of which nothing is announced."""
_NAME: Final = late_pattern(r"[ \t]*(?P<who>[A-Za-z][\w'’-]*)(?: [A-Z][\w'’-]*)?[ \t]*")
_ROLES: Final = frozenset(
    "customer client agent support interviewer interviewee candidate patient teacher student manager caller user guest"
    " narrator host buyer seller tenant landlord boss reviewer commenter him her them".split()
)
_PLAY: Final = late_pattern(
    r"\b(?:let(?:['’]?s| us)|(?:can|could|shall|will|would) (?:we|you)|i want (?:us |you )?to)"
    r"(?: please)?(?: \w+ an?| \w+ to)? (?:role-? ?play\w*|pretend)\b"
    r"|(?:\A|[.!?\n])\W{0,3}(?:role-? ?play|pretend)\b",
    re.IGNORECASE,
)
_MAY_PLAY: Final = ("role", "pretend")


def without_announced(text: str, low: str, blanks: Callable[[str], str], author: str | None = None) -> str:
    """A text without what it announces as the words of others, or as invented.

    Args:
        low: the text in lower case.
        blanks: gives what stands in place of words.
        author: the author's name, which may stand before the author's own lines.
    """
    if any(map(low.__contains__, _MAY_PLAY)) and (play := _PLAY.search(text)) is not None:
        text = text[: play.start()] + blanks(text[play.start() :])
    if ":" not in text and " -" not in text and "–" not in text and "—" not in text:
        return text
    pieces: list[str] = []
    done = 0
    for begin, end in _spans(text, (author or "").casefold()):
        pieces += (text[done:begin], blanks(text[begin:end]))
        done = end
    return "".join((*pieces, text[done:])) if pieces else text


def _spans(text: str, author: str) -> Iterator[tuple[int, int]]:
    """Where announced words stand, in order."""
    done = 0
    for mark in _MARK.finditer(text):
        at, begin = mark.span()
        if begin < done:
            continue
        before = text[max(0, at - _LONGEST_LEAD) : at]
        lead = before[max(map(before.rfind, _ENDS)) + 1 :]
        colon, low = text[at] == ":", at - len(lead)
        if colon and (low == 0 or text[low - 1] == "\n") and _is_speaker(lead, author):
            begin, done = low, _line_end(text, begin)
        elif not _may_announce(lead):
            continue
        elif colon and _WORK.search(lead) is not None:
            done = len(text)
        elif _is_written(lead, colon=colon) or (colon and _is_said(lead)):
            done = _passage_end(text, begin)
        else:
            continue
        yield begin, done


def _may_announce(lead: str) -> bool:
    """Whether words may announce others: a look at them that takes much less time than the patterns."""
    low = lead.lower()
    return not low.isascii() or not _ANNOUNCING.isdisjoint(runs(low, LETTERS))


def _is_speaker(lead: str, author: str) -> bool:
    """Whether a line begins with who speaks in it: "Customer: I want a refund"."""
    name = _NAME.fullmatch(lead)
    who = name["who"].lower() if name is not None and lead.strip().casefold() != author else ""
    if who and who == author.partition(" ")[0]:
        return False
    return who in _ROLES or (bool(who) and listed_type(who) is NodeType.PERSON)


def _is_written(lead: str, *, colon: bool) -> bool:
    """Whether words end with a piece of writing that follows, and is not only what they are about.

    A dash also joins what the author goes on to say: "thanks for the reply - I live in Rome now".
    """
    writing = _WRITTEN.search(lead)
    if writing is None:
        return False
    before = lead[: writing.start()].lower().replace("’", "'").split()
    return before[-1:] == [] or (before[-1] not in _TOPICS if colon else _PRESENTING.issuperset(before))


def _is_said(lead: str) -> bool:
    """Whether words end with a verb of saying whose subject is not the author."""
    said = _SAID.search(lead)
    if said is None or _OWN.search(lead[: said.start()]) is not None:
        return False
    about = not _ABOUT.isdisjoint(lead[said.end("verb") :].lower().split())
    return not (about and said["verb"].lower() in _OF_TOPICS)  # "you asked about my job: I am a nurse"


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _passage_end(text: str, at: int) -> int:
    """The end of the line in which words begin; of their paragraph, if they begin in a line of their own."""
    end = _line_end(text, at)
    if text[at:end].strip():
        return end
    while end < len(text) and text[end].isspace():
        end += 1
    blank = text.find("\n\n", end)
    return len(text) if blank < 0 else blank
