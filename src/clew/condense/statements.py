"""Find the sentences that a later reader acts upon: decisions, constraints, open tasks, and attempts that failed.

Rules over the wording of English sentences. Code, listings and quoted output are left out where their layout shows it.
"""

import re
from collections.abc import Iterator
from typing import Final

from clew.text.evidence import MOST
from clew.text.late_pattern import late_pattern
from clew.text.sentences import sentence_spans

LONG: Final = 200
"""Characters from which on the clauses of a sentence are read singly."""

STATED: Final = frozenset(("decision", "constraint", "task", "failure"))
"""The kinds of statements."""

LONGEST: Final = 1_000
"""Characters of the longest sentence that is read; what is longer is a listing."""

_FEWEST_WORDS: Final = 4
_CLAUSE_BEGINS: Final = "(?:^|"
_WORD_EDGE: Final = r"\b"
_I: Final = r"(?:i|we)(?:'ll|'d|'ve|'m|'re| will| am| are| have| had| would)?(?: now| also| just| then| still)?"
_LOOKING: Final = (
    "look|see|check|examine|explore|view|search|find|read|open|inspect|understand|verify|start|begin|know|go through"
    "|take a|review|think|talk|walk|dive|break|list|create a plan|gather|confirm|explain|run"
    "|try to (?:find|search|view|run)"
)
_DOING: Final = (
    "use|add|change|modify|update|switch|replace|remove|keep|stick|go with|go ahead|go for|proceed|implement|rename"
    "|move|split|merge|drop|skip|make|set|adopt|focus|correct|handle|store|create|try (?:a|an|the|changing|using)"
    "|rewrite|refactor|revert|disable|enable|extend|build|convert|migrate|fix|write|append|clean"
)
_STAYING: Final = "(?:start with|stick (?:to|with)|go (?:with|for)|choose|pick)"
_SURELY: Final = "(?: directly| simply| just)?"
_THEN: Final = "(?:then|so|ok(?:ay)?|alright|fine|well)"
_CHOOSING: Final = (
    "(?:switch(?:ing)?|stick(?:ing)? (?:to|with)|go(?:ing)? (?:with|for)|choose|pick|take|keep(?:ing)?|drop(?:ping)?"
    "|mov(?:e|ing) .{1,40} to|postpone|settle (?:on|for))"
)
"""What a group does with a choice: after "then" or "so" it ends the discussion."""


class _Wordings:
    r"""Several ways to say something, searched for by where they may begin, which takes a fourth of the time.

    Those that begin with `^` are tried at the beginning of a sentence only, those with `(?:^|` also behind the marks
    that follow there, and those with `\b` before each word, which is looked for once at each place. None of them is
    itself a choice (`|`), but within parentheses.
    """

    def __init__(self, *patterns: str) -> None:
        leads = ("^", _CLAUSE_BEGINS, _WORD_EDGE)
        first, clauses, words = ([each for each in patterns if each.startswith(lead)] for lead in leads)
        others = [each for each in patterns if not each.startswith(leads)]
        behind_marks = "|".join("(?:" + each.removeprefix(_CLAUSE_BEGINS) for each in clauses)
        at_words = "|".join(each.removeprefix(_WORD_EDGE) for each in words)
        anywhere = (behind_marks, "|".join(others), at_words and rf"\b(?=\w)(?:{at_words})")
        self._first = late_pattern("|".join([*first, *clauses]) or "(?!)")
        self._anywhere = tuple(late_pattern(each) for each in anywhere if each)

    def is_in(self, text: str) -> bool:
        """Whether a sentence is worded so."""
        return self._first.match(text) is not None or any(each.search(text) for each in self._anywhere)


