"""Rules for passwords, PINs and codes that sentences tell, beyond `the password is X`."""

import re
from typing import Final

from clew.ingest.secrets import checks as check
from clew.ingest.secrets.checks import SecretMatch
from clew.ingest.secrets.rule import credential_rule, mask_pattern
from clew.text.late_pattern import late_pattern

_OPEN: Final = r"[\"'`“]"
_CLOSE: Final = r"[\"'`”]"
_PLACE: Final = r"(?:\s+(?:for|to|of|on|at)\s+[^\n.:!?]{1,40}?)?"
_NOUN: Final = r"(?<![\w.-])(?:password|passphrase|passcode)"
_PASSWORD_CUES: Final = ("password", "passphrase", "passcode")
_QUOTED_WORDS: Final = rf"(?P<quote>{_OPEN})(?P<secret>[^\"'`“”\n]{{4,100}}){_CLOSE}"
_WORD: Final = r"(?P<quote>)(?P<secret>[^\s\"'`“”]{4,100}?)"
_WORD_END: Final = r"(?=[.,:;!?)]*(?:\s|$))"
_USER: Final = rf"{_OPEN}?[\w.@+-]{{2,60}}{_CLOSE}?\s{{0,2}}"
_SECRET_OF_USER: Final = rf"\s{{0,2}}{_OPEN}?(?P<secret>[^\s\"'`“”|]{{4,100}}?)(?=[.,;!?)\"'`”]*(?:\s|$))"
_MASKED: Final = mask_pattern("credential")
_EARLIER: Final = rf"{_OPEN}?(?P<earlier>{_MASKED}|[^\s\"'`“”]{{4,100}}){_CLOSE}?"
_BECOMES: Final = (
    r"\s+(?:used\s+to\s+be|had\s+been|became|changed\s+to|equals|(?:should|will|must|has\s+to)\s+be|has\s+been"
    r"|(?:has\s+been|was|is|got|has|had)\s+(?:formerly|previously|originally|still|currently|(?:changed|set|reset|updated)\s+to))"
    r"(?:\s{0,2}:)?\s+"
)
_CODES: Final = "verification security login one-time 2fa mfa authentication".split()
"""What stands before `code` for one that lets somebody in; the code of a door is what a memory is asked for."""
_CODE_NAME: Final = rf"(?:pin|puk|cvv2?|cvc2?|otp|passcode|(?:{'|'.join(_CODES)})\s+code)"
_CODE_CUES: Final = (
    *"puk cvv cvc otp passcode".split(),
    *(f"pin{after}" for after in (":", "=", " :", " to ")),
    *(f"pin {after}" for after in "is was code for of on at number used from".split()),
    *(f"{kind} code" for kind in _CODES),
)
_NUMBER: Final = r"(?P<secret>\d{3}[ -]\d{3}|\d{3,8}|[A-Z]-\d{6}|(?=[A-Z]*\d)[A-Z0-9]{6,8})(?![\w-]|[.,]\d)"
_WHICH: Final = (
    *("", "the ", "my ", "your ", "our ", "a ", "its ", "their ", "his ", "her "),
    *(
        f"{the}{kind} "
        for the in ("the ", "a ", "my ", "your ", "our ", "")
        for kind in ("new", "temporary", "admin", "root", "wifi", "master")
    ),
)
"""What stands between `as` and the noun in `use X as the new password`."""
_OWNED: Final = late_pattern(
    r"\b(?:temporary|temp|initial|one-time|wi-?fi|wlan|my|our|his|her|guest|admin|root)\s+(?:[\w-]+\s+)?$",
    re.IGNORECASE,
)
_AFTER_USER: Final = late_pattern(
    r"(?:\b(?:with|using|and|user(?:name)?:?\s+[^\s,]{1,60},?|login:?\s+[^\s,]{1,60},?)|[,/])\s+(?:the\s+|a\s+)?$",
    re.IGNORECASE,
)
_NO_PASSWORD: Final = late_pattern(
    r"(?:username|email|e-mail|login|name|stdin|default|something|anything|nothing|everything|whatever|forgotten|unset|"
    r"plaintext|plain|hashed|another|number|numbers|letters|random|string|field|label)$",
    re.IGNORECASE,
)
_END: Final = late_pattern(rf"{_CLOSE}?(?:[.,!;?)]|\s*(?:\\n|\n|$))")
_COUNTED: Final = late_pattern(
    r"\s+(?:lines?|char|digit|letter|times?|days?|hours?|minutes?|seconds?|bytes?|bits?|points?|hz|volts?|users?|people)",
    re.IGNORECASE,
)


