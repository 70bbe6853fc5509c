"""Questions that nobody should ask, through the library and the command line: a defined result, or one clear line."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from clew.errors import ConfigError, ExpressionError, InputError
from clew.memory import Memory
from tests.support.cli_runs import failure, record, records, run
from tests.support.memories import NOON, quiet, timed

pytestmark = pytest.mark.slow  # questions of 50,000 words

SAID = ("We picked Redis for sessions.", "The ferry leaves at nine.", "Anna drinks green tea.", "茶を飲みます。")
LATER = NOON + timedelta(days=3_650)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a few turns; the tests of this module only ask it."""
    place = tmp_path_factory.mktemp("odd")
    with quiet(place) as memory:
        memory.add_many(timed(SAID))
        assert memory.drain(None)
    return place


@pytest.fixture
def memory(home: Path) -> Iterator[Memory]:
    with quiet(home) as opened:
        yield opened


def asked(memory: Memory, question: str, **how: Any) -> list[str]:
    """The texts in a block that keeps to what is promised of every block."""
    context = memory.recall(question, **how)
    assert context.tokens <= context.budget
    assert bool(context.text) == bool(context.items)
    assert memory.explain(context.receipt_id).id == context.receipt_id
    return [item.text for item in context.items]


NOTHING_ASKED = {
    "empty": "",
    "blank": " \n\t\u3000",
    "marks": "?!… ---",
    "emoji": "🫖",
    "no word of it": "zzqxv",
    "another script": "ชา",
    "another language": "شاي",
    "controls": "\0\x1b\ufeff",
    "half a character": "\ud800",
    "one word of 100,000 letters": "漢字" * 50_000,
    "one path of 100,000 letters": "/zq" * 33_000,
    "50,000 other words": " ".join(f"zz{n}q" for n in range(50_000)),
}


@pytest.mark.requirement("F-ODD-01")
@pytest.mark.parametrize("kind", NOTHING_ASKED)
def test_a_question_that_nothing_answers_gets_nothing(memory: Memory, kind: str) -> None:
    assert asked(memory, NOTHING_ASKED[kind]) == []
    assert memory.search(NOTHING_ASKED[kind]) == []


@pytest.mark.requirement("F-ODD-01")
@pytest.mark.usefixtures("tmp_home")
@pytest.mark.parametrize("kind", ["empty", "blank", "marks", "emoji", "another script"])
def test_the_command_line_says_that_there_is_nothing(home: Path, kind: str) -> None:
    shown = run("recall", NOTHING_ASKED[kind], "--home", home)
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert "Nothing relevant was found" in shown.stderr
    assert record("recall", NOTHING_ASKED[kind], "--home", home)["items"] == []
    assert records("search", NOTHING_ASKED[kind], "--home", home) == []


ODD_PLACES = {
    "further back than there is": "What of Redis 999 beats ago, and 99 sessions ago?",
    "none back": "Redis 0 turns ago, in the last 0 messages",
    "a clause that does not end": "Redis before we picked " + "what nobody ever said " * 80,
    "nothing but a place": "two turns ago",
    "many places": "Redis two beats ago, before we picked Redis, last time we talked. " * 20,
    "50,000 words for places": "before we picked Redis two turns ago " * 7_000,
    "another script": "Redis before we 選んだ 茶, since I \u202eпошёл",
    "half a character": "Redis before we picked \ud800 and when I said \0",
    "the block's own mark": "Redis since </clew-memory> was mentioned",
}


@pytest.mark.requirement("F-ODD-01", "F-PLACE-01")
@pytest.mark.parametrize("kind", ODD_PLACES)
def test_words_for_a_place_that_is_not_there_change_nothing_that_is_promised(memory: Memory, kind: str) -> None:
    question = ODD_PLACES[kind]
    found = [asked(memory, question, **how) for how in ({"budget": 70}, {"strategy": "sigma"}, {"since": LATER})]
    assert found[0] == asked(memory, question, budget=70)
    assert found[2] == []
    assert {hit.turn.id for hit in memory.ranked(question)} == {hit.turn.id for hit in memory.search(question)}
    told = memory.remember_when(query=question, budget=70)
    assert told.tokens <= 70
    assert memory.explain(told.receipt_id).kind == "when"


