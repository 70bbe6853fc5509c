"""The phrases by which `nuance` recognises hedges, absolute claims and analogies. English, lower-case sentences.

A table maps cue words to the patterns around them, so that a word costs one look-up and a pattern runs only where its
cue word occurs.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final, NamedTuple


class Cue(NamedTuple):
    """The pattern to match in a sentence with a cue word: `claim`, but not as part of `idiom`."""

    claim: str
    idiom: str = ""


# What `_after` takes as the end of a word.
_ENDINGS: Final = frozenset(("ee", "ees", "or", "ors", r"\d", r"\dth", r"\dst", r"\dnd", r"\drd"))

# Cue words, separated by spaces -> the pattern to match; None: the word alone is enough.
Cues = Mapping[str, Cue | None]


def one_of(*alternatives: str) -> str:
    """Patterns as one that matches any of them."""
    return f"(?:{'|'.join(alternatives)})"


def _after(*words: str, word: str) -> str:
    """A look back, at the end of `word`, to whether one of the words stands right before it.

    Patterns that begin with plain letters and look back from there are searched for several times faster than those
    that begin with a choice.
    """
    looks = []
    for before in words:
        edge = "" if before in _ENDINGS or before[0] == "^" else r"\b"
        looks.append(f"(?<={edge}{before} {word})")
    return one_of(*looks)


class CueTable:
    """Several lists of cues in one table, so that finding all of them costs one look-up a word.

    Each list has a bit; `found_in` returns the bits of the lists with a matching cue. Patterns are compiled when their
    word is first met.
    """

    def __init__(self, lists: Mapping[int, Cues]) -> None:
        self._cues: Final[dict[str, list[tuple[int, Cue | None]]]] = {}
        for bit, cues in lists.items():
            for words, cue in cues.items():
                for word in words.split():
                    self._cues.setdefault(word, []).append((bit, cue))
        self._words: Final = frozenset(self._cues)
        self._entries: Final[dict[str, tuple[tuple[int, re.Pattern[str] | None], ...]]] = {}

    def found_in(self, forms: Iterable[str], text: str) -> int:
        """The bits of the lists with a matching cue, from a sentence's words and its lower-case text."""
        bits = 0
        for word in self._words.intersection(forms):
            for bit, pattern in self._entries.get(word) or self._made(word):
                if not bits & bit and (pattern is None or _holds(pattern, text)):
                    bits |= bit
        return bits

    def _made(self, word: str) -> tuple[tuple[int, re.Pattern[str] | None], ...]:
        entry = tuple([(bit, cue and _pattern(cue)) for bit, cue in self._cues[word]])
        self._entries[word] = entry
        return entry


@cache
def _pattern(cue: Cue) -> re.Pattern[str]:
    return re.compile(f"(?:{cue.idiom})|(?P<claim>{cue.claim})" if cue.idiom else f"(?P<claim>{cue.claim})")


def _holds(pattern: re.Pattern[str], text: str) -> bool:
    """Whether the claim matches outside the idioms."""
    found = pattern.search(text)
    while found and found.lastgroup != "claim":
        found = pattern.search(text, found.end())
    return found is not None


# ------------------------------------------------------------------------------------------------------------- hedged

