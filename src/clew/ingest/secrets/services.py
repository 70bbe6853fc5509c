"""Rules for passwords and keys that the tools and settings of services are given."""

from collections.abc import Iterable, Sequence
from typing import Final

from clew.ingest.secrets import checks as check
from clew.ingest.secrets.checks import SecretMatch
from clew.ingest.secrets.rule import ARGUMENT, SecretRule, credential_rule
from clew.text.late_pattern import late_pattern

_VALUE: Final = r"\\*[\"']?(?P<secret>[^\s\"'$<\\-][^\s\"'\\]{3,200})"
_LINE_END: Final = r"(?=\\*[\"']?\s{0,3}(?:[;|&#]|\\n|\n|$))"
_SETS_SECRETS: Final = late_pattern(
    r"(?i:secrets\s+set)\b(?P<values>(?:\\\r?\n|'[^'\n]{0,300}'|\"[^\"\n]{0,300}\"|[^\n|;&'\"]){0,2000})"
)
_NAMED_VALUE: Final = late_pattern(rf"(?<![\w-])[A-Za-z_]\w*={_VALUE}")


def _set_secrets(text: str, places: Sequence[int]) -> Iterable[SecretMatch]:
    """Every value of a command such as `fly secrets set A=X B=Y`."""
    for at in places:
        command = _SETS_SECRETS.match(text, at)
        if command is not None:
            yield from _NAMED_VALUE.finditer(text, command.start("values"), command.end("values"))


def _is_value(match: SecretMatch) -> bool:
    return check.is_not_template(match) and not match["secret"].isupper()


def _typed_to_openssl(match: SecretMatch) -> bool:
    """Whether what follows `-k` is the password rather than where it is read from, or marked (`pass:X`)."""
    return check.is_password_argument(match) and ":" not in match["secret"]


SERVICES: Final = (
    credential_rule("openssl", rf"openssl\b[^\n|;&]{{0,300}}?\s(?-i:-k){ARGUMENT}", _typed_to_openssl, (" -k ",)),
    credential_rule(
        "configure set",
        rf"configure\s+set\s+[\w.\"'-]{{0,60}}?aws_(?:secret_access_key|session_token)\\*[\"']?{ARGUMENT}",
        check.is_password_argument,
    ),
    credential_rule(
        "secret set", rf"secret\s+set\b[^\n|;&]{{0,300}}?\s(?:--body|-b){ARGUMENT}", check.is_password_argument
    ),
    SecretRule("credential", ("secrets set",), "", _is_value, scope="text", finder=_set_secrets),
    credential_rule(
        "requirepass masterauth",
        rf"(?:requirepass|masterauth)(?:=|\\*[\"']?\s{{1,3}}){_VALUE}{_LINE_END}",
        check.is_password_argument,
    ),
    credential_rule(
        ("net use", "net.exe use"),
        rf"(?<![\w.-])net(?:\.exe)?\s+use\s+(?:[a-z*]:?\s+)?\\\\+[^\s\"']{{1,200}}\s+(?!/){_VALUE}(?=\s[^\n]{{0,60}}/user:)",
        check.is_password_argument,
        ("/user:",),
    ),
    credential_rule(
        ("net use", "net.exe use"),
        rf"(?<![\w.-])net(?:\.exe)?\s+use\s+[^\n|;&]{{1,300}}?/user:[^\s\"']{{1,100}}\s+(?!/){_VALUE}",
        check.is_password_argument,
        ("/user:",),
    ),
)
"""Passwords and keys in commands and settings of services."""
