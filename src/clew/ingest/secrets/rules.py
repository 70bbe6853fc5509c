"""The rules for secrets, most specific first; `secrets` applies them.

Sources: the issuers' own descriptions of their keys; the rules of gitleaks (`data/NOTICE`); RFC 7519 (JWT), RFC 7468
(private keys in text), RFC 6750 (bearer tokens), RFC 6265 (cookies), RFC 3986 section 3.2.1 (user information in
addresses), ISO/IEC 7812-1 (card numbers with Luhn's check digit).
"""

import re
from functools import cache
from typing import Final

from clew.ingest.secrets import checks as check
from clew.ingest.secrets.blocks import BLOCKS
from clew.ingest.secrets.calls import CALLS
from clew.ingest.secrets.commands import COMMANDS
from clew.ingest.secrets.foreign import FOREIGN_STATEMENT, PASSWORD_NOUNS
from clew.ingest.secrets.hashes import HASHES
from clew.ingest.secrets.keys import KEYS, gitleaks
from clew.ingest.secrets.private_keys import PRIVATE_KEYS
from clew.ingest.secrets.rule import (
    ARGUMENT,
    ASSIGNS,
    BARE_WORD,
    LONGER_NAME_CUES,
    NAME_IN_PROSE,
    NAME_IN_PROSE_CUES,
    OPENING_MARKS,
    QUOTED,
    QUOTED_AS_IS,
    SECRET_NAME,
    SECRET_NAME_CUES,
    UNQUOTED,
    SecretRule,
    secret_rule,
)
from clew.ingest.secrets.sentences import SENTENCES
from clew.ingest.secrets.services import SERVICES
from clew.ingest.secrets.settings import ENVIRONMENT_FILES, SETTINGS, USERS
from clew.ingest.secrets.tables import TABLES

_DATABASES = (
    "postgres postgresql mysql mariadb mongodb mongodb+srv redis rediss amqp amqps mssql sqlserver oracle clickhouse"
    " cockroachdb couchdb neo4j bolt ftp sftp smtp smtps ldap ldaps"
)
_AFTER_DATABASE = "|".join(f"(?<={re.escape(name)})" for name in _DATABASES.split())
_IS = (
    r"(?<![\w.-])(?:password|passphrase|passcode)(?:\s+(?:for|to|of|on|at|in|from)\s+[^\n.:!?]{1,40}?)?"
    r"(?:\s+(?:is|was)(?:\s+now)?(?:\s*:)?|['’]s)\s+"
)
_OF_PLACE = (
    r"(?<![\w.-])(?:password|passphrase|passcode)\s+(?:for|to|of|on|at|in|from)\s+[^\n.:!?]{1,40}?\s{0,2}:\s{1,3}"
)
_IS_NEEDS = (" is ", " was ", " is:", " was:", "'s ", "’s ")
_SHORT_NAME = r"(?<![a-z0-9])(?:pass|pw)"
_FOR_IT = r"(?:\s+(?:for|to|on)\s+[^\n:!?|]{1,40}?)?"
_TELLS = (
    r"(?:\s+(?:is|was|to|be)(?:\s+now)?(?:\s{0,2}:)?|['’]s:?"
    r"|[*_`]{0,3}(?:\s\([^()\n]{1,40}\))?\s{0,2}(?:[:=][*_]{0,3}|[=-]>|[→–—]|(?<=[*`] )-))\s{1,3}"
    rf"{OPENING_MARKS}"
)
_OPTION = ("--", " -pass", " -token", " -secret")
_YAML_BLOCK = (
    r"\\*[\"']?:[ \t]{0,3}[|>][+-]?[ \t]{0,3}(?:\n|\\n)[ \t]{1,20}"
    r"(?P<secret>[^\s\"'\\]{4,200})(?=[ \t]*(?:\n|\\n|[\"']|$))"
)
_ATTACHED = r"\\*[\"']?(?P<secret>[^\s\"'=$<\\-][^\s\"'\\]{3,200})"
_SQL_TEXT = r"(?P<quote>\\*[\"'])(?P<secret>(?:(?!(?P=quote))[^\n]){4,200})(?P=quote)"
_DEFAULT: Final = (
    r"[\w-]{0,40}(?:\\*[\"']\s{0,3}(?:,\s{0,3}(?:default\s?=\s?)?|\]?\)?\s{0,3}(?:or|\|\||\?\?|\?:)\s{0,3})"
    rf"|\s{{0,3}}(?:\|\||\?\?)\s{{0,3}}){QUOTED_AS_IS}"
)
"""What follows the name of a variable whose value is read with a default: `os.getenv("DB_PASSWORD", "X")`."""