_PRONOUN: Final = one_of("i", "you", "we", "he", "she", "they", "it", "that", "this", "there")
# After whom "may" permits rather than guesses, and what is permitted.
_PERMITS: Final = _after(
    "you", "we", "they", "user", "users", "party", "parties", "tenant", "tenants", "landlord", "buyer", "company",
    "members", "member", "guests", "passengers", "customers", "students", "ee", "ees", "or", "ors", word="may",
)  # fmt: skip  # a list of words, not a column
_A_FEW: Final = one_of(
    "an?", "the", "another", "more", "some", "any", "my", "our", "up", "as", "no", r"\d+", "one", "two", "three",
    "both", "all", "it", "this", "that",
)  # fmt: skip  # a list of words, not a column
_PERMITTED: Final = one_of(
    rf"have {_A_FEW}", "use", "enter", "take", "go", "leave", "install", "copy", "begin", "proceed", "cancel",
    "terminate", "call", "ask", "keep", "choose", "select", "apply", "submit", "request",
    "contact", "park", "sit", "come", "bring", "stay",
    "assign", "sell", "kiss", "start", "open", "share",
)  # fmt: skip  # a list of words, not a column
_MONTH: Final = _after(
    "in", "of", "on", "last", "next", "since", "by", "until", "early", "late", "mid", "from", "to", "through",
    "before", "after", "minister", r"\d", r"\dth", r"\dst", r"\dnd", r"\drd", word="may",
)  # fmt: skip  # a list of words, not a column
# "This May we go to Rome", but "this may work".
_THIS_MONTH: Final = (
    r"(?<=\bthis may)(?=\W*$|[,.;:!?)]| (?:i|we|you|he|she|they|it|the|an?|my|our|your|his|her|their|in|at|on|to|for|"
    r"from|when|and|but|with|is|was|has|will)\b)"
)
_WISH: Final = r"(?:(?<=^may)|(?<=[,;] may)|(?<=\band may))"
_LIMITED: Final = one_of("some", "most", "many", "certain", "rare", "few", "a few", "several", "other")
_CASES: Final = one_of(
    "cases?", "circumstances", "conditions", "instances", "situations?", "respects?", "contexts", "sense", "ways?"
)
_EVIDENCE: Final = one_of(
    "data", "results?", "findings?", "evidence", "stud(?:y|ies)", "this", "that", "it", "which", "research", "analysis",
    "figures?", "numbers", "signs?", "tests?", "logs?",
)  # fmt: skip  # a list of words, not a column
_HABIT: Final = r"\b(?:i|we|i've|we've) (?:\w+ly )?"
_NOUN_BEFORE: Final = one_of("a", "an", "the", "their", "his", "her", "its", "our", "your", "my", "this", "no")
_USUAL: Final = one_of("usually", "typically", "generally", "normally")
_REPORTED: Final = one_of("it", "that", "this")

_POINTED: Final = one_of("my", "our", "your", "his", "her", "their", "its", "the", "these", "those", "this", "that")

