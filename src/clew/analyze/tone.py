"""The dominant emotional tone of a text: neutral, positive, negative, urgent or grieving.

The valence of words is VADER's (Hutto and Gilbert, 2014), with its rules for negation, intensifiers, "but" and
exclamation marks; turns of phrase, emoji, urgency and grief are our own lists. English.
"""

from collections.abc import Sequence
from functools import reduce
from math import sqrt
from operator import or_
from typing import Final

from clew.analyze.lexicon import (
    BOOSTER,
    DAMPENER,
    DIRECTIVE,
    ENGLISH,
    FIRST_PERSON,
    GRIEF,
    GRIEF_STRONG,
    NEGATION,
    PERSON,
    SECOND_PERSON,
)
from clew.analyze.phrases import Cue, Cues, one_of
from clew.analyze.words import Reading, Sentence
from clew.text.late_pattern import late_pattern

POSITIVE: Final = "emotional_tone_positive"
NEGATIVE: Final = "emotional_tone_negative"
URGENT_TONE: Final = "emotional_tone_urgent"
NEUTRAL: Final = "emotional_tone_neutral"
GRIEVING: Final = "emotional_tone_grieving"

# VADER: a negation among the three words before turns the valence and weakens it; an intensifier strengthens or weakens
# it by a fixed step, and so does an exclamation mark, up to four; what comes before "but" counts half, what comes after
# half as much again; the sum is squeezed into -1..1 with alpha 15, which was normed on single messages, so here alpha
# grows with the length of longer texts.
_LOOK_BACK: Final = 3
_TURNED: Final = -0.74
_STEP: Final = 0.293
_EXCLAMATIONS: Final = 4
_BEFORE_BUT: Final = 0.5
_AFTER_BUT: Final = 1.5
_ALPHA: Final = 15.0
# VADER calls a message positive from 0.05 on. The *dominant* register must be plainer: one plain word in one sentence.
_TONE: Final = 0.42
# Factor for questions, which express little feeling: "do you know a good doctor?"
_QUESTIONED: Final = 0.5
# Valence of one phrase from the lists below, and of one emoji.
_PHRASE: Final = 2.5
_EMOJI: Final = 2.0

