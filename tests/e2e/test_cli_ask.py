"""`clew recall`, `search`, `quote`, `explain` and `restore`, as people use them."""

import json
import re
from base64 import b64encode
from collections import Counter
from functools import cache
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from tests.support.cli_runs import CONVERSATION, done, failure, record, records, run

LIFT = "How much weight can the cargo-bike lift in Walle carry?"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory, imported_sample: Path) -> Path:
    """A home that holds the sample conversation; the tests of this module only ask it."""
    place = tmp_path_factory.mktemp("sample") / "home"
    copytree(imported_sample, place)
    return place


@pytest.fixture
def home(tmp_home: Path, sample: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, as the home that commands take by themselves."""
    monkeypatch.setenv("CLEW_HOME", str(sample))
    return sample


@cache
def stored() -> dict[str, dict[str, Any]]:
    """The turns of the sample by the ids that they get, since asking for each takes a run of the program."""
    turns = [json.loads(line) for line in CONVERSATION.read_text(encoding="utf-8").splitlines()]
    counts: Counter[str] = Counter()
    named = {}
    for turn in turns:
        named[f"{turn['session']}:turn:{counts[turn['session']]}"] = turn
        counts[turn["session"]] += 1
    return named


@pytest.mark.requirement("F-CLI-14")
def test_recall_prints_the_block_and_says_what_it_cost(home: Path) -> None:
    result = run("recall", LIFT, "--budget", "300")
    assert result.exit_code == 0
    assert result.stdout.startswith("<clew-memory>\n")
    assert "180 kg" in result.stdout
    said = " ".join(result.stderr.split())
    cost = re.match(r"(\d+) of 300 tokens, (\d+) items?, \d+% sure, \d+ ms; `clew explain (r\w+)` says why", said)
    assert cost is not None
    assert int(cost[1]) <= 300


@pytest.mark.requirement("F-CLI-14")
def test_recall_as_json_is_the_context_exactly(home: Path) -> None:
    context = record("recall", LIFT, "--budget", "300", "--counter", "words")
    assert context["tokens"] <= context["budget"] == 300
    assert context["receipt_id"].startswith("r")
    assert context["ms"] > 0
    assert {"turn_ids", "text", "tokens", "score", "signals", "session", "rendering"} <= set(context["items"][0])
    assert done("recall", LIFT, "--budget", "300", "--counter", "words") == context["text"]


@pytest.mark.requirement("F-CLI-14")
def test_recall_explains_itself_when_asked(home: Path) -> None:
    context = record("recall", LIFT, "--explain")
    assert context["receipt"]["id"] == context["receipt_id"]
    result = run("recall", LIFT, "--budget", "200", "--explain")
    assert result.stdout.startswith("<clew-memory>")
    assert "lexical +" in result.stderr


@pytest.mark.requirement("F-BLOCK-18")
def test_an_explanation_says_what_its_signals_look_for(home: Path) -> None:
    done("recall", LIFT, "--budget", "200")
    short, full = (" ".join(done("explain", "last", *more).split()) for more in ([], ["--full"]))
    assert "lexical: words of the question" in short
    assert short.count("words of the question") == 1
    assert "cost: its length" in full
    assert "cost: its length" not in short


@pytest.mark.requirement("F-CLI-14")
@pytest.mark.parametrize(
    ("words", "holds"),
    [
        (["--session", "09-bays-and-lifts"], lambda turn: turn["session"] == "09-bays-and-lifts"),
        (["--speaker", "Kazuya"], lambda turn: turn["speaker"] == "Kazuya"),
        (["--role", "tool"], lambda turn: turn["role"] == "tool"),
        (["--since", "2025-09-01"], lambda turn: turn["at"] >= "2025-09-01"),
        (["--until", "2025-04-01"], lambda turn: turn["at"] < "2025-04-01"),
    ],
)
def test_answers_can_be_restricted(home: Path, words: list[str], holds: object) -> None:
    assert callable(holds)
    hits = records("search", "Walle database lift sync", *words)
    assert hits
    assert all(holds(hit["turn"]) for hit in hits)
    items = record("recall", "Walle database lift sync", *words)["items"]
    assert items
    said = stored()
    assert all(holds(said[name]) for item in items for name in item["turn_ids"])


@pytest.mark.requirement("F-CLI-14")
def test_an_empty_block_says_why(home: Path) -> None:
    nothing = run("recall", "zzqxv")
    assert (nothing.exit_code, nothing.stdout) == (0, "")
    assert "Nothing relevant was found" in nothing.stderr
    small = run("recall", LIFT, "--budget", "5")
    assert (small.exit_code, small.stdout) == (0, "")
    assert "Nothing fits into 5 tokens" in small.stderr


@pytest.mark.requirement("F-CLI-14")
@pytest.mark.parametrize("command", ["recall", "search"])
def test_an_empty_memory_says_how_to_begin(tmp_home: Path, command: str) -> None:
    assert "clew import claude-code" in failure(1, command, "anything")
    done("resume")
    result = run(command, "anything")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "clew import claude-code" in result.stderr


@pytest.mark.requirement("F-CLI-14", "F-CLI-03")
def test_a_range_that_ends_before_it_starts_is_an_error(home: Path) -> None:
    assert "ends" in failure(1, "recall", LIFT, "--since", "2025-05-01", "--until", "2025-04-01")


@pytest.mark.requirement("F-CLI-14", "F-CLI-03")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("recall", LIFT, "--counter", "stones"), "counter 'stones' is unknown; choose one of estimate, "),
        (("recap", "--counter", "stones"), "counter 'stones' is unknown; choose one of estimate, "),
        (("recall", LIFT, "--as-of", "some day"), "Invalid value for --as-of: as_of 'some day' names no time"),
        (("search", LIFT, "--known-at", "some day"), "Invalid value for --known-at: known_at 'some day' names no time"),
        (("facts", "--as-of", "some day"), "Invalid value for --as-of: as_of 'some day' names no time"),
        (("forget", "--yes"), "nothing is selected"),
    ],
)
def test_a_value_that_no_option_takes_is_wrong_usage(home: Path, words: tuple[str, ...], told: str) -> None:
    assert told in failure(2, *words)


@pytest.mark.requirement("F-CLI-14")
@pytest.mark.parametrize("option", ["--as-of", "--known-at"])
def test_words_for_a_time_are_its_last_moment(home: Path, option: str) -> None:
    assert done("search", "lift", option, "2025") == done("search", "lift", option, "2025-12-31")
    assert len(records("query", "role = user", option, "next year")) == len(records("query", "role = user"))
    assert done("search", "lift", option, "2019") == ""


@pytest.mark.requirement("F-CLI-15")
def test_search_lists_turns_with_score_and_reasons(home: Path) -> None:
    page = done("search", LIFT, "--limit", "3")
    assert page.splitlines()[0].split() == ["#", "score", "turn"]
    assert len(re.findall(r"^\d +-?[\d.]+  2025-04-15 ", page, re.MULTILINE)) == 3
    assert "words " in page
    hits = records("search", LIFT, "--limit", "3")
    assert len(hits) == 3
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
    assert set(hits[0]) == {"id", "turn", "score", "signals"}


@pytest.mark.requirement("F-CLI-16")
def test_quote_finds_words_as_they_were_said(home: Path) -> None:
    phrase = "rated for 180 kg"
    assert phrase in done("quote", phrase)
    (turn,) = records("quote", phrase.upper())
    assert phrase in turn["text"]
    nothing = run("quote", "rated for 999 kg")
    assert (nothing.exit_code, nothing.stdout) == (0, "")
    assert "word for word" in nothing.stderr


@pytest.mark.requirement("F-CLI-17")
def test_explain_shows_rank_score_shares_and_near_misses(home: Path) -> None:
    context = record("recall", LIFT, "--budget", "200")
    receipt = record("explain", context["receipt_id"])
    assert receipt["query"] == LIFT
    assert [set(row) for row in receipt["chosen"]] == [
        {"turn_ids", "rendering", "tokens", "rank", "score", "signals", "ranks"} for _ in context["items"]
    ]
    page = done("explain", context["receipt_id"])
    best = min(receipt["chosen"], key=lambda row: row["rank"])
    assert best["turn_ids"][0] in page
    assert f"{best['score']:.2f}" in page
    assert f"lexical {best['signals']['lexical']:+.2f}" in page
    assert "Left out, best first" in page
    assert receipt["omitted"][0]["reason"].partition(":")[0] in page


@pytest.mark.requirement("F-CLI-17")
def test_the_newest_receipt_is_called_last(home: Path) -> None:
    done("recall", "first question about tablets")
    newest = record("recall", LIFT)["receipt_id"]
    assert record("explain", "last")["id"] == newest


@pytest.mark.requirement("F-CLI-14")
def test_turns_near_a_beat_may_be_preferred(tmp_home: Path) -> None:
    for minute in range(12):
        topic = "the red kite flies" if minute < 6 else "the oven bakes bread"
        done(
            "add", f"{topic}, number {minute}", "--session", "s", "--at", f"2025-04-{1 + minute // 6:02}T12:{minute:02}"
        )
    done("work", "--once")
    near = record("recall", "number", "--session", "s", "--position", "0")["items"]
    assert any("position" in item["signals"] for item in near)
    assert "there is no beat at position 99" in failure(1, "recall", "number", "--position", "99")


@pytest.mark.requirement("F-CLI-17", "F-CLI-03")
def test_an_unknown_receipt_is_an_error(tmp_home: Path) -> None:
    done("resume")
    assert "no receipt 'r0'" in failure(1, "explain", "r0")
    assert "ask something first" in failure(1, "explain", "last")


@pytest.mark.requirement("F-CLI-18")
def test_restore_gives_a_long_tool_output_in_full(tmp_home: Path) -> None:
    output = "".join(f"line {n}: ok\n" for n in range(5000))
    call = {"id": "c1", "type": "function", "function": {"name": "sh", "arguments": "{}"}}
    turns: list[dict[str, object]] = [
        {"role": "assistant", "content": "Running.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": output},
    ]
    path = tmp_home / "log.jsonl"
    path.write_text("".join(json.dumps({**turn, "session": "s"}) + "\n" for turn in turns), encoding="utf-8")
    done("import", path)
    stored = records("quote", "line 0: ok")[0]
    assert len(stored["text"]) < len(output)
    assert done("restore", "s:turn:1") == output + "\n"
    done("restore", "s:turn:1", "--out", tmp_home / "out.txt")
    assert (tmp_home / "out.txt").read_text(encoding="utf-8") == output


@pytest.mark.requirement("F-CLI-18")
def test_restore_writes_originals_byte_for_byte(tmp_home: Path) -> None:
    images = [b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * n for n in (3, 5)]
    sources = [{"type": "base64", "media_type": "image/png", "data": b64encode(image).decode()} for image in images]
    content: list[dict[str, object]] = [{"type": "text", "text": "two pictures"}]
    content += [{"type": "image", "source": each} for each in sources]
    path = tmp_home / "log.jsonl"
    path.write_text(json.dumps({"role": "user", "content": content, "session": "s"}) + "\n", encoding="utf-8")
    done("import", path)
    result = run("restore", "s:turn:0")
    assert result.stdout.startswith("two pictures")
    assert "part 3: image/png, 1,288 bytes; --part 3 --out FILE" in result.stderr
    for part, image in zip((2, 3), images, strict=True):
        done("restore", "s:turn:0", "--part", str(part), "--out", tmp_home / "out.png", "--force")
        assert (tmp_home / "out.png").read_bytes() == image
    assert bytes.fromhex(record("restore", "s:turn:0")["content"][1]["data"]) == images[0]
    assert "in parts 2, 3; choose one" in failure(1, "restore", "s:turn:0", "--out", tmp_home / "x.png")
    assert "has no part 4; it has 3" in failure(1, "restore", "s:turn:0", "--part", "4", "--out", tmp_home / "x.png")


@pytest.mark.requirement("F-CLI-18", "F-CLI-03")
def test_restoring_what_is_not_there_is_an_error(tmp_home: Path) -> None:
    done("resume")
    assert "'x' is not a turn id" in failure(1, "restore", "x")
    assert "or <session>:<number> with the two as a block shows them" in failure(1, "restore", "[f7633853] 38")
    assert "no turn 'x:turn:1'" in failure(1, "restore", "x:turn:1")
    done("add", "one")
    said = failure(1, "restore", "default:turn:0", "--out", tmp_home / "no" / "x")
    assert f"{str(tmp_home / 'no' / 'x')!r} cannot be written: its folder does not exist; make it, or name" in said


@pytest.mark.requirement("F-CLI-14")
def test_the_budget_that_is_named_is_the_one_that_is_needed(home: Path) -> None:
    small = run("recall", LIFT, "--budget", "5")
    found = re.search(r"shortest turn takes (\d+)", small.stderr)
    assert found
    needed = int(found[1])
    assert done("recall", LIFT, "--budget", str(needed))
    assert f"the shortest turn takes {needed}." in run("recall", LIFT, "--budget", str(needed - 1)).stderr


@pytest.mark.requirement("S-LINE-04")
@pytest.mark.parametrize("question", ["", " ", "?!"])
@pytest.mark.parametrize("command", ["recall", "search"])
def test_a_question_without_words_is_told(home: Path, command: str, question: str) -> None:
    found = run(command, question)
    assert (found.exit_code, found.stdout) == (0, "")
    assert "Nothing relevant was found: the question has no words" in found.stderr
    assert "no words" not in run(command, "xylophone").stderr
