"""The seven overlays of a project: how much each element belongs to each of them, and by what evidence.

Rules look at path, kind, imports, users and words of an element. With an embedder, its vector is compared with those
of example sentences. Each piece of evidence has a weight from 0 to 1, and the score is 10 x (1 - product(1 - weight)):
more evidence raises it, and none of it can lower it. The lists are in `data/overlays.json`; the words are those by
which turns are scored (`clew.analyze.overlays`). The setting `project.overlays` adds to the lists and takes away from
them.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from fnmatch import translate
from functools import cache
from importlib import resources
from math import log2, prod
from typing import Final, Literal, cast, get_args

from clew.analyze.novelty import Vector, calibration_of, vector_cosine
from clew.analyze.overlays import TOP, Overlay, keyword_matches, keyword_scores
from clew.errors import ConfigError, InputError
from clew.models.checked_calls import embed_checked
from clew.models.protocol import Embedder
from clew.project.elements import FILE, SUBPACKAGE, ProjectElement
from clew.project.parse.manifests import DESCRIPTION
from clew.text.terms import terms
from clew.types.record import Record

RuleKind = Literal["path", "import", "kind", "word"]

WORDS: Final = 0.8
"""Weight of the strongest possible evidence from words."""
EXAMPLES: Final = 0.7
"""Likewise of an element that is like an example sentence, compared by vectors."""
SHOWN: Final = 6
"""Words that one piece of evidence names at most."""

_USERS: Final = 0.12  # weight for each doubling of the files that use an element's file
_MOST_USERS: Final = 0.6
_DERIVED: Final = 0.25  # weight for each doubling of a class and those derived from it
_IMPORTS: Final = 0.08
_MOST_IMPORTS: Final = 0.4
_FEWEST: Final = 4  # imports or users that say something
_RULE: Final = re.compile(
    r"(?P<drop>-)?(?P<overlay>\w+)\s+(?P<kind>\w+):(?P<what>\S.*?)(?:\s+(?P<weight>[01](?:\.\d+)?))?"
)
_OF_DOCUMENTS: Final = frozenset({"heading", "decision", "goal", "principle"})
_DOCUMENT_ENDS: Final = frozenset({"md", "rst", "txt", "adoc", "org"})
_MANIFEST: Final = re.compile(
    r"(?:[^/]+/){0,2}(?:package\.json|composer\.json|\w+\.toml|pom\.xml|setup\.cfg|[^/]+\.gemspec|METADATA|PKG-INFO)"
)
_DOCUMENTS: Final = ("", "*.md", "*.rst", "*.txt", "*.adoc", "*.org")
"""Ends of the names of documents: with any other end, `values` and `changes` are names of code."""
_PACKAGE: Final = re.compile(r"(?:(?:src|lib)/)?(?:[^/]+/)?__init__\.py|src/lib\.rs|(?:[^/]+/)?doc\.go")
"""The file in which a package of Python, Rust or Go is documented."""
_SELF: Final = 0.55  # weight of its documentation: what the package is for
_HOW_TO: Final = re.compile(
    r"(?i)\b(?:install\w*|setup|set up|usage|quick ?start|getting|examples?|tests?|testing|build\w*|compil\w+"
    r"|develop\w*|requirements?|dependenc\w+|config\w*|options?|commands?|flags?|api|license|credits|authors?"
    r"|acknowledge?ments|contribut\w+|submitting|changelog|releases?|security|documentation|docs|contents|download"
    r"|where to get|troubleshooting|faq|performance|benchmarks?|donate|sponsors?)\b"
)
"""Titles of sections that say how to use a project and not what it is for."""
_WHAT_FOR: Final = re.compile(
    r"(?i)\W*(?:(?:(?:design|project|core|guiding|our|the|non)[\s-]+)*"
    r"(?:goals?|principles?|philosoph(?:y|ies)|mission|vision|motivation|purpose|manifesto|objectives?|audience)"
    r"|why(?: (?:use|another|choose))?(?: [\w.-]+)?|why do(?:es)? (?:this|the) \w+ exist"
    r"|why should(?:n.t)? I use .{1,40}"
    r"|about(?: (?:the|this) (?:project|package|library))?)\W*"
)
"""Titles of sections that say what a project is for, in any of its documents."""
_PURPOSE: Final = 0.6  # weight of such a title
_INNER: Final = re.compile(
    r"(?:^|/)(?:tests?|test_?data|fixtures?|examples?|data|static|assets|im(?:g|ages)|vendor|third[_-]party|changelog)/"
    r"|(?:^|/)readme[._-](?!(?:md|rst|txt|adoc|org|[a-z]{2}(?:[_-][a-z]{2,4})?\.\w+)$)[^/]*$"
)
"""Documents of something inside a project, or about one thing: `tests/data/README`, `README.dialects.rst`."""
_TITLES: Final = 2
"""Titles of a project and its sections; what is below goes into detail, unless it is in a section on the purpose."""
_OF_CODE: Final = re.compile(r"^\W*[.$@]\w|\w\(|`|::|\w\.\w+\(?\s*$|\w_\w")
"""Titles that name something in code: `.parse`, `z.string()`."""
_ASIDE: Final = 0.2  # weight of what a path says of a mission for such a section or document
_MODULES_OF_TESTS: Final = re.compile(r"(?:^|\.)tests?(?:\.|$)")
_INSIDE_TESTS: Final = 0.9  # weight of being in a module of tests, as by the path of a file of tests
_USUAL: Final = 0.7  # weight of a rule that names none


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlayEvidence(Record):
    """Why an element belongs to an overlay.

    Attributes:
        rule: `path`, `import`, `kind`, `word`, `users`, `imports` or `example`.
        what: what was found, in words.
        weight: 0 to 1.
    """

    overlay: str
    rule: str
    what: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementOverlays(Record):
    """The overlays of one element.

    Attributes:
        scores: 0 to 10 by overlay, in their order; an overlay without evidence is absent.
        evidence: by overlay, the strongest first.
    """

    element: ProjectElement
    scores: Mapping[str, float]
    evidence: Sequence[OverlayEvidence]


@dataclass(frozen=True, slots=True)
class OverlayRules:
    """The lists by which elements are scored: pattern, module, kind or word -> overlay -> weight.

    Attributes:
        paths: a pattern stands for one or more whole segments of a path, wherever they are in it, in any case.
        words: search terms beside those of `clew.analyze.overlays`.
        dropped: words of those that do not count.
    """

    paths: Mapping[str, Mapping[Overlay, float]] = field(default_factory=dict)
    imports: Mapping[str, Mapping[Overlay, float]] = field(default_factory=dict)
    kinds: Mapping[str, Mapping[Overlay, float]] = field(default_factory=dict)
    words: Mapping[str, Mapping[Overlay, float]] = field(default_factory=dict)
    dropped: frozenset[tuple[Overlay, str]] = frozenset()


def overlay_rules(changes: Iterable[str] = ()) -> OverlayRules:
    """The lists of the package with a project's own changes.

    Args:
        changes: the setting `project.overlays`: `O2 path:vault/* 0.9`, `O6 word:eigenvalue`, `-O5 path:bin`.

    Raises:
        ConfigError: a change cannot be read.
    """
    lists = {kind: {what: dict(raised) for what, raised in held.items()} for kind, held in _lists().items()}
    dropped: set[tuple[Overlay, str]] = set()
    for change in changes:
        match = _RULE.fullmatch(change.strip())
        kind = cast("RuleKind", match["kind"].lower() if match else "")
        if match is None or kind not in get_args(RuleKind):
            raise ConfigError(
                f"project.overlays: {change!r} is not a rule; expected an overlay, one of path: import: kind: word: "
                "with what it stands for, and a weight up to 1, such as 'O2 path:vault/* 0.9', or '-O5 path:bin'"
            )
        overlay, what = _overlay(match["overlay"], change), match["what"].casefold()
        for name in _forms(kind, what):
            held = lists[kind].setdefault(name, {})
            if match["drop"]:
                held.pop(overlay, None)
                dropped.add((overlay, name))
            else:
                held[overlay] = float(match["weight"] or _USUAL)
                dropped.discard((overlay, name))
    words = frozenset(word for word in dropped)
    return OverlayRules(lists["path"], lists["import"], lists["kind"], lists["word"], words)


class OverlayScorer:
    """Scores elements by rules and, if there is an embedder, by example sentences. Caches what a path says."""

    def __init__(self, rules: OverlayRules | None = None, embedder: Embedder | None = None) -> None:
        self._rules = overlay_rules() if rules is None else rules
        self._patterns = [
            (_compiled(pattern), pattern, raised) for pattern, raised in self._rules.paths.items() if raised
        ]
        self._any = re.compile("|".join(f"(?:{each.pattern})" for each, _, _ in self._patterns) or "(?!)")
        self._by_path: dict[str, tuple[OverlayEvidence, ...]] = {}
        self._model = None if embedder is None else embedder.name
        self._examples = () if embedder is None else _embedded_examples(embedder)

    def score(self, element: ProjectElement, vector: Vector | None = None) -> ElementOverlays:
        """The overlays of an element with their evidence.

        Args:
            vector: of the element's text, by the scorer's embedder.
        """
        evidence = [
            replace(each, weight=_ASIDE) if each.overlay == Overlay.MISSION and _is_aside(element) else each
            for each in self._of_path(element.path)
        ]
        evidence += self._of_imports(element)
        evidence += self._of_words(element, {row.overlay for row in evidence})
        evidence += _of_name(element)
        evidence += self._of_kind(element)
        if _says_what_for(element):
            evidence.append(_evidence(Overlay.MISSION, "kind", "what a package says of itself", _SELF))
        if vector is not None:
            evidence += self._of_examples(vector)
        evidence.sort(key=lambda each: (each.overlay, -each.weight, each.rule, each.what))
        scores = {
            overlay.value: TOP * (1 - prod(1 - row.weight for row in evidence if row.overlay == overlay))
            for overlay in Overlay
        }
        return ElementOverlays(
            element=element,
            scores={name: round(score, 6) for name, score in scores.items() if score > 0},
            evidence=tuple(evidence),
        )

    def _of_path(self, path: str) -> tuple[OverlayEvidence, ...]:
        """What the patterns say of a path; of several for one overlay the strongest counts."""
        if path in self._by_path:
            return self._by_path[path]
        folded, best = path.casefold(), dict[Overlay, OverlayEvidence]()
        if self._any.search(folded):
            is_document = folded.rpartition("/")[2].rpartition(".")[2] in _DOCUMENT_ENDS or "." not in path[1:]
            for pattern, written, raised in self._patterns:
                if (is_document or written not in _document_names()) and pattern.search(folded):
                    for overlay, weight in raised.items():
                        if overlay not in best or weight > best[overlay].weight:
                            best[overlay] = _evidence(overlay, "path", f"{path} matches {written}", weight)
        self._by_path[path] = tuple(best.values())
        return self._by_path[path]

    def _of_kind(self, element: ProjectElement) -> Iterator[OverlayEvidence]:
        """What an element is; what it is more closely counts in place of its kind."""
        general = self._rules.kinds.get(element.kind.casefold(), {})
        closer = self._rules.kinds.get(element.form, {}) if element.form else {}
        for overlay, weight in {**general, **closer}.items():
            what = element.form if overlay in closer else element.kind
            yield _evidence(overlay, "kind", f"{'an' if what[:1] in 'aeiou' else 'a'} {what}", weight)

    def _of_imports(self, element: ProjectElement) -> list[OverlayEvidence]:
        """What an element's imports and users say: which modules, how many of each."""
        named: dict[Overlay, dict[str, float]] = {}
        for module in element.imports:
            for prefix in _prefixes(module.casefold()):
                for overlay, weight in self._rules.imports.get(prefix, {}).items():
                    named.setdefault(overlay, {})[module] = weight
        evidence = [
            _evidence(overlay, "import", f"imports {', '.join(list(modules)[:SHOWN])}", max(modules.values()))
            for overlay, modules in named.items()
        ]
        if element.kind in ("class", "module") and element.used_by:
            weight = min(_MOST_USERS, _DERIVED * log2(1 + element.used_by))
            evidence.append(_evidence(Overlay.STRUCTURAL, "users", _derived(element), weight))
        elif element.used_by >= _FEWEST:
            weight = min(_MOST_USERS, _USERS * log2(element.used_by))
            evidence.append(_evidence(Overlay.STRUCTURAL, "users", f"{element.used_by} files import it", weight))
        if len(element.imports) >= _FEWEST:
            weight = min(_MOST_IMPORTS, _IMPORTS * log2(len(element.imports)))
            evidence.append(_evidence(Overlay.LINEAGE, "imports", f"it imports {len(element.imports)} modules", weight))
        return evidence

    def _of_words(self, element: ProjectElement, sure: Set[str]) -> list[OverlayEvidence]:
        """What the words of an element's name and text say, as far as the lists hold them.

        Args:
            sure: overlays of which path or imports give evidence: words with a second sense in code count there.
        """
        text = f"{element.name or _stem(element.path)}\n{element.text}"
        scores, matches = keyword_scores(text), keyword_matches(text)
        content = set(terms(text)) if self._rules.words else set()
        own: dict[Overlay, dict[str, float]] = {}
        for word in sorted(content & self._rules.words.keys()):
            for overlay, weight in self._rules.words[word].items():
                own.setdefault(overlay, {})[word] = weight
        evidence = []
        for overlay in Overlay:
            if overlay is Overlay.MISSION and not (_is_document(element) or _says_what_for(element)):
                continue  # `strategy` and `purpose` are words of code; a mission is stated in documents
            weights = matches.get(overlay, {})
            words = [word for word in weights if (overlay, word) not in self._rules.dropped]
            if overlay not in sure and not own.get(overlay) and _unsure()[overlay].issuperset(words):
                continue  # `token` of a parser, `signature` of a function, `session` of a database
            share = sum(weights[word] for word in words) / (sum(weights.values()) or 1)
            weight = WORDS * share * scores.get(overlay, 0.0) / TOP
            weight = 1 - (1 - weight) * prod(1 - own_weight for own_weight in own.get(overlay, {}).values())
            shown = [*own.get(overlay, ()), *words]
            if shown:
                evidence.append(_evidence(overlay, "word", f"says {', '.join(shown[:SHOWN])}", weight))
        return evidence

    def _of_examples(self, vector: Vector) -> list[OverlayEvidence]:
        """Which overlays' example sentences an element is like: more than the sentences of the others."""
        calibration, likeness = calibration_of(self._model), dict[Overlay, tuple[float, str]]()
        for overlay, sentence, example in self._examples:
            near = 1 - calibration(1 - vector_cosine(vector, example))
            likeness[overlay] = max(likeness.get(overlay, (0.0, "")), (near, sentence))
        usual = sum(near for near, _ in likeness.values()) / max(1, len(likeness))
        return [
            _evidence(overlay, "example", f"is like {sentence!r}", EXAMPLES * near)
            for overlay, (near, sentence) in likeness.items()
            if near > 2 * usual
        ]


