"""Names found by real pipelines of spaCy, made here: one of rules and one that is trained. `./dev test-ner` runs it."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from clew.memory import Memory
from clew.models.choose import choose_recogniser
from clew.models.spacy_names import spacy_recogniser
from clew.types import Turn
from clew.types.entity import NameSpan, NodeType
from tests.support.cli_runs import done, record, run
from tests.support.memories import quiet, rows

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("spacy") is None, reason="spaCy is not here: run ./dev test-ner"),
    pytest.mark.usefixtures("tmp_home"),
]
SAID = (
    ("Melanie", "i met bob in oslo on tuesday, at the house of Zoltan."),
    ("Emilia", "We know Bob from Redondo Beach."),
    ("Melanie", "yes, bob knows zoltan"),
)
PATTERNS = [
    {"label": "PERSON", "pattern": [{"LOWER": "bob"}]},
    {"label": "PERSON", "pattern": [{"LOWER": "zoltan"}]},
    {"label": "GPE", "pattern": [{"LOWER": "oslo"}]},
    {"label": "DATE", "pattern": [{"LOWER": "tuesday"}]},
    {"label": "FAC", "pattern": "Redondo"},
]
TAUGHT = [
    (text.format(name), (text.index("{"), text.index("{") + len(name)), label)
    for label, names in (("PERSON", ("bob", "mira", "ivo", "tamsin")), ("GPE", ("oslo", "lyon", "turin", "gent")))
    for name in names
    for text in (("i called {} today", "{} came to lunch") if label == "PERSON" else ("we flew to {}", "rain in {}"))
]


@pytest.fixture(scope="module")
def ruler(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline that knows names by patterns, saved as spaCy saves it."""
    import spacy  # late: it is not everywhere

    pipeline = spacy.blank("en")
    pipeline.add_pipe("entity_ruler").add_patterns(PATTERNS)
    return saved(pipeline, tmp_path_factory.mktemp("ruler") / "pipeline")


def saved(pipeline: Any, folder: Path) -> Path:
    pipeline.to_disk(folder)
    return folder


def open_with(home: Path | str, setting: str | Path) -> Memory:
    return quiet(home, config={"entities": {"ner": f"spacy:{setting}" if isinstance(setting, Path) else setting}})


def tell(memory: Memory) -> None:
    memory.add_many([Turn(role="user", content=text, speaker=who, session="s") for who, text in SAID])
    assert memory.drain(None)


def found_by(memory: Memory) -> dict[str, tuple[NodeType, int]]:
    return {each.name: (each.type, each.turns) for each in memory.entities() if each.type is not NodeType.CONCEPT}


@pytest.mark.requirement("F-NER-01", "F-NER-07")
def test_what_rules_and_spacy_find_is_one_entity(ruler: Path) -> None:
    with open_with(":memory:", "none") as memory:
        tell(memory)
        types = {each.name.casefold(): each.type for each in memory.entities()}
    unnamed = (NodeType.NAME, NodeType.CONCEPT)  # to rules, which do not know what it is that is called so
    assert types["oslo"] in unnamed
    assert types["zoltan"] in unnamed
    with open_with(":memory:", ruler) as memory:
        tell(memory)
        found = found_by(memory)
        assert found == {
            "Melanie": (NodeType.PERSON, 2),
            "Emilia": (NodeType.PERSON, 1),
            "bob": (NodeType.PERSON, 3),
            "Redondo Beach": (NodeType.PLACE, 1),
            "oslo": (NodeType.PLACE, 1),
            "Zoltan": (NodeType.PERSON, 2),
        }
        page = memory.entity("BOB")
        assert (page.entity.aliases, page.turn_ids) == (("Bob",), ("s:turn:2", "s:turn:1", "s:turn:0"))
        assert {each.name for each in page.neighbours} >= {"oslo", "Zoltan", "Redondo Beach", "Melanie", "Emilia"}
        assert memory.verify().ok
        assert memory.stats().details["ner"] == spacy_recogniser(str(ruler)).name


