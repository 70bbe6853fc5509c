"""Properties of the analysis for any text."""

import base64
import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.analyze.coherence import coherence
from clew.analyze.domains import TAGS, domains_with_vector, tags
from clew.analyze.layer1 import relational_weight, relational_weight_joint, word_weights
from clew.analyze.lexicon import DOMAINS
from clew.analyze.nuance import FLAGS, nuance
from clew.analyze.prototypes import Prototypes
from clew.analyze.weigh import weigh, weigh_joint
from clew.analyze.words import ANALYSED_CHARACTERS, read, read_joined
from clew.text.sentences import paragraph_spans, sentence_spans

WORDS = (
    "the a of in is was may not never please because she it you I my cache memory redis hive bees honey quantum photon "
    "court patient died love hate open don't John's 42 3.14 naïve 我们 公园 は コーヒー 학교는 हिन्दी ที่นี่ שלום مرحبا 😀"
).split()
MARKS = [" ", " ", " ", ". ", "? ", "! ", ", ", "\n", "\n\n", "... ", " - ", "。", '"', "…", "\ud800", "İ", "'"]
prose = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(MARKS)), max_size=80).map(
    lambda parts: "".join(word + mark for word, mark in parts)
)
texts = st.one_of(prose, st.text(max_size=400), st.text(st.characters(), max_size=60))

KEYWORDS = (
    "redis cache latency memory server index shard replica quantum photon spin energy tenant lease rent court".split()
)
keyword_lists = st.lists(
    st.tuples(
        st.lists(st.sampled_from(KEYWORDS), min_size=1, max_size=8),
        st.sampled_from([" ", ", ", "; ", " / ", " | "]),
        st.sampled_from([". ", "! ", "\n", "\n\n", "? "]),
    ),
    max_size=14,
).map(lambda rows: "".join(comma.join(words).capitalize() + end for words, comma, end in rows))

MESH = (
    "The cache keeps hot keys in memory. When memory fills, the cache evicts the oldest keys. Eviction raises latency, "
    "because the server must fetch those keys from the database. A larger memory lowers eviction, so the server "
    "answers with less latency. The database is spared when the cache holds the hot keys."
)


@pytest.mark.requirement("F-ANALYZE-14")
@given(texts)
def test_scores_are_in_range_and_tags_are_known(text: str) -> None:
    weighed = weigh(text)
    layer1 = weighed.layer1
    words = [weight for _, weight in word_weights(text)]
    scores = [weighed.coherence, layer1.score, *layer1.sentences, *layer1.paragraphs, *words]
    assert all(math.isfinite(score) and 0.0 <= score <= 1.0 for score in scores)
    assert set(weighed.domains) <= set(TAGS)
    assert len(set(weighed.domains)) == len(weighed.domains) > 0
    assert list(weighed.nuance) == [flag for flag in FLAGS if flag in weighed.nuance]
    assert sum(weighed.domain_weights.values()) == pytest.approx(1.0 if weighed.domain_weights else 0.0)
    assert len(layer1.sentences) == len(sentence_spans(text))
    assert len(layer1.paragraphs) == len(paragraph_spans(text))


@pytest.mark.requirement("F-ANALYZE-14")
@given(texts, texts)
def test_the_same_text_always_gives_the_same_result(text: str, other: str) -> None:
    first = weigh(text)
    weigh(other)
    assert weigh(text) == first


@pytest.mark.requirement("F-ANALYZE-14", "F-ANALYZE-04")
@given(st.lists(texts, max_size=5))
def test_pieces_weighed_together_keep_all_but_layer_1(pieces: list[str]) -> None:
    together = weigh_joint(pieces)
    assert len(together) == len(pieces)
    for piece, weighed in zip(pieces, together, strict=True):
        assert 0.0 <= weighed.layer1.score <= 1.0
        assert (weighed.coherence, weighed.nuance) == (coherence(piece), nuance(piece))


@pytest.mark.requirement("F-ANALYZE-01")
@given(texts)
def test_every_visible_character_is_in_one_sentence(text: str) -> None:
    spans = sentence_spans(text)
    covered = [at for start, end in spans for at in range(start, end)]
    assert covered == sorted(set(covered))
    assert {at for at, char in enumerate(text) if not char.isspace()} <= set(covered)
    assert all(text[start:end].strip() == text[start:end] != "" for start, end in spans)
    assert all(any(p <= start and end <= q for p, q in paragraph_spans(text)) for start, end in spans)


@pytest.mark.requirement("F-ANALYZE-03")
@given(keyword_lists)
def test_a_list_of_keywords_scores_low_alone_and_with_other_text(stuffed: str) -> None:
    assert relational_weight(stuffed).score <= 0.35
    assert relational_weight_joint([MESH, stuffed])[1].score <= 0.35


