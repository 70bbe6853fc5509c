"""The address of a server: read, completed, and shown without its secrets."""

import traceback
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.conninfo import conninfo_to_dict

from clew.errors import ConfigError
from clew.store.open import open_store
from clew.store.postgres_address import Address

SECRET = "ariadne"  # noqa: S105  # looked for in what is shown


@pytest.mark.requirement("S-POSTGRES-01")
@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ann:ariadne@db.example:5433/app", "postgresql://ann@db.example:5433/app"),
        ("postgres://ann@db.example/app", "postgresql://ann@db.example/app"),
        ("postgresql://ann:ariadne@[::1]:5433/app", "postgresql://ann@[::1]:5433/app"),
        ("postgresql://a:1,b:2/app?password=ariadne", "postgresql://a:1,b:2/app"),
        ("postgresql://ann@/app?host=/run/pg&port=5&sslpassword=ariadne", "postgresql://ann@/app?host=/run/pg&port=5"),
        ("postgresql://h/app?schema=other&sslmode=require", "postgresql://h/app?schema=other"),
        ("postgresql://a%40b:ariadne@h/a%2Fb", "postgresql://a%40b@h/a%2Fb"),
        ("postgresql://", "postgresql:///"),
    ],
)
def test_an_address_is_shown_without_its_secrets(url: str, shown: str) -> None:
    address = Address.of(url)
    assert address.shown == shown
    assert SECRET not in repr(address)


@pytest.mark.requirement("S-POSTGRES-01")
def test_the_driver_is_told_all_that_was_given_and_what_was_not() -> None:
    address = Address.of("postgresql://ann:a%20b@h:5433/app?sslmode=require&connect_timeout=3&schema=mine")
    told = conninfo_to_dict(address.told)
    assert address.schema == "mine"
    wanted = {"user": "ann", "password": "a b", "host": "h", "port": "5433", "dbname": "app", "sslmode": "require"}
    assert told.items() >= wanted.items()
    assert told["connect_timeout"] == "3"
    assert told["tcp_user_timeout"] == "60000", "a server that vanished is noticed"
    assert Address.of("postgresql://h/app").schema == "clew"


MISREAD = [
    "postgresql://ann:ari@adne@h/app",
    "postgresql://ann:ari/adne@h/app",
    "postgresql://ann:ari%zzadne@h/app",
    "postgresql://ann:ariadne@h:po/app",
    "postgresql://ann:ariadne@[::1/app",
    "postgresql://ann:ariadne@h/app?pasword=ariadne",
    "postgresql://ann:ariadne@h/app?sslmode",
    "postgresql://ann:ariadne@h/app\x00",
]


@pytest.mark.requirement("S-POSTGRES-01", "S-POSTGRES-02")
@pytest.mark.parametrize("url", MISREAD)
def test_what_cannot_be_read_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ConfigError, match=r"expected postgresql://USER") as caught:
        open_store(url)
    told = "".join(traceback.format_exception(caught.value, chain=True)).partition("ConfigError")[2]
    assert "ari" not in told
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.requirement("S-POSTGRES-01")
@pytest.mark.parametrize("schema", ["", "Mine", "pg_mine", 'a"b', "a b", "a.b", "1a", "x" * 64])
def test_a_schema_that_could_not_be_named_plainly_is_refused(schema: str) -> None:
    with pytest.raises(ConfigError, match="schema="):
        Address.of(f"postgresql://h/app?schema={quote(schema)}")


@pytest.mark.requirement("S-POSTGRES-02")
def test_a_password_whose_escapes_are_no_text_is_refused_without_it() -> None:
    with pytest.raises(ConfigError) as refused:
        Address.of("postgresql://ann:%8Abc@h/app")
    assert "%8A" not in str(refused.value)


@pytest.mark.requirement("S-POSTGRES-02")
@given(before=st.text(max_size=5), after=st.text(max_size=5), plain=st.booleans())
def test_no_password_is_shown_whatever_its_letters(before: str, after: str, plain: bool) -> None:
    password = before + SECRET + after
    written = password if plain else quote(password, safe="", errors="surrogatepass")
    try:
        told = repr(Address.of(f"postgresql://ann:{written}@h/app"))
    except ConfigError as error:
        told = str(error)
    assert SECRET not in told
