"""What the rules for evidence find, kind by kind, and what they leave alone."""

from itertools import pairwise
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.condense.statements import statements
from clew.text.evidence import evidence
from clew.text.shell import is_command

LISTING: Final = """\
total 12
drwxr-xr-x  3 root root  4096 Mar  4 10:12 common
-rw-r--r--  1 root root  9336 Mar  4 10:12 BUILD.md
lrwxr-xr-x  1 ana  staff   160 9  3 09:55 latest -> build
"""


def found(text: str, kind: str) -> list[str]:
    return [text[start:end] for start, end, own in evidence(text) if own == kind]


def said(text: str) -> list[tuple[str, str]]:
    return [(text[start:end], kind) for start, end, kind in statements(text)]


@pytest.mark.requirement("F-EVIDENCE-01")
@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Run `npm install left-pad` first.", "npm install left-pad"),
        (
            'Bash({"command": "go build ./... && echo \\"ok\\"", "description": "Build"})',
            'go build ./... && echo \\"ok\\"',
        ),
        ("$ make clean", "make clean"),
        ("Command: git status --short\nDirectory: (root)", "git status --short"),
        ("```bash\npip install quartz\n```", "pip install quartz"),
        ('  (use "git push" to publish your local commits)', "git push"),
        ("[test] $ pytest -q", "pytest -q"),
    ],
)
def test_commands(text: str, command: str) -> None:
    assert found(text, "command") == [command]


@pytest.mark.requirement("F-EVIDENCE-01")
@pytest.mark.parametrize(
    "text",
    ["The `stop` hook fires.", 'edit({"command": "str_replace", "start": 1})', "the output of `cat -n`", "Make it so."],
)
def test_names_are_not_commands(text: str) -> None:
    assert found(text, "command") == []


@pytest.mark.requirement("F-EVIDENCE-01")
def test_a_command_may_begin_with_settings_and_needs_something_to_do() -> None:
    assert is_command("PORT=80 node server.js")
    assert is_command("./run.sh")
    assert not is_command("git")
    assert not is_command("")


@pytest.mark.requirement("F-EVIDENCE-02")
def test_paths() -> None:
    text = (
        "See /srv/.trees/1/cmd/hooks.go:25 and `../type/alias.h`, .github/workflows/deploy.yml, ./App.css, "
        "Makefile:192 or C:\\work\\notes.txt , Next.js, and/or, 24/7 and e.g. this are none."
    )
    assert found(text, "path") == [
        "/srv/.trees/1/cmd/hooks.go:25",
        "../type/alias.h",
        ".github/workflows/deploy.yml",
        "./App.css",
        "Makefile:192",
        "C:\\work\\notes.txt",
    ]


@pytest.mark.requirement("F-EVIDENCE-02")
def test_what_a_directory_lists_are_paths_and_dates() -> None:
    assert found(LISTING, "path") == ["common", "BUILD.md", "latest"]
    assert [" ".join(date.split()) for date in found(LISTING, "date")] == ["Mar 4 10:12", "Mar 4 10:12", "9 3 09:55"]


@pytest.mark.requirement("F-EVIDENCE-03")
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("bash: foo: command not found", "bash: foo: command not found"),
        ("EISDIR: illegal operation", "EISDIR: illegal operation"),
        ("make: *** [Makefile:192: build] Error 2", "make: *** [Makefile:192: build] Error 2"),
        ("Exit code 1\nmore", "Exit code 1"),
        ("ls: cannot access 'x/': No such file or directory", "ls: cannot access 'x/': No such file or directory"),
        ("    calc_test.go:85: sum should be 4", "sum should be 4"),
        ("ERROR:\nInvalid range: [100, 150].", "Invalid range: [100, 150]."),
    ],
)
def test_errors(text: str, error: str) -> None:
    assert found(text, "error") == [error]


