"""From a setting to an embedder."""

import logging
import sys
from pathlib import Path
from typing import Any

import pytest

from clew.errors import ConfigError, InputError, MissingExtra
from clew.models.choose import CHOICES, _warn_once, choose_embedder
from clew.models.libraries import installed_version
from clew.models.minilm import CARRIERS, find_minilm
from clew.testing import HashEmbedder, ScriptedLLM


@pytest.mark.requirement("F-MODELS-11")
@pytest.mark.parametrize("setting", [None, "none"])
def test_none_is_no_embedder(setting: str | None) -> None:
    embedder, reason = choose_embedder(setting)
    assert embedder is None
    assert "none" in reason


@pytest.mark.requirement("F-MODELS-11")
def test_an_embedder_is_taken_as_it_is() -> None:
    given = HashEmbedder()
    assert choose_embedder(given) == (given, "hash-64@1, as given")


@pytest.mark.requirement("F-MODELS-11")
def test_a_language_model_is_no_embedder() -> None:
    given: Any = ScriptedLLM([])
    with pytest.raises(InputError, match="is not an embedder"):
        choose_embedder(given)


@pytest.mark.requirement("F-MODELS-05", "F-MODELS-11")
@pytest.mark.parametrize("setting", ["auto", "minilm"])
def test_the_local_model_is_chosen_where_it_is_installed(setting: str) -> None:
    expected, reason = find_minilm()
    if expected is None:
        pytest.skip(reason)
    embedder, chosen_reason = choose_embedder(setting)
    assert embedder is not None
    assert (embedder.name, chosen_reason) == (expected.name, reason)


class _FindsNothing:
    def find_spec(self, *_: object) -> None:
        """Finds no package."""


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No package is found, as on a machine with the core alone, and nothing was said of it yet."""
    monkeypatch.setattr(sys, "meta_path", [_FindsNothing()])
    monkeypatch.delitem(sys.modules, "onnxruntime", raising=False)
    _warn_once.cache_clear()


@pytest.mark.requirement("F-MODELS-05")
def test_without_a_local_model_auto_says_so_once(nothing_installed: None, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    answers = [choose_embedder("auto") for _ in range(3)]
    assert {embedder for embedder, _ in answers} == {None}
    warned = [record for record in caplog.records if record.name == "clew.models"]
    assert [record.getMessage() for record in warned] == [answers[0][1]]
    with pytest.raises(MissingExtra, match=r"clew\[embed\]"):
        choose_embedder("minilm")


@pytest.mark.requirement("F-MODELS-11")
@pytest.mark.parametrize(
    ("setting", "name"),
    [
        ("openai:text-embedding-3-small", "openai:text-embedding-3-small@api.openai.com"),
        ("openai:@cf/baai/bge@https://example.org:8443/v1", "openai:@cf/baai/bge@example.org:8443"),
        ("ollama:nomic-embed-text", "ollama:nomic-embed-text@latest"),
        ("ollama:bge-m3:567m@http://10.0.0.7:11434", "ollama:bge-m3@567m"),
    ],
)
def test_a_served_model_is_named(setting: str, name: str) -> None:
    embedder, reason = choose_embedder(setting)
    assert embedder is not None
    assert embedder.name == name
    assert name in reason


@pytest.mark.requirement("F-MODELS-13")
@pytest.mark.parametrize("package", ["fastembed", "sentence-transformers"])
def test_a_library_that_is_not_installed_is_named(package: str) -> None:
    if installed_version(package) is not None:
        pytest.skip(f"{package} is installed")
    with pytest.raises(MissingExtra, match=f"pip install {package}"):
        choose_embedder(f"{package}:some-model@main")


@pytest.mark.requirement("F-MODELS-11")
@pytest.mark.parametrize("setting", ["", "hash", "openai", "openai:", "ollama: ", "fastembed:", "word2vec:x", "Auto"])
def test_an_unknown_setting_names_the_choices(setting: str) -> None:
    with pytest.raises(ConfigError) as caught:
        choose_embedder(setting)
    assert all(choice in str(caught.value) for choice in CHOICES)
    assert repr(setting) in str(caught.value)


@pytest.mark.requirement("F-MODELS-11")
def test_every_choice_and_carrier_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs/embedders.md").read_text(encoding="utf-8")
    described = [*CHOICES, *(carrier.package for carrier in CARRIERS), *(carrier.name for carrier in CARRIERS)]
    assert [each for each in described if f"`{each}`" not in page] == []
