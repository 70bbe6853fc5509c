"""Rules for passwords that commands are given, each command with its own options."""

import re
from typing import Final

from clew.ingest.secrets import checks as check
from clew.ingest.secrets.checks import SecretMatch
from clew.ingest.secrets.rule import ARGUMENT, credential_rule
from clew.text.late_pattern import late_pattern

_TOOLS: Final = (
    ("zip unzip", r"(?:un)?zip", "P", "-p"),
    ("sqlcmd bcp", r"(?:sqlcmd|bcp)", "P", "-p"),
    ("ssh-keygen", r"ssh-keygen", "[NP]", "-"),
    ("ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd", r"ldap\w{3,6}", "w", "-w"),
    ("mongo", r"mongo(?:sh|dump|restore|import|export)?", "p", "-p"),
    ("ipmitool mosquitto_pub mosquitto_sub", r"(?:ipmitool|mosquitto_[ps]ub)", "P", "-p"),
    ("cqlsh", r"cqlsh", "p", "-p"),
    (("oc login", "az login", "cf login"), r"(?:oc|az|cf)\s+login", "p", " -p"),
)
"""Commands: their cues, names, the letter of the option, and what else must stand in the text."""
_DIRECT: Final = r"\s{0,3}\\*[\"']?(?P<secret>[^\s\"'=$<\\-][^\s\"'\\;|&]{3,200})"
_STDIN: Final = ("| sudo -", "|sudo -", "--password-stdin", "--stdin", "passphrase-fd", "--with-token", "chpasswd")
"""Commands and options that read a password from what was printed before."""
_ECHO: Final = r"(?:echo|printf)\s+(?:-[neE]{1,3}\s+|\\*[\"']%s\\*[\"']\s+)?"
_TAKES_IT: Final = (
    r"[^\n|]{0,80}?(?:sudo\s+(?:-\w*S|--stdin)|--password-stdin|passwd\s+--stdin|-passphrase-fd|--with-token)\b"
)
_READS_INPUT: Final = late_pattern(r"sudo\s+(?:-\w*S|--stdin)|--password-stdin|--passphrase-fd|--stdin", re.IGNORECASE)
_TAKES_PASS: Final = late_pattern(r"-(?:pass|passin|passout|k)\s+\\*[\"']?$", re.IGNORECASE)
_IN_SECRET: Final = late_pattern(r"\bsecrets?\b[^\n|;&]*$", re.IGNORECASE)


def _in_openssl(match: SecretMatch) -> bool:
    return bool(_TAKES_PASS.search(check.text_before(match, 30))) and check.is_password_argument(match)


def _in_here_string(match: SecretMatch) -> bool:
    before = check.text_before(match, 120).rpartition("\n")[2]
    return _READS_INPUT.search(before) is not None and check.is_not_template(match)


def _of_kubectl(match: SecretMatch) -> bool:
    """Whether a literal is one of a secret that is created, not of other configuration."""
    before = check.text_before(match, 500).replace("\\\n", " ")
    return _IN_SECRET.search(before) is not None and check.is_not_template(match)


def _typed(match: SecretMatch) -> bool:
    """Whether an argument is a password rather than another option, a file or a placeholder in capitals."""
    secret = match["secret"]
    return check.is_password_argument(match) and not re.fullmatch(r"[A-Z_]+|pass(?:word)?|secret|\*+", secret)


def _typed_for_user(match: SecretMatch) -> bool:
    """Whether the command names a user, too; `-p` has other meanings in what may follow it."""
    return _typed(match) and re.search(r"\s-{1,2}u", match[0]) is not None


