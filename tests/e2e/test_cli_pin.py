"""`clew pin` as a user meets it."""

import json
from pathlib import Path

import pytest

from tests.support.cli_runs import done, failure, records, run


@pytest.mark.requirement("F-PIN-07")
def test_pin_sets_lists_shows_and_takes_back(tmp_path: Path) -> None:
    home, told = tmp_path / "home", tmp_path / "told.jsonl"
    words = ["Always answer in metric units.", "The invoice is paid.", "The invoice was late.", *["It rained."] * 40]
    told.write_text("".join(json.dumps({"role": "user", "content": text}) + "\n" for text in words), "utf-8")
    done("import", told, "--session", "talk", "--home", home)
    assert run("pin", "--home", home).stderr.startswith("nothing is pinned;")
    assert run("pin", "talk:turn:0", "--note", "house rules", "--home", home).stderr == "pinned: talk:turn:0\n"
    made = json.loads(done("pin", "--where", '"invoice"', "--most", "1", "--json", "--home", home))
    assert (made["kind"], made["name"], made["most"]) == ("where", '"invoice"', 1)
    listed = done("pin", "--home", home)
    assert "house rules" in listed
    assert '"invoice", 1 at most' in listed
    assert [each["name"] for each in records("pin", "--home", home)] == ["talk:turn:0", '"invoice"']
    block = json.loads(done("recall", "did it rain?", "--budget", "120", "--json", "--home", home))
    required = {item["turn_ids"][0]: item.get("required") for item in block["items"]}
    assert required.pop("talk:turn:0") == "pin"
    assert list(required.values()).count('"invoice"') == 1
    assert "pinned" in done("explain", "last", "--home", home)
    done("pin", "talk:turn:0", "--remove", "--home", home)
    done("pin", "--where", '"invoice"', "--remove", "--home", home)
    assert records("pin", "--home", home) == []
    after = json.loads(done("recall", "did it rain?", "--budget", "120", "--json", "--home", home))
    assert not any(item.get("required") for item in after["items"])


@pytest.mark.requirement("F-PIN-07")
def test_a_wrong_pin_is_one_line(tmp_path: Path) -> None:
    home = tmp_path / "home"
    done("add", "We picked Redis for sessions.", "--home", home)
    for words, status, message in (
        (("pin", "nope"), 1, "'nope' is not a turn id"),
        (("pin", "s:turn:1\x1b[31m"), 1, "is not a turn id"),
        (("pin", "x:turn:9"), 1, "no turn 'x:turn:9'"),
        (("pin", "--where", "O9 >"), 2, "at position 1 of the expression"),
        (("pin", "--remove", "x:turn:9"), 1, "nothing is pinned as 'x:turn:9'"),
        (("pin", "--most", "2"), 2, "give a TURN_ID, or a rule"),
        (("pin", "x:turn:9", "--most", "2"), 2, "--most applies to rules only"),
        (("pin", "x:turn:9", "--remove", "--note", "n"), 2, "--remove cannot be combined"),
    ):
        said = failure(status, *words, "--home", home)
        assert message in said
        assert "\x1b" not in said
