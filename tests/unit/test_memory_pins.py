"""Pins: turns and rules that go before what a recall finds."""

from pathlib import Path

import pytest

from clew.config import IngestConfig
from clew.errors import ExpressionError, InputError, NotFoundError
from clew.maintain.merge_space import merge_space
from clew.memory import Memory
from clew.rows.pins import RULES
from clew.store.memory import MemoryStore
from clew.testing import FrozenClock
from clew.types import Context, Part, Turn
from clew.types.pins import Pin
from tests.support.memories import NOON, empty_store, history, quiet, timed, told

CHATTER = [f"number {n} was about the weather in autumn and little else" for n in range(30)]
RULE = "Our releases are signed with the key of the office."


def filled() -> Memory:
    """A conversation whose first turn answers no question about the weather."""
    memory = quiet()
    memory.add_many(timed([RULE, *CHATTER]))
    return memory


def shown(context: Context) -> dict[str, str | None]:
    """The turns of a block -> why they had to be there."""
    return {item.turn_ids[0]: item.required for item in context.items}


@pytest.mark.requirement("F-PIN-01")
@pytest.mark.parametrize("strategy", ["auto", "default", "sigma"])
@pytest.mark.parametrize("fusion", ["score", "rrf"])
def test_a_pinned_turn_is_in_every_block_that_has_room_for_it(strategy: str, fusion: str) -> None:
    with quiet(config={"recall": {"fusion": fusion}}) as memory:
        memory.add_many(timed([RULE, *CHATTER]))
        memory.drain()  # the strategy of the source ranks by importance, which is weighed behind the acknowledgement
        before = memory.recall("which number was about the weather?", budget=90, strategy=strategy)
        assert "s:turn:0" not in shown(before)
        assert memory.pin("s:turn:0", note="policy").name == "s:turn:0"
        after = memory.recall("which number was about the weather?", budget=90, strategy=strategy)
        assert shown(after)["s:turn:0"] == "pin"
        assert RULE in after.text
        assert after.tokens <= 90
        assert set(shown(after).values()) == {"pin", None}
        memory.unpin("s:turn:0")
        assert shown(memory.recall("which number was about the weather?", budget=90, strategy=strategy)) == shown(
            before
        )


@pytest.mark.requirement("F-PIN-01")
def test_pinned_is_shown_where_nothing_else_is_found_and_makes_nobody_sure() -> None:
    with filled() as memory:
        memory.pin("s:turn:0")
        found = memory.recall("zebra", budget=200)
        assert shown(found) == {"s:turn:0": "pin"}
        assert found.confidence == 0.0
        assert shown(memory.recall("", budget=200)) == {"s:turn:0": "pin"}


@pytest.mark.requirement("F-PIN-02")
def test_a_rule_brings_its_best_turns_for_the_question_then_the_newest() -> None:
    with quiet() as memory:
        memory.add_many(timed(["Zoe: tea is served at nine.", "Zoe: coffee is served at ten.", "Zoe: bye.", *CHATTER]))
        memory.pin(where='"zoe"', most=2)
        assert [k for k, v in shown(memory.recall("weather", budget=120)).items() if v == '"zoe"'] == [
            "s:turn:1",
            "s:turn:2",
        ]
        about_tea = memory.recall("the tea and the weather", budget=120)
        assert shown(about_tea)["s:turn:0"] == '"zoe"'
        assert list(shown(about_tea).values()).count('"zoe"') == 2


@pytest.mark.requirement("F-PIN-02")
def test_a_rule_by_label_brings_what_the_label_marks() -> None:
    with quiet() as memory:
        memory.add_many(timed(["We deploy the harbour service from the release branch."] * 6 + CHATTER))
        assert memory.drain()
        labels = [each.name for each in memory.labels()]
        name = next(each for each in labels if "harbour" in each or "release" in each or "deploy" in each)
        memory.pin(where=f"tag:{name}", most=1)
        required = [why for why in shown(memory.recall("autumn weather", budget=200)).values() if why]
        assert required == [f"tag:{name}"]


@pytest.mark.requirement("F-PIN-03")
def test_a_filter_and_what_is_in_the_prompt_already_hold_for_pins_too() -> None:
    with filled() as memory:
        memory.add_many(history(["elsewhere the weather was fine"], session="other"))
        memory.pin("s:turn:0")
        assert set(shown(memory.recall("weather", session="other"))) == {"other:turn:0"}
        assert "s:turn:0" not in shown(memory.recall("weather", since=NOON.replace(minute=5)))
        assert "s:turn:0" in shown(memory.recall("weather", session="s", budget=100))
    with quiet() as memory:
        memory.update("Our releases are signed.", "Noted.")
        memory.pin("default:turn:0")
        assert memory.build_prompt("weather?").count("Our releases are signed") == 1