_WHEN: Final = (
    r"(?:(?:next |this |the )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:the )?\d|next (?:week|month|year|quarter)"
    r"|tomorrow|noon|(?:january|february|march|april|may|june|july|august|september|october|november|december)\b)"
)
_CONCLUDED: Final = _Wordings(
    rf"(?:^|[.;:] )\W*(?:{_THEN}\W+)?(?:decided|agreed|settled)\b(?:, | - |: |[^:,.?!]{{1,50}}: )\w(?![^\n]*!\W*$)",
    r"^\W*(?:(?:new|final|our|board|the) ){0,2}decision\b[^:.?!]{0,50}: \w",
    rf"(?:^|[.;:] )\W*{_THEN},? (?:let's|we(?:'ll| will|'re| are)?) {_CHOOSING}\b",
    r"\bwe(?:'re| are)? (?:now )?switch(?:ed|ing)?(?: back| over)? to\b",
    rf"\b(?:move|postpone|shift|reschedule)[ds]?\b[^.?!]{{0,40}} to {_WHEN}",
    rf"\b{_THEN},? [^.,;?!]{{1,40}} it is\b(?= then\b|\W*[;.]|\W*$)",
)
"""How people who talk a matter over say what came of it: "Agreed, release 1.0 on Friday", "Then we move it to May"."""
_SETTLED: Final = _Wordings(
    (
        rf"\b{_I} (?:decided|opted|chose|agreed|settled|picked|went with|concluded|declined|rejected|turned down"
        r"|ruled out)\b"
    ),
    r"\b(?:out of scope|scope creep|not worth (?:it|the))\b",
    r"\bgo ahead (?:and|with)\b",
    r"\bdecided (?:to|on|that|against)\b",
    r"\bdecision (?:is|was)\b",
    r"\bsettled on\b",
)
_DECISION: Final = _Wordings(
    r"\bgoing with\b",
    rf"\b(?:i|we)(?:'ll| will)(?: probably| just| also)? {_STAYING}\b",
    r"\bthe plan is\b",
    r"\bis a (?:feasible|good|better|sound) approach\b",
    r"\byou can use (?:the )?\W?\w+\W? (?:library|package|module|to)\b",
    (
        r"\b(?:i'm|i am|we're|we are) (?:going to (?:use|adopt|accept|take (?!an?\b|some\b|care\b|part\b))"
        r"|sticking with)\b"
    ),
    r"\bwe(?:'re| are) (?:now )?(?:dropping|postponing|adopting|standardi[sz]ing on|migrating to|moving to)\b",
    r"\bwe(?: have|'ve)? (?:switched|migrated) from [^.,;?!]{1,40} to\b",
    r"\bi'd like to (?:use|keep|go with|pay)\b",
    r"\b(?:please|you can) proceed\b",
    r"\bhas been (?:changed|modified|updated) to\b",
    r"^\W*[a-z]+ should (?:be|add|use|have(?! \w+(?:ed|en|ne|wn|ght|old|nt)\b)|return|show)\b",
)
# Said of what one may do as well as of what was decided; not in a question, nor in an exclamation.
_INTENTION: Final = _Wordings(
    rf"\b(?:let's|let us)(?: try to| now| then| just| first)?{_SURELY} (?!{_LOOKING}|make sure)(?:{_DOING})\b",
    rf"\b(?:we|i) (?:need|should|can|have|ought)(?: to)?{_SURELY} (?!make sure)(?:{_DOING})\b",
    rf"\b(?:i|we)(?:'ll| will)(?: try to)? (?!make sure)(?:{_DOING})\b",
    rf"\bi want to (?!make sure)(?:{_DOING})\b",
    r"\b(?:i|we|let's|use|using|should|will|is|are|to (?:be|use|have|do))\b[^.]{0,80}\b(?:instead of|rather than)\b",
    r"\binstead,? (?:i|we|let's|use)\b",
    r"\binstead of [^.,;?!]{1,40},? (?:i|we)(?:'ll| will)? (?!look|see|check)[a-z]+",
    r"^\W*put (?:it|this|that|them|the [\w -]{1,30}) (?:in|into|under|behind)\b",
    r"^\W*(?:(?:ok(?:ay)?|yes|sure|fine|good|great),? )?go with\b",
)
_NO_ORDER: Final = (
    "worry|forget|know|mind|hesitate|sweat|stress|give up|think|want|like|have|care|believe|remember|see|need"
    "|get me wrong"
)
"""What follows "don't" where it forbids nothing."""
_CHANGING: Final = "(?:use|change|touch|modify|add|rely|depend|install|break|exceed|ship|store|share|assume|expose)"
_ORDERED: Final = _Wordings(
    r"^\W*(?:from now on,? )?(?:please )?"
    rf"(?:never|always|(?:do not|don't)(?! (?:{_NO_ORDER})\b)|keep (?:each|every|all))"
    r" (?!(?:mind|been|had|seen|heard|thought|knew|felt|[a-z]+ed)\b)[a-z]+"
)
"""How a rule begins: "Don't commit broken code" tells of no failure."""
_EVER: Final = r"(?:never|always) (?!been\b|had\b|seen\b|heard\b|thought\b|knew\b|felt\b|[a-z]+ed\b)[a-z]+"
_CONSTRAINT: Final = _Wordings(
    r"\bmust(?!'ve| have| be (?:so|an?|fun|nice|great|very|exciting|hard))(?: not|n't)?\b",
    rf"(?:^|[,.;:] )\W*{_EVER}",
    rf"(?:please |should |must )\W*{_EVER}",
    r"^\W*(?:please )?(?:use|keep|follow|match|stick to) (?:to )?the (?:existing|same|current|exact)\b",
    r"\b(?:cannot|can't) (?:assist|help) (?:you )?with\b",
    (
        rf"(?:^|[,.;:] )\W*(?:please |but |and )?(?:(?:do not|don't)(?! (?:{_NO_ORDER})\b)|avoid|no need to"
        r"|make sure (?:to|not|it|that|all|each|every|no|the|you))\b"
    ),
    r"\b(?:should|may|can|will|is|are) NOT\b",
    r"\b(?:should|must|may|can) ONLY\b",
    r"\b(?:NEVER|ALWAYS) [A-Z]?[a-z]*",
    r"\byou (?:should|may) (?:not|never|only)\b",
    r"\bwe (?:don't|do not) (?:need|have|want) to (?!worry\b|be\b|(?:make|do) any)",
    rf"^\W*(?:and |but |so )?let's not (?!(?:{_NO_ORDER})\b)[a-z]+",
    r"^\W*(?:please,? )?no (?!need\b|problem)[\w-]+(?: [\w-]+){0,4},? please\b|^\W*please,? no [a-z]",
    r"\b(?:it|this|everything|the [a-z]+) (?:has|have) to (?:work|run|stay|support|fit|pass|handle|compile|remain)\b",
    rf"\b(?:we|you) (?:can't|cannot|may not|mustn't) {_CHANGING}\b",
    r"^\W*(?:all|every|each|any) (?!(?:we|you|i|he|she|they|that|it|of)\b)[^.,;:?!]{1,40} (?:needs?|has to|have to)\b",
    r"^\W*(?:please )?keep (?:(?:each|every|all) [a-z]+|it (?:short|simple|small|brief|concise))\b",
    r"\b(?:i'm|i am|we're|we are) (?:\w+ )?allergic to\b",
    r"\bcan only (?!dream|imagine|hope|guess|wish|wonder|assume)",
    r"\bonly (?:use|one|after|if|when|allowed)\b",
    r"\b(?:is|are) (?:not|n't) (?:allowed|correct|permitted|supposed)\b",
    r"\bi (?:don't|do not) (?:think|want|like)\b[^.]{0,40}\b(?:should|to be|use|be)\b",
    r"\b(?:i|we) prefer\b",
    r"\bdeadline\b",
    r"\b(?:at most|at least|no more than|no later than) \W?\d",
    (
        r"\b(?:must|should|needs?|has to|have to|keep|stay|remain|be|limit(?:ed)?|want|budget)\b[^.]{0,60}"
        r"\b(?:under|below|within) \W?\d"
    ),
    r"\bnot allowed\b",
    r"\bnot permitted\b",
    r"\brequire(?:s|d)? (?:that|to)\b",
    r"^(?=.*has to be )(?!.*\b(?:favou?rites?|best|coolest)\b).*\bhas to be (?!in\b|my\b|the\b)",
    r"\b(?:need|needs|want) (?:it|this|the [a-z]+) to (?:be|stay|run|work)\b",
    r"\bi need the\b",
    (
        r"\bcan(?:'t|not) be (?:changed|modified|used|combined|cancelled|canceled|refunded|undone|reused|empty"
        r"|null)\b"
    ),
    r"\bbackward[s-]* compatib",
    r"\bwithout (?:using|breaking)\b",
)
_TASK: Final = _Wordings(
    r"\b(?:i|we)(?:'ll| will) (?:need|get|share|gather|add|come back|do|have to|finish|send)\b",
    r"\bstill (?:need|needs|have|has|to do|missing|open|pending)\b",
    r"\bremaining (?:tasks?|steps?|work|items?)\b",
    r"\bnext steps?\b",
    r"\bto be done\b",
    r"\bfollow[- ]up\b",
    r"^\W*(?:remind me|remember|don't forget|do not forget) to\b",
    r"^\W*(?:remaining|still (?:open|missing|to do)|left to do)\b[^:.?!]{0,30}: \w",
    r"\bcould you(?: please)?\b",
    r"\bcan (?:you|we)\b(?! do anything)",
    rf"\bplease (?:provide|share|confirm|send|let me know|{_DOING})\b",
    rf"\blet me (?:now |then |also |just )?(?:{_DOING}|commit|push|deploy)\b(?!.*:$)",
    r"\bhow much will\b",
    (
        r"\b(?:we|i) (?:still )?(?:need to|should|have to|ought to) (?:verify|test|recompile|rebuild|confirm|finish"
        r"|make sure)\b"
    ),
    r"\bnow (?:task|step|run)\b",
    r"^\W*(?:run|verify|check|fix|implement|update|write) (?:the|an?|this|`)",
    r"\bonce you (?:provide|have|confirm)\b",
    r"\blet me (?:confirm|check if)\b",
    r"\b(?:needs?|remains) to be\b",
    r"\bto verify that\b",
    (
        r"\bi (?:have|need to|have to|must|should|gotta|got to) (?:a few |an? |some |finish|submit|call|buy|send"
        r"|study|prepare|get)\b"
    ),
    r"\bi'?m (?:gonna|going to) (?:try|make|do|start|finish)\b",
    r"\bi need to (?:locate|find|create|test|write|verify)\b",
    r"\bhow much would\b",
    r"\blet's first\b",
    rf"^\W*(?:\d{{1,2}}[.)] )\W*(?:{_DOING}|register|include|test|verify)\b",
    rf"^(?:[|*-] ?|\d{{1,2}}[.)] )`[^`]{{1,100}}`\W{{1,4}}(?:{_DOING}|register|include|test|verify)\b",
)
_FAILURE: Final = _Wordings(
    (
        r"\b(?!(?:do not|don't) find\b)"
        r"(?:did|does|do|could|was|were|is|are|has|have|would|can)(?:n't| not|not) (?:\w+ )?(?:\w+ly )?(?:work"
        r"|match|exist|find|found|included?|available|defined|present|visible|compile|build|pass|succeed|possible"
        r"|support|supported|recogni[sz]ed|run|load|resolve)\b"
    ),
    r"\bcan(?:'t|not) (?:find|be found|open|reach|connect|load)\b",
    r"\bfail(?:s|ed|ing|ure)\b(?! as expected| tests? passe?s?\b)",
    r"\b(?:did|does)(?:n't| not) (?:return|produce|yield|give|show) any",
    r"\bunable to\b",
    r"\b(?:did|does|do)(?:n't| not) (?:\w+ )?help\b",
    r"\b(?:had no effect|no luck|to no avail|without (?:success|luck))\b",
    r"\bhad to (?:roll (?:\w+ )?back|revert|undo|abandon|give up)\b",
    r"\b(?:could|can|did)(?:n't| not|not) get [^.,;?!]{1,40} to (?:work|run|build|compile|pass|load|start)\b",
    r"\bhaving trouble\b",
    r"\bthere(?:'s| is) an? (?:issue|problem|error|bug) with\b",
    r"\bit'?s not\.",
    r"\bout of bounds\b",
    r"\bin the wrong\b",
    r"\bmistaken(?:ly)?\b",
    r"\bmisunderst(?:ood|anding)\b",
    r"\bbut it(?:'s| is| does| did) ?n[o']t\b",
    r"\bturn(?:s|ed) out\b",
    r"\bbroke(?:n)?\b",
    r"\bcrash(?:es|ed)\b",
    r"\bnot possible\b",
    (
        r"\bit (?:seems|appears|looks like) (?:that )?[^.]{0,120}\b(?:not|n't|wrong|failed|issue|issues|strict"
        r"|stricter|strictly|requires|preventing|error)\b"
    ),
    r"\b(?:very|too|overly) strict\b",
    r"\bpreventing\b",
    r"\bno longer works?\b",
    r"\bstill (?:fails|failing|broken|does not|doesn't)\b",
)
# The order decides between kinds: what failed is said with "need to" as well.
_KINDS: Final = (
    ("decision", _CONCLUDED),
    ("decision", _SETTLED),
    ("constraint", _ORDERED),
    ("failure", _FAILURE),
    ("constraint", _CONSTRAINT),
    ("decision", _DECISION),
    ("decision", _INTENTION),
    ("task", _TASK),
)
_EXPECTED: Final = _Wordings(
    r"\b(?:writ\w+|wrote|add\w*|creat\w+|start\w* with|have|has) (?:(?:an?|the|some|more|new) )*failing \w",
    (
        r"\b(?:see|watch|verify|confirm|check|ensure|make sure)(?:s|ing)? (?:that )?"
        r"(?:(?:it|they|this|the (?:\w+ )?tests?) )?(?:to )?fail(?:s|ing)?\b"
    ),
    r"\b(?:red phase|as expected)\b",
    r"\b(?:if|whether|unless|should|until) (?:\S+ ){0,4}fail(?:s|ed|ure)?\b",
    r"\b(?:no|not|never|without|avoid|don't)\b[^.;]{0,40}\bbroken\b",
)
"""How a failure is said that is planned, wanted or only possible."""