@pytest.mark.requirement("F-EVIDENCE-03")
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("The gate answered 502 Bad Gateway.", "502 Bad Gateway"),
        ("Segmentation fault (core dumped)", "Segmentation fault (core dumped)"),
        ("error[E0382]: borrow of moved value", "error[E0382]: borrow of moved value"),
        ("src/a.ts(3,5): error TS2307: Cannot find module 'x'", "error TS2307: Cannot find module 'x'"),
        ("LoadError: no such table", "LoadError: no such table"),
    ],
)
def test_errors_of_servers_and_compilers(text: str, error: str) -> None:
    assert found(text, "error") == [error]


@pytest.mark.requirement("F-EVIDENCE-03")
@pytest.mark.parametrize(
    "text",
    [
        "We sold 500 Conflict posters.",
        'app.RunWithError("list", "--all")',
        "=== RUN   TestList_BothFlagsError",
        "<Form onError={handleError} />",
    ],
)
def test_names_of_what_deals_with_errors_are_no_errors(text: str) -> None:
    assert found(text, "error") == []


@pytest.mark.requirement("F-EVIDENCE-02")
def test_the_sides_of_a_diff_are_no_folders() -> None:
    text = "diff --git a/cmd/x.go b/cmd/x.go\n--- a/cmd/x.go\n+++ b/cmd/x.go\nSee a/cmd/y.go in the folder a."
    assert found(text, "path") == [*["cmd/x.go"] * 4, "a/cmd/y.go"]
    assert found("--- a/leaf.py\n+++ a/leaf.py\n", "path") == ["a/leaf.py"] * 2, "a folder, where both sides have it"
    assert found("--- /dev/null\n+++ b/leaf.py\n", "path") == ["leaf.py"]
    assert found("--- i/leaf.py\n+++ w/leaf.py\n", "path") == ["leaf.py"] * 2, "with diff.mnemonicPrefix"


@pytest.mark.requirement("F-EVIDENCE-02")
def test_addresses_of_pages_and_machines() -> None:
    text = (
        "See https://en.example.org/wiki/Clew_(thread), clone git@git.example.com:ann/web.git, the store listens on "
        "localhost:5432 and 10.0.0.12:8080, not on 1.10.0.12.7 or 300.1.2.3; run `curl localhost:5432/health`."
    )
    assert found(text, "url") == [
        "https://en.example.org/wiki/Clew_(thread)",
        "git@git.example.com:ann/web.git",
        "localhost:5432",
        "10.0.0.12:8080",
    ]
    assert found(text, "command") == ["curl localhost:5432/health"]
    assert found("Version 1.2.3.4 is out, see section 1.2.3.5.", "url") == []


@pytest.mark.requirement("F-EVIDENCE-04")
def test_signs_behind_numbers_and_dates_with_full_stops() -> None:
    text = "Am 07.05.2024 kostete es 31 € bei -20 °C, 120 km/h und 7.5.20 als Version."
    assert found(text, "number") == ["31 €", "-20 °C", "120 km/h"]
    assert found(text, "date") == ["07.05.2024"]
    assert found(text, "version") == ["7.5.20"]


@pytest.mark.requirement("F-EVIDENCE-05")
def test_numbers_of_orders_and_addresses_of_mail_are_identifiers() -> None:
    text = "Ask ann.lee+work@mail.example.org about INV-2024-001 and C-20931, not about F-16 or tool@1.2.3."
    assert found(text, "identifier") == ["ann.lee+work@mail.example.org", "INV-2024-001", "C-20931"]
    assert found("It was so mid-2024.", "date") == ["2024"]


@pytest.mark.requirement("F-EVIDENCE-03")
def test_success_is_no_error() -> None:
    assert found("Error: (none)\nExit Code: 0\nAll tests pass, an error would have been shown.", "error") == []


