"""Whether a sentence directs its reader: orders, steps, advice, and obligations of those addressed.

English only. An imperative is a verb that opens a clause and has an object; what follows distinguishes it from a noun
("use of force", "set theory is hard").
"""

from collections.abc import Iterator, Sequence
from typing import Final

from clew.analyze.lexicon import (
    ARTICLE,
    AUXILIARY,
    CONJUNCTION,
    DIRECTIVE,
    DIRECTIVE_LEAD,
    FUNCTION,
    INTERJECTION,
    NUMBER,
    PAST,
    PREPOSITION,
    PRONOUN,
    SEPARATOR,
    VERB,
)
from clew.analyze.phrases import Cue, Cues, one_of
from clew.analyze.words import Sentence
from clew.text.late_pattern import late_pattern

_LEAD: Final = DIRECTIVE_LEAD | NUMBER | SEPARATOR
_MAY_OPEN: Final = _LEAD | DIRECTIVE
_MAY_DIRECT: Final = DIRECTIVE | DIRECTIVE_LEAD
# After one of these any verb in its plain form is an imperative.
_PRESSED: Final = frozenset(("please", "kindly", "don't", "dont", "never", "always"))
# What opens a clause that an imperative may follow after a comma: "to change it, open the menu".
_OPENERS: Final = frozenset(
    "if when before after to for in on under once while unless until from with at as whenever where since during by "
    "without upon instead next first finally".split()
)
_JOINED: Final = frozenset(("but", "so", "please", "then", "just", "kindly"))
_PLAIN: Final = frozenset(("be", "let"))
_PASSED: Final = frozenset(("but", "so", "and"))
_BREAKS: Final = frozenset((":", ";", "；", "：", "—", "–", "--", "|"))
_MAY_LEAD: Final = _BREAKS | _JOINED
_OBJECTS: Final = frozenset("whatever whichever whoever everything anything everyone sure certain".split())
# What "do" does besides what has an article.
_DONE: Final = frozenset("this that it these those".split())
# Words in which a noun before the verb would be found: "cook time is", "test results came".
_NOUN_REACH: Final = 3
_ENDS_NOUN: Final = CONJUNCTION | PREPOSITION | PRONOUN | SEPARATOR
_NOT_AFTER_BE: Final = frozenset(("right", "that", "back", "there", "it", "here", "in", "able"))
_NOT_AFTER_DO_NOT: Final = frozenset(
    "know think care have like want see feel remember understand believe you they we i get agree need even mind "
    "mention "
    "really say".split()
)

