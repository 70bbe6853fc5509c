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
from clew.ingest.secrets.commands import COMMANDS
from clew.ingest.secrets.hashes import HASHES
from clew.ingest.secrets.keys import KEYS, gitleaks
from clew.ingest.secrets.private_keys import PRIVATE_KEYS
from clew.ingest.secrets.rule import (
    ALONE,
    ARGUMENT,
    ASSIGNS,
    LONGER_CUES,
    MARKS,
    PROSE_CUES,
    PROSE_NAME,
    QUOTED,
    TELLING,
    TELLING_CUES,
    WORD,
    SecretRule,
    secret_rule,
)
from clew.ingest.secrets.sentences import SENTENCES
from clew.ingest.secrets.settings import ENVIRONMENT_FILES, SETTINGS, USERS
from clew.ingest.secrets.tables import TABLES
from clew.ingest.secrets.words import DEFAULT, FOREIGN, NOUNS

_DATABASES = (
    "postgres postgresql mysql mariadb mongodb mongodb+srv redis rediss amqp amqps mssql sqlserver oracle clickhouse"
    " cockroachdb couchdb neo4j bolt ftp sftp smtp smtps ldap ldaps"
)
_AFTER_DATABASE = "|".join(f"(?<={re.escape(name)})" for name in _DATABASES.split())
_IS = (
    r"(?<![\w.-])(?:password|passphrase|passcode)(?:\s+(?:for|to|of|on|at|in|from)\s+[^\n.:!?]{1,40}?)?"
    r"(?:\s+(?:is|was)(?:\s*:)?|['’]s)\s+"
)
_OF_PLACE = (
    r"(?<![\w.-])(?:password|passphrase|passcode)\s+(?:for|to|of|on|at|in|from)\s+[^\n.:!?]{1,40}?\s{0,2}:\s{1,3}"
)
_IS_NEEDS = (" is ", " was ", " is:", " was:", "'s ", "’s ")
_SHORT_NAME = r"(?<![a-z0-9])(?:pass|pw)"
_TELLS = (
    r"(?:\s+(?:is|was|to|be)(?:\s+now)?(?:\s{0,2}:)?|['’]s:?"
    r"|[*_`]{0,3}(?:\s\([^()\n]{1,40}\))?\s{0,2}(?:[:=][*_]{0,3}|[=-]>|[→–—]|(?<=[*`] )-))\s{1,3}"
    rf"{MARKS}"
)
_OPTION = ("--", " -pass", " -token", " -secret")
_YAML_BLOCK = (
    r"\\*[\"']?:[ \t]{0,3}[|>][+-]?[ \t]{0,3}(?:\n|\\n)[ \t]{1,20}"
    r"(?P<secret>[^\s\"'\\]{4,200})(?=[ \t]*(?:\n|\\n|[\"']|$))"
)
_ATTACHED = r"\\*[\"']?(?P<secret>[^\s\"'=$<\\-][^\s\"'\\]{3,200})"
_SQL_TEXT = r"(?P<quote>\\*[\"'])(?P<secret>(?:(?!(?P=quote))[^\n]){4,200})(?P=quote)"


