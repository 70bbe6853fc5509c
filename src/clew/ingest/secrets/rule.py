"""What a rule for secrets is, and the parts of patterns that rules share."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, Literal

from clew.ingest.secrets.checks import Check, SecretMatch

Scope = Literal["token", "text", "digits"]
Finder = Callable[[str, Sequence[int]], Iterable[SecretMatch]]
"""Gives the matches in a text, in order, by the places of cues: for secrets that a pattern alone cannot find."""


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
        finder: returns the matches instead of the pattern.
        reach: how far around a cue a match that need not begin with one may stand; 0 for anywhere in the text.
    """

    kind: str
    cues: tuple[str, ...]
    source: str
    accept: Check = bool
    begins: bool = True
    scope: Scope = "token"
    needs: tuple[str, ...] = ()
    finder: Finder | None = None
    reach: int = 0

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return _compiled(self.source, ignore_case=self.scope == "text")

    def matches(self, text: str, places: Sequence[int]) -> Iterable[SecretMatch]:
        """What the rule matches: at the places of its cues, or anywhere if a match need not begin with a cue."""
        if self.finder is not None:
            return self.finder(text, places)
        if self.reach:
            return self._around(text, places)
        if not self.begins:
            return self.pattern.finditer(text)
        return (match for at in places if (match := self.pattern.match(text, at)))

    def _around(self, text: str, places: Sequence[int]) -> Iterator[SecretMatch]:
        for begin, end in _windows(places, self.reach):
            yield from self.pattern.finditer(text, begin, end)


def _windows(places: Iterable[int], reach: int) -> Iterator[tuple[int, int]]:
    """What lies within reach of places, which come in order; overlapping windows are one, so no text is read twice."""
    begin = end = -1
    for at in places:
        if end < 0 or at - reach > end:
            if end >= 0:
                yield begin, end
            begin = max(0, at - reach)
        end = at + reach
    if end >= 0:
        yield begin, end


@cache
def _compiled(source: str, *, ignore_case: bool) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE if ignore_case else re.NOFLAG)


def secret_rule(
    kind: str,
    cues: str | Sequence[str],
    pattern: str,
    accept: Check = bool,
    *,
    begins: bool = True,
    scope: Scope = "token",
    needs: tuple[str, ...] = (),
) -> SecretRule:
    """A rule whose cues are a sequence, or the words of one text."""
    split = tuple(cues.split() if isinstance(cues, str) else cues)
    return SecretRule(kind, split, pattern, accept, begins, scope, needs)


def credential_rule(
    cues: str | Sequence[str],
    pattern: str,
    accept: Check,
    needs: tuple[str, ...] = (),
    *,
    reach: int = 0,
) -> SecretRule:
    """A rule for a password or the like, which is recognised by the text around it."""
    rule = secret_rule("credential", cues, pattern, accept, begins=not reach, scope="text", needs=needs)
    return replace(rule, reach=reach)


def mask_pattern(kind: str) -> str:
    """A pattern for the masks of secrets of a kind."""
    return rf"\[masked:{kind}(?::[0-9a-f]{{8}})?\]"


