"""Second looks at what a rule for secrets matched: tells secrets from placeholders, code, words and other numbers."""

import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections import Counter
from collections.abc import Callable
from math import log2

from clew.text.late_pattern import late_pattern

SecretMatch = re.Match[str]
Check = Callable[[SecretMatch], bool]

_PLACEHOLDER = late_pattern(
    r"[$%<{*.~/\[]|[a-z]:\\|x{3}|your|my[-_]|some[-_]|test[-_]?(?:key|token|pass)|example|sample|dummy|placeholder|change|"
    r"insert|replace|redacted|hidden|\d{4}-\d\d-\d\d|"
    r"(?:none|null|nil|true|false|undefined|string|required|optional|password|passwd|secret|token)s?$",
    re.IGNORECASE,
)
_DOTTED = late_pattern(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$")
_LABEL = late_pattern(
    r"\b(?:password|passphrase|enter|type|please|your|must|required|invalid|incorrect|wrong|forgot|reset|confirm)\b",
    re.IGNORECASE,
)
_TEMPLATE = late_pattern(r"[{<$%][^\s]*[}>)]?$|\$[A-Za-z_({]|%[sd(]|\*{3}")
_ADJECTIVES = late_pattern(
    r"(?:not|no|too|very|still|also|always|never|only|just|now|then|being|been|wrong|incorrect|correct|invalid|valid|missing|"
    r"empty|secret|safe|secure|insecure|strong|weak|unique|different|same|optional|mandatory|public|private|unknown|known|"
    r"blank|long|short|right|fine|good|enough|(?:long|short|strong|weak|saf)er|\w+(?:ed|ing|able|ible))$",
    re.IGNORECASE,
)
_COMMAND_WORD = late_pattern(r"[A-Z][A-Z_]*$|[a-z]{1,9}$|[a-z]+(?:[-_][a-z]+)+$")
_NAMES_A_SECRET = late_pattern("pass(?:w|$)|token|secret", re.IGNORECASE)
_GIVEN_TO_A_COMMAND = late_pattern(
    r"(?:\b(?i:args|argv|arguments|command|cmd|entrypoint)\\*[\"']?\s*[:=]\s*|\b(?:CMD|ENTRYPOINT)\s+|"
    r"(?:\brun|Popen|\bcall|check_call|check_output|spawn|spawnSync|execFile|execFileSync|execv|execvp)\("
    r"(?:\s*\\*[\"'][^\"'\\]{1,80}\\*[\"']\s*,\s*)?\s*)\[[^\[\]]{0,300}$"
)
_YAML_LINE = late_pattern(r"[ \t]*(?:- )?[\w.-]+:(?:[ \t]|$)")
_TIGHT_LINE = late_pattern(r"[\w.-]+=[^\s(){},;\"'$]*[ \t\r]*(?:\n|$)")
_INI_LINE = late_pattern(r"[\w.-]+[ \t]*=[ \t]*[^\n(){},]*(?:\n|$)")
_LONGEST_LINE = 2000
"""Characters of the longest line that is looked at as one of a file of settings."""
_SECTION = late_pattern(r"(?m)^\[[\w.: -]+\][ \t]*\r?$")
_TYPES = late_pattern(r"(?i:str|text|varchar|char|bytes|int|integer|bool|boolean|enabled|disabled)\b|[A-Z][A-Za-z]*$")
_WORDS = late_pattern(r"(?:[A-Z]?[a-z]{3,}|[A-Z][a-z]{2}|[A-Z]{2,}|\d+)+$")  # and numbers: `Sha256Hash`, `python3`
_WORD = late_pattern("[A-Z]?[a-z]{5,}")
_ADDRESS = late_pattern(r"[^@]*@[\w-]+\.|\w+://")
_BEFORE_SQL_PASSWORD = late_pattern(
    r"\b(?:with|set|encrypted|(?:user|role|login)\s+[\w.@%`\"'\\-]{1,60})\s+$", re.IGNORECASE
)
_BEFORE_SQL_FUNCTION = late_pattern(
    r"\b(?:set\s+password\b[^;]{0,100}|update\s+[\w.`\"]{1,60}\s+set\s[^;]{1,140})=\s{0,3}(?:old_)?$", re.IGNORECASE
)
_SQL_ACCOUNT = late_pattern(r"\b(?:(?:create|alter)\s+(?:user|role)|grant\s.*\son)\b[^;]*$", re.IGNORECASE)
_ALGORITHM = late_pattern(
    r"(?i:sha|md|aes|rsa|utf|bcrypt|scrypt|argon|pbkdf|oauth|base|ed|windows|python|postgres|mysql|ipv|web|http|tls|latin|iso|cp|v)"
    r"[-_]?\d"
)
"""A word with a number that says something about a password."""
_READS = late_pattern(
    r"(?:get|getenv|get_env|fetch|pop|env|env_var|environ|config|var)[.(\[]\s{0,3}\\*[\"']?[\w-]{0,40}$", re.IGNORECASE
)
_READS_ENVIRONMENT = late_pattern(
    r"(?:getenv|get_env|environ(?:\.get)?|env(?:\.(?:get|fetch))?)[.(\[]\s{0,3}\\*[\"']?[\w-]{0,40}$", re.IGNORECASE
)
_TOKEN_NAME = re.compile(r"[a-z]+(?:[_-][a-z]+)*[_-](?:token|key|jwt)", re.IGNORECASE)
_SENTENCE = frozenset("the and are for not but have has was from our their his her who how its".split())
_ISSUED = late_pattern(  # Visa, Mastercard, American Express, Discover, JCB, Diners: first digits and length
    r"(?:4\d{15}(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|6(?:011|4[4-9]\d|5\d\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11})$"
)


def is_mixed(text: str) -> bool:
    """Whether a text has upper case, lower case and digits, as random keys have and hyphenated words have not."""
    return bool(re.search("[a-z]", text) and re.search("[A-Z]", text) and re.search("[0-9]", text))


def is_placeholder(text: str) -> bool:
    """Whether a value stands for a secret instead of being one: `<your key>`, `$TOKEN`, `changeme`, `required`."""
    return _PLACEHOLDER.match(text) is not None


def is_mixed_secret(match: SecretMatch) -> bool:
    """See `is_mixed`."""
    return is_mixed(match["secret"])


def is_random_key(match: SecretMatch) -> bool:
    """Mixed, or long and without words, as keys in one case are."""
    secret = match["secret"]
    return is_mixed(secret) or bool(re.search(r"[0-9a-z]{32}", secret) and len(re.findall("[0-9]", secret)) >= 4)


def is_random_word(match: SecretMatch) -> bool:
    """Whether the secret is one by its look alone: letters of both cases, digits and signs in no order of words."""
    secret = match["secret"]
    if is_placeholder(secret) or _ADDRESS.match(secret):
        return False
    return any(_is_random_piece(piece) for piece in re.split(r"[-_./:=]+", secret))


def _is_random_piece(piece: str) -> bool:
    if len(piece) < 8 or _WORDS.match(piece):
        return False
    if any(len(re.findall("[aeiou]", word)) >= 2 for word in _WORD.findall(piece)):
        return False  # part of it is a word, as in `Ed25519PrivateKey`
    if is_mixed(piece):
        return True
    if piece.isalpha():
        humps = re.findall("[A-Z]?[a-z]+|[A-Z]+", piece)
        return len(piece) >= 10 and len(piece) < 2.5 * len(humps)  # those of names in code have about five letters
    letters_and_digits = re.search("[A-Za-z]", piece) and re.search("[0-9]", piece)
    return bool(letters_and_digits and (re.search("[!#$%^&+?~@]", piece) or _is_shuffled(piece)))


def _is_shuffled(piece: str) -> bool:
    """Whether letters and digits alternate often in what is not a hexadecimal number, as commit ids are."""
    runs = re.findall("[A-Za-z]+|[0-9]+", piece)
    return len(runs) >= 5 and re.fullmatch("[0-9a-fA-F]+", piece) is None


def has_two_cases(match: SecretMatch) -> bool:
    """Whether the secret has both upper and lower case."""
    return bool(match["secret"].lower() != match["secret"] != match["secret"].upper())


def is_not_placeholder(match: SecretMatch) -> bool:
    """Whether the secret is not a placeholder."""
    return not is_placeholder(match["secret"])


def is_token(match: SecretMatch) -> bool:
    """Whether the secret is neither a placeholder nor the name of a token, as tests have it: `invalid_token`."""
    return is_not_placeholder(match) and _TOKEN_NAME.fullmatch(match["secret"]) is None


def with_entropy(least: float) -> Check:
    """A check for at least so many bits of Shannon entropy in a character of the secret."""

    def check(match: SecretMatch) -> bool:
        secret = match["secret"]
        shares = (count / len(secret) for count in Counter(secret).values())
        return -sum(share * log2(share) for share in shares) >= least

    return check


def is_assigned_secret(name: str, value: str, *, quoted: bool, environment: bool = False) -> bool:
    """Whether a value assigned to the name of a secret is the secret itself rather than code, a word or a placeholder.

    Args:
        quoted: the value stood in quotation marks; without them it may be a variable.
        environment: the assignment looks like one of a shell's: `NAME=value`.
    """
    if is_placeholder(value) or _DOTTED.match(value) or _LABEL.search(value):
        return False
    if not is_password_name(name):  # a key or a token is random, so long and of both
        least = (6 if name.lower() == "secret" else 8) if environment else 12
        return _has_both(value) and len(value) >= least and " " not in value
    long_enough = environment and len(value) >= 6
    return _has_both(value) or quoted or long_enough or bool(re.search(r"\w[^\w\s.,:;/()\-]\w", value))


def _has_both(value: str) -> bool:
    return bool(re.search("[A-Za-z]", value) and re.search("[0-9]", value))


def is_setting(name: str, value: str) -> bool:
    """Whether the value of a name such as `db_password` in a configuration, where no code can stand, is a secret."""
    return is_assigned_secret(name, value, quoted=True, environment=name.isupper())


def text_before(match: SecretMatch, length: int) -> str:
    """At most so many characters that stand before a match."""
    return match.string[max(0, match.start() - length) : match.start()]


def is_type(value: str) -> bool:
    """Whether a value is the name of a type, or one that a switch takes."""
    return _TYPES.match(value) is not None


def is_about_passwords(word: str) -> bool:
    """Whether a word after a password's name says something about it: an adjective, an algorithm, an address."""
    return bool(_ADJECTIVES.match(word) or _ALGORITHM.match(word) or _ADDRESS.match(word) or _LABEL.search(word))


def is_password_name(name: str) -> bool:
    """Whether the name of a secret means a password, which may be a word, rather than a random key."""
    return "pass" in name.lower() or name.lower() in ("pwd", "psk")


def is_assigned(match: SecretMatch) -> bool:
    """Checks an assignment in code, JSON, YAML or a shell; see `is_assigned_secret`."""
    name, secret, sign = match["name"], match["secret"], match["sign"]
    environment = name.isupper() and sign == "="
    if is_assigned_secret(name, secret, quoted=bool(match["quote"]), environment=environment):
        return True
    if match["quote"]:
        return environment and _is_phrase(match)
    return is_password_name(name) and sign in (":", "=") and _is_setting_line(match)


def _is_phrase(match: SecretMatch) -> bool:
    """Whether a shell's `APP_SECRET="several words"` is a secret; code has blanks around the sign."""
    secret = match["secret"]
    tight = match.end("sign") == match.start("quote") and match["name"].lower() == "secret"
    return tight and len(secret.split()) >= 3 and not is_placeholder(secret) and not _LABEL.search(secret)


def is_assigned_under_key(match: SecretMatch) -> bool:
    """Whether a value under a key (`environ["PASSWORD"] = `, a YAML block, Markdown) is a secret and no word."""
    name, secret = match["name"], match["secret"]
    if re.search(r"\s", secret):
        return False
    return is_assigned_secret(name, secret, quoted=False) or is_random_word(match)


def is_set_in_sql(match: SecretMatch) -> bool:
    """Whether a quoted text after PASSWORD is one that SQL sets: `WITH PASSWORD 'X'`."""
    before = text_before(match, 80)
    return is_not_template(match) and _BEFORE_SQL_PASSWORD.search(before) is not None


def is_set_by_sql_function(match: SecretMatch) -> bool:
    """Whether `PASSWORD('X')` stands where SQL sets a value: `SET PASSWORD = PASSWORD('X')`."""
    return is_not_template(match) and _BEFORE_SQL_FUNCTION.search(text_before(match, 200)) is not None


def is_in_identified_by(match: SecretMatch) -> bool:
    """Whether a quoted text after IDENTIFIED BY is the password of a statement rather than a name in a sentence."""
    before = text_before(match, 200)
    return is_random_word(match) or (is_not_template(match) and _SQL_ACCOUNT.search(before) is not None)


def line_around(match: SecretMatch) -> tuple[int, int] | None:
    """Where the line of a match begins and ends; None if it is longer than lines of configuration are."""
    text, low, high = match.string, max(0, match.start() - _LONGEST_LINE), match.end() + _LONGEST_LINE
    begin, end = text.rfind("\n", low, match.start()) + 1, text.find("\n", match.end(), high)
    if (begin == 0 and low > 0) or (end < 0 and high < len(text)):
        return None
    return begin, len(text) if end < 0 else end


def _is_setting_line(match: SecretMatch) -> bool:
    """Whether `name: word` or `name=word` is a line beside others of that form, as files of settings have them.

    Then the word is a value. Blanks around `=` tell nothing, except in a section of an INI file.
    """
    text, secret, line = match.string, match["secret"], line_around(match)
    if line is None or is_placeholder(secret) or _TYPES.match(secret):
        return False
    begin, end = line
    form = _YAML_LINE
    if match["sign"] == "=":
        form = _INI_LINE if _SECTION.search(text, max(0, begin - 500), begin) else _TIGHT_LINE
    if text[match.end("secret") : end].strip() or not form.match(text, begin):
        return False
    above = text.rfind("\n", 0, max(0, begin - 1)) + 1
    return (begin > 0 and form.match(text, above) is not None) or form.match(text, end + 1) is not None


def is_in_element(match: SecretMatch) -> bool:
    """Whether the secret is the text of an XML element that is named as a secret."""
    name, secret = match["name"], match["secret"]
    before = text_before(match, 60)
    return bool(re.search(r"<[\w:.-]*$", before)) and is_assigned_secret(name, secret, quoted=True)


def is_option_value(match: SecretMatch) -> bool:
    """Whether the words are an option of a command with its value: `--password X`, `--api-key X`."""
    name, secret = match["name"], match["secret"]
    before = text_before(match, 40)
    if not re.search(r"(?:^|[\s\"'`,\[(])--?(?:[A-Za-z][\w]*[-_])*$", before) or is_placeholder(secret):
        return False
    if is_password_name(name):
        return bool(match["quote"]) or not _COMMAND_WORD.match(secret)
    return len(secret) >= 8 and bool(re.search("[A-Za-z]", secret) and re.search("[0-9]", secret))


def is_list_argument(match: SecretMatch) -> bool:
    """Whether the words are an option and its value in a list of arguments: `["--password", "X"]`.

    In a list of names ("--password", "--token", "db_password") no value has letters and digits; a password of letters
    alone is told in a list that is given to a command.
    """
    name, secret = match["name"], match["secret"]
    if not re.search(r"[\[,](?:\s|\\n)*\\*[\"']--(?:[A-Za-z]\w*[-_])*$", text_before(match, 80)):
        return False  # the first argument of a call that declares an option, or no option
    if is_placeholder(secret) or _TEMPLATE.match(secret) or _ADDRESS.match(secret):
        return False
    both = re.search("[A-Za-z]", secret) and re.search("[0-9]", secret)
    if both:
        return len(secret) >= 8 or is_password_name(name)
    if not is_password_name(name) or _NAMES_A_SECRET.search(secret):
        return False
    return _GIVEN_TO_A_COMMAND.search(text_before(match, 400)) is not None


def states_password(match: SecretMatch) -> bool:
    """Whether `password is X` tells the password rather than something about it."""
    secret = match["secret"]
    if is_placeholder(secret) or _ADJECTIVES.match(secret) or (not match["quote"] and _ALGORITHM.match(secret)):
        return False
    if match["quote"] or not secret.rstrip(".,:;!?)").isalpha():  # a word of three letters comes with the sign behind
        return bool(match["quote"] or re.search(r"[0-9]|\w[^\w\s'’-]|[^\w\s'’-]\w", secret))
    before, rest = text_before(match, 40), match.string[match.end() : match.end() + 1]
    is_own = re.search(r"\b(?:my|our)\s+(?:[\w-]+\s+){0,2}$", before, re.IGNORECASE) is not None
    return is_own and len(secret) >= 6 and rest in ("", "\n", ".", ",", "!", ";")


def states_password_of_place(match: SecretMatch) -> bool:
    """Whether `password for the router: X` tells it: letters and digits, and no address of a page or a machine."""
    secret = match["secret"]
    both = re.search("[A-Za-z]", secret) and re.search("[0-9]", secret)
    return bool(both and states_password(match) and not _ADDRESS.match(secret))


def is_seed_phrase(match: SecretMatch) -> bool:
    """Whether words are those of a wallet rather than a sentence: as many as wallets have, and none of a sentence."""
    words = re.split("[ ,]+", match["secret"].lower())
    return len(words) in (12, 15, 18, 21, 24) and _SENTENCE.isdisjoint(words)


def states_foreign_password(match: SecretMatch) -> bool:
    """Whether what follows a foreign word for a password has the look of one: letters with a number, or with signs."""
    secret = match["secret"]
    if is_placeholder(secret) or _TEMPLATE.match(secret) or _ADDRESS.match(secret) or _ALGORITHM.match(secret):
        return False
    if re.search(r";\w[\w ]{0,40}=", secret):
        return False  # a connection string
    numbered = re.fullmatch(r"(?=.*[^\W\d_])[^\W\d_].*\d[^\w\s]{0,3}", secret)
    return bool(numbered or re.search(r"\w[!#$%^&+=@~?]+\w", secret)) or is_random_word(match)


def is_default_value(match: SecretMatch) -> bool:
    """Whether the words read a variable of the environment, or a setting, with a secret as its default."""
    name, secret = match["name"], match["secret"]
    before = text_before(match, 80)
    if not _READS.search(before) or re.search(r"\s", secret):
        return False
    if secret.isalpha() and not _READS_ENVIRONMENT.search(before):
        return False
    return is_assigned_secret(name, secret, quoted=True)


def is_password_argument(match: SecretMatch) -> bool:
    """Whether the value of a short option is a password rather than a variable or a port."""
    return is_not_template(match) and not match["secret"].isdecimal()


def is_not_template(match: SecretMatch) -> bool:
    """Whether the secret is neither a placeholder nor a variable of a template."""
    return not is_placeholder(match["secret"]) and not _TEMPLATE.match(match["secret"])


def is_password_in_address(match: SecretMatch) -> bool:
    """Whether what stands between colon and @ is a password rather than a port with a path."""
    secret = match["secret"]
    return not _TEMPLATE.match(secret) and not re.match(r"\d{1,5}/", secret)


def is_encoded_login(match: SecretMatch) -> bool:
    """Whether base64 is `user:password`, as Docker stores it."""
    try:
        plain = b64decode(match["secret"] + "=" * (-len(match["secret"]) % 4), validate=True).decode()
    except (NotBase64, UnicodeDecodeError):
        return False
    return ":" in plain and plain.isprintable()


def is_key_block(match: SecretMatch) -> bool:
    """Whether a block in PEM's form holds key data rather than words about such blocks."""
    return bool(re.search(r"[A-Za-z0-9+/=]{20}", match["secret"]))


def is_card_number(match: SecretMatch) -> bool:
    """Whether digits are a card number: a prefix and length that is issued, with Luhn's check digit."""
    digits = re.sub("[ -]", "", match["secret"])
    return bool(_ISSUED.match(digits)) and _luhn(digits)


def _luhn(digits: str) -> bool:
    doubled = (int(digit) * (1 + i % 2) for i, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0