def is_strong(text: str) -> bool:
    """Whether a word of a sentence can only be a password: letters with digits, or with signs between them."""
    if check.is_placeholder(text) or check.is_about_passwords(text):
        return False
    both = re.search("[A-Za-z]", text) and re.search("[0-9]", text) and not re.fullmatch(r"[a-z]+-\d{1,3}", text)
    return bool(both or re.search(r"\w[!#$%^&+=@~?*]+\w", text))


def _is_word(text: str) -> bool:
    """Whether a word of letters may be a password, where all around says so."""
    if check.is_placeholder(text) or check.is_about_passwords(text) or _NO_PASSWORD.match(text):
        return False
    return text.isalpha() and len(text) >= 6


def _ends(match: SecretMatch, group: str | int = "secret") -> bool:
    """Whether a part of a sentence or the whole of it ends behind a group of the match."""
    return _END.match(match.string, match.end(group)) is not None


def _says(match: SecretMatch) -> bool:
    """Like `states_password`, for verbs that numbers and rules follow, too: `should be 8-64 characters`."""
    secret = match["secret"]
    return check.states_password(match) and (bool(match["quote"]) or secret.isalpha() or is_strong(secret))


def _changed_from(match: SecretMatch) -> bool:
    """Whether `password from X to Y` tells X: one of the two has the look of a password."""
    secret = match["secret"]
    if check.is_placeholder(secret):
        return False
    return bool(match["quote"]) or is_strong(secret) or is_strong(match["later"])


def _changed_to(match: SecretMatch) -> bool:
    """Whether `password from X to Y` tells Y; X may be masked already."""
    secret = match["secret"]
    was_masked = match["earlier"].startswith("[masked:")
    return is_strong(secret) or (was_masked and (bool(match["quote"]) or (_is_word(secret) and _ends(match))))


def _is_code(match: SecretMatch) -> bool:
    """Whether digits after the name of a code are it rather than a count or, for want of length, a number of a pin."""
    secret, name = match["secret"], match["name"].lower()
    if len(secret) < 4 and not name.startswith("cv"):
        return False
    if not secret[0].isdigit() and not re.search("[0-9]", secret):
        return False
    return not _COUNTED.match(match.string, match.end())


def _has_digit(match: SecretMatch) -> bool:
    return re.search("[0-9]", match["secret"]) is not None


def _is_not_counted(match: SecretMatch) -> bool:
    """Whether the digits behind a name are no count: `CVV 3 digits`."""
    return not _COUNTED.match(match.string, match.end())


def _given_to_owner(match: SecretMatch) -> bool:
    before = check.text_before(match, 50)
    return _OWNED.search(before) is not None and _is_word(match["secret"])


def _used(match: SecretMatch) -> bool:
    secret = match["secret"]
    return (
        bool(match["quote"] and check.is_not_placeholder(match))
        or is_strong(secret)
        or (_is_word(secret) and _ends(match, 0))
    )


def _of_user(match: SecretMatch) -> bool:
    before = check.text_before(match, 80)
    told_whole = bool(match["quote"]) and check.is_not_template(match)
    return _AFTER_USER.search(before) is not None and (told_whole or is_strong(match["secret"]))


def _strong(match: SecretMatch) -> bool:
    return is_strong(match["secret"])


