"""Adapters for the embedders of other Python libraries, which are loaded when the first text is embedded.

Both libraries download a model's weights from their hub on first use, as they document.
"""

from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from clew.errors import MissingExtra, ModelError, ModelUnavailable
from clew.models.extras import load_library
from clew.models.function_embedder import BATCH, FunctionEmbedder

Load = Callable[[str], Any]


def installed_version(package: str) -> str | None:
    """The version of an installed package, found without importing it; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def fastembed_embedder(
    model: str,
    *,
    threads: int = 1,
    load: Load = load_library,
    installed: Callable[[str], str | None] = installed_version,
) -> FunctionEmbedder:
    """A model of fastembed, named `fastembed:<model>@<major.minor of fastembed>`: its vectors changed between those.

    Args:
        model: as `fastembed.TextEmbedding` takes it.
        threads: for its runtime.
        load: imports the library by name.
        installed: tells a package's version, or None.

    Raises:
        MissingExtra: fastembed is not installed.
    """
    revision = ".".join(_required("fastembed", installed).split(".")[:2])
    return _adapted(
        f"fastembed:{model}@{revision}",
        lambda: load("fastembed").TextEmbedding(model_name=model, threads=threads),
        lambda encoder, texts: list(encoder.embed(texts, batch_size=BATCH)),
    )


def sentence_transformers_embedder(
    model: str,
    revision: str = "main",
    *,
    load: Load = load_library,
    installed: Callable[[str], str | None] = installed_version,
) -> FunctionEmbedder:
    """A model of sentence-transformers, named `sentence-transformers:<model>@<revision>`.

    Args:
        model: as `SentenceTransformer` takes it: a name on the hub or a folder.
        revision: branch, tag or commit on the hub; a commit fixes the vectors for good.
        load: imports the library by name.
        installed: tells a package's version, or None.

    Raises:
        MissingExtra: sentence-transformers is not installed.
    """
    _required("sentence-transformers", installed)
    return _adapted(
        f"sentence-transformers:{model}@{revision}",
        lambda: load("sentence_transformers").SentenceTransformer(model, revision=revision),
        lambda encoder, texts: list(encoder.encode(texts, batch_size=BATCH, show_progress_bar=False)),
    )


def _required(package: str, installed: Callable[[str], str | None]) -> str:
    module = installed(package)
    if module is None:
        raise MissingExtra(f"the embedder needs {package}, which is not installed; run: pip install {package}")
    return module


def _adapted(name: str, build: Callable[[], Any], run: Callable[[Any, list[str]], list[Any]]) -> FunctionEmbedder:
    @cache
    def encoder() -> Any:
        try:
            return build()
        except Exception as error:  # what such a library raises has no common base
            raise ModelUnavailable(f"{name} cannot be loaded: {error}") from error

    def ask(texts: list[str]) -> list[Any]:
        model = encoder()
        try:
            return run(model, texts)
        except Exception as error:  # as above
            raise ModelError(f"{name} failed on {len(texts)} texts: {error}") from error

    return FunctionEmbedder(name, ask)
