"""Whether a question asks how a conversation ended or began, and names nothing else: "what did we say last?".

Such a question has no word to look up: "say" and "last" stand in turns all over a conversation, and none of them is its
end. Rules for English. Borders: looks at the words of the question and at the names of the space's speakers.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

from clew.rank.intent.position_phrases import PositionPhrase, position_phrases
from clew.text.late_pattern import late_pattern

By = Literal["anybody", "user", "assistant", "named"]

MOST_CHARACTERS: Final = 160
"""Longest question that is read: a longer one names something."""


@dataclass(frozen=True, slots=True)
class ConversationEnd:
    """The end or the beginning of a conversation, as a question asks for it.

    Attributes:
        is_first: the beginning is meant.
        by: whose words are asked for; `named` for those of the speakers whom the question names.
        is_ever: the beginning of the very first conversation is meant, and not that of the present one.
        is_whole: all of the last conversation is meant: "what did we talk about last time?".
        counted: conversations that are counted back are meant, and all of each: "what did we do two sessions ago?".
    """

    is_first: bool
    by: By
    is_ever: bool = False
    is_whole: bool = False
    counted: PositionPhrase | None = None


_LATE = (
    r"(?:last|most recently|just now|a moment ago|right before this|(?:at|in) the (?:very )?end"
    r"|(?:at|in) the end of (?:our|the|this|that) (?:\w+ )?(?:conversation|chat|session|talk|meeting))"
)
_EARLY = (
    r"(?:first|at first|first of all|to begin with|(?:at|in) the (?:very )?(?:beginning|start)"
    r"|(?:at|in) the (?:very )?(?:beginning|start) of (?:our|the|this|that) (?:\w+ )?(?:conversation|chat|session|talk"
    r"|meeting))"
)
_NAME = r"(?P<name{n}>[^\W\d_][\w'’.-]*(?: [^\W\d_][\w'’.-]*){{0,3}})"
_PERSON = r"(?P<we{n}>we|they|you and i|us)|(?P<user{n}>i|me|the user|the person)|(?P<assistant{n}>you|the assistant)"


def _who(number: int) -> str:
    return f"(?:{_PERSON}|{_NAME})".format(n=number)


_OTHER = r"(?: (?:me|us|you|him|her|them|to (?:me|you|each other|one another)))?"
_DO_SAY = (
    r"(?:say|tell|ask(?: for| about)?|answer|reply|respond|mention|discuss|(?:talk|speak|chat)(?: about)?"
    r"|(?P<deed>do|write|cover|work on))"
)
_SAID = (
    r"(?:said|told|asked(?: for| about)?|answered|replied|responded|mentioned|discussed|(?:talked|spoke|chatted)"
    r"(?: about)?|(?:were|was) (?:saying|discussing|(?:talking|chatting)(?: about)?)"
    r"|(?P<deed>did|wrote|covered|worked on|(?:were|was) doing))"
)
_PASSIVE = r"(?:was|were|got) (?:said|told|discussed|mentioned|talked about|(?P<deeds>written|done))"
_THING = r"(?:thing|topic|subject|point|matter)s?"
_MESSAGE = r"(?:message|turn|reply|response|answer|question|request|prompt)s?"
_USERS: Final = ("question", "request", "prompt")
_ASSISTANTS: Final = ("answer", "response", "repl")
_BEFORE = (
    r"^(?:(?:so|hey|hi|hello|ok|okay|and|well|please|wait|hmm+|sorry|um|now)[,.!]* )*"
    r"(?:(?:(?:can|could|would|will) you )?(?:please )?(?:remind me|tell me|show me|give me|repeat)(?: again)?"
    r"(?: of)?[,:]? "
    r"|(?:do|can) you (?:still )?(?:remember|recall|know|say),? |i (?:forgot|forget) )?"
)
_WHAT_WAS = r"(?:(?:what(?: was| were| is| are|['’]s|s)|which was) )?"
_AFTER = r"(?: (?:again|please|with me|together|here|exactly))*[ ?!.]*$"
_FORMS: Final = tuple(
    late_pattern(_BEFORE + form + _AFTER)
    for form in (
        rf"what (?:did|have|had) {_who(0)} {_DO_SAY}{_OTHER} (?:(?P<late>{_LATE})|(?P<early>{_EARLY}))",
        (
            rf"what (?:was|were) {_who(0)} (?:just )?"
            r"(?:saying|discussing|(?:talking|chatting)(?: about)?|(?P<deed>doing))"
            rf"{_OTHER} (?P<late>last|just now|a moment ago)"
        ),
        rf"what {_who(0)} {_SAID}{_OTHER} (?:(?P<late>{_LATE})|(?P<early>{_EARLY}))",
        (
            rf"{_WHAT_WAS}the (?:very )?(?:(?P<late>last|latest|most recent|final)|(?P<early>first)) {_THING}"
            rf" (?:(?:that )?{_PASSIVE}|(?:that )?{_who(0)} (?:just |ever |have |had )?{_SAID}{_OTHER})"
        ),
        (
            rf"{_WHAT_WAS}(?:the |(?P<our>our )|(?P<my>my )|(?P<your>your )|{_NAME.format(n=1)}['’]s? )?(?:very )?"
            rf"(?:(?P<late>last|latest|most recent|final)|(?P<early>first)) (?:(?:two|three|four|five|few|\d) )?"
            rf"(?P<kind>{_MESSAGE})"
            rf"(?: (?:(?:that )?{_who(0)} (?:just )?(?:{_SAID}|sent|gave){_OTHER}|(?:from|of) {_who(2)}))?"
        ),
        (
            r"where (?:did|had|have) we (?P<late>leave|left|stop|stopped|end|ended)"
            r"(?: (?:it|things))?(?: (?:off|up))?(?: last time)?"
        ),
        r"where (?:we|you and i) (?P<late>left|stopped|ended)(?: (?:it|things))?(?: off| up)?(?: last time)?",
        r"where (?P<late>were) we",
        (
            r"how did (?:(?:our|the|this) (?P<ever>(?:very )?first )?(?:conversation|chat|session|talk|meeting)|we)"
            r" (?P<early>begin|start)(?: (?:talking|chatting))?"
        ),
    )
)
_LAST_TALK = (
    r"(?:last time|(?:in|during|at|on) (?:our|the|my) (?:last|previous|latest|most recent) (?:conversation|chat|session"
    r"|talk|meeting|call)|(?:the )?last time (?:that )?(?:we|you and i) (?:spoke|talked|chatted|met|worked)"
    r"(?: together)?)"
)
_WHOLE: Final = tuple(
    late_pattern(_BEFORE + f"(?P<whole>{form})" + _AFTER)
    for form in (
        rf"what (?:did|have|had) (?:we|you and i) {_DO_SAY} {_LAST_TALK}",
        rf"what (?:we|you and i) {_SAID} {_LAST_TALK}",
        (
            rf"what (?:were we|was said|was discussed|(?P<deed>happened|did we get done))(?: (?:discussing"
            rf"|(?:talking|chatting)(?: about)?|(?P<deeds>doing)))? {_LAST_TALK}"
        ),
        rf"{_LAST_TALK}",
        (rf"(?:summar\w+|recap|sum up) (?:of )?{_LAST_TALK}"),
        (
            r"(?:what (?:was|is|happened in) |summar\w+ |recap |sum up )(?:of )?(?:our|the|my) (?:last|previous|latest"
            r"|most recent) (?:conversation|chat|session|talk|meeting|call)(?: (?:all )?about)?"
        ),
    )
)
_TALKS: Final = ("session", "conversation", "chat")
_WORDS: Final = tuple("last latest recent final end now ago first begin start where previous".split())


def conversation_end(text: str, names: Collection[str], *, with_assistant: bool) -> ConversationEnd | None:
    """The end or the beginning that a question asks for; None for a question that asks for anything else.

    Args:
        names: the words of the question that name speakers, in any case; another subject ("the doctor") is something
            that was spoken of.
        with_assistant: an assistant takes part, so that what was done was done there; what people did they tell of.
    """
    if len(text) > MOST_CHARACTERS:
        return None
    lower = " ".join(text.casefold().split())
    if not any(map(lower.__contains__, _WORDS)):
        return None
    counted, as_last = _counted(text)
    matched = next((match for form in _WHOLE if (match := form.match(as_last or lower))), None)
    matched = matched or next((match for form in _FORMS if (match := form.match(lower))), None)
    groups = {} if matched is None else matched.groupdict()
    if matched is None or (not with_assistant and (groups.get("deed") or groups.get("deeds"))):
        return None
    if "whole" in groups:
        return ConversationEnd(is_first=False, by="anybody", is_whole=True, counted=counted)
    given = [groups[name] for name in ("name0", "name1", "name2") if groups.get(name)]
    known = {name.casefold() for name in names}
    if any(not known.intersection((word.removesuffix("'s"), *word.split())) for word in given):
        return None
    return ConversationEnd(bool(groups.get("early")), _by(groups, named=bool(given)), bool(groups.get("ever")))


def _counted(text: str) -> tuple[PositionPhrase | None, str]:
    """The only phrase of a question that counts conversations back, and the question as one for the last of them."""
    lower = text.casefold()
    places = position_phrases(text) if any(map(lower.__contains__, _TALKS)) else ()
    if len(places) != 1 or places[0].unit != "session":
        return None, ""
    start, end = places[0].span
    return places[0], " ".join(f"{text[:start]} last time {text[end:]}".casefold().split())


def _by(groups: dict[str, str | None], *, named: bool) -> By:
    if named:
        return "named"
    kind = groups.get("kind") or ""
    if groups.get("my") or groups.get("user0") or groups.get("user2"):
        return "user"
    if groups.get("your") or groups.get("assistant0") or groups.get("assistant2"):
        return "assistant"
    if groups.get("our") or groups.get("we0") or not kind:
        return "anybody"
    return "user" if kind.startswith(_USERS) else "assistant" if kind.startswith(_ASSISTANTS) else "anybody"
