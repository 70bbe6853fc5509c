"""Masks secrets in text before anything is written: keys, tokens, passwords, private keys, card numbers.

A secret becomes `[masked:<kind>:<8 hexadecimal digits>]`. The digits come from a hash of the secret, so that the same
secret gives the same mask and a history that is sent again still lines up. What could be guessed from a hash, passwords
and card numbers, has no digits: `[masked:<kind>]`.

The rules are few and strict: a prefix that only one issuer uses, or a name that says what is assigned. So commit ids,
UUIDs, hashes and encoded images stay as they are.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from clew.ingest.secrets.checks import SecretMatch, is_assigned_secret
from clew.ingest.secrets.cues import CuePlaces, cue_search, digit_rules, rules_for
from clew.ingest.secrets.private_keys import JWK_MEMBERS, JWK_SHORTEST
from clew.ingest.secrets.rule import SECRET_NAME, SUFFIX, SecretRule
from clew.ingest.strings import with_parts
from clew.text.printable import without_styles
from clew.types import Part, Turn

GUESSABLE = frozenset({"credential", "url-login", "card", "password-hash"})
"""Kinds whose secrets are few or short enough to be tried one by one against a hash."""

_MASK = "[masked:"
_WHOLE_MASK = re.compile(r"\[masked:([a-z0-9-]{1,60})(?::[0-9a-f]{8})?\]")
_LONGEST_MASK = 80
_SIGNATURES = ("signature", "encrypted_content", "thoughtSignature", "thought_signature")
_NAME_KEYS = ("name", "Name", "key", "Key", "ParameterKey")
_VALUE_KEYS = ("value", "Value", "ParameterValue")
_SECRET_DATA = ("data", "stringData")
_SHORT = 200
_SHORTEST = 8  # no rule matches less
_DIGIT = re.compile("[0-9]")
_DIGITS = re.compile("[0-9][0-9][0-9][0-9](?:[0-9]{10}|[ -][0-9]{4}|[ -][0-9]{6})")
_NAMED = re.compile(SECRET_NAME + SUFFIX + "$", re.IGNORECASE)


def mask(text: str) -> tuple[str, dict[str, int]]:
    """Masks the secrets in a text.

    A secret whose name or own letters a terminal's colours divide is found without them: that text loses its colours.

    Returns:
        The text, and how many secrets were masked by kind. Masking again changes nothing.
    """
    masked, counts = _mask(text)
    plain = without_styles(masked)
    if plain == masked:
        return masked, counts
    uncoloured, more = _mask(plain)
    return (uncoloured, dict(Counter(counts) + Counter(more))) if more else (masked, counts)


def _mask(text: str) -> tuple[str, dict[str, int]]:
    if len(text) < _SHORTEST:
        return text, {}
    lower = _lowered(text)
    has_digits = _DIGIT.search(text) is not None
    search = cue_search(keys=has_digits, plain=lower.isascii())
    hits = search.hits(lower)
    rules = rules_for(hits) if hits else []
    if has_digits and _DIGITS.search(text):
        rules += digit_rules()
    if not rules:
        return text, {}
    counts: Counter[str] = Counter()
    places = CuePlaces(text, lower, hits)
    for _, group, rule in rules:
        begins = places.of(rule, group)
        if begins is None:
            continue
        masked = "".join(_pieces(text, rule, rule.matches(text, begins), counts))
        if masked != text:
            text, lower = masked, _lowered(masked)
            places = CuePlaces(text, lower, search.hits(lower))
    return text, dict(counts)


def mask_turn(turn: Turn) -> tuple[Turn, dict[str, int]]:
    """Masks the secrets in everything a turn says: parts, their originals where these are text, metadata, speaker.

    Ids and session names stay: they are what the turn is found by. The same turn comes back when nothing was masked.
    """
    masking = _Masking()
    parts = tuple(masking.part(part) for part in turn.parts)
    metadata = masking.value(turn.metadata) if turn.metadata else turn.metadata
    speaker = masking.repeated(turn.speaker) if turn.speaker else turn.speaker
    if not masking.counts:
        return turn, {}
    counts = dict(masking.counts)
    changed = with_parts(turn, parts, masking.text)
    return replace(changed, metadata=metadata, speaker=speaker), counts


@lru_cache(maxsize=4096)
def _mask_again(text: str) -> tuple[str, dict[str, int]]:
    """`mask` for short texts: those of metadata are the same in turn after turn."""
    return mask(text)


def mask_json(value: Any) -> tuple[Any, dict[str, int]]:
    """A JSON value with the secrets in its texts masked, and their number by kind.

    Signatures of reasoning stay as they are: a provider refuses changed ones.
    """
    masking = _Masking()
    return masking.value(value), dict(masking.counts)


class _Masking:
    """Masks text after text and counts what it masked."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def text(self, text: str) -> str:
        return self._counted(mask(text))

    def repeated(self, text: str) -> str:
        """A text that many turns have: a name, a key, a value of metadata."""
        return self._counted(_mask_again(text)) if len(text) < _SHORT else self.text(text)

    def _counted(self, masked: tuple[str, dict[str, int]]) -> str:
        text, found = masked
        if found:
            self.counts.update(found)
        return text

    def part(self, part: Part) -> Part:
        if part.name is None and part.extra is None and part.data is None:  # nearly every part: its text is all it says
            text = self.text(part.text)
            return part if text == part.text else replace(part, text=text)
        before = self.counts.total()
        text, name = self.text(part.text), part.name and self.repeated(part.name)
        extra = part.extra if part.type == "thinking" else self.value(part.extra)  # a signature must stay as it is
        data = None if part.data is None else self._original(part.data)
        if self.counts.total() == before:
            return part
        return replace(part, text=text, name=name, extra=extra, data=data)

    def value(self, value: Any, name: str = "") -> Any:
        """A JSON value; what stands under the name of a secret in an object is masked like an assignment in text."""
        if isinstance(value, dict):
            return self._mapping(value)
        if isinstance(value, list | tuple):
            return [self.value(item, name) for item in value]
        if not isinstance(value, str):
            return value
        named = _NAMED.search(name)
        if named and len(value) >= _SHORTEST - 2 and is_assigned_secret(named[0], value, quoted=True):
            return self._secret(value)
        return self.repeated(value)

    def _mapping(self, mapping: dict[Any, Any]) -> dict[Any, Any]:
        """A JSON object; a value may be named by its neighbour.

        All data of a Kubernetes Secret are secrets, and so are the private members of a JSON Web Key.
        """
        name = next((mapping[key] for key in _NAME_KEYS if isinstance(mapping.get(key), str)), "")
        members = _SECRET_DATA if mapping.get("kind") == "Secret" else ()
        in_key = JWK_MEMBERS if isinstance(mapping.get("kty"), str) else ()
        masked = {}
        for key, item in mapping.items():
            if key in _SIGNATURES:
                masked[key] = item
            elif key in members and isinstance(item, dict):
                masked[key] = {each: self._secret(value) for each, value in item.items()}
            elif key in in_key and isinstance(item, str) and len(item) >= JWK_SHORTEST:
                masked[key] = self._secret(item, "private-key")
            else:
                label = name if key in _VALUE_KEYS else str(key)
                masked[self._key(key, masked)] = self.value(item, label)
        return masked

    def _key(self, key: Any, taken: Mapping[Any, Any]) -> Any:
        """A key of an object; where another one has the same mask, numbered, so that no member replaces another."""
        masked = name = self.repeated(key) if isinstance(key, str) else key
        number = len(taken)  # not from 1 on, so that a thousand equal masks are not a million look-ups
        while name in taken:
            number += 1
            name = f"{masked}#{number}"
        return name

    def _secret(self, value: Any, kind: str = "credential") -> Any:
        """A value that is a secret by its place."""
        if not isinstance(value, str) or not value or value.startswith(_MASK):
            return self.value(value)
        self.counts[kind] += 1
        return _sign(kind, value)

    def _original(self, data: bytes) -> bytes:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return data  # an image or another file, which no rule can read
        return self.text(text).encode()


