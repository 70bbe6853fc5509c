"""Removes from transcripts of speech what is not a word: "um", marks of noise, and beginnings that were said twice.

Only texts that contain such a sound or mark are changed, so that typed text stays letter for letter.
"""

import re
from typing import Final

_NOISES: Final = (
    "vocalsound|nonvocalsound|disfmarker|pause|gap|laugh(?:s|ter|ing)?|chuckl(?:es?|ing)|cough(?:s|ing)?"
    "|sigh(?:s|ing)?|breath(?:s|ing)?|inaudible|unintelligible|indiscernible|cross-?talk|applause|silence|noise"
    "|background noise|overlapping(?: speech)?|clears throat"
)
_BLANK_BEFORE: Final = r"(?<!\s)\s*+"
"""White space from its beginning on: without the look back, each place of a long run would be tried in turn."""
_NOISE: Final = re.compile(
    rf"{_BLANK_BEFORE}(?:\{{(?:{_NOISES})\}}|\[(?:{_NOISES})\]|\((?:{_NOISES})\)|<(?:{_NOISES})>)", re.IGNORECASE
)
"""A mark of whoever wrote the speech down: `{vocalsound}` of ICSI and AMI, `[inaudible]` of Zoom and Otter."""

NOISE_MARK: Final = re.compile(rf"[{{\[(<](?:{_NOISES})[}}\])>]", re.IGNORECASE)
"""Such a mark, without the white space before it."""

OPENS_NOISE: Final = ("{", "[", "(", "<")
"""A text without any of these has no such mark."""

_SOUND: Final = re.compile(
    rf"(?:(?P<before>{_BLANK_BEFORE},)\s*|{_BLANK_BEFORE})"
    r"(?<![\w'-])(?:[Uu](?:m+|h+|hm+)|[Ee]rm+|[Hh]mm+|[Mm]m-?hmm?|[Uu]h-huh)(?![\w'-])"
    r"(?P<after>\s*,)?(?P<end>\s*[.?!]+(?=\s|\Z))?"
)
_SIGNS: Final = re.compile(r"[{\[(<][a-z][a-z -]{0,30}[}\])>]|\b[uehm][mhr]", re.IGNORECASE)  # a quick look
_TWICE: Final = re.compile(
    r"\b((?:i|you|we|they|he|she|it|the|an?|and|but|so|or|if|to|of|in|on|for|with|is|was|this|there|what|because)"
    r"(?:'(?:m|s|re|ve|ll|d))?)(?:(?:\s*+[-,])?\s++\1\b)+",
    re.IGNORECASE,
)
_BROKEN: Final = re.compile(r"\b(\w{1,3})\s+-\s+(?=\1\w)", re.IGNORECASE)  # "Th - there"
_BEFORE_POINT: Final = re.compile(r"(?<!\s)\s++(?=[,.?!;:](?:\s|$)|'(?:s|m|re|ve|ll|d|t)\b)")
_LOOSE_COMMA: Final = re.compile(r"(?:(?<=[.?!,])|\A)\s*+,|(?<!\s)(?P<above>[^\S\n]*+\n)\s*+,")
"""A comma that no word stands before in its sentence or line; `above` is what ends the line before it."""
_BLANKS: Final = re.compile(r"[ \t]{2,}")


def without_fillers(text: str) -> str:
    """The text as its speaker would have written it; the same object where nothing in it is a sound or a mark.

    `So {disfmarker} uh , Morgan wants to to make it hard .` becomes `So Morgan wants to make it hard.`
    """
    if _SIGNS.search(text) is None or not (_NOISE.search(text) or _SOUND.search(text)):
        return text
    return _without_sounds(text)


def _without_sounds(text: str) -> str:
    said = _SOUND.sub(_rest, _NOISE.sub("", text))
    said = _BROKEN.sub("", _BEFORE_POINT.sub("", said))
    said = _BLANKS.sub(" ", _LOOSE_COMMA.sub(r"\g<above>", _TWICE.sub(r"\1", said)))
    said = "\n".join(line.strip() for line in said.splitlines()).strip()
    return said[:1].upper() + said[1:] if text[:1].isupper() else said


