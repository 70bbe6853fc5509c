"""Signals left out one at a time, and results drawn as a curve."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from clew.cli.main import main
from clew.config import Config
from clew.errors import InputError
from clew.evaluate.ablation import NOTHING, run_ablations
from clew.evaluate.curve import curve
from clew.evaluate.recall import RunSetup, run_recall
from clew.evaluate.results import compare, mean, save
from clew.evaluate.tables import ablation_sheet
from clew.rank.dampening import STEPS
from clew.rank.signals import SIGNALS
from tests.unit.test_evaluate_recall import TALK

pytestmark = pytest.mark.usefixtures("tmp_home")

SAMPLE = Path("src/clew/cli/sample").resolve()


@pytest.mark.slow
@pytest.mark.requirement("F-ABLATE-01")
def test_each_signal_is_left_out_and_the_whole_is_what_a_run_finds() -> None:
    runs = run_ablations([TALK], RunSetup("talk", (40, 20), None, Config()))
    assert list(runs) == [NOTHING, *(signal.name for signal in SIGNALS), *STEPS]
    whole = run_recall([TALK], RunSetup("talk", (40, 20), None, Config()))
    for budget in (20, 40):
        assert mean(runs[NOTHING].outcomes, "bare", budget, "recall") == mean(whole.outcomes, "bare", budget, "recall")
    assert runs["cost"].settings == {"recall.cost": 0.0, "recall.cost_assistant": 0.0}
    lost = {name: compare(runs[NOTHING], run)[0].change.mean for name, run in runs.items()}
    assert lost["lexical"] < 0 == lost["quote"]
    sheet = ablation_sheet(runs[NOTHING], {"lexical": compare(runs[NOTHING], runs["lexical"])})
    assert [row[0] for row in sheet.rows] == ["nothing", "lexical"]
    assert sheet.rows[1][1].startswith("-")


@pytest.mark.requirement("F-ABLATE-01")
def test_an_unknown_signal_is_named() -> None:
    with pytest.raises(InputError, match="no signal is called 'lexicon'; there are lexical, dense"):
        run_ablations([TALK], RunSetup("talk", (40,), None, Config()), signals=("lexicon",))


@pytest.mark.requirement("F-ABLATE-02")
def test_a_curve_shows_each_run_and_form() -> None:
    run = run_recall([TALK], RunSetup("talk", (20, 40, 80), None, Config()))
    drawn = curve([run, run], ["one <1>", "two"])
    assert drawn == curve([run, run], ["one <1>", "two"])
    tree = ElementTree.fromstring(drawn)  # noqa: S314 - made by ourselves
    lines = tree.findall("{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == 4
    assert [len(line.attrib["points"].split()) for line in lines] == [3] * 4
    assert "one <1>" in {text.text for text in tree.iter("{http://www.w3.org/2000/svg}text")}
    single = run_recall([TALK], RunSetup("talk", (20,), None, Config()))
    with pytest.raises(InputError, match="two budgets or more"):
        curve([single], ["one"])
    with pytest.raises(InputError, match="each 1 or more"):
        curve([replace(run, budgets=(0, 20))], ["one"])
    with pytest.raises(InputError, match="nothing to draw"):
        curve([replace(run, outcomes=())], ["one"])


@pytest.mark.slow
@pytest.mark.requirement("F-ABLATE-01", "F-ABLATE-02")
def test_both_on_the_command_line(tmp_path: Path) -> None:
    run = run_recall([TALK], RunSetup("talk", (20, 40), None, Config()))
    result, picture = tmp_path / "run.json", tmp_path / "recall.svg"
    save(run, result)
    done = CliRunner().invoke(main, ["bench", "curve", str(result), "--name", "talk", "--out", str(picture)])
    assert done.exit_code == 0, done.output
    assert picture.read_text().startswith("<svg")
    wrong = CliRunner().invoke(main, ["bench", "curve", str(result), "--name", "a", "--name", "b", "--out", "x"])
    assert wrong.exit_code == 2
    arguments = ["bench", "ablate", "--data", str(SAMPLE), "--embedder", "none", "--budgets", "500", "--signal", "cost"]
    done = CliRunner().invoke(main, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    assert '"without": "cost"' in done.output or '"without":"cost"' in done.output