# Imperatives of kindness, small talk and stipulation, at the start of a sentence.
_SOCIAL: Final = late_pattern(
    r"(?:\W|(?:and|but|so|just|please|always|anyway|well|ok|okay)\b)*"
    + one_of(
        "take (?:care|it easy)",
        "keep (?:it up|up|me|us|going|in touch|on|at it|doing|dancing|shining|smiling|rocking|the good|pushing|"
        "inspiring)",
        "have (?:a|fun|an)",
        "give (?:it (?:a|your)|my|her my|him my|them my)",
        "go (?:for it|ahead|on|team|you)",
        "(?:hit|count|help|bear with|excuse|pardon|forgive|trust|believe) me",
        "show (?:me|the world)",
        "remember (?:when|that time)",
        "hold on",
        "accept (?:my|our)",
        "let (?:me|us|there|alone)",
        "let's",
        "don't (?:be silly|get me wrong|worry(?: about it| at all|,? (?:i|we|you|it))?[.!]*$)",
        "never mind",
        "visit us any",
        "see (?:you|ya|u)",
        "look (?:how|at (?:this|that|these|those|him|her|you|me|us))",
        "consider the",
        "note that",
        "help(?=!)",
        "copy that",
        "cross my heart",
    )
    + r"\b"
)
# Somebody is reported to have spoken.
_SPEECH: Final = late_pattern(
    r"[\"”][^\"“”\w]{0,3}(?:\w+ ){0,3}(?:said|says|asked|called|cried|whispered|shouted|replied|answered|"
    r"muttered|yelled)\b"
    r"|\b(?:said|says|asked|whispered|shouted|replied|answered|muttered)[,:]? ?[\"“]|, (?:she|he|they) said[.!]?$"
)
_ROLE: Final = one_of(
    "visitors?", "guests?", "employees?", "staff", "tenants?", "lessees?", "licensees?", "applicants?", "candidates?",
    "passengers?", "users?", "customers?", "members?", "students?", "participants?", "drivers?", "employers?",
    "contractors?", "suppliers?", "vendors?", "buyers?", "sellers?", "borrowers?", "players?", "developers?",
    "callers?", "contributors?", "attendees", "travell?ers", "residents", "owners?", "clients", "workers", "reviewers?",
    "authors", "part(?:y|ies)", "agents?", "everyone", "everybody", "all of you", "anyone",
)  # fmt: skip  # a list of words, not a column
_NOT_OBLIGED: Final = (
    r"(?! be\b| have\b| feel| know| miss| love| really| hear| admit| think| mean| remain|"
    r" see\b(?! (?:an?|your) (?:doctor|dentist|gp|vet|lawyer|specialist|physician|therapist|nurse)\b))"
)
_ADVERBS: Final = ("you", "you'll", "you will", "you also", "you just", "you still", "you first", "you only", "you do")
_ASKED: Final = "".join(
    f"(?<!{before} you {{0}} to)" for before in ("do", "did", "if", "would", "when", "what", "that", "all")
)
_YOU_NEED: Final = one_of(*[f"(?<={you} need to)" for you in _ADVERBS]) + _ASKED.format("need")
_YOU_HAVE: Final = one_of(*[f"(?<={you} have to)" for you in _ADVERBS]) + _ASKED.format("have")
_ROLE_NEEDS: Final = one_of(
    *[f"(?<={role} needs to)" for role in ("user", "customer", "caller", "applicant", "student", "driver", "everyone")],
    *[
        f"(?<={role} need to)"
        for role in ("users", "customers", "callers", "applicants", "students", "drivers", "staff")
    ],
)
OBLIGATIONS: Final[Cues] = {
    "should": Cue(rf"\b(?:you(?: \w+ly| also| always)?|{_ROLE}) should(?: not| always| also)?{_NOT_OBLIGED}"),
    "must": Cue(rf"\b(?:you|{_ROLE}) must(?: not| always| also| first| to)?{_NOT_OBLIGED}"),
    "shall": Cue(rf"\b(?:the \w+|{_ROLE}) shall(?: not| promptly)?{_NOT_OBLIGED}"),
    "need needs": Cue(rf"need(?:s)? to(?:{_YOU_NEED}|{_ROLE_NEEDS}){_NOT_OBLIGED}|need (?:you|someone|everyone) to\b"),
    "have": Cue(rf"have to{_YOU_HAVE}{_NOT_OBLIGED}"),
    "shalt": Cue(r"\bthou shalt\b"),
    "is are": Cue(
        r"\b(?:is|are) to be (?:\w\w+ed|paid|sent|kept|taken|given|worn|shown|held|written|made|brought|left|shut) "
        r"(?:\w+ ){0,5}?(?:by (?:\w+day|noon|midnight|the end|\d)|before|within|immediately|daily|weekly|"
        r"at all times|in writing|to the (?:office|secretary|seller|landlord|reception))\b"
    ),
    "you'll": Cue(rf"\byou'll (?:also |just |first )?(?:need|have|want) to{_NOT_OBLIGED}"),
    "want": Cue(r"\byou (?:may|might|will)(?: also)? want to\b|\bi want you to\b"),
    "required allowed": Cue(rf"\b(?:you|{_ROLE}) (?:are|is) (?:required|not allowed) to\b|\bnot allowed\b"),
    "better": Cue(r"\byou(?:'d| had) better\b"),
    "important essential crucial vital necessary advisable best": Cue(
        r"\bit(?:'s| is) (?:very |really |always |also )?(?:important|essential|crucial|vital|necessary|"
        r"advisable|best) "
        r"(?:to (?!me|us|him|her|them|note|have|see|know)|that you)\w*"
    ),
    "recommend suggest advise": Cue(
        r"\bi(?:'d| would)? (?:\w+ )?(?:recommend|suggest|advise) (?:you|that you|\w+ing)\b"
    ),
    "parking smoking entry photos running swimming trespassing": Cue(
        r"^\W*no (?:parking|smoking|entry|photos|running|swimming|trespassing)\b"
    ),
}


