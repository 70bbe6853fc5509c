"""Rules for private keys as files hold them: in PEM's form, as PuTTY writes them, and as JSON Web Keys (RFC 7517)."""

from collections.abc import Iterator, Sequence
from typing import Final

from clew.ingest.secrets import checks as check
from clew.ingest.secrets.checks import SecretMatch
from clew.ingest.secrets.rule import SecretRule, secret_rule
from clew.text.late_pattern import late_pattern

JWK_MEMBERS: Final = ("d", "p", "q", "dp", "dq", "qi", "k")
"""Members of a JSON Web Key that are secret, whatever its type (RFC 7518 section 6)."""
JWK_SHORTEST: Final = 16
"""Characters of the shortest value of such a member: 96 bits."""

_LONGEST_JWK: Final = 8_000
"""How far from `kty` the ends of its object are looked for, in characters; a key of 8192 bits has 6,400."""
_JWK_MEMBER: Final = late_pattern(
    rf"\\*[\"'](?:{'|'.join(JWK_MEMBERS)})\\*[\"']\s{{0,3}}:\s{{0,3}}"
    rf"\\*[\"'](?P<secret>[A-Za-z0-9_-]{{{JWK_SHORTEST},}}+)=*\\*[\"']"
)
_GAP: Final = r"(?:[\s>|#]|\\[nr])++"
"""What separates the lines of a key, also in a quotation, a comment or a JSON string."""
_PEM_BODY: Final = r"(?:(?:[\s>|#]|//|\\[nr])++(?:[A-Za-z0-9+/=]{8,}+|[A-Za-z-]{4,}+: [^\n\\]{1,80}+))++"
_PUTTY_LINE: Final = r"[A-Za-z0-9+/]{4,}+=*+(?![\w:-])"


def in_jwks(text: str, places: Sequence[int]) -> Iterator[SecretMatch]:
    """The secret members of JSON Web Keys, in order; `places` are those of the member `kty`."""
    done = 0
    for at in places:
        begin = text.rfind("{", max(done, at - _LONGEST_JWK), at)
        if at < done or begin < 0:
            continue
        end = text.find("}", at, at + _LONGEST_JWK)
        done = min(len(text), at + _LONGEST_JWK) if end < 0 else end
        yield from _JWK_MEMBER.finditer(text, begin, done)


PRIVATE_KEYS: Final = (
    secret_rule(
        "private-key",
        "-----begin",
        r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        rf"(?P<secret>(?:(?!-----(?:BEGIN|END))[\s\S]){{20,20000}}?(?=(?:[\s>|#+-]|\\[nr]){{0,9}}-----END)|{_PEM_BODY})",
        check.is_key_block,
        scope="text",
    ),
    secret_rule(
        "private-key",
        "private-lines:",
        rf"private-lines:\s{{0,2}}\d{{1,4}}{_GAP}(?P<secret>{_PUTTY_LINE}(?:{_GAP}{_PUTTY_LINE})*+)",
        check.is_key_block,
        scope="text",
        needs=("putty-user-key-file-",),
    ),
    SecretRule("private-key", ('"kty', "'kty"), "", check.is_not_template, scope="text", finder=in_jwks),
)
"""Private keys."""
