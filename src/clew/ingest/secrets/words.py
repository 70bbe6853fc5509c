"""How people tell a password in languages other than English, as parts of patterns: `mein Passwort ist X`.

The languages are those of `text/data/cldr_dates.json`, and some more of Europe. Written from general knowledge.
"""

from typing import Final

NOUNS: Final = (
    *(
        "passwort",
        "kennwort",
        "passwörter",
        "mot de passe",
        "contraseña",
        "contrasena",
        "parola d'ordine",
        "parola chiave",
    ),
    *("senha", "palavra-passe", "wachtwoord", "пароль", "пароля", "パスワード", "密码", "密碼", "비밀번호", "암호"),
    *("كلمة المرور", "كلمة السر", "पासवर्ड", "hasło", "heslo", "lösenord", "passord", "kodeord", "adgangskode"),
    *("salasana", "jelszó", "jelszav", "şifre", "parola", "κωδικός"),
    "password",  # in Italian and others
)
"""The word for a password, in lower case."""

_LINKS: Final = (
    "von|vom|für|fürs|zum|zur|zu|im|in|am|an|beim|bei|auf|pour|de|du|des|dans|chez|la|le|del|para|en|per|do|da|di|no"
    "|nel|nella|al|voor|van|op|bij|для|от|к|в|на|na|w|do|för|på|til|hos|for"
)
"""Words that may stand between the noun and what it opens."""

_VERBS: Final = "ist|lautet|heißt|war|est|était|es|era|è|e'|é|is|luidt|это|to|jest|je|är|er|on|este|είναι|هي|هو|है"
"""What may stand between the noun and the password."""

_PARTICLES: Final = "は|是|为|為|는|은|가"
"""The same, written together with the noun."""

FOREIGN: Final = (
    rf"(?:{'|'.join(sorted(NOUNS, key=len, reverse=True))})[\w]{{0,6}}?"
    rf"(?:\s+(?:{_LINKS})\s+[^\n.:!?]{{1,40}}?)?"
    rf"(?:\s+(?:{_VERBS})(?:\s{{0,2}}[:：])?\s{{1,3}}|(?:\s{{0,2}}(?:{_PARTICLES}))?\s{{0,2}}[:：=]\s{{0,3}}"
    rf"|\s{{0,2}}(?:{_PARTICLES})\s{{0,3}}|\s{{1,3}}[—–-]\s{{1,3}})"
    r"[*_`\"'“„«「]{0,4}(?P<secret>[^\s\"'`“”„«»「」。、，；()\[\]{}<>|*]{5,100}?)"
    r"(?=[.,:;!?*_`\"'”“»」]{0,4}(?:\s|$|[。、，；」)]))"
)
"""Tells a password; the noun comes first."""

DEFAULT: Final = (
    r"[\w-]{0,40}(?:\\*[\"']\s{0,3}(?:,\s{0,3}(?:default\s?=\s?)?|\]?\)?\s{0,3}(?:or|\|\||\?\?|\?:)\s{0,3})"
    r"|\s{0,3}(?:\|\||\?\?)\s{0,3})(?P<quote>\\*[\"'`])(?P<secret>(?:(?!(?P=quote))[^\n]){4,200})(?P=quote)"
)
"""What follows the name of a variable whose value is read with a default: `os.getenv("DB_PASSWORD", "X")`."""

ALGORITHMS: Final = (
    r"(?i:sha|md|aes|rsa|utf|bcrypt|scrypt|argon|pbkdf|oauth|base|ed|windows|python|postgres|mysql|ipv|web|http|tls|latin|iso|cp|v)"
    r"[-_]?\d"
)
"""Words with numbers that say something about a password."""