HEDGES: Final[Cues] = {
    "maybe perhaps possibly probably presumably seemingly apparently arguably conceivably supposedly allegedly "
    "reportedly plausibly potentially ostensibly seems seem seemed tend tends tended kinda sorta imo imho afaik "
    "afaict iirc arguable doubtful suggestive": None,
    "may": Cue(
        rf"may(?<!\wmay)\b(?! ?,? ?\d| (?:day|is|was|has|had)\b)(?!{_MONTH}|{_THIS_MONTH})"
        rf"(?!{_WISH} (?:i|we|he|she|they|you|the|your|all|god|it|"
        rf"this|both)\b)"
        rf"(?!{_PERMITS}(?: not| also| only| freely| always)? {_PERMITTED}\b)"
    ),
    "might": Cue(
        r"\bmight\b", r"\b(?:the|by|their|his|her|our|my|its|all|military|naval|with|of) might\b|\bmight (?:and|is)\b"
    ),
    "could": Cue(
        r"\bcould (?:\w+ly |also |well |still |just |even )?(?:be|mean|cause|lead|explain|happen|affect|indicate|"
        r"rise|fall|become|take|result|make)\b",
        r"\b(?:wish|only|if|would that|so that) (?:\w+ ){1,3}?could\b|\bcould be (?:happier|better|prouder|worse)\b"
        r"|\b(?:i|we|you) could (?:make|take)\b",
    ),
    "can": Cue(r"\bit can (?:be|happen) that\b"),
    "sometimes occasionally": Cue(r"^\W*(?:sometimes|occasionally),? (?!i\b|we\b|you\b)"),
    "cases case circumstances conditions instances situations situation respects contexts sense ways way": Cue(
        rf"\b(?:in|under) (?:\w+ )?{_LIMITED} {_CASES}\b|\bin a (?:certain )?(?:sense|way)(?=,|\.|$)|\bin a sense\b"
    ),
    "think": Cue(
        r"\b(?:i|we)(?:'d| do| would| don't| dont| really| still| just| personally| honestly)* think\b(?! (?:of|"
        r"about)\b)"
    ),
    "believe": Cue(r"\b(?:i|we)(?: do| don't| still| really| strongly)* believe\b(?! (?:in|me)\b)"),
    "guess suppose reckon suspect assume imagine presume": Cue(
        r"\bi(?:'d|'m| would| can only| don't| can)* (?:guess|suppose|reckon|suspect|assume|imagine|presume)\b"
        r"|\bmy guess\b|\b(?:best|rough|wild) guess\b"
    ),
    "say argue": Cue(
        r"\b(?:i'd|i would|one (?:could|might)|hard to|sources|they|people|some(?: would| might| could|"
        r" may)?) (?:say(?! (?:hi|hello)\b)|"
        r"argue)\b"
    ),
    "thought": Cue(r"\bor so \w+ thought\b|\bis thought to\b"),
    "impression hunch suspicion understanding": Cue(
        rf"\bmy (?:\w+ )?(?:impression|hunch|suspicion|understanding) (?:is|was) (?:that|{_PRONOUN}|{_POINTED}|an?)\b"
    ),
    "doubt": Cue(r"\bi (?:\w+ )?doubt\b"),
    "wonder wondering": Cue(
        r"\bi(?:'m| am)? (?:\w+ )?wonder(?:ing)? (?:if|whether)\b", r"\bi was wondering if|\bwondering if you\b"
    ),
    "feel feeling": Cue(
        rf"\bfeel like {_PRONOUN}\b|\b(?:have|had|get|got) (?:a|the) (?:\w+ )?feeling\b",
        rf"\b(?:make|makes|made|if|when|whenever) (?:\w+ ){{1,2}}feel like {_PRONOUN}",
    ),
    "sure certain confident clear convinced": Cue(
        r"\b(?:not|n't|never|i'm|i am|we're|im)(?: \w+)? (?:fairly|pretty|almost|quite|reasonably|mostly|entirely|"
        r"really|so|too|exactly|totally|completely|100%) (?:sure|certain|confident|clear|convinced)\b"
        r"|\b(?:not|n't) (?:sure|certain|convinced)\b|^(?:pretty|fairly|almost|quite) (?:sure|certain)\b"
    ),
    "quote": Cue(r"\bdon'?t quote me\b"),
    "opinion view experience": Cue(r"\bin my (?:\w+ )?(?:opinion|view|experience)\b|\bunpopular opinion\b"),
    "know knowledge tell remember recall understand gather aware see hear": Cue(
        r"\b(?:as|so) far as (?:i|we)\b|\bto (?:the best of )?(?:my|our) knowledge\b|\bhard to (?:tell|know)\b"
        r"|\bfrom what (?:i|we|i've|we've)\b|\bif i (?:remember|recall|understand)\b|\bthat (?:i|we) know of\b"
    ),
    "mistaken wrong": Cue(r"\bif i(?:'m| am) not (?:mistaken|wrong)\b|\bi (?:could|may|might) be (?:wrong|mistaken)\b"),
    "extent degree": Cue(r"\bto (?:some|a certain|a large|a great|a|an?) (?:\w+ )?(?:extent|degree)\b"),
    "less": Cue(r"\bmore or less\b"),
    "likely unlikely": Cue(
        r"\b(?:un)?likely\b",
        rf"\b{_NOUN_BEFORE} (?:most |more |less |very )?(?:un)?likely\b|\bhow likely\b|^\W*(?:un)?likely (?!to\b|"
        rf"that\b)",
    ),
    "appear appears appeared": Cue(
        rf"\bappear(?:s|ed)? (?:to\b|that\b|as (?:if|though)|not to\b)|\b{_REPORTED} (?:would )?appears?,"
    ),
    "looks look looked sounds sound": Cue(
        rf"(?:^|\b(?:it|that|this) )(?:looks?|looked|sounds?) (?:like|as (?:if|though)) (?:{_PRONOUN}|someone|nobody)"
        r"(?:'\w+)? (?!best|worst)"
    ),
    "suggest suggests suggested indicate indicates": Cue(
        rf"\b{_EVIDENCE} (?:\w+ly |would |may |also )?(?:suggest|indicate)(?:s|ed)?\b"
    ),
    "possible conceivable imaginable plausible": Cue(
        rf"\b(?:is|it's|was|seems) (?:\w+ )?(?:possible|conceivable|imaginable|plausible) (?:that|{_PRONOUN}|"
        rf"{_POINTED}|an?|"
        r"some\w*|nobody|no one)\b"
    ),
    "possible possibility chance chances risk odds": Cue(
        r"\bpossible that\b|\b(?:there's|there is|there are|still) (?:always |still )?(?:a|some|every) "
        r"(?:\w+ )?(?:possibility|chance)\b|\bchances are\b|\bodds are\b"
    ),
    "depends depend": Cue(r"\b(?:it|that|this|much|lot|all|really) (?:all |really |just |kind of )?depends?\b"),
    "usually typically generally normally": Cue(
        rf"\b{_USUAL}\b", rf"{_HABIT}{_USUAL}\b|\bthan usually\b|\bdo (?:you|i|we) {_USUAL}\b"
    ),
    "days occasions": Cue(r"\bon (?:some|certain|rare) (?:days|occasions)\b"),
    "often sometimes occasionally": Cue(
        r"\b(?:is|are|can|it's|that) (?:\w+ )?(?:often|sometimes|occasionally)\b|\b(?:often|sometimes) enough\b"
        r"|\bmore often than not\b",
        r"\bhow often\b",
    ),
    "sort kind": Cue(
        r"\b(?:is|was|are|were|it's|i'm|that's|he's|she's|they're|you're|just|feels?|felt|looks?|seems?|still|been|"
        r"i|we|he|she|they|it) (?:sort|kind) of\b",
        r"\bkind of (?:you|him|her|them|person|people|thing|place|guy)\b",
    ),
    "rule": Cue(r"as a (?:general )?rule\b"),
    "large": Cue(r"by and large\b"),
    "whole": Cue(r"on the whole\b"),
    "general": Cue(r"in general\b"),
    "part": Cue(r"for the most part\b"),
    "theory": Cue(r"in theory\b"),
    "speaking": Cue(r"(?:roughly|broadly|strictly|generally) speaking\b"),
    "expected believed said rumored rumoured": Cue(
        r"\b(?:is|are|was|were) (?:widely |generally )?(?:expected|believed|said|rumou?red) to\b|\bsources said\b"
    ),
    "should": Cue(r"\bshould (?:hopefully )?be (?:fine|ok|okay|enough|alright|good)\b(?! to you)"),
}

