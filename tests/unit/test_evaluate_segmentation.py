"""Pk, WindowDiff and F1 against figures worked out by hand, and the benchmark's own way through small data."""

import json
from pathlib import Path

import pytest

from benchmarks.bars import draw
from benchmarks.segmentation import main
from clew.evaluate.segmentation import agreement, half_segment, pk, window_diff


@pytest.mark.requirement("W-STRUCT-10")
def test_the_measures_by_hand() -> None:
    # 8 turns, a border at 4, window 2: six pairs (0,2) .. (5,7); those across the border are (2,4) and (3,5).
    assert half_segment(8, {4}) == 2
    assert pk(8, {4}, {4}) == window_diff(8, {4}, {4}) == 0.0
    assert pk(8, {4}, ()) == window_diff(8, {4}, ()) == pytest.approx(2 / 6)
    assert pk(8, {4}, {5}) == window_diff(8, {4}, {5}) == pytest.approx(2 / 6)
    assert pk(8, {4}, {3, 4}) == pytest.approx(1 / 6)
    assert window_diff(8, {4}, {3, 4}) == pytest.approx(2 / 6)
    assert pk(2, {1}, ()) == 0.0


@pytest.mark.requirement("W-STRUCT-10")
def test_figures_over_dialogues() -> None:
    found = agreement([(8, {4}, {4}), (8, {4}, ()), (8, {2, 4}, {2, 5, 6})])
    assert found.pk == pytest.approx((0 + 2 / 6 + pk(8, {2, 4}, {2, 5, 6})) / 3)
    assert found.f1 == pytest.approx(2 * 2 / (4 + 4))
    assert found.borders == 1.0
    assert agreement([]).f1 == 0.0


@pytest.mark.requirement("W-STRUCT-10")
def test_the_benchmark_reads_both_sets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = [("we walk in the park", "-1"), ("the park is green", "0"), ("do you like cars ?", "1"), ("i do", "0")]
    for part in ("train", "dev"):
        file = tmp_path / "tiage" / f"anno_{part}.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({"1": talk * 2}), encoding="utf-8")
    joined = "\n".join(f"call_id_{n}\n0 the park is green\n0 it is\n1 I need a train\n1 where to?" for n in range(8))
    (tmp_path / "dialseg711").mkdir()
    (tmp_path / "dialseg711/en_dataset_reference_2.txt").write_text(joined, encoding="utf-8")
    monkeypatch.setenv("CLEW_DATA", str(tmp_path))
    plot = tmp_path / "plot.svg"
    assert main(["--plot", str(plot), "--embedder", "none"]) == 0
    out = capsys.readouterr().out
    assert "TIAGE, 1 kept dialogues, 8 turns" in out
    assert "| Clew, no model, roles told |" in out
    assert plot.read_text(encoding="utf-8").startswith("<svg")
    monkeypatch.delenv("CLEW_DATA")
    with pytest.raises(SystemExit):
        main([])


@pytest.mark.requirement("W-STRUCT-10")
def test_bars_show_borders_found_and_told() -> None:
    drawn = draw([([0.0, 0.2, 0.9], [2], [1])])
    assert drawn.count('class="bar"') == drawn.count('class="cut"') == drawn.count('class="label"') == 1
