"""Rules for secrets that code gives to functions by position, where no `=` or `:` stands between name and value.

| Form | Example |
|---|---|
| a name and its value | `headers.set("X-Api-Key", "X")`, `page.fill('#password', 'X')` |
| a field, then what is typed into it | `cy.get('#password').type('X')`, `fill_in 'Password', with: 'X'` |
| a password alone | `user.set_password("X")` |
| a user and a password | `auth=("ann", "X")`, `smtp.login("ann", "X")`, `new NetworkCredential("ann", "X")` |
| an address, a user and a password | `DriverManager.getConnection(url, "ann", "X")` |

Such calls are written for labels and examples, too, so a value counts only if it can be nothing but a password.
"""

import re
from typing import Final

from clew.ingest.secrets import checks as check
from clew.ingest.secrets.checks import SecretMatch
from clew.ingest.secrets.rule import QUOTED, SECRET_NAME, SECRET_NAME_CUES, credential_rule
from clew.ingest.secrets.sentences import is_strong
from clew.text.late_pattern import late_pattern

_SETTER: Final = late_pattern(
    r"(?<![a-z])(?:set|put|add|append|store|insert|header|fill|type|param|parameter|field|property|item|with)"
    r"(?:_?(?:request_?)?(?:headers?|param|params|parameter|property|item|value|string|text|extra|data|form_?field|entry|cookie"
    r"|attribute|secret|credential))?"
    r"\(\s{0,20}\\*[\"'`][^\"'`\n(){}]{0,60}(?:=\\*[\"'])?$",
    re.IGNORECASE,
)
"""A function that gives something its value, by its verb and what it fills. Not what shows people a text, such as
`setLabel`, or tells a field's kind, such as `addColumn`."""
_ARGUMENT: Final = (
    r"(?:\\*[\"'][^\"'\n]{1,200}?\\*[\"']|[\w.$>-]{1,60}(?:[\[(]\\*[\"'][^\"'\n]{1,60}\\*[\"'][\])])?)\s{0,3},\s{0,20}"
)
_PASSWORD: Final = rf"(?:some\()?{QUOTED}(?:\.\w{{1,20}}\(\))?\)?"
_END: Final = r"\s{0,20}(?=[,)\]])"
_LAST: Final = r"\s{0,20},?\s{0,20}[)\]]"
_FIELD_END: Final = r"(?:[\w-]{0,20}(?:\\*[\"'])?\]?\\*[\"'`]|/[a-z]{0,3}(?=\)))"
"""How the name of a field ends: `password'`, in a selector `password"]'`, as an expression `password/i`."""
_FILLS: Final = late_pattern(r"(?<![a-z])(?:type|fill|paste|type_?text)\([^\n;]{0,80}$", re.IGNORECASE)


def _is_given(match: SecretMatch) -> bool:
    """Whether a text that stands in the place of a password is one."""
    secret = match["secret"]
    return is_strong(secret) and check.is_not_template(match) and not check.is_type(secret) and " " not in secret


def _is_given_by_name(match: SecretMatch) -> bool:
    """Whether the value of a name can only be a secret: a password, or the long random text of a key."""
    return _is_given(match) and check.is_setting(match["name"], match["secret"])


def _is_filled_in(match: SecretMatch) -> bool:
    return _FILLS.search(check.text_before(match, 100)) is not None and _is_given_by_name(match)


def _is_set_by_name(match: SecretMatch) -> bool:
    return _SETTER.search(check.text_before(match, 100)) is not None and _is_given_by_name(match)


_NAMED: Final = rf"(?P<name>{SECRET_NAME}){_FIELD_END}"

CALLS: Final = (
    credential_rule(SECRET_NAME_CUES, rf"{_NAMED}\s{{0,3}},\s{{0,20}}{QUOTED}{_END}", _is_set_by_name, ("(",)),
    credential_rule(
        SECRET_NAME_CUES,
        rf"{_NAMED}\s{{0,3}}\){{1,2}}(?:\s{{0,20}}\.(?:clear|click|focus|first)\(\)){{0,2}}\s{{0,20}}\."
        rf"(?:(?:type|fill|send_?keys|set_?value|press_?sequentially|val)\(\s{{0,20}}|value\s{{0,3}}=\s{{0,3}}){QUOTED}",
        _is_given_by_name,
        (").", ")\n"),
    ),
    credential_rule(
        SECRET_NAME_CUES, rf"{_NAMED}\s{{0,3}}\)\s{{0,3}},\s{{0,20}}{QUOTED}\s{{0,20}}\)", _is_filled_in, ("),",)
    ),
    credential_rule(SECRET_NAME_CUES, rf"{_NAMED},?\s{{1,3}}with:\s{{0,3}}{QUOTED}", _is_given_by_name, ("with:",)),
    credential_rule(
        ("set_password(", "setpassword(", "withpassword("),
        rf"\w{{11,12}}\(\s{{0,20}}(?:{_ARGUMENT}{_ARGUMENT})?{_PASSWORD}{_END}",
        _is_given,
    ),
    credential_rule(
        ("auth=(", "auth = (", "auth' => [", 'auth" => ['),
        rf"auth[\"']?\s?=>?\s?[(\[]\s{{0,20}}{_ARGUMENT}{QUOTED}{_LAST}",
        _is_given,
    ),
    credential_rule(
        (
            *("basicauth(", "basic_auth(", "digestauth(", "digest_auth(", "credentials.basic(", ".login("),
            *("networkcredential(", "passwordcredential(", "passwordcredentials(", "passwordauthentication("),
            "sqlcredential(",
        ),
        rf"[\w.]{{6,22}}\(\s{{0,20}}{_ARGUMENT}{_PASSWORD}{_END}",
        _is_given,
    ),
    credential_rule(
        (
            "getconnection(",
            "mysqli_connect(",
            "mysql_connect(",
            "new mysqli(",
            "new pdo(",
            "create_user(",
            "create_superuser(",
        ),
        rf"[\w ]{{5,20}}\(\s{{0,20}}{_ARGUMENT}{_ARGUMENT}{QUOTED}{_END}",
        _is_given,
    ),
    credential_rule(
        "userpwd",
        r"userpwd\s{0,3}(?:,|=>)\s{0,20}\\*[\"'][^:\"'\n\\]{1,60}:(?P<secret>[^\"'\s\\]{4,100})\\*[\"']",
        _is_given,
    ),
)
"""Secrets that are given to functions."""