DELIGHTS: Final[Cues] = {
    "wait": Cue(
        r"\bcan'?t wait\b", r"\b(?:this|that|it) can'?t wait\b|\bcan'?t wait (?:any|until (?:monday|tomorrow))"
    ),
    "too": Cue(r"\bnever have too (?:many|much)\b"),
    "happier better prouder": Cue(r"could(?:n'?t| not) be (?:happier|better|prouder|more)\b"),
    "enough": Cue(r"\bcan'?t thank (?:\w+ )enough\b"),
    "complaints wrong": Cue(r"^\W*(?:no complaints|nothing wrong)\b"),
    "forward": Cue(r"\blooking forward to\b"),
    "day": Cue(r"\bma(?:de|kes) my (?:\w+ )?(?:day|week)\b"),
    "hands over": Cue(r"\bhands down\b|\bover the moon\b"),
    "got": Cue(r"\byou(?:'ve| have)? got this\b"),
    "spotless gorgeous congrats congratulations": None,
    "thank thanks": Cue(r"\bthank(?:s|ing)? (?:you )?(?:so much|a lot|a million|a ton|for everything|again for)\b"),
    "saved": Cue(r"\b(?:you|that|which) (?:really |totally )?saved (?:me|us|my|the day)\b"),
    "recommend": Cue(r"(?:highly|definitely|really) recommend\b"),
    "appreciate": Cue(r"i (?:really |truly |so )?appreciate\b"),
    "means": Cue(r"means (?:a lot|so much|the world)\b"),
    "sounds looks": Cue(
        r"(?:sounds|looks) (?:so |really |absolutely )?(?:great|cool|awesome|fun|lovely|good|amazing|delicious)\b"
    ),
    "lucky": Cue(r"\b(?:i'm|i am|we're|feel|feeling|so) (?:\w+ )?lucky\b"),
    "special": Cue(r"(?:so|really|very|extra|something|truly) special\b"),
    "fondest magical mesmerizing exhilarating immaculate blessed": None,
    "perfectly": Cue(r"perfectly[.!]|perfectly \W*$"),
    "hope": Cue(
        r"\bhope (?:you|they|it|he|she)(?:'re| are)? (?:\w+ ){0,3}(?:well|better|soon|works? out|great|fun|ok|"
        r"okay|fine)\b"
    ),
    "jealous": Cue(r"\bso jealous\b"),
    "job work": Cue(r"\b(?:good|great|nice|amazing|excellent|awesome|fantastic|brilliant) (?:job|work)\b"),
}
COMPLAINTS: Final[Cues] = {
    "stand": Cue(r"\bcan(?:'?t|not) stand\b"),
    "fed": Cue(r"\bfed up\b"),
    "done": Cue(r"\b(?:so|am|i'm) done with\b"),
    "sick tired": Cue(r"\b(?:sick|tired) (?:and tired )?of\b|\b(?:dead|so) tired\b|\bworried sick\b"),
    "waste mess joke shame disaster nightmare": Cue(
        r"\bwaste of (?:\w+'s )?(?:time|money|space|energy)\b|\bwhat an? (?:waste|mess|joke|shame|disaster|nightmare)\b"
        r"|\bis an? (?:complete |total |absolute )?(?:mess|joke|disgrace|shame|disaster|nightmare)\b|\bno shame\b"
    ),
    "fair": Cue(r"\b(?:not|isn't|so un) ?fair\b"),
    "recommend": Cue(r"\b(?:wouldn't|would not|won't|can't|cannot) recommend\b"),
    "sense": Cue(r"\b(?:makes?|making) no sense\b|\bnone of (?:this|that|it) makes\b"),
    "mind": Cue(r"\blos(?:ing|t) my mind\b"),
    "enough": Cue(r"\b(?:had|have) (?:quite )?enough of\b"),
    "down": Cue(r"\blet (?:me|us|everyone) down\b"),
    "works listens cares": Cue(r"\b(?:nothing|nobody|no one) (?:here )?ever (?:works|listens|cares)\b"),
    "good": Cue(r"\bnothing good\b"),
    "never": Cue(r"\b(?:we|i) never (?:get|have any)\b|\bnever again\b"),
    "dare": Cue(r"\bhow dare\b"),
    "kidding serious": Cue(r"\bare you (?:kidding|serious)\b"),
    "ugh wtf ffs smh": None,
    "great": Cue(r"^\W*oh,? great\b"),
    "bummer exhausted miserable": None,
    "nowhere": Cue(r"getting nowhere\b"),
    "pain": Cue(r"so much pain\b"),
    "lives": Cue(r"lives lost\b"),
    "killing": Cue(r"\b(?:is|are) killing me\b"),
    "always": Cue(r"\byou always do this\b"),
    "supposed": Cue(r"\bhow am i supposed\b"),
    "literally": Cue(r"\bliterally (?:do|every|no)\w* (?:\w+ )?except\b"),
}
_EMOJI_VALENCE: Final = {
    **dict.fromkeys("😍🥰😊☺😀😃😄😁🥳🎉❤💕💖💗💙💚💛💜🧡😘🤗👍👏🙌💪☀🌞😎🤩😻💯✨🎂", 1.0),
    **dict.fromkeys("😡🤬😠😩😫😤😢😭😞😔☹🙁😕😟😰😱😨🤢🤮👎🙄😒🙃😖😣😥", -1.0),
}
_EMOJI_SIGN: Final = late_pattern(f"[{''.join(_EMOJI_VALENCE)}]")

