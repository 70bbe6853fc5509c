"""Counting tokens by name."""

import sys

import pytest

from clew.errors import ConfigError, MissingExtra
from clew.text import counters
from clew.text.counters import counter, fits


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
    with pytest.raises(MissingExtra, match=r"clew\[tokens\]"):
        counter("openai")
    counters._openai.cache_clear()


@pytest.mark.requirement("F-TEXT-10")
def test_an_unknown_name_names_the_choices() -> None:
    with pytest.raises(ConfigError, match=r"'tiktoken'.*estimate, openai, words"):
        counter("tiktoken")


@pytest.mark.requirement("F-TEXT-10")
def test_a_function_is_a_counter_under_its_own_name() -> None:
    def characters(text: str) -> int:
        return len(text)

    own = counter(characters)
    assert (own.name, own("abc")) == ("characters", 3)
    assert counter(counter("words")).name == "words"
    assert fits("abc", 3, own)
    assert not fits("abcd", 3, own)
