"""The phrases by which `nuance` recognises hedges and absolute claims. English, lower-case sentences.

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


# What `after` takes as the end of a word.
_ENDINGS: Final = frozenset(("ee", "ees", "or", "ors", r"\d", r"\dth", r"\dst", r"\dnd", r"\drd"))

# Cue words, separated by spaces -> the pattern to match; None: the word alone is enough.
Cues = Mapping[str, Cue | None]


def one_of(*alternatives: str) -> str:
    """Patterns as one that matches any of them."""
    return f"(?:{'|'.join(alternatives)})"


def after(*words: str, word: str) -> str:
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
    match = pattern.search(text)
    while match and match.lastgroup != "claim":
        match = pattern.search(text, match.end())
    return match is not None


# ------------------------------------------------------------------------------------------------------------- hedged

_PRONOUN: Final = one_of("i", "you", "we", "he", "she", "they", "it", "that", "this", "there")
# After whom "may" permits rather than guesses, and what is permitted.
_PERMITS: Final = after(
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
_MONTH: Final = after(
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
        rf"(?!{_PERMITS}(?: not| also| only| freely| always| now| then)? {_PERMITTED}\b)"
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
        r"|\bmy guess\b|\b(?:best|rough|wild) guess\b|^\W*we (?:\w+ )?(?:suspect|presume|reckon|assume|suppose)\b"
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
        rf"|^\W*it (?:looks?|looked|sounds?) as (?:if|though) (?:an?|some|{_POINTED})\b"
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
        r"|\bor so (?:it is|it was|they|people) (?:\w+ )?(?:said|believed|rumou?red)\b"
        r"|(?:^\W*|[,;:] |\b(?:that|as|but) )it is (?:\w+ly )?(?:believed|said|rumou?red) that\b"
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
    before = after(*_JOINING, *_STRESSED, word=word)
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
    "cases circumstances conditions": Cue(
        r"\b(?:in|under) (?:all|any|every) (?:possible )?(?:cases|circumstances|conditions)\b"
    ),
    "time account point": Cue(r"\bat no (?:time|point)\b|\bon no account\b", r"\bat no (?:time|point) in particular\b"),
    "whatever whatsoever": Cue(
        r"\b(?:no|any|nothing|none|not) (?:\w+ ){0,3}?whatsoever\b|\bnothing whatever\b|\bno \w+ whatever\b"
    ),
    "ever": Cue(r"ever (?!so\b|since\b)\w(?:(?<=n't ever \w)|(?<=not ever \w))"),
    "only": Cue(
        r"the only (?:(?<=is the only )|(?<=was the only )|(?<=are the only ))(?:\w+ )?(?:way|means|method|path|cure|"
        r"remedy|answer|solution)\b"
    ),
    "without": Cue(r"\bwithout (?:(?:a single |any |an )?exception|fail|question)\b"),
    "guaranteed 100 certainly": Cue(r"\bguaranteed to\b|\b100% (?:certain|sure|of|guaranteed|true|always)"),
    "whatever": Cue(rf"{_subject('whatever')} (?:\w+ ){{1,6}}(?:must|always|will|is)\b"),
    "whoever": Cue(rf"{_subject('whoever')} (?:\w+ ){{1,6}}(?:must|always|will|is)\b"),
}