def _is_document(element: ProjectElement) -> bool:
    """Whether an element is a document or stands in one: a heading, a decision, a file that is not code."""
    name = element.path.rpartition("/")[2]
    ends_so = "." not in name or name.rpartition(".")[2].casefold() in _DOCUMENT_ENDS
    return ends_so if element.kind == FILE else element.kind in _OF_DOCUMENTS


def _says_what_for(element: ProjectElement) -> bool:
    """Whether an element is what a package says of itself: its documentation, or the description in its manifest."""
    if element.kind == FILE:
        return bool(element.text) and element.form != SUBPACKAGE and _PACKAGE.fullmatch(element.path) is not None
    return element.name == DESCRIPTION and _MANIFEST.fullmatch(element.path) is not None


def _is_aside(element: ProjectElement) -> bool:
    """Whether an element is about how to use a project, or about something inside it, and not what it is for."""
    titles = element.name.split(" > ")
    is_aside = element.kind == "heading" and (
        any(map(_HOW_TO.search, titles[1:] or titles))
        or _HOW_TO.fullmatch(titles[0].strip()) is not None
        or (len(titles) > _TITLES and not any(map(_WHAT_FOR.fullmatch, titles)))
        or _OF_CODE.search(titles[-1]) is not None
    )
    return is_aside or _INNER.search(element.path.casefold()) is not None


