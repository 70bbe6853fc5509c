"""Adapters of other libraries, with fakes of their modules."""

import os
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from clew.errors import MissingExtra, ModelError, ModelUnavailable
from clew.models.extras import load_library
from clew.models.libraries import fastembed_embedder, sentence_transformers_embedder


class Library:
    """Both libraries at once: modules that build a model, which remembers how it was called."""

    def __init__(self) -> None:
        self.loaded: list[str] = []
        self.built: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
        self.ran: list[tuple[list[str], dict[str, Any]]] = []

    def load(self, name: str) -> Any:
        self.loaded.append(name)
        return SimpleNamespace(TextEmbedding=self._build, SentenceTransformer=self._build)

    def _build(self, *args: Any, **kwargs: Any) -> Any:
        self.built.append((args, kwargs))
        return SimpleNamespace(embed=self._embed, encode=self._encode)

    def _embed(self, texts: list[str], **kwargs: Any) -> Iterator[Any]:
        self.ran.append((texts, kwargs))
        yield from (np.array([len(text), 0.0]) for text in texts)

    def _encode(self, texts: list[str], **kwargs: Any) -> Any:
        self.ran.append((texts, kwargs))
        return np.array([[len(text), 0.0] for text in texts])


@pytest.mark.requirement("F-MODELS-13")
def test_fastembed_is_loaded_with_the_first_text() -> None:
    library = Library()
    embedder = fastembed_embedder("BAAI/bge", threads=3, load=library.load, installed=lambda _package: "0.7.3")
    assert embedder.name == "fastembed:BAAI/bge@0.7"
    assert library.loaded == []
    assert embedder.embed(["abc", "", "c" * 2000]).tolist() == [[1, 0], [0, 0], [1, 0]]
    assert embedder.embed(["d"]).tolist() == [[1, 0]]
    assert embedder.dim == 2
    assert library.loaded == ["fastembed"]
    assert library.built == [((), {"model_name": "BAAI/bge", "threads": 3})]
    assert library.ran[0] == (["abc", "c" * 1500], {"batch_size": 64})


@pytest.mark.requirement("F-MODELS-13")
def test_sentence_transformers_is_loaded_with_the_first_text() -> None:
    library = Library()
    embedder = sentence_transformers_embedder("m", "abc123", load=library.load, installed=lambda _package: "6.2.0")
    assert embedder.name == "sentence-transformers:m@abc123"
    assert embedder.embed(["abc"]).tolist() == [[1, 0]]
    assert library.loaded == ["sentence_transformers"]
    assert library.built == [(("m",), {"revision": "abc123"})]
    assert library.ran == [(["abc"], {"batch_size": 64, "show_progress_bar": False})]


@pytest.mark.requirement("F-MODELS-13")
def test_a_missing_library_is_named() -> None:
    with pytest.raises(MissingExtra, match="pip install fastembed"):
        fastembed_embedder("m", installed=lambda _package: None)
    with pytest.raises(MissingExtra, match="pip install sentence-transformers"):
        sentence_transformers_embedder("m", installed=lambda _package: None)


@pytest.mark.requirement("F-MODELS-13")
def test_a_library_that_fails_is_a_model_error() -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise RuntimeError("no such weights")

    unloadable = fastembed_embedder("m", load=refuse, installed=lambda _package: "1.0")
    with pytest.raises(ModelUnavailable, match="no such weights"):
        unloadable.embed(["a"])
    module = SimpleNamespace(TextEmbedding=lambda **_: SimpleNamespace(embed=refuse))
    failing = fastembed_embedder("m", load=lambda _name: module, installed=lambda _package: "1.0")
    with pytest.raises(ModelError, match="failed on 1 texts"):
        failing.embed(["a"])


@pytest.mark.requirement("F-MODELS-13")
def test_a_library_is_told_to_report_nothing_before_it_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY"):
        monkeypatch.setenv(variable, "0")
    assert load_library("json").dumps([]) == "[]"
    assert os.environ["ORT_DISABLE_TELEMETRY"] == os.environ["HF_HUB_DISABLE_TELEMETRY"] == "1"
    with pytest.raises(ImportError):
        load_library("no_such_library")
