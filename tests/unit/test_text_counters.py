"""Counting tokens by name."""

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew import Memory, Turn
from clew.errors import ConfigError, InputError, MissingExtra
from clew.text import counters
from clew.text.counters import counter, fits
from clew.text.o200k import o200k_tokens


@pytest.mark.requirement("F-TEXT-10")
@pytest.mark.parametrize(
    ("name", "text", "tokens"),
    [
        ("estimate", "", 0),
        ("estimate", "abcd", 1),
        ("estimate", "abcde", 2),
        ("words", "", 0),
        ("words", "one two three", 4),
        ("words", "one two three four", 5),
    ],
)
def test_counts_by_formula(name: str, text: str, tokens: int) -> None:
    assert counter(name)(text) == tokens
    assert counter(name).name == name


@pytest.mark.requirement("F-TEXT-10")
@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("hello world", 2), ("tiktoken is great!", 6), ("a\ud800b", 3)])
def test_openai_counts_byte_pairs(text: str, tokens: int) -> None:
    pytest.importorskip("bpe_openai", reason="the extra [tokens] is not installed")
    assert counter("openai")(text) == tokens
    assert counter("openai")("<|endoftext|>") > 1, "text is text, never a control token"


@pytest.mark.requirement("F-TEXT-10")
def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bpe_openai", None)
    counters._openai.cache_clear()
    o200k_tokens.cache_clear()
    with pytest.raises(MissingExtra, match=r"clew\[tokens\]"):
        counter("openai")
    counters._openai.cache_clear()
    o200k_tokens.cache_clear()


@pytest.mark.requirement("F-TEXT-10")
def test_an_unknown_name_names_the_choices() -> None:
    with pytest.raises(ConfigError, match=r"'gemma'.*estimate, openai, words, anthropic, anthropic-3"):
        counter("gemma")


@pytest.mark.requirement("F-TEXT-10")
def test_a_function_is_a_counter_under_its_own_name() -> None:
    def characters(text: str) -> int:
        return len(text)

    own = counter(characters)
    assert (own.name, own("abc")) == ("characters", 3)
    assert counter(counter("words")).name == "words"
    assert fits("abc", 3, own)
    assert not fits("abcd", 3, own)


class Reconstruction(ModuleType):
    """Stands for the package `ctok`: 7 tokens for a message, and one for each word of its text."""

    def token_count(self, text: str, version: str) -> int:
        return 7 + len(text.split()) * (2 if version == "4.8" else 1)


def without(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    for package in packages:
        monkeypatch.setitem(sys.modules, package, None)
    counters._anthropic_by.cache_clear()
    counters._openai.cache_clear()
    o200k_tokens.cache_clear()


@pytest.fixture
def _fresh() -> Iterator[None]:
    yield
    counters._anthropic_by.cache_clear()
    counters._openai.cache_clear()
    o200k_tokens.cache_clear()


@pytest.mark.usefixtures("_fresh")
@pytest.mark.requirement("F-COUNTER-01")
def test_claude_s_counter_falls_back_as_the_source_says(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("bpe_openai", reason="the extra [tokens] is not installed")
    without(monkeypatch)
    monkeypatch.setitem(sys.modules, "ctok", Reconstruction("ctok"))
    assert (counter("anthropic").name, counter("anthropic")("a b c")) == ("anthropic/ctok", 5)  # 6 less the frame's odd
    assert (counter("anthropic-3").name, counter("anthropic-3")("a b c")) == ("anthropic-3/ctok", 3)
    without(monkeypatch, "ctok")
    assert (counter("anthropic").name, counter("anthropic")("hello world")) == ("anthropic/o200k", 4)  # 2 * 1.53
    without(monkeypatch, "ctok", "bpe_openai")
    assert counter("anthropic").name == "anthropic/classes"
    with pytest.raises(MissingExtra, match=r"'anthropic/ctok' needs the package ctok.*clew\[tokens\]"):
        counter("anthropic/ctok")


@pytest.mark.requirement("F-COUNTER-01")
def test_the_name_of_a_counter_repeats_its_count() -> None:
    for name in counters.NAMES:
        first = counter(name)
        assert counter(first.name).name == first.name
        assert counter(first.name)("Read src/app.py, line 20.") == first("Read src/app.py, line 20.")
    assert counter("tiktoken").name == "openai"


@pytest.mark.usefixtures("_fresh")
@pytest.mark.requirement("D-VC-02")
def test_tiktoken_is_estimated_where_its_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "bpe_openai")
    with pytest.raises(MissingExtra):
        counter("openai")
    assert (counter("tiktoken").name, counter("tiktoken")("hello world")) == ("estimate", 3)
    with Memory.open(":memory:", embedder="none", config={"counter": "tiktoken"}) as memory:
        memory.add(Turn(role="user", content="We picked Redis."))
        assert memory.recall("what did we pick?").tokens > 0


@pytest.mark.requirement("F-COUNTER-02")
@pytest.mark.parametrize("name", ["anthropic/classes", "anthropic-3/classes"])
@given(text=st.text(max_size=200))
def test_classes_count_any_text(name: str, text: str) -> None:
    tokens = counter(name)(text)
    assert tokens == counter(name)(text)
    assert (tokens == 0) == (text == "")
    assert tokens <= 4 * len(text.encode("utf-8", "surrogatepass")) + 1


@pytest.mark.requirement("F-COUNTER-02")
@pytest.mark.parametrize(
    ("text", "published", "published_3"),
    [
        ("We decided to keep the carts in Redis, since two workers lost updates in March.", 25, 18),
        ("def total(prices: list[float]) -> float:\n    return round(sum(prices), 2)\n", 29, 24),
        ("Мы решили хранить корзины в базе, потому что обновления терялись.", 25, 25),
        ("我们决定把购物车放在数据库里，因为更新会丢失。", 24, 25),
    ],
)
def test_classes_are_near_the_published_counts(text: str, published: int, published_3: int) -> None:
    for name, tokens in (("anthropic/classes", published), ("anthropic-3/classes", published_3)):
        assert counter(name)(text) == pytest.approx(tokens, rel=0.35)


@pytest.mark.requirement("F-COUNTER-03")
def test_a_function_may_give_fractions_but_no_endless_number() -> None:
    with Memory.open(":memory:", embedder="none") as memory:
        memory.add_many(
            Turn(
                role="user" if n % 2 else "assistant",
                content=f"The garden {n} needs water. " * (1 + n % 7),
                session="s",
            )
            for n in range(40)
        )
        assert memory.drain(200)
        assert memory.condense("s", force=True, dry_run=True, counter=cast(Any, lambda text: len(text) / 4)).chosen
        with pytest.raises(InputError, match="gave inf; expected the number of tokens"):
            memory.condense("s", force=True, dry_run=True, counter=cast(Any, lambda _: float("inf")))