@pytest.mark.requirement("F-EVIDENCE-04")
def test_versions_dates_and_numbers_are_told_apart() -> None:
    text = (
        "Flask 2.3.1 and v1.4.0-rc1 since 2024-05-10T11:36:51, 250ms for 112 lines, pandas==2.2.0, version 3; Step 2.1"
    )
    assert found(text, "version") == ["Flask 2.3.1", "v1.4.0-rc1", "pandas==2.2.0", "version 3"]
    assert found(text, "date") == ["2024-05-10T11:36:51"]
    assert found(text, "number") == ["250ms", "112 lines"]


@pytest.mark.requirement("F-EVIDENCE-05")
def test_identifiers_are_names_and_not_keys_or_values() -> None:
    text = (
        'get_seat({"seat_id": "KX7Q2P", "class": "extra_wide", "row_code": "ABCDEF"}) calls `stop`, CommandParser, '
        "maxRetries, _parse_row, load() and --dry-run on feat/new-parser for ABC-123 and #4711; "
        "GitHub and iPhone are products."
    )
    assert found(text, "identifier") == [
        "KX7Q2P",
        "ABCDEF",
        "stop",
        "CommandParser",
        "maxRetries",
        "_parse_row",
        "load()",
        "--dry-run",
        "feat/new-parser",
        "ABC-123",
        "#4711",
    ]


@pytest.mark.requirement("F-EVIDENCE-06")
@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("We decided to keep the queue in memory because it is small.", "decision"),
        ("Let's switch to the other parser.", "decision"),
        ("Never use the shared account for tests.", "constraint"),
        ("The response must not take longer than the page.", "constraint"),
        ("I prefer simple, minimal dependencies", "constraint"),
        ("Could you please send me the totals?", "task"),
        ("The remaining tasks are the docs and the tests.", "task"),
        ("It seems that the rule does not match the file.", "failure"),
        ("The build failed since the folder is missing.", "failure"),
        ("The garden is green and the sky is blue.", None),
        ("I have never been to the north of the country.", None),
    ],
)
def test_statements_have_a_kind(sentence: str, kind: str | None) -> None:
    assert said(sentence) == ([] if kind is None else [(sentence, kind)])


@pytest.mark.requirement("F-EVIDENCE-06")
def test_open_tasks_of_lists_and_comments_are_found_and_code_is_not_read() -> None:
    todos = (
        'TodoWrite({"todos": [{"content": "Write docs", "status": "pending"}, '
        '{"content": "Ship", "status": "completed"}]})'
    )
    assert said(todos) == [("Write docs", "task")]
    assert said("- [ ] Call the plumber\n- [x] Buy milk") == [("Call the plumber", "task")]
    assert said("int x; // TODO: report the type\n") == [("TODO: report the type", "task")]
    assert said("```\nWe decided to keep the queue in memory.\n```") == []


@pytest.mark.requirement("F-EVIDENCE-06")
def test_a_long_sentence_is_read_by_its_clauses() -> None:
    text = (
        "I am building a small tool for my own notes which I want to have ready before the holidays begin in July, "
        "and I prefer few dependencies, so that nothing breaks when I come back to it after a few months of doing "
        "other things"
    )
    assert said(text) == [("and I prefer few dependencies", "constraint")]


@pytest.mark.requirement("F-EVIDENCE-07")
@given(st.text(max_size=300) | st.text("aA1_/.`\"'{}:-$#[]()\n \\", max_size=300))
def test_marks_lie_in_the_text_and_do_not_overlap(text: str) -> None:
    for marks in (evidence(text), statements(text)):
        assert all(0 <= start < end <= len(text) for start, end, _ in marks)
        assert all(before[1] <= after[0] for before, after in pairwise(marks))


