"""Rules for hashes of passwords, as crypt(5), LDAP, frameworks and databases write them, and for `.pgpass`."""

from typing import Final

from clew.ingest.secrets import checks as check
from clew.ingest.secrets.checks import SecretMatch
from clew.ingest.secrets.rule import LINE_BEGIN, secret_rule

_SIGNS: Final = "[./A-Za-z0-9]"
_BASE64: Final = "[A-Za-z0-9+/]"
_PART: Final = r"\\?\$\$?"
"""A dollar sign; doubled in files of Compose, after a backslash in shells."""
_KINDS: Final = (
    "1 5 6 y gy 7 2a 2b 2x 2y apr1 argon2i argon2d argon2id pbkdf2 pbkdf2-sha256 pbkdf2-sha512 scrypt".split()
)
_CRYPT: Final = (
    rf"(?P<secret>\$(?:(?:1|apr1){_PART}{_SIGNS}{{1,8}}{_PART}{_SIGNS}{{22}}"
    rf"|5{_PART}(?:rounds=\d{{1,9}}{_PART})?{_SIGNS}{{1,16}}{_PART}{_SIGNS}{{43}}"
    rf"|6{_PART}(?:rounds=\d{{1,9}}{_PART})?{_SIGNS}{{1,16}}{_PART}{_SIGNS}{{86}}"
    rf"|2[abxy]{_PART}\d\d{_PART}{_SIGNS}{{53}}"
    rf"|g?y{_PART}{_SIGNS}{{1,12}}{_PART}{_SIGNS}{{1,86}}{_PART}{_SIGNS}{{43}}"
    rf"|7{_PART}{_SIGNS}{{12,60}}{_PART}{_SIGNS}{{43}}"
    rf"|argon2(?:id|i|d){_PART}(?:v=\d{{1,3}}{_PART})?[a-z0-9=,]{{5,60}}{_PART}{_BASE64}{{8,100}}{_PART}{_BASE64}{{16,200}}"
    rf"|pbkdf2(?:-sha\d{{1,3}})?{_PART}\d{{1,9}}{_PART}[\w./+]{{8,100}}{_PART}[\w./+]{{16,200}}"
    rf"|scrypt{_PART}[a-z0-9=,]{{5,40}}{_PART}[\w./+]{{8,100}}{_PART}[\w./+]{{16,200}}))(?![./A-Za-z0-9])"
)
_DATABASE_PORTS: Final = ":5432: :5433: :6432: :*: pgpass"


def _password_file(match: SecretMatch) -> bool:
    return check.is_not_template(match) and match["secret"] not in ("*", "password")


HASHES: Final = (
    secret_rule("password-hash", (*(f"${k}$" for k in _KINDS), *(f"${k}\\$" for k in _KINDS)), _CRYPT),
    secret_rule(
        "password-hash",
        "{ssha {sha {smd5} {md5} {pbkdf2",
        r"\{(?:S?SHA(?:256|384|512)?|S?MD5|PBKDF2[\w-]{0,10})\}(?P<secret>(?:\d{1,9}\$)?[A-Za-z0-9+/.$]{16,200}+={0,2})",
        check.is_mixed_secret,
    ),
    secret_rule(
        "password-hash",
        "pbkdf2_sha pbkdf2:sha scrypt: scram-sha-",
        rf"(?P<secret>pbkdf2_sha\d{{1,3}}\$\d{{3,8}}\$\w{{4,64}}\${_BASE64}{{20,100}}+={{0,2}}"
        rf"|SCRAM-SHA-\d{{1,3}}\$\d{{3,8}}:{_BASE64}{{8,100}}+={{0,2}}\${_BASE64}{{20,100}}+=?:{_BASE64}{{20,100}}+=?"
        r"|(?:pbkdf2:sha\d{1,3}(?::\d{1,9})?|scrypt:\d{1,9}:\d{1,3}:\d{1,3})\$\w{4,64}\$[0-9a-f]{32,128})",
    ),
    secret_rule("password-hash", "'* \"*", r"[\"']\*(?P<secret>[0-9A-F]{40})(?=\\?[\"'])"),  # MySQL before version 8
    secret_rule(
        "password-hash", ":::", r"(?<![0-9A-Fa-f])(?P<secret>[0-9A-Fa-f]{32}:[0-9A-Fa-f]{32}):::", begins=False
    ),
    secret_rule(
        "password-hash",
        ":::",
        rf"{LINE_BEGIN}[\w.-]{{1,32}}:(?P<secret>{_SIGNS}{{13}}):\d{{1,6}}:\d{{0,6}}:\d{{0,6}}:\d{{0,6}}:",
        begins=False,
    ),
    secret_rule(
        "credential",
        _DATABASE_PORTS,
        rf"{LINE_BEGIN}[\w.*-]{{1,100}}+:(?:\d{{2,5}}|\*):(?:[A-Za-z_][\w-]{{0,62}}+|\*):(?:[A-Za-z_][\w.@-]{{0,62}}+|\*):"
        r"(?P<secret>(?:[^\s:\\\"'`]|\\[:\\]){3,200}+)(?=\s|[\"'`]|\\n|$)",
        _password_file,
        begins=False,
        scope="text",
    ),
)
"""Hashes of passwords, and the lines of `.pgpass`."""
