"""Corrections of facts that were corrected before, and what a correction takes for words."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from clew.errors import InputError
from clew.memory import Memory
from clew.testing import FrozenClock
from tests.support.memories import NOON, at, quiet, timed


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet(clock=FrozenClock(NOON + timedelta(days=1))) as opened:
        opened.add_many(timed(["I live in Porto.", "I like jazz."], speaker="Ann"))
        assert opened.drain()
        yield opened


def corrected(memory: Memory, fact: str, *values: str | None) -> None:
    """Corrects one fact several times."""
    for value in values:
        memory.correct(fact, value)
        memory.drain()


def story(memory: Memory) -> list[tuple[str, str | None]]:
    return [(fact.object, fact.standing) for fact in memory.history("Ann") if fact.verb in ("lives in", "likes")]


@pytest.mark.requirement("K-KEEP-01")
@pytest.mark.parametrize("verb", ["lives in", "likes"])
def test_a_second_correction_is_of_what_the_first_put_there(memory: Memory, verb: str) -> None:
    (wrong,) = memory.facts("Ann", verb)
    corrected(memory, wrong.id, "Braga", "Faro")
    told = {fact.object: fact for fact in memory.history("Ann", verb)}
    assert {value: fact.standing for value, fact in told.items()} == {
        wrong.object: "withdrawn",
        "Braga": "withdrawn",
        "Faro": "holds",
    }
    assert told["Faro"].valid_from == wrong.valid_from


@pytest.mark.requirement("K-KEEP-01")
def test_a_correction_of_a_correction_leaves_every_value_its_own_name(memory: Memory) -> None:
    (home,) = memory.facts("Ann", "lives in")
    corrected(memory, home.id, "Braga")
    (braga,) = memory.facts("Ann", "lives in")
    corrected(memory, braga.id, "Porto")
    every = memory.history("Ann", "lives in")
    assert [(fact.object, fact.standing) for fact in every] == [
        ("Porto", "withdrawn"),
        ("Braga", "withdrawn"),
        ("Porto", "holds"),
    ]
    assert every[0].superseded_by == every[1].id
    assert every[1].superseded_by == every[2].id


@pytest.mark.requirement("K-KEEP-01")
def test_what_ended_goes_with_a_value_that_was_wrong(memory: Memory) -> None:
    (home,) = memory.facts("Ann", "lives in")
    memory.correct(home.id, ended=True)
    memory.drain()
    corrected(memory, home.id, "Braga", "Faro")
    every = memory.history("Ann", "lives in")
    assert [(fact.object, fact.standing) for fact in every] == [
        ("Porto", "withdrawn"),
        ("Braga", "withdrawn"),
        ("Faro", "ended"),
    ]
    assert every[2].valid_from == home.valid_from == at(0)


@pytest.mark.requirement("K-KEEP-01")
def test_a_correction_that_changes_nothing_confirms(memory: Memory) -> None:
    (home,) = memory.facts("Ann", "lives in")
    name = memory.correct(home.id, " porto ")
    memory.drain()
    (same,) = memory.history("Ann", "lives in")
    assert (same.id, same.standing, same.object) == (home.id, "holds", "porto")
    assert same.sources == (*home.sources, name)
    assert memory.get(name).text == "Correction: this is so: Ann lives in porto"


@pytest.mark.requirement("K-KEEP-01")
@pytest.mark.parametrize("said", ["Braga", "in Braga", "lives in Braga", "ANN lives in Braga"])
def test_a_value_may_be_told_with_the_words_of_the_fact(memory: Memory, said: str) -> None:
    (home,) = memory.facts("Ann", "lives in")
    corrected(memory, home.id, said)
    assert story(memory) == [("Porto", "withdrawn"), ("Braga", "holds"), ("jazz", "holds")]


@pytest.mark.requirement("K-KEEP-01")
def test_a_value_that_is_the_words_of_the_fact_stays(memory: Memory) -> None:
    (home,) = memory.facts("Ann", "lives in")
    corrected(memory, home.id, "in")
    assert story(memory)[1] == ("in", "holds")


@pytest.mark.requirement("K-KEEP-01")
def test_a_corrected_value_is_one_line(memory: Memory) -> None:
    (home,) = memory.facts("Ann", "lives in")
    corrected(memory, home.id, "Vila\n Nova  de Gaia")
    assert story(memory) == [("Porto", "withdrawn"), ("Vila Nova de Gaia", "holds"), ("jazz", "holds")]


@pytest.mark.requirement("K-KEEP-02")
@pytest.mark.parametrize("name", ["as_of", "known_at"])
def test_a_moment_that_is_none_is_named_as_it_was_given(memory: Memory, name: str) -> None:
    with pytest.raises(InputError, match=f"{name} 'foo' names no time"):
        memory.facts(**{name: "foo"})  # type: ignore[arg-type]  # one of two names


@pytest.mark.requirement("K-KEEP-02")
def test_a_history_is_of_somebody(memory: Memory) -> None:
    with pytest.raises(InputError, match="subject is None"):
        memory.history(None)  # type: ignore[arg-type]  # a wrong argument


@pytest.mark.requirement("K-KEEP-02")
@pytest.mark.parametrize("ended", ["yes", 1, None])
def test_a_switch_that_is_none_is_named(memory: Memory, ended: object) -> None:
    (home,) = memory.facts("Ann", "lives in")
    with pytest.raises(InputError, match=f"ended is {ended!r}; expected True or False"):
        memory.correct(home.id, ended=ended)  # type: ignore[arg-type]  # which is what is tested
    assert memory.facts("Ann", "lives in") == [home]


@pytest.mark.requirement("K-KEEP-40")
def test_forgetting_names_the_corrections_that_repeat_what_is_forgotten(memory: Memory) -> None:
    (home,) = memory.facts("Ann", "lives in")
    name = memory.correct(home.id, "Braga")
    (jazz,) = memory.facts("Ann", "likes")
    memory.correct(jazz.id, "jazz")  # which confirms it
    assert memory.forget(match="Porto", dry_run=True).corrections == ()  # the correction itself is meant, too
    turn = home.sources[0]
    assert memory.forget(turn_ids=[turn], dry_run=True).corrections == (name,)
    assert memory.forget(turn_ids=[jazz.sources[0]], dry_run=True).corrections == ()
    report = memory.forget(turn_ids=[turn])
    assert report.corrections == (name,)
    assert memory.forget(turn_ids=report.corrections).corrections == ()
    assert memory.find_quote("Porto") == []
