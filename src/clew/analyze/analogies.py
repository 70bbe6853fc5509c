"""The phrases by which `nuance` recognises explicit comparisons. English, lower-case sentences."""

import re
from typing import Final

from clew.analyze.phrases import Cue, Cues, after, one_of

# What "like" follows where it is a verb, introduces an example or says how something seems.
_NOT_LIKENED: Final = tuple(
    "i you we they people who would i'd we'd you'd he'd she'd they'd to don't doesn't didn't really also might do did "
    "not thing things something anything stuff more seem seems seemed sound sounds sounded just always still place "
    "places nothing".split()
)
# What follows "like a" where it counts, judges or fills instead of likening.
_NOT_LIKENING: Final = one_of(
    "lot", "bit", "little", "while", "few", "couple", "million", "billion", "hundred", "thousand", "good", "great",
    "nice", "fun", "real", "plan", "long", "long time", "twenty", "ten", "week", "day", "hour", "minute", "month",
    "year", "big", "perfect", "really", "very", "super", "wonderful", "lovely", "cool", "snack", "drink", "walk",
    "break", "nap", "amazing", "fantastic", "bad", "solid", "different", "new", "total", "complete", r"\d+",
    "dream job", "much", "must",
)  # fmt: skip  # a list of words, not a column
_COMPARED_BY_SIZE: Final = one_of(
    "well", "soon", "long", "far", "much", "many", "good", "little", "often", "early", "late", "few", "possible",
    "needed", "tall", "old", "such", "fast", "quickly", "easily", "simple", "important", "recently", "same",
)  # fmt: skip  # a list of words, not a column
_LITERAL: Final = one_of(
    "possible", "ever", "before", "usual", "i", "you", "we", "he", "she", "it", "they", "that", "this", "the", "his",
    "her", "my", "our", "one", "needed", "expected", "well", "always", "last", "planned", "can", "normal", "your",
    "their", "its", r"\d\w*", "those", "these", "if", "though", "when", "there",
)  # fmt: skip  # a list of words, not a column
_SIMILE_ADJECTIVES: Final = (
    "sharp cold white black quiet light hard clear flat dry fit free mad pale red slow smooth soft solid steady stiff "
    "strong stubborn sweet thin tight tough warm blind bold bright busy calm cool dead deaf gentle green happy "
    "innocent proud sick silent sly still straight thick tiny ugly wise easy heavy plain delicate fragile"
)
_BE: Final = ("is", "are", "was", "were", "be", "been", "it's", "that's", "he's", "she's", "they're", "you're", "we're")
_HOW: Final = ("", "just ", "much ", "almost ", "exactly ", "kind of ", "sort of ", "a bit ", "a lot ", "basically ")
_IS: Final = one_of(*[rf"(?<=\b{be} {how}like)" for be in _BE for how in _HOW])
_SEEMS: Final = (
    *(f"{what} looks" for what in ("it", "that", "this", "which", "there")), "it look", "it looked", "^looks", "^look",
)  # fmt: skip  # a list of words, not a column
_WANTS: Final = tuple(
    f"{who} {how}" for who in ("i", "you", "we", "they", "don't", "didn't", "to") for how in ("feel", "felt")
)
# What "like" follows as a rough number: "it's like ten dollars".
_COUNTED: Final = one_of(
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "fifteen", "twenty",
    "thirty", "forty", "fifty", "sixty", "ninety", r"\d[\d.,]*", "half", "several", "hundreds", "thousands",
)  # fmt: skip  # a list of words, not a column
# What "like" does not liken to: "like this", "like crazy", "like always".
_UNLIKE: Final = one_of(
    "this", "that", "these", "those", "me", "you", "him", "her", "it", "us", "them", "hell", "crazy", "mad", "yours",
    "my", "our", "your", "his", "their", "its", "mine", "ours", "theirs", "yeah", "wow", "no", "yes", "ok", "okay",
    "before", "always", "usual", "ever", "never", "new", "normal", "today", "yesterday", "so", "what", "everyone",
    "everybody", "nothing", r"\w+ly",
)  # fmt: skip  # a list of words, not a column
# "Like" after another verb than "be" ("eats like a horse"), after "be", of how something works, and before a plural.
_LIKE: Final = rf"like(?!{after(*_NOT_LIKENED, *_SEEMS, *_WANTS, word='like')})" + one_of(
    rf" an? (?!{_NOT_LIKENING}\b)\w+",
    rf"{_IS} (?!{_COUNTED}\b|(?:this|always)\b)(?:\w+ing\b|(?:\w+ )?\w+s\b(?=[,:.;!]| but| in| that| who|$)"
    r"|(?:the|my|our) (?!(?:best|worst|first|last|only|most|same)\b)\w+)",
    rf"{after(*'work works worked act acts behaves runs functions operates'.split(), word='like')} "
    r"(?:the \w+|(?!this\b|always\b)\w{3,}s\b(?=[,.;!]|$))",
    rf"{after('feels', 'feel', 'felt', word='like')} \w+ing\b",
    rf"{after(*'us him her it them me down up around out away over below above'.split(), word='like')}"
    r" (?:\w+ed |the )?\w+s\b(?=[,.;!]|$)",
)
# "Time is like money": a noun by itself, likened to a noun by itself.
_BARE: Final = (
    r"\b(?!(?:it|that|this|he|she|they|we|you|i|there|what|which|who|here|life)\b)\w+ (?:is|are|was|were) "
    rf"(?:just |a lot |much )?like (?!{_UNLIKE}\b)\w+(?=[.;!]|$)"
    rf"|\b(?:flow|spread|mov|burn|shin|grow|travel|sing|fight|sting|rippl|ring|gallop)(?:e?s|e?d|e)?"
    rf" like (?!{_UNLIKE}\b)\w+"
    r"(?=[.;!]|$| (?:in|on|through|from|over|across|down|into|among)\b)"
)
# What is likened to its own kind is compared, not likened: "the rent here is like the rent in Rome".
SAME_KIND: Final = re.compile(r"\b(\w{3,}) (?:\w+ ){0,3}(?:is|are|was|were) (?:\w+ )?like (?:the|an?) \1\b")
# "A:B::C:D", also with spaces between.
PROPORTION: Final = re.compile(r"\b\w+ ?: ?\w+ ?:: ?\w+ ?: ?\w+")
_PICTURED: Final = r"(?:imagine|picture) (?:\w+ ){1,4}as (?:an?|the) \w+"