COMMANDS: Final = (
    *(
        credential_rule(
            cues,
            rf"(?<![\w-]){names}\b[^\n|;&]{{0,300}}?\s(?-i:-{letter}){form}",
            _typed_for_user if letter == "p" else _typed,
            (needed,),
        )
        for cues, names, letter, needed in _TOOLS
        for form in ((ARGUMENT, _DIRECT) if letter == "P" else (ARGUMENT,))
    ),
    credential_rule(
        "ssh-keygen",
        r"ssh-keygen\b[^\n|;&]{0,300}?\s(?-i:-[NP])\s{0,3}\"(?P<secret>[^\"\n]{4,200})\"",
        check.is_password_argument,
    ),
    credential_rule(
        "curl",
        r"curl(?P<quote>\\*[\"']),[^\[\]]{0,400}?(?P=quote)(?:-u|--user|--proxy-user)(?P=quote),(?:\s|\\n){0,40}"
        r"(?P=quote)[^\s:\"'$<\\]{1,100}:(?P<secret>[^\"'\\\n]{2,200})(?P=quote)",
        _typed,
        ('-u"', "-u'", '-user"', "-user'", '-u\\"', '-user\\"'),
    ),
    credential_rule(
        "7z",
        r"(?<![\w-])7z[ar]?\b[^\n|;&]{0,300}?\s(?-i:-p)\\*[\"']?(?P<secret>[^\s\"'=$<\\-][^\s\"'\\]{3,200})",
        _typed,
    ),
    credential_rule(
        "storepass keypass",
        rf"(?<=[-cyt])(?:store|key)pass(?:word)?{ARGUMENT}",
        check.is_password_argument,
        ("-storepass", "-keypass", "keystorepass", "storepass "),
    ),
    credential_rule("pass:", r"pass:(?P<secret>[^\s\"'`;|&$\\]{3,200})", _in_openssl, (" -pass", " -k ")),
    credential_rule(
        _STDIN,
        rf"{_ECHO}(?P<quote>\\*[\"'])(?P<secret>[^\"'\n\\]{{4,200}})(?:\\n)?(?P=quote)\s{{0,3}}\|{_TAKES_IT}",
        check.is_not_template,
        reach=400,
    ),
    credential_rule(
        _STDIN,
        rf"{_ECHO}(?P<secret>[^\s\"'`\\|;&<>-][^\s\"'`\\|;&<>]{{3,200}}+)\s{{0,3}}\|{_TAKES_IT}",
        check.is_not_template,
        reach=400,
    ),
    credential_rule(
        _STDIN,
        rf"{_ECHO}\\*[\"']?[\w.-]{{1,60}}+:(?P<secret>[^\s\"'\\|]{{3,200}}+)(?:\\n)?\\*[\"']?\s{{0,3}}\|\s{{0,3}}(?:sudo\s+)?chpasswd",
        check.is_not_template,
        reach=400,
    ),
    credential_rule("<<<", r"<<<\s{0,3}\\*[\"']?(?P<secret>[^\s\"'\\]{4,200}+)", _in_here_string),
    credential_rule(
        "htpasswd",
        r"htpasswd\s+-(?=\w{0,8}b)(?:\w{0,8}n\w{0,8}\s+|\w{1,8}\s+\S{1,200}\s+)(?:-\w\s+(?:\d+\s+)?){0,3}\S{1,100}\s+"
        r"\\*[\"']?(?P<secret>[^\s\"'$<\\-][^\s\"'\\]{3,200})",
        _typed,
    ),
    credential_rule(
        ("rabbitmqctl", "wpa_passphrase", "cf auth"),
        r"(?:rabbitmqctl\s+(?:add_user|change_password)|wpa_passphrase|cf\s+auth)\s+(?:\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'|[^\s\"']{1,60})"
        r"\s+\\*[\"']?(?P<secret>[^\s\"'$<\\-][^\s\"'\\]{3,200})",
        _typed,
        ("_user", "change_password", "wpa_pass", "cf auth"),
    ),
    credential_rule(
        "smb",
        r"smb(?:client|map|get)?\b[^\n|;&]{0,200}?\s(?-i:-U)\s{0,3}\\*[\"']?[^\s\"'%]{1,100}%(?P<secret>[^\s\"'$<\\]{3,200})",
        _typed,
        ("-u",),
    ),
    credential_rule(
        ("net user", "net.exe user"),
        r"(?<![\w.-])net(?:\.exe)?\s+user\s+(?![/-])[^\s\"']{1,60}\s+(?P<secret>[^\s\"'/*][^\s\"']{3,100})(?=\s+/add|\s*$|\s*\n)",
        _typed,
        ("net user ", "net.exe user "),
    ),
    credential_rule("nmcli", rf"nmcli\b[^\n|;&]{{0,200}}?\spassword{ARGUMENT}", _typed),
    credential_rule(
        "--from-literal",
        r"--from-literal[= ]\\*[\"']?[\w.-]{1,100}=\\*[\"']?(?P<secret>[^\s\"'\\$][^\s\"'\\]{2,200})",
        _of_kubectl,
    ),
)
"""Passwords in command lines."""
