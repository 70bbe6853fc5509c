"""Shortens long parts of the last turns of a compacted prompt, and leaves what people said.

A compaction covers none of the last turns. If a tool printed pages there, or an assistant wrote a file, they would take
all the room of a prompt that is to be thirty times smaller. So a long result keeps its beginning and end, a call its
name and first argument, an older answer its best sentences, and each such turn has the reference that restores it.
People's words and the newest turn are cut only if one of them has more than a quarter of the tokens of the prompt.
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
"""Greatest share of the compacted prompt's tokens that the last turns should have."""

LEAST: Final = 400
"""Tokens that the last turns may have in any case."""

LIMITS: Final = (1_000, 700, 500, 350, 250, 180, 120, 80, 60)
"""Most tokens of a part before it is shortened: the first limit with which the turns fit is taken, else the last."""

_OWN: Final = 0.25  # share of the prompt up to which words of a person, or the newest turn, are not cut
_LEAST_OWN: Final = 250  # tokens that they may have in any case
_HEAD: Final = 0.6  # share of a shortened result that is its beginning
_GAP: Final = " […] "
_MARK: Final = "[shortened by Clew, {tokens:,} tokens in full: restore {ref}]"


def shorten_last(turns: Sequence[Turn], target: float, count: Counter) -> dict[int, str]:
    """The texts shown in place of the last turns that are shortened, by seq.

    Args:
        turns: the last turns, oldest first.
        target: tokens that the whole compacted prompt should have.
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
    """Tokens of the last turns as they are shown.

    Args:
        full: tokens of each whole turn, by seq.
        shown: texts of the shortened turns, by seq.
    """
    return sum(count(shown[seq]) if seq in shown else tokens for seq, tokens in full.items())


def _shortened(turn: Turn, limit: int, own: int, tokens: int, *, is_newest: bool) -> str | None:
    """The text of a turn with its long parts shortened; None if no part is long."""
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
    """A part shortened to about `most` characters, as text."""
    if part.type == "tool_call":
        return Part(type="text", text=call_label(part.name, part.text))
    if part.type == "text":
        return replace(part, text=salient(part.text, most=most))
    head = int(_HEAD * most)
    return replace(part, text=f"{_up_to(part.text, head)}{_GAP}{_from(part.text, most - head)}")


def _up_to(text: str, most: int) -> str:
    """The beginning of a text: whole lines, or whole words if its first line is too long."""
    head = text[:most]
    at = max(head.rfind("\n"), head.rfind(" ") if "\n" not in head else -1)
    return (head[:at] if at > most // 2 else head).rstrip()


def _from(text: str, most: int) -> str:
    """The end of a text: whole lines, or whole words if its last line is too long."""
    tail = text[len(text) - most :]
    at = tail.find("\n")
    at = at if 0 <= at < most // 2 else tail.find(" ")
    return (tail[at + 1 :] if 0 <= at < most // 2 else tail).lstrip()