def _of_name(element: ProjectElement) -> Iterator[OverlayEvidence]:
    """What the name of an element says: a section on what a project is for, or a module of tests in Rust."""
    if element.kind == "heading":
        title = next((heading for heading in element.name.split(" > ") if _WHAT_FOR.fullmatch(heading)), None)
        if title is not None and _INNER.search(element.path.casefold()) is None:
            yield _evidence(Overlay.MISSION, "kind", f"a section {title!r}", _PURPOSE)
    elif element.path.endswith(".rs") and _MODULES_OF_TESTS.search(element.name):
        yield _evidence(Overlay.COHERENCE, "kind", "in a module of tests", _INSIDE_TESTS)


def _evidence(overlay: Overlay, rule: str, what: str, weight: float) -> OverlayEvidence:
    return OverlayEvidence(overlay=overlay.value, rule=rule, what=what, weight=round(weight, 6))


def _derived(element: ProjectElement) -> str:
    one, more = ("includes", "include") if element.kind == "module" else ("derives from", "derive from")
    return f"1 class {one} it" if element.used_by == 1 else f"{element.used_by} classes {more} it"


def _overlay(name: str, change: str) -> Overlay:
    try:
        return Overlay.of(name)
    except InputError as error:
        raise ConfigError(f"project.overlays: in {change!r}, {error}") from error


