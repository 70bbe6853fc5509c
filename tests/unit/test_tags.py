"""What turns are about: the two taggers, what is carried over, and the labels of beats and space."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import pytest

from clew.analyze.tags import (
    DECAY,
    LONGEST,
    MOST_TAGS,
    beat_labels,
    beat_phrases,
    is_name,
    known_tags,
    own_tags,
    standing,
    union,
    with_carried,
)
from clew.analyze.tags_model import model_tags
from clew.background.llm import LLMWorker
from clew.config import Config
from clew.derive.analysis_dropped import drop_analysis
from clew.derive.embedding import embed_batch, missing
from clew.derive.llm.tasks import QUESTIONS
from clew.errors import InputError, ModelError
from clew.maintain.forget_proof import prove
from clew.maintain.forget_traces import traces_of
from clew.memory import Memory
from clew.rows.annotation_codec import analysis_of, analysis_text
from clew.rows.annotations import ANALYSIS, annotations_of
from clew.rows.llm_progress import RESPONSE
from clew.store.protocol import Store
from clew.structure.vocabulary import SPLIT_BEATS
from clew.testing import FrozenClock, HashEmbedder, ScriptedLLM
from clew.types import Turn
from tests.support.memories import NOON, everything, rows, told
from tests.unit.test_derive_analysis import analysis, run, stored, talk

TAGGING = [question for question in QUESTIONS if question.kind == RESPONSE]
ANSWER = '{"tags": ["Auth", "greenhouse roof"]}'


def block(session: str, topic: str, *lines: str, start: int = 0) -> list[Turn]:
    """A talk about one thing, a minute a turn."""
    said = [f"{line} {topic}." for line in lines]
    return [told(text, session, at=NOON + timedelta(minutes=start + n)) for n, text in enumerate(said)]


def beats(session: str, *topics: str) -> list[Turn]:
    """A beat for each topic, with an hour between them, and some turns that close the last."""
    lines = ("We looked at the", "Please mend the", "They broke the", "I like the")
    turns = [each for place, topic in enumerate(topics) for each in block(session, topic, *lines, start=90 * place)]
    return turns + block(session, "umbrella", *lines, start=90 * len(topics))


def labelled(memory: Memory, namespace: str = "tag") -> dict[str, int]:
    return {each.name: each.count for each in memory.labels(namespace)}


def aliases(store: Store) -> dict[str, str]:
    return {str(row[2]): str(row[3]) for row in rows(store, "label_alias")}


def tags(store: Store, session: str = "s") -> list[Mapping[str, float]]:
    """The tags of the turns of a session, in order."""
    with store.snapshot() as reader:
        count = len([row for row in rows(store, "turn") if row[1] == session])
        found = [annotations_of(reader, "default", f"{session}:turn:{seq}") for seq in range(count)]
    return [each["tags"].value if "tags" in each else {} for each in found]


def of_tags(store: Store) -> dict[str, list[Any]]:
    """Everything that is kept of tags and labels."""
    found = {name: rows(store, name) for name in ("label", "label_alias")}
    found["annotation"] = [row for row in rows(store, "annotation") if str(row[1])[:4] == "tag:"]
    found["analysis"] = rows(store, ANALYSIS)
    return found


@pytest.mark.requirement("W-TAG-03")
def test_own_tags_are_the_strongest_phrases_of_a_turn() -> None:
    assert list(own_tags("We picked Redis for the session store. Redis it is.")) == ["redis"]
    assert own_tags("yes, do that") == {}
    assert own_tags("Call 4711 or 0815") == {}
    assert own_tags("x" * (LONGEST + 1) + "_9") == {}


@pytest.mark.requirement("W-TAG-03")
@pytest.mark.parametrize(
    "courtesy",
    [
        "Hi, hope you had a lovely weekend!",
        "Hello! It was great, thanks. How can I help you today?",
        "You're welcome, take care!",
        "Perfect, have a nice evening!",
        "Welcome back! Shall we start?",
        "thx bye",
    ],
)
def test_courtesies_name_nothing(courtesy: str) -> None:
    assert own_tags(courtesy) == {}
    assert beat_phrases([courtesy]) == ()
    named = ["The hive needs a new queen.", "Then order a queen before the hive swarms."]
    assert [phrase.name for phrase in beat_phrases([courtesy, *named, courtesy])] == [
        phrase.name for phrase in beat_phrases(named)
    ]


@pytest.mark.requirement("W-TAG-03")
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Hi! The weekend rota has no nurse on Sunday.", "weekend-rota"),
        ("The welcome mail is sent twice. Thanks!", "welcome-mail"),
        ("Take care of the pump.", "pump"),
    ],
)
def test_what_stands_beside_a_courtesy_is_named(text: str, name: str) -> None:
    assert name in own_tags(text)


@pytest.mark.requirement("W-TAG-03")
def test_amounts_are_no_subjects() -> None:
    assert all(map(is_name, ("2fa", "s3", "gpt-4", "k8s", "日本", "c++")))
    assert not any(map(is_name, ("", "15-minutes", "21.84s", "8fb3a3", "4711", "2024-01-02", "x" * (LONGEST + 1))))


@pytest.mark.requirement("W-TAG-03")
def test_known_labels_are_found_in_any_form_and_none_is_invented() -> None:
    known = {"api-key", "key", "redis"}
    found = known_tags("Rotate all API keys, please; Redis too, and the database", known.__contains__)
    assert list(found) == ["api-keys", "redis"]  # the longest of those within each other
    assert known_tags("Rotate all API keys", lambda _key: False) == {}
    assert "keys-redis" not in standing("our keys; redis")  # nothing runs over a stop


@pytest.mark.requirement("W-TAG-03")
@pytest.mark.parametrize(
    "text", ["", "🙂", "日本語の文章です", "אבג דהו", "\udc80 x", "A" * 100_000, "== {}", "word " * 20_000]
)
def test_tags_of_any_text(text: str) -> None:
    for found in (own_tags(text), known_tags(text, lambda _key: True), beat_labels([text, text])):
        assert len(found) <= MOST_TAGS
        assert all(0 < weight <= 1 for weight in found.values())
        assert all(len(name) <= LONGEST for name in found)


@pytest.mark.requirement("W-TAG-03")
def test_the_union_keeps_the_highest_weight_and_the_first_form() -> None:
    assert union({"tokens": 0.5, "login": 0.9}, {"token": 0.7}) == {"login": 0.9, "tokens": 0.7}
    assert len(union({f"word{letter}": 0.5 for letter in "abcdefgh"})) == MOST_TAGS


@pytest.mark.requirement("W-TAG-04")
def test_tags_are_carried_over_until_the_subject_changes() -> None:
    history = ({"garden": 1.0}, {"roses": 1.0})
    assert with_carried({}, history) == {"roses": DECAY, "garden": DECAY**2}  # "yes, do that"
    assert with_carried({"roses": 1.0}, history) == {"roses": 1.0, "garden": DECAY**2}
    assert with_carried({"redis": 1.0}, history) == {"redis": 1.0}
    assert with_carried({}, ({"old": 1.0}, {}, {}, {}, {})) == {}  # four turns back, no further


@pytest.mark.requirement("W-TAG-04")
def test_a_short_answer_keeps_the_subject_of_a_stored_talk() -> None:
    turns = [told("The tomato soup went cold."), told("yes, do that"), told("The Kubernetes upgrade failed.")]
    with stored(turns) as memory:
        run(memory.reads.store)
        first, second, third = tags(memory.reads.store)
    assert "tomato-soup" in first
    assert second == pytest.approx({name: weight * DECAY for name, weight in first.items()}, abs=0.01)
    assert third
    assert not set(third) & set(first)


@pytest.mark.requirement("W-TAG-03")
def test_neither_amounts_nor_the_names_of_those_who_talk_are_what_a_beat_is_about() -> None:
    texts = ["Ann, invoices after 23:00 have the wrong day", "The invoices, Ann? 19,99 is right"]
    about = [phrase.name for phrase in beat_phrases(texts, ["Ann Lee", "Bo"])]
    assert "invoices" in about
    assert not {"ann", "23", "00", "19", "99"}.intersection(about)
    assert "ann" in [phrase.name for phrase in beat_phrases(texts)]


@pytest.mark.requirement("W-TAG-05")
def test_a_phrase_becomes_a_label_when_it_is_the_strongest_or_comes_again() -> None:
    found = beat_labels(["The compost heap and the slugs", "Compost heap again, and a fence", "A compost heap"])
    assert next(iter(found)) == "compost-heap"
    assert "fence" not in found
    with stored(beats("s", "greenhouse", "compost heap")) as memory:
        run(memory.reads.store)
        names = labelled(memory)
        assert names["greenhouse"] == names["compost-heap"] == 1
        assert {row[5] for row in rows(memory.reads.store, "label")} == {"rule"}


@pytest.mark.requirement("W-TAG-06")
def test_forms_and_spellings_lead_to_the_name_that_came_first() -> None:
    topics = ("auth", "authentication", "kubernetes", "kubernets", "API keys", "api key")
    with stored(beats("s", *topics)) as memory:
        run(memory.reads.store)
        found = aliases(memory.reads.store)
        assert found["authentication"] == "auth"
        assert found["kubernets"] == "kubernetes"
        assert found["api-key"] == "api-keys"
        counts = {each.name: each for each in memory.labels()}
        assert counts["auth"].count == 2
        assert counts["auth"].aliases == ("authentication",)
        assert "authentication" not in counts
        places = [each.ref for each in memory.labelled("auth")]
        assert places == [each.ref for each in memory.labelled("Authentication")]
        assert len(places) == 2
        assert memory.verify().ok


@pytest.mark.requirement("W-TAG-07")
@pytest.mark.parametrize("stretch", [1, 7, 1000])
def test_it_does_not_matter_how_the_work_is_cut_up(stretch: int) -> None:
    turns = [*beats("s", "auth", "greenhouse"), *beats("t", "authentication", "greenhouses"), *talk(2)]
    mixed = [turn for place in range(12) for turn in turns[place::12]]
    with stored(mixed) as memory:
        run(memory.reads.store)
        whole = of_tags(memory.reads.store)
        memory.reads.store.transaction(lambda tx: drop_analysis(tx, "default"))
        while analysis(memory.reads.store, stretch=stretch).step():  # each step by a worker that remembers nothing
            pass
        assert of_tags(memory.reads.store) == whole
        assert whole["label_alias"]


@pytest.fixture
def broad() -> Iterator[Memory]:
    """A memory in which nearly every beat is about one thing, with one of two others."""
    topics = ["login page and the auth", "token cache and the auth"] * (SPLIT_BEATS // 2 + 2)
    with stored(beats("s", *topics, "greenhouse")) as memory:
        run(memory.reads.store)
        yield memory


@pytest.mark.requirement("W-TAG-08")
def test_a_broad_label_is_split_and_found_by_its_old_name(broad: Memory) -> None:
    names = labelled(broad)
    assert {"auth/login-page", "auth/token-cache"} <= set(names)
    every = [each.ref for each in broad.labelled("auth")]
    parts = [[each.ref for each in broad.labelled(name)] for name in ("auth/login-page", "auth/token-cache")]
    assert sorted(parts[0] + parts[1]) == sorted(every)
    assert [len(part) for part in parts] == [names["auth/login-page"], names["auth/token-cache"]]
    assert "greenhouse" in names
    broad.forget(session="s")
    assert broad.labels() == []


@pytest.mark.requirement("W-TAG-09", "F-FORM-06")
def test_labels_are_asked_for_by_name() -> None:
    with stored(beats("s", "greenhouse", "compost heap")) as memory:
        run(memory.reads.store)
        (found,) = memory.labelled("Greenhouses ")
        assert found.ref == "s:beat:0"
        assert found.turn_ids == tuple(f"s:turn:{seq}" for seq in range(4))
        assert found.title is not None
        assert memory.labelled("nothing of the kind") == []
        assert memory.labels("domain") == sorted(memory.labels("domain"), key=lambda each: (-each.count, each.name))
        assert rows(memory.reads.store, "label") == [
            row for row in rows(memory.reads.store, "label") if row[2] == "tag"
        ]
        for domain in memory.labels("domain"):
            marked = memory.labelled(domain.name, "domain")
            assert len(marked) == domain.count > 0
            snapshots = [each for each in memory.snapshots("s") if domain.name in each.domain_summary]
            shares = {each.snapshot_id: each.domain_summary[domain.name] for each in snapshots}
            assert {each.ref for each in marked if ":beat:" in each.ref} <= shares.keys()
            assert all(0 < each.weight <= 1 and each.turn_ids for each in marked)
        with pytest.raises(InputError, match="is empty"):
            memory.labelled(" ")


@pytest.mark.requirement("W-TAG-10")
def test_forgetting_the_only_source_of_a_name_takes_it_along() -> None:
    turns = [*beats("s", "greenhouse", "zebra"), *beats("t", "greenhouses", "compost heap")]
    with stored(turns) as memory:
        run(memory.reads.store)
        assert "zebra" in labelled(memory)
        gone = _saying(memory, "zebra")
        traces = traces_of(memory.restore(name) for name in gone)
        memory.forget(turn_ids=gone)
        assert b"zebra" not in everything(memory.reads.store)
        assert "zebra" not in labelled(memory)
        assert not prove(memory.reads.store, "default", traces).found
        run(memory.reads.store)
        assert memory.verify().ok
        again = of_tags(memory.reads.store)
        memory.reads.store.transaction(lambda tx: drop_analysis(tx, "default"))
        run(memory.reads.store)
        assert of_tags(memory.reads.store)["label"] == again["label"]
        assert labelled(memory)["greenhouse"] == 2


@pytest.mark.requirement("W-TAG-10")
@pytest.mark.parametrize("table", ["label", "label_alias", "annotation"])
def test_a_name_that_was_left_behind_is_found(table: str) -> None:
    left: dict[str, tuple[Any, ...]] = {
        "label": ("default", "t:beat:0", "tag", "zebra", 1.0, "rule", 1),
        "label_alias": ("default", "tag", "zebra", "greenhouse"),
        "annotation": ("default", "tag:zebra", "label", '{"born":1,"beats":1}', "rule", 1),
    }
    with stored([*beats("s", "zebra"), *beats("t", "greenhouse")]) as memory:
        run(memory.reads.store)
        traces = traces_of(memory.restore(name) for name in _saying(memory, "zebra"))
        memory.forget(session="s")
        memory.reads.store.transaction(lambda tx: tx.put(table, [left[table]]))
        assert prove(memory.reads.store, "default", traces).found == {table: 1}


@pytest.mark.requirement("W-TAG-10")
def test_what_a_person_marked_stays() -> None:
    mark = ("default", "s:turn:1", "tag", "holiday", 1.0, "user", 1)
    with stored(beats("s", "greenhouse")) as memory:
        memory.reads.store.transaction(lambda tx: tx.put("label", [mark]))
        run(memory.reads.store)
        memory.reads.store.transaction(lambda tx: drop_analysis(tx, "default"))
        run(memory.reads.store)
        assert labelled(memory)["holiday"] == 1
        assert [each.ref for each in memory.labelled("holiday")] == ["s:turn:1"]


@pytest.mark.requirement("W-TAG-11")
def test_with_vectors_a_label_is_found_that_is_not_named() -> None:
    embedder = HashEmbedder(256)
    turns = [*beats("s", "greenhouse", "greenhouse", "zebra"), told("greenhouse", "t"), told("Looked mend", "u")]
    with stored(turns, embedder=embedder) as memory:
        view = memory.reads.live.view()
        ordinals = missing(view, embedder.name, frozenset())
        embed_batch(memory.reads.store, "default", embedder, ordinals, now=0)
        work = analysis(memory.reads.store, embedder)
        while work.step():
            pass
        kept = {
            str(row[1]) for row in rows(memory.reads.store, "annotation") if str(row[2]) == f"vector:{embedder.name}"
        }
        assert kept == {"tag:greenhouse"}  # what came once is found by its spelling alone
        assert tags(memory.reads.store, "t")[0]["greenhouse"] == 1.0
        row = rows(memory.reads.store, ANALYSIS)[-1]
        likeness = analysis_text(analysis_of(str(row[2])) | {"tags": {"greenhouse": 0.7}})
        whole = of_tags(memory.reads.store)
        memory.reads.store.transaction(lambda tx: drop_analysis(tx, "default"))
        while analysis(memory.reads.store, embedder).step():
            pass
        assert of_tags(memory.reads.store) == whole
        memory.reads.store.transaction(lambda tx: tx.put(ANALYSIS, [(*row[:2], likeness, *row[3:])]))
        memory.forget(session="s")
        assert tags(memory.reads.store, "t") == [{"greenhouse": 1.0}]  # it says so itself
        assert tags(memory.reads.store, "u") == [{}]  # it was only like it
        assert not [row for row in rows(memory.reads.store, "annotation") if str(row[1]).startswith("tag:")]


@pytest.mark.requirement("W-TAG-13")
def test_a_models_names_join_the_vocabulary() -> None:
    llm = ScriptedLLM(lambda prompt: ANSWER if "subjects" in str(prompt.texts()) else ModelError("no flags"))
    with stored(beats("s", "authentication")) as memory:
        work = LLMWorker(memory.reads.store, "default", llm, Config(gather_seconds=0.0), FrozenClock(NOON), QUESTIONS)
        while work.step():
            pass
        work.stop()
        marked = [row for row in rows(memory.reads.store, "label") if row[5] == "model:scripted"]
        assert {str(row[3]) for row in marked} == {"auth", "greenhouse-roof"}
        run(memory.reads.store)
        names = {each.name: each for each in memory.labels()}
        assert names["auth"].aliases == ("authentication",)
        refs = [each.ref for each in memory.labelled("authentication")]
        assert "s:beat:0" in refs
        assert "s:turn:3" in refs
        whole = of_tags(memory.reads.store)
        memory.reads.store.transaction(lambda tx: drop_analysis(tx, "default"))
        run(memory.reads.store)
        assert of_tags(memory.reads.store)["label"] == whole["label"]
        assert memory.verify().ok
        memory.forget(session="s")
        assert b"greenhouse" not in everything(memory.reads.store)


@pytest.mark.requirement("W-TAG-13")
def test_a_models_failure_leaves_the_tags_as_they_are() -> None:
    with stored(beats("s", "greenhouse")) as memory:
        run(memory.reads.store)
        before = of_tags(memory.reads.store)
        llm = ScriptedLLM(lambda _prompt: ModelError("down"))
        work = LLMWorker(memory.reads.store, "default", llm, Config(gather_seconds=0.0), FrozenClock(NOON), TAGGING)
        while work.step():
            pass
        work.stop()
        assert of_tags(memory.reads.store) == before


@pytest.mark.requirement("W-TAG-13")
def test_what_a_model_says_is_brought_into_form() -> None:
    said = {"tags": [" API  Keys!", "api-keys", "42", "x" * 99, "C++", "tag:x/y"]}
    assert model_tags(said) == {"api-keys": 1.0, "c++": 0.9, "tagxy": 0.8}


def _saying(memory: Memory, word: str) -> list[str]:
    found = [row for row in rows(memory.reads.store, "turn") if word in str(row[-1])]
    return [f"{row[1]!s}:turn:{row[2]!s}" for row in found]


@pytest.mark.requirement("W-TAG-03")
def test_a_beat_is_not_called_by_sounds_nicknames_or_what_could_be_of_any_text() -> None:
    talk = ["Hey Mel! Seeing the pottery was special, Mel.", "Mm-hmm, mm-hmm, pottery, Caz.", "Mel and Caz, mm-hmm."]
    assert [phrase.name for phrase in beat_phrases(talk, ["Melanie", "Carol"])] == ["caz", "pottery"]
    greeted = [*talk, "Hey Caz, see you."]
    assert [phrase.name for phrase in beat_phrases(greeted, ["Melanie", "Carol"])] == ["pottery"]
    assert [phrase.name for phrase in beat_phrases(["The car broke.", "A car?"], ["Caroline"])] == ["car"]
    assert beat_phrases(["Mm-hmm.", "Mm-hmm."]) == ()
    assert [phrase.name for phrase in beat_phrases(["Such a journey.", "A journey!"])] == ["journey"]
