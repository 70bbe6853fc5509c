"""What one tries who has read no documentation: short names, ids as blocks show them, plain questions."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

import clew
from clew.errors import ClosedError, InputError
from clew.memory import Memory
from clew.text.spoken_names import people_called, short_names
from clew.types.facts import Fact
from clew.views.sigma_session import export_session, import_session
from tests.support.cli_runs import done, failure
from tests.support.memories import at, quiet, told

PEOPLE = ("Mara Lindqvist", "José Ortega", "Tom Becker", "Tom Reed", "Cher")


def talk(home: Path) -> Path:
    """A home with a talk of three people."""
    with quiet(home) as memory:
        said = [
            ("Mara Lindqvist", "I am allergic to penicillin."),
            ("José Ortega", "The hotel is called Jensen."),
            ("Mara Lindqvist", "We meet at noon, then."),
        ]
        memory.add_many([told(text, speaker=who, at=at(n)) for n, (who, text) in enumerate(said)])
        memory.drain(200)
    return home


@pytest.mark.requirement("U-NAMES-01")
def test_the_package_lists_its_public_names_before_they_are_imported() -> None:
    code = "import clew; print(set(clew.__all__) <= set(dir(clew)))"
    listed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert listed.stdout == "True\n"


@pytest.mark.requirement("U-NAMES-01")
def test_a_short_name_means_who_has_it_and_a_whole_name_comes_first() -> None:
    assert people_called("mara", PEOPLE) == ["Mara Lindqvist"]
    assert people_called("jose", PEOPLE) == ["José Ortega"]
    assert people_called("Tom", PEOPLE) == ["Tom Becker", "Tom Reed"]
    assert people_called("tom reed", PEOPLE) == ["Tom Reed"]
    assert people_called("Tom", [*PEOPLE, "Tom"]) == ["Tom"]
    assert people_called("Ann", PEOPLE) == []
    assert short_names("Dr. Feldmann") == ["feldmann"]
    assert short_names("Cher") == []


@pytest.mark.requirement("U-NAMES-01")
def test_facts_and_expressions_know_people_by_their_first_names(tmp_path: Path) -> None:
    def subjects(memory: Memory, name: str) -> set[str]:
        return {fact.subject for fact in memory.facts(subject=name) if isinstance(fact, Fact)}

    with quiet(talk(tmp_path)) as memory:
        assert subjects(memory, "Mara Lindqvist") == subjects(memory, "mara") == {"Mara Lindqvist"}
        assert subjects(memory, "Cleo") == set()
        assert len(memory.query("speaker = mara")) == 2
        assert len(memory.query("speaker != mara")) == 1
        memory.add(told("I am allergic to nuts.", speaker="Mara Olsen"))
        assert memory.query("speaker = mara") == [], "two people are called so"


@pytest.mark.requirement("U-NAMES-01")
@pytest.mark.requirement("U-NAMES-02")
def test_the_option_speaker_takes_a_first_name_and_refuses_an_unknown_one(tmp_path: Path) -> None:
    home = talk(tmp_path)
    found = done("recall", "which hotel?", "--speaker", "jose", "--home", home)
    assert "Jensen" in found
    assert "there is no speaker 'Bob'; there is 'Mara Lindqvist' and 'José Ortega'" in failure(
        1, "recall", "which hotel?", "--speaker", "Bob", "--home", home
    )
    with quiet(home) as memory:
        memory.add(told("Hi.", speaker="Mara Olsen"))
    assert "may be any of Mara Lindqvist, Mara Olsen" in failure(1, "search", "hi", "--speaker", "mara", "--home", home)


@pytest.mark.requirement("U-REFS-01")
def test_a_turn_is_pinned_and_marked_as_a_block_names_it(tmp_path: Path) -> None:
    home = talk(tmp_path)
    done("pin", "s:0", "--home", home)
    assert "s:turn:0" in done("pin", "--home", home)
    assert "Jensen" in done("recall", "which hotel?", "--home", home)
    assert "1 turn marked" in done("mark-used", "last", "s:1", "--home", home)
    assert "s:turn:2" in done("forget", "s:2", "--dry-run", "--home", home)


@pytest.mark.requirement("U-PEOPLE-01")
def test_a_brief_of_a_talk_between_people_says_how_it_began_and_ended(tmp_path: Path) -> None:
    with quiet(talk(tmp_path)) as memory:
        text = memory.brief()
        assert "has no answer" not in text
        assert "Request" not in text
        assert "Last words: Mara Lindqvist: We meet at noon, then." in text
    with quiet() as memory:
        memory.add(told("Please mend the gate."))
        assert "The last request has no answer." in memory.brief()


@pytest.mark.requirement("U-OPEN-01")
def test_an_asynchronous_memory_is_opened_by_async_with_and_by_await() -> None:
    async def opened() -> clew.AsyncMemory:
        async with clew.AsyncMemory.open(":memory:", embedder="none") as memory:
            assert await memory.add(told("Tea at four.")) == "s:turn:0"
        with pytest.raises(ClosedError):
            await memory.add(told("Too late."))
        return await clew.AsyncMemory.open(":memory:", embedder="none")

    async def used() -> None:
        await (await opened()).close()

    asyncio.run(used())


@pytest.mark.requirement("U-WHEN-01")
@pytest.mark.parametrize("question", ["what changed today?", "What was new today?"])
def test_what_changed_in_a_time_is_what_was_said_in_it(tmp_path: Path, question: str) -> None:
    with quiet(talk(tmp_path)) as memory:
        found = memory.remember_when(query=question)
        assert found.mode == "window_overview"
        assert "Jensen" in found.text


@pytest.mark.requirement("U-FILES-01")
def test_a_session_is_exported_to_a_folder_that_is_given_as_text(tmp_path: Path) -> None:
    with quiet(talk(tmp_path / "home")) as memory:
        export_session(memory, "s", str(tmp_path / "files"))
    with quiet() as other:
        assert import_session(other, str(tmp_path / "files"), "s").added == 3


@pytest.mark.requirement("U-REFS-02")
@pytest.mark.parametrize("ref", ["chain-0000", "image-", "chain-0123456789abcdeg"])
def test_a_reference_that_was_cut_is_named_as_what_it_is(ref: str) -> None:
    with quiet() as memory, pytest.raises(InputError, match=rf"'{ref}' .* 16 hexadecimal digits"):
        memory.restore(ref)