ANALOGIES: Final[Cues] = {
    "like": Cue(f"{_LIKE}|{_BARE}"),
    "as": Cue(
        rf"as(?<!\was) (?!{_COMPARED_BY_SIZE}\b)\w+ as (?:an? \w|two \w|(?:you|one) would\b|"
        rf"(?!{_LITERAL}\b)\w+(?=[,.;!]|$))"
        rf"|as(?<=^just as) (?:an?|\w+s) .*, |is to .* as .* is to |are to .* as .* (?:is|are) to "
    ),
    _SIMILE_ADJECTIVES: Cue(rf"\b{one_of(*_SIMILE_ADJECTIVES.split())} as an? \w"),
    "what": Cue(
        r"what .* (?:is|are) to .*, .* (?:is|are) to |is to .* what .* is to |are to .* what .* (?:is|are) to "
    ),
    "analogous analogy akin likened compared reminiscent": Cue(
        r"\banalogous to\b|\bby analogy\b|\bakin to\b|\blikened to\b|\bcan be compared (?:to|with) an?\b"
        r"|\breminiscent of an?\b"
    ),
    "similar similarly": Cue(
        r"\b(?:is|are|was|were|works?|worked|behaves?|acts?) (?:\w+ ){0,2}similar(?:ly)? to (?:an? \w|how an? \w)",
        r"\bnot similar\b",
    ),
    "resemble resembles resembled": Cue(r"\bresembl(?:es?|ed) an? "),
    "way": Cue(
        r"\bin the same way (?:that|as) (?!before|last|usual|always|i\b|we\b|you\b)|"
        r"\bthe (?:same )?way (?:an? \w+|one would)\b"
    ),
    "think": Cue(
        r"\bthink of (?:\w+ ){1,4}?(?:as|like) (?:an?|the|your|\w+ing)\b", r"\b(?:you|do|did) think of|as a whole"
    ),
    "imagine picture": Cue(rf"\b{_PICTURED}"),
}
