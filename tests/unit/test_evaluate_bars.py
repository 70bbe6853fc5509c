"""How `./dev bench` judges figures. The floors themselves are checked where they are measured."""

from dataclasses import replace

import pytest

from benchmarks.check import (
    AGENT,
    BARS,
    CONDENSED,
    RECORDED,
    SAMPLE,
    Bar,
    Recorded,
    judge_recall,
    judge_speed,
    main,
    report,
)
from benchmarks.condense_bars import RecordedCondense, judge_condense, measure_condense
from clew.config import Config
from clew.evaluate.compression.survival import FOUND, CompactedCut
from clew.evaluate.compression.survival import RECAP as LITERALLY
from clew.evaluate.datasets import load
from clew.evaluate.metrics import EvidenceCoverage
from clew.evaluate.recall import RunSetup, run_recall
from clew.evaluate.results import QuestionOutcome, Run
from clew.evaluate.speed.measure import Measure

SPEED = Measure(name="x", title="x", value=50, unit="turns/s", turns=10, reference=100, against="bare")
TIME = Measure(name="t", title="t", value=3.0, unit="ms", reference=2.0, against="bare")


@pytest.mark.requirement("F-BENCH-09")
@pytest.mark.parametrize(
    ("bar", "value", "met", "ok"),
    [
        (Bar("x", "value", rising=True, goal=50), 50, True, None),
        (Bar("x", "value", rising=True, goal=51), 50, False, None),
        (Bar("x", "ratio", rising=True, reached=0.8, noise=1.6), 0.5, None, True),
        (Bar("x", "ratio", rising=True, reached=0.81, noise=1.6), 0.5, None, False),
        (Bar("t", "ratio", rising=False, goal=1.6, reached=1.0, noise=1.5), 1.5, True, True),
        (Bar("t", "ratio", rising=False, goal=1.4, reached=0.9, noise=1.5), 1.5, False, False),
        (Bar("t", "excess", rising=False, goal=1.0), 1.0, True, None),
        (Bar("x", "value", rising=True, goal=1, reached=1, turns=99), None, None, None),
        (Bar("absent", "value", rising=True, goal=1, reached=1), None, None, None),
    ],
)
def test_a_figure_is_held_to_its_bar(bar: Bar, value: float | None, met: bool | None, ok: bool | None) -> None:
    (verdict,) = judge_speed([SPEED, TIME], [bar])
    assert (verdict.value, verdict.met, verdict.ok) == (value, met, ok)


@pytest.mark.requirement("F-BENCH-09")
def test_only_what_does_not_depend_on_the_machine_has_a_floor() -> None:
    absolute = {"core.packages", "core.size", "disk", "resident", "ingest.flatness"}  # counts, and a ratio by itself
    assert {bar.measure for bar in BARS if bar.reached is not None and bar.of != "ratio"} <= absolute


def tiny_run(*whole: bool) -> Run:
    outcomes = tuple(
        QuestionOutcome(
            conversation="c",
            question=str(number),
            category="x",
            roles=("user",),
            ranks=(1,),
            found={"bare": {"500": EvidenceCoverage(whole=(each,), cover=(1.0,), tokens=9)}},
        )
        for number, each in enumerate(whole)
    )
    return Run(version="1", data="tiny", budgets=(500,), turns=1, outcomes=outcomes)


@pytest.mark.requirement("F-BENCH-09")
@pytest.mark.parametrize(("reached", "ok"), [(50.0, True), (51.0, True), (51.1, False)])
def test_recall_is_held_to_what_was_recorded_less_a_point(reached: float, ok: bool) -> None:
    recorded = Recorded("tiny", None, False, bare={500: reached}, rendered={}, goal={500: 40.0})
    (verdict,) = judge_recall(tiny_run(True, False), recorded)
    assert (verdict.value, verdict.met, verdict.ok) == (50.0, True, ok)
    assert report([verdict]).rows[0][1] == "50.0"


@pytest.mark.requirement("F-BENCH-10")
@pytest.mark.usefixtures("tmp_home")
def test_the_sample_conversation_gives_up_its_evidence_without_a_model() -> None:
    (recorded,) = [each for each in RECORDED if each.path is None and not each.vectors]
    run = run_recall(load(SAMPLE), RunSetup("sample", tuple(recorded.bare), None, Config()))
    behind = [(verdict.title, verdict.value) for verdict in judge_recall(run, recorded) if not verdict.ok]
    assert behind == []


@pytest.mark.requirement("F-BENCH-09")
def test_the_script_says_how_it_is_called(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    assert "--check" in capsys.readouterr().out


@pytest.mark.requirement("F-KEEP-08")
@pytest.mark.parametrize(("kept", "ok"), [(3, True), (2, False)])
def test_compactions_are_held_to_what_was_recorded(kept: int, ok: bool) -> None:
    cut = CompactedCut(
        history="x",
        tokens=4_000,
        covered=3_000,
        recap=100,
        after=1_100,
        cpu=0.1,
        used={"path": 4, "task": 50},
        kept={LITERALLY: {"path": kept}, FOUND: {"path": 4}},
    )
    recorded = RecordedCondense("x", AGENT, recap=75.0, found=100.0)
    recap, found, whole, largest, smaller = judge_condense([cut], recorded)
    assert (recap.ok, recap.met) == (ok, kept > 2)
    assert (found.ok, found.met) == (True, True)
    assert largest.ok is True
    assert (smaller.value, smaller.met, smaller.ok) == (30.0, True, None)
    assert (whole.value, whole.ok) == (None, None)
    long = replace(cut, tokens=120_000, after=4_000 if ok else 5_000)
    assert judge_condense([cut, long], recorded)[2].ok is ok


@pytest.mark.requirement("F-KEEP-08")
def test_real_sessions_are_left_out_where_there_are_none() -> None:
    said: list[str] = []
    real = [each for each in CONDENSED if each.is_real]
    assert measure_condense(real, None, said.append) == []
    assert len(said) == len(real) > 0