@pytest.mark.requirement("F-KEEP-05")
@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("I chose to drop the second cache over tuning it.", "decision"),
        ("Yes, please go ahead and cancel the booking of Friday.", "decision"),
        ("Could we rename it, or is that scope creep?", "decision"),
        ("Should I use the old table for the report?", None),
        ("We'll make some awesome memories!", None),
        ("That must've been breathtaking to see.", None),
        ("Nope, never been to a place like that.", None),
        ("I found a way that brings the cost under $1,000.", None),
        ("Keep the total cost of the trip under $1,000.", "constraint"),
        ("Use the existing types from the folder.", "constraint"),
        ("Please update the page for the current release.", "task"),
        ("| `hooks.go` | Add `stop()` to the list of handlers |", "task"),
        ("Now let me update the page with the parts:", None),
        ("The search didn't return any results.", "failure"),
        ("I'll continue to make the failing test pass.", None),
    ],
)
def test_what_a_sentence_is(sentence: str, kind: str | None) -> None:
    assert [found for _, _, found in statements(sentence)] == ([] if kind is None else [kind])


@pytest.mark.requirement("F-EVIDENCE-01")
@pytest.mark.parametrize(
    "text",
    ["error: null", "  error: string | null;", "  error?: Error | null;", "import {\n  TodoError,\n} from 'x';"],
)
def test_types_and_names_are_no_errors(text: str) -> None:
    assert found(text, "error") == []
    assert found(f"{text}\nTodoError: no such item", "error") == ["TodoError: no such item"]


@pytest.mark.requirement("U-FOUND-04")
@pytest.mark.parametrize("text", ["Non-fatal: proceed without a path", "// non-fatal: continue with an empty name"])
def test_what_is_not_fatal_is_no_error(text: str) -> None:
    assert found(text, "error") == []
    assert found(f"{text}\nfatal: no such path", "error") == ["fatal: no such path"]


@pytest.mark.requirement("F-EVIDENCE-06")
@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Never use pytz.", "constraint"),
        ("Don't push yet.", "constraint"),
        ("You should NOT modify any existing test.", "constraint"),
        ("IMPORTANT: You should ONLY use the sandbox.", "constraint"),
        ("No external dependencies, please.", "constraint"),
        ("It has to work offline.", "constraint"),
        ("We can't use GPL code.", "constraint"),
        ("Make sure all tests pass before you commit.", "constraint"),
        ("All new code needs type hints.", "constraint"),
        ("Please keep each commit with working code.", "constraint"),
        ("I'm allergic to peanuts.", "constraint"),
        ("let's switch to the other parser", "decision"),
        ("from now on never use the shared account", "constraint"),
        ("Don't commit broken code to the main branch.", "constraint"),
        ("keep each commit with working code please (no broken state)", "constraint"),
        ("yes, but we don't need to commit", "constraint"),
        ("let's not leave the tests to the very end", "constraint"),
        ("We're dropping support for the old browser.", "decision"),
        ("We switched from yarn to pnpm.", "decision"),
        ("Put it in the handler of the session.", "decision"),
        ("Instead of Celery we use RQ.", "decision"),
        ("I'm going to take the job in Berlin.", "decision"),
        ("Remaining: the migration and the docs.", "task"),
        ("Remind me to renew the passport.", "task"),
        ("Don't forget to call the dentist.", "task"),
        ("FIXME handle timeouts of the feed", "task"),
        ("That didn't help: the cache is still stale.", "failure"),
        ("We had to roll back due to a schema conflict.", "failure"),
        ("Restarting the pod had no effect.", "failure"),
        ("No luck with the second retry.", "failure"),
        ("I couldn't get the mock to work.", "failure"),
        ("Don't worry about it.", None),
        ("Let's not forget the fun we had.", None),
        ("Never mind that.", None),
        ("All we need is a little patience.", None),
        ("No problem at all, please come in.", None),
        ("I should have reminded you before the debit.", None),
        ("They type a name when they do not find something at first.", None),
        ("Take care, I'm going to take a nap.", None),
    ],
)
def test_how_people_say_what_holds_and_what_failed(sentence: str, kind: str | None) -> None:
    assert [found for _, _, found in statements(sentence)] == ([] if kind is None else [kind])