@pytest.mark.requirement("F-ANALYZE-03")
@given(st.randoms(use_true_random=False), st.integers(1, 12), st.sampled_from([", ", "; ", "\n- "]))
def test_connected_text_scores_above_a_list_of_its_words(chance: random.Random, length: int, comma: str) -> None:
    words = MESH.replace(".", "").replace(",", "").split()
    chance.shuffle(words)
    rows = [comma.join(words[at : at + length]) for at in range(0, len(words), length)]
    assert relational_weight(". ".join(rows)).score < relational_weight(MESH).score


@pytest.mark.requirement("F-ANALYZE-09")
@given(st.dictionaries(st.sampled_from(DOMAINS), st.just(0.5)))
def test_a_crossing_needs_two_domains_beyond_conversation(weights: dict[str, float]) -> None:
    crossing = "cross_domain" in tags(weights)
    assert not (crossing and len(set(weights) - {"conversational"}) < 2)
    assert crossing or not {"legal", "physics"} <= set(weights)


AWKWARD = {
    "empty": "",
    "white space": " \n\t " * 5_000,
    "one word": "Hm",
    "emoji": "😀🎉👍🏽" * 8_000,
    "no sentence end": "word another thing " * 5_300,
    "no space": "a" * 100_000,
    "ends only": "x.\n" * 33_000,
    "marks only": ".?!," * 25_000,
    "brackets": "(" * 100_000,
    "unspaced script": "我们今天去公园" * 14_300,
    "right to left": "שלום עולם، مرحبا بالعالم. " * 4_000,
    "Devanagari": "नमस्ते दुनिया। " * 6_000,
    "code": "def f(x):\n    return {key: [y for y in x if y] for key in 'ab'}\n\n" * 1_500,
    "table": "| name | value |\n|---|---|\n| a | 1 |\n" * 2_500,
    "base64": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo" * 2_800,
    "lone surrogates": "\ud800\udfff " * 30_000,
    "controls": "".join(map(chr, range(32))) * 3_000,
    "verse": "A line of verse without an end\n" * 3_200,
    "one hub": "I keep the bees and the bees keep me. " * 2_700,
    "quotes": '"' * 50_000 + "he said",
}


@pytest.mark.requirement("W-WEIGH-06")
@pytest.mark.parametrize("kind", AWKWARD)
def test_awkward_text_is_weighed_in_range(kind: str) -> None:
    weighed = weigh(AWKWARD[kind])
    scores = [weighed.coherence, weighed.layer1.score, *weighed.layer1.sentences, *weighed.layer1.paragraphs]
    assert all(math.isfinite(score) and 0.0 <= score <= 1.0 for score in scores)
    assert weighed.domains
    assert all(0.0 <= weight <= 1.0 for _, weight in word_weights(AWKWARD[kind]))


@pytest.mark.requirement("W-WEIGH-06")
@pytest.mark.parametrize("kind", [kind for kind in AWKWARD if kind not in ("empty", "one word")])
def test_text_beyond_the_limit_costs_nothing(kind: str) -> None:
    # Twice the text is the same work: what lies beyond is not read, so cost is bounded whatever its length.
    assert weigh(AWKWARD[kind] * 2) == weigh((AWKWARD[kind] * 2)[:ANALYSED_CHARACTERS])


@pytest.mark.requirement("W-WEIGH-06")
@given(st.lists(texts, min_size=1, max_size=4), st.integers(0, 9))
def test_scores_are_in_range_for_any_window_and_neighbours(pieces: list[str], window: int) -> None:
    for weighed in relational_weight_joint(pieces, window):
        scores = [weighed.score, *weighed.sentences, *weighed.paragraphs]
        assert all(math.isfinite(score) and 0.0 <= score <= 1.0 for score in scores)


@pytest.mark.requirement("W-WEIGH-06")
@given(st.binary(min_size=90, max_size=900))
def test_base64_is_hardly_coherent(data: bytes) -> None:
    assert coherence(base64.b64encode(data).decode("ascii")) <= 0.3


@pytest.mark.requirement("W-WEIGH-04")
@given(texts, st.lists(st.floats(-1, 1, width=32), min_size=10, max_size=10))
def test_any_text_and_vector_give_shares_of_known_domains(text: str, numbers: list[float]) -> None:
    known = Prototypes("axes", np.eye(10, dtype=np.float32), np.zeros(10, np.float32))
    weights = domains_with_vector(read(text), np.array(numbers, np.float32), known)
    assert set(weights) <= set(DOMAINS)
    assert sum(weights.values()) == pytest.approx(1.0 if weights else 0.0)
    assert list(weights.values()) == sorted(weights.values(), reverse=True)


@pytest.mark.requirement("F-SPEED-44")
@given(st.lists(texts, max_size=5))
def test_texts_that_were_read_one_by_one_are_read_together_as_one_text(some: list[str]) -> None:
    assert read_joined([read(text) for text in some]) == read("\n".join(some))