_ANNOUNCED: Final = late_pattern(
    r"^\W*(?:(?:now|next|first|then|finally|ok(?:ay)?|great|good)\b[\s,!.]*){0,3}"
    r"(?:let's|let us|let me|i'll|i will|we'll|we will)\b.*[:…]\W*$"
)
_CHOICE: Final = late_pattern(r"\b(?:instead of|rather than|because)\b")

_CALM: Final = (_INTENTION,)
"""Not looked for in questions and exclamations: who asks has not decided."""
_FENCE: Final = late_pattern(r"```[^`]{0,20000}(?:```|\Z)")
_TOOL_CALL: Final = late_pattern(r"^[\w.-]{2,60}\(\{", re.MULTILINE)
_CODE: Final = late_pattern(
    r"^\s*\d+[→|\t]|[{};]\s*$|=>|:=|==|\(\)|^\s*(?:def|class|import|from(?! (?:now|here|today|then)\b)|func|const|var"
    r"|let(?= \w+ ?[=;:]| [{\[])|return|//|#include)\b|\\n|\t"
)
_TICKS: Final = late_pattern(r"`[^`\n]{1,200}`")
_COMMENT_TASK: Final = late_pattern(
    r"(?:(?<=[/#*;-] )(?:TODO|FIXME|XXX)(?= [a-z])|^(?:TODO|FIXME)(?= [a-z])|\b(?:TODO|FIXME)(?:\([\w -]{1,40}\))?:)"
    r"[^\n\\]{3,160}",
    re.MULTILINE,
)
_QUOTE: Final = r'\\{0,2}"'
_LISTED_TASK: Final = late_pattern(
    rf'{_QUOTE}content{_QUOTE}: {{0,2}}{_QUOTE}((?:[^"\\]|\\.){{3,200}}){_QUOTE}, {{0,2}}'
    rf"{_QUOTE}status{_QUOTE}: {{0,2}}{_QUOTE}(?:pending|in_progress)"
    r"|^[^\S\n]{0,8}[-*] \[ \] ([^\n]{3,200})",
    re.MULTILINE,
)
_CLAUSE: Final = late_pattern(
    r"[^\s,;:][^,;:]{12,}(?:, (?!and i\b|so\b|but\b|how\b|can you\b|which\b|here's\b)[^,;:]{1,60}){0,2}", re.IGNORECASE
)
_WORD: Final = late_pattern(r"[A-Za-z']+")
_SHORT_ORDER: Final = late_pattern(
    rf"\W*(?:please )?(?:never (?!mind\b|say\b|ever\b)|avoid |(?:do not|don't) (?!{_NO_ORDER}|do\b|be\b)"
    r"|always (?:use|run|keep|write|ask|check|answer|add|test|commit) )\w+ [\w`]",
    re.IGNORECASE,
)
"""A rule that is complete in three words: "Never use pytz."."""


