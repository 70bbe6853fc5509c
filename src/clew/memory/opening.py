"""Opens the store of a home, its settings and its models. Start at `open_home`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from clew.config import Config, given, load_config
from clew.errors import InputError, shown
from clew.ingest.exclude import exclusion
from clew.memory.arguments import given_space
from clew.models.choose import choose_embedder, choose_llm, find_recogniser
from clew.models.protocol import LLM, Embedder, Recogniser
from clew.store.open import home_of, open_store
from clew.store.protocol import Store

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The present, from the machine's clock."""
    return datetime.now(UTC)  # noqa: TID251  # the one place where the real clock enters


def _checked(clock: Clock) -> Clock:
    """The caller's clock with every result checked, since a wrong time would be stored with the turns."""

    def now() -> datetime:
        moment: object = clock()
        if not isinstance(moment, datetime) or moment.utcoffset() is None:
            raise InputError(
                f"the clock gave {shown(moment)}; expected an aware datetime: datetime.now(UTC), not datetime.now()"
            )
        return moment

    return now


@dataclass(frozen=True, slots=True)
class Models:
    """The models of one memory; None where there is none.

    Attributes:
        previous: answers questions until the vectors of `embedder` cover every turn.
        find_recogniser: returns the named-entity model, if there is one, and the reason in one line.
        note: why there is no embedder, in one line; None if there is one, or none was asked for.
    """

    embedder: Embedder | None = None
    previous: Embedder | None = None
    llm: LLM | None = None
    find_recogniser: Callable[[], tuple[Recogniser | None, str]] | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class OpenHome:
    """An open store with its settings and models.

    Attributes:
        settings_given: paths of the settings that the user chose; learned values never replace them.
        owns_store: whoever opened the home closes the store.
    """

    store: Store
    space: str
    config: Config
    models: Models
    clock: Clock
    settings_given: frozenset[str] = frozenset()
    owns_store: bool = False


def open_home(
    path: str | Path | Store | None,
    *,
    space: str,
    config: Config | Mapping[str, Any] | None = None,
    embedder: str | Embedder | None = None,
    previous: str | Embedder | None = None,
    llm: str | LLM | None = None,
    clock: Clock | None = None,
) -> OpenHome:
    """Opens or creates a home; the arguments and errors are those of `Memory.open`."""
    own_space = given_space(space)
    if clock is not None and not callable(clock):
        raise InputError(f"clock is {shown(clock)}; expected a function that gives the present as an aware datetime")
    location = cast("str | Path | None", path)  # checked where it is read
    store = path if path is not None and hasattr(path, "snapshot") else None
    home = home_of(location) if store is None else None
    settings = load_config(home, config)
    exclusion(settings.ingest.exclude)  # a pattern that cannot be read is reported now, not by the first turn
    asked = choose_llm(llm, settings.llm)
    recogniser = find_recogniser(settings.entities.ner)
    chosen, note = choose_embedder(settings.embedder if embedder is None else embedder, threads=settings.embed_threads)
    before, _ = choose_embedder(
        settings.embedder_previous if previous is None else previous, threads=settings.embed_threads
    )
    chosen_settings = given(home, config)
    return OpenHome(  # the store is opened last, so that nothing has to be closed when an argument is refused
        cast(Store, store) if store is not None else open_store(location, key=settings.store.key),
        own_space,
        settings,
        Models(chosen, before, asked, recogniser, note if chosen is None else None),
        utc_now if clock is None else _checked(clock),
        chosen_settings,
        owns_store=store is None,
    )