# Cues of urgency, and words that support them; a text with one of these cues and any second cue is urgent.
PRESSING: Final[Cues] = {
    "asap urgent urgently sos mayday evacuate hurry immediately": Cue(
        r"\b(?:asap|urgent|urgently|sos|mayday|evacuate|hurry|immediately)\b",
        r"\b(?:not|n't|isn't|no|nothing|in a|less) (?:\w+ )?(?:urgent|urgently|hurry)\b|\burgent care\b"
        r"|\bimmediately (?:after|before|following|when|recognizable|fell|\w+ed)\b",
    ),
    "emergency": Cue(r"\bemergency!|\ban emergency\b(?! (?:fund|exit|room|kit|contact|blanket|plan|number|meeting))"),
    "now": Cue(
        r"\b(?:come|call|run|stop|leave|act|reply|help|send|seek|move)\b[^.?!]{0,40}\bnow\b|\bnow or never\b"
        r"|\bneed (?:help|this|it|you|an answer|them|the \w+|that \w+)\b[^.?!]{0,20}\bnow\b|\bright now,? please\b"
        r"|\bmust (?:be|get) (?:\w+ ){1,4}?(?:right )?now\b"
    ),
    "call": Cue(r"\bcall (?:an ambulance|911|112|999|the police|the fire)"),
    "breathing responding conscious": Cue(r"\b(?:not|n't) (?:breathing|responding|conscious)\b"),
    "heart": Cue(r"\bhaving a (?:heart attack|stroke|seizure)\b"),
    "send": Cue(r"\bsend (?:someone|somebody|help|an ambulance)\b"),
    "fire flooding collapsed": Cue(
        r"\b(?:is|are|'s) (?:on fire|flooding)\b|\b(?:he|she)(?:'s| has)? (?:just )?collapsed\b"
    ),
    "break breaking": Cue(r"\b(?:someone|somebody)(?:'s| is) (?:trying to break|breaking) in\b"),
    "help": Cue(r"^\W*help!|\bplease,? (?:\w+ )?help(?:!|$|\.| now| me\b| us\b)|\bneed help now\b"),
    "time": Cue(r"\btime is (?:running|almost) (?:out|up)\b|\brunning out of time\b"),
    "late": Cue(r"\bbefore it'?s too late\b"),
    "minutes hour hours": Cue(
        r"\bwe (?:only )?have (?:only )?(?:\w+ )?minutes\b|\bwithin the (?:next )?hour\b|"
        r"\bonly have (?:\w+ ){1,2}(?:hours|minutes)\b"
    ),
    "expires closes ends due expire": Cue(
        r"\b(?:expires?|closes?|ends?|due) (?:at midnight|today|tonight|in (?:\w+ )(?:minutes?|hours?))\b"
    ),
    "today tonight eod cob": Cue(
        r"\b(?:by|before) (?:noon|midnight|the end of|end of|\d{1,2}(?::\d\d)?) ?(?:am|pm|day)? ?(?:today|tonight)\b"
        r"|\bby (?:eod|cob|tonight)\b|\btoday before\b"
    ),
    "deadline deadlines": Cue(
        r"\bdeadline(?:'s| is)? (?:(?:in|only|just) )*(?:\w+ )?(?:minutes?|hours?|today|tonight|now|noon|midnight)\b"
    ),
    "drop": Cue(r"\bdrop (?:everything|whatever|all)\b"),
    "quick quickly": Cue(r"^\W*quick(?:ly)?[,!]"),
    "last": Cue(r"last (?:call|chance)\b"),
    "lose": Cue(r"\b(?:about to|or (?:we|you|i)(?:'ll| will)?) lose\b"),
    "away": Cue(r"\bright away\b"),
    "wait": Cue(r"\b(?:this|that|it) can(?:'?t|not) wait\b"),
    "fast": Cue(r"\bact (?:now|fast)\b|\bvery fast\b|\bcome fast\b"),
    "ground": Cue(r"\bhigh(?:er)? ground\b"),
    "down": Cue(r"\b(?:production|server|site|system|database|network)s? (?:is|are) down\b"),
    "warning": Cue(r"\b(?:flood|storm|fire|tornado|tsunami|evacuation) warning\b"),
}
_PRESSING_BESIDE: Final = frozenset(
    "now today tonight please need must minutes hours deadline quickly fast critical overdue help emergency cannot "
    "midnight immediately asap urgent".split()
)

