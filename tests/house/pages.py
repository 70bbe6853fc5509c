"""The pages of docs/ that are made from the program: `python -m tests.house.pages` writes them, tests compare them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import click

from clew import config
from tests.house.tree import ROOT

WIDTH = 100
MADE = "Made from the program by `./dev fix`; changes belong there."


def cli_page() -> str:
    """docs/cli.md: the help of every command, as the terminal shows it at 100 columns."""
    from clew.cli.main import main  # loads the whole program, which the other pages do without

    helps = list(_helps(main, "clew"))
    parts = [f"## `{name}`\n\n```text\n{text}\n```" for name, text in helps]
    top = [words[1] for words in (name.split() for name, _ in helps) if len(words) == 2]
    places = " · ".join(f"[{command}](#clew-{command})" for command in top)
    return "\n\n".join(["# Command line", MADE, places, *parts]) + "\n"


def _helps(command: click.Command, name: str) -> Iterator[tuple[str, str]]:
    settings = {**command.context_settings, "terminal_width": WIDTH}
    with click.Context(command, info_name=name, **settings) as context:
        yield name, command.get_help(context)
        if isinstance(command, click.Group):
            for each in command.list_commands(context):
                below = command.get_command(context, each)
                assert below is not None, f"{name} lists {each} and does not have it"
                yield from _helps(below, f"{name} {each}")


def configuration_page() -> str:
    """docs/configuration.md: every setting with its variable, default, range and meaning."""
    head = ["| setting | environment | default | allowed | meaning |", "|---|---|---|---|---|"]
    cells = [
        (f"`{s.path}`", f"`{s.variable}`", f"`{_shown(s.default)}`", _allowed(s), s.doc) for s in config.settings()
    ]
    rows = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells]
    order = "Later sources win: default, `clew.toml` in the home, environment, arguments of `Memory.open`."
    order += " A variable that is almost one of these names is ignored with a warning."
    return "\n\n".join(["# Configuration", MADE, order, "\n".join(head + rows)]) + "\n"


def _allowed(setting: config.Setting) -> str:
    if setting.choices is not None:
        return ", ".join(f"`{choice}`" for choice in setting.choices)
    if isinstance(setting.default, bool):
        return "true or false"
    if setting.low is None:
        return "list of texts; in the environment with commas between" if setting.default == () else "text"
    return f"{_shown(setting.low)} to {_shown(setting.high)}"


def _shown(value: object) -> str:
    """A value as clew.toml has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return "[]" if value == () else f"{value:_}" if type(value) is int else str(value)


def decisions() -> list[Path]:
    """The pages of docs/decisions, in order of their numbers."""
    return sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))


def decisions_page() -> str:
    """docs/decisions/README.md: the list of decisions, by their own titles."""
    titles = [(page, page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")) for page in decisions()]
    return "\n\n".join(["# Decisions", MADE, "\n".join(f"- [{title}]({page.name})" for page, title in titles)]) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "docs/cli.md": cli_page,
    "docs/configuration.md": configuration_page,
    "docs/decisions/README.md": decisions_page,
}


def write_pages() -> None:
    """Writes every page to its place."""
    for place, page in PAGES.items():
        (ROOT / place).write_text(page(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write_pages()
