"""Learns what words and vectors say about domains: `python -m benchmarks.domain_words WORDNET VECTORS`.

    --without SOURCE [SOURCE]...   leave some sources of `benchmarks.sources` out
    --each families|sources        leave each family of sources, or each source, out in turn; for `--out` alone
    --out FOLDER                   where `domain_words.txt.gz` and `domain_directions.json` go, with `--each` into a
                                   folder for each; without it, into the package

WORDNET is the folder of WordNet 3.0's database (`data.noun`, `index.sense` and so on). VECTORS is a file that keeps the
vectors of the local model from one run to the next. Needs scipy, which Clew does not. Three steps:

1. A classifier of MiniLM's vectors, one logistic regression for each domain, learns from our own texts: sentences and
   pairs of sentences of threads and passages with their domain; means of two vectors with both; framings and crossings
   with theirs. It is kept (`domain_directions.json`), since it serves MiniLM's users as it is.
2. The classifier judges 47,000 definitions of WordNet. A word's odds are those of the definitions of its senses, by
   their frequency, of the definitions it occurs in, and of the texts it occurs in (`_odds`).
3. On top of these odds, logistic regressions by words, hand-made lists (`data/domains.json`) and signs of form learn
   what is left, from the same texts and, with little weight, from the judged definitions (`_learn_words`).
"""

import argparse
import gzip
import json
import re
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import chain, pairwise
from math import log2, sqrt
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, vstack

from benchmarks.sources import FAMILIES, FIRST, LEARNED, parts_of, texts_of
from clew.analyze.domain_words import FILE, FORMS, STEP, ZERO, forms_of
from clew.analyze.lexicon import DOMAINS, FUNCTION
from clew.analyze.words import read, word_of
from clew.evaluate.hsca.bank import Material
from clew.models.choose import choose_embedder
from clew.models.protocol import Embedder
from clew.models.quantize import quantize
from clew.models.recorded import RecordedEmbedder
from clew.text.sentences import sentence_spans

Matrix = NDArray[np.float64]
_DOMAINS: Final = len(DOMAINS)
_POS: Final = {"noun": "1", "verb": "2", "adj": "35", "adv": "4"}
_SMOOTHING: Final = 6
# Weight of an example in a regression: of a definition, of a mixture of two texts, of a text of the first sources,
# which share one voice; of a text about nothing in particular; and of what belongs to a domain beside what does not.
_DEFINITION, _MIXTURE, _FIRST, _PLAIN, _BELONGS = 0.15, 0.6, 0.6, 5.0, 2.0
_RIDGE_WORDS, _RIDGE_VECTORS = 0.8, 2.0
_ODDS: Final = 1.05
_FORM_SCALE: Final = 2.0
# Least weight of a word that the hand-made lists call hardly found elsewhere, however seldom our texts have it: a tale
# shows mostly by its manner, so that the creatures and people of tales need more.
_TERM: Final = 3.0
_TALE: Final = DOMAINS.index("narrative")
_TERM_WEIGHT: Final = np.where(np.array(DOMAINS) == "narrative", 10.0, 4.2)
# What a listed word that is a function word weighs ("thee"), by its weight in the list: the others have none.
_OLD_PRONOUN: Final = 1.4
# Least weight of a word for a tale, which may be about any subject.
_AGAINST_TALE: Final = -0.7
# Marks of code and of formulas hardly occur in our texts, and of these only the poems have line breaks: what such marks
# weigh is set by hand.
_BY_HAND: Final = {
    "code": (DOMAINS.index("technical_prose"), 3.0),
    "eq": (DOMAINS.index("mathematics"), 3.0),
    "verse": (DOMAINS.index("poetry"), 3.0),
}


@dataclass(frozen=True, slots=True)
class Example:
    """A text with its domains; `content` is the number of its content words."""

    text: str
    source: str
    domains: tuple[int, ...]
    weight: float
    stems: Mapping[str, int]
    forms: tuple[float, ...]
    content: int


@dataclass(frozen=True, slots=True)
class Definition:
    """One meaning in WordNet: the stems of its names, all its stems, and the text that is embedded."""

    text: str
    heads: frozenset[str]
    stems: Mapping[str, int]