_IN_CONTEXT: Final = (
    secret_rule(
        "url-login",
        "://",
        rf"(?:{_AFTER_DATABASE})://[^\s/:@\"'<>]{{0,100}}+:(?P<secret>[^\s\"'<>`]{{3,200}})@"
        r"(?=[\w.\[-]++(?:[:/,?\s\"'`)\]]|$))",
        check.is_password_in_address,
        scope="text",
    ),
    secret_rule(
        "url-login",
        "://",
        r"://[^\s/:@\"'<>]{0,100}+:(?P<secret>(?:[^\s/@\"'<>$%{*]|%[0-9a-f]{2}|(?<=[a-z0-9!$*])[$*]){3,200}+)@",
        scope="text",
    ),
    secret_rule(
        "signed-address",
        "sig=",
        r"(?<=[?&;])sig=(?P<secret>[\w%+/-]{40,120}+=?)",
        scope="text",
        needs=("sv=", "se="),
    ),
    secret_rule(
        "signed-address",
        "x-amz-signature= x-amz-security-token= x-goog-signature=",
        r"x-(?:amz-signature|amz-security-token|goog-signature)=(?P<secret>[\w%+/-]{40,3000}+=?)",
        scope="text",
    ),
    secret_rule(
        "seed-phrase",
        "seed recovery mnemonic",
        r"(?:(?:seed|recovery|mnemonic)\s+(?:phrase|words)|mnemonic|seedphrase)\\*[\"']?(?:\s+(?:is|are|was))?"
        r"\s{0,2}[:=]?\s{0,3}\\*[\"'`]?(?P<secret>(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![\w'’])",
        check.is_seed_phrase,
        scope="text",
    ),
    secret_rule(
        "authorization",
        "authorization",
        r"authorization\\*[\"']?\s{0,3}[:=]\s{0,3}\\*[\"']?(?:bearer|basic|token|apikey)\s+(?P<secret>[\w.~+/=-]{8,}+)",
        check.is_token,
        scope="text",
    ),
    secret_rule(
        "authorization",
        "bearer",
        r"\bbearer\s+(?P<secret>[\w.~+/-]{20,}+=*)",
        check.is_mixed_secret,
        scope="text",
    ),
    secret_rule(
        "docker-login",
        "auth\" auth' auth\\",
        r"auth\\*[\"']\s{0,3}:\s{0,3}\\*[\"'](?P<secret>[A-Za-z0-9+/]{8,}+={0,2})",
        check.is_encoded_login,
        scope="text",
    ),
    secret_rule(
        "cookie",
        "cookie",
        r"(?<!set-)cookie\\*[\"']?\s{0,3}:\s{0,3}\\*[\"']?"
        r"(?P<secret>[\w.$-]{1,60}=[^\s;,\"'\\]{8,1000}+(?:;\s{0,2}[\w.$-]{1,60}=[^\s;,\"'\\]{0,1000}+){0,40}+)",
        check.is_not_template,
        scope="text",
    ),
    secret_rule(
        "cookie",
        "cookie",
        r"(?<=set-)cookie\\*[\"']?\s{0,3}:\s{0,3}\[?\\*[\"']?[\w.$-]{1,60}=(?P<secret>[^\s;,\"'\\]{8,1000}+)",
        check.is_not_template,
        scope="text",
    ),
    secret_rule(
        "credential",
        "curl",
        r"\bcurl\b[^\n|]{0,400}?\s(?:-u|--user)[= ]?\s{0,3}"
        r"(?P<quote>[\"'])[^\s:\"'$]{1,100}:(?P<secret>[^\"'\n]{3,200})(?P=quote)",
        check.is_not_template,
        scope="text",
    ),
    secret_rule(
        "credential",
        "curl",
        r"\bcurl\b[^\n|]{0,400}?\s(?:-u|--user)[= ]?\s{0,3}[^\s:\"'$<]{1,100}:(?P<secret>[^\s\"']{3,200})",
        check.is_not_template,
        scope="text",
    ),
    secret_rule(
        "credential",
        "mysql mariadb",
        r"(?:mysql|mariadb)(?:dump|admin|import|check|show)?\b[^\n|;]{0,300}?\s(?-i:-p)(?!ort\b)"
        r"[\"']?(?P<secret>[^\s\"'$-][^\s\"']{3,100})",
        check.is_not_template,
        scope="text",
    ),
    secret_rule(
        "credential",
        "sshpass",
        r"sshpass\s+-p\s{0,3}(?P<quote>[\"']?)(?P<secret>(?(quote)[^\s\"'$<]|[^\s\"'$<])[^\s\"']{3,100})",
        check.is_not_template,
        scope="text",
    ),
    secret_rule(
        "credential",
        ("machine", "default login", "default\nlogin"),
        r"(?:machine\s+\S{1,200}|default)\s+login\s+\S{1,200}\s+password\s+(?P<secret>\S{3,200})",
        check.is_not_placeholder,
        scope="text",
    ),
    secret_rule(
        "credential",
        "passw passphrase passcode",
        rf"{_IS}(?P<quote>[\"'`“])(?P<secret>[^\"'`“”\n]{{4,200}})[\"'`”]",
        check.states_password,
        scope="text",
        needs=_IS_NEEDS,
    ),
    secret_rule(
        "credential",
        "passw passphrase passcode",
        rf"{_IS}(?P<quote>)(?P<secret>[^\s\"'`“”]{{4,200}}?)(?=[.,:;!?)]*(?:\s|$))",
        check.states_password,
        scope="text",
        needs=_IS_NEEDS,
    ),
    secret_rule(
        "credential",
        "passw passphrase passcode",
        rf"{_OF_PLACE}(?P<quote>)(?P<secret>[^\s\"'`“”]{{6,200}}?)(?=[.,;!?)]*(?:\s|$))",
        check.states_password_of_place,
        scope="text",
    ),
    *(
        secret_rule(
            "credential",
            SECRET_NAME_CUES,
            rf"(?P<name>{SECRET_NAME}){form}",
            accept,
            scope="text",
            needs=needs,
        )
        for form, accept, needs in (
            (rf"{ASSIGNS}{QUOTED}", check.is_assigned, (":", "=")),
            (rf"{ASSIGNS}{UNQUOTED}", check.is_assigned, (":", "=")),
            (rf"\\*[\"'](?P<sign>\s+value\s{{0,3}}=)\s{{0,3}}{QUOTED}", check.is_assigned, ("value",)),
            (r"(?:\s[^<>\n]{0,100})?>\s{0,3}(?P<secret>[^<>\n]{4,200}?)\s{0,3}</", check.is_in_element, ("</",)),
            (r"\s{1,3}(?P<quote>[\"'])(?P<secret>[^\"'\n]{4,200})[\"']", check.is_option_value, _OPTION),
            (
                r"\s{1,3}(?P<quote>)(?P<secret>[^\s\"'`,;&|<>(){}\[\]-][^\s\"'`;&|<>(){}\[\]]{3,200}+)",
                check.is_option_value,
                _OPTION,
            ),
            (
                r"(?P<quote>\\*[\"']),(?:\s|\\n){0,40}(?P=quote)(?P<secret>[^\s\"'\\-][^\s\"'\\]{3,200})(?P=quote)",
                check.is_list_argument,
                ('"--', "'--"),
            ),
            (rf"\\*[\"']\](?P<sign> ?=) ?{QUOTED}", check.is_assigned_under_key, ("] =", "]=")),
            (
                _YAML_BLOCK,
                check.is_assigned_under_key,
                (": |", ":|", ": >", ":>"),
            ),
            (
                rf"(?:\*{{2,3}}\s{{0,2}}:|:\*{{2,3}}|\s{{0,2}}:(?=\s{{1,3}}\*))\s{{1,3}}{OPENING_MARKS}{BARE_WORD}",
                check.is_assigned_under_key,
                ("**",),
            ),
        )
    ),
    SecretRule("credential", PASSWORD_NOUNS, FOREIGN_STATEMENT, check.states_foreign_password, scope="text"),
    *(
        SecretRule("credential", cues, pattern, check.is_random_word, scope="text", needs=needs)
        for cues, pattern, needs in (
            (
                NAME_IN_PROSE_CUES,
                rf"{NAME_IN_PROSE}(?:\s+(?:for|to|of|on|at|in|from)\s+[^\n:!?|]{{1,40}}?)?{_TELLS}{BARE_WORD}",
                (),
            ),
            (
                NAME_IN_PROSE_CUES,
                rf"{NAME_IN_PROSE}[*`]{{0,3}}[ \t]{{0,30}}\|[ \t]{{1,30}}[*`]{{0,3}}{BARE_WORD}",
                ("|",),
            ),
            (
                ("pass", "pw"),
                rf"{_SHORT_NAME}\\*[*_`\"']{{0,3}}\s{{0,3}}[:=][*_]{{0,3}}\s{{0,3}}\\*{OPENING_MARKS}{BARE_WORD}",
                (":", "="),
            ),
            (
                ("pass for", "pass to", "pw for", "pw to", "pw on", "pass's", "pw's", "pass’s", "pw’s"),
                rf"{_SHORT_NAME}{_FOR_IT}(?:\s+is|['’]s|\s{{0,2}}[:=])\s{{1,3}}{OPENING_MARKS}{BARE_WORD}",
                (" is ", ":", "=", "'s ", "’s "),
            ),
        )
    ),
    *(
        secret_rule("credential", cues, pattern, accept, scope="text", needs=needs)
        for cues, pattern, accept, needs in (
            (
                "docker podman nerdctl helm",
                rf"(?:docker|podman|nerdctl|helm\s+registry)\s+login\b[^\n|;&]{{0,300}}?\s(?-i:-p){ARGUMENT}",
                check.is_password_argument,
                ("login",),
            ),
            ("redis-cli", rf"redis-cli\b[^\n|;]{{0,300}}?\s(?-i:-a|--pass){ARGUMENT}", check.is_password_argument, ()),
            ("redis-cli", rf"redis-cli\b[^\n|;]{{0,300}}?\s(?-i:-a){_ATTACHED}", check.is_password_argument, ()),
            (
                "identified",
                rf"identified\s+(?:with\s+\S{{1,60}}\s+)?by\s+(?:password\s+)?{_SQL_TEXT}",
                check.is_in_identified_by,
                (),
            ),
            ("password", rf"password\s+{_SQL_TEXT}", check.is_set_in_sql, ()),
            (
                "set password",
                rf"set\s+password\s+for\s[^=;\n]{{1,100}}=\s{{0,3}}{_SQL_TEXT}",
                check.is_not_template,
                (),
            ),
            ("password(", rf"password\(\s{{0,3}}{_SQL_TEXT}\s{{0,3}}\)", check.is_set_by_sql_function, ()),
            (
                LONGER_NAME_CUES,
                rf"(?P<name>{SECRET_NAME}){_DEFAULT}",
                check.is_default_value,
                ("env", ".get(", ".fetch("),
            ),
        )
    ),
)
"""Secrets that are recognised by what stands before them."""

_CARD: Final = secret_rule(
    "card",
    "",
    r"(?<![\w.+-])(?P<secret>\d{4}(?P<gap>[ -])\d{4}(?P=gap)\d{4}(?P=gap)\d{4}"
    r"|3\d{3}(?P<space>[ -])\d{6}(?P=space)\d{5}|\d{14,19})(?![\w-]|\.\d)",
    check.is_card_number,
    begins=False,
    scope="digits",
)


@cache
def secret_rules() -> tuple[SecretRule, ...]:
    """Every rule, most specific first."""
    return (
        *PRIVATE_KEYS,
        *KEYS,
        *gitleaks(),
        *ENVIRONMENT_FILES,
        *_IN_CONTEXT,
        *HASHES,
        *SETTINGS,
        *CALLS,
        *USERS,
        *COMMANDS,
        *SERVICES,
        *SENTENCES,
        *TABLES,
        *BLOCKS,
        _CARD,
    )