_IN_CONTEXT: Final = (
    secret_rule(
        "url-login",
        "://",
        rf"(?:{_AFTER_DATABASE})://[^\s/:@\"'<>]{{0,100}}+:(?P<secret>[^\s\"'<>`]{{3,200}})@"
        r"(?=[\w.\[-]++(?:[:/,?\s\"'`)\]]|$))",
        check.in_database_address,
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
        check.seed_words,
        scope="text",
    ),
    secret_rule(
        "authorization",
        "authorization",
        r"authorization\\*[\"']?\s{0,3}[:=]\s{0,3}\\*[\"']?(?:bearer|basic|token|apikey)\s+(?P<secret>[\w.~+/=-]{8,}+)",
        check.authorizes,
        scope="text",
    ),
    secret_rule(
        "authorization",
        "bearer",
        r"\bbearer\s+(?P<secret>[\w.~+/-]{20,}+=*)",
        check.mixed,
        scope="text",
    ),
    secret_rule(
        "docker-login",
        "auth\" auth' auth\\",
        r"auth\\*[\"']\s{0,3}:\s{0,3}\\*[\"'](?P<secret>[A-Za-z0-9+/]{8,}+={0,2})",
        check.login,
        scope="text",
    ),
    secret_rule(
        "cookie",
        "cookie",
        r"(?<!set-)cookie\\*[\"']?\s{0,3}:\s{0,3}\\*[\"']?"
        r"(?P<secret>[\w.$-]{1,60}=[^\s;,\"'\\]{8,1000}+(?:;\s{0,2}[\w.$-]{1,60}=[^\s;,\"'\\]{0,1000}+){0,40}+)",
        check.not_a_template,
        scope="text",
    ),
    secret_rule(
        "cookie",
        "cookie",
        r"(?<=set-)cookie\\*[\"']?\s{0,3}:\s{0,3}\[?\\*[\"']?[\w.$-]{1,60}=(?P<secret>[^\s;,\"'\\]{8,1000}+)",
        check.not_a_template,
        scope="text",
    ),
    secret_rule(
        "credential",
        "curl",
        r"\bcurl\b[^\n|]{0,400}?\s(?:-u|--user)[= ]?\s{0,3}"
        r"(?P<quote>[\"'])[^\s:\"'$]{1,100}:(?P<secret>[^\"'\n]{3,200})(?P=quote)",
        check.not_a_template,
        scope="text",
    ),
    secret_rule(
        "credential",
        "curl",
        r"\bcurl\b[^\n|]{0,400}?\s(?:-u|--user)[= ]?\s{0,3}[^\s:\"'$<]{1,100}:(?P<secret>[^\s\"']{3,200})",
        check.not_a_template,
        scope="text",
    ),
    secret_rule(
        "credential",
        "mysql mariadb",
        r"(?:mysql|mariadb)(?:dump|admin|import|check|show)?\b[^\n|;]{0,300}?\s(?-i:-p)(?!ort\b)"
        r"[\"']?(?P<secret>[^\s\"'$-][^\s\"']{3,100})",
        check.not_a_template,
        scope="text",
    ),
    secret_rule(
        "credential",
        "sshpass",
        r"sshpass\s+-p\s{0,3}(?P<quote>[\"']?)(?P<secret>(?(quote)[^\s\"'$<]|[^\s\"'$<])[^\s\"']{3,100})",
        check.not_a_template,
        scope="text",
    ),
    secret_rule(
        "credential",
        ("machine", "default login", "default\nlogin"),
        r"(?:machine\s+\S{1,200}|default)\s+login\s+\S{1,200}\s+password\s+(?P<secret>\S{3,200})",
        check.real,
        scope="text",
    ),
    secret_rule(
        "credential",
        "passw passphrase passcode",
        rf"{_IS}(?P<quote>[\"'`“])(?P<secret>[^\"'`“”\n]{{4,200}})[\"'`”]",
        check.told,
        scope="text",
        needs=_IS_NEEDS,
    ),
    secret_rule(
        "credential",
        "passw passphrase passcode",
        rf"{_IS}(?P<quote>)(?P<secret>[^\s\"'`“”]{{4,200}}?)(?=[.,:;!?)]*(?:\s|$))",
        check.told,
        scope="text",
        needs=_IS_NEEDS,
    ),
    secret_rule(
        "credential",
        "passw passphrase passcode",
        rf"{_OF_PLACE}(?P<quote>)(?P<secret>[^\s\"'`“”]{{6,200}}?)(?=[.,;!?)]*(?:\s|$))",
        check.told_of_a_place,
        scope="text",
    ),
    *(
        secret_rule(
            "credential",
            TELLING_CUES,
            rf"(?P<name>{TELLING}){form}",
            accept,
            scope="text",
            needs=needs,
        )
        for form, accept, needs in (
            (rf"{ASSIGNS}{QUOTED}", check.assigned, (":", "=")),
            (rf"{ASSIGNS}{WORD}", check.assigned, (":", "=")),
            (rf"\\*[\"'](?P<sign>\s+value\s{{0,3}}=)\s{{0,3}}{QUOTED}", check.assigned, ("value",)),
            (r"(?:\s[^<>\n]{0,100})?>\s{0,3}(?P<secret>[^<>\n]{4,200}?)\s{0,3}</", check.in_element, ("</",)),
            (r"\s{1,3}(?P<quote>[\"'])(?P<secret>[^\"'\n]{4,200})[\"']", check.given_as_option, _OPTION),
            (
                r"\s{1,3}(?P<quote>)(?P<secret>[^\s\"'`,;&|<>(){}\[\]-][^\s\"'`;&|<>(){}\[\]]{3,200}+)",
                check.given_as_option,
                _OPTION,
            ),
            (rf"\\*[\"']\](?P<sign> ?=) ?{QUOTED}", check.assigned_key, ("] =", "]=")),
            (
                _YAML_BLOCK,
                check.assigned_key,
                (": |", ":|", ": >", ":>"),
            ),
            (
                rf"(?:\*{{2,3}}\s{{0,2}}:|:\*{{2,3}}|\s{{0,2}}:(?=\s{{1,3}}\*))\s{{1,3}}{MARKS}{ALONE}",
                check.assigned_key,
                ("**",),
            ),
        )
    ),
    SecretRule("credential", NOUNS, FOREIGN, check.told_abroad, scope="text"),
    *(
        SecretRule("credential", cues, pattern, check.looks_random, scope="text", needs=needs)
        for cues, pattern, needs in (
            (
                PROSE_CUES,
                rf"{PROSE_NAME}(?:\s+(?:for|to|of|on|at|in|from)\s+[^\n:!?|]{{1,40}}?)?{_TELLS}{ALONE}",
                (),
            ),
            (PROSE_CUES, rf"{PROSE_NAME}[*`]{{0,3}}[ \t]{{0,30}}\|[ \t]{{1,30}}[*`]{{0,3}}{ALONE}", ("|",)),
            (
                ("pass", "pw"),
                rf"{_SHORT_NAME}\\*[*_`\"']{{0,3}}\s{{0,3}}[:=][*_]{{0,3}}\s{{0,3}}\\*{MARKS}{ALONE}",
                (":", "="),
            ),
        )
    ),
    *(
        secret_rule("credential", cues, pattern, accept, scope="text", needs=needs)
        for cues, pattern, accept, needs in (
            (
                "docker podman nerdctl helm",
                rf"(?:docker|podman|nerdctl|helm\s+registry)\s+login\b[^\n|;&]{{0,300}}?\s(?-i:-p){ARGUMENT}",
                check.argument,
                ("login",),
            ),
            ("redis-cli", rf"redis-cli\b[^\n|;]{{0,300}}?\s(?-i:-a|--pass){ARGUMENT}", check.argument, ()),
            ("redis-cli", rf"redis-cli\b[^\n|;]{{0,300}}?\s(?-i:-a){_ATTACHED}", check.argument, ()),
            (
                "identified",
                rf"identified\s+(?:with\s+\S{{1,60}}\s+)?by\s+(?:password\s+)?{_SQL_TEXT}",
                check.identifies,
                (),
            ),
            ("password", rf"password\s+{_SQL_TEXT}", check.in_sql, ()),
            (LONGER_CUES, rf"(?P<name>{TELLING}){DEFAULT}", check.default, ("env", ".get(", ".fetch(")),
        )
    ),
)
"""Secrets that are told by what stands before them."""

_CARD: Final = secret_rule(
    "card",
    "",
    r"(?<![\w.+-])(?P<secret>\d{4}(?P<gap>[ -])\d{4}(?P=gap)\d{4}(?P=gap)\d{4}"
    r"|3\d{3}(?P<space>[ -])\d{6}(?P=space)\d{5}|\d{14,19})(?![\w-]|\.\d)",
    check.card,
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
        *USERS,
        *COMMANDS,
        *SENTENCES,
        *TABLES,
        *BLOCKS,
        _CARD,
    )
