"""Rules for secrets in configuration: beside their name, in variables of shells, connection strings and addresses."""

import re
from typing import Final

from clew.ingest.secrets import checks as check
from clew.ingest.secrets.checks import SecretMatch
from clew.ingest.secrets.rule import (
    BARE_WORD,
    QUOTED,
    QUOTED_AS_IS,
    SECRET_NAME,
    SECRET_NAME_CUES,
    SUFFIX,
    credential_rule,
    mask_pattern,
    secret_rule,
)
from clew.ingest.secrets.sentences import is_strong
from clew.text.late_pattern import late_pattern

_BLANK: Final = r"(?:\s|\\[nr])"
_VALUE: Final = r"\\*[\"']?(?:parameter)?value\\*[\"']?\s{0,3}[:=]\s{0,3}"
_LINE_END: Final = r"(?=[ \t]{0,40}(?:\\[nr]|[\r\n]|$))"
_SETS: Final = late_pattern(
    r"(?:^|[\s;&|({\"'`+])(?:setenv|setx(?:\s+/m)?|ENV|ARG|set(?:\s+-{1,2}[\w-]+){1,4})\s+[\w.]*$"
)
_SETTER: Final = late_pattern(
    r"(?:setenvironmentvariable|setenv|putenv|set_env|setproperty|setdefault|set_var|setitem)"
    r"\s?\(\s*\\*[\"'`][\w.-]*$",
    re.IGNORECASE,
)
_SERVER: Final = late_pattern(
    r"(?<![a-z])(?:db|database|sql|mysql|pg|postgres|redis|mongo|smtp|imap|ftp|sftp|ssh|ldap|amqp|rabbitmq)[_.-]",
    re.IGNORECASE,
)
"""What stands in a name before that of a password to a server, which may be a word."""
_DEFINE: Final = late_pattern(r"(?:define|const)\s?\(\s*\\*[\"'`]([\w.-]*)$", re.IGNORECASE)
_CONNECTION: Final = late_pattern(
    r"(?:server|data source|host|user id|uid|user|username|initial catalog|database|address|driver|dbq)\s?=",
    re.IGNORECASE,
)
_OPENING_QUOTE: Final = late_pattern(r"[\"'][A-Z0-9_]*$")
_PROPERTY: Final = late_pattern(
    r"<(?!input|label|button|option|a\s)[\w:.-]+\s[^<>]{0,100}?(?:name|key|id)\s?=\s?\\*[\"'][\w.:-]*$", re.IGNORECASE
)
_KEY_ELEMENT: Final = late_pattern(r"<(?:name|key|param-name|parameterkey)>[\w.:-]*$", re.IGNORECASE)
_VARIABLE: Final = late_pattern(r"variable\s+\\*[\"'][\w-]*$", re.IGNORECASE)
_USER_NAME: Final = late_pattern(r"\b(?:user|username|login|email)\\*[\"']?\s?[:=]", re.IGNORECASE)
_NEAR: Final = 300
"""Characters before and behind a line in which its neighbours are looked for."""
_ODD_SIGN: Final = late_pattern(r"[;&|<>(){}\[\],'`]")
"""Signs of a shell or of code, at which an unquoted value ends elsewhere."""
_COMPUTED: Final = late_pattern(r"[A-Za-z_][\w.]*[(\[].*[)\]];?$|.*(?:&&|\|\||\$[({]|://|\[masked:)")
"""A value that is a call, a command or an address, or holds a mask."""
_BEFORE_VARIABLE: Final = r"(?:.*[\"'])?[ \t]*(?:export[ \t]+)?"
"""What stands before the name of a variable; a quotation mark where the lines are those of a JSON string."""
_ENVIRONMENT_LINE: Final = late_pattern(rf"{_BEFORE_VARIABLE}[A-Z_][A-Z0-9_]*=")
_LINE_BREAK: Final = late_pattern(r"\r?\n|\\n")
_KEY_VALUE: Final = late_pattern(r"(?m)^Key +Value[ \t]*\n-+ +-+")


def apart(match: SecretMatch) -> bool:
    """Whether a value that stands apart from its name (`name: DB_PASSWORD`, then `value: X`) is a secret."""
    secret = match["secret"]
    return check.is_setting(match["name"], secret) and not check.is_type(secret)


def _beside_a_user(match: SecretMatch) -> bool:
    """Whether `pass: X`, which may also be one of a test's or a renderer's passes, stands near a user's name."""
    secret = match["secret"]
    around = check.text_before(match, 100) + match.string[match.end() : match.end() + 100]
    return is_strong(secret) and re.search(r"[_/]", secret) is None and _USER_NAME.search(around) is not None


