"""Whether a question asks for the last, or first, work of a kind, and names nothing else: "what was the last error?".

Rules for English. Borders: looks at the words of the question alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from clew.text.late_pattern import late_pattern

WorkKind = Literal["change", "error", "command", "test", "build", "lint"]

MOST_CHARACTERS: Final = 120
"""Longest question that is read: a longer one names something."""


@dataclass(frozen=True, slots=True)
class WorkAsked:
    """The work that a question asks for.

    Attributes:
        kind: changes of files, failed calls of tools, command lines, or checks by tests, builds or linters.
        is_first: the first of the session is meant.
    """

    kind: WorkKind
    is_first: bool = False


_WE: Final = r"(?:we|you|i)"
_BEFORE: Final = (
    r"^(?:(?:so|hey|hi|ok|okay|and|well|please|wait|now)[,.!]* )*"
    r"(?:(?:(?:can|could|would|will) you )?(?:please )?(?:remind me|tell me|show me|give me|list)(?: again)?"
    r"(?: of)?[,:]? )?"
)
_WHEN: Final = (
    r"(?: (?:last|last time|just now|recently|most recently|so far|lately|already|today|again|please"
    r"|in (?:our|the|this|that) (?:last |previous |current )?(?:session|conversation|chat)))*[ ?!.]*$"
)
_WHAT: Final = r"(?:what(?: was| were| is| are|['’]s)|which (?:was|were))"
_END: Final = r"(?:(?:very )?(?:last|latest|most recent|first))"
_SOME: Final = r"(?: (?:one|two|three|four|five|few|\d))?"
_CHANGED: Final = r"(?:change|edit|modif|touch|update|creat|writ|wrote|rewr|delet|remov|add|patch)\w*"
_RAN: Final = r"(?:run|ran|execute|executed|use|used|call|called|try|tried)"
_ERROR: Final = r"(?:errors?|exceptions?|failures?|tracebacks?)(?: (?:messages?|output))?"
_GOT: Final = r"(?:get|got|had|have|saw|see|seen|hit|ran into|run into|encounter|encountered)"
_CHECKED: Final[tuple[tuple[WorkKind, str], ...]] = (
    ("test", r"(?:unit |integration )?tests?(?: suite)?"),
    ("build", r"build|compilation"),
    ("lint", r"lint(?:er|ing|s)?|type[- ]?check(?:er|s)?|checks?"),
)


def _checks(what: str) -> str:
    """The forms of questions for checks; "what is a build", and "what are checks", ask what the word means."""
    passed = r"(?:pass|fail|succeed|work|break|go)\w*(?: through| green)?"
    run = rf"(?:{what})(?: (?:run|results?|output|outcome))?"
    return (
        rf"(?:(?:did|do|have|were|are|is|was) (?:all )?(?:(?:of )?the |our |my )?{_END}?\s?{run}"
        rf" (?:{passed}|passed|green|red|ok|successful|broken)"
        rf"(?: (?:the last time|when {_WE} last ran (?:them|it)|(?:in|on|at) the last run))?"
        rf"|(?!{_WHAT} (?:{what})(?! (?:run|results?|output|outcome)\b)\b)(?:{_WHAT} |how did )"
        rf"(?:the )?(?:(?:results?|outcome|output) of )?(?:the |our |my )?(?:{_END} )?{run}"
        r"(?: go)?"
        rf"|when did {_WE} last run (?:the )?{run})"
    )


_PATTERNS: Final[Mapping[WorkKind, Sequence[str]]] = MappingProxyType(
    {
        "change": (
            rf"(?:which|what) files? (?:did|have|had|has) {_WE} (?:all |just )?{_CHANGED}",
            rf"(?:which|what) files? (?:were|was|have been|got|are) (?:all |just )?{_CHANGED}",
            rf"(?:{_WHAT} )?(?:the )?{_END}{_SOME} files? (?:that )?(?:{_WE} |(?:was|were) ){_CHANGED}",
            rf"(?:the )?files (?:that )?{_WE} (?:have )?{_CHANGED}",
        ),
        "error": (
            rf"(?:{_WHAT} )?(?:the |our )?{_END}{_SOME} {_ERROR}(?: (?:that )?{_WE} {_GOT}| that occurred)?",
            rf"(?:what|which) errors? (?:did|have) {_WE} {_GOT}",
            r"what (?:failed|broke) (?:last|last time|most recently)",
        ),
        "command": (
            (
                rf"(?:{_WHAT} )?(?:the |our |your |my )?{_END}{_SOME} (?:shell |terminal |bash )?commands?"
                rf"(?: (?:that )?(?:{_WE}(?:['’]ve| have)? |(?:was|were) ){_RAN})?"
            ),
            rf"(?:which|what) commands? (?:did|have) {_WE} (?:just )?{_RAN}",
            rf"what did {_WE} (?:run|execute) last",
        ),
        **{kind: (_checks(what),) for kind, what in _CHECKED},
    }
)
_FORMS: Final = tuple(
    (kind, late_pattern(_BEFORE + form + _WHEN)) for kind, forms in _PATTERNS.items() for form in forms
)
_FIRST: Final = late_pattern(r"\bfirst\b")
_WORDS: Final = tuple(
    "file error exception failure traceback fail broke command run execute test build compil lint check".split()
)


def work_asked(text: str) -> WorkAsked | None:
    """The work that a question asks for; None for a question that names anything else."""
    if len(text) > MOST_CHARACTERS:
        return None
    lower = " ".join(text.casefold().split())
    if not any(map(lower.__contains__, _WORDS)):
        return None
    for kind, form in _FORMS:
        if form.match(lower) is not None:
            return WorkAsked(kind, is_first=_FIRST.search(lower) is not None)
    return None
