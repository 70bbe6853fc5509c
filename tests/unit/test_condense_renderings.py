"""Extractive renderings: what they keep, how they are marked, what is known of them."""

import hashlib
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.condense.renderings import ELLIPSIS, SALIENT, TITLE, render_salient, render_title, salient, title
from clew.text.counters import counter
from clew.text.evidence import evidence
from clew.types.record import Record

ESTIMATE: Final = counter("estimate")
FILLER: Final = "So that is more or less how it goes, and then it goes on like that for a while. " * 4
TEXT: Final = (
    f"We moved the session store. {FILLER}\n\nRedis 7.2.4 now runs on port 6379 with `redis-server /etc/redis.conf`. "
    f"{FILLER}The deploy failed with ConnectionError: no route to host.\n\n{FILLER}\n\n"
    f"Anna pays $120 a month since 2024-03-01. {FILLER}"
)


@pytest.mark.requirement("F-PACK-06")
def test_evidence_is_found_by_kind() -> None:
    text = (
        "See https://clew.example/docs and run `pip install clew` in ~/work/api/main.py on 2024-05-07: it took 350 ms, "
        "set max_retries, call loadConfig() and hit KeyError: 'id'"
    )
    found = {kind: text[start:end] for start, end, kind in evidence(text)}
    assert found["url"] == "https://clew.example/docs"
    assert found["command"] == "pip install clew"
    assert found["path"] == "~/work/api/main.py"
    assert found["date"] == "2024-05-07"
    assert found["number"] == "350 ms"
    assert found["error"].startswith("KeyError: 'id'")
    kinds = [kind for _, _, kind in evidence(text)]
    assert kinds.count("identifier") == 2


@pytest.mark.requirement("F-PACK-06")
def test_salient_keeps_the_evidence_in_its_order_and_marks_what_is_left_out() -> None:
    shown = salient(TEXT)
    assert len(shown) < len(TEXT) / 2
    marks = ["Redis 7.2.4", "ConnectionError", "$120 a month"]
    places = [shown.index(mark) for mark in marks]
    assert places == sorted(places)
    assert f" {ELLIPSIS} " in shown
    assert shown.endswith(ELLIPSIS)


@pytest.mark.requirement("F-PACK-06")
def test_a_rendering_knows_its_tokens_source_and_coverage() -> None:
    short = render_salient(TEXT, ESTIMATE)
    assert (short.kind, short.method) == ("salient", "extract")
    assert short.tokens == ESTIMATE(short.text)
    assert short.source == hashlib.sha256(TEXT.encode()).hexdigest()
    assert short.coverage == 1.0
    assert render_title(TEXT, ESTIMATE).coverage == 0.0
    assert render_title("Nothing to lose here.", ESTIMATE).coverage == 1.0
    assert isinstance(short, Record)
    assert type(short).from_dict(short.to_dict()) == short


@pytest.mark.requirement("F-PACK-06")
def test_layer_1_decides_between_sentences_that_are_alike_otherwise() -> None:
    sentences = [f"The {name} stands beside the {name} house today." for name in ("red", "old", "new", "big")]
    text = " ".join(sentences)
    for best in range(1, 4):
        weights = [1.0 if place == best else 0.0 for place in range(4)]
        assert sentences[best] in salient(text, weights=weights, most=60)


@pytest.mark.requirement("F-PACK-06")
def test_a_short_text_is_its_own_salient_rendering_and_a_title_is_one_line() -> None:
    assert salient("  Only this.  ") == "Only this."
    assert title("# Plan\n\nWe deploy the service on Friday. Then we rest.") == "We deploy the service on Friday."
    assert title("Ok") == "Ok"
    assert title("") == ""
    assert title("word " * 100).endswith(ELLIPSIS)


scripts = st.text(max_size=2_000) | st.lists(
    st.sampled_from(
        ("喝茶。", "Привет. ", "नमस्ते। ", "a. ", "\n\n", "https://x.example ", "🦊", "x" * 300, "12 ms ", "\ud800")
    ),
    max_size=400,
).map("".join)


@pytest.mark.requirement("F-PACK-07")
@given(scripts, st.integers(1, 600))
def test_renderings_are_total_bounded_and_the_same_each_time(text: str, most: int) -> None:
    shown = salient(text, most=most)
    bare = shown.replace(ELLIPSIS, "")
    assert len("".join(bare.split())) <= most
    assert bool(shown.strip()) == bool(text.strip())
    assert salient(text, most=most) == shown
    name = title(text)
    assert len(name) <= TITLE
    assert "\n" not in name
    for part in shown.split(ELLIPSIS):
        assert part.strip() in text or " ".join(part.split()) in " ".join(text.split())


@pytest.mark.requirement("F-PACK-07")
@given(scripts)
def test_evidence_never_overlaps_and_stays_in_the_text(text: str) -> None:
    last = 0
    for start, end, _ in evidence(text):
        assert last <= start < end <= len(text)
        last = end


@pytest.mark.requirement("F-PACK-07")
@pytest.mark.parametrize(
    "text",
    ["a" * 9_000, "/" * 20_000, "a_" * 10_000, "`" * 20_001, "www." * 5_000, "x=\\" * 5_000, "a. " * 9_000],
)
def test_a_giant_text_of_one_kind_is_no_trap(text: str) -> None:
    assert len(salient(text)) <= SALIENT + 2 * len(ELLIPSIS) * (SALIENT // 2)
    assert len(title(text)) <= TITLE