# ----------------------------------------------------------------------------------------------------------- absolute

_DENIED: Final = r"\b(?:not|n't|\w+n't|dont|doesnt|almost|nearly|hardly|virtually|practically|seldom) "
_UNITS: Final = one_of(
    "days?", "nights?", "weeks?", "weekends?", "months?", "years?", "mornings?", "evenings?", "afternoons?", "summers?",
    "winters?", "hours?", "minutes?", "seconds?", r"\w+days?", "spring", "autumn", "season",
)  # fmt: skip  # a list of words, not a column
# The whole of a group that is pointed to: "all of them", "none of the doors".
_GROUP: Final = one_of("them", "us", "it", "you", _POINTED)
_NOT_DENIED: Final = "".join(
    f"(?<!{before} {{0}})"
    for before in ("not", "n't", "dont", "doesnt", "almost", "nearly", "hardly", "virtually", "one of")
)
# What happened once rather than always: forms that follow "nobody", "everything" and "never" in a report.
_ONCE: Final = one_of(
    "was", "were", "had", "did", "went", "happened", "came", "told", "said", "saw", "noticed", "asked", "got", "showed",
    "knew", "laughed", "left", "received", "arrived", "replied", "called", "heard", "finished", "thought", "met",
    "sent", "answered", "made", "seemed", "looked", "felt", "took", "gave", "changed", "worked", "stopped", "started",
)  # fmt: skip  # a list of words, not a column
# What is said of "all the windows", which are otherwise an amount: "all the best", "thanks for all your work".
_STATED: Final = one_of(
    "are", "were", "have", "had", "will", "must", "can", "could", "would", "should", r"\w\w\wed", "left", "fell",
    "went", "came", "broke", "sank", "lost", "burnt", "knew", "saw",
)  # fmt: skip  # a list of words, not a column
_JOINING: Final = tuple("that because and but so if when where think believe know say says yes".split())
_STRESSED: Final = ("absolutely", "literally", "basically", "simply", "honestly", "really")


