"""The rules for secrets, most specific first; `secrets` applies them.

Sources: the issuers' own descriptions of their keys; the rules of gitleaks (`data/NOTICE`); RFC 7519 (JWT), RFC 7468
(private keys in text), RFC 6750 (bearer tokens), RFC 6265 (cookies), RFC 3986 section 3.2.1 (user information in
addresses), ISO/IEC 7812-1 (card numbers with Luhn's check digit).
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final, Literal

from clew.ingest import secret_checks as check
from clew.ingest.secret_checks import Check
from clew.ingest.secret_words import DEFAULT, FOREIGN, NOUNS

Scope = Literal["token", "text", "digits"]


@dataclass(frozen=True, slots=True)
class SecretRule:
    """One kind of secret.

    Attributes:
        cues: in lower case; the rule is tried only on texts with one of them.
        source: the pattern, compiled when it is first needed; its group `secret` is masked. Case counts for keys, and
            not for what stands around other secrets.
        accept: takes a second look at a match.
        begins: whether a match begins with a cue; then only the places of cues are tried.
        scope: which texts are searched for cues: those with a digit, since every key has one (`token`), all (`text`),
            or none, because the rule is for texts with many digits (`digits`).
        needs: one of these must be in the text, too; in lower case.
    """

    kind: str
    cues: tuple[str, ...]
    source: str
    accept: Check = bool
    begins: bool = True
    scope: Scope = "token"
    needs: tuple[str, ...] = ()

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return _compiled(self.source, ignore_case=self.scope == "text")


@cache
def _compiled(source: str, *, ignore_case: bool) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE if ignore_case else re.NOFLAG)


TELLING: Final = (
    r"(?:passw(?:or)?d|passphrase|passcode|pwd"
    r"|(?:secret|api|access|private|account|auth|encryption|fernet|signing)[_-]?key|token|"
    r"secret(?![_-]?key))"
)
"""Names whose value is a secret; what stands before them in the name does not matter."""

_TELLING_CUES = (
    "passw passphrase passcode pwd secret token api_key apikey api-key access_key accesskey access-key private_key"
    " privatekey account_key accountkey auth_key authkey encryption_key encryption-key encryptionkey fernet_key"
    " fernet-key fernetkey signing_key signing-key signingkey"
)
_PEM_BODY = r"(?:(?:[\s>|#]|//|\\[nr])++(?:[A-Za-z0-9+/=]{8,}+|[A-Za-z-]{4,}+: [^\n\\]{1,80}+))++"
_DATABASES = (
    "postgres postgresql mysql mariadb mongodb mongodb+srv redis rediss amqp amqps mssql sqlserver oracle clickhouse"
    " cockroachdb couchdb neo4j bolt ftp sftp smtp smtps ldap ldaps"
)
_AFTER_DATABASE = "|".join(f"(?<={re.escape(name)})" for name in _DATABASES.split())
_QUOTED = r"(?P<quote>\\*[\"'`])(?P<secret>(?:(?!(?P=quote))(?:\\.|[^\\\n])){4,200})(?P=quote)"
_WORD = r"(?P<quote>)(?P<secret>[^\s\"'`\\,;&|<>(){}\[\]]{6,200}+)(?![(\[{\w])"
_IS = (
    r"(?<![\w.-])(?:password|passphrase|passcode)(?:\s+(?:for|to|of|on|at|in|from)\s+[^\n.:!?]{1,40}?)?"
    r"(?:\s+(?:is|was)(?:\s*:)?|['’]s)\s+"
)
_OF_PLACE = (
    r"(?<![\w.-])(?:password|passphrase|passcode)\s+(?:for|to|of|on|at|in|from)\s+[^\n.:!?]{1,40}?\s{0,2}:\s{1,3}"
)
_IS_NEEDS = (" is ", " was ", " is:", " was:", "'s ", "’s ")
_PROSE_NAME = (
    r"(?<![a-z])(?:passw(?:or)?d|passphrase|passcode|pwd|token"
    r"|(?:secret|api|access|private|account|auth)[ _-]?key|secret)"
)
_PROSE_CUES = (*_TELLING_CUES.split(), *(f"{word} key" for word in "api access private account auth".split()))
_SHORT_NAME = r"(?<![a-z0-9])(?:pass|pw)"
_MARKS = r"[*_`\"'“]{0,4}"
_ALONE = r"(?P<secret>[^\s\"'`“”\\,;&|<>(){}\[\]*]{6,200}?)(?=[.,:;!?*_`\"'”]*(?:[\s|&)\]}<\\]|$))"
_TELLS = (
    r"(?:\s+(?:is|was|to|be)(?:\s+now)?(?:\s{0,2}:)?|['’]s:?"
    r"|[*_`]{0,3}(?:\s\([^()\n]{1,40}\))?\s{0,2}(?:[:=][*_]{0,3}|[=-]>|[→–—]|(?<=[*`] )-))\s{1,3}"
    rf"{_MARKS}"
)
_OPTION = ("--", " -pass", " -token", " -secret")
_YAML_BLOCK = (
    r"\\*[\"']?:[ \t]{0,3}[|>][+-]?[ \t]{0,3}(?:\n|\\n)[ \t]{1,20}"
    r"(?P<secret>[^\s\"'\\]{4,200})(?=[ \t]*(?:\n|\\n|[\"']|$))"
)
_ARGUMENT = r"(?:=|\s{1,3})\\*[\"']?(?P<secret>[^\s\"'$<\\-][^\s\"'\\]{3,200})"
_ATTACHED = r"\\*[\"']?(?P<secret>[^\s\"'=$<\\-][^\s\"'\\]{3,200})"
_SQL_TEXT = r"(?P<quote>\\*[\"'])(?P<secret>(?:(?!(?P=quote))[^\n]){4,200})(?P=quote)"
_ASSIGNS = r"\\*[\"'`]?\s{0,3}(?P<sign>:=|=>|[:=])\s{0,3}"
_DISCORD = tuple(f"{first}{last}".lower() for first in "MT Mj Mz ND NT Nj Nz OD OT".split() for last in "AEIMQUYcgk")


def _rule(
    kind: str,
    cues: str,
    pattern: str,
    accept: Check = bool,
    *,
    begins: bool = True,
    scope: Scope = "token",
    needs: tuple[str, ...] = (),
) -> SecretRule:
    return SecretRule(kind, tuple(cues.split()), pattern, accept, begins, scope, needs)


_KEYS: Final = (
    _rule("jwt", "eyj", r"(?<![\w-])(?P<secret>eyJ[\w-]{8,}+\.eyJ[\w-]{8,}+\.[\w-]{8,}+)"),
    _rule("anthropic", "sk-", r"(?<![\w-])(?P<secret>sk-ant-[\w-]{20,}+)", check.mixed),
    _rule("openai", "sk-", r"(?<![\w-])(?P<secret>sk-[\w-]{20,}+)", check.random_looking),
    _rule(
        "aws-secret",
        "akia asia",
        r"(?<![\w/+=])(?P<secret>[A-Za-z0-9/+]{40})(?![\w/+=])",
        check.beside_aws_id,
        begins=False,
    ),
    _rule("aws-id", "akia asia", r"(?<![\w/+])(?P<secret>A[KS]IA[A-Z0-9]{16})(?![\w/+=])"),
    _rule("github", "ghp_ gho_ ghu_ ghs_ ghr_", r"(?<!\w)(?P<secret>gh[pousr]_[A-Za-z0-9]{36,}+)"),
    _rule("github", "github_pat_", r"(?<!\w)(?P<secret>github_pat_\w{22,}+)", check.mixed),
    _rule("gitlab", "glpat- gldt- glrt- glptt-", r"(?<![\w-])(?P<secret>gl(?:pat|dt|rt|ptt)-[\w.-]{20,300}+)"),
    _rule("slack", "xox xapp-", r"(?<![\w-])(?P<secret>(?:xox[abeoprs]|xapp)-[\w-]{10,}+)"),
    _rule("slack", "hooks.slack.com", r"hooks\.slack\.com/services/(?P<secret>T\w+/B\w+/\w{16,}+)"),
    _rule("google", "aiza", r"(?<![\w-])(?P<secret>AIza[\w-]{35})(?![\w-])"),
    _rule("google", "gocspx- ya29.", r"(?<![\w-])(?P<secret>(?:GOCSPX-|ya29\.)[\w-]{20,}+)"),
    _rule(
        "stripe",
        "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_",
        r"(?<!\w)(?P<secret>[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,}+)",
    ),
    _rule(
        "stripe",  # one in a hundred has no digit
        "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_",
        r"(?<!\w)(?P<secret>[sr]k_(?:live|test|prod)_[a-z]{20,}+)(?!\w)",
        check.two_cases,
        scope="text",
    ),
    _rule("supabase", "sbp_", r"(?<!\w)(?P<secret>sbp_(?:v0_)?[0-9a-f]{40})(?!\w)"),
    _rule("supabase", "sb_secret_", r"(?<!\w)(?P<secret>sb_secret_[\w-]{24,60})(?![\w-])", check.mixed),
    _rule("tavily", "tvly-", r"(?<![\w-])(?P<secret>tvly-(?:dev-|prod-)?[A-Za-z0-9]{28,}+)(?![\w-])", check.mixed),
    _rule("langsmith", "lsv2_", r"(?<!\w)(?P<secret>lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10})(?!\w)"),
    _rule("figma", "figd_", r"(?<!\w)(?P<secret>figd_[\w-]{38,}+)", check.mixed),
    _rule(
        "tailscale",
        "tskey-",
        r"(?<![\w-])(?P<secret>tskey-(?:auth|api|client|scim|webhook)-\w{8,40}-\w{16,60})(?![\w-])",
        check.mixed,
    ),
    _rule("mailgun", "key-", r"(?<![\w-])(?P<secret>key-[0-9a-f]{32})(?!\w)", needs=("mailgun",)),
    _rule("npm", "npm_", r"(?<!\w)(?P<secret>npm_[A-Za-z0-9]{36})(?!\w)"),
    _rule("pypi", "pypi-", r"(?<![\w-])(?P<secret>pypi-[\w-]{50,}+)", check.mixed),
    _rule("huggingface", "hf_", r"(?<!\w)(?P<secret>hf_[A-Za-z0-9]{30,}+)(?!\w)", check.two_cases, scope="text"),
    _rule("groq", "gsk_", r"(?<!\w)(?P<secret>gsk_[A-Za-z0-9]{40,}+)(?!\w)", check.mixed),
    _rule("xai", "xai-", r"(?<![\w-])(?P<secret>xai-[A-Za-z0-9]{60,}+)(?!\w)", check.mixed),
    _rule("replicate", "r8_", r"(?<!\w)(?P<secret>r8_[A-Za-z0-9]{37,40})(?!\w)", check.mixed),
    _rule("webhook-secret", "whsec_", r"(?<!\w)(?P<secret>whsec_[A-Za-z0-9+/]{24,200}+={0,2})"),
    _rule(
        "twilio",
        " ".join(f"{first}{digit}" for first in ("sk", "ac") for digit in "0123456789abcdef"),
        r"(?<!\w)(?P<secret>SK[0-9a-f]{32})(?!\w)",
    ),
    _rule("notion", "secret_", r"(?<!\w)(?P<secret>secret_[A-Za-z0-9]{43})(?!\w)", check.mixed),
    _rule(
        "discord",
        " ".join(_DISCORD),
        r"(?<![\w-])(?P<secret>[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45})(?![\w-])",
        check.mixed,
    ),
    _rule(
        "discord",
        "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/\d+/(?P<secret>[\w-]{40,}+)",
    ),
    _rule("telegram", ":aa", r"(?P<secret>(?<!\w)\d{8,10}:AA[\w-]{32,33})(?![\w-])", begins=False),
    _rule("vault", "hvs.", r"(?<!\w)(?P<secret>hvs\.[\w-]{24,}+)", check.mixed),
    _rule("square", "sq0atp- sq0csp-", r"(?<![\w-])(?P<secret>sq0(?:atp|csp)-[\w-]{22,60})"),
    _rule(
        "azure",
        "q~",
        r"(?<![\w.~-])(?P<secret>[\w.~]{3}\dQ~[\w.~-]{31,34})(?![\w.~-])",
        check.mixed,
        begins=False,
    ),
)
"""Keys that carry their issuer's mark."""


