"""How passwords are told in languages other than English, as parts of patterns: `mein Passwort ist X`.

The languages are those of `text/data/cldr_dates.json`, and some more of Europe. Written from general knowledge.
"""

from typing import Final

PASSWORD_NOUNS: Final = (
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

_VERBS: Final = (
    "ist|lautet|heißt|war|est|c['’]est|était|es|era|è|e'|é|is|luidt|это|to|jest|je|är|er|on|este|είναι|هي|هو|है"
)
"""What may stand between the noun and the password."""

_PARTICLES: Final = "は|是|为|為|는|은|가"
"""What may stand there in languages that write it together with the noun."""

FOREIGN_STATEMENT: Final = (
    rf"(?:{'|'.join(sorted(PASSWORD_NOUNS, key=len, reverse=True))})[\w]{{0,6}}?"
    rf"(?:\s+(?:{_LINKS})\s+[^\n.:!?]{{1,40}}?)?"
    rf"(?:\s+(?:{_VERBS})(?:\s{{0,2}}[:：])?\s{{1,3}}|(?:\s{{0,2}}(?:{_PARTICLES}))?\s{{0,2}}[:：=]\s{{0,3}}"
    rf"|\s{{0,2}}(?:{_PARTICLES})\s{{0,3}}|\s{{1,3}}[—–-]\s{{1,3}})"
    r"[*_`\"'“„«「]{0,4}(?P<secret>[^\s\"'`“”„«»「」。、，；()\[\]{}<>|*]{5,100}?)"
    r"(?=[.,:;!?*_`\"'”“»」]{0,4}(?:\s|$|[。、，；」)]))"
)
"""A password with the words that tell it; the noun comes first."""
