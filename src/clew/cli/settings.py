"""`clew config`: shows every setting with its value and source, and checks the settings."""

from typing import Any

import click
from rich.text import Text

from clew.cli.options import Scope, common
from clew.cli.show import dim, grid, lay_out, out
from clew.cli.terminal import emit
from clew.config import SETTINGS, Config, load_config, sources
from clew.errors import ClewError
from clew.ingest.exclude import exclusion
from clew.models.choose import choose_embedder, choose_recogniser
from clew.store.cipher import check_encryption_available
from clew.store.keys import secret_of
from clew.store.open import home_of
from clew.text.printable import printable


@click.group()
@common
def config(_scope: Scope) -> None:
    """Show the settings and check them.

    Settings are read from clew.toml in the home; CLEW_* environment variables override it. docs/configuration.md
    describes each setting.
    """


@config.command()
@common
def show(scope: Scope) -> None:
    """Show every setting with its value and source.

    With --json, one setting per line.
    """
    home = home_of(scope.home)
    values, origins = load_config(home), sources(home)
    rows = [(path, _value(values, path), origins.get(path, "default")) for path in SETTINGS]
    if scope.as_json:
        emit(*({"setting": path, "value": value, "source": origin} for path, value, origin in rows))
        return
    out().print(f"home: {printable(str(home or 'none, so there is no clew.toml'))}")
    table = grid("setting", "value", "source", titles=True)
    (_, value_column, source_column) = table.columns  # a long value wraps, and not its source
    value_column.no_wrap, value_column.ratio = False, 1
    source_column.no_wrap, source_column.ratio = True, None
    for path, value, origin in rows:
        table.add_row(path, printable(str(value)), dim(origin) if origin == "default" else Text(origin))
    lay_out(out(), table)


def _value(values: Config, path: str) -> Any:
    value: Any = values
    for name in path.split("."):
        value = getattr(value, name)
    return "(not shown)" if SETTINGS[path].secret and value != SETTINGS[path].default else value


@config.command()
@common
def check(scope: Scope) -> None:
    """Check the settings, and that the models and keys that they name are available.

    Exit status 1 means that a setting is wrong.
    """
    problem = note = names = None
    try:
        settings = load_config(home_of(scope.home))
        exclusion(settings.ingest.exclude)
        if secret_of(settings.store.key) is not None:
            check_encryption_available()
        _, note = choose_embedder(settings.embedder)
        _, names = choose_recogniser(settings.entities.ner)
    except ClewError as error:
        problem = str(error)
    if scope.as_json:
        emit({"ok": problem is None, "problem": problem, "embedder": note, "ner": names})
    elif problem is None:
        out().print(f"no problems found; {note}; {names}")
    if problem is not None:
        raise ClewError(problem)
