"""What a question is read as, and that every question is answered, whatever stands in it."""

from datetime import date
from typing import Any

import pytest

from clew.memory import Memory
from clew.rank.covered_days import covered_days
from clew.rank.intent import Intent, read_intent
from clew.rank.intent.rewriting import to_second_person, without_request
from clew.testing import FrozenClock, HashEmbedder
from tests.support.effort import examples
from tests.support.ranking_spaces import NOON, answered, asked, order, said, space

PEOPLE = ("Melanie Stone", "Caroline", "Jean-Luc Picard", "James", "You", "O'Brien", "李明", "")


def read(question: str, *, with_assistant: bool = False, **more: Any) -> Intent:
    return read_intent(question, PEOPLE, NOON, with_assistant=with_assistant, **more)


@pytest.mark.requirement("F-RANKING-08")
@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What did Melanie paint?", ["Melanie Stone"]),
        ("what did melanie paint?", ["Melanie Stone"]),
        ("What did Mel paint?", ["Melanie Stone"]),
        ("What did mel paint?", []),
        ("What did Me paint?", []),
        ("What did Mrs Stone paint?", ["Melanie Stone"]),
        ("What did Sto paint?", []),
        ("What is Melanie's hobby?", ["Melanie Stone"]),
        ("What is Mel’s hobby?", ["Melanie Stone"]),
        ("Where is James' hat?", ["James"]),
        ("Do Caroline and Mel meet?", ["Melanie Stone", "Caroline"]),
        ("Who is Jean-Luc?", ["Jean-Luc Picard"]),
        ("Who is Picard?", ["Jean-Luc Picard"]),
        ("Who are You?", []),
        ("Is O'Brien here?", ["O'Brien"]),
        ("李明 喝茶", ["李明"]),
        ("Melanies", []),
        ("Who was there?", []),
        ("", []),
    ],
)
def test_names(question: str, named: list[str]) -> None:
    assert [PEOPLE[code] for code in read(question).speakers] == named


@pytest.mark.requirement("F-RANKING-08")
@pytest.mark.parametrize(
    ("question", "rewritten"),
    [
        ("Where did Melanie go?", "Where did you go?"),
        ("Where did Mel go with her dog?", "Where did you go with your dog?"),
        ("What is Melanie's job?", "What is your job?"),
        ("What does Caroline say when she paints?", "What do you say when you paints?"),
        ("Is Caroline glad? Was James?", "are you glad? were you?"),
        ("Has James' hat been found?", "Has your hat been found?"),
        ("Where is she?", "Where is she?"),
    ],
)
def test_a_question_about_a_person_is_put_to_that_person(question: str, rewritten: str) -> None:
    assert read(question).rewritten == rewritten


@pytest.mark.requirement("F-RANK-01")
@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("What did Melanie say about Caroline's plan?", ["Melanie Stone"]),
        ("What does Caroline think of Mel and James?", ["Caroline"]),
        ("According to James, what makes Caroline laugh?", ["James"]),
        ("What did Melanie's sister give Caroline?", ["Melanie Stone"]),
        ("Was hat Caroline von James gehört?", ["Caroline"]),
        ("What was Melanie told by Caroline?", ["Caroline"]),
        ("What did James tell James' friend Caroline?", ["James"]),
        ("What did Melanie say?", ["Melanie Stone"]),
        ("What did Melanie and Caroline tell James?", ["Melanie Stone", "Caroline", "James"]),
        ("What have Mel, James and Caroline seen?", ["Melanie Stone", "Caroline", "James"]),
        ("Was mögen Caroline und James?", ["Caroline", "James"]),
        ("Where are Melanie's or James's keys?", ["Melanie Stone", "James"]),
        ("Does Caroline like the same tea as James?", ["Caroline", "James"]),
        ("Which hobby does Caroline have in common with James?", ["Caroline", "James"]),
        ("Is Caroline older than James?", ["Caroline", "James"]),
        ("Where was Caroline? Where was James?", ["Caroline", "James"]),
        ("What does Caroline paint and what does James paint?", ["Caroline", "James"]),
        ("Who told Melanie about Caroline's plan?", ["Melanie Stone", "Caroline"]),
        ("Who did Melanie see at Caroline's party?", ["Melanie Stone"]),
        ("What was said?", []),
    ],
)
def test_of_several_people_the_subject_is_the_one_whose_words_are_asked_for(question: str, asks: list[str]) -> None:
    assert [PEOPLE[code] for code in read(question).tellers] == asks


