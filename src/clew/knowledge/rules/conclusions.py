"""What people who talk a matter over come to: "So Frankfurt it is", "Agreed, no second replica for now"."""

import re
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Final

from clew.knowledge.rules.lexicon import language, words
from clew.knowledge.rules.meanings import StatementDraft
from clew.knowledge.rules.repairs import due_on, is_fragment, value_kind
from clew.knowledge.rules.subjects import USER
from clew.knowledge.rules.tokens import SentenceTokens
from clew.knowledge.slots import GROUP
from clew.types.facts import FactStatus
from clew.types.turn import Turn

_FEWEST: Final = 2
_MOST: Final = 16
"""Words of a decision that is told without a verb."""

_PURPOSE: Final = r"(?: for (?:the |our )?(?P<scope>[^,.;:?!]{1,40}))?"


def conclusion(
    s: SentenceTokens, sentence: str, at: datetime | None, talk: Sequence[Turn], speaker: str
) -> StatementDraft | None:
    """What a sentence without a clause of its own says was decided; None if it says nothing of this kind.

    Args:
        sentence: its text.
        at: when it was said.
        talk: the turns before it, for whom it was decided and for what.
        speaker: who says it.
    """
    it_is = len(s) > _FEWEST and s.low[-2] in ("is", "then")
    if not it_is and words("conclusion", "hints").isdisjoint(s.low):
        return None
    who = GROUP if any(turn.speaker not in (None, speaker) for turn in talk) and speaker != USER else speaker
    named, headed, dated = _patterns()
    if it_is and (match := named.fullmatch(sentence)) and is_fragment(match["value"]):
        value = match["value"].strip()
        return StatementDraft(who, "decides on", value, scope=match["scope"] or _asked_for(value, talk))
    if match := dated.fullmatch(sentence):
        is_date = value_kind(match["value"], at) == "date"
        return _scheduled(match["scope"], match["value"], at) if is_date and match["scope"] else None
    if match := headed.fullmatch(sentence):
        return _decided(match, who)
    return None


def _decided(match: re.Match[str], who: str) -> StatementDraft | None:
    """A decision that is told without a verb, as a choice where it rejects something."""
    what = match["what"].strip()
    if not _FEWEST <= len(what.split()) <= _MOST or not is_fragment(what):
        return None
    parts = re.fullmatch(rf"(?P<value>.+?) (?:{language()['conclusion']['over']}) (?P<rejected>.+?){_PURPOSE}", what)
    if parts is not None:
        return StatementDraft(who, "decides on", parts["value"], scope=parts["scope"], instead_of=parts["rejected"])
    return StatementDraft(who, "decides", what)


def _scheduled(what: str, value: str, at: datetime | None) -> StatementDraft:
    due = due_on(value, at, FactStatus.ACTIVE)
    draft = StatementDraft(what, "is scheduled for", value, when=value)
    return draft._replace(valid_from=due.start, valid_to=due.end)


def _asked_for(value: str, talk: Sequence[Turn]) -> str | None:
    """What a value is chosen for: what the latest question asked that names it."""
    wanted = rf"\b{re.escape(value)}\b[^.?!\n]{{0,60}}? for (?:the |our )?(?P<scope>[^,.;:?!\n]{{1,40}})\?"
    matches = (re.search(wanted, turn.text, re.IGNORECASE) for turn in reversed(talk))
    return next((match["scope"] for match in matches if match is not None), None)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """The expressions of "X it is", of what follows "agreed," or "decision:", and of "we agreed on Friday for X"."""
    said = language()["conclusion"]
    value = r"(?P<value>(?!(?:what|how|as|so|that|where|who|why|whatever|as if)\b)[^,.;:?!]{1,40}?)"
    return (
        re.compile(rf"{said['then'][:-1]}+{value} it is(?: then)?{_PURPOSE}[.!]*", re.IGNORECASE),
        re.compile(rf"{said['then']}{said['heads']}(?:, |: | [-–—] )(?P<what>[^:?!]+?)[.]*", re.IGNORECASE),
        re.compile(rf"{said['then']}we (?:have |'ve )?(?:{said['dated']}) on {value}{_PURPOSE}[.!]*", re.IGNORECASE),
    )