def _stems(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for sentence in read(text).sentences:
        for stem, flags in zip(sentence.stems, sentence.flags, strict=True):
            if not flags & FUNCTION and re.fullmatch("[a-z][a-z]+", stem):
                found[stem] = found.get(stem, 0) + 1
    return found


def _example(text: str, source: str, named: Sequence[str], weight: float = 1.0) -> Example:
    reading = read(text)
    content = sum(map(reading.grammar.count, "cvwuo"))
    places = tuple(map(DOMAINS.index, named))
    told = zip(FORMS, forms_of(reading), strict=True)
    forms = tuple(0.0 if name in _BY_HAND else value for name, value in told)
    return Example(text, source, places, weight, _stems(text), forms, content)


def _lines(material: Material) -> tuple[str, ...]:
    """Verses, sentences or turns."""
    if material.kind != "passage" or "poetry" in material.domains:
        return material.lines
    text = material.text
    return tuple(text[start:end].strip() for start, end in sentence_spans(text))


def examples() -> list[Example]:
    """Sentences and pairs of neighbouring ones of every text, and everyday sentences about nothing in particular."""
    found: list[Example] = []
    for source in (FIRST, *LEARNED):
        whole = _FIRST if source == FIRST else 1.0
        for material in chain.from_iterable(map(texts_of, parts_of(source))):
            lines = _lines(material)
            pairs = [material.join(pair) for pair in pairwise(lines)]
            single = material.kind in ("thread", "passage")
            texts = [*lines, *pairs] if single else pairs or lines
            found += [_example(text, source, material.domains, whole if single else 1.0) for text in texts]
    plain = (Path(__file__).parent / "data" / "plain_texts.txt").read_text("utf-8").splitlines()
    longer = [" ".join(pair) for pair in zip(plain, plain[7:], strict=False)]
    return found + [_example(text, "plain", (), _PLAIN) for text in chain(plain, longer)]


def mixtures(some: Sequence[Example], chance: Random) -> list[tuple[Example, Example]]:
    """Pairs of texts of one source about different domains."""
    pairs = []
    for source in dict.fromkeys(each.source for each in some if each.domains):
        mine = [each for each in some if each.source == source and len(each.domains) == 1]
        drawn = [chance.sample(mine, 2) for _ in range(900 if source == FIRST else 500)]
        pairs += [(one, two) for one, two in drawn if one.domains != two.domains]
    return pairs


def _mixed(one: Example, two: Example) -> Example:
    stems = {stem: one.stems.get(stem, 0) + two.stems.get(stem, 0) for stem in chain(one.stems, two.stems)}
    forms = tuple(a + b for a, b in zip(one.forms, two.forms, strict=True))
    return Example("", one.source, one.domains + two.domains, _MIXTURE, stems, forms, one.content + two.content)


class WordNet:
    """The definitions of WordNet that are used, and which are a stem's own, with their weights."""

    def __init__(self, folder: Path) -> None:
        """Reads the database."""
        tags = self._tags(folder)
        glosses = {pos: self._glosses(folder, pos) for pos in _POS}
        said: dict[str, int] = defaultdict(int)
        for _, gloss, _ in chain.from_iterable(each.values() for each in glosses.values()):
            for word in re.findall("[a-z]+", gloss.lower()):
                said[word] += 1
        self.definitions: list[Definition] = []
        self.own: dict[str, list[tuple[int, float]]] = defaultdict(list)
        self.common: set[str] = set()
        places: dict[tuple[str, str], int] = {}
        for pos in _POS:
            for line in (folder / f"index.{pos}").read_text("latin-1").splitlines():
                name, *rest = line.split()
                if line.startswith(" ") or not name.isalpha() or len(name) < 3:
                    continue
                for rank, at in enumerate(rest[-int(rest[1]) :][:4]):
                    names, gloss, topic = glosses[pos][at]
                    count = tags.get((pos, name, at), 0)
                    often = said[name] >= 3
                    if count or topic or (often and rank < 2) or (said[name] and rank == 0 and name in names):
                        place = places.setdefault((pos, at), len(places))
                        if place == len(self.definitions):
                            self.definitions.append(self._definition(names, gloss))
                        weight = (count + 1) / (1 + rank) + (2 if topic else 0)
                        self._add(name, place, weight, common=bool(count or topic or often))

    def _add(self, name: str, place: int, weight: float, *, common: bool) -> None:
        for stem in _stems(name):
            self.own[stem].append((place, weight))
            if common:
                self.common.add(stem)

    @staticmethod
    def _definition(names: Sequence[str], gloss: str) -> Definition:
        text = ", ".join(name.replace("_", " ") for name in names[:4]) + ": " + gloss
        heads = frozenset(chain.from_iterable(_stems(name) for name in names if name.isalpha()))
        return Definition(text[:220], heads, _stems(text))

    @staticmethod
    def _tags(folder: Path) -> dict[tuple[str, str, str], int]:
        """How often each meaning of a word occurs in the texts that WordNet's makers counted."""
        found = {}
        for line in (folder / "index.sense").read_text("latin-1").splitlines():
            key, at, _, count = line.split()
            name, _, rest = key.partition("%")
            found[next(pos for pos, kinds in _POS.items() if rest[0] in kinds), name, at] = int(count)
        return found

    @staticmethod
    def _glosses(folder: Path, pos: str) -> dict[str, tuple[list[str], str, bool]]:
        """Names, gloss and whether there is a topic, by place."""
        found = {}
        for line in (folder / f"data.{pos}").read_text("latin-1").splitlines():
            if not line.startswith(" "):
                head, _, gloss = line.partition("|")
                at, _, _, count, *rest = head.split()
                names = [re.sub(r"\(.*\)", "", name) for name in rest[: 2 * int(count, 16) : 2]]
                found[at] = (names, gloss.strip(), ";c" in rest)
        return found


def _logistic(data: Any, wanted: Matrix, weights: Matrix, ridge: float, given: Matrix | float) -> tuple[Matrix, Matrix]:
    """One logistic regression for each domain: weights of features, and constants."""
    count, turned = data.shape[1], data.T.tocsr() if hasattr(data, "tocsr") else data.T
    each = np.where(wanted > 0.5, _BELONGS, 1.0) * weights[:, None]

    def loss(flat: Matrix) -> tuple[float, Matrix]:
        found, constants = flat[: count * _DOMAINS].reshape(count, _DOMAINS), flat[count * _DOMAINS :]
        sums = data @ found + constants + given
        miss = each * (1.0 / (1.0 + np.exp(-sums)) - wanted)
        value = (each * (np.logaddexp(0.0, sums) - wanted * sums)).sum() + 0.5 * ridge * (found**2).sum()
        return float(value), np.concatenate([(turned @ miss + ridge * found).ravel(), miss.sum(axis=0)])

    start = np.concatenate([np.zeros(count * _DOMAINS), np.full(_DOMAINS, -1.5)])
    flat = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 70}).x
    return flat[: count * _DOMAINS].reshape(count, _DOMAINS), flat[count * _DOMAINS :]


