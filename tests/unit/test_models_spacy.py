"""The adapter of spaCy, with a fake of its module; the real one is in tests/e2e/test_ner_spacy.py."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clew.errors import ConfigError, MissingExtra, ModelError, ModelUnavailable
from clew.models.spacy_names import LABELS, PREFERRED, find_spacy, spacy_recogniser
from clew.types.entity import NameSpan, NodeType

VERSIONS = {"spacy": "3.8.7", "en_core_web_md": "3.8.0", "xx_news": "1.2.0", "broken": "1"}


class Library:
    """spaCy and one pipeline: what was loaded, and which of its components are idle."""

    def __init__(self, *components: str, ents: Sequence[tuple[int, int, str]] = ((0, 3, "PERSON"),)) -> None:
        self.pipe_names, self.loaded, self.disabled = list(components), list[str](), list[str]()
        self._ents = [SimpleNamespace(start_char=low, end_char=high, label_=label) for low, high, label in ents]

    def load(self, module: str) -> Any:
        self.loaded.append(module)
        return SimpleNamespace(load=self._open)

    def _open(self, source: str) -> Any:
        if source == "broken":
            raise OSError("[E050] Can't find model")
        self.loaded.append(source)
        return self

    def get_pipe_meta(self, name: str) -> Any:
        return SimpleNamespace(assigns=["doc.ents"] if name in ("ner", "entity_ruler") else ["token.tag"])

    def disable_pipe(self, name: str) -> None:
        self.disabled.append(name)

    def pipe(self, texts: Sequence[str], *, batch_size: int) -> Iterator[Any]:
        assert batch_size == 64
        for text in texts:
            if text == "bad":
                raise ValueError("[E1] no")
            yield SimpleNamespace(ents=self._ents)


def installed(package: str) -> str | None:
    return VERSIONS.get(package)


def missing(_package: str) -> str | None:
    return None


@pytest.mark.requirement("F-NER-06")
def test_a_pipeline_is_loaded_with_the_first_text_and_works_on_names_alone() -> None:
    library = Library("tok2vec", "tagger", "parser", "lemmatizer", "ner")
    found = spacy_recogniser("en_core_web_md", installed=installed, load=library.load)
    assert (found.name, library.loaded) == ("spacy:en_core_web_md@3.8.0", [])
    assert found.recognise(["Bob", "Ann"]) == [(NameSpan(0, 3, NodeType.PERSON),)] * 2
    assert found.recognise([]) == []
    assert library.loaded == ["spacy", "en_core_web_md"]
    assert library.disabled == ["tagger", "parser", "lemmatizer"]


@pytest.mark.requirement("F-NER-07")
def test_rules_of_a_pipeline_may_ask_for_what_the_others_tell() -> None:
    library = Library("tagger", "entity_ruler")
    spacy_recogniser("xx_news", installed=installed, load=library.load).recognise(["Bob"])
    assert library.disabled == []


@pytest.mark.requirement("F-NER-07")
def test_labels_become_our_types_and_numbers_are_no_names() -> None:
    ents = [(0, 1, "GPE"), (2, 3, "per"), (4, 5, "DATE"), (6, 7, "CARDINAL"), (8, 9, "DRUG"), (10, 11, "work_of_art")]
    library = Library("ner", ents=ents)
    (found,) = spacy_recogniser("xx_news", installed=installed, load=library.load).recognise(["a b c d e f"])
    assert [each.type for each in found] == [NodeType.PLACE, NodeType.PERSON, NodeType.NAME, NodeType.WORK]
    assert set(LABELS.values()) == set(NodeType) - {NodeType.CONCEPT}


@pytest.mark.requirement("F-NER-04")
def test_auto_takes_the_smallest_that_is_there() -> None:
    found = find_spacy(installed=installed)
    assert found is not None
    assert found.name == "spacy:en_core_web_md@3.8.0"
    assert find_spacy(installed=missing) is None
    assert PREFERRED[0] == "en_core_web_sm"


@pytest.mark.requirement("F-NER-04")
def test_what_is_missing_is_said_with_the_next_step(tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match=r"pip install 'clew\[ner\]'"):
        spacy_recogniser("en_core_web_sm", installed=missing)
    with pytest.raises(MissingExtra, match="python -m spacy download en_core_web_sm"):
        spacy_recogniser("en_core_web_sm", installed=installed)
    with pytest.raises(ConfigError, match=r"does not contain a spaCy pipeline .*nlp\.to_disk"):
        spacy_recogniser(str(tmp_path), installed=installed)


@pytest.mark.requirement("F-NER-07")
def test_a_folder_is_named_by_what_its_files_hold(tmp_path: Path) -> None:
    (tmp_path / "meta.json").write_text(json.dumps({"lang": "en", "name": "mine"}), encoding="utf-8")
    (tmp_path / "ner").mkdir()
    (tmp_path / "ner" / "model").write_bytes(b"one")
    first = spacy_recogniser(str(tmp_path), installed=installed).name
    assert first.startswith("spacy:en_mine@")
    assert spacy_recogniser(str(tmp_path), installed=installed).name == first
    (tmp_path / "ner" / "model").write_bytes(b"two")
    assert spacy_recogniser(str(tmp_path), installed=installed).name != first


@pytest.mark.requirement("F-NER-05")
def test_errors_of_the_library_are_translated() -> None:
    with pytest.raises(ModelUnavailable, match="spacy:broken@1 cannot be loaded: OSError"):
        spacy_recogniser("broken", installed=installed, load=Library("ner").load).recognise(["Bob"])
    with pytest.raises(ModelUnavailable, match="no component that finds names"):
        spacy_recogniser("xx_news", installed=installed, load=Library("tagger").load).recognise(["Bob"])
    with pytest.raises(ModelError, match=r"spacy:xx_news@1\.2\.0 failed on 2 texts: ValueError"):
        spacy_recogniser("xx_news", installed=installed, load=Library("ner").load).recognise(["Bob", "bad"])


@pytest.mark.requirement("F-NER-06")
def test_opening_a_memory_loads_nothing_of_it() -> None:
    check = (
        "import sys, clew\n"
        "with clew.Memory.open(':memory:', embedder='none') as memory:\n"
        "    memory.stats()\n"
        "print('spacy' in sys.modules)\n"
    )
    ended = subprocess.run([sys.executable, "-c", check], check=True, capture_output=True, text=True)
    assert ended.stdout.split() == ["False"]