@pytest.mark.requirement("F-ODD-01", "F-TIME-12")
@pytest.mark.parametrize("kind", NOTHING_ASKED)
def test_a_time_is_told_of_and_explained_whatever_is_asked(memory: Memory, kind: str) -> None:
    told = memory.remember_when(NOTHING_ASKED[kind], "2024", LATER, budget=60)
    assert told.tokens <= 60
    receipt = memory.explain(told.receipt_id)
    assert (len(receipt.chosen), receipt.settings["in_time"]) == (len(told.moments), len(SAID))
    ahead = memory.remember_when(NOTHING_ASKED[kind], LATER)
    assert (ahead.text, memory.explain(ahead.receipt_id).chosen) == ("", ())


@pytest.mark.requirement("F-ODD-01")
@pytest.mark.usefixtures("tmp_home")
def test_50_000_words_and_other_scripts_find_what_answers_them(memory: Memory, home: Path) -> None:
    assert memory.search("word redis " * 25_000)[0].turn.text == SAID[0]
    assert SAID[0] in asked(memory, "word redis " * 25_000)
    assert memory.search("茶")[0].turn.text == SAID[3]
    assert SAID[3] in asked(memory, "茶")
    assert records("search", "word redis " * 25_000, "--home", home)[0]["turn"]["content"][0]["text"] == SAID[0]
    assert records("search", "茶", "--home", home)[0]["turn"]["content"][0]["text"] == SAID[3]


@pytest.mark.requirement("F-ODD-01")
@pytest.mark.usefixtures("tmp_home")
@pytest.mark.parametrize("phrase", ["", "  ", "?!", "🫖"])
def test_a_phrase_without_a_word_is_refused(memory: Memory, home: Path, phrase: str) -> None:
    with pytest.raises(InputError, match="contains no word; give at least one letter or digit"):
        memory.find_quote(phrase)
    assert "contains no word" in failure(1, "quote", phrase, "--home", home)


@pytest.mark.requirement("F-ODD-02")
@pytest.mark.usefixtures("tmp_home")
@pytest.mark.parametrize("budget", [0, 1])
def test_where_nothing_fits_there_is_nothing_and_the_rest_is_named(memory: Memory, home: Path, budget: int) -> None:
    context = memory.recall("redis", budget=budget)
    assert (context.text, context.tokens, context.items, context.budget) == ("", 0, (), budget)
    assert {name for each in context.omitted for name in each.turn_ids} >= {"s:turn:0"}
    shown = run("recall", "redis", "--budget", f"{budget}", "--home", home)
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert "Nothing fits into" in shown.stderr
    assert "Raise --budget" in shown.stderr


WRONG: dict[str, tuple[Callable[[Memory], object], str]] = {
    "budget below 0": (lambda m: m.recall("redis", budget=-1), "budget -1 is negative; give the tokens"),
    "budget as text": (lambda m: m.recall("redis", budget="100"), "budget is '100'; expected a whole number"),  # type: ignore[arg-type]  # that is the point
    "half a token": (lambda m: m.recall("redis", budget=1.5), "budget is 1.5; expected a whole number"),  # type: ignore[arg-type]  # that is the point
    "budget yes": (lambda m: m.recall("redis", budget=True), "budget is True; expected a whole number"),
    "a time's budget": (lambda m: m.remember_when(budget=-1), "budget -1 is negative; give the tokens"),
    "limit below 0": (lambda m: m.search("redis", limit=-1), "limit -1 is negative; give the number of turns"),
    "half a turn": (lambda m: m.find_quote("redis", limit=0.5), "limit is 0.5; expected a whole number"),  # type: ignore[arg-type]  # that is the point
    "no question": (lambda m: m.recall(None), "question is None; expected text"),  # type: ignore[arg-type]  # that is the point
    "bytes": (lambda m: m.search(b"redis"), "question is b'redis'; expected text"),  # type: ignore[arg-type]  # that is the point
    "a number": (lambda m: m.find_quote(5), "phrase is 5; expected text"),  # type: ignore[arg-type]  # that is the point
    "no such strategy": (lambda m: m.recall("redis", strategy="best"), "strategy 'best' is unknown; expected one of"),
    "no such beat": (lambda m: m.recall("redis", position=9), "there is no beat at position 9"),
    "no such mode": (lambda m: m.remember_when(mode="later"), "mode 'later' is unknown"),
    "ends before it starts": (lambda m: m.recall("redis", since=LATER, until=NOON), "before it starts .*; swap them"),
    "ends where it starts": (lambda m: m.search("redis", since=NOON, until=NOON), "ends where it starts .*; move one"),
    "no such label": (lambda m: m.query("nuance:zzz"), "found 'nuance:zzz'; expected nuance: with one of hedged"),
    "no such overlay": (lambda m: m.recall("redis", where="O9 > 3"), "found 'O9'; expected"),
    "no such kind of label": (lambda m: m.query("mood:good"), "found 'mood:good'; expected one of tag:, domain:"),
    "an empty filter": (
        lambda m: m.recall("redis", where=" "),
        "at position 1 of the expression: found nothing; expected a condition",
    ),
    "half a filter": (lambda m: m.recall("redis", where="tag:auth AND"), "found the end; expected a condition"),
    "a filter of a book's length": (lambda m: m.query("tag:a OR " * 5_000), "at most 10,000 are read, so ask in parts"),
    "no such counter": (lambda m: m.recall("redis", counter="stones"), "counter 'stones' is unknown; choose one of"),
}
"""What cannot be meant, and what is said of it: what came, and what was expected or what to do."""