def _subject(word: str) -> str:
    """The word where a clause begins, so that it is the subject there, or where it is stressed."""
    before = _after(*_JOINING, *_STRESSED, word=word)
    return rf"{word}(?:(?<=^{word})|(?<=[-,;:–—(*\"“] {word})|(?<=[-(*\"“—]{word})|{before})"


# What "no" denies without a claim about all: "no problem", "no wonder", "no changes".
_NO_SUCH: Final = one_of(
    "one", "problems?", "worries", "wonder", "doubt", "idea", "need", "way", "matter", "sense", "point", "reason",
    "more", "longer", "changes?", "thanks?", "luck", "news", "answer", "reply",
)  # fmt: skip  # a list of words, not a column

ABSOLUTES: Final[Cues] = {
    "invariably inevitably": None,
    "always": Cue(r"\balways\b", rf"{_DENIED}(?:\w+ )?always\b|\bas always\b|[-\w]-always\b|\balways-\w"),
    "never": Cue(
        r"\bnever\b",
        rf"\bnever mind\b|\bnever-\w|\bor never\b|{_DENIED}never\b|\b(?:was|were|had|had you|we|and) never "
        rf"(?:part|met|gains)\b|\bnever {_ONCE}\b(?!.*\b(?:life|ever)\b)|\bnever (?:thought|been (?:so|better|more))\b",
    ),
    "all": Cue(
        r"\ball (?!of\b)(?:\w+ ){0,3}?\w+s\b|\ball (?:men|women|people|children|life|real|that|who|which)\b"
        rf"|\bof all time\b|(?<!\bwith )all of {_GROUP}\b",
        rf"(?<!^)(?<![,;:] )(?<!\bbecause )(?<!\bbut )all {_POINTED}\b|\ball (?:{_UNITS}|"
        rf"{_POINTED}(?! (?:\w+ )?\w+s {_STATED}\b)|right|set|in|good|kinds|sorts|ready|over|along|about|around|but|"
        rf"too|by|at|"
        r"once|out|done|gone|clear|rights reserved|alone|of (?:a sudden|you[,!?.])|i|you|we|it|he|she|they|so|a|"
        r"an|also|just|and|"
        r"one|two|three|four|five|six|seven|eight|nine|ten|\d+)\b|\ball,|\ball-\w|\w-all\b"
        r"|\b(?:at|after|above|in|that's|first of|we|you|us|them|they|it|you're|we're|they're|are|were|is|was|"
        rf"it's|best of|most of|worst of|and|thank you|hi|hello|hey) all\b|{_DENIED}all\b",
    ),
    "each": Cue(r"each and every\b"),
    "every": Cue(
        rf"every(?:(?<=^every)|(?<=[\W]every)){_NOT_DENIED.format('every')}(?! (?:single |other |last |few |"
        rf"second |third |"
        rf"two |three |four |five |six |ten |\d+ )?{_UNITS}\b)(?! (?:now|other|so|once|bit|last|few)\b) \w"
    ),
    "everyone everybody everything everywhere": Cue(
        rf"{_subject('every')}(?:one|body|thing|where)\b(?!'s| (?:{_ONCE}|i|we|you|he|she|they|who|"
        rf"else|here|"
        r"there|about|is so|okay|ok|going|looks|seems|has been|will be)\b)|every(?:one|body|thing) (?:always|"
        r"must|knows)\b|\beverything (?:i|you|we|he|she|they) (?!need)\w+ (?:is|was|turn\w*|becomes?|became|dies|died|"
        r"fails)\b|\beverything about (?:\w+ ){1,3}(?:is|was)\b"
        r"|\b(?:appl(?:y|ies|ied)|happens?|belongs?|true|open|free|available) (?:to|for|of) every(?:one|body|thing)\b"
        r"|\b(?:appl(?:y|ies|ied)|works?|exists?|occurs?|is|are|was|were|true|blocked|banned|forbidden|"
        r"found) everywhere\b"
    ),
    "nobody nothing none nowhere": Cue(
        rf"\bnone of (?!your business){_GROUP}\b|{_subject('no')}(?:body|thing|where)\b(?! (?:{_ONCE}|much|else|but|"
        rf"like|wrong|new|special|too|fancy|to|about|in(?! {_POINTED} \w+ \w))\b)|nothing (?:better|worse|more|like|"
        rf"that|you|we) |"
        r"absolutely (?:nobody|nothing)\b"
    ),
    "one": Cue(
        rf"{_subject('no')} one (?!{_ONCE}\b)|no one in .*\bever\b|one of every\b|{_subject('not')} one of {_GROUP}\b"
    ),
    "single": Cue(r"\bnot a single \w", r"\bnot a single (?:day|time|word)\b"),
    "absolutely": Cue(r"\babsolutely (?:no|every|all)\b", r"\babsolutely no (?:idea|clue|problem|worries)\b"),
    "no": Cue(
        rf"{_subject('no')} (?!{_NO_SUCH}\b)\w{{2,}} (?:\w+ )?(?:can|cannot|could|will|would|should|may|deserves?)\b"
        rf"|{_subject('no')} (?!{_NO_SUCH}\b)\w{{2,}} (?:is|are) (?:an?|the|ever|above|perfect|safe|alike|free|born)\b"
        rf"|{_subject('no')} (?!{_NO_SUCH}\b)\w{{2,}} (?:likes|loves|wants|knows|needs|lives|dies|survives|believes|"
        r"understands|escapes|speaks|wins)\b"
    ),
    "ever shall": Cue(
        rf"{_subject('no')} (?:\w+ ){{1,4}}?(?:ever|shall)\b|, ever\b|ever again\b|the only (?:\w+ ){{1,4}}ever\b"
    ),
    "such cure escape excuse substitute alternative limit end way hope greater worse": Cue(
        r"there(?:'s| is| are) (?:absolutely |simply )?no (?:such|cure|escape|excuse|substitute|alternative|"
        r"limit|end|way|"
        r"hope|greater|worse|right way)\b"
    ),
    "circumstances circumstance case exception exceptions": Cue(
        r"\b(?:under|in) no (?:circumstances?|case)\b|no exceptions?\b"
    ),
    "impossible": Cue(r"\bimpossible\b", rf"{_DENIED}impossible\b|\bmission impossible\b|\bimpossible burger\b"),
    "forever": Cue(
        r"\bforever\b", r"\b(?:take|takes|took|taking|waited|waiting|been|been like|like|lasted|for) forever\b"
    ),
    "anyone anybody": Cue(
        rf"{_subject('any')}(?:one|body) (?:can|could|will|would|who|knows|is)\b|(?:can't|cannot|"
        rf"never) trust any(?:one|body)\b"
    ),
    "any": Cue(
        rf"{_subject('any')} (?!(?:less|fewer|one|help|questions?|comments?|feedback|issues?|ideas?|advice|"
        rf"suggestions?|tips?|chance|more|"
        r"other|further|new)\b)\w+ (?:can|could|knows|must)\b"
    ),
    "anything": Cue(r"(?:will|would|literally) (?:\w+ )?do anything\b"),
    "without": Cue(r"\bwithout (?:exception|fail|question)\b"),
    "guaranteed 100 certainly": Cue(r"\bguaranteed to\b|\b100% (?:certain|sure|of|guaranteed|true|always)"),
    "whatever": Cue(rf"{_subject('whatever')} (?:\w+ ){{1,6}}(?:must|always|will|is)\b"),
    "whoever": Cue(rf"{_subject('whoever')} (?:\w+ ){{1,6}}(?:must|always|will|is)\b"),
}

