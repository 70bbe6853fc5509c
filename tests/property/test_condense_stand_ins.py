"""What stands for turns that were condensed: each turn once, within the budgets of its class."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.condense.loss import TurnClass, TurnLedger
from clew.condense.stand_ins import SUMMARY, CoveredTurns, cut_to, grouped, shorter, stand_ins, summary_room
from clew.text.counters import counter
from clew.types.shown import ShownAs

pytestmark = pytest.mark.requirement("F-COMPACT-04")
COUNT = counter()
GRADES: st.SearchStrategy[TurnClass] = st.sampled_from(["preserved", "summarised", "routine"])
LABELS = st.frozensets(st.sampled_from("abcd"), max_size=3)
LINES = st.text(st.sampled_from("ab \n"), max_size=120)


@st.composite
def covered(draw: st.DrawFn) -> list[CoveredTurns]:
    """Beats of a session, each with some turns and texts of any length."""
    found, seq = [], 0
    for _ in range(draw(st.integers(1, 6))):
        turns = []
        for _ in range(draw(st.integers(1, 5))):
            turns.append(TurnLedger(seq, draw(st.integers(0, 400)), draw(GRADES), {}, draw(LINES)))
            seq += 1
        texts = {"summary": draw(LINES) * 20, "digest": draw(LINES) * 3, "title": draw(LINES)}
        found.append(CoveredTurns(turns, texts, draw(LABELS)))  # type: ignore[arg-type]  # the keys are ways to show
    return found


@given(beats=covered())
def test_each_turn_stands_in_one_row_within_its_budget(beats: list[CoveredTurns]) -> None:
    turns = {turn.seq: turn for beat in beats for turn in beat.turns}
    made = stand_ins(beats, COUNT)
    assert sorted(seq for each in made for seq in each.seqs) == sorted(turns)
    for each in made:
        grades = {turns[seq].grade for seq in each.seqs}
        assert each.full_tokens == sum(turns[seq].tokens for seq in each.seqs)
        if "preserved" in grades:
            assert (each.rendering, each.tokens, len(each.seqs)) == ("full", each.full_tokens, 1)
            continue
        assert each.tokens == COUNT(each.text)
        summarised = sum(turns[seq].tokens for seq in each.seqs if turns[seq].grade == "summarised")
        assert each.tokens <= summarised + 0.1 * sum(turns[seq].tokens for seq in each.seqs)
        assert each.tokens <= SUMMARY * len(each.seqs)


@given(beats=covered())
def test_each_next_way_is_no_longer_and_ends_in_nothing(beats: list[CoveredTurns]) -> None:
    for each in stand_ins(beats, COUNT):
        shown = each
        while shown.rendering != "recap":
            after = shorter(shown)
            assert after.seqs == shown.seqs
            assert after.tokens <= shown.tokens
            shown = after
        assert (shown.tokens, shown.text) == (0, "")


@given(beats=covered())
def test_groups_share_labels_and_keep_the_order(beats: list[CoveredTurns]) -> None:
    groups = grouped(beats)
    assert sorted(beat.turns[0].seq for group in groups for beat in group) == [beat.turns[0].seq for beat in beats]
    for group in groups:
        held = frozenset(group[0].labels)
        for beat in group[1:]:
            assert held & beat.labels
            held |= beat.labels


@pytest.mark.parametrize("head", ["", "4 user: "])
def test_a_text_in_a_script_without_spaces_is_cut_at_a_character(head: str) -> None:
    text = head + "我们明天早上去海边看日出然后回家吃饭" * 9
    cut = cut_to(text, 20, COUNT)
    assert text.startswith(cut)
    assert 15 <= COUNT(cut) <= 20
    path = "src/" + "cart/" * 90
    assert [cut_to(each, 20, COUNT) for each in (path, f"Grüße {path}")] == ["", "Grüße"]
    assert cut_to("to the sea " * 50, 2.5, COUNT) == "to the", "a counter may give fractions"


@given(text=st.text(st.sampled_from("ab \n"), max_size=400), most=st.integers(0, 60))
def test_a_text_is_cut_to_its_room(text: str, most: int) -> None:
    cut = cut_to(text, most, COUNT)
    assert COUNT(cut) <= most
    assert text.startswith(cut)


def test_routine_turns_get_a_tenth() -> None:
    routine = [TurnLedger(n, 100, "routine", {}, "") for n in range(5)]
    assert summary_room(routine) == 50
    assert summary_room([*routine, TurnLedger(9, 30, "summarised", {}, "")]) == 80
    assert summary_room([TurnLedger(9, 3_000, "summarised", {}, "")]) == SUMMARY


@pytest.mark.requirement("D-VC-01")
def test_the_room_of_a_summary_can_be_set() -> None:
    turns = [TurnLedger(n, 3_000, "summarised", {}, "We decided to use age. " * 9) for n in range(5)]
    texts: dict[ShownAs, str] = {"summary": "Words of the summary. " * 90, "digest": "Words. " * 60, "title": "words"}
    for most, least in ((500, 400), (200, 100), (60, 5)):
        (made,) = stand_ins([CoveredTurns(turns, texts, method="llm:x")], COUNT, most)
        assert least <= made.tokens <= most


def line(text: str, seq: int = 0) -> TurnLedger:
    return TurnLedger(seq, COUNT(text), "summarised", {}, text)


@pytest.mark.parametrize("rendering", ["summary", "digest", "title"])
def test_a_short_turn_keeps_its_sentence(rendering: ShownAs) -> None:
    rule = "Constraint: always tell Bo before the importer runs."
    keywords = "importer, constraint, bo"
    texts: dict[ShownAs, str] = {"summary": f"2026-03-01\nUser: {rule}", "digest": "", "title": keywords}
    (made,) = stand_ins([CoveredTurns([line(rule)], texts)], COUNT)
    assert made.texts[rendering][0] == rule
    (made,) = stand_ins([CoveredTurns([line(rule), line("Understood, I will do that.", 1)], texts)], COUNT)
    assert made.texts[rendering][0].splitlines()[0].removeprefix("2026-03-01") in ("", rule)


def test_decisions_are_chosen_before_commands() -> None:
    decided = "We decided to use age for the vault; it must never be logged."
    turns = [line(f"{decided} Run `vault rotate --keys 3` then."), line("So be it, then. " * 9, 1)]
    command = "User: … Run `vault rotate --keys 3` then."
    (made,) = stand_ins([CoveredTurns(turns, {"summary": command, "digest": command, "title": "vault, keys"})], COUNT)
    assert made.text.splitlines() == [decided, command]
    assert made.texts["title"][0] == decided


def test_a_preserved_turn_becomes_the_sentence_that_decides() -> None:
    text = "I looked at both of them for a long while yesterday. We decided to use age for the vault."
    turn = TurnLedger(0, COUNT(text), "preserved", {}, text)
    (made,) = stand_ins([CoveredTurns([turn], {})], COUNT)
    assert shorter(made).text == "We decided to use age for the vault."


def test_a_day_of_neighbouring_beats_is_told_once() -> None:
    labels = frozenset({"harbour"})
    days = [
        ("2026-03-01", "Ann: One berth is free."),
        ("2026-03-01", "Bo: The crane is late."),
        ("2026-03-02", "Ann: No."),
    ]
    beats = [
        CoveredTurns([line("Words of it. " * 20, seq)], {"summary": f"{day}\n{said}", "digest": ""}, labels)
        for seq, (day, said) in enumerate(days)
    ]
    (made,) = stand_ins(beats, COUNT)
    assert made.text == "2026-03-01\nAnn: One berth is free.\nBo: The crane is late.\n2026-03-02\nAnn: No."
