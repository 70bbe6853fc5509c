"""Rules for secrets that code gives to functions by position, where no `=` or `:` stands between name and value.

| Form | Example |
|---|---|
| a name and its value | `headers.set("X-Api-Key", "X")`, `page.fill('#password', 'X')` |
| a field, then what is typed into it | `cy.get('#password').type('X')`, `fill_in 'Password', with: 'X'` |
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
    r"(?:set|put|add|append|store|insert|header|fill|type|param|parameter|field|property|item|with)(?:[a-z]\w{0,20})?"
    r"\(\s{0,20}\\*[\"'`][^\"'`\n(){}]{0,60}$",
    re.IGNORECASE,
)
_ARGUMENT: Final = r"(?:\\*[\"'][^\"'\n]{1,200}?\\*[\"']|[\w.$>\[\]-]{1,60})\s{0,3},\s{0,20}"
_END: Final = r"\s{0,20}(?=[,)\]])"


def _is_given(match: SecretMatch) -> bool:
    """Whether a text that stands in the place of a password is one."""
    secret = match["secret"]
    return is_strong(secret) and check.is_not_template(match) and " " not in secret


def _is_given_by_name(match: SecretMatch) -> bool:
    """Whether the value of a name can only be a secret: a password, or the long random text of a key."""
    return _is_given(match) and check.is_setting(match["name"], match["secret"])


def _is_set_by_name(match: SecretMatch) -> bool:
    return _SETTER.search(check.text_before(match, 100)) is not None and _is_given_by_name(match)


_NAMED: Final = rf"(?P<name>{SECRET_NAME})[\w\]-]{{0,20}}\\*[\"'`]"

CALLS: Final = (
    credential_rule(SECRET_NAME_CUES, rf"{_NAMED}\s{{0,3}},\s{{0,20}}{QUOTED}{_END}", _is_set_by_name, ("(",)),
    credential_rule(
        SECRET_NAME_CUES,
        rf"{_NAMED}\s{{0,3}}\)\s{{0,20}}\.(?:type|fill|send_?keys|set_?value|press_?sequentially|val)\(\s{{0,20}}{QUOTED}",
        _is_given_by_name,
        (").", ")\n"),
    ),
    credential_rule(SECRET_NAME_CUES, rf"{_NAMED},?\s{{1,3}}with:\s{{0,3}}{QUOTED}", _is_given_by_name, ("with:",)),
    credential_rule(
        ("auth=(", "auth = (", "auth=[", "basicauth(", "basic_auth(", "credential(", "credentials(", ".login("),
        rf"\.?[\w ]{{0,12}}=?\s?[(\[]\s{{0,20}}{_ARGUMENT}{QUOTED}{_END}",
        _is_given,
    ),
    credential_rule(
        ("getconnection(", "mysqli_connect(", "mysql_connect(", "new mysqli(", "new pdo("),
        rf"[\w ]{{5,20}}\(\s{{0,20}}{_ARGUMENT}{_ARGUMENT}{QUOTED}{_END}",
        _is_given,
    ),
)
"""Secrets that are given to functions."""