def statements(text: str) -> tuple[tuple[int, int, str], ...]:
    """Start, end and kind of each such sentence, in text order, none overlapping.

    Kinds: `decision` (what is to be done or used, and why), `constraint` (what must, must not, or may only be), `task`
    (what is asked for or announced and not yet done), `failure` (what did not work, and why). A sentence has one kind.
    """
    head = text[:MOST]
    listed = list(_listed(head))
    for start, end in _prose(head):
        kind = kind_of(head[start:end])
        if kind and not any(low < end and start < high for low, high, _ in listed):
            listed.append((start, end, kind))
    return tuple(sorted(listed))


def kind_of(sentence: str) -> str | None:
    """The kind of one sentence; None for most."""
    plain = sentence.replace("’", "'")
    lower = plain.lower()
    end = lower.rstrip("\"')* ")[-1:]
    for kind, pattern in _KINDS:
        if (end in {"?", "!"} and pattern in _CALM) or (end == "?" and pattern is _CONCLUDED):
            continue
        if pattern.is_in(lower) or (kind in {"constraint", "task"} and pattern.is_in(plain)):
            return kind
    return None


def is_expected(failure: str) -> bool:
    """Whether a sentence about a failure tells of one that is planned or may come, as that of a test yet to be met."""
    return _EXPECTED.is_in(failure.replace("’", "'").lower())


