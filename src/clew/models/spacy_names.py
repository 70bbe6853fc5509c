"""A spaCy pipeline as a `Recogniser`; it is loaded with the first text.

The extra `clew[ner]` installs spaCy; pipelines are not on the package index and come from `python -m spacy download`.
This is the only module that knows spaCy, its labels and its errors.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from clew.errors import ConfigError, MissingExtra, ModelError, ModelUnavailable
from clew.models.extras import load_library
from clew.models.libraries import installed_version
from clew.types.entity import NameSpan, NodeType

PREFERRED: Final = ("en_core_web_sm", "en_core_web_md", "en_core_web_lg")
"""Pipelines that `auto` looks for, smallest first; the first one installed is used."""

BATCH: Final = 64  # texts per batch

LABELS: Final[Mapping[str, NodeType]] = MappingProxyType(
    {
        **dict.fromkeys(("PERSON", "PER"), NodeType.PERSON),
        **dict.fromkeys(("GPE", "LOC", "FAC", "LOCATION", "PLACE"), NodeType.PLACE),
        **dict.fromkeys(("ORG", "ORGANIZATION", "ORGANISATION", "CORPORATION", "GROUP"), NodeType.ORGANIZATION),
        "PRODUCT": NodeType.PRODUCT,
        **dict.fromkeys(("WORK_OF_ART", "WORK", "CREATIVE-WORK"), NodeType.WORK),
        **dict.fromkeys(("NORP", "EVENT", "LAW", "LANGUAGE", "MISC", "NAME"), NodeType.NAME),
    }
)
"""Entity types by label of OntoNotes (on which the English pipelines are trained), CoNLL and WNUT."""

_NO_NAMES: Final = frozenset("CARDINAL DATE MONEY ORDINAL PERCENT QUANTITY TIME".split())
"""Labels that are not names; any other label missing from `LABELS` has the type `NAME`."""

_IDLE: Final = ("tagger", "morphologizer", "parser", "senter", "attribute_ruler", "lemmatizer")
"""Components that recognising names does not need, unless a ruler component uses their results."""
_RULERS: Final = frozenset(("entity_ruler", "span_ruler"))

Load = Callable[[str], Any]
Installed = Callable[[str], str | None]


def find_spacy(*, installed: Installed = installed_version, load: Load = load_library) -> "SpacyRecogniser | None":
    """The first of `PREFERRED` that is installed; None if none is."""
    packages = ((name, installed(name)) for name in PREFERRED)
    return next((SpacyRecogniser(name, _called(name, version), load) for name, version in packages if version), None)


def spacy_recogniser(
    pipeline: str, *, installed: Installed = installed_version, load: Load = load_library
) -> "SpacyRecogniser":
    """A pipeline by the name of its package or by its folder.

    Args:
        pipeline: a package such as `en_core_web_sm`, or a folder written by `nlp.to_disk`, which is named by its
            metadata and a hash of its files.
        installed: returns a package's version, or None.
        load: imports a library by name.

    Raises:
        MissingExtra: spaCy, or the pipeline, is not installed.
        ConfigError: the folder does not contain a pipeline.
    """
    if installed("spacy") is None:
        raise MissingExtra(f"spacy:{pipeline} needs spaCy, which is not installed; run: pip install 'clew[ner]'")
    folder = Path(pipeline).expanduser()
    if folder.is_dir():
        return SpacyRecogniser(str(folder), _folder_name(folder), load)
    version = installed(pipeline)
    if version is None:
        raise MissingExtra(
            f"spacy:{pipeline} is neither installed nor a folder; run: python -m spacy download {pipeline}"
        )
    return SpacyRecogniser(pipeline, _called(pipeline, version), load)


def _called(package: str, version: str | None) -> str:
    return f"spacy:{package}@{version}"


def _folder_name(folder: Path) -> str:
    """The name of a pipeline in a folder, with a hash of its files, so that retraining changes the name."""
    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        called = f"{meta['lang']}_{meta['name']}"
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ConfigError(
            f"{folder} does not contain a spaCy pipeline ({error!r}); expected a folder written by nlp.to_disk"
        ) from error
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        if path.is_file():
            content = path.read_bytes()
            digest.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode() + content)
    return _called(called, digest.hexdigest()[:12])


class SpacyRecogniser:
    """A recogniser that runs one pipeline. Only one thread at a time may use it."""

    def __init__(self, pipeline: str, name: str, load: Load) -> None:
        self.name = name
        self._source, self._load = pipeline, load

    def recognise(self, texts: Sequence[str]) -> list[tuple[NameSpan, ...]]:
        """See `Recogniser`."""
        pipeline = self._pipeline
        try:
            return [_spans(document) for document in pipeline.pipe(texts, batch_size=BATCH)]
        except Exception as error:  # what a pipeline's own components raise has no common base
            raise ModelError(f"{self.name} failed on {len(texts)} texts: {error!r:.200}") from error

    @cached_property
    def _pipeline(self) -> Any:
        try:
            pipeline = self._load("spacy").load(self._source)
            names = [part for part in pipeline.pipe_names if "doc.ents" in pipeline.get_pipe_meta(part).assigns]
            for component in _IDLE if _RULERS.isdisjoint(names) else ():
                if component in pipeline.pipe_names:
                    pipeline.disable_pipe(component)
        except Exception as error:  # as above
            raise ModelUnavailable(f"{self.name} cannot be loaded: {error!r:.200}") from error
        if not names:
            raise ModelUnavailable(f"{self.name} has no component that finds names (one that assigns doc.ents)")
        return pipeline


def _spans(document: Any) -> tuple[NameSpan, ...]:
    spans = ((entity.start_char, entity.end_char, entity.label_.upper()) for entity in document.ents)
    return tuple(
        NameSpan(start, end, LABELS.get(label, NodeType.NAME)) for start, end, label in spans if label not in _NO_NAMES
    )