def _in_environment_file(match: SecretMatch) -> bool:
    """Whether `NAME=value`, with signs of code in the value, is a line of a file such as `.env`, beside others."""
    secret = match["secret"]
    if not match["name"].isupper() or not _ODD_SIGN.search(secret) or _COMPUTED.match(secret):
        return False
    *above, own = _LINE_BREAK.split(check.text_before(match, _NEAR))
    _, *below = _LINE_BREAK.split(match.string[match.end() : match.end() + _NEAR])
    settings = [
        [line for line in lines if line.strip() and not line.lstrip().startswith("#")] for lines in (above, below)
    ]
    neighbours = [*settings[0][-1:], *settings[1][:1]]
    if not re.fullmatch(rf"{_BEFORE_VARIABLE}[A-Z0-9_]*", own) or not any(map(_ENVIRONMENT_LINE.match, neighbours)):
        return False
    return check.is_not_template(match) and check.is_assigned_secret(
        match["name"], secret, quoted=False, environment=True
    )


def _in_variable(match: SecretMatch) -> bool:
    return _VARIABLE.search(check.text_before(match, 80)) is not None and apart(match)


def _set_in_shell(match: SecretMatch) -> bool:
    return _SETS.search(check.text_before(match, 60)) is not None and apart(match)


def _given_to_setter(match: SecretMatch) -> bool:
    before = check.text_before(match, 100)
    if defined := _DEFINE.search(
        before
    ):  # programs define their labels so, too: `define('ENTRY_PASSWORD', 'Kennwort')`
        return apart(match) and (is_strong(match["secret"]) or _SERVER.search(defined[1]) is not None)
    return _SETTER.search(before) is not None and apart(match)


def _in_connection_string(match: SecretMatch) -> bool:
    """Whether `Password=X;` stands among the other parts of a connection string."""
    before, after = check.text_before(match, 300), match.string[match.end() : match.end() + 100]
    ends = before.rstrip(" ")[-1:] == ";" or after[:1] == ";"
    around = re.split(r"[\"'\n]", before)[-1] + re.split(r"[\"'\n]", after)[0]
    return ends and _CONNECTION.search(around) is not None and check.is_not_template(match)


def _in_quoted_assignment(match: SecretMatch) -> bool:
    """Whether `"DB_PASSWORD=several words"` is one of a list of variables."""
    name, secret = match["name"], match["secret"]
    if not name.isupper() or " " not in secret.strip() or not check.is_password_name(name):
        return False
    return _OPENING_QUOTE.search(check.text_before(match, 60)) is not None and check.is_setting(name, secret)


def _in_property(match: SecretMatch) -> bool:
    return _PROPERTY.search(check.text_before(match, 160)) is not None and apart(match)


def _after_key_element(match: SecretMatch) -> bool:
    return _KEY_ELEMENT.search(check.text_before(match, 100)) is not None and apart(match)


def _in_vault_table(match: SecretMatch) -> bool:
    """Whether the line stands in the list of keys and values that `vault kv get` prints."""
    line = check.line_around(match)
    if line is None or not re.fullmatch(r"[\w.-]*", match.string[line[0] : match.start()]):
        return False
    return _KEY_VALUE.search(match.string, max(0, line[0] - 3000), line[0]) is not None and check.is_not_placeholder(
        match
    )


def _is_access(match: SecretMatch) -> bool:
    """Whether the user of an address is itself the key to it: `https://TOKEN@host`."""
    secret = match["secret"]
    if check.is_placeholder(secret):
        return False
    is_number = re.fullmatch(r"[0-9a-f]{20,}", secret) is not None and not secret.isdecimal()
    return is_number or (len(secret) >= 16 and check.is_random_word(match))


def _raw_authorization(match: SecretMatch) -> bool:
    return check.is_token(match) and check.is_random_word(match)


_NAMED: Final = rf"(?P<name>{SECRET_NAME})"
_IN_TEXT: Final = r"(?!\\[nrt])[^\s<>][^<>\n]{3,200}?"

ENVIRONMENT_FILES: Final = (
    credential_rule(
        SECRET_NAME_CUES,
        rf"{_NAMED}{SUFFIX}=(?P<secret>[^\s\"'`$\\][^\s\"\\]{{5,300}}+)(?=[ \t]*(?:#[^\n\\]*+)?(?:\r?\n|\\n|$))",
        _in_environment_file,
        ("=",),
    ),
)
"""Values without quotation marks in files of variables; tried early, since other rules end them at an odd sign."""

