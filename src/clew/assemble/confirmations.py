"""Tools' short results that only confirm their call, as "The file a.py has been updated successfully." does.

The call says what was done, and to what. Such results have the words of the question as often as their calls, and cost
next to nothing, so they would fill the rest of a block. Those of commands that printed nothing say as little.
"""

import re
from collections.abc import Iterable
from typing import Final

from clew.text.text_cache import cached_by_text

LONGEST: Final = 300
"""Characters up to which a result may be a confirmation."""

_WORD: Final = re.compile(r"[^\W_]+")
_DONE: Final = frozenset(
    "added applied changed closed completed created deleted done edited inserted logged modified moved noted ok"
    " overwritten recorded removed renamed replaced saved set stored success successful successfully updated written"
    " wrote".split()
)
_BESIDE: Final = frozenset(
    "a all an and are at as been by chat content contents d directory edit edits entry file files folder following for"
    " from has have in is it item items line lines list m memory new note now of on path status task tasks text the"
    " their these this thought to todo todos was were with write your".split()
)
_ASKS: Final = frozenset("directori fail file folder ok pass succeed success task todo work".split())
"""Terms of a question that a confirmation may answer: "Which files did we touch?", "Did the deployment succeed?"."""
_DENIES: Final = frozenset(
    "but cannot could couldn denied didn error errors fail failed fails failure however invalid isn missing never no"
    " none not nothing only refused rejected skipped unable unchanged unknown warning wasn without won".split()
)
"""Words with which a result says that something was not done, or not all of it; the call may have them, too."""
_NUMBERED: Final = re.compile(r"(?:#|\b(?:task|todo|item|line|note)s?[ ])\d{1,3}\b")
"""The number of a task or line, which the call need not say; any other number is a count or a value."""
_REMINDER: Final = "Ensure that you continue to use the todo list"
"""How Claude Code goes on behind the confirmation that a list of tasks was changed."""
_SILENT: Final = frozenset(
    "0 a and any bash code command completed errors executed exit exited finished no nothing or output printed process"
    " produced program ran run script shell stderr stdout succeeded success successfully the tool was with"
    " without".split()
)
"""Words that say that a command printed nothing and did not fail; numbers but 0 are the code of a failure."""
_WITHOUT: Final = frozenset("no nothing without".split())
_OUTPUT: Final = frozenset("output printed stdout".split())
_HEAD: Final = re.compile(r"\AExit code: 0\s+Wall time: [\d.]+ \w+\s+Output:\s*")
"""How results of Codex begin, with or without output."""
_ASKS_FOR_OUTPUT: Final = frozenset("anyth noth output print silent".split())


def asks_for_output(question: Iterable[str]) -> bool:
    """Whether a question, by its terms, may ask whether a command printed anything."""
    return not _ASKS_FOR_OUTPUT.isdisjoint(question)


@cached_by_text(most=4096, longest=LONGEST)
def is_silent(text: str) -> bool:
    """Whether a result says that the command printed nothing and did not fail."""
    if len(text) > LONGEST:
        return False
    words = _words(text)
    told = words <= _SILENT and not _WITHOUT.isdisjoint(words) and not _OUTPUT.isdisjoint(words)
    return told or _HEAD.fullmatch(text) is not None


def asks_what_was_done(question: Iterable[str]) -> bool:
    """Whether a question, by its terms, may ask which files or tasks were changed, or whether that went well."""
    return not _ASKS.isdisjoint(question)


@cached_by_text(most=4096, longest=LONGEST)
def may_confirm(text: str) -> bool:
    """Whether a result is short and says that something was done; its call tells whether it says anything else."""
    if len(text) > LONGEST:
        return False
    words = _words(_output(text))
    return not _DONE.isdisjoint(words) and _DENIES.isdisjoint(words)


def confirms_only(result: str, calls: Iterable[str]) -> bool:
    """Whether a result that may confirm says nothing that its call, or one of those made at once, does not say."""
    said = _words(_NUMBERED.sub(" ", _output(result).casefold())) - _DONE - _BESIDE
    return any(said <= _words(call) for call in calls)


def _output(result: str) -> str:
    """A result without what a client writes around it."""
    return _HEAD.sub("", result.partition(_REMINDER)[0], count=1)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