# ------------------------------------------------------------------------------------------------------------ analogy

# What "like" follows where it is a verb, introduces an example or says how something seems.
_NOT_LIKENED: Final = tuple(
    "i you we they people who would i'd we'd you'd he'd she'd they'd to don't doesn't didn't really also might do did "
    "not thing things something anything stuff more seem seems seemed sound sounds sounded just always "
    "still place places "
    "nothing".split()
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
    "sharp cold white black quiet light hard clear flat dry fit free mad pale red slow smooth soft solid steady "
    "stiff strong "
    "stubborn sweet thin tight tough warm blind bold bright busy calm cool dead deaf gentle green happy innocent "
    "proud sick "
    "silent sly still straight thick tiny ugly wise easy heavy plain delicate fragile"
)
_BE: Final = ("is", "are", "was", "were", "be", "been", "it's", "that's", "he's", "she's", "they're", "you're", "we're")
_HOW: Final = ("", "just ", "much ", "almost ", "exactly ", "kind of ", "sort of ", "a bit ", "a lot ", "basically ")
_IS: Final = one_of(*[rf"(?<=\b{be} {how}like)" for be in _BE for how in _HOW])
_SEEMS: Final = (
    "it looks",
    "it look",
    "that looks",
    "this looks",
    "which looks",
    "there looks",
    "^looks",
    "^look",
    "it looked",
)
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
_LIKE: Final = rf"like(?!{_after(*_NOT_LIKENED, *_SEEMS, *_WANTS, word='like')})" + one_of(
    rf" an? (?!{_NOT_LIKENING}\b)\w+",
    rf"{_IS} (?!{_COUNTED}\b|(?:this|always)\b)(?:\w+ing\b|(?:\w+ )?\w+s\b(?=[,:.;!]| but| in| that| who|$)"
    r"|(?:the|my|our) (?!(?:best|worst|first|last|only|most|same)\b)\w+)",
    rf"{_after(*'work works worked act acts behaves runs functions operates'.split(), word='like')} "
    r"(?:the \w+|(?!this\b|always\b)\w{3,}s\b(?=[,.;!]|$))",
    rf"{_after('feels', 'feel', 'felt', word='like')} \w+ing\b",
    rf"{_after(*'us him her it them me down up around out away over below above'.split(), word='like')}"
    r" (?:\w+ed |the )?\w+s\b(?=[,.;!]|$)",
)
# "Time is like money": a noun by itself, likened to a noun by itself.
_BARE: Final = (
    r"\b(?!(?:it|that|this|he|she|they|we|you|i|there|what|which|who|here|life)\b)\w+ (?:is|are|was|were) (?:just |"
    r"a lot |much )?"
    rf"like (?!{_UNLIKE}\b)\w+(?=[.;!]|$)"
    rf"|\b(?:flow|spread|mov|burn|shin|grow|travel|sing|fight|sting|rippl|ring|gallop)(?:e?s|e?d|"
    rf"e)? like (?!{_UNLIKE}\b)\w+"
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
