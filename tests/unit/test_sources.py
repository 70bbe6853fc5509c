"""The texts that domains are learned from and measured on, by source."""

from collections import Counter
from itertools import chain

import pytest

from benchmarks.hsca_sources import table_row
from benchmarks.sources import FAMILIES, FIRST, LEARNED, NEVER_LEARNED, family_of, parts_of, texts_of
from clew.analyze.lexicon import DOMAINS
from clew.evaluate.hsca.bank import of_kind
from tests.house.tree import ROOT

SOURCES = (*LEARNED, *NEVER_LEARNED)


@pytest.mark.requirement("W-EVAL-09")
def test_every_source_is_either_learned_from_or_never() -> None:
    files = sorted(path.stem for path in (ROOT / "benchmarks" / "data" / "bank").glob("*.txt"))
    assert files == sorted(SOURCES)
    assert not set(LEARNED) & set(NEVER_LEARNED)
    assert sorted(chain.from_iterable(FAMILIES.values())) == sorted((FIRST, *LEARNED))
    assert all(source in FAMILIES[family_of(source)] for source in (FIRST, *LEARNED))


@pytest.mark.requirement("W-EVAL-09")
@pytest.mark.parametrize("source", SOURCES)
def test_a_source_has_texts_of_every_domain(source: str) -> None:
    texts = texts_of(source)
    threads, passages = of_kind(texts, "thread"), of_kind(texts, "passage")
    assert Counter(each.domains for each in threads) == {(domain,): 2 for domain in DOMAINS}
    assert {len(each.lines) for each in threads} == {8}
    assert Counter(each.domains for each in passages) == {(domain,): 1 for domain in DOMAINS}
    crossings = of_kind(texts, "crossing")
    assert len(crossings) >= 5
    assert {len(each.domains) for each in crossings} == {2}
    assert {domain for each in texts for domain in each.domains} == set(DOMAINS)
    assert len({each.name for each in of_kind(texts, "bridge")}) == 3


@pytest.mark.requirement("W-EVAL-09")
def test_no_text_is_in_two_sources() -> None:
    named = Counter(each.text for source in (*parts_of(FIRST), *SOURCES) for each in texts_of(source))
    assert {text for text, count in named.items() if count > 1} == set()


@pytest.mark.requirement("W-EVAL-09")
def test_a_row_shows_each_way_beside_the_other() -> None:
    assert table_row("a", [(90.0, 80.5), (100.0, 81.0)]) == "| a | 90.0 / 100.0 | 80.5 / 81.0 |  |  |  |  |"