def is_reported(text: str) -> bool:
    """Whether a lower-case sentence reports what somebody said in quotation marks."""
    return ('"' in text or "“" in text or "said" in text) and _SPEECH.search(text) is not None


def directs(sentence: Sentence, marks: int, text: str) -> bool:
    """Whether an imperative opens a clause of a sentence of words.

    `marks` are the combined flags of its words, `text` is the sentence in lower case.
    """
    forms = sentence.forms
    if not marks & _MAY_DIRECT and forms[0] not in _PLAIN:
        return False
    if (sentence.flags[0] & _MAY_OPEN or forms[0] in _PLAIN) and _is_imperative(sentence, 0):
        return not _SOCIAL.match(text)
    if not marks & SEPARATOR or (forms[0] not in _OPENERS and _MAY_LEAD.isdisjoint(forms)):
        return False
    found = any(_is_imperative(sentence, start) for start in _clause_starts(forms))
    return found and not _SOCIAL.match(text)


def _clause_starts(forms: Sequence[str]) -> Iterator[int]:
    """Where an imperative may start inside a sentence: after a colon or dash, a leading clause, or "but"."""
    opened = forms[0] in _OPENERS
    for place, form in enumerate(forms[:-1]):
        if form in _BREAKS or (form == "," and (opened or forms[place + 1] in _JOINED)):
            yield place + 1 + (forms[place + 1] in _PASSED)


def _is_imperative(sentence: Sentence, start: int) -> bool:
    """Whether a verb of instruction opens the clause that starts there."""
    forms, flags = sentence.forms, sentence.flags
    pressed = ""
    for place in range(start, len(forms) - 1):
        form, mark = forms[place], flags[place]
        if pressed and form not in _PRESSED and not mark & _LEAD:
            return _is_pressed(pressed, form, mark)
        if mark & DIRECTIVE and not mark & SEPARATOR:
            return _acts(sentence, place)
        if form in _PLAIN or (form == "do" and (flags[place + 1] & ARTICLE or forms[place + 1] in _DONE)):
            return _is_plain(form, forms[place + 1], flags[place + 1])
        if not mark & _LEAD:
            return False
        if form in _PRESSED or (form == "not" and forms[place - 1] == "do"):
            pressed = form
    return False


def _is_plain(form: str, follower: str, mark: int) -> bool:
    """Whether "be", "let" or "do" is an imperative, by the word that follows and its flags."""
    if form == "be":
        return follower not in _NOT_AFTER_BE and not mark & SEPARATOR
    return form == "do" or (len(follower) > 1 and bool(mark & (ARTICLE | PRONOUN)))


def _is_pressed(pressed: str, form: str, mark: int) -> bool:
    """Whether a word after "please", "don't", "never" and the like is an imperative."""
    if form == "to":
        return pressed in {"please", "kindly"}
    if mark & (AUXILIARY | PRONOUN | INTERJECTION | ARTICLE | PREPOSITION) and form not in {"be", "do", "have"}:
        return False
    if pressed in {"don't", "dont", "not"}:
        return form not in _NOT_AFTER_DO_NOT
    if mark & PAST and (pressed in {"never", "always"} or not mark & DIRECTIVE):
        return False
    if pressed in {"never", "always"}:
        return bool(mark & (VERB | DIRECTIVE)) and not form.endswith("s")
    return not mark & FUNCTION


def _acts(sentence: Sentence, place: int) -> bool:
    """Whether the verb has something to act on and is not itself part of a noun."""
    forms, flags = sentence.forms, sentence.flags
    follower = flags[place + 1]
    if follower & (AUXILIARY | SEPARATOR) or forms[place + 1] == "of":
        return False
    if forms[place + 1] in _OBJECTS or (follower & FUNCTION and forms[place + 1] not in {"and", "or"}):
        return True
    for mark in flags[place + 2 : place + 2 + _NOUN_REACH]:
        if mark & (AUXILIARY | PAST):
            return False
        if mark & _ENDS_NOUN:
            break
    return True
