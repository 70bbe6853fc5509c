"""Facts of one person under several names: joined as far as the entity graph knows a nickname, and no further."""

import pytest

from clew.memory import Memory
from clew.testing import FrozenClock
from clew.types import Turn
from tests.support.memories import at, quiet

GREETED = (
    ("Robert", "I live in Porto."),
    ("Zoe", "Hey Bob, how are you?"),
    ("Robert", "Fine, thanks."),
    ("Zoe", "Morning Bob!"),
    ("Robert", "Good to see you."),
    ("Zoe", "Bob moved to Lisbon."),
    ("Zoe", "Bob likes jazz."),
)


def talk(memory: Memory, *said: tuple[str, str]) -> None:
    memory.add_many(
        Turn(role="user", speaker=speaker, content=text, session="s", at=at(place))
        for place, (speaker, text) in enumerate(said)
    )
    assert memory.drain()


def homes(memory: Memory, name: str) -> list[str]:
    return [fact.object for fact in memory.facts(name, "home")]


@pytest.mark.requirement("K-KEEP-15")
@pytest.mark.parametrize("name", ["Bob", "robert"])
def test_what_is_said_under_a_nickname_is_said_of_its_owner(name: str) -> None:
    with quiet(clock=FrozenClock(at(600))) as memory:
        talk(memory, *GREETED)
        (home,) = memory.facts(name, "home")
        assert (home.object, home.standing) == ("Lisbon", "holds")
        assert [(link.kind, link.told) for link in home.links] == [("SUPERSEDES", "Robert lives in Porto")]
        assert [(fact.object, fact.standing) for fact in memory.history(name, "lives in")] == [
            ("Porto", "replaced"),
            ("Lisbon", "holds"),
        ]
        assert [fact.object for fact in memory.facts(name, "home", as_of=at(3))] == ["Porto"]
        assert [fact.object for fact in memory.facts(name, "home", known_at=at(3))] == ["Porto"]
        assert [fact.object for fact in memory.facts(name)] == ["jazz", "Lisbon"]
        assert [fact.object for fact in memory.facts(name, limit=1)] == ["jazz"]
        assert [fact.object for fact in memory.facts(name, object="porto", status="ceased")] == ["Porto"]
        assert "Lisbon" in memory.recall(f"What do you know about {name}?", budget=400).text


@pytest.mark.requirement("K-KEEP-15")
def test_without_the_turn_that_made_the_nickname_the_names_are_two() -> None:
    with quiet(clock=FrozenClock(at(600))) as memory:
        talk(memory, *GREETED)
        assert homes(memory, "Robert") == ["Lisbon"]
        memory.forget(turn_ids=["s:turn:3"])
        memory.drain()
        assert (homes(memory, "Robert"), homes(memory, "Bob")) == (["Porto"], ["Lisbon"])
        assert memory.verify().ok


@pytest.mark.requirement("K-KEEP-15")
def test_a_name_that_may_mean_two_stays_apart() -> None:
    with quiet(clock=FrozenClock(at(600))) as memory:
        talk(
            memory,
            *GREETED[:3],
            *[("Pia", "It is late here, the train was slow again.")] * 6,
            ("Bertil", "I live in Oslo."),
            ("Pia", "Morning Bob!"),
            ("Bertil", "Hi."),
            GREETED[5],
        )
        assert (homes(memory, "Robert"), homes(memory, "Bertil"), homes(memory, "Bob")) == (
            ["Porto"],
            ["Oslo"],
            ["Lisbon"],
        )


@pytest.mark.requirement("K-KEEP-15")
def test_a_nickname_finds_what_is_said_under_the_name_alone() -> None:
    with quiet(clock=FrozenClock(at(600))) as memory:
        talk(memory, *GREETED[:5])
        assert homes(memory, "Bob") == ["Porto"]
        assert [fact.object for fact in memory.history("bob", "home")] == ["Porto"]


INTRODUCED = (
    ("Robert", "I live in Porto."),
    ("Robert", "Everybody calls me Bob."),
    ("Zoe", "Bob moved to Lisbon."),
    ("Zoe", "I live in Faro."),
)


@pytest.mark.requirement("K-KEEP-22")
@pytest.mark.parametrize("name", ["Bob", "Robert"])
def test_a_nickname_that_is_stated_once_is_a_name(name: str) -> None:
    with quiet(clock=FrozenClock(at(600))) as memory:
        talk(memory, *INTRODUCED)
        assert homes(memory, name) == ["Lisbon"]
        assert [fact.standing for fact in memory.history(name, "home")] == ["replaced", "holds"]
        memory.forget(turn_ids=["s:turn:1"])
        memory.drain()
        assert homes(memory, name) == (["Lisbon"] if name == "Bob" else ["Porto"])