def _pieces(text: str, rule: SecretRule, finds: Iterable[SecretMatch], counts: Counter[str]) -> Iterator[str]:
    """The text in pieces, each secret of one kind as its mask."""
    end = 0
    for match in finds:
        secret = match["secret"]
        if match.start() < end or secret.startswith(_MASK) or is_in_mask(text, match.start("secret")):
            continue
        if rule.accept(match):
            counts[rule.kind] += 1
            yield text[end : match.start("secret")]
            yield _sign(rule.kind, secret)
            end = match.end("secret")
    yield text[end:]


def is_in_mask(text: str, at: int) -> bool:
    """Whether a place is in a mask, whose kind may be named like a password: `[masked:planetscale-password:...]`."""
    begin = text.rfind(_MASK, max(0, at - _LONGEST_MASK), at)
    mask = _WHOLE_MASK.match(text, begin) if begin >= 0 else None
    return mask is not None and at < mask.end()


def _lowered(text: str) -> str:
    """In lower case with every character where it was: a few letters become two, and stay as they are."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := character.lower()) == 1 else character for character in text)


def _sign(kind: str, secret: str) -> str:
    if kind in GUESSABLE:
        return f"{_MASK}{kind}]"
    data = secret.encode("utf-8", "surrogatepass")
    return f"{_MASK}{kind}:{hashlib.sha256(data).hexdigest()[:8]}]"


def masks_in(turn: Turn) -> dict[str, int]:
    """The number of masks in what the parts of a stored turn say, by kind of the masked secret."""
    said = [part.text for part in turn.parts if _MASK in part.text]
    return Counter(kind for text in said for kind in _WHOLE_MASK.findall(text)) if said else {}