def is_settled(sentence: str) -> bool:
    """Whether a sentence says outright what was decided or may not be, rather than what may be done next."""
    lower = sentence.replace("’", "'").lower()
    return any(pattern.is_in(lower) for pattern in (_CONCLUDED, _SETTLED, _DECISION, _CONSTRAINT))


def is_concluded(sentence: str) -> bool:
    """Whether a sentence says what a talk came to, so that it binds those who talked, however few words it has."""
    return _CONCLUDED.is_in(sentence.replace("’", "'").lower())


def is_announcement(sentence: str) -> bool:
    """Whether a sentence only announces the step that follows it, as in "Let's try it without the cache:"."""
    lower = sentence.replace("’", "'").lower()
    return _ANNOUNCED.search(lower) is not None and _CHOICE.search(lower) is None and not is_settled(sentence)


def _listed(text: str) -> Iterator[tuple[int, int, str]]:
    """Tasks in to-do lists and in comments."""
    for match in _LISTED_TASK.finditer(text):
        yield *match.span(1 if match[1] is not None else 2), "task"
    for match in _COMMENT_TASK.finditer(text):
        yield *match.span(), "task"


def _prose(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of a text that are not code."""
    hidden = [match.span() for match in _FENCE.finditer(text)]
    call = _TOOL_CALL.search(text)
    last = call.start() if call else len(text)
    for start, end in sentence_spans(text[:last]):
        sentence = text[start:end]
        if (
            end - start > LONGEST
            or (len(_WORD.findall(sentence)) < _FEWEST_WORDS and not _SHORT_ORDER.match(sentence.replace("’", "'")))
            or _CODE.search(_TICKS.sub("", sentence))
        ):
            continue
        if any(low < end and start < high for low, high in hidden):
            continue
        if end - start < LONG:
            yield start, end
        else:
            yield from ((start + clause.start(), start + clause.end()) for clause in _CLAUSE.finditer(sentence))
