"""Masks secrets in text before anything is written: keys, tokens, passwords, private keys, card numbers.

A secret becomes `[masked:<kind>:<8 hexadecimal digits>]`. The digits come from a hash of the secret, so that the same
secret gives the same mask and a history that is sent again still lines up. What could be guessed from a hash, passwords
and card numbers, has no digits: `[masked:<kind>]`.

The rules are few and strict: a prefix that only one issuer uses, or a name that says what is assigned. So commit ids,
UUIDs, hashes and encoded images stay as they are.
"""

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import takewhile
from operator import itemgetter
from typing import Any

from clew.ingest.secret_checks import SecretMatch, is_assigned_secret
from clew.ingest.secret_rules import TELLING, SecretRule, secret_rules
from clew.ingest.strings import with_parts
from clew.types import Part, Turn

GUESSABLE = frozenset({"credential", "url-login", "card"})
"""Kinds whose secrets are few or short enough to be tried one by one against a hash."""

_MASK = "[masked:"
_SHORT = 200
_SHORTEST = 8  # no rule matches less
_LONG_WORD = 15  # keys that carry their issuer's mark are words at least so long
_DIGIT = re.compile("[0-9]")
_DIGITS = re.compile("[0-9][0-9][0-9][0-9](?:[0-9]{10}|[ -][0-9]{4}|[ -][0-9]{6})")
_NAMED = re.compile(TELLING + "$", re.IGNORECASE)
_GATES = (
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "auth",
    "bearer",
    "cookie",
    "://",
    "curl",
    "mysql",
    "maria",
    "login",
    "-----",
    "hf_",
)
"""Each text cue contains one of these, or needs it in the text: one search saves many."""

_APART = {code: " " for code in range(128) if not chr(code).isalnum()}
_START = itemgetter(slice(0, 3))


@dataclass(frozen=True, slots=True)
class _CueIndex:
    """Which rules to try, by the cues of a text.

    Attributes:
        by_cue: cue -> places of its rules in `secret_rules()`.
        by_start: first three letters of a word's part -> cues that begin so; `starts` has its keys.
        inside: cues that may stand anywhere in a long word.
        by_gate: gate -> cues that may stand anywhere in a text.
        digits: places of the rules for digits.
    """

    by_cue: Mapping[str, tuple[int, ...]]
    by_start: Mapping[str, tuple[str, ...]]
    starts: frozenset[str]
    inside: tuple[str, ...]
    by_gate: tuple[tuple[str, tuple[str, ...]], ...]
    digits: tuple[int, ...]

    def cues(self, text: str, lower: str, *, has_digits: bool) -> set[str]:
        """The cues that stand in a text; those of keys only where there are digits, which every key has."""
        found: set[str] = set()
        for gate, cues in self.by_gate:
            if gate in lower:
                found.update([cue for cue in cues if cue in lower])
        if has_digits and (words := [word for word in text.split() if len(word) >= _LONG_WORD]):
            long = " ".join(words).lower()
            for start in self.starts.intersection(map(_START, long.translate(_APART).split())):
                found.update([cue for cue in self.by_start[start] if cue in long])
            found.update([cue for cue in self.inside if cue in long])
        return found


@cache
def _cue_index() -> _CueIndex:
    by_cue: dict[str, list[int]] = {}
    by_start: dict[str, list[str]] = {}
    inside: list[str] = []
    by_gate: dict[str, list[str]] = {gate: [] for gate in _GATES}
    for place, rule in enumerate(secret_rules()):
        for cue in rule.cues:
            known = cue in by_cue
            by_cue.setdefault(cue, []).append(place)
            if known:
                continue
            if rule.scope == "text":
                by_gate[next((gate for gate in _GATES if gate in cue), "login")].append(cue)
            elif start := "".join(takewhile(str.isalnum, cue))[:3]:
                by_start.setdefault(start, []).append(cue)
            else:
                inside.append(cue)
    return _CueIndex(
        by_cue={cue: tuple(places) for cue, places in by_cue.items()},
        by_start={start: tuple(cues) for start, cues in by_start.items()},
        starts=frozenset(by_start),
        inside=tuple(inside),
        by_gate=tuple((gate, tuple(cues)) for gate, cues in by_gate.items()),
        digits=tuple(place for place, rule in enumerate(secret_rules()) if rule.scope == "digits"),
    )