SETTINGS: Final = (
    credential_rule(
        SECRET_NAME_CUES,
        rf"{_NAMED}(?=[\\\"',\s])\\*[\"']?\s{{0,3}},?{_BLANK}{{0,60}}+{_VALUE}{QUOTED}",
        apart,
        ("value",),
    ),
    credential_rule(
        SECRET_NAME_CUES,
        rf"{_NAMED}\\*[\"']?{_BLANK}{{1,60}}+{_VALUE}(?P<secret>[^\s\"'`\\,;&|<>(){{}}\[\]]{{4,200}}+){_LINE_END}",
        apart,
        ("value",),
    ),
    credential_rule(
        ('value"', "value'", "value\\"),
        rf"value\\*[\"']\s{{0,3}}:\s{{0,3}}{QUOTED_AS_IS}\s{{0,3}},{_BLANK}{{0,60}}+\\*[\"'](?:parameter)?(?:name|key)"
        rf"\\*[\"']\s{{0,3}}:\s{{0,3}}\\*[\"'][\w.:/-]{{0,60}}?{_NAMED}\\*[\"']",
        apart,
        ("pass", "pwd", "secret", "token", "key"),
    ),
    credential_rule(
        SECRET_NAME_CUES,
        rf"{_NAMED}\\*[\"']\s{{0,3}}\{{[^{{}}]{{0,300}}?\bdefault\s{{0,12}}=\s{{0,3}}{QUOTED}",
        _in_variable,
        ("variable",),
    ),
    *(
        credential_rule(
            SECRET_NAME_CUES,
            rf"{_NAMED}[ \t]{{1,8}}{value}",
            _set_in_shell,
            ("setenv", "env ", "setx", "set -", "arg "),
        )
        for value in (QUOTED, r"(?P<secret>[^\s\"'`\\,;&|<>(){}\[\]=]{4,200}+)")
    ),
    credential_rule(
        SECRET_NAME_CUES,
        rf"{_NAMED}\\*[\"'`]\s{{0,3}},\s{{0,20}}{QUOTED}",
        _given_to_setter,
        ("setenv", "putenv", "set_env", "setprop", "setdefault", "set_var", "setitem", "define", "const("),
    ),
    credential_rule(
        ("password", "pwd"),
        r"(?:password|pwd)\s{0,2}=\s{0,2}(?P<secret>[^\s;\"'\\][^;\"'\n\\]{2,200}?)(?=\s{0,3}(?:[;\"'\n\\]|$))",
        _in_connection_string,
        ("server=", "source=", "host=", "user", "uid=", "database=", "server =", "source ="),
    ),
    credential_rule(
        SECRET_NAME_CUES,
        rf"{_NAMED}=(?P<secret>[^\"'\n\\=&]{{4,200}}?)(?=\\*[\"'])",
        _in_quoted_assignment,
        ('"', "'"),
    ),
    credential_rule(
        SECRET_NAME_CUES,
        rf"{_NAMED}\\*[\"'](?:\s[^<>\n]{{0,100}})?>\s{{0,3}}(?P<secret>{_IN_TEXT})\s{{0,3}}</",
        _in_property,
        ("</",),
    ),
    credential_rule(
        SECRET_NAME_CUES,
        rf"{_NAMED}</[\w-]{{2,20}}>{_BLANK}{{0,40}}+<(?:value|string|param-value|parametervalue)>"
        rf"\s{{0,3}}(?P<secret>{_IN_TEXT})\s{{0,3}}</",
        _after_key_element,
        ("</",),
    ),
    credential_rule(
        SECRET_NAME_CUES,
        rf"{_NAMED}[ \t]{{2,60}}(?P<secret>[^\s\"'`]{{4,200}}+){_LINE_END}",
        _in_vault_table,
        ("key  ",),
    ),
    credential_rule(
        ("pass", "pw"),
        rf"(?<![a-z0-9_-])(?:(?<![a-z] )pass|pw)\\*[\"']?\s{{0,3}}[:=]\s{{0,3}}\\*[\"']?{BARE_WORD}",
        _beside_a_user,
        ("user", "login", "email"),
    ),
    credential_rule(
        ('type="password', "type='password", "type=password", 'type=\\"password'),
        rf"<input\b(?=[^<>]{{0,300}}?\stype\s?=\s?\\*[\"']?(?P<name>password)(?![\w-]))[^<>]{{0,300}}?\svalue\s?=\s?{QUOTED}",
        apart,
        ("value",),
        reach=400,
    ),
    credential_rule(
        "_auth", r"_auth\s{0,2}=\s{0,2}\\*[\"']?(?P<secret>[A-Za-z0-9+/]{8,400}+={0,2})", check.is_encoded_login
    ),
    credential_rule(
        "convertto-securestring",
        rf"convertto-securestring(?:\s+-(?:string|asplaintext|force)){{0,3}}\s+{QUOTED_AS_IS}",
        check.is_not_template,
    ),
    credential_rule(
        "wifi:", r"wifi:[^\n]{0,100}?(?<=[:;])p:(?P<secret>(?:[^;\\\n]|\\.){4,100});", check.is_not_template, ("p:",)
    ),
)
"""Secrets in configuration."""

USERS: Final = (
    secret_rule(
        "url-login",
        "://",
        rf"://(?P<secret>[\w.~+=-]{{16,200}}+)(?=(?::(?:{mask_pattern('url-login')}|[^\s/@\"'<>]{{0,200}}+))?@[\w.\[-])",
        _is_access,
        scope="text",
        needs=("@",),
    ),
    secret_rule(
        "authorization",
        "authorization",
        r"authorization\\*[\"']?\s{0,3}[:=]\s{0,3}\\*[\"']?(?:(?!bearer|basic|token)[a-z][\w-]{1,20}\s{1,3})?"
        r"(?P<secret>[\w.~+/=-]{16,300}+)",
        _raw_authorization,
        scope="text",
    ),
)
"""Keys in the place of a user, and headers without a scheme."""
