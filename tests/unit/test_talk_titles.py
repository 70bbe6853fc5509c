"""What the talks of people to each other are called: by what they are about, not by how they greet each other."""

from datetime import timedelta
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.condense.session_titles import TITLE
from clew.condense.talk_titles import TalkTurn, title_of_talk
from clew.memory import Memory
from clew.recall.made_titles import made_title
from clew.store.protocol import Reader
from clew.testing import FrozenClock
from clew.types import Turn
from tests.support.ranking_spaces import NOON

GREETINGS = ("Hey Ann! Good to see you! How have you been?", "Hey Ben! I'm fine. What's up with you?")


def titled(*texts: str) -> str | None:
    """The title of a talk of Ann and Ben, as if no other talk were stored."""
    said = [TalkTurn(("Ben", "Ann")[place % 2], text) for place, text in enumerate(texts)]
    return title_of_talk(said, lambda _term, _count: 1.0)


@pytest.mark.requirement("F-SESSION-07")
@pytest.mark.parametrize(
    ("texts", "title"),
    [
        ((*GREETINGS, "We moved the beehives to the orchard."), "We moved the beehives to the orchard."),
        (("Hey Ann, long time no see, my bees swarmed in the orchard!",), "My bees swarmed in the orchard!"),
        (("Hey Ann, so much has happened! My bees swarmed.", "Wow, Ben! That's amazing!"), "My bees swarmed."),
        (("[shares a photo: a photo of a red barn with a door] The beehives stand in the orchard.", "Lovely photo!"),
         "The beehives stand in the orchard."),
        (("Um , so the {disfmarker} the budget of the {vocalsound} museum is too small .", "Okay ."),
         "So the budget of the museum is too small."),
        ((f"It has been {'very ' * 20}quiet here, but our bees left the orchard for the ferry to Tallinn.",),
         "Our bees left the orchard for the ferry to Tallinn."),
        (("It made me think of a garden.", "My sister has a garden in Porto."), "My sister has a garden in Porto."),
        (("Hallo Anna! Wie geht's dir?", "Hey Ben, mir geht es gut, danke!", "Wir sind nach Bochum gezogen."),
         "Wir sind nach Bochum gezogen."),
        (("Привет, Аня! Как дела?", "Привет! Всё хорошо, спасибо.", "На прошлой неделе мы переехали в Казань."),
         "На прошлой неделе мы переехали в Казань."),
        (("你好！最近怎么样？", "很好，谢谢！", "我们上周搬到了成都。"), "我们上周搬到了成都。"),
        (GREETINGS, None),
        (("ok", "👍", ""), None),
        ((), None),
    ],
)  # fmt: skip  # one talk a line
def test_a_talk_is_called_by_what_it_is_about(texts: tuple[str, ...], title: str | None) -> None:
    assert titled(*texts) == title


@pytest.mark.requirement("F-SESSION-07")
def test_what_all_talks_are_about_tells_none_apart() -> None:
    talks = {
        "monday": (*GREETINGS, "I sang in the choir on Sunday.", "I bought beehives for the orchard."),
        "tuesday": (*GREETINGS, "I sang in the choir again.", "My kiln broke, so the pottery waits."),
        "friday": (*GREETINGS, "I sang in the choir, too.", "Our ferry to Tallinn leaves on Monday."),
    }
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        for day, (session, texts) in enumerate(talks.items()):
            at = NOON + timedelta(days=day)
            memory.add_many(
                Turn(role="user", speaker=("Ben", "Ann")[place % 2], content=text, session=session, at=at)
                for place, text in enumerate(texts)
            )
        found = {session.name: session.title for session in memory.sessions()}
        brief = memory.brief()
    assert found == {
        session: texts[-1].partition(",")[0].removesuffix(".") + tail
        for (session, texts), tail in zip(talks.items(), (".", ", so the pottery waits.", "."), strict=True)
    }
    assert "\nAbout: Our ferry to Tallinn leaves on Monday.\n" in brief


@pytest.mark.requirement("F-SESSION-07")
def test_mere_greetings_are_called_by_their_words_and_an_assistant_by_the_wish() -> None:
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        for place, text in enumerate(GREETINGS):
            memory.add(Turn(role="user", speaker=("Ben", "Ann")[place], content=text, session="hello"))
        memory.add(Turn(role="user", speaker="Ben", content="Mend the tap, please.", session="asked"))
        memory.add(Turn(role="assistant", content="My bees swarmed in the orchard of Porto.", session="asked"))
        found = {session.name: session.title for session in memory.sessions()}
    assert found == {"hello": GREETINGS[0], "asked": "Mend the tap, please."}


@pytest.mark.requirement("F-SESSION-07")
@given(st.lists(st.text(max_size=300), max_size=8))
def test_a_title_is_short_and_made_of_the_words_of_one_turn(texts: list[str]) -> None:
    title = titled(*texts)
    assert title == titled(*texts)
    if title is not None:
        assert 0 < len(title) <= TITLE + 2
        assert "\n" not in title


@pytest.mark.requirement("U-FOUND-03")
def test_of_sessions_without_dates_the_one_that_was_stored_last_comes_first() -> None:
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        for session in ("b", "c", "a"):
            memory.add(Turn(role="user", content=f"Mend the tap of house {session}.", session=session))
        memory.add(Turn(role="user", content="And its sink.", session="b"))
        memory.add(Turn(role="user", content="Mend the roof.", session="dated", at=NOON - timedelta(days=9)))
        names = [session.name for session in memory.sessions()]
        brief = memory.brief()
        memory.forget(session="dated")
        undated = memory.brief()
    assert names == ["dated", "b", "a", "c"]
    assert "\nName: dated\n" in brief
    assert undated.startswith("Last session: no date, 2 turns\nName: b\n")


class CountingReader:
    """A reader that counts what is asked of it."""

    def __init__(self, reader: Reader) -> None:
        self.reader, self.asked = reader, 0

    def __getattr__(self, name: str) -> Any:
        self.asked += 1
        return getattr(self.reader, name)


@pytest.mark.requirement("F-SESSION-07")
def test_a_talk_takes_one_statement_more_than_a_chat_however_long_it_is() -> None:
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        told = [
            Turn(role="user", speaker=("Ben", "Ann")[place % 2], content=f"We have {place} beehives.", session="talk")
            for place in range(200)
        ]
        memory.add_many(told)
        memory.add_many([Turn(role="user", content="Mend the tap.", session="chat")] * 200)
        view, counts = memory.reads.live.view(), []
        with memory.reads.store.snapshot() as reader:
            for session in ("talk", "chat"):
                ends = view.ends(session)
                assert ends is not None
                counting = CountingReader(reader)
                made_title(cast(Reader, counting), memory.space, view, session, ends)
                counts.append(counting.asked)
    assert counts == [2, 1]