def _wanted(some: Sequence[Example]) -> Matrix:
    rows = np.zeros((len(some), _DOMAINS))
    for row, each in zip(rows, some, strict=True):
        row[list(each.domains)] = 1.0
    return rows


def _weights(some: Sequence[Example]) -> Matrix:
    """The weight of each example; all domains weigh the same."""
    counts = _wanted([each for each in some if len(each.domains) == 1]).mean(axis=0)
    return np.array([each.weight * (0.1 / counts[each.domains[0]] if len(each.domains) == 1 else 1.0) for each in some])


def _unit(rows: NDArray[Any]) -> NDArray[Any]:
    found: NDArray[Any] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return found


def _odds(wordnet: WordNet, judged: Matrix, some: Sequence[Example]) -> dict[str, Matrix]:
    """Logarithm of how much likelier each domain is where a stem occurs, domains in the mean taken off."""
    prior = judged.mean(axis=0)
    where: dict[str, list[int]] = defaultdict(list)
    for place, definition in enumerate(wordnet.definitions):
        for stem in definition.stems.keys() - definition.heads:
            where[stem].append(place)
    told: dict[str, Matrix] = defaultdict(lambda: np.zeros(_DOMAINS))
    single = [each for each in some if len(each.domains) == 1]
    shares = _wanted(single).mean(axis=0)
    for each in single:
        for stem in each.stems:
            told[stem][each.domains[0]] += 0.03 / shares[each.domains[0]]
    found = {}
    for stem in sorted({*wordnet.own, *(stem for stem, places in where.items() if len(places) >= 3)}):
        total, mass = 2.0 * prior, 2.0
        if own := wordnet.own.get(stem):
            parts = np.array([weight for _, weight in own])
            total, mass = total + 4.0 * (parts / parts.sum()) @ judged[[place for place, _ in own]], mass + 4.0
        if places := where.get(stem):
            more = 0.3 * min(len(places), 40) ** 0.7
            total, mass = total + more * judged[places].mean(axis=0), mass + more
        seen = 2.0 * told[stem] * prior * 10 if stem in told else np.zeros(_DOMAINS)
        share = (6.0 * total / mass + seen) / (6.0 + seen.sum())
        odds = np.log(np.maximum(share / prior, 1e-3))
        found[stem] = odds - odds.mean()
    return found


