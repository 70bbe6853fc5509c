"""What somebody says in a turn: its text without code, quotations, pasted documents, and what programs wrote.

What is left out is replaced by blanks. Speech that was written down is put as its sentences (`clew.text.spoken`).
"""

from typing import Final

from clew.knowledge.guard import blanked, own_words
from clew.text.late_pattern import late_pattern
from clew.text.spoken import as_sentences
from clew.types.turn import Turn

LONGEST: Final = 4_000
"""Characters of a turn that are read: a longer one is a document, before which its message stands."""
_TAGGED: Final = late_pattern(r"<([A-Za-z][\w-]*)[^<>]*>.*?</\1>|<[^<>\n]{1,200}>", 16)
_QUOTED: Final = late_pattern(r"(?<!\w)['‘](?=[A-Z])(?:[^'’\n]|(?<=\w)['’](?=\w)){1,300}(?<=[.!?,])['’]")
_MAY_QUOTE: Final = late_pattern(r"['‘][A-Z]")
# Lines that are not sentences: by how they begin, and by a sign of code in them.
_CODE_LINE: Final = late_pattern(
    r"(?m)^[ \t]*(?:>|\||#|//|/\*|\*/|\$ |at [\w.$]+\(|import |from \w[\w.]* import|def |class |return\b|const "
    r"|let \w+ =|var |[{}\[\]();]).*$"
)
_CODE_WITHIN: Final = late_pattern(r"(?m)^.*(?:[{}]|;(?! [A-Za-z])|=>|\)\s*:|\w\(\)|\w = ).*$(?<![.!?])")
_SIGNS_WITHIN: Final = ("{", "}", ";", "=>", ")", " = ")
_HEADING: Final = late_pattern(r"(?m)^#{1,6} \S")
_HEADINGS: Final = 2
_LINE_MARKS: Final = frozenset(">#|$/")
_CODE_MARKS: Final = ("\n", "{", ";", "=>", "()", " = ")


def speech(turn: Turn) -> str:
    """The words of the turn's author in the turn's text, all else blank; empty if they are nobody's.

    A program's words are nobody's: those of tools, of the system, of a model, and what clients inject.
    """
    if turn.role in ("tool", "system") or turn.origin in ("tool", "web", "injected"):
        return ""
    if turn.role == "assistant" and turn.speaker is None:
        return ""
    said = "\n".join(part.text for part in turn.parts if part.type == "text" and part.text)[:LONGEST]
    return _spoken(as_sentences(said), turn.speaker)  # before marks of noise are taken for code


def report(turn: Turn) -> str:
    """The words of a model in its turn, without marks of emphasis; all else blank."""
    text = "\n".join(part.text for part in turn.parts if part.type == "text" and part.text)[:LONGEST]
    return _spoken(text.replace("**", "  "))


def _spoken(text: str, author: str | None = None) -> str:
    text = own_words(text, author)
    if not text or ("#" in text and len(_HEADING.findall(text)) >= _HEADINGS):
        return ""
    if "<" in text:
        text = _TAGGED.sub(blanked, text)
    if _MAY_QUOTE.search(text) is not None:
        text = _QUOTED.sub(blanked, text)
    if _is_mixed(text):
        text = _CODE_LINE.sub(blanked, text)
        if any(sign in text for sign in _SIGNS_WITHIN):
            text = _CODE_WITHIN.sub(blanked, text)
    return text


def _is_mixed(text: str) -> bool:
    return text.lstrip()[:1] in _LINE_MARKS or any(map(text.__contains__, _CODE_MARKS))