@pytest.mark.requirement("F-RANK-01")
def test_beside_an_assistant_everybody_who_is_named_is_asked() -> None:
    understood = read("What did Melanie say about Caroline's plan?", with_assistant=True)
    assert understood.tellers == understood.speakers


@pytest.mark.requirement("F-RANK-01")
@pytest.mark.parametrize("names", [("Ann Lee", "Ann Moss"), ("Ann", "Anna")])
def test_a_name_of_two_people_chooses_neither(names: tuple[str, ...]) -> None:
    understood = read_intent("What did Ann say?", names, NOON, with_assistant=False)
    assert understood.tellers == understood.speakers


@pytest.mark.requirement("F-RANK-01")
@pytest.mark.parametrize(
    ("question", "rewritten"),
    [
        ("What did Mel say about Caroline's new plan?", "What did you say about my new plan?"),
        ("What was Melanie told by Caroline?", "What was me told by you?"),
        ("Did Melanie tell Caroline?", "Did you tell me?"),
    ],
)
def test_a_question_about_what_one_tells_the_other_is_put_by_the_other(question: str, rewritten: str) -> None:
    assert read(question).rewritten == rewritten


@pytest.mark.requirement("F-RANKING-23")
@pytest.mark.parametrize(
    ("question", "rewritten"),
    [
        ("What have both Ann and Bob painted?", "What have you painted?"),
        ("Which games do Ann and Bob play?", "Which games do you play?"),
        ("Who is older, Ann or Bob?", "Who is older, you?"),
        ("Where are Ann's and Bob's parents?", "Where are your parents?"),
        ("Did Ann tell Bob?", "Did you tell you?"),
    ],
)
def test_two_people_of_a_comparison_are_one_you(question: str, rewritten: str) -> None:
    assert to_second_person(question, {"Ann", "Bob"}) == rewritten


@pytest.mark.requirement("F-RANKING-08")
def test_names_are_taken_as_they_stand() -> None:
    assert to_second_person("a.b and a+b", {"a.b"}) == "you and a+b"
    assert to_second_person("Ann or Annapolis", {"Ann"}) == "you or Annapolis"
    assert to_second_person("Annapolis", {"Ann"}) == "Annapolis"


@pytest.mark.requirement("F-RANKING-08")
@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("Can you list the books of our conversations?", "books of our conversations"),
        ("What is the name of my dog?", "name of my dog"),
        ("Please remind me about the trip.", "trip"),
        ("Books I like", "Books I like"),
        ("What was it?", "it"),
        ("Please list", "Please list"),
        ("what?", "what?"),
        ("", ""),
    ],
)
def test_request_words_are_dropped_beside_an_assistant(question: str, rest: str) -> None:
    assert without_request(question) == rest
    assert read(question, with_assistant=True).rewritten == rest


@pytest.mark.requirement("F-RANKING-08")
@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What did you recommend for dinner?", True),
        ("Which of your suggestions was best?", True),
        ("What was the assistant's advice?", True),
        ("What do you think of tea?", False),
        ("What did I say about tea?", False),
        ("Did you eat? Mention of it was made.", False),
    ],
)
def test_the_assistant_is_asked_for_its_words(question: str, wanted: bool) -> None:
    assert read(question, with_assistant=True).wants.assistant is wanted
    assert read(question).wants.assistant is False


@pytest.mark.requirement("F-RANKING-08")
def test_terms_quotes_and_dates_are_read() -> None:
    query = read('Who said "red barn" and “blue sky” before May 2023?')
    assert query.quotes == ("red barn", "blue sky")
    assert {"red", "barn", "blue", "sky"} <= set(query.terms)
    assert len(query.terms) == len(set(query.terms))
    (before,) = query.dates
    assert (before.start, before.end, before.grain, before.relation) == (None, date(2023, 4, 30), "month", "before")


@pytest.mark.requirement("F-RANKING-08")
def test_a_date_without_a_year_is_looked_for_in_the_days_covered() -> None:
    covered = (date(2021, 6, 1), date(2023, 4, 1))
    found = read("What happened on Jan 5th?", covered=covered).dates
    assert [each.start for each in found] == [date(2022, 1, 5), date(2023, 1, 5)]
    assert [each.start for each in read("What happened on Jan 5th?").dates] == [date(2024, 1, 5)]


@pytest.mark.requirement("F-RANKING-08")
def test_the_days_covered_are_the_first_and_the_last_known() -> None:
    late, early = NOON.replace(year=2023), NOON.replace(year=2021)
    view = space("no time", said("late", at=late), said("early", at=early))
    assert covered_days(view) == (early.date(), late.date())
    assert covered_days(space("no time")) is None
    assert covered_days(space()) is None
    assert [each.start and each.start.year for each in asked(view, "on April 1st").intent.dates] == [2021, 2022]