@cache
def _lists() -> dict[str, Matrix]:
    """The hand-made lists: weight of each stem in each domain."""
    lists = json.loads((resources.files("clew.analyze") / "data" / "domains.json").read_text("utf-8"))
    found: dict[str, Matrix] = defaultdict(lambda: np.zeros(_DOMAINS))
    for place, domain in enumerate(DOMAINS):
        for weight, words in lists[domain].items():
            for word in words.split():
                row = found[word_of(word).stem]
                row[place] = max(row[place], float(weight))
    return found


class _Columns:
    """The columns of the regression by words: stems, then hand-made lists, then signs of form."""

    def __init__(self, odds: Mapping[str, Matrix]) -> None:
        self.stems = {stem: place for place, stem in enumerate(odds)}
        self.odds = np.array(list(odds.values()))
        self.width = len(self.stems) + _DOMAINS + len(FORMS)

    def rows(self, some: Iterable[tuple[Mapping[str, int], Iterable[float], int, frozenset[str]]]) -> Any:
        """Stems, forms and number of content words of each text, and the stems that count double."""
        data, columns, ends = [], [], [0]
        for stems, forms, content, heads in some:
            scale = 1.0 / sqrt(content + _SMOOTHING)
            listed = np.zeros(_DOMAINS)
            for stem, count in stems.items():
                if stem in self.stems:
                    columns.append(self.stems[stem])
                    data.append(scale * (1.0 + 0.5 * log2(count)) * (2.0 if stem in heads else 1.0))
                if stem in _lists():
                    listed += _lists()[stem]
            columns += range(len(self.stems), self.width)
            data += [*(listed * scale), *(value * scale * _FORM_SCALE for value in forms)]
            ends.append(len(data))
        return csr_matrix((data, columns, ends), shape=(len(ends) - 1, self.width))


