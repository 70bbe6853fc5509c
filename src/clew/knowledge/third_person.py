"""What speakers say of themselves, in the words of somebody else: "change my flight" is "change their flight".

So a fact reads rightly for whoever did not hear the talk, while the turn keeps its words. English only: the words of
other languages stay as they are.
"""

import re
from typing import Final

from clew.knowledge.morphology import Form, analyses, third_person
from clew.knowledge.slots import GROUP
from clew.text.late_pattern import late_pattern

_FIRST_PERSON: Final = late_pattern(
    r'"[^"\n]*"|“[^”\n]*”|`[^`\n]*`'  # what is quoted stays as it is
    r"|(?<![\w'’&/.-])(?P<word>I|i|we|my|our|me|us|mine|ours|myself|ourselves)"
    r"(?P<short>['’](?:m|re|ve|ll|d))?(?![\w'’&/-])(?P<after> [a-z]+(?:['’]t)?)?"
)
_OTHERS: Final = late_pattern(r"\b(?:they|them|their)\b")
_POSSESSIVES: Final = frozenset(("my", "our", "mine", "ours"))
_OF_MANY: Final = frozenset(("we", "our", "us", "ours", "ourselves"))
_THEY: Final = dict(
    zip(
        ("I", "i", "we", "my", "our", "me", "us", "mine", "ours", "myself", "ourselves"),
        "they they they their their them them theirs theirs themselves themselves".split(),
        strict=True,
    )
)
_SHORT: Final = {"m": ("are", "is"), "re": ("are", "is"), "ve": ("have", "has"), "ll": ("will",), "d": ("would",)}
_AFTER: Final = {
    "am": ("are", "is"),
    "are": ("are", "is"),
    "was": ("were", "was"),
    "were": ("were", "was"),
    "have": ("have", "has"),
    "do": ("do", "does"),
    "don't": ("don't", "doesn't"),
}
"""What follows "they", and what follows a name."""
_STANDS_ALONE: Final = frozenset(("of", "like", "than", "to", "as", "with"))
"""Words after which "mine" is a pronoun, not a mine."""


def in_third_person(text: str, speaker: str, subject: str) -> str:
    """The words of a fact with its speaker as "they" if the fact is about them, else by name.

    Where the words name others as "they", the speaker's name tells them apart. What a group does keeps its "our".

    Args:
        subject: whom the fact is about.
    """
    if _FIRST_PERSON.search(text) is None:
        return text
    is_own = subject.casefold() == speaker.casefold() and _OTHERS.search(text) is None

    def told(match: re.Match[str]) -> str:
        word = match["word"]
        if word is None or (subject == GROUP and word in _OF_MANY) or not _is_pronoun(match):
            return match[0]
        return _told(match, "" if is_own else speaker)

    return _FIRST_PERSON.sub(told, text)


def _is_pronoun(match: re.Match[str]) -> bool:
    """Whether it is neither the number of "World War I" nor a mine."""
    before = ["", *match.string[: match.start()].rsplit(maxsplit=1)][-1]
    if match["word"] in ("mine", "ours"):
        return before in _STANDS_ALONE
    is_followed = match["short"] or match["after"]
    return match["word"] not in ("I", "i") or bool(is_followed and not before[:1].isupper())


def _told(match: re.Match[str], name: str) -> str:
    """A pronoun with the word after it, which agrees with "they", or with a name."""
    word, after = match["word"], (match["after"] or "")
    if word not in ("I", "i", "we"):
        return (f"{name}'s" if name and word in _POSSESSIVES else name or _THEY[word]) + after
    if match["short"]:
        return f"{name or _THEY[word]} {_SHORT[match['short'][1:]][-1 if name else 0]}{after}"
    verb = after[1:].replace("’", "'")
    if verb in _AFTER:
        after = f" {_AFTER[verb][-1 if name else 0]}"
    elif name and set(analyses(verb).values()) == {Form.BASE}:
        after = f" {third_person(verb)}"
    return (name or _THEY[word]) + after
