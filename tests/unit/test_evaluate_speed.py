"""The speed suite on a few turns: that it measures what it says. Its figures are nobody's business here."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest

from clew.errors import InputError
from clew.evaluate.speed.clocks import quantile
from clew.evaluate.speed.footprint import measure_core
from clew.evaluate.speed.lookup import embed_questions
from clew.evaluate.speed.measure import Measure
from clew.evaluate.speed.references import FullText, scan
from clew.evaluate.speed.suite import run_speed
from clew.evaluate.speed.synthetic import MEAN_WORDS, SESSION, ConversationGenerator, vocabulary
from clew.evaluate.speed.vectors import DIM, EmbeddedOnce, RandomEmbedder
from clew.evaluate.tables import number, speed_sheet
from clew.memory import Memory
from clew.models.protocol import Matrix
from clew.text.stopwords import STOPWORDS


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [turn.text for turn in ConversationGenerator().turns(2000)]


@pytest.mark.requirement("F-BENCH-08")
def test_invented_text_is_the_same_every_time_and_spread_like_real_text(texts: list[str]) -> None:
    assert texts[:50] == [turn.text for turn in islice(ConversationGenerator().turns(2000), 50)]
    words = [word for text in texts for word in text.lower().replace(".", "").split()]
    assert len(words) / len(texts) == pytest.approx(MEAN_WORDS, abs=2)
    counts = [count for _, count in Counter(word for word in words if word not in STOPWORDS).most_common(10)]
    assert counts[0] == pytest.approx(10 * counts[9], rel=0.2)  # Zipf: the tenth is a tenth as frequent as the first
    assert len(set(words)) > 3000
    assert sum(word in STOPWORDS for word in words) / len(words) == pytest.approx(0.45, abs=0.02)


@pytest.mark.requirement("F-BENCH-08")
def test_invented_turns_are_a_conversation() -> None:
    turns = list(ConversationGenerator().turns(SESSION + 2))
    assert {turn.session for turn in turns} == {"s00000", "s00001"}
    assert [turn.role for turn in turns[:3]] == ["user", "assistant", "user"]
    assert all(a.at is not None and b.at is not None and a.at < b.at for a, b in pairwise(turns))


@pytest.mark.requirement("F-BENCH-08")
def test_probes_ask_for_words_that_are_there(texts: list[str]) -> None:
    probes = ConversationGenerator().probes(texts, 20)
    assert len(probes) == 20
    for probe in probes:
        assert any(all(word in text.lower() for word in probe.words) for text in texts)
        assert not STOPWORDS & set(probe.words)
        assert all(word in probe.question for word in probe.words)


@pytest.mark.requirement("F-BENCH-08")
def test_words_are_invented_once() -> None:
    words = vocabulary(700)
    assert len(words) == len(set(words)) == 700
    assert words == vocabulary(800)[:700]


@pytest.mark.requirement("F-BENCH-08")
def test_random_vectors_are_of_length_one_and_each_text_has_its_own() -> None:
    embedder = RandomEmbedder()
    rows = embedder.embed(["a", "b", "a", ""])
    assert rows.shape == (4, DIM)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(4), abs=1e-6)
    assert np.array_equal(rows[0], rows[2])
    assert abs(float(rows[0] @ rows[1])) < 0.3


@pytest.mark.requirement("F-BENCH-08")
def test_quantile_is_the_nearest_rank() -> None:
    values = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert [quantile(values, share) for share in (0.2, 0.5, 0.95, 1.0)] == [1.0, 3.0, 5.0, 5.0]
    assert quantile([7.0], 0.5) == 7.0


@pytest.mark.requirement("F-BENCH-08")
def test_references_do_the_work(tmp_path: Path, texts: list[str]) -> None:
    index = FullText(tmp_path / "fts.db")
    assert index.add(texts[:600]) > 0
    assert index.search(ConversationGenerator().probes(texts[:600], 1)[0].words).wall > 0
    index.close()
    rows = RandomEmbedder().embed(texts[:60])
    assert scan(rows, rows[0]).wall > 0


@pytest.mark.requirement("F-BENCH-08")
def test_the_core_is_counted() -> None:
    packages, size = measure_core()
    assert 7 <= packages.value < 40
    assert 10 < size.value < 1000


@pytest.mark.slow
@pytest.mark.requirement("F-BENCH-08")
@pytest.mark.usefixtures("tmp_home")
def test_the_suite_measures_every_bar_beside_its_reference() -> None:
    said: list[str] = []
    found = {measure.name: measure for measure in run_speed((60,), probes=3, adds=48, on_progress=said.append)}
    assert set(found) >= {
        "start",
        "core.packages",
        "core.size",
        "add.wall",
        "add.processor",
        "add.concurrent",
        "ingest.acknowledged",
        "ingest.derived",
        "recall.wall",
        "recall.processor",
        "recall.scan",
        "recall.tail",
        "search.processor",
        "disk",
        "open",
    }
    assert "ingest.flatness" not in found  # one window tells nothing
    assert all(measure.value > 0 for name, measure in found.items() if name != "resident")
    assert found["recall.wall"].turns == 60
    assert found["ingest.derived"].value <= found["ingest.acknowledged"].value
    assert len(said) >= 5


@pytest.mark.requirement("F-BENCH-08")
@pytest.mark.parametrize("sizes", [(), (3,)])
def test_too_few_turns_are_refused(sizes: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="sizes"):
        run_speed(sizes)


@pytest.mark.requirement("F-BENCH-08")
def test_the_table_shows_ratios() -> None:
    with_reference = Measure(name="a", title="a", value=30, unit="ms", turns=9, reference=20, against="b")
    alone = Measure(name="c", title="c", value=0.01234, unit="s")
    assert speed_sheet([with_reference, alone]).rows == (
        ("a (9 turns)", "30.0", "20.0", "ms", "1.50", "b"),
        ("c", "0.0123", "-", "s", "-", "-"),
    )
    assert [number(value) for value in (0, 1234.5, 99.96, 0.5)] == ["0", "1,234", "100.0", "0.500"]


class CountingEmbedder(RandomEmbedder):
    """Counts the texts that it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def embed(self, texts: Sequence[str]) -> Matrix:
        self.count += len(texts)
        return super().embed(texts)


@pytest.mark.requirement("F-BENCH-08")
def test_a_recall_is_measured_without_embedding_its_question() -> None:
    inner, writer = CountingEmbedder(), ConversationGenerator()
    embedder, turns = EmbeddedOnce(inner), list(writer.turns(60))
    probes = writer.probes([turn.text for turn in turns], 5)
    embed_questions(embedder, probes)
    with Memory.open(":memory:", embedder=embedder) as memory:
        memory.add_many(turns)
        assert memory.drain()
        before = inner.count
        for probe in probes:
            assert memory.recall(probe.question, budget=500).items
        assert inner.count == before > 0
