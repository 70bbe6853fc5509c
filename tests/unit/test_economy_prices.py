"""Prices and rules of caches: which model has which, from where, and how a user replaces them."""

from datetime import date
from pathlib import Path

import pytest

from clew.errors import ConfigError
from clew.serve.proxy.economy.cache_model import CacheUse
from clew.serve.proxy.economy.prices import CacheKind, PriceList, price_list


@pytest.mark.requirement("P-ECO-01")
def test_each_price_has_its_date_and_page_and_each_provider_its_rules() -> None:
    prices = price_list()
    for model, provider in (("claude-opus-5-5", "claude"), ("gpt-5.4", "openai"), ("gemini-2.5-pro", "google")):
        price = prices.price(model)
        assert price is not None
        assert price.checked >= date(2026, 11, 1)
        assert price.source.startswith("https://")
        assert provider in price.source
        assert price.read < price.miss <= price.write <= price.write_long
    marks = prices.rules("anthropic", "claude-sonnet-4-5")
    assert (marks.kind, marks.marks, marks.seconds, marks.seconds_long) == (CacheKind.MARKS, 4, 300, 3600)
    assert prices.rules("anthropic", "claude-haiku-4-5").minimum == 4096
    steps = prices.rules("openai", "gpt-4o")
    assert (steps.kind, steps.minimum, steps.step) == (CacheKind.AUTOMATIC, 1024, 128)
    assert prices.rules("responses", "gpt-6-sol").kind is CacheKind.POINTS
    assert prices.rules("gemini", "gemini-2.5-flash").minimum == 2048


@pytest.mark.requirement("P-ECO-01")
def test_what_anthropic_charges_for_writing_and_reading_follows_its_factors() -> None:
    price = price_list().price("claude-opus-4-1")
    assert price is not None
    assert (price.write, price.write_long, price.read) == (1.25 * price.miss, 2 * price.miss, 0.1 * price.miss)


@pytest.mark.requirement("P-ECO-02")
@pytest.mark.parametrize(
    ("given", "model"),
    [
        ("claude-opus-4-1-20250805", "claude-opus-4-1"),
        ("anthropic/claude-opus-4-1", "claude-opus-4-1"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5[1m]", "claude-sonnet-4-5"),
        ("claude-opus-4-5@20251101", "claude-opus-4-5"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("models/gemini-2.5-flash-preview-09-2025", "gemini-2.5-flash"),
        ("gemini-2.5-flash-lite", "gemini-2.5-flash-lite"),
        ("GPT-5-mini", "gpt-5-mini"),
    ],
)
def test_a_date_or_an_alias_is_the_same_model(given: str, model: str) -> None:
    price = price_list().price(given)
    assert price is not None
    assert price.model == model


@pytest.mark.requirement("P-ECO-02")
@pytest.mark.parametrize("given", ["claude-opus-5-7", "gpt-5.45", "gpt-4o-audio", "llama3", "", "o1-pro", "gpt-5-pro"])
def test_a_model_that_is_not_in_the_list_has_no_price(given: str) -> None:
    assert price_list().price(given) is None
    assert price_list().rules("openai", given) == price_list().rules("openai", "gpt-4o")


@pytest.mark.requirement("P-ECO-03")
def test_a_file_of_the_user_goes_before_the_package(tmp_path: Path) -> None:
    own = tmp_path / "prices.toml"
    own.write_text(
        """checked = 2027-01-02
[[provider]]
name = "anthropic"
prices = "our contract"
model = [{ names = ["claude-opus-4-1", "in-house"], miss = 1.0, read = 0.5, output = 2.0, minimum = 7 }]
"""
    )
    prices = price_list(str(own))
    price = prices.price("claude-opus-4-1")
    assert price is not None
    assert (price.miss, price.write, price.source, price.checked) == (1.0, 1.0, "our contract", date(2027, 1, 2))
    assert prices.rules("anthropic", "in-house").minimum == 7
    assert prices.rules("anthropic", "in-house").lookback == 20
    assert prices.price("gpt-4o") == price_list().price("gpt-4o")


@pytest.mark.requirement("P-ECO-03")
@pytest.mark.parametrize(
    "text", ["checked = ", "a = 1", 'checked = 2026-01-01\n[[provider]]\nname = "x"\nmodel = [{}]']
)
def test_a_broken_file_of_the_user_is_named(tmp_path: Path, text: str) -> None:
    own = tmp_path / "prices.toml"
    own.write_text(text)
    with pytest.raises(ConfigError, match="prices"):
        price_list(str(own))
    with pytest.raises(ConfigError, match=r"missing\.toml"):
        price_list(str(tmp_path / "missing.toml"))


@pytest.mark.requirement("P-ECO-01")
def test_a_long_request_is_dearer_in_all() -> None:
    price = price_list().price("claude-haiku-5-5")
    assert price is not None
    assert CacheUse(read=50_000, missed=50_000).cost(price) == pytest.approx(50_000 * (0.1 + 0.01))
    assert CacheUse(read=50_001, missed=50_000).cost(price) == pytest.approx(5 * (50_000 * 0.1 + 50_001 * 0.01))


@pytest.mark.requirement("P-ECO-03")
def test_tables_of_another_form_are_refused() -> None:
    with pytest.raises(ConfigError, match="expected the form"):
        PriceList([{"checked": date(2026, 1, 1), "provider": [{"model": [{}]}]}])
