"""Where a command works: --home, --store, and the environment."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from clew.cli.options import Scope, common
from clew.errors import ConfigError
from clew.store.open import home_of
from tests.support.cli_runs import done, failure


@click.group()
@common
def program(_scope: Scope) -> None:
    """A program whose only command tells where it works."""


@program.command()
@common
def told(scope: Scope) -> None:
    """Tells it."""
    click.echo(scope.home)


@pytest.mark.requirement("S-POSTGRES-21")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["told"], ""),
        (["told", "--home", "a"], "a"),
        (["told", "--store", "a"], "a"),
        (["--store", "a", "told"], "a"),
        (["--home", "a", "told", "--home", "b"], "b"),
        (["--store", "a", "told", "--store", "b"], "b"),
        (["--store", "a", "told", "--home", "a"], "a"),
        (["told", "--home", "a", "--store", "a"], "a"),
    ],
)
def test_home_and_store_name_the_same_thing(words: list[str], expected: str) -> None:
    assert CliRunner().invoke(program, words).output == f"{expected}\n"


@pytest.mark.requirement("S-POSTGRES-21")
@pytest.mark.parametrize(
    "words",
    [
        ["--home", "{}/a", "--store", "postgresql://ann:s3cret@127.0.0.1:1/db", "stats"],
        ["stats", "--home", "{}/a", "--store", "postgresql://ann:s3cret@127.0.0.1:1/db"],
        ["--home", "{}/a", "stats", "--store", "postgresql://ann:s3cret@127.0.0.1:1/db"],
        ["--store", "postgresql://ann:s3cret@127.0.0.1:1/db", "stats", "--home", "{}/a"],
    ],
)
def test_two_places_are_refused_and_not_repeated(tmp_home: Path, words: list[str]) -> None:
    told = failure(2, *(word.format(tmp_home) for word in words))
    assert "--home and --store name two different places; give only one of them" in told
    assert "s3cret" not in told
    assert list(tmp_home.iterdir()) == []


@pytest.mark.requirement("S-POSTGRES-21")
def test_a_directory_may_be_named_either_way(tmp_home: Path) -> None:
    done("add", "We picked Redis.", "--store", f"sqlite:///{tmp_home / 'mine'}")
    assert "Redis" in done("--home", tmp_home / "mine", "recall", "Redis")


@pytest.mark.requirement("S-POSTGRES-21")
def test_the_environment_names_a_store_before_a_home(tmp_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_home / "home"))
    assert home_of() == tmp_home / "home"
    monkeypatch.setenv("CLEW_STORE", str(tmp_home / "store"))
    assert home_of() == tmp_home / "store"
    assert home_of(tmp_home / "named") == tmp_home / "named"
    monkeypatch.setenv("CLEW_STORE", "postgresql://ann@db.example/app")
    assert home_of() is None
    monkeypatch.setenv("CLEW_STORE", "")
    assert home_of() == tmp_home / "home"


@pytest.mark.requirement("S-POSTGRES-21")
@pytest.mark.parametrize(
    "address",
    [
        "postgresql:ann:pa55word@db",
        "POSTGRES:x:pa55word",
        "host=db password=pa55word",
        "dbname = app password=pa55word",
        "sslmode=require host=db password=pa55word",
        "  host=db password=pa55word",
        "host=/run/postgresql dbname=pa55word",
        "host=pa55word",
    ],
)
def test_an_address_of_another_form_is_refused_and_not_shown(address: str) -> None:
    with pytest.raises(ConfigError, match="expected a home directory") as caught:
        home_of(address)
    assert "pa55word" not in str(caught.value)


@pytest.mark.requirement("S-POSTGRES-21")
@pytest.mark.parametrize(
    "name",
    ["hosts", "data/user=ann", "./user=ann", "user=ann/home", "sslmode=x", "a:b@c", "postgres", "postgresql-home"],
)
def test_directories_of_such_names_are_directories(name: str) -> None:
    assert home_of(name) == Path(name)