_KIN: Final = one_of(
    *"mom mother mum mama dad father papa wife husband partner son daughter brother sister baby child aunt uncle "
    "cousin "
    "dog cat puppy kitten boy girl friend nan nana granny".split(),
    r"grand\w+",
)
GRIEFS: Final[Cues] = {
    "away": Cue(r"\bpass(?:ed|es|ing)? away\b|\b(?:he|she|they) (?:\w+ )?slipped away\b"),
    "passing": Cue(r"\b(?:the|his|her) (?:sudden )?passing\b(?: of|[,.!]|$)"),
    "peace": Cue(r"\brest in peace\b"),
    "loss": Cue(r"\b(?:sorry|condolences) for (?:your|the|his|her|their) loss\b"),
    "condolences condolence stillborn miscarriage": None,
    "mourning mourn mourns": Cue(r"\b(?:in|of|still|are|am|i'm|we're|we|i) mourn(?:ing)?\b"),
    "lost buried": Cue(
        rf"\b(?:lost|buried) (?:(?:my|our|his|her|their) (?:\w+ ){{0,2}}?)?{_KIN}\b"
        r"|\b(?:i|we) buried (?:him|her|them)\b"
    ),
    "died dead": Cue(
        rf"\b(?:my|our|her|his) (?:\w+ ){{0,2}}?{_KIN} (?:\w+ ){{0,2}}?(?:died|dead)\b",
        rf"\b(?:(?:my|our|her|his) (?:\w+ ){{0,2}}?)?{_KIN} (?:\w+ ){{0,2}}?died (?:in|before|when|at the age|"
        rf"during) (?!a\b|my|our|the\b)\w*",
    ),
    "death": Cue(r"\b(?:thoughts|sorry|sadness|since|after|prayers)\b.*\bdeath of (?:my|her|his|our|their|your)\b"),
    "gone": Cue(r"\bbelieve (?:he|she|they)(?:'s|'re| is| are) (?:really )?gone\b|\bgone (?:too soon|forever)\b"),
    "grave graveside": Cue(r"\bat (?:the|his|her) grave"),
    "miss": Cue(
        r"\bmiss (?:you|him|her)\b[^.!?]*\b(?:dad|mom|mum|nan|grand\w+|little one|every (?:single )?day|heaven)\b"
        r"|\bwould have turned\b.*\bmiss you\b|^\W*miss you, little one"
    ),
    "turned": Cue(r"\bwould(?: have|'ve) turned \w+ today\b"),
    "without": Cue(r"\b(?:years?|months?|christmas|birthday) without (?:you|him|her|my|mom|mum|dad)\b"),
    "save": Cue(r"\bcouldn'?t save (?:her|him|them)\b"),
    "losing": Cue(rf"\blosing (?:him|her|you|my (?:\w+ )?{_KIN})\b"),
    "heartbroken": Cue(r"\bheartbroken for (?:you|her|him|them)\b"),
    "grief": Cue(r"(?:^|\b(?:the|my|our|this|your) )grief (?:is|just|hits|comes|came|feels|still)\b"),
    "thoughts": Cue(r"\bthoughts (?:and prayers )?are with\b"),
    "sadness sorrow hearts heart": Cue(r"\bwith (?:great|deep|heavy|profound) (?:sadness|sorrow|hearts?)\b"),
    "funeral": Cue(r"\b(?:his|her|my \w+'s|the) funeral (?:is|was) (?:on|today|tomorrow|yesterday|next)\b"),
}


# Bits for the lists above, as found in a sentence.
DELIGHT: Final = 1 << 0
COMPLAINT: Final = 1 << 1
PRESS: Final = 1 << 2
GRIEVE: Final = 1 << 3
ASKED: Final = 1 << 8  # a question that wants an answer
ASKED_FOR_EFFECT: Final = 1 << 9


