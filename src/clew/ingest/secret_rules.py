"""What counts as a secret: one rule a kind, most specific first. Knows nothing of masking.

Sources: the issuers' own descriptions of their keys; RFC 7519 (JWT), RFC 7468 (private keys in text), RFC 6750 (bearer
tokens), RFC 3986 section 3.2.1 (user information in addresses), ISO/IEC 7812-1 (card numbers with Luhn's check digit).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

SecretMatch = re.Match[str]


@dataclass(frozen=True, slots=True)
class SecretRule:
    """One kind of secret.

    Attributes:
        cues: in lower case; a text without any of them is not looked at. No cues: a text with many digits is.
        pattern: its group `secret` is what is masked.
        accept: looks once more at what was found.
        begins: the pattern begins with a cue, so it is tried only where one stands; else it is searched for.
    """

    kind: str
    cues: tuple[str, ...]
    pattern: re.Pattern[str]
    accept: Callable[[SecretMatch], bool] = bool
    begins: bool = True


def is_mixed(text: str) -> bool:
    """Upper case, lower case and digits: what random keys have and words joined by hyphens have not."""
    return bool(re.search("[a-z]", text) and re.search("[A-Z]", text) and re.search("[0-9]", text))


def _mixed(found: SecretMatch) -> bool:
    return is_mixed(found["secret"])


def _random(found: SecretMatch) -> bool:
    """Mixed, or long and without a word in it, as the keys are that use one case only."""
    secret = found["secret"]
    return is_mixed(secret) or bool(re.search(r"[0-9a-z]{32}", secret) and len(re.findall("[0-9]", secret)) >= 4)


def _two_cases(found: SecretMatch) -> bool:
    return found["secret"].lower() != found["secret"] != found["secret"].upper()


_PLACEHOLDER = re.compile(
    r"[$%<{*.~/\[]|[a-z]:\\|x{3}|your|my[-_]|some[-_]|test[-_]?(?:key|token|pass)|example|sample|dummy|placeholder|change|"
    r"insert|replace|redacted|hidden|\d{4}-\d\d-\d\d|"
    r"(?:none|null|nil|true|false|undefined|string|required|optional|password|passwd|secret|token)s?$",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$")


def _real(found: SecretMatch) -> bool:
    return not _PLACEHOLDER.match(found["secret"])


def is_assigned_secret(name: str, value: str, *, quoted: bool, environment: bool = False) -> bool:
    """Whether a value assigned to a telling name is the secret itself rather than code, a word or a placeholder.

    Args:
        quoted: the value stood in quotation marks; without them it may be a variable.
        environment: the assignment looks like one of a shell's: `NAME=value`.
    """
    if _PLACEHOLDER.match(value) or _DOTTED.match(value):
        return False
    both = bool(re.search("[A-Za-z]", value) and re.search("[0-9]", value))
    if not name.lower().startswith("pass") and name.lower() != "pwd":  # a key or a token: random, so long and of both
        return both and len(value) >= 12
    return both or quoted or (environment and len(value) >= 8)


def _assigned(found: SecretMatch) -> bool:
    name = found["name"]
    environment = name.isupper() and found["sign"] == "="
    return is_assigned_secret(name, found["secret"], quoted=bool(found["quote"]), environment=environment)


def _card(found: SecretMatch) -> bool:
    digits = re.sub("[ -]", "", found["secret"])
    return bool(_ISSUED.match(digits)) and _luhn(digits)


def _luhn(digits: str) -> bool:
    doubled = (int(digit) * (1 + i % 2) for i, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


_ISSUED = re.compile(  # Visa, Mastercard, American Express, Discover, JCB, Diners: first digits and length
    r"(?:4\d{15}(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|6(?:011|4[4-9]\d|5\d\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11})$"
)
TELLING = (
    r"(?:passw(?:or)?d|passphrase|pwd|(?:secret|api|access|private|account|auth)[_-]?key|secret(?![_-]?key)|token)"
)
"""Names whose value is a secret; what may stand before them does not matter."""

_TELLING_CUES = (
    "passw passphrase pwd secret token api_key apikey api-key access_key accesskey access-key private_key privatekey"
    " account_key accountkey auth_key authkey"
)
_PEM_BODY = r"(?:(?:\s|\\[nr])++(?:[A-Za-z0-9+/=]{8,}+|[A-Za-z-]{4,}+: [^\n\\]{1,80}+))++"


def _rule(
    kind: str, cues: str, pattern: str, accept: Callable[[SecretMatch], bool] = bool, flags: re.RegexFlag = re.NOFLAG
) -> SecretRule:
    return SecretRule(kind, tuple(cues.split()), re.compile(pattern, flags), accept, begins=bool(cues))


RULES = (
    _rule(
        "private-key",
        "-----begin",
        rf"-----BEGIN (?:[A-Z0-9]+ ){{0,3}}PRIVATE KEY(?: BLOCK)?-----(?P<secret>{_PEM_BODY})",
    ),
    _rule("jwt", "eyj", r"(?<![\w-])(?P<secret>eyJ[\w-]{8,}+\.eyJ[\w-]{8,}+\.[\w-]{8,}+)"),
    _rule("anthropic", "sk-", r"(?<![\w-])(?P<secret>sk-ant-[\w-]{20,}+)", _mixed),
    _rule("openai", "sk-", r"(?<![\w-])(?P<secret>sk-[\w-]{20,}+)", _random),
    replace(
        _rule("aws-secret", "akia asia", r"(?<![\w/+=])(?P<secret>[A-Za-z0-9/+]{40})(?![\w/+=])", _mixed), begins=False
    ),
    _rule("aws-id", "akia asia", r"(?<![\w/+])(?P<secret>A[KS]IA[A-Z0-9]{16})(?![\w/+=])"),
    _rule("github", "ghp_ gho_ ghu_ ghs_ ghr_", r"(?<!\w)(?P<secret>gh[pousr]_[A-Za-z0-9]{36,}+)"),
    _rule("github", "github_pat_", r"(?<!\w)(?P<secret>github_pat_\w{22,}+)", _mixed),
    _rule("gitlab", "glpat- gldt- glrt- glptt-", r"(?<![\w-])(?P<secret>gl(?:pat|dt|rt|ptt)-[\w.-]{20,}+)"),
    _rule("slack", "xox xapp-", r"(?<![\w-])(?P<secret>(?:xox[abeoprs]|xapp)-[\w-]{10,}+)"),
    _rule("slack", "hooks.slack.com", r"hooks\.slack\.com/services/(?P<secret>T\w+/B\w+/\w{16,}+)"),
    _rule("google", "aiza", r"(?<![\w-])(?P<secret>AIza[\w-]{35})(?![\w-])"),
    _rule("google", "gocspx- ya29.", r"(?<![\w-])(?P<secret>(?:GOCSPX-|ya29\.)[\w-]{20,}+)"),
    _rule("stripe", "sk_live_ sk_test_ rk_live_ rk_test_", r"(?<!\w)(?P<secret>[sr]k_(?:live|test)_[A-Za-z0-9]{16,}+)"),
    _rule("npm", "npm_", r"(?<!\w)(?P<secret>npm_[A-Za-z0-9]{36})(?!\w)"),
    _rule("pypi", "pypi-", r"(?<![\w-])(?P<secret>pypi-[\w-]{50,}+)", _mixed),
    _rule("huggingface", "hf_", r"(?<!\w)(?P<secret>hf_[A-Za-z0-9]{30,}+)(?!\w)", _two_cases),
    _rule("url-login", "://", r"://[^\s/:@\"'<>]{0,100}+:(?P<secret>[^\s/@\"'<>$%{*]{3,200}+)@"),
    _rule(
        "authorization",
        "authorization",
        r"authorization\\*[\"']?\s{0,3}[:=]\s{0,3}\\*[\"']?(?:bearer|basic|token|apikey)\s+(?P<secret>[\w.~+/=-]{8,}+)",
        _real,
        re.IGNORECASE,
    ),
    _rule("authorization", "bearer ", r"\bbearer\s+(?P<secret>[\w.~+/-]{20,}+=*)", _mixed, re.IGNORECASE),
    _rule(
        "credential",
        _TELLING_CUES,
        rf"(?<!\[masked:)(?P<name>{TELLING})\\*[\"'`]?\s{{0,3}}(?P<sign>:=|=>|[:=])\s{{0,3}}"
        r"(?P<quote>(?:\\*[\"'`])?)(?P<secret>[^\s\"'`\\,;&|<>(){}\[\]]{6,200}+)(?P=quote)(?![(\[{\w])",
        _assigned,
        re.IGNORECASE,
    ),
    _rule(
        "card",
        "",
        r"(?<![\w.+-])(?P<secret>\d{4}(?P<gap>[ -])\d{4}(?P=gap)\d{4}(?P=gap)\d{4}"
        r"|3\d{3}(?P<space>[ -])\d{6}(?P=space)\d{5}|\d{14,19})(?![\w-]|\.\d)",
        _card,
    ),
)
