"""Options that would be ignored beside another are refused, and --limit holds for JSON too."""

from pathlib import Path

import pytest

from tests.support.cli_runs import done, failure, record

REFUSED = {
    ("copy", "a", "b", "--all", "--space", "work"): "--all copies every space",
    ("--space", "work", "copy", "a", "b", "--all"): "--all copies every space",
    ("forget", "--match", "x", "--dry-run", "--proof"): "--dry-run deletes nothing",
    ("forget", "--match", "x", "--dry-run", "--look-in", "."): "--dry-run deletes nothing",
    ("condense", "--shown", "--counter", "words"): "--shown counts as configured",
    ("graph", "--dot", "--json"): "--dot and --json are two forms",
    ("extract", "--rules", "--semantic-calls", "1"): "--rules asks no model",
    ("watch", "codex", "--remove", "--yes"): "leave out PROGRAM",
    ("restore", "s:turn:0", "--force"): "--force belongs to --out",
    ("demo", "--proxy", "--budget", "9"): "neither PATH, --ask nor --budget",
    ("install", "codex", "--print", "--server", "http://127.0.0.1:9"): "--server belongs to --hooks and --proxy",
}


@pytest.mark.requirement("F-CLI-92")
@pytest.mark.usefixtures("tmp_home")
@pytest.mark.parametrize("words", REFUSED)
def test_an_option_without_effect_is_refused(words: tuple[str, ...]) -> None:
    done("add", "Ann met Bob.", "--session", "s")
    assert REFUSED[words] in failure(2, *words)


@pytest.mark.requirement("F-CLI-92")
def test_the_page_of_a_name_is_limited_as_json_too(tmp_path: Path) -> None:
    for number in range(3):
        done("add", f"Ann Smith met Bob Jones and Eve Miller in Paris, {number}.", "--home", tmp_path)
    whole = record("entities", "Ann Smith", "--home", tmp_path)
    assert min(len(whole["neighbours"]), len(whole["turn_ids"])) > 1
    page = record("entities", "Ann Smith", "--limit", "1", "--home", tmp_path)
    assert (page["neighbours"], page["turn_ids"]) == (whole["neighbours"][:1], whole["turn_ids"][:1])
