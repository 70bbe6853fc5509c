"""Intervals, summaries and comparisons, on outcomes whose figures can be computed by hand."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import FormatError, InputError
from clew.evaluate.metrics import EvidenceCoverage
from clew.evaluate.results import QuestionOutcome, Run, compare, read, save, summarise
from clew.evaluate.statistics import estimate
from clew.evaluate.tables import difference_sheet, headline, run_sheets


def outcome(
    name: str,
    whole: tuple[bool, ...],
    *,
    conversation: str = "c1",
    category: str = "x",
    ranks: tuple[int | None, ...] = (1, None),
) -> QuestionOutcome:
    found = EvidenceCoverage(whole=whole, cover=tuple(0.5 + each / 2 for each in whole), tokens=90)
    return QuestionOutcome(
        conversation=conversation,
        question=name,
        category=category,
        roles=("user", "assistant"),
        ranks=ranks,
        found={"bare": {"100": found}},
    )


def run(*outcomes: QuestionOutcome, data: str = "tiny", budgets: tuple[int, ...] = (100,)) -> Run:
    return Run(version="1", data=data, budgets=budgets, turns=7, skipped={"odd": 2}, outcomes=outcomes)


TINY = run(
    outcome("q1", (True, False)),
    outcome("q2", (True, True), category="y", ranks=(7, 1)),
    outcome("q3", (False, False), conversation="c2"),
)


@pytest.mark.requirement("F-BENCH-04")
def test_an_interval_draws_whole_conversations() -> None:
    same = estimate([0.0, 1.0] * 50, ["a", "b"] * 50)
    mixed = estimate([0.0, 1.0] * 50, [str(place // 2) for place in range(100)])
    assert same is not None
    assert mixed is not None
    assert (same.mean, same.low, same.high) == (0.5, 0.0, 1.0)  # a draw may take one conversation twice
    assert (mixed.mean, mixed.low, mixed.high) == (0.5, 0.5, 0.5)  # each conversation holds one of each


@pytest.mark.requirement("F-BENCH-04")
def test_one_conversation_has_no_interval_and_no_value_no_mean() -> None:
    alone = estimate([1.0, 0.0, 0.0, 1.0], ["a"] * 4)
    assert alone is not None
    assert (alone.count, alone.mean, alone.low, alone.high) == (4, 0.5, None, None)
    assert estimate([], []) is None


@pytest.mark.requirement("F-BENCH-04")
@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from("abc")), min_size=1, max_size=30))
def test_the_same_values_give_the_same_interval_around_the_mean(rows: list[tuple[float, str]]) -> None:
    values, groups = [value for value, _ in rows], [group for _, group in rows]
    found = estimate(values, groups)
    assert found == estimate(values, groups)
    assert found is not None
    assert min(values) - 1e-9 <= found.mean <= max(values) + 1e-9
    if found.low is not None and found.high is not None:
        assert found.low <= found.high


@pytest.mark.requirement("F-BENCH-06")
def test_summary_by_hand() -> None:
    found = summarise(TINY)
    figures = found["forms"]["bare"]["100"]
    assert found["questions"] == 3
    assert found["conversations"] == 2
    assert figures["recall"]["mean"] == pytest.approx((0.5 + 1 + 0) / 3)
    assert figures["all"]["mean"] == pytest.approx(1 / 3)
    assert figures["soft"]["mean"] == pytest.approx((0.75 + 1 + 0.5) / 3)
    assert figures["categories"]["y"]["recall"] == {"count": 1, "mean": 1.0}
    assert figures["roles"]["assistant"]["recall"]["mean"] == pytest.approx(1 / 3)
    assert figures["roles"]["user"]["soft"]["mean"] == pytest.approx((1 + 1 + 0.5) / 3)
    assert found["ranks"]["r@5"]["mean"] == pytest.approx(0.5)
    assert found["ranks"]["r@10"]["mean"] == pytest.approx((0.5 + 1 + 0.5) / 3)


@pytest.mark.requirement("F-BENCH-06")
def test_the_tables_show_the_figures() -> None:
    assert headline(TINY) == ("tiny: 3 questions on 7 turns of 2 conversations; no embedder; 2 questions left out: odd")
    sheets = {sheet.title: sheet for sheet in run_sheets(TINY)}
    roles = next(sheet for title, sheet in sheets.items() if "by role" in title)
    assert roles.rows == (("assistant (3)", "33.3 / 66.7"), ("user (3)", "66.7 / 83.3"))
    categories = next(sheet for title, sheet in sheets.items() if "by category" in title)
    assert categories.text() == "category    100\nx (2)      25.0\ny (1)     100.0"


@pytest.mark.requirement("F-BENCH-05")
def test_a_result_file_comes_back_as_it_was(tmp_path: Path) -> None:
    save(TINY, tmp_path / "a.json")
    assert read(tmp_path / "a.json") == TINY


@pytest.mark.requirement("F-BENCH-05")
@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": "1"}', '{"outcomes": 3}', "[" * 100_000])
def test_other_files_are_no_results(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"not a result of `clew bench recall --out`"):
        read(tmp_path / "a.json")
    with pytest.raises(FormatError, match="cannot be read"):
        read(tmp_path / "absent.json")
    with pytest.raises(InputError, match="cannot be written"):
        save(TINY, tmp_path / "absent" / "a.json")


@pytest.mark.requirement("F-BENCH-05")
def test_two_runs_are_compared_question_by_question() -> None:
    other = run(
        outcome("q3", (True, True), conversation="c2"),
        outcome("q1", (True, False)),
        outcome("q1", (True, True), conversation="c3"),  # the first run never asked this one
        budgets=(100, 200),
    )
    differences = {each.category: each for each in compare(TINY, other)}
    assert set(differences) == {None, "x"}
    assert differences[None].change.count == 2
    assert differences[None].change.mean == pytest.approx(0.5)
    assert not differences[None].significant
    assert difference_sheet(compare(TINY, other), "recall").rows[0] == (
        "bare 100 all",
        "2",
        "+50.0",
        "+0.0 to +100.0",
        "",
    )


@pytest.mark.requirement("F-BENCH-05")
def test_a_change_in_every_conversation_is_significant() -> None:
    better = run(*(outcome(each.question, (True, True), conversation=each.conversation) for each in TINY.outcomes))
    worse = run(*(outcome(each.question, (False, False), conversation=each.conversation) for each in TINY.outcomes))
    assert compare(worse, better)[0].significant
    assert compare(better, worse)[0].change.mean == -1.0


@pytest.mark.requirement("F-BENCH-05")
def test_runs_that_share_nothing_cannot_be_compared() -> None:
    with pytest.raises(InputError, match="share 0 questions"):
        compare(TINY, run(outcome("q9", (True, True)), data="other"))