_COMPOUND: Final = (
    "db smtp mail email imap pop3 user admin root ftp sftp ssh sudo ldap mysql pg postgres redis mongo rabbitmq amqp"
    " proxy keystore truststore cert vault svc service bind login http auth jenkins app wifi"
).split()
"""What stands before `pass` where that is short for a password."""
SECRET_NAME: Final = (
    r"(?:passw(?:or)?d|passphrase|passcode|pwd|(?<![a-z])psk"
    r"|(?:secret|api|access|private|account|auth|encryption|fernet|signing|master|app|shared|subscription|consumer)"
    r"[_-]?key(?:_base)?|token|secret(?![_-]?key)"
    rf"|(?:{'|'.join(f'(?<={word})' for word in _COMPOUND)})_pass(?![a-z0-9])"
    rf"|(?:{'|'.join(_COMPOUND)})pass(?![a-z0-9]))"
)
"""Names whose value is a secret; what stands before them in the name does not matter."""
_KEY_NAMES: Final = "secret api access private account auth encryption fernet signing master app shared subscription"
SECRET_NAME_CUES: Final = (
    *"passw passphrase passcode pwd psk secret token _pass".split(),
    *(
        f"{word}{joint}key"
        for word in f"{_KEY_NAMES} consumer".split()
        for joint in ("", "_", "-")
        if word not in ("secret", "auth")
    ),
    *("auth_key", "authkey"),
    *(f"{word}pass" for word in _COMPOUND),
)
_ESCAPES: Final = r"(?:\\.|[^\\\n])"
QUOTED: Final = rf"(?P<quote>\\*[\"'`])(?P<secret>(?:(?!(?P=quote)){_ESCAPES}){{4,200}})(?P=quote)"
"""A value in quotation marks of one kind; a backslash escapes what follows it."""
_PLAIN: Final = r"[^\s\"'`\\,;&|<>(){}\[\]]"
_AND: Final = r"&(?!amp;|[\w.-]{1,40}=)"
"""An ampersand in a password, not between the parts of a query."""
UNQUOTED: Final = (
    rf"(?P<quote>)(?P<secret>{_PLAIN}{{6,200}}+(?:{_AND}{_PLAIN}{{1,60}}+){{0,5}}+"
    rf"|{_PLAIN}{{1,5}}+(?:{_AND}{_PLAIN}{{1,60}}+){{1,5}}+)(?![(\[{{\w])"
)
"""A value without quotation marks, up to the first sign of code."""
OPENING_MARKS: Final = r"[*_`\"'“]{0,4}"
"""Quotation marks and those of Markdown before a value."""
BARE_WORD: Final = (
    rf"(?P<secret>(?:[^\s\"'`“”\\,;&|<>(){{}}\[\]*]|{_AND}(?=\w)){{6,200}}?)"
    r"(?=[.,:;!?*_`\"'”]*(?:[\s|)\]}<\\]|&(?:\W|$|amp;|[\w.-]{1,40}=)|$))"
)
"""A word of a text without the punctuation and the marks behind it."""
SUFFIX: Final = r"(?:_?\d{1,2}|_(?:prod|production|dev|test|testing|stage|staging|live|old|new|prev|backup|default))?"
"""What may follow the name of a secret: `DB_PASSWORD_PROD`."""
TABLE_CUES: Final = (*SECRET_NAME_CUES, "api key", "access key", "secret key", "| pin", ",pin", ";pin")
LONGER_NAME_CUES: Final = tuple(reversed(SECRET_NAME_CUES))
"""`SECRET_NAME_CUES` for rules whose names may go on."""
NAME_IN_PROSE: Final = (
    r"(?<![a-z])(?:passw(?:or)?d|passphrase|passcode|pwd|token"
    r"|(?:secret|api|access|private|account|auth)[ _-]?key|secret)"
)
NAME_IN_PROSE_CUES: Final = (*SECRET_NAME_CUES, *(f"{word} key" for word in "api access private account auth".split()))
GATES: Final[Mapping[tuple[str, ...], str]] = {
    SECRET_NAME_CUES: rf"{SECRET_NAME}{SUFFIX}(?![a-z0-9_])",
    LONGER_NAME_CUES: rf"{SECRET_NAME}[\w-]{{0,40}}(?:\\*[\"']|\s{{0,3}}[|?])",
    NAME_IN_PROSE_CUES: rf"{NAME_IN_PROSE}(?![a-z0-9])",
    TABLE_CUES: rf"(?:[|,;] ?pin|{SECRET_NAME}|(?:api|access|secret) key)s?(?: ?\([^()\n]{{1,30}}\))?"
    r"[*`\"']{0,4}[ \t]{0,60}"
    r"(?:[|│┃,;\t\r\n]|\\n|(?<=  )\S)",
}
"""By cues that many rules share: a pattern that matches wherever one of these rules does. A long word that only begins
with a name, such as `tokens`, costs one look instead of twenty."""
ASSIGNS: Final = rf"{SUFFIX}\\*[\"'`]?\s{{0,3}}(?P<sign>:=|=>|[:=])(?:[ \t]{{4,40}}+|\s{{0,3}})"
"""What stands between a name and its value in an assignment."""
ARGUMENT: Final = r"(?:=|\s{1,3})\\*[\"']?(?P<secret>[^\s\"'$<\\-][^\s\"'\\]{3,200})"
"""The value of a command's option."""
QUOTED_AS_IS: Final = r"(?P<quote>\\*[\"'`])(?P<secret>(?:(?!(?P=quote))[^\n]){4,200})(?P=quote)"
"""A value in quotation marks of one kind, in which a backslash is a character like any other."""
LINE_BEGIN: Final = r"(?:(?m:^)|(?<=\\n)|(?<=[\"'`]))"
"""The beginning of a line, also of one in a JSON string."""