@pytest.mark.requirement("K-KEEP-22")
@pytest.mark.parametrize("talked", [GREETED, INTRODUCED])
def test_facts_of_everybody_join_the_names_of_a_person(talked: tuple[tuple[str, str], ...]) -> None:
    with quiet(clock=FrozenClock(at(600))) as memory:
        talk(memory, *talked)
        found = [fact for fact in memory.facts(verb="home") if fact.subject != "Zoe"]
        assert [(fact.object, fact.standing) for fact in found] == [("Lisbon", "holds")]
        assert [(link.kind, link.told) for link in found[0].links] == [("SUPERSEDES", "Robert lives in Porto")]
        every = memory.facts()
        assert [fact.id for fact in every] == [fact.id for fact in memory.facts(limit=len(every))]
        assert "Porto" not in {fact.object for fact in every}
        assert memory.facts(limit=1) == every[:1]
        assert "Porto" in {fact.object for fact in memory.facts(as_of=at(0))}


@pytest.mark.requirement("K-KEEP-22")
def test_a_nickname_of_two_people_or_of_a_speaker_joins_nobody() -> None:
    said = [("Robert", "Everybody calls me Bob."), ("Robert", "I live in Porto."), ("Zoe", "Bob moved to Lisbon.")]
    for other in (("Bobbin", "You can call me Bob."), ("Bob", "Hello there.")):
        with quiet(clock=FrozenClock(at(600))) as memory:
            talk(memory, *said, other)
            assert (homes(memory, "Robert"), homes(memory, "Bob")) == (["Porto"], ["Lisbon"])


@pytest.mark.requirement("K-KEEP-22")
def test_a_nickname_by_which_one_is_greeted_and_another_goes_joins_nobody() -> None:
    with quiet(clock=FrozenClock(at(600))) as memory:
        far = [("Zoe", "It is late here, the train was slow again.")] * 6
        talk(memory, *GREETED, *far, ("Bertil", "I live in Oslo."), ("Bertil", "Everybody calls me Bob."))
        assert (homes(memory, "Robert"), homes(memory, "Bertil"), homes(memory, "Bob")) == (
            ["Porto"],
            ["Oslo"],
            ["Lisbon"],
        )


@pytest.mark.requirement("K-KEEP-26")
@pytest.mark.parametrize("name", ["Bob", "Robert"])
def test_what_was_put_in_place_of_another_value_is_found_under_every_name(name: str) -> None:
    with quiet(clock=FrozenClock(at(600))) as memory:
        said = (
            ("Robert", "I chose Vim over Emacs."),
            ("Robert", "I love chess."),
            ("Robert", "I use a Neutrogena cream."),
        )
        talk(memory, *GREETED, *said)
        for word, right in (("cream", "Nivea cream"), ("chess", "opera")):
            (fact,) = [fact for fact in memory.facts("Robert", object=word) if fact.verb in ("uses", "loves")]
            memory.correct(fact.id, right)
            memory.drain()
        assert [fact.told for fact in memory.facts(name, "use")] == ["Robert uses Nivea cream", "Robert decides on Vim"]
        assert [fact.object for fact in memory.facts(name, "love")] == ["opera"]
        assert [(fact.object, fact.standing) for fact in memory.history(name, "use")] == [
            ("Vim", "holds"),
            ("Neutrogena cream", "withdrawn"),
            ("Nivea cream", "holds"),
        ]


@pytest.mark.requirement("K-KEEP-27")
def test_a_choice_without_a_purpose_is_told_without_one() -> None:
    with quiet(clock=FrozenClock(at(600))) as memory:
        talk(memory, ("Ann", "We picked Redis over Memcached."), ("Ann", "We picked Memcached over Redis after all."))
        told = [(fact.told, fact.scope, fact.standing) for fact in memory.history("we")]
        assert told[0] == ("we decide on Redis", None, "replaced")
        (fact,) = memory.facts("we", known_at=at(1))
        assert (fact.told.split()[:4], fact.scope) == ("we decide on Memcached".split(), None)
        assert [(link.kind, link.told) for link in fact.links] == [("SUPERSEDES", "we decide on Redis")]
        memory.correct(fact.id, "Valkey")
        memory.drain()
        assert [fact.told for fact in memory.facts("we")] == ["we decide on Valkey"]
        (line,) = [text for text in memory.recall("Who are we?", budget=300).text.splitlines() if "facts" in text] or [
            ""
        ]
        assert "\ue000" not in line


@pytest.mark.requirement("K-KEEP-33")
def test_a_thing_without_its_owner_is_everybody_s_each_by_itself() -> None:
    with quiet(clock=FrozenClock(at(600))) as memory:
        talk(memory, ("Zoe", "My dog is called Fifi."), ("Robert", "My dog is called Bruno."))
        memory.add(Turn(role="user", content="My dog has a broken leg.", session="own", at=at(5)))
        assert memory.drain()
        every = [("Zoe's dog", "Fifi"), ("Robert's dog", "Bruno"), ("user's dog", "broken leg")]
        for name in ("dog", "the dog"):
            assert [(fact.subject, fact.object) for fact in memory.history(name)] == every
            assert [(fact.subject, fact.object) for fact in memory.facts(name)] == every[::-1]
        assert [fact.object for fact in memory.facts("my dog")] == ["broken leg"]
        assert [fact.object for fact in memory.facts("Zoe's dog")] == ["Fifi"]
        assert len(memory.facts("dog", limit=2)) == 2
        assert memory.facts("cat") == []