BROKEN_OFF: Final = "⸺"
"""What `as_sentences` puts where a sentence breaks off."""

_SPACED: Final = re.compile(r" (?<=\w )(?:[,.?!](?:\s|$)|'(?:s|m|re|ve|ll|d|t)\b)")
"""A transcript whose marks stand apart from the words, as those of speech recognisers and corpora do."""
_MAY_BE_SPACED: Final = (" ,", " .", " ?", " !", " '")
_AGAIN: Final = re.compile(
    r"(?<![\w'-])(?P<said>[\w']+(?: [\w']+){0,3}) \{disfmarker\}(?:,? (?:u[hm]|uhm),?)* (?=(?P=said)(?![\w']))"
    r"|(?<![\w'-])(?P<part>\w{1,4}) \{disfmarker\} (?=(?P=part)\w)",
    re.IGNORECASE,
)
_CUT: Final = re.compile(rf"{_BLANK_BEFORE}\{{disfmarker\}}", re.IGNORECASE)
_TRAILING: Final = re.compile(rf"{_BLANK_BEFORE}(?:\.{{2,3}}|…) *(?:u[hm]+|uhm+|erm+)(?![\w'-]),?", re.IGNORECASE)
_APART: Final = re.compile(r"(?<=\w) - (?=\w)")
_LETTER: Final = re.compile(r"(?<=[\w,.] )[b-hj-z](?: (?=\w)|(?= [,.?!]))")
_STUTTER: Final = re.compile(
    r"(?<![\w'-])(?!(?:an?|i|the|to|in|on|of|at|we|he|it|is|be|so|do|for|no|or|us|as|my|me)\b)(\w{1,4}) (?=\1\w)"
)
_DOUBLED: Final = re.compile(r"(?<![\w'-])(\w{4,}) (?=\1(?![\w'-]))")  # "a hard time separating separating things"


_QUICK_SOUND: Final = re.compile(  # begins with a set of letters, which is found faster than what stands before them
    r"[UuEeHhMm](?<![\w'-].)(?:(?<=[Uu])(?:m+|h+|hm+)|(?<=[Ee])rm+|(?<=[Hh])mm+|(?<=[Mm])m-?hmm?)(?![\w'-])"
)


def _has_noise(text: str) -> bool:
    return any(map(text.__contains__, OPENS_NOISE)) and NOISE_MARK.search(text) is not None


def as_sentences(text: str) -> str:
    """What was said, as sentences to be read; the same object where nothing shows that the text is speech written down.

    Beside what `without_fillers` does, hyphens and marks that stand apart are joined to their words, beginnings of
    words are left out, and `BROKEN_OFF` stands where a sentence breaks off without beginning again with the same words:
    `I have a {disfmarker} uh , I 'm in in Oslo .` becomes `I have a ⸺ I'm in Oslo.`
    """
    spaced = any(map(text.__contains__, _MAY_BE_SPACED)) and _SPACED.search(text) is not None
    if not spaced and _QUICK_SOUND.search(text) is None and not _has_noise(text):
        return text
    said = _CUT.sub(f" {BROKEN_OFF}", _TRAILING.sub(",", _AGAIN.sub("", text)))  # "in Gdansk... uh, in Gdynia"
    if spaced:
        said = _DOUBLED.sub("", _LETTER.sub("", _STUTTER.sub("", _APART.sub("-", said))))
    written = _without_sounds(said)
    return written[:1].upper() + written[1:] if text[:1].isupper() else written


def _rest(sound: re.Match[str]) -> str:
    """What stays of a sound: one comma of two, and the end of a sentence that has other words."""
    is_alone = sound.string[: sound.start()].rstrip()[-1:] in ("", ".", "?", "!")
    comma = "," if sound["before"] and sound["after"] else ""
    return comma + ("" if is_alone else (sound["end"] or ""))
