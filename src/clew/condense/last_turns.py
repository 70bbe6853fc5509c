"""The last turns of a compacted prompt: what people said stays, and what is long beside that is shown in part.

A compaction covers none of the last turns. In a prompt that is to be thirty times smaller they would yet take all the
room where a tool printed pages or an assistant wrote a file. So a long result keeps its beginning and its end, a call
its name and first argument, an older answer its best sentences, each turn with the reference that restores it. People's
words and the newest turn are cut only where one of them alone is more than a quarter of what the prompt should have.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from clew.condense.prompt_tokens import prompt_tokens
from clew.condense.renderings import salient
from clew.condense.wires.protocol import call_label
from clew.text.counters import CHARS_PER_TOKEN, Counter
from clew.types.ids import short_session, turn_id
from clew.types.turn import Part, Turn, plain_text

SHARE: Final = 0.3
"""Share of the prompt's tokens that the last turns should have."""

LEAST: Final = 400
"""Tokens that they may have in any case."""

LIMITS: Final = (1_000, 700, 500, 350, 250, 180, 120, 80, 60)
"""Tokens of a part from which it is shown in part: the first with which the turns have room, else the last."""

_OWN: Final = 0.25  # share of the prompt that words of people and the newest turn may have before they are cut
_LEAST_OWN: Final = 250  # tokens that they may have in any case
_HEAD: Final = 0.6  # share of a shortened result that is its beginning
_GAP: Final = " […] "
_MARK: Final = "[shortened by Clew, {tokens:,} tokens in full: restore {ref}]"


def shorten_last(turns: Sequence[Turn], target: float, count: Counter) -> dict[int, str]:
    """The texts that stand for those of the last turns that are shortened, by seq.

    Args:
        turns: the last turns, oldest first.
        target: tokens that the whole prompt should have.
    """
    full = {turn.seq or 0: prompt_tokens(turn, count) for turn in turns}
    room = max(LEAST, SHARE * target)
    own = max(_LEAST_OWN, int(_OWN * target))
    shown: dict[int, str] = {}
    for limit in (max(full.values(), default=0), *LIMITS):
        shown = {}
        for place, turn in enumerate(turns, 1):
            text = _shortened(turn, limit, own, full[turn.seq or 0], is_newest=place == len(turns))
            if text is not None and count(text) < full[turn.seq or 0]:
                shown[turn.seq or 0] = text
        if tokens_of_last(full, shown, count) <= room:
            break
    return shown


def tokens_of_last(full: Mapping[int, int], shown: Mapping[int, str], count: Counter) -> int:
    """Tokens of the last turns as they are shown; `full` has those of each whole turn."""
    return sum(count(shown[seq]) if seq in shown else tokens for seq, tokens in full.items())


def _shortened(turn: Turn, limit: int, own: int, tokens: int, *, is_newest: bool) -> str | None:
    """The text of a turn with its long parts in part; None where none is long."""
    parts, is_short = [], True
    for part in turn.parts:
        is_own = is_newest or (part.type == "text" and turn.origin == "user" and turn.role == "user")
        most = CHARS_PER_TOKEN * (max(limit, own) if is_own else limit)
        is_short = is_short and len(part.text) <= most
        parts.append(part if len(part.text) <= most else _in_part(part, most))
    if is_short:
        return None
    ref = turn_id(short_session(turn.session), turn.seq or 0)
    return f"{plain_text(parts)}\n{_MARK.format(tokens=tokens, ref=ref)}"


def _in_part(part: Part, most: int) -> Part:
    """A part within about so many characters, as text."""
    if part.type == "tool_call":
        return Part(type="text", text=call_label(part.name, part.text))
    if part.type == "text":
        return replace(part, text=salient(part.text, most=most))
    head = int(_HEAD * most)
    return replace(part, text=f"{_up_to(part.text, head)}{_GAP}{_from(part.text, most - head)}")


def _up_to(text: str, most: int) -> str:
    """The beginning of a text in whole lines, or words where its first line is longer."""
    head = text[:most]
    at = max(head.rfind("\n"), head.rfind(" ") if "\n" not in head else -1)
    return (head[:at] if at > most // 2 else head).rstrip()


def _from(text: str, most: int) -> str:
    """The end of a text, from the beginning of a line, or of a word where its last line is longer."""
    tail = text[len(text) - most :]
    at = tail.find("\n")
    at = at if 0 <= at < most // 2 else tail.find(" ")
    return (tail[at + 1 :] if 0 <= at < most // 2 else tail).lstrip()