def tone_of(reading: Reading, marks: int, cues: Sequence[int]) -> str | None:
    """The tone of a text; None where the lexicon knows none of its words.

    `marks` are the combined flags of all words, `cues` the bits above for each sentence.
    """
    said = reduce(or_, cues, 0)
    if said & GRIEVE or _mourns(reading, marks):
        return GRIEVING
    if said & PRESS and _is_pressed(reading):
        return URGENT_TONE
    valence, known = _valence(reading, cues)
    if not known and not marks & (ENGLISH | DIRECTIVE):
        return None
    compound = valence / sqrt(valence * valence + max(_ALPHA, len(reading.grammar) / 2))
    if abs(compound) < _TONE:
        return NEUTRAL
    return POSITIVE if compound > 0 else NEGATIVE


def _valence(reading: Reading, cues: Sequence[int]) -> tuple[float, bool]:
    """Summed valence of a text, and whether any word in it had one."""
    total, known = 0.0, False
    for (start, end), sentence, said in zip(reading.spans, reading.sentences, cues, strict=True):
        felt = _PHRASE * (bool(said & DELIGHT) - bool(said & COMPLAINT))
        if not felt and any(sentence.valences):
            known = True
            felt = _felt(sentence, turned=not said & (ASKED | ASKED_FOR_EFFECT))
            if said & ASKED:
                felt *= _QUESTIONED
        if felt:
            step = _STEP * min(_EXCLAMATIONS, reading.lower.count("!", start, end))
            total += felt + step if felt > 0 else felt - step
    if not reading.lower.isascii():
        total += _EMOJI * sum([_EMOJI_VALENCE[sign] for sign in _EMOJI_SIGN.findall(reading.lower)])
    return total, known


def _felt(sentence: Sentence, *, turned: bool) -> float:
    """Summed valence of a sentence's words after intensifiers, "but" and, if `turned`, negations."""
    forms, flags = sentence.forms, sentence.flags
    turn = forms.index("but") if "but" in forms else -1
    total = 0.0
    for place, valence in enumerate(sentence.valences):
        if valence:
            felt = _in_context(valence, flags[max(0, place - _LOOK_BACK) : place], turned=turned)
            if turn >= 0:
                felt *= _BEFORE_BUT if place < turn else _AFTER_BUT
            total += felt
    return total


def _in_context(valence: float, before: Sequence[int], *, turned: bool) -> float:
    for flags in before:
        if flags & NEGATION:
            if turned:  # "isn't it lovely?" and "who doesn't love it?" deny nothing
                valence *= _TURNED
        elif flags & (BOOSTER | DAMPENER):
            step = _STEP if flags & BOOSTER else -_STEP
            valence += step if valence > 0 else -step
    return valence


def _mourns(reading: Reading, marks: int) -> bool:
    """A strong word of grief said by or to someone, or two weaker words about a person."""
    if not marks & GRIEF or not marks & (FIRST_PERSON | SECOND_PERSON):
        return False
    if marks & GRIEF_STRONG:
        return True
    return bool(marks & PERSON) and len(_forms_of(reading, GRIEF)) > 1


def _is_pressed(reading: Reading) -> bool:
    """Whether a second cue supports urgency: another word, an exclamation mark, capitals."""
    if "!" in reading.lower or any(word in reading.text for word in ("NOW", "URGENT", "PLEASE", "ASAP")):
        return True
    beside = {form for sentence in reading.sentences for form in _PRESSING_BESIDE.intersection(sentence.forms)}
    return len(beside) > 0


def _forms_of(reading: Reading, mark: int) -> set[str]:
    """The different words with a mark."""
    return {
        form
        for sentence in reading.sentences
        for form, flags in zip(sentence.forms, sentence.flags, strict=True)
        if flags & mark
    }