def _learn_words(wordnet: WordNet, judged: Matrix, some: Sequence[Example]) -> tuple[dict[str, Matrix], Matrix]:
    """The row of each stem and of each sign of form ("#" before its name), and the constants."""
    columns = _Columns(_odds(wordnet, judged, [each for each in some if each.text]))
    none = (0.0,) * len(FORMS)
    glosses = columns.rows((each.stems, none, len(each.stems), each.heads) for each in wordnet.definitions)
    texts = columns.rows((each.stems, each.forms, each.content, frozenset[str]()) for each in some)
    data = vstack([glosses, texts]).tocsr()
    prior = judged.mean(axis=0)
    weights = np.concatenate([_DEFINITION * (judged / prior).sum(axis=1) / _DOMAINS, _weights(some)])
    given = _ODDS * (data[:, : len(columns.stems)] @ columns.odds)
    found, constants = _logistic(data, np.vstack([judged, _wanted(some)]), weights, _RIDGE_WORDS, given)
    size = len(columns.stems)
    known = {stem: found[place] + _ODDS * columns.odds[place] for stem, place in columns.stems.items()}
    for stem, listed in _lists().items():
        row = known.get(stem, np.zeros(_DOMAINS)) + listed @ found[size : size + _DOMAINS]
        known[stem] = np.where(listed >= _TERM, np.maximum(row, _TERM_WEIGHT), row)
    seen = set(chain.from_iterable(each.stems for each in some)) | wordnet.common | set(_lists())
    rows = {stem: row for stem, row in known.items() if stem in seen and _is_content(stem)}
    for row in rows.values():
        row[_TALE] = max(row[_TALE], _AGAINST_TALE)
    for stem, listed in _lists().items():
        if word_of(stem).flags & FUNCTION:
            rows[stem] = listed * _OLD_PRONOUN
    rows = {stem: row for stem, row in rows.items() if np.abs(row).max() >= 0.45}
    for name, row in zip(FORMS, found[size + _DOMAINS :] * _FORM_SCALE, strict=True):
        rows["#" + name] = row
    for name, (place, weight) in _BY_HAND.items():
        rows["#" + name] = np.eye(_DOMAINS)[place] * weight
    return rows, constants


def _is_content(stem: str) -> bool:
    return re.fullmatch("[a-z]+", stem) is not None and not word_of(stem).flags & FUNCTION


def _line(name: str, row: Matrix) -> str:
    codes = np.clip(np.rint(row / STEP), 33 - ZERO, 126 - ZERO).astype(int) + ZERO
    return name + " " + "".join(map(chr, codes))


def learn(embedder: Embedder, wordnet: WordNet, some: Sequence[Example], out: Path) -> None:
    """Writes both files into a folder."""
    pairs = mixtures(some, Random(3))  # noqa: S311 - no secret
    mixed = [_mixed(one, two) for one, two in pairs]

    vectors = dict(zip([each.text for each in some], _unit(embedder.embed([each.text for each in some])), strict=True))
    both = _unit(np.array([vectors[one.text] + vectors[two.text] for one, two in pairs]))
    rows = np.vstack([[vectors[each.text] for each in some], both]).astype(np.float64)
    directions, offsets = _logistic(rows, _wanted([*some, *mixed]), _weights([*some, *mixed]), _RIDGE_VECTORS, 0.0)

    codes, scales = quantize(directions.T.astype(np.float32))
    kept = {
        "model": embedder.name.split("@")[1][:8],
        "scales": [round(float(scale), 6) for scale in scales],
        "offsets": [round(float(offset), 3) for offset in offsets],
        "codes": b64encode(codes.tobytes()).decode("ascii"),
    }
    (out / "domain_directions.json").write_text(json.dumps(kept, indent=1) + "\n", "utf-8")

    sums = _unit(embedder.embed([each.text for each in wordnet.definitions])) @ directions + offsets
    sharp = np.exp(sums - sums.max(axis=1, keepdims=True))
    words, constants = _learn_words(wordnet, sharp / sharp.sum(axis=1, keepdims=True), [*some, *mixed])
    words["#bias"] = constants
    lines = sorted(_line(name, row) for name, row in words.items())
    (out / FILE).write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))


def main() -> None:
    """Learns from all sources, or without some."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wordnet", type=Path)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--without", nargs="+", default=[], choices=[FIRST, *LEARNED], metavar="SOURCE")
    parser.add_argument("--each", choices=["families", "sources"])
    parser.add_argument("--out", type=Path, default=Path(str(resources.files("clew.analyze") / "data")))
    options = parser.parse_args()
    left_out = {options.out: set(options.without)}
    if options.each is not None:
        named = FAMILIES if options.each == "families" else {source: (source,) for source in (FIRST, *LEARNED)}
        left_out = {options.out / name: {*options.without, *sources} for name, sources in named.items()}
    embedder = RecordedEmbedder(choose_embedder("minilm")[0], options.vectors)
    wordnet = WordNet(options.wordnet)
    some = examples()
    for folder, sources in left_out.items():
        folder.mkdir(parents=True, exist_ok=True)
        learn(embedder, wordnet, [each for each in some if each.source not in sources], folder)


if __name__ == "__main__":
    main()