def _forms(kind: RuleKind, what: str) -> Sequence[str]:
    """The entries of a list that a rule stands for: of a word its search term."""
    return terms(what)[:1] or [what] if kind == "word" else [what]


def _prefixes(module: str) -> Iterable[str]:
    """A module and the packages that it is in, the longest first: `os/exec`, `os`; `a.b:c`, `a.b`, `a`."""
    module = module.strip("<>\"'")
    yield module
    for end in range(len(module) - 1, 0, -1):
        if module[end] in "./:":
            yield module[:end]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern over whole segments of a case-folded path."""
    segments = [translate(segment)[len("(?s:") : -len(r")\Z")].replace(".*", "[^/]*") for segment in pattern.split("/")]
    return re.compile(f"(?:^|/){'/'.join(segments)}(?:/|$)")


def _embedded_examples(embedder: Embedder) -> tuple[tuple[Overlay, str, Vector], ...]:
    sentences = [(overlay, sentence) for overlay in Overlay for sentence in _read()[overlay.value]["examples"]]
    vectors = embed_checked(embedder, [sentence for _, sentence in sentences])
    return tuple((*each, vector) for each, vector in zip(sentences, vectors, strict=True))


@cache
def _lists() -> Mapping[RuleKind, Mapping[str, Mapping[Overlay, float]]]:
    """The package's lists, case-folded; those of words are empty, since `clew.analyze.overlays` has them."""
    lists: dict[RuleKind, dict[str, dict[Overlay, float]]] = {kind: {} for kind in get_args(RuleKind)}
    for overlay in Overlay:
        read = _read()[overlay.value]
        for weight, names in read["documents"].items():
            for pattern in (f"{name}{end}" for name in names for end in _DOCUMENTS):
                lists["path"].setdefault(pattern, {})[overlay] = float(weight)
        for kind, section in (("path", "paths"), ("import", "imports")):
            for weight, listed in read[section].items():
                for what in listed:
                    lists[cast("RuleKind", kind)].setdefault(what.casefold(), {})[overlay] = float(weight)
        for weight, listed in read["kinds"].items():
            for what in listed:
                lists["kind"].setdefault(what, {})[overlay] = float(weight)
    return lists


@cache
def _document_names() -> frozenset[str]:
    """Names of documents without an ending, which may be folders of documents, and are not folders of code."""
    paths = {path for overlay in Overlay for listed in _read()[overlay.value]["paths"].values() for path in listed}
    names = {
        document
        for overlay in Overlay
        for listed in _read()[overlay.value]["documents"].values()
        for document in listed
    }
    return frozenset(names - {path.casefold() for path in paths})


@cache
def _unsure() -> Mapping[Overlay, frozenset[str]]:
    """Words that have another sense in code, and say something only beside other evidence of their overlay."""
    return {overlay: frozenset(str(_read()[overlay.value].get("unsure", "")).split()) for overlay in Overlay}


@cache
def _read() -> Mapping[str, Mapping[str, Mapping[str, list[str]]]]:
    text = (resources.files(__package__) / "data" / "overlays.json").read_text(encoding="utf-8")
    return cast("Mapping[str, Mapping[str, Mapping[str, list[str]]]]", json.loads(text))