SENTENCES: Final = (
    *(
        credential_rule(
            _PASSWORD_CUES,
            rf"{_NOUN}{_PLACE}\s+from\s+{form}\s+to\s+{_OPEN}?(?P<later>[^\s\"'`“”]{{4,100}})",
            _changed_from,
            (" from ",),
        )
        for form in (_QUOTED_WORDS, _WORD)
    ),
    *(
        credential_rule(
            _PASSWORD_CUES,
            rf"{_NOUN}{_PLACE}\s+from\s+{_EARLIER}\s+to\s+{form}",
            _changed_to,
            (" from ",),
        )
        for form in (_QUOTED_WORDS, _WORD + _WORD_END)
    ),
    *(
        credential_rule(
            _PASSWORD_CUES,
            rf"{_NOUN}{_PLACE}{_BECOMES}{form}",
            _says,
            (" be ", " been ", "became ", " to ", " equals ", "ly ", " still "),
        )
        for form in (_QUOTED_WORDS, _WORD + _WORD_END)
    ),
    credential_rule(
        _CODE_CUES,
        rf"(?<![\w-])(?P<name>{_CODE_NAME})(?:\s+(?:code|number))?{_PLACE}"
        r"(?:\s+(?:is|was|used\s+to\s+be|(?:has\s+)?changed\s+to|will\s+be)(?:\s+now)?(?:\s{0,2}:)?|\s{0,2}(?:[:=→–—]|[=-]>))"
        rf"\s{{0,3}}[*_`\"'“]{{0,4}}(?-i:{_NUMBER})",
        _is_code,
    ),
    credential_rule(
        ("pin from ", "passcode from ", "code from "),
        r"(?:pin|passcode|code)\s+from\s+(?P<secret>\d{4,8})(?=\s+to\s+\d{4,8}\b)",
        check.is_not_placeholder,
    ),
    credential_rule(
        ("pin from ", "passcode from ", "code from "),
        rf"(?:pin|passcode|code)\s+from\s+{_MASKED}\s+to\s+(?P<secret>\d{{4,8}})(?!\w)",
        check.is_not_placeholder,
    ),
    credential_rule(
        ("is your",),
        r"(?<![\w-])(?-i:(?P<secret>\d{3}[ -]\d{3}|\d{4,8}|[A-Z]-\d{6}|[A-Z0-9]{6,8}))"
        r"\s+is\s+your\s+(?:[\w'-]{1,20}\s+){0,4}?"
        rf"(?:(?:{'|'.join(_CODES)}|sign-in|log-in)\s+(?:code|pin|password)|otp|pin|passcode|temporary\s+password)\b",
        _has_digit,
        (" code", " otp", " pin", "passcode", "password"),
        reach=160,
    ),
    credential_rule(
        ("your code is",),
        r"your\s+code\s+is\s{0,2}:?\s{0,3}[*_`\"'“]{0,4}(?P<secret>\d{3}[ -]\d{3}|\d{4,8})(?![\w-]|[.,]\d)"
        r"(?=[^\n]{0,100}\b(?:do\s+not|don['’]?t|never)\s+(?:share|give|tell|disclose|forward)\b)",
        _is_not_counted,
        ("share", " give", " tell", "disclose", "forward"),
    ),
    credential_rule(
        "cvv cvc",
        r"(?<!\w)cv[vc]2?\s{1,3}(?P<secret>\d{3,4})(?![\w-]|[.,]\d)",
        _is_not_counted,
    ),
    credential_rule(
        "password",
        r"password\s{0,2}:\s{1,3}(?P<secret>[A-Za-z]{6,40})(?=[.!]?[ \t]*(?:\n|\\n|$))",
        _given_to_owner,
        ("password: ", "password :"),
    ),
    *(
        credential_rule(
            tuple(f"as {which}{name}" for which in _WHICH for name in ("password", "passphrase", "passcode", "pin")),
            rf"(?<!\w)(?:us(?:ed?|es|ing)|set|try|enter|type|choo?se|pick(?:ed)?|take|with)\s+(?:the\s+word\s+)?{form}"
            r"\s+as\s+(?:(?:the|my|your|our|a|its|their|his|her)\s+)?(?:(?:new|temporary|admin|root|wifi|master)\s+)?"
            r"(?:password|passphrase|passcode|pin)\b"
            r"(?!\s+(?:hash|manager|reset|field|policy|store|source|input|param|prompt|backend|check))",
            _used,
            reach=160,
        )
        for form in (_QUOTED_WORDS, _WORD)
    ),
    *(
        credential_rule(("password", "passwd"), rf"(?<![\w.-])(?:password|passwd)[ ]{form}", _of_user)
        for form in (_QUOTED_WORDS, _WORD + _WORD_END)
    ),
    credential_rule(
        "credentials creds login",
        r"(?<![\w.-])(?:credentials|creds|logins?)(?:\s+(?:for|to|of|on)\s+[^\n.:!?]{1,40}?)?"
        rf"(?:\s+(?:are|is|were|was)(?:\s{{0,2}}:)?|\s{{0,2}}[:=])\s{{1,3}}{_USER}(?:[/:|,]|and){_SECRET_OF_USER}",
        _strong,
    ),
    credential_rule(
        "credentials creds login",
        rf"(?<![\w.-])(?:credentials|creds|logins?)\s+{_USER}/{_SECRET_OF_USER}",
        check.is_random_word,
        (" / ", "/"),
    ),
    credential_rule(
        ("log in", "login", "sign in", "logged in"),
        rf"(?:log|sign|logged)\s?in\s+(?:as|with)\s+{_USER}(?:[/:|]|and|with){_SECRET_OF_USER}",
        _strong,
    ),
)
"""Passwords and codes in sentences."""
