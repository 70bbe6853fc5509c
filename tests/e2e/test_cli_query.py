"""`clew query`, and the options that restrict other commands by expression and by what was known when."""

import json
from pathlib import Path
from shutil import copytree

import pytest

from tests.support.cli_runs import done, failure, records, run


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory, worked_sample: Path) -> Path:
    """A home that holds the sample conversation, analysed."""
    place = tmp_path_factory.mktemp("sample") / "home"
    copytree(worked_sample, place)
    return place


@pytest.mark.requirement("F-QUERY-14")
def test_query_lists_turns_with_what_is_known_of_them(sample: Path) -> None:
    result = run("query", "importance > 7 AND NOT role = assistant", "--limit", "2", "--home", sample)
    assert result.exit_code == 0
    assert result.stdout.count("importance ") == 2
    assert "There are more turns than 2; --limit shows more." in result.stderr
    found = records("query", "importance > 7 AND NOT role = assistant", "--home", sample)
    assert len(found) > 2
    assert all(each["role"] != "assistant" for each in found)
    assert [each["ordinal"] for each in found] == sorted(each["ordinal"] for each in found)
    nothing = run("query", "importance > 10", "--home", sample)
    assert (nothing.exit_code, nothing.stdout) == (0, "")
    assert nothing.stderr == "No turn matches the expression.\n"


@pytest.mark.requirement("F-QUERY-02", "F-QUERY-14")
@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("O1 > 7)", "clew: at position 7 of the expression: found ')' without '('"),
        ("", "clew: at position 1 of the expression: found nothing"),
        ("x" * 100_000, "clew: at position 10001 of the expression: it goes on to 100,000 characters"),
        ("importance ~ 'auth'", "clew: at position 12 of the expression: found '~'; expected a comparison"),
        ("tag:\x1b[31m = red", "clew: at position 13"),
        ("mood:\x1b[31m", "clew: at position 1 of the expression: found 'mood:"),
    ],
)
def test_a_wrong_expression_is_one_line(sample: Path, expression: str, message: str) -> None:
    for words in (("query", expression), ("search", "bike", "--where", expression)):
        said = failure(2, *words, "--home", sample)
        assert said.startswith(message)
        assert said.count("\n") == 1
        assert "\x1b" not in said


@pytest.mark.requirement("F-QUERY-14")
def test_where_as_of_and_known_at_restrict_commands(sample: Path) -> None:
    at = [each["at"] for each in records("query", "role = user", "--home", sample)]
    middle = sorted(moment[:10] for moment in at)[len(at) // 2]
    before = records("query", "role = user", "--as-of", middle, "--home", sample)
    assert {each["at"][:10] for each in before} == {moment[:10] for moment in at if moment[:10] <= middle}
    assert records("query", "role = user", "--known-at", "2001-01-01", "--home", sample) == []
    hits = records("search", "bike", "--where", "role = assistant", "--as-of", middle, "--home", sample)
    assert hits
    assert {hit["turn"]["role"] for hit in hits} == {"assistant"}
    block = json.loads(done("recall", "bike", "--where", "role = assistant", "--json", "--explain", "--home", sample))
    assert block["receipt"]["settings"]["filter"]["where"] == "role = assistant"
    shown = run("recall", "bike", "--where", "role = assistant", "--as-of", middle, "--explain", "--home", sample)
    assert f"where role = assistant; as_of {middle}T23:59:59.999999+00:00" in " ".join(shown.stderr.split())
    assert "names no time" in failure(2, "recall", "bike", "--as-of", "soon", "--home", sample)


@pytest.mark.requirement("F-QUERY-07", "F-QUERY-14")
def test_forget_takes_an_expression_and_shows_what_would_go(sample: Path, tmp_path: Path) -> None:
    done("copy", sample, tmp_path / "copy")
    held = records("query", 'speaker = jonas OR "cargo"', "--home", tmp_path / "copy")
    shown = run("forget", "--where", 'speaker = jonas OR "cargo"', "--dry-run", "--home", tmp_path / "copy")
    assert f"{len(held)} turns would be deleted" in shown.stdout
    gone = run("forget", "--where", 'speaker = jonas OR "cargo"', "--yes", "--proof", "--home", tmp_path / "copy")
    assert gone.exit_code == 0, gone.output
    assert f"deleted {len(held)} turns" in gone.stderr
    assert records("query", 'speaker = jonas OR "cargo"', "--home", tmp_path / "copy") == []
    assert "at position 1" in failure(2, "forget", "--where", "cargo", "--dry-run", "--home", tmp_path / "copy")
