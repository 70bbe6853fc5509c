"""The turns of phrase by which `nuance` recognises what no single word shows. English; matched on lower-case text."""

import re
from typing import Final


def _one_of(*alternatives: str) -> str:
    return f"(?:{'|'.join(alternatives)})"


def _phrases(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"\b{_one_of(*alternatives)}\b")


# Plain phrases, looked up with a space on either side of the text; each holds a word of the list `hedge_anchor`.
HEDGES: Final = (
    " i think",
    " i guess",
    " i believe",
    " i suppose",
    " in some cases",
    " in some sense",
    " in most cases",
    " in general",
    " in my opinion",
    " sort of ",
    " kind of ",
    " more or less",
    " to some extent",
    " to a degree",
    " for the most part",
    " as a rule",
    " as far as i know",
    " not sure",
    " it depends",
    " could be ",
)
# "may" is a hedge unless it is the month; this one needs the capitals.
MAY: Final = re.compile(r"\b[Mm]ay\b")
MAY_MONTH: Final = re.compile(
    r"\b(?:in|of|on|last|next|since|by|until|this|early|late|mid|from|to|through) May\b"
    r"|\bMay,? \d|\d(?:st|nd|rd|th)? May\b"
)

# Idioms that take the force from a universal word: the word before any of them, the word after each.
WEAKENS_BEFORE: Final = frozenset(("at", "after", "above", "not", "isn't", "don't", "doesn't", "aren't"))
_TIMES: Final = ("day", "night", "week", "weekend", "month", "year", "morning", "evening", "summer")
WEAKENS_AFTER: Final = {
    "all": frozenset((*_TIMES, "right", "set", "in", "good", "kinds", "sorts")),
    "every": frozenset((*_TIMES, "now", "other", "so", "single", "once")),
    "never": frozenset(("mind",)),
    "none": frozenset(("other",)),
    "nothing": frozenset(("much", "else", "but", "like")),
}

# How a question begins that wants no answer, after a word or two of lead-in.
RHETORICAL: Final = re.compile(
    r"(?:\W|(?:and|but|so|because|like|then|i mean|oh)\b)*"
    + _one_of(
        r"(?:is|are|was|were|do|does|did|would|should|could|wo|ca)n't (?:it|that|this|there|every\w+|we all|life)",
        r"who (?:cares|knows|needs|am i|are you to|would have|would ever|wouldn't|doesn't|hasn't)",
        r"why (?:bother|on earth|in the world|even|would any|would i|should i|should we|do people|does every|does no)",
        r"how (?:dare|hard can|difficult can|on earth|many times|could any|could i|could you|can any|can people)",
        r"what(?:'s| is) (?:the point|not to|there to|wrong with (?:people|you))",
        r"what (?:could possibly|could go|on earth|the hell|the heck|in the world|difference|use is)",
        r"what (?:good (?:is|does|would)|more (?:can|could|do))",
        r"since when|where would (?:we|i) be|where did it all|if not now|have you no|must (?:i|we)|do i look",
        r"do you (?:really|honestly|seriously) (?:think|believe|expect)|are you kidding|am i the only",
        r"is it just me|is nothing|is anyone surprised|is there (?:any\w*|a) (?:better|worse|greater)",
        r"can you (?:believe|imagine)|have you ever (?:noticed|wondered)|when will (?:people|we)",
    )
    + r"\b"
)
# A question that its asker answers at once.
OWN_ANSWER: Final = re.compile(
    r"\?[\s\"”]++"
    + _one_of("because", "of course", "nothing", "nobody", "no one", "never", "everything", "everyone", "exactly")
    + r"\b"
)

OBLIGATION: Final = re.compile(
    r"you (?:should|must(?! have| be| feel)|need to|have to|ought to)\b|you'll (?:need|want|have) to\b"
)
# Imperatives that are kindness or small talk, at the start of a sentence.
SOCIAL: Final = _phrases(
    "take (?:care|it easy|your time)",
    "keep (?:it up|up|me|us|going|in touch|on|at it|doing|dancing|shining)",
    "have (?:a|fun)",
    "give (?:it|me|us|my|him|her|them)",
    "go (?:for it|ahead|on)",
    "(?:hit|call|text|send|follow|visit|count|help) me",
    "show (?:me|the world)",
    "remember (?:when|that time|the)",
    "support (?:each|from)",
    "check (?:it|this|that|them) out",
    "hold on",
)

_LIKE: Final = _phrases(
    r"(?:is|are|was|were|works?|acts?|behaves?) "
    r"(?:(?:just|much|a lot|almost|exactly|kind of|sort of|rather|a bit) )?like (?:an?|the) \w+"
)
_AS: Final = re.compile(
    r"\bas (?!well|soon|long|far|much|many|good|little|often|early|late|few|possible|needed)\w+ as an? \w"
)
_PROPORTION: Final = re.compile(r" (?:is|are) to (?:\w+ ){1,3}?(?:as|what) (?:\w+ ){1,3}?(?:is|are) to \w")
# Explicit comparisons, each with what must occur for it and is cheaper to look for.
COMPARISONS: Final = (
    (" is to ", _PROPORTION),
    (" are to ", _PROPORTION),
    (" like a", _LIKE),
    (" like the ", _LIKE),
    (" as a", _AS),
    ("analog", _phrases("analogous to", "by analogy")),
    ("the same way", _phrases("in the same way (?:that|as)")),
    ("think of ", _phrases(r"think of (?:it|this|them|that) (?:as|like) \w+")),
)

_KIN: Final = _one_of(
    *"mom mother mum dad father wife husband son daughter brother sister baby child aunt uncle cousin dog cat".split(),
    r"grand\w+",
    "best friend",
)
GRIEF: Final = _phrases(
    "pass(?:ed)? away",
    "rest in peace",
    "(?:sorry|condolences) for your loss",
    rf"(?:lost|buried) (?:my|our|his|her|their) (?:late )?{_KIN}",
    rf"my (?:late )?{_KIN} (?:(?:just|recently|has|had) )?(?:died|passed)",
)

URGENT: Final = (
    "as soon as possible",
    "right away",
    "call 911",
    "hurry up",
    "before it's too late",
    "running out of time",
)
# An urgent word presses only beside one of these ("we need it asap", not "an emergency fund").
PRESSING: Final = re.compile(r"!|\b(?:need|must|now|please|help|today|tonight|have to|has to|cannot wait)\b")
