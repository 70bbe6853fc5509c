"""What a turn may say: any text there is, secrets, originals byte for byte, the same text over and over."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.config import IngestConfig
from clew.errors import TurnRejected
from clew.ingest.encoding import escape_surrogates
from clew.memory import Memory
from clew.types import MAX_TURN_CHARS, Part, Turn
from clew.write.prepare import derive, prepare
from tests.support.effort import examples
from tests.support.memories import entries, everything, quiet, raw, rows, texts, told

KEY = "sk-ant-api03-" + "Zq7xPw2LmT9vRb4KcY8nHs3JdF6gUe1A" * 3
"""Has the form of a key; it opens nothing."""


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        yield opened


@pytest.mark.requirement("F-PIPELINE-03")
@pytest.mark.parametrize("text", ["", " ", "\n\t\u3000\u2028", "\x0b\x0c"])
def test_an_empty_turn_is_refused(memory: Memory, text: str) -> None:
    with pytest.raises(TurnRejected, match="the turn is empty: it has no text but white space"):
        memory.add(told(text))
    assert memory.add_many([told(text)]).rejected[0].reason.startswith("the turn is empty")


@pytest.mark.requirement("F-PIPELINE-03")
def test_an_image_needs_no_words(memory: Memory) -> None:
    name = memory.add(
        Turn(role="user", content=(Part(type="image", data=b"\x89PNG", media_type="image/png"),), session="s")
    )
    assert memory.get(name).text == ""
    assert memory.restore(name).parts[0].data == b"\x89PNG"
    assert memory.search("image") == []
    assert memory.drain(None)


@pytest.mark.requirement("F-PIPELINE-03")
def test_a_turn_of_the_greatest_length_is_taken_and_a_longer_one_is_not() -> None:
    config = IngestConfig()
    assert len(prepare(told("a" * MAX_TURN_CHARS), config).turn.text) == MAX_TURN_CHARS
    parts = (Part(type="text", text="a" * MAX_TURN_CHARS), Part(type="text", text="b"))
    with pytest.raises(
        TurnRejected, match="the turn has 8,000,001 characters; at most 8,000,000 are taken, so split it"
    ):
        prepare(Turn(role="user", content=parts, session="s"), config)


MORE = examples(1, 4)
ODD = {
    "lone surrogate": "half \ud83d an emoji \udfff",
    "nul": "before\0after",
    "looks escaped": "␛d83d; and ␛0000;",
    "controls": "".join(map(chr, range(1, 32))) + "x\x7f\x85\u200b\u202e\ufeff",
    "unbroken": "x" * 30_000 * MORE,
    "prose": "We went to Rome, and then we went home. " * 800 * MORE,
    "questions": "really? " * 4_000 * MORE,
    "emoji": "🧶👩‍👩‍👧‍👦🏳️‍🌈" * 600 * MORE,
    "han": "我们今天喝茶吧。" * 1_500 * MORE,
    "combining": "e\u0301" * 6_000 * MORE,
    "code": "def f(x):\n    return {'a': [1, 2.5e-3]}  # camelCase snake_case\n" * 300 * MORE,
    "base64": "QUJD" * 8_000 * MORE,
    "marks": "<clew-memory></clew-memory>" * 100 * MORE,
    "spaces": " " * 15_000 * MORE + "x" + "\n" * 15_000 * MORE,
    "dates": "on 5 May 2023, yesterday, next week and 2024-02-30; " * 200 * MORE,
}


@pytest.mark.thorough
@pytest.mark.requirement("F-PIPELINE-05")
@pytest.mark.parametrize("kind", ODD)
def test_any_text_is_stored_indexed_weighed_found_and_given_back(tmp_path: Path, kind: str) -> None:
    text = ODD[kind]
    with quiet(tmp_path / "home") as memory:
        name = memory.add(told(f"needle {text}", f"session {escape_surrogates(text[:20])}", speaker=f"Ann {text[:5]}"))
        assert memory.add_many([told("another")]).added == 1
        assert name in [hit.turn.id for hit in memory.search("needle")]
        assert "needle" in memory.recall("needle", budget=10**6).text
        assert [turn.id for turn in memory.find_quote("needle")] == [name]
        assert memory.rebuild() == 2
        assert memory.verify().problems == ()
        memory.export(tmp_path / "out.jsonl")
    with quiet(tmp_path / "again") as copy:
        assert copy.import_path(tmp_path / "out.jsonl").added == 2
        assert copy.get(name).content == memory_turn(tmp_path / "home", name).content


def memory_turn(home: Path, name: str) -> Turn:
    with quiet(home) as memory:
        return memory.get(name)


@pytest.mark.requirement("F-PIPELINE-05")
@pytest.mark.parametrize("kind", ["prose", "han", "code", "unbroken", "controls", "combining", "marks"])
def test_text_is_kept_verbatim(memory: Memory, kind: str) -> None:
    assert memory.get(memory.add(told(ODD[kind]))).text == ODD[kind]


@pytest.mark.requirement("F-PIPELINE-05")
@pytest.mark.parametrize("count", [600, pytest.param(30_000, marks=[pytest.mark.slow, pytest.mark.timeout(600)])])
def test_the_same_text_thousands_of_times_is_kept_and_found(tmp_path: Path, count: int) -> None:
    with quiet(tmp_path) as memory:
        same = [told("ok, do it")] * count
        report = memory.add_many([told("We picked Redis."), *same])
        assert (report.added, report.known) == (count + 1, 0)
        assert memory.add_many([told("We picked Redis."), *same, told("done")]).added == 1
        assert memory.drain(None)
        assert memory.search("Redis")[0].turn.text == "We picked Redis."
        assert len(memory.search("do it ok", limit=20)) == 20
        context = memory.recall("ok?", budget=500)
        assert 0 < context.tokens <= 500
        assert memory.add(told("ok, do it")) == f"s:turn:{count + 2}"
        assert memory.forget(turn_ids=["s:turn:5"]).turns == 1
        assert memory.add_many([told("We picked Redis."), *same, told("done")]).skipped == {"forgotten": 1}
        assert memory.stats().turns == count + 2


@pytest.mark.requirement("F-PIPELINE-06")
def test_secrets_never_reach_the_disk(tmp_path: Path) -> None:
    turn = Turn(
        role="assistant",
        content=(
            Part(type="text", text=f"The key is {KEY}."),
            Part(type="tool_call", name="curl", text=f'{{"token": "{KEY}"}}', extra={"header": {"x-api-key": KEY}}),
            Part(type="tool_result", text=f"export ANTHROPIC_API_KEY={KEY}\n" + "line of output\n" * 5_000),
            Part(type="image", data=f"key: {KEY}".encode()),
        ),
        session="s",
        speaker=f"Ann {KEY}",
        metadata={"password": "hunter2-Kx93mQ", "note": KEY, KEY: 1},
    )
    with quiet(tmp_path) as memory:
        report = memory.add_many([turn])
        assert sum(report.masked.values()) >= 7
        memory.add(turn)
        memory.recall("key")
        memory.drain(None)
        assert KEY.encode() not in everything(memory.reads.store)
        assert KEY.encode() not in raw(tmp_path)
        stored = memory.restore(report.turn_ids[0])
    assert KEY.encode() not in raw(tmp_path)
    assert b"hunter2-Kx93mQ" not in raw(tmp_path)
    assert "[masked:" in stored.text or "masked" in stored.text
    assert KEY not in str(stored.to_dict())
    assert KEY.encode() not in (stored.parts[3].data or b"")


@pytest.mark.requirement("F-PIPELINE-06")
def test_a_turn_with_a_secret_is_known_again(memory: Memory) -> None:
    same = [told(f"The key is {KEY}."), told("and more")]
    assert memory.add_many(same).added == 2
    assert memory.add_many(same).known == 2


@pytest.mark.requirement("F-PIPELINE-06")
def test_secrets_are_kept_when_the_setting_says_so(tmp_path: Path) -> None:
    with quiet(tmp_path, config={"ingest": {"secrets": "keep"}}) as memory:
        report = memory.add_many([told(f"The key is {KEY}.")])
        assert (report.masked, texts(memory)) == ({}, [f"The key is {KEY}."])


@pytest.mark.requirement("F-PIPELINE-07")
def test_originals_come_back_byte_for_byte(tmp_path: Path) -> None:
    image = bytes(range(256)) * 300
    long = "Zeile für Zeile 🧶\r\n" * 3_000
    turn = Turn(
        role="user",
        content=(
            Part(type="image", data=image, media_type="image/png", text="a picture"),
            Part(type="tool_result", name="cat", call_id="c1", text=long, extra={"exit": 0}),
            Part(type="text", text=long),
            Part(type="text", text=long, media_type="text/markdown"),
        ),
        session="s",
    )
    with quiet(tmp_path) as memory:
        name = memory.add(turn)
        stored = memory.get(name)
        assert [part.blob is not None for part in stored.parts] == [True, True, False, True]
        assert all(part.data is None for part in stored.parts)
        assert len(stored.parts[1].text) < len(long)
        assert stored.parts[1].blob is not None
        assert stored.parts[1].blob[:12] in stored.text
        assert memory.restore(name).content == turn.content
        assert memory.stats().blobs == 2
        memory.add(told("x", "t"))
        memory.add(Turn(role="user", content=(turn.parts[0],), session="t"))
        assert memory.stats().blobs == 2
        assert memory.verify().ok


@pytest.mark.requirement("F-PIPELINE-08")
def test_what_follows_from_a_stored_turn_is_what_was_written_with_it(memory: Memory) -> None:
    memory.add_many([told(text, speaker="Ann") for text in (ODD["prose"], ODD["dates"], ODD["code"])])
    memory.add_many([Turn(role="user", content=(Part(type="tool_result", text="exit 0"),), session="s")])
    memory.add(Turn(role="user", content=(Part(type="injected", text="quoted"),), session="s"))
    written = entries(memory.reads.store)
    weighed = {row[1]: row[2] for row in rows(memory.reads.store, "weighing")}
    for ordinal, entry in written.items():
        made = derive(memory.get(f"s:turn:{entry.seq}"))
        assert made.entry(seq=entry.seq, ordinal=ordinal) == entry
        assert made.annotations == ({"weighing": weighed[ordinal]} if made.turn.origin == "injected" else {})
        if ordinal in weighed:  # by the analysis, or because that passes over it
            assert derive(made.turn, weighed=True).annotations == {"weighing": weighed.pop(ordinal)}
    assert weighed == {}
    assert [(entry.role, entry.chars) for entry in written.values()][-2:] == [("tool", 6), ("user", 0)]


@pytest.mark.requirement("F-PIPELINE-03")
def test_the_names_that_a_turn_greets_are_indexed_in_its_order() -> None:
    names = "Ann Bob Carl Dora Emil Fritz Gina Hugo".split()
    piece = derive(told(" ".join(f"Hi {name}!" for name in names))).pieces[0]
    assert [term for term in piece.extra if "=" in term] == [f"@listener={name.lower()}" for name in names]