@pytest.mark.requirement("F-PIN-04")
def test_a_receipt_says_what_had_to_be_there_and_what_had_no_room() -> None:
    long = "The release key is kept in the safe. " * 12
    with quiet() as memory:
        memory.add_many(timed([long, RULE, *CHATTER]))
        memory.pin("s:turn:1")
        memory.pin("s:turn:0")
        found = memory.recall("autumn weather", budget=80)
        receipt = memory.explain(found.receipt_id)
        assert [row["turn_ids"] for row in receipt.chosen if row.get("required") == "pin"] == [["s:turn:1"]]
        assert receipt.omitted[0]["turn_ids"] == ["s:turn:0"]
        assert receipt.omitted[0]["reason"].startswith("required by pin: takes about 111 tokens, ")
        assert receipt.omitted[0]["restore"] == "s:turn:0"
        for item in memory.recall("autumn weather", budget=4000).items:
            assert item.score == pytest.approx(sum(item.signals.values()), abs=1e-5)


@pytest.mark.requirement("F-PIN-04")
def test_what_was_pinned_first_goes_first_and_turns_before_rules() -> None:
    with filled() as memory:
        memory.pin(where='"weather"', most=20)
        memory.pin("s:turn:0")
        found = memory.recall("weather", budget=70)
        assert shown(found)["s:turn:0"] == "pin"
        assert set(shown(found).values()) == {"pin", '"weather"'}


@pytest.mark.requirement("F-PIN-05")
def test_bad_pins_are_refused_and_keep_nothing() -> None:
    with quiet() as memory:
        memory.add(told("tea"))
        memory.add(
            Turn(role="user", session="s", content=(Part(type="injected", text="<clew-memory>x</clew-memory>"),))
        )
        for call, error, words in (
            (memory.pin, InputError, "nothing is given; name a turn, or a rule"),
            (lambda: memory.pin("s:turn:0", where="routine"), InputError, "a turn and a rule is given"),
            (lambda: memory.pin("tea"), InputError, "is not a turn id"),
            (lambda: memory.pin("s:turn:9"), NotFoundError, "no turn 's:turn:9'"),
            (lambda: memory.pin("s:turn:1"), InputError, "never a memory"),
            (lambda: memory.pin(where="O9 >"), ExpressionError, "at position 1"),
            (lambda: memory.pin(where="  "), ExpressionError, "at position 1"),
            (lambda: memory.pin(where="routine", most=0), InputError, "most is 0"),
            (lambda: memory.pin(where="routine", most=True), InputError, "expected a whole number"),
            (lambda: memory.pin("s:turn:0", note=3), InputError, "the note is 3"),  # type: ignore[arg-type]  # that is it
            (lambda: memory.unpin("s:turn:0"), NotFoundError, "nothing is pinned as 's:turn:0'"),
            (memory.unpin, InputError, "nothing is given"),
        ):
            with pytest.raises(error, match=words):
                call()
        assert memory.pins() == []
        for number in range(RULES):
            memory.pin(where=f"importance > {number / 10}")
        with pytest.raises(InputError, match="there are 20 rules already"):
            memory.pin(where="routine")
        memory.pin(where="importance > 0.0", most=9)
        assert len(memory.pins()) == RULES
        memory.pause()
        with pytest.raises(InputError, match="the space is paused"):
            memory.pin("s:turn:0")