ODD = {
    "empty": "",
    "white space": " \t\n",
    "stop words": "what was it and who were they?",
    "emoji": "🦊🔥",
    "Chinese": "他在哪里喝茶？",
    "Thai": "ชาอยู่ที่ไหน",
    "lone surrogate": "tea \ud800 cup",
    "zero": "tea\0cup",
    "marks": "?!…—«»\"'`<>[]{}()*&^%$#@",
    "quotes": '""""""" “ „ « \'\'\' "tea"',
    "a pattern": "(a+)+$ [a-z]{1,99} \\b\\w*",
    "many words": "tea cup of Ann's on 5 May, please " * examples(1_250, 6_250),
    "one long word": "tea" * 30_000,
    "words of asking": "can you please list " * 5_000,
    "capitals": "ANN " * 10_000,
}


@pytest.fixture(scope="module")
def memory() -> Any:
    with Memory.open(":memory:", embedder=HashEmbedder(), clock=FrozenClock(NOON)) as memory:
        memory.add_many(
            [
                said("I drink tea at home.", speaker="Ann", at=NOON),
                said("他在家里喝茶。", speaker="李明", session="t"),
                said("Look, a fox 🦊!", speaker="Bob", session="u"),
                said("ชาอยู่ในครัว", session="v"),
            ]
        )
        assert memory.drain(200)
        yield memory


@pytest.mark.thorough
@pytest.mark.timeout(120)
@pytest.mark.requirement("F-RANKING-07")
@pytest.mark.parametrize("question", list(ODD.values()), ids=list(ODD))
def test_every_question_is_answered(memory: Memory, question: str) -> None:
    context = memory.recall(question, budget=300)
    assert context.tokens <= 300
    scores = [hit.score for hit in memory.search(question)]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.requirement("F-RANKING-07")
@pytest.mark.parametrize(
    ("kind", "words"),
    [("Chinese", "喝茶"), ("emoji", "🦊"), ("Thai", "ชา"), ("lone surrogate", "tea"), ("quotes", "tea")],
)
def test_any_script_finds_its_turn(memory: Memory, kind: str, words: str) -> None:
    assert words in memory.search(ODD[kind])[0].turn.text


@pytest.mark.requirement("F-RANKING-07")
@pytest.mark.parametrize("kind", ["empty", "white space"])
def test_no_question_finds_nothing(memory: Memory, kind: str) -> None:
    context = memory.recall(ODD[kind])
    assert (context.text, context.tokens, context.items, context.omitted) == ("", 0, (), ())


@pytest.mark.requirement("F-RANKING-07")
def test_stop_words_find_nothing_by_words() -> None:
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        memory.add_many([said("Who was it?"), said("It was.")])
        assert memory.search("what was it?") == []


@pytest.mark.requirement("F-SURE-08")
@pytest.mark.parametrize(
    ("question", "telling"),
    [
        ("Wie lange bleibt der Schlüssel in Redis?", ("lang", "bleibt", "schlussel", "redi")),
        ("¿Quién compra el coche de Marco?", ("compra", "coch", "marco")),
        ("cuanto costo el coche y quien lo compro", ("costo", "coch", "compro")),
        ("fuer wen koennen wir das fahrrad nehmen", ("fahrrad", "nehmen")),
        ("Почему мы не купили машину?", ("куп", "машин")),
        ("How long does the key stay in Redis?", ("long", "key", "stay", "redi")),
        ("Wo ist es?", ("wo", "ist", "es")),
        ("comment field", ("comment", "field")),
        ("en passant rule", ("en", "passant", "rule")),
        ("Comment marche le cache", ("march", "cach")),
    ],
)
def test_function_words_of_other_languages_do_not_tell_what_is_asked(question: str, telling: tuple[str, ...]) -> None:
    assert read(question).telling == telling


@pytest.mark.requirement("F-SURE-08")
def test_a_question_in_another_language_than_the_answer_finds_it_by_its_names() -> None:
    small_talk = ("Wie geht das?", "Der ist lange weg.", "Wie lange dauert das in der Regel?", "Bleibt der in Berlin?")
    view = space(*small_talk, answered("The key is kept in Redis for 48 hours."), *(["Ok."] * 12))
    assert order(asked(view, "Wie lange ist der in Redis?"))[0] == 4
    assert order(asked(view, "Wie war der denn?"))[0] in range(4)
