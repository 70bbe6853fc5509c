"""Documents that cannot lie: generated pages are up to date, examples run, commands and links lead somewhere."""

from pathlib import Path

import click
import pytest

from tests.house.documents import Block, blocks, commands, documents, headings, links, places
from tests.house.pages import PAGES
from tests.house.tree import ROOT, label


@pytest.mark.requirement("F-HOUSE-05", "F-HOUSE-06", "F-HOUSE-18")
@pytest.mark.parametrize("place", list(PAGES))
def test_generated_pages_are_up_to_date(place: str) -> None:
    assert (ROOT / place).read_text(encoding="utf-8") == PAGES[place](), "run ./dev fix"


FRAGMENTS = {"docs/scale.md": "names a function of the reader's own"}
"""Pages whose Python is no program, and why."""


def examples() -> dict[str, list[Block]]:
    """The Python that a page shows, by page."""
    shown = {label(p): blocks(p.read_text(encoding="utf-8")) for p in documents() if label(p) not in FRAGMENTS}
    found = {page: [block for block in some if block.language == "python"] for page, some in shown.items()}
    return {page: some for page, some in found.items() if some}


@pytest.mark.requirement("F-HOUSE-07")
@pytest.mark.parametrize("page", sorted({"README.md", "docs/analysis.md", *examples()}))
def test_examples_run(page: str, tmp_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_home)
    names: dict[str, object] = {"__name__": "example"}
    for block in examples()[page]:
        # The lines above are kept, so that a traceback gives the page's own line numbers.
        exec(compile("\n" * block.above + block.text, page, "exec"), names)  # noqa: S102 - our own pages


@pytest.mark.requirement("F-HOUSE-07")
def test_commands_that_are_shown_exist() -> None:
    from clew.cli.main import main  # loads the whole program, which the other tests do without

    shown = {(label(p), *words) for p in documents() for words in commands(p.read_text(encoding="utf-8"), "clew")}
    assert sorted(line for line in shown if not accepts(main, list(line[1:]))) == []


def accepts(command: click.Command, words: list[str]) -> bool:
    """Whether these words name a command and only options that it has; values are not looked at."""
    options = {"--help"} | {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
    while words:
        word, *words = words
        if word == "--":  # what follows belongs to another program
            return True
        below = command.get_command(click.Context(command), word) if isinstance(command, click.Group) else None
        if below is not None:
            return accepts(below, words)
        if word.startswith("-") and word.partition("=")[0] not in options:
            return False
        if isinstance(command, click.Group) and not word.startswith("-"):
            return False
    return True


@pytest.mark.requirement("F-HOUSE-07")
def test_unknown_commands_and_options_are_found() -> None:
    group = click.Group("clew", {"add": click.Command("add", params=[click.Option(["--at"])])})
    assert accepts(group, ["add", "--at", "today"])
    assert not accepts(group, ["add", "--when", "today"])
    assert not accepts(group, ["subtract"])


@pytest.mark.requirement("F-HOUSE-07")
def test_links_lead_to_files() -> None:
    targets = {(label(p), target) for p in documents() for target in links(p.read_text(encoding="utf-8"))}
    assert (
        sorted((page, target) for page, target in targets if not (ROOT / page).parent.joinpath(target).exists()) == []
    )


@pytest.mark.requirement("F-HOUSE-26")
def test_the_contents_list_every_page() -> None:
    listed = set(links((ROOT / "docs/index.md").read_text(encoding="utf-8")))
    assert sorted({path.name for path in (ROOT / "docs").glob("*.md")} - listed) == ["index.md"]


@pytest.mark.requirement("F-HOUSE-07")
def test_links_lead_to_headings() -> None:
    pages = {path.resolve(): path.read_text(encoding="utf-8") for path in documents()}
    named = {path: headings(text) for path, text in pages.items()}
    wrong = [
        (label(path), page, heading)
        for path, text in pages.items()
        for page, heading in places(text)
        for target in [(path.parent / page).resolve() if page else path]
        if target in named and heading not in named[target]
    ]
    assert wrong == []


@pytest.mark.requirement("F-HOUSE-07")
def test_documents_are_read_as_they_are_shown() -> None:
    shell = "```sh\n$ clew add 'x' | cat  # [n](o.md)\nclewd\n```\n"
    page = "[a](b.md#c) [w](https://example.com)\n" + shell + "```python\nx = 1\n```\n"
    assert links(page) == ["b.md"]
    assert places(page + "[here](#x)") == [("b.md", "c"), ("", "x")]
    assert headings("# A, `b` [c](d.md)\n```sh\n# no\n```\n## E-f g\n") == {"a-b-c", "e-f-g"}
    assert list(commands(page, "clew")) == [["add", "'x'"]]
    assert [(block.language, block.above) for block in blocks(page)] == [("sh", 2), ("python", 6)]