@pytest.mark.requirement("F-PIN-06")
def test_pins_outlive_the_program_and_a_rebuild_and_go_with_their_turn(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    with quiet(tmp_path / "home", clock=clock) as memory:
        memory.add_many(timed([RULE, "the key is in the drawer", *CHATTER], session="a b/ü"))
        first = memory.pin("a%20b%2F%C3%BC:turn:1", note="the drawer")
        clock.advance(1)
        rule = memory.pin(where='"weather"', most=2)
        clock.advance(1)
        memory.pin("a%20b%2F%C3%BC:turn:0")
    with quiet(tmp_path / "home") as memory:
        assert memory.pins()[:2] == [first, rule]
        assert [Pin.from_dict(each.to_dict()) for each in memory.pins()] == memory.pins()
        memory.rebuild()
        assert len(memory.pins()) == 3
        assert memory.forget(match="drawer").rows["pin"] == 1
        assert [each.name for each in memory.pins()] == ['"weather"', "a%20b%2F%C3%BC:turn:0"]
        assert memory.verify().ok


@pytest.mark.requirement("F-PIN-06")
def test_a_pin_without_its_turn_is_told_and_mended() -> None:
    store = empty_store()
    with quiet(store) as memory:
        memory.add(told("tea"))
        store.transaction(lambda tx: tx.put("pin", [("default", "turn", "s:turn:7", 1, None, 0)]))
        assert [(each.kind, each.where) for each in memory.verify().problems] == [("orphan", "s:turn:7")]
        assert memory.recall("tea").items


@pytest.mark.requirement("F-PIN-06")
def test_a_merge_brings_pins_along_under_the_ids_they_have_here() -> None:
    theirs, ours = MemoryStore(), MemoryStore()
    for store, texts in ((theirs, ["alpha", "beta", "gamma"]), (ours, ["zero", "alpha"])):
        store.migrate()
        with quiet(store) as memory:
            memory.add_many([told(text, external_id=text) for text in texts])
    with quiet(theirs) as memory:
        memory.pin("s:turn:2", note="theirs")
        memory.pin("s:turn:0")
        memory.pin(where="routine", most=5)
    with quiet(ours) as memory:
        memory.pin(where="routine", most=1)
        for _ in range(2):
            merge_space(theirs, ours, "default", memory.config.ingest, FrozenClock(NOON))
            names = {
                each.name: (memory.get(each.name).text, each.note) for each in memory.pins() if each.kind == "turn"
            }
            assert sorted(names.values(), key=str) == [("alpha", None), ("gamma", "theirs")]
            assert [each.most for each in memory.pins() if each.kind == "where"] == [1]


@pytest.mark.requirement("F-PIN-06")
def test_a_merge_brings_no_more_rules_than_a_space_may_have_and_none_while_it_is_paused() -> None:
    theirs, ours = MemoryStore(), MemoryStore()
    for store in (theirs, ours):
        with quiet(store) as memory:
            memory.add(told("alpha", external_id="alpha"))
    with quiet(theirs) as memory:
        memory.pin("s:turn:0", note="theirs")
        for number in range(RULES):
            memory.pin(where=f'"theirs {number}"')
    with quiet(ours) as memory:
        memory.pin(where='"ours"')
        memory.pause()
        merge_space(theirs, ours, "default", memory.config.ingest, FrozenClock(NOON))
        assert [pin.name for pin in memory.pins()] == ['"ours"']
        memory.resume()
        merge_space(theirs, ours, "default", memory.config.ingest, FrozenClock(NOON))
        assert sum(pin.kind == "where" for pin in memory.pins()) == RULES
        assert {'"ours"', "s:turn:0"} <= {pin.name for pin in memory.pins()}


KEY = "AKIA" + "ABCDEFGH12345678"


@pytest.mark.requirement("F-PIN-08")
def test_secrets_in_notes_and_rules_are_masked_and_the_rule_finds_what_it_did(tmp_path: Path) -> None:
    with quiet(tmp_path) as memory:
        memory.add_many(timed([f"the deploy key is {KEY}, keep it", *CHATTER]))
        noted = memory.pin("s:turn:1", note=f"{KEY} password=Hq8vTzzP1k")
        rule = memory.pin(where=f'"{KEY}"')
        assert noted.note is not None
        assert noted.note.startswith("[masked:aws-id:")
        assert KEY not in rule.name
        assert shown(memory.recall("which number was about the weather?", budget=200))["s:turn:0"] == rule.name
    held = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY.encode() not in held
    assert b"Hq8vTzzP1k" not in held
    with quiet(tmp_path) as memory:
        memory.unpin(where=f'"{KEY}"')
        assert [pin.name for pin in memory.pins()] == ["s:turn:1"]


@pytest.mark.requirement("F-PIN-08")
def test_a_merge_masks_secrets_of_pins_as_the_target_says() -> None:
    with quiet(config={"ingest": {"secrets": "keep"}}) as memory:
        memory.add_many(timed([RULE, *CHATTER]))
        assert memory.pin("s:turn:0", note=KEY).note == KEY
        masking, keeping = empty_store(), empty_store()
        for target, secrets in ((masking, "mask"), (keeping, "keep")):
            merge_space(memory.reads.store, target, "default", IngestConfig(secrets=secrets), FrozenClock(NOON))
    for target, clear in ((masking, False), (keeping, True)):
        with target.snapshot() as reader:
            assert (KEY in repr(reader.scan("pin", ("default",), ("default",)))) == clear
