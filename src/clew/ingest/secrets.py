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
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from functools import lru_cache
from typing import Any

from clew.ingest.secret_rules import RULES, TELLING, SecretMatch, SecretRule, is_assigned_secret
from clew.ingest.strings import with_parts
from clew.types import Part, Turn

GUESSABLE = frozenset({"credential", "url-login", "card"})
"""Kinds whose secrets are few or short enough to be tried one by one against a hash."""

_MASK = "[masked:"
_SHORT = 200
_SHORTEST = 8  # no rule finds less
_DIGITS = re.compile("[0-9][0-9][0-9][0-9](?:[0-9]{10}|[ -][0-9]{4})")
_NAMED = re.compile(TELLING + "$", re.IGNORECASE)
_CUES = {cue for rule in RULES for cue in rule.cues}
_GATES = tuple(  # looking for one sign first saves looking for the many cues that hold it
    (gate, tuple(sorted(cue for cue in _CUES if next(filter(cue.__contains__, ("key", "_", "-")), "") == gate)))
    for gate in ("", "key", "_", "-")
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
    cues = {cue for gate, group in _GATES if gate in lower for cue in group if cue in lower}
    digits = _DIGITS.search(text) is not None
    if not cues and not digits:
        return text, {}
    counts: Counter[str] = Counter()
    for rule in RULES:
        if not cues.isdisjoint(rule.cues) if rule.cues else digits:
            found = _at_cues(text, lower, rule, cues) if rule.begins else rule.pattern.finditer(text)
            masked = "".join(_pieces(text, rule, found, key, counts))
            if len(masked) != len(text) or masked != text:
                text, lower = masked, _lowered(masked)
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


def _at_cues(text: str, lower: str, rule: SecretRule, cues: Set[str]) -> Iterator[SecretMatch]:
    places = {place for cue in rule.cues if cue in cues for place in _places(lower, cue)}
    return (found for place in sorted(places) if (found := rule.pattern.match(text, place)))


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