def mask(text: str, key: bytes = b"") -> tuple[str, dict[str, int]]:
    """Masks the secrets in a text.

    Args:
        key: of one home; makes its masks useless for guessing elsewhere. The same key gives the same masks.

    Returns:
        The text, and how many secrets were masked by kind. Masking again changes nothing.
    """
    if len(text) < _SHORTEST:
        return text, {}
    lower = _lowered(text)
    index = _cue_index()
    has_digits = _DIGIT.search(text) is not None
    cues = index.cues(text, lower, has_digits=has_digits)
    places = {place for cue in cues for place in index.by_cue[cue]}
    if has_digits and _DIGITS.search(text):
        places.update(index.digits)
    if not places:
        return text, {}
    counts: Counter[str] = Counter()
    at_cues: dict[tuple[str, ...], list[int]] = {}
    for place in sorted(places):
        rule = secret_rules()[place]
        if rule.needs and not any(needed in lower for needed in rule.needs):
            continue
        if rule.begins:
            if rule.cues not in at_cues:
                at_cues[rule.cues] = sorted({at for cue in rule.cues if cue in cues for at in _places(lower, cue)})
            matches = [match for at in at_cues[rule.cues] if (match := rule.pattern.match(text, at))]
        else:
            matches = list(rule.pattern.finditer(text))
        if matches and (masked := "".join(_pieces(text, rule, matches, key, counts))) != text:
            text, lower = masked, _lowered(masked)
            at_cues.clear()
    return text, dict(counts)


def mask_turn(turn: Turn, key: bytes = b"") -> tuple[Turn, dict[str, int]]:
    """Masks the secrets in everything a turn says: parts, their originals where these are text, metadata, speaker.

    Ids and session names stay: they are what the turn is found by. The same turn comes back when nothing was masked.
    """
    masking = _Masking(key)
    parts = tuple(masking.part(part) for part in turn.parts)
    metadata = masking.value(turn.metadata)
    speaker = masking.text(turn.speaker) if turn.speaker else turn.speaker
    if not masking.counts:
        return turn, {}
    counts = dict(masking.counts)
    changed = with_parts(turn, parts, masking.text)
    return replace(changed, metadata=metadata, speaker=speaker), counts


@lru_cache(maxsize=4096)
def _mask_again(text: str, key: bytes) -> tuple[str, dict[str, int]]:
    """`mask` for the short texts of metadata, which are the same in turn after turn."""
    return mask(text, key)


class _Masking:
    """Masks text after text and counts what it masked."""

    def __init__(self, key: bytes) -> None:
        self.counts: Counter[str] = Counter()
        self._key = key

    def text(self, text: str) -> str:
        masked, found = mask(text, self._key)
        self.counts.update(found)
        return masked

    def part(self, part: Part) -> Part:
        before = self.counts.total()
        text, name = self.text(part.text), self.text(part.name or "") or part.name
        extra = part.extra if part.type == "thinking" else self.value(part.extra)  # a signature must stay as it is
        data = None if part.data is None else self._original(part.data)
        if self.counts.total() == before:
            return part
        return replace(part, text=text, name=name, extra=extra, data=data)

    def value(self, value: Any, name: str = "") -> Any:
        """A JSON value; what stands under a telling name in a mapping is masked like an assignment in text."""
        if isinstance(value, dict):
            return {self.text(key): self.value(item, key) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item, name) for item in value]
        if not isinstance(value, str):
            return value
        named = _NAMED.search(name)
        if named and len(value) >= _SHORTEST - 2 and is_assigned_secret(named[0], value, quoted=True):
            self.counts["credential"] += 1
            return _sign("credential", value, self._key)
        masked, found = _mask_again(value, self._key) if len(value) < _SHORT else mask(value, self._key)
        self.counts.update(found)
        return masked

    def _original(self, data: bytes) -> bytes:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return data  # an image or another file, which no rule can read
        return self.text(text).encode()


def _pieces(
    text: str, rule: SecretRule, finds: Iterable[SecretMatch], key: bytes, counts: Counter[str]
) -> Iterator[str]:
    """The text in pieces, each secret of one kind as its mask."""
    end = 0
    for found in finds:
        secret = found["secret"]
        if found.start() >= end and not secret.startswith(_MASK) and rule.accept(found):
            counts[rule.kind] += 1
            yield text[end : found.start("secret")]
            yield _sign(rule.kind, secret, key)
            end = found.end("secret")
    yield text[end:]


def _places(text: str, cue: str) -> Iterator[int]:
    place = text.find(cue)
    while place >= 0:
        yield place
        place = text.find(cue, place + 1)


def _lowered(text: str) -> str:
    """In lower case with every character where it was: a few letters become two, and stay as they are."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := character.lower()) == 1 else character for character in text)


def _sign(kind: str, secret: str, key: bytes) -> str:
    if kind in GUESSABLE and not key:
        return f"{_MASK}{kind}]"
    data = secret.encode("utf-8", "surrogatepass")
    digest = hmac.new(key, data, hashlib.sha256) if key else hashlib.sha256(data)
    return f"{_MASK}{kind}:{digest.hexdigest()[:8]}]"