def _gitleaks() -> tuple[SecretRule, ...]:
    """The rules taken from gitleaks."""
    text = (resources.files(__package__) / "data" / "secret_rules.json").read_text(encoding="utf-8")
    return tuple(
        SecretRule(
            kind=rule["kind"],
            cues=tuple(rule["cues"]),
            source=rule["pattern"],
            accept=check.with_entropy(rule["entropy"]) if rule["entropy"] else bool,
            begins=rule.get("begins", True),
        )
        for rule in json.loads(text)
    )


_IN_CONTEXT: Final = (
    _rule(
        "url-login",
        "://",
        rf"(?:{_AFTER_DATABASE})://[^\s/:@\"'<>]{{0,100}}+:(?P<secret>[^\s\"'<>`]{{3,200}})@"
        r"(?=[\w.\[-]++(?:[:/,?\s\"'`)\]]|$))",
        check.in_database_address,
        scope="text",
    ),
    _rule(
        "url-login",
        "://",
        r"://[^\s/:@\"'<>]{0,100}+:(?P<secret>[^\s/@\"'<>$%{*]{3,200}+)@",
        scope="text",
    ),
    _rule(
        "signed-address",
        "sig=",
        r"(?<=[?&;])sig=(?P<secret>[\w%+/-]{40,120}+=?)",
        scope="text",
        needs=("sv=", "se="),
    ),
    _rule(
        "signed-address",
        "x-amz-signature= x-amz-security-token= x-goog-signature=",
        r"x-(?:amz-signature|amz-security-token|goog-signature)=(?P<secret>[\w%+/-]{40,3000}+=?)",
        scope="text",
    ),
    _rule(
        "seed-phrase",
        "seed recovery mnemonic",
        r"(?:(?:seed|recovery|mnemonic)\s+(?:phrase|words)|mnemonic|seedphrase)\\*[\"']?(?:\s+(?:is|are|was))?"
        r"\s{0,2}[:=]?\s{0,3}\\*[\"'`]?(?P<secret>(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![\w'’])",
        check.seed_words,
        scope="text",
    ),
    _rule(
        "authorization",
        "authorization",
        r"authorization\\*[\"']?\s{0,3}[:=]\s{0,3}\\*[\"']?(?:bearer|basic|token|apikey)\s+(?P<secret>[\w.~+/=-]{8,}+)",
        check.authorizes,
        scope="text",
    ),
    _rule(
        "authorization",
        "bearer",
        r"\bbearer\s+(?P<secret>[\w.~+/-]{20,}+=*)",
        check.mixed,
        scope="text",
    ),
    _rule(
        "docker-login",
        "auth\" auth' auth\\",
        r"auth\\*[\"']\s{0,3}:\s{0,3}\\*[\"'](?P<secret>[A-Za-z0-9+/]{8,}+={0,2})",
        check.login,
        scope="text",
    ),
    _rule(
        "cookie",
        "cookie",
        r"(?<!set-)cookie\\*[\"']?\s{0,3}:\s{0,3}\\*[\"']?"
        r"(?P<secret>[\w.$-]{1,60}=[^\s;,\"'\\]{8,1000}+(?:;\s{0,2}[\w.$-]{1,60}=[^\s;,\"'\\]{0,1000}+){0,40}+)",
        check.not_a_template,
        scope="text",
    ),
    _rule(
        "cookie",
        "cookie",
        r"(?<=set-)cookie\\*[\"']?\s{0,3}:\s{0,3}\[?\\*[\"']?[\w.$-]{1,60}=(?P<secret>[^\s;,\"'\\]{8,1000}+)",
        check.not_a_template,
        scope="text",
    ),
    _rule(
        "credential",
        "curl",
        r"\bcurl\b[^\n|]{0,400}?\s(?:-u|--user)[= ]?\s{0,3}"
        r"(?P<quote>[\"'])[^\s:\"'$]{1,100}:(?P<secret>[^\"'\n]{3,200})(?P=quote)",
        check.not_a_template,
        scope="text",
    ),
    _rule(
        "credential",
        "curl",
        r"\bcurl\b[^\n|]{0,400}?\s(?:-u|--user)[= ]?\s{0,3}[^\s:\"'$<]{1,100}:(?P<secret>[^\s\"']{3,200})",
        check.not_a_template,
        scope="text",
    ),
    _rule(
        "credential",
        "mysql mariadb",
        r"(?:mysql|mariadb)(?:dump|admin|import|check|show)?\b[^\n|;]{0,300}?\s(?-i:-p)(?!ort\b)"
        r"[\"']?(?P<secret>[^\s\"'$-][^\s\"']{3,100})",
        check.not_a_template,
        scope="text",
    ),
    _rule(
        "credential",
        "sshpass",
        r"sshpass\s+-p\s{0,3}(?P<quote>[\"']?)(?P<secret>(?(quote)[^\s\"'$<]|[^\s\"'$<])[^\s\"']{3,100})",
        check.not_a_template,
        scope="text",
    ),
    _rule(
        "credential",
        "machine default",
        r"(?:machine\s+\S{1,200}|default)\s+login\s+\S{1,200}\s+password\s+(?P<secret>\S{3,200})",
        check.real,
        scope="text",
    ),
    _rule(
        "credential",
        "passw passphrase passcode",
        rf"{_IS}(?P<quote>[\"'`“])(?P<secret>[^\"'`“”\n]{{4,200}})[\"'`”]",
        check.told,
        scope="text",
        needs=_IS_NEEDS,
    ),
    _rule(
        "credential",
        "passw passphrase passcode",
        rf"{_IS}(?P<quote>)(?P<secret>[^\s\"'`“”]{{4,200}}?)(?=[.,:;!?)]*(?:\s|$))",
        check.told,
        scope="text",
        needs=_IS_NEEDS,
    ),
    _rule(
        "credential",
        "passw passphrase passcode",
        rf"{_OF_PLACE}(?P<quote>)(?P<secret>[^\s\"'`“”]{{6,200}}?)(?=[.,;!?)]*(?:\s|$))",
        check.told_of_a_place,
        scope="text",
    ),
    *(
        _rule(
            "credential",
            _TELLING_CUES,
            rf"(?P<name>{TELLING}){form}",
            accept,
            scope="text",
            needs=needs,
        )
        for form, accept, needs in (
            (rf"{_ASSIGNS}{_QUOTED}", check.assigned, (":", "=")),
            (rf"{_ASSIGNS}{_WORD}", check.assigned, (":", "=")),
            (rf"\\*[\"'](?P<sign>\s+value\s{{0,3}}=)\s{{0,3}}{_QUOTED}", check.assigned, ("value",)),
            (r"(?:\s[^<>\n]{0,100})?>\s{0,3}(?P<secret>[^<>\n]{4,200}?)\s{0,3}</", check.in_element, ("</",)),
            (r"\s{1,3}(?P<quote>[\"'])(?P<secret>[^\"'\n]{4,200})[\"']", check.given_as_option, _OPTION),
            (
                r"\s{1,3}(?P<quote>)(?P<secret>[^\s\"'`,;&|<>(){}\[\]-][^\s\"'`;&|<>(){}\[\]]{3,200}+)",
                check.given_as_option,
                _OPTION,
            ),
            (rf"\\*[\"']\](?P<sign> ?=) ?{_QUOTED}", check.assigned_key, ("] =", "]=")),
            (
                _YAML_BLOCK,
                check.assigned_key,
                (": |", ":|", ": >", ":>"),
            ),
            (
                rf"(?:\*{{2,3}}\s{{0,2}}:|:\*{{2,3}}|\s{{0,2}}:(?=\s{{1,3}}\*))\s{{1,3}}{_MARKS}{_ALONE}",
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
                _PROSE_CUES,
                rf"{_PROSE_NAME}(?:\s+(?:for|to|of|on|at|in|from)\s+[^\n:!?|]{{1,40}}?)?{_TELLS}{_ALONE}",
                (),
            ),
            (_PROSE_CUES, rf"{_PROSE_NAME}[*`]{{0,3}}[ \t]{{0,30}}\|[ \t]{{1,30}}[*`]{{0,3}}{_ALONE}", ("|",)),
            (
                ("pass", "pw"),
                rf"{_SHORT_NAME}\\*[*_`\"']{{0,3}}\s{{0,3}}[:=][*_]{{0,3}}\s{{0,3}}\\*{_MARKS}{_ALONE}",
                (":", "="),
            ),
        )
    ),
    *(
        _rule("credential", cues, pattern, accept, scope="text", needs=needs)
        for cues, pattern, accept, needs in (
            (
                "docker podman nerdctl helm",
                rf"(?:docker|podman|nerdctl|helm\s+registry)\s+login\b[^\n|;&]{{0,300}}?\s(?-i:-p){_ARGUMENT}",
                check.argument,
                ("login",),
            ),
            ("redis-cli", rf"redis-cli\b[^\n|;]{{0,300}}?\s(?-i:-a|--pass){_ARGUMENT}", check.argument, ()),
            ("redis-cli", rf"redis-cli\b[^\n|;]{{0,300}}?\s(?-i:-a){_ATTACHED}", check.argument, ()),
            (
                "identified",
                rf"identified\s+(?:with\s+\S{{1,60}}\s+)?by\s+(?:password\s+)?{_SQL_TEXT}",
                check.identifies,
                (),
            ),
            ("password", rf"password\s+{_SQL_TEXT}", check.in_sql, ()),
            (_TELLING_CUES, rf"(?P<name>{TELLING}){DEFAULT}", check.default, ("env", ".get(", ".fetch(")),
        )
    ),
)
"""Secrets that are told by what stands before them."""

_PEM: Final = _rule(
    "private-key",
    "-----begin",
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    rf"(?P<secret>(?:(?!-----(?:BEGIN|END))[\s\S]){{20,20000}}?(?=(?:[\s>|#+-]|\\[nr]){{0,9}}-----END)|{_PEM_BODY})",
    check.key_block,
    scope="text",
)
_CARD: Final = _rule(
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
    return (_PEM, *_KEYS, *_gitleaks(), *_IN_CONTEXT, _CARD)