@pytest.mark.requirement("F-NER-02", "F-NER-04")
def test_a_home_goes_on_without_the_pipeline_and_with_it_again(ruler: Path, tmp_path: Path) -> None:
    with open_with(tmp_path, ruler) as memory:
        tell(memory)
        before = found_by(memory)
    with open_with(tmp_path, "auto") as memory:
        memory.rebuild()
        memory.drain(None)
        if memory.stats().details["ner"] is None:  # else a pipeline of spaCy's own is installed here, and took over
            assert "python -m spacy download en_core_web_sm" in memory.stats().details["ner_note"]
            assert found_by(memory) == before
    with open_with(tmp_path, ruler) as memory:
        memory.drain(None)
        memory.forget(turn_ids=["s:turn:0"])
        bob = memory.entity("bob").entity
        assert (bob.type, bob.turns, before["bob"]) == (NodeType.PERSON, 2, (NodeType.PERSON, 3))
        assert memory.verify().ok
        provenance = {row[4] for row in rows(memory.reads.store, "annotation") if row[2] == "named"}
        assert provenance == {f"model:{spacy_recogniser(str(ruler)).name}"}


def kinds_of(name: str, listed: str) -> list[str]:
    """What a name is called in the table of `clew entities`."""
    return [line.split()[1] for line in listed.splitlines() if line.startswith(f"{name} ")]


@pytest.mark.requirement("F-NER-04")
def test_the_commands_tell_what_finds_names(ruler: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_ENTITIES_NER", f"spacy:{ruler}")
    done("add", SAID[0][1], "--home", tmp_path)  # it ends before a library of seconds would be loaded
    early = run("entities", "--home", tmp_path)
    assert kinds_of("oslo", early.stdout) == ["concept"]
    assert "1 turn waiting for the named-entity model" in early.stderr
    done("work", "--once", "--home", tmp_path)
    late = run("entities", "--home", tmp_path)
    assert (kinds_of("oslo", late.stdout), late.stderr) == (["place"], "")
    name = spacy_recogniser(str(ruler)).name
    assert f"names by rules and {name}" in done("doctor", "--home", tmp_path)
    assert name in done("config", "check", "--home", tmp_path)
    assert record("stats", "--home", tmp_path)["details"]["ner"] == name


@pytest.mark.requirement("F-NER-07")
def test_a_trained_pipeline_is_read_like_any_other(tmp_path: Path) -> None:
    import spacy  # late, as above
    from spacy.training import Example

    spacy.util.fix_random_seed(7)
    pipeline = spacy.blank("en")
    pipeline.add_pipe("ner")
    examples = [
        Example.from_dict(pipeline.make_doc(text), {"entities": [(*span, label)]}) for text, span, label in TAUGHT
    ]
    optimizer = pipeline.initialize(lambda: examples)
    for _ in range(25):
        losses: dict[str, float] = {}
        pipeline.update(examples, sgd=optimizer, losses=losses)
        if losses["ner"] < 1:
            break
    recogniser, note = choose_recogniser(f"spacy:{saved(pipeline, tmp_path / 'trained')}")
    assert recogniser is not None
    assert recogniser.name in note
    texts = [text for text, _, _ in TAUGHT]
    seen = recogniser.recognise(texts)
    assert right(seen) >= len(TAUGHT) - 2
    assert seen == [recogniser.recognise([text])[0] for text in texts]  # a batch says what each text says alone
    with open_with(":memory:", tmp_path / "trained") as memory:
        memory.add_many([Turn(role="user", content=text) for text in texts])
        memory.drain(None)
        assert memory.entity("oslo").entity.type is NodeType.PLACE


def right(seen: Sequence[tuple[NameSpan, ...]]) -> int:
    kinds = {"PERSON": NodeType.PERSON, "GPE": NodeType.PLACE}
    wanted = [(NameSpan(*span, kinds[label]),) for _, span, label in TAUGHT]
    return sum(spans == each for spans, each in zip(seen, wanted, strict=True))