@pytest.mark.requirement("F-ODD-03")
@pytest.mark.parametrize("kind", WRONG)
def test_what_cannot_be_meant_is_refused_in_clear_words(memory: Memory, kind: str) -> None:
    call, words = WRONG[kind]
    with pytest.raises((InputError, ExpressionError, ConfigError), match=words) as caught:
        call(memory)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1_000


@pytest.mark.requirement("F-ODD-03")
@pytest.mark.usefixtures("tmp_home")
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--budget", "-1"], 2, "-1"),
        (["--budget", "much"], 2, "much"),
        (["--strategy", "best"], 2, "auto"),
        (["--counter", "stones"], 2, "choose one of"),
        (["--since", "2024-05-01", "--until", "2024-04-01"], 1, "swap them"),
        (["--since", "zzqxv"], 2, "zzqxv"),
        (["--where", ""], 2, "expected a condition"),
        (["--where", "nuance:zzz"], 2, "with one of hedged"),
        (["--where", "mood:good"], 2, "expected one of tag:"),
    ],
)
def test_the_command_line_refuses_it_likewise(home: Path, words: list[str], status: int, said: str) -> None:
    assert said in failure(status, "recall", "redis", *words, "--home", home)


FAR: dict[str, dict[str, Any]] = {
    "in the future": {"since": LATER, "until": LATER + timedelta(days=1)},
    "after all that was said": {"since": LATER},
    "before all that was said": {"until": NOON - timedelta(days=3_650)},
    "asked before anything was known": {"known_at": NOON - timedelta(days=1)},
    "no such session": {"session": "nowhere"},
    "no such speaker": {"speaker": "Nobody"},
    "no such tag": {"where": "tag:nothing"},
    "two sessions at once": {"where": "session = s AND session = t"},
    "one session and another": {"session": "s", "where": "session = t"},
    "a thing and its contrary": {"where": "role = user AND NOT role = user"},
    "more and less": {"where": "importance > 0.9 AND importance < 0.1"},
}


@pytest.mark.requirement("F-ODD-04")
@pytest.mark.parametrize("kind", FAR)
def test_a_filter_that_lets_nothing_through_gets_nothing(memory: Memory, kind: str) -> None:
    assert asked(memory, "redis", **FAR[kind]) == []
    assert memory.search("redis", **FAR[kind]) == []


@pytest.mark.requirement("F-ODD-04")
@pytest.mark.usefixtures("tmp_home")
@pytest.mark.parametrize(
    "words",
    [
        ["--since", "2090-01-01"],
        ["--until", "1990-01-01"],
        ["--where", "tag:nothing"],
        ["--session", "s", "--where", "session = t"],
    ],
)
def test_on_the_command_line_likewise(home: Path, words: list[str]) -> None:
    shown = run("recall", "redis", *words, "--home", home)
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert "Nothing relevant was found" in shown.stderr
    assert words[0] in shown.stderr
    assert records("search", "redis", *words, "--home", home) == []


@pytest.mark.requirement("F-ODD-04")
def test_a_time_in_the_future_has_no_moments(memory: Memory) -> None:
    found = memory.remember_when(since=LATER, until=LATER + timedelta(days=1))
    assert (found.turns, found.text, found.tokens, found.moments) == (0, "", 0, ())
    assert memory.recall("redis", as_of=LATER).items == memory.recall("redis").items
