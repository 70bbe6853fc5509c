"""Find what a shortened text should keep: addresses, commands, errors, paths, versions, dates, numbers, identifiers.

Rules only. Every pattern is bounded, so that matching takes time linear in the text. What is said in
sentences (decisions, constraints, open tasks, failures) is found by `clew.condense.statements`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from clew.text.diff_sides import side_marks
from clew.text.late_pattern import late_pattern
from clew.text.shell import command_spans, is_command

MOST: Final = 20_000
"""Characters that are examined, from the start: bounds the cost of one huge text."""

_UNITS: Final = (
    "%|percent|km/h|m/s|mph|[kmg]bps|[kmg]wh?|watts?|fps|rpm|dpi|ml|lit(?:er|re)s?|kcal"
    "|ms|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?|[kmgt]i?b|bytes?|bits?|[kmg]?hz"
    "|px|mm|cm|km|m|miles?|kg|g|mg|lbs?|tokens?|rows?|users?|requests?|times|usd|eur|gbp|dollars?|euros?"
    "|lines?|files?|errors?|warnings?|tests?|commits?|pages?|words?|people|points?|cores?|threads?|calories|steps?"
)
_MONTH: Final = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)"
)
_FILE_ENDS: Final = (
    "bash|bat|bin|c|cc|cfg|cjs|conf|cpp|cs|css|csv|cxx|dart|db|diff|docx?|env|erl|exe|exs?|fish|gif|go|gradle|h|hpp|hs|html?"
    "|in|ini|ipynb|jar|java|jpe?g|js|json[cl]?|jsx|kts?|less|lock|log|lua|map|mdx?|mjs|mod|mp[34]|npy|out|parquet|patch|pdf"
    "|php|pid|pl|plist|png|pony|pptx?|proto|ps1|pyi?|rb|rs|rst|scala|scss|sh|sock|sql|sqlite3?|sum|svelte|svg|swift|tar"
    "|tex|tfs?|tgz|toml|tsv|tsx?|txt|vue|wasm|wav|webp|whl|xlsx?|xml|ya?ml|zig|zip|zsh|gz"
)
_BARE_FILES: Final = (
    "Makefile|Dockerfile|LICENSE|Procfile|Jenkinsfile|Rakefile|Gemfile|Vagrantfile|CODEOWNERS|Pipfile|Justfile|Brewfile"
)
_BARE_NAMES: Final = tuple(_BARE_FILES.split("|"))
_OCTET: Final = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_LINES: Final = r"(?::\d{1,6}(?:[:-]\d{1,6})?)?"
_SEGMENT: Final = r"[\w.@+~-]{1,120}"
# Names of products that look like files or identifiers.
_PRODUCTS: Final = frozenset(
    (
        "next.js node.js vue.js react.js three.js d3.js express.js nuxt.js chart.js ember.js backbone.js asp.net "
        "github gitlab bitbucket javascript typescript coffeescript youtube linkedin mastercard paypal whatsapp "
        "postgresql mysql sqlite mongodb graphql openai chatgpt macbook powerpoint wordpress devops numpy pypi "
        "pytorch tensorflow fastapi sqlalchemy nosql oauth hubspot airpods ipad iphone ipod imac ios macos ebay "
        "latex sharepoint onedrive dropbox bigquery cloudflare doordash facetime tiktok icloud airbnb fedex "
        "openstreetmap stackoverflow webassembly websocket websockets vscode intellij pycharm bittorrent bluetooth"
    ).split()
)
_NO_VERSION: Final = (
    "Step|Section|Chapter|Table|Figure|Fig|Appendix|Phase|Part|Item|Task|Level|Page|Line|Lines|Question|Exercise|Grade"
    "|At|In|On|The|About|Over|Under|From|To|By|Of|And|Or|Only|Just|Is|Was|Around|Nearly|Almost|Total|Average|Mean|Rating"
    "|Score|For|With"
)
_NAMED_FOR_ERRORS: Final = (
    r"Test\w{0,60}_|\w{0,60}(?:With|On|Is|Has|Handle|Expect|Wrap|Set|Get|Clear|Show)(?:Error|Exception)\b"
)
"""Names of functions and tests that deal with errors: `RunWithError("x")` tells of none."""

_ERROR: Final = late_pattern(
    rf"\b(?!{_NAMED_FOR_ERRORS})[A-Z]\w{{0,60}}(?:Error|Exception)\b[^\n]{{0,160}}"
    r"|(?<![\w.])(?:400 Bad Request|401 Unauthorized|403 Forbidden|404 Not Found|405 Method Not Allowed|409 Conflict"
    r"|422 Unprocessable (?:Entity|Content)|429 Too Many Requests|500 Internal Server Error|502 Bad Gateway"
    r"|503 Service Unavailable|504 Gateway Time-?out)\b"
    r"|\b[Ee]rror(?:\[[A-Z]\d{2,6}\]| [A-Z]{1,6}\d{3,6}): [^\n]{1,160}|\b[Ss]egmentation fault\b(?: \(core dumped\))?"
    r"|\bTraceback\b[^\n]{0,160}"
    r"|\b(?<![Nn]on-)(?i:error|fatal|panic)\b: (?!\(none\))[^\n]{1,160}|\bE[A-Z]{3,14}: [^\n]{1,160}"
    r"|^(?:error|fatal|panic|FAILED)\b[: ][^\n]{1,160}"
    r"|\b(?i:exit (?:code|status)|exited with(?: code)?):? [1-9]\d{0,2}\b"
    r"|^--- FAIL[^\n]{1,160}|^[^\n]{0,120}\*{3} \[[^\n]{1,120}"
    r"|^[^\n`]{0,120}: (?:command not found|[Nn]o such file or directory|[Pp]ermission denied|can't [^\n]{1,80}"
    r"|cannot [^\n]{1,80}|not found)\b[^\n]{0,80}"
    r"|^[^\n`]{0,100}\bsyntax error\b[^\n]{0,120}"
    r"|^\[?(?:No (?:exact )?(?:match|replacement|matches)|Invalid|Missing|Cannot|Could not|Unable to|Failed to"
    r"|Unexpected|Unknown|Undefined|(?:Parameter|Argument|Option|Field) \S{1,40} is required)\b[^\n]{1,200}",
    re.MULTILINE,
)
# No error happened: `error: null`, `error: string | null;`, and an error class in a list of names.
_TYPE: Final = (
    r"(?:null|none|undefined|nil|true|false|string|boolean|bool|number|str|int|unknown|any|never|void|[A-Z]\w*Error|Error"
    r"|Optional\[\w+\])"
)
_NO_ERROR: Final = late_pattern(
    rf"error\??: {_TYPE}(?: \| {_TYPE})*(?: = \w+)?[\s;,)}}]*|\w+(?:Error|Exception),\s*", re.IGNORECASE
)
# A test's or compiler's complaint behind its place.
_COMPLAINT: Final = late_pattern(
    rf"^[^\S\n]{{0,12}}[\w./\\-]{{1,120}}\.(?:{_FILE_ENDS}):\d{{1,6}}(?::\d{{1,6}})?: ([^\n]{{4,160}})", re.MULTILINE
)
_LISTED: Final = late_pattern(
    r"^[bcdlps-][rwxsStT-]{9}[@+.]?[^\S\n]+\d+[^\S\n]+\S+[^\S\n]+\S+[^\S\n]+[\d.,]+[KMGT]?[^\S\n]+"
    r"(\S{1,4}[^\S\n]+\S{1,3}[^\S\n]+[\d:]{4,5})[^\S\n]+(?!\.{1,2}$)([^\s>][^\n>]{0,120}?)(?=$| -> )",
    re.MULTILINE,
)
_PATH: Final = late_pattern(
    rf"(?<!\w)(?=[~./\w])(?:(?<![/.:)}}])(?:~|\.{{1,2}})?(?:/{_SEGMENT}){{2,24}}{_LINES}|[A-Za-z]:\\[^\s\"']{{1,200}}"
    rf"|(?<![/.])(?:\.{{1,2}}/|\.)?\w[\w.@+-]{{0,80}}(?:/{_SEGMENT}){{0,24}}\.(?:{_FILE_ENDS})\b"
    rf"(?![\w(-])(?!\.\w){_LINES}"
    rf"|(?<!/)\.[a-z][\w-]{{1,30}}(?:/{_SEGMENT}){{1,24}}"
    rf"|(?<![/@.])\w[\w-]{{0,40}}(?:\.\w{{2,12}})?(?:/[\w.-]{{1,80}}){{3,24}})"
)
_BARE_FILE: Final = late_pattern(rf"\b(?:{_BARE_FILES})\b(?!\s+[a-z]{{3}}){_LINES}")
_TREE: Final = late_pattern(r"(?<=[|├└`]-- )[\w.-]{1,80}/?|(?<=── )[\w.-]{1,80}/?")
_PRERELEASE: Final = r"(?:[-+.]?(?:rc|alpha|beta|dev|post)[.\d]{0,6})?"
_GERMAN_DATE: Final = r"(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?:19|20)\d\d(?!\d)"
_VERSION: Final = late_pattern(
    rf"\b(?!(?:{_NO_VERSION})\b)[A-Z][\w+#.-]{{1,30}} (?!{_GERMAN_DATE})v?\d{{1,4}}\.\d{{1,4}}"
    rf"(?:\.\d{{1,5}}){{0,2}}{_PRERELEASE}"
    r"(?![\w%]|[^\S\n]?(?:hours|seconds|minutes|million|billion|percent|kg|km|miles))"
    rf"|\b[vV]ersions? \d{{1,4}}(?:\.\d{{1,5}}){{0,3}}\b|\bv\d{{1,4}}(?:\.\d{{1,5}}){{1,3}}{_PRERELEASE}\b"
    r"|\b[a-z][\w.-]{1,40}(?:==|>=|~=|<=|@\^?)\d{1,4}(?:\.\d{1,5}){1,3}\b"
    rf"|(?<![\w.:/])(?!{_GERMAN_DATE})[\^~]?\d{{1,4}}\.\d{{1,5}}\.\d{{1,5}}{_PRERELEASE}(?![\w.]\d|\.\d)\b"
)
_DATE: Final = late_pattern(
    r"\b(?=[\djfmasond])(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?(?![\w:])"
    rf"|{_MONTH} [ \d]\d \d\d:\d\d\b"
    r"|\d{4}-\d\d(?:-\d\d)?\b|(?<![\d.])\d{1,2}[./]\d{1,2}[./]\d{2,4}\b(?!\.\d)"
    r"|(?<![+.])[0-2]?\d:[0-5]\d(?::\d\d)?(?:\s?[ap]m)?\b"
    rf"|{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b(?:,? \d{{4}})?"
    r"|(?<!(?-i:[A-Z])-)(?:19|20)\d\d\b)",  # the year of `INV-2024-001` is a part of a name
    re.IGNORECASE,
)
_NUMBER: Final = late_pattern(
    rf"[$€£¥]\s?\d[\d.,]{{0,20}}[km]?\b|\b(?=[v\d])(?:v?\d{{1,9}}(?:\.\d{{1,9}}){{2,4}}\b"
    rf"|(?<![a-z]-)(?:\d[\d.,]{{0,20}}[-–])?\d[\d.,]{{0,20}}[\s-]?(?:{_UNITS})(?!\w|-\d))",
    re.IGNORECASE,
)
_SIGNS: Final = "€£¥₹°"
_SIGNED: Final = late_pattern(r"(?<![\w.,-])[-−]?\d[\d.,]{0,20}\s?(?:[€£¥₹]|°(?:\s?[CF]\b)?)")
# Words with an underscore, a digit or a capital inside; the looks ahead pass over plain words quickly.
_IDENTIFIER: Final = late_pattern(
    r"\b(?=\w)(?![A-Za-z][a-z]*+\b)(?=[A-Za-z]{0,60}?(?:_|\d|[a-z][A-Z]))(?:[a-zA-Z]\w{0,40}_\w{1,60}\b|_[a-z]\w{1,60}\b"
    r"|[a-z][a-z0-9]{0,40}[A-Z]\w{1,60}\b|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*){1,8}\w{0,60}\b"
    r"|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|(?=[0-9a-f]{0,39}\d)(?=[0-9a-f]{0,39}[a-f])[0-9a-f]{7,40}\b"
    r"|(?=[A-Z]{0,11}\d)(?=\d{0,11}[A-Z])[A-Z0-9]{5,12}\b)"
)
# More identifiers, each with what a text must contain to be searched. What may not stand before one is looked for after
# its first sign, which the search finds quickly.
_OTHER_IDENTIFIERS: Final = (
    ("--", late_pattern(r"--(?<![\w-]--)[a-z][\w-]{1,40}\b")),
    ("#", late_pattern(r"#(?<![\w&/]#)\d{2,6}\b")),
    ("-", late_pattern(r"[A-Z](?<![\w-].)(?:[A-Z]{1,9}-\d{1,8}(?:-\d{1,8}){0,3}|-\d{3,8})\b")),
    (
        "@",
        late_pattern(r"(?<![\w.+@-])[\w+-][\w.+-]{0,63}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,5}\.[A-Za-z]{2,24}(?![\w@:-])"),
    ),
    ("/", late_pattern(r"\b(?:origin/)?(?:feat|feature|fix|bugfix|hotfix|chore|release)/\w[\w./-]{1,80}\b")),
)
# Values of keys that name something, in JSON.
_NAMED: Final = late_pattern(
    r'(?:[_"](?:id|ids|number|code|sha|hash|ref)|Id)\\{0,3}"\s{0,3}:\s{0,3}\\{0,3}"([\w-]{4,64})\\{0,3}"'
)
_CALL: Final = late_pattern(r"\b\w[\w.]{0,80}\(\)")
# The notes on a field of a Go struct stand in backticks.
_FIELD_TAG: Final = late_pattern(r'\w{1,20}:"')
_TICKED: Final = late_pattern(r"`(?<!``)([^`\n]{1,200})`(?!`)")
_LINE: Final = late_pattern(r"[^\n]+")
_DIGIT: Final = late_pattern(r"\d")
# One of these is in every version; a literal begins each, which lets the search skip all other characters quickly.
_POINT: Final = late_pattern(r"\.(?<=\d\.)\d|ersions? \d")
# One set of characters begins every match, which lets the search skip all others quickly.
_DOT_OR_SLASH: Final = late_pattern(r"[/\\.](?:(?<!\.)|[a-z])")
# One of these is in the line of every error.
_TROUBLE: Final = (
    "error|exception|traceback|fatal|panic|fail|exit|***|: can|no such|denied|not found|no match|no exact|"
    "no replacement|invalid|missing|cannot|could not|unable|unexpected|unknown|undefined|is required|eisdir|"
    "enoent|eacces|eperm|eexist|enotdir|econn|eaddr|etimedout|epipe|emfile|enospc|eresolve|eagain|einval|"
    "enotempty|elifecycle|eio:|bad gateway|unauthorized|forbidden|conflict|too many requests|unavailable|unprocessable|"
    "gateway time|bad request|not allowed|segmentation"
).split("|")
_URL: Final = late_pattern(
    r"\b(?:[a-z]{2,12}://|www\.)(?:\([^\s<>\"'`()]{0,100}\)|[^\s<>\"'`)\]]){1,400}(?<![.,;:!?])", re.IGNORECASE
)
_MACHINE: Final = late_pattern(
    r"(?<![\w.-])localhost:\d{2,5}(?:/[^\s<>\"'`)\]]{0,200}(?<![.,;:!?]))?(?!\w)"
    r"|(?<![\w.+@-])git@[\w.-]{3,80}:[\w~./-]{2,160}(?<!\.)"
    rf"|(?<![Vv]ersion )(?<![Ss]ection )(?<![\w.:/-]){_OCTET}(?:\.{_OCTET}){{3}}(?::\d{{2,5}})?(?![\w.]?\d)"
)
"""Where machines are reached without a protocol: `localhost:5432`, `10.0.0.12`, `git@example.com:ann/web.git`."""

_DOTTED: Final = late_pattern(r"\.\d{1,3}\.\d{1,3}\.\d")

# A value such as "round_trip" is one of a few and names nothing.
_PLAIN_VALUE: Final = late_pattern(r"[a-z]+(?:_[a-z]+)*")

Span = tuple[int, int]


def evidence(text: str) -> tuple[tuple[int, int, str], ...]:
    """Start, end and kind of each mark of evidence, in text order, none overlapping.

    Kinds: `url`, `command`, `error`, `path` (with the line, if it is given), `version`, `date`, `number` (with a unit
    or currency), `identifier`; where two overlap, the kind named first wins, but a command is kept
    whole around the name of a machine (`localhost:5432`). Only the first `MOST` characters are
    examined.
    """
    head = text[:MOST]
    covered = bytearray(len(head))
    candidates: list[tuple[int, int, str]] = []
    lines = [match.span() for match in _LINE.finditer(head)]
    listed = list(_LISTED.finditer(head))
    numeric = [line for line in lines if _DIGIT.search(head, *line)]
    for kind, spans in (
        ("url", _matches(_URL, head) if "://" in head or "www." in head.lower() else iter(())),
        ("command", _commands(head)),
        ("error", _errors(head, lines)),
        ("url", _machines(head)),
        ("path", _paths(head, lines, listed)),
        ("version", _within(_VERSION, head, [line for line in numeric if _POINT.search(head, *line)])),
        ("date", _dates(head, numeric, listed)),
        ("number", _matches(_SIGNED, head) if any(map(head.__contains__, _SIGNS)) else iter(())),
        ("number", _within(_NUMBER, head, numeric)),
        ("identifier", _identifiers(head)),
    ):
        for start, end in spans:
            if covered.find(1, start, end) < 0:
                covered[start:end] = b"\x01" * (end - start)
                candidates.append((start, end, kind))
    return tuple(sorted(candidates))


def path_spans(text: str) -> list[Span]:
    """Start and end of each path, with the line if it is given, in text order; of the first `MOST` characters.

    Cheaper than `evidence` where nothing else is wanted. Parts of addresses (`url`) are not paths.
    """
    head = text[:MOST]
    if not _DOT_OR_SLASH.search(head) and not (any(map(head.__contains__, _BARE_NAMES)) and _BARE_FILE.search(head)):
        return []
    urls = [*_machines(head), *(_matches(_URL, head) if "://" in head or "www." in head.lower() else ())]
    spans = list(_paths(head, [match.span() for match in _LINE.finditer(head)], _LISTED.finditer(head)))
    return sorted({span for span in spans if not any(start < span[1] and span[0] < end for start, end in urls)})


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    return (match.span() for match in pattern.finditer(text))


def _within(pattern: re.Pattern[str], text: str, lines: Iterable[Span]) -> Iterator[Span]:
    """Matches of a pattern in some lines."""
    return (match.span() for start, end in lines for match in pattern.finditer(text, start, end))


def _machines(text: str) -> Iterator[Span]:
    is_named = "localhost:" in text or "git@" in text or _DOTTED.search(text)
    return _matches(_MACHINE, text) if is_named else iter(())


def _commands(text: str) -> Iterator[Span]:
    yield from command_spans(text)
    if "`" in text:
        yield from (match.span(1) for match in _TICKED.finditer(text) if is_command(match[1]))


def _errors(text: str, lines: Sequence[Span]) -> Iterator[Span]:
    yield from (match.span(1) for match in _COMPLAINT.finditer(text))
    whole = text.lower()
    words = [word for word in _TROUBLE if word in whole]
    if words:
        lower = ((line, text[slice(*line)].lower()) for line in lines)
        near = [line for line, said in lower if any(word in said for word in words)]
        yield from (span for span in _within(_ERROR, text, near) if not _NO_ERROR.fullmatch(text[slice(*span)]))


def _paths(text: str, lines: Sequence[Span], listed: Iterable[re.Match[str]]) -> Iterator[Span]:
    yield from (match.span(2) for match in listed)
    marks = side_marks(text)
    for begin, end in _within(_PATH, text, [line for line in lines if _DOT_OR_SLASH.search(text, *line)]):
        start = begin + marks.get(begin, 0)
        if start < end and text[start:end].lower() not in _PRODUCTS:
            yield start, end
    if any(map(text.__contains__, _BARE_NAMES)):
        yield from _matches(_BARE_FILE, text)
    if "── " in text or "-- " in text:
        yield from _matches(_TREE, text)


def _dates(text: str, numeric: Sequence[Span], listed: Iterable[re.Match[str]]) -> Iterator[Span]:
    yield from (match.span(1) for match in listed)
    yield from _within(_DATE, text, numeric)


def _identifiers(text: str) -> Iterator[Span]:
    if "()" in text:
        yield from _matches(_CALL, text)
    if "`" in text:
        yield from (match.span(1) for match in _TICKED.finditer(text) if not _FIELD_TAG.match(match[1]))
    if '":' in text:
        yield from (match.span(1) for match in _NAMED.finditer(text))
    for match in _IDENTIFIER.finditer(text):
        start, end = match.span()
        before = text[start - 1 : start]
        is_key = before == '"' and text[end : end + 3].lstrip("\\").startswith('":')
        is_value = before == '"' == text[end : end + 1] and _PLAIN_VALUE.fullmatch(match[0])
        is_tag = before == "<" or text[max(0, start - 2) : start] == "</"
        if not (is_key or is_value or is_tag or text.startswith("({", end) or match[0].lower() in _PRODUCTS):
            yield start, end
    for needed, pattern in _OTHER_IDENTIFIERS:
        if needed in text:
            yield from _matches(pattern, text)
