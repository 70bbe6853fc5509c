"""What a question is read as."""

from datetime import date

import pytest

from clew.recall.query import Query, to_second_person, understand, without_request
from tests.memories import NOON

SPEAKERS = ("Ann Lee", "Bob", "Melanie", "Theo", "You", "assistant")


def read(text: str, *, with_assistant: bool = False, speakers: tuple[str, ...] = SPEAKERS) -> Query:
    return understand(text, speakers, NOON, with_assistant=with_assistant)


@pytest.mark.requirement("F-RECALL-05")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Where did Ann go?", ["Ann Lee"]),
        ("where did ann lee go?", ["Ann Lee"]),
        ("What is Bob's car?", ["Bob"]),
        ("What is Bobs' car?", []),
        ("Did Mel call?", ["Melanie"]),
        ("Did mel call?", []),
        ("Did Me call?", []),
        ("Ann and Bob", ["Ann Lee", "Bob"]),
        ("The trip to Rome", []),
        ("What did you say of the trip?", []),
        ("Who is Carla?", []),
        ("", []),
    ],
)
def test_the_people_it_names(text: str, names: list[str]) -> None:
    assert [SPEAKERS[code] for code in read(text).speakers] == names


@pytest.mark.requirement("F-RECALL-05")
@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("Where did Ann go?", {"Ann"}, "Where did you go?"),
        ("What is Ann's car?", {"Ann"}, "What is your car?"),
        ("Does Ann like her car?", {"Ann"}, "do you like your car?"),
        ("Was Ann Lee tired when she left?", {"Ann", "Lee"}, "were you you tired when you left?"),
        ("What has Bob bought for his dog?", {"Bob"}, "What have you bought for your dog?"),
        ("Where is Annabel?", {"Ann"}, "Where is Annabel?"),
        ("Where did he go?", set(), "Where did he go?"),
        ("What of C++ (x)?", {"C", "x"}, "What of you++ (you)?"),
    ],
)
def test_it_is_put_to_the_person_it_names(text: str, names: set[str], expected: str) -> None:
    assert to_second_person(text, names) == expected


@pytest.mark.requirement("F-RECALL-05")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Can you please list me all the conversations about Rome?", "Rome"),
        ("What's the plan?", "plan"),
        ("What tools did we use?", "tools did we use"),
        ("What island did I visit?", "island did I visit"),
        ("Who ordered the pizza?", "ordered the pizza"),
        ("How many dogs do I own?", "dogs do I own"),
        ("Rome", "Rome"),
        ("What?", "What?"),
        ("", ""),
    ],
)
def test_request_words_go_and_no_part_of_another_word(text: str, expected: str) -> None:
    assert without_request(text) == expected


@pytest.mark.requirement("F-RECALL-05")
def test_the_second_look_is_at_the_rewritten_question() -> None:
    assert read("Where did Ann go?").rewritten == "Where did you go?"
    assert read("Where did Ann go?", with_assistant=True).rewritten == "Ann go"


@pytest.mark.requirement("F-RECALL-05")
@pytest.mark.parametrize(
    ("text", "wants"),
    [
        ("What did you recommend for dinner?", True),
        ("Which steps did the assistant explain?", True),
        ("What was your advice?", True),
        ("What did I say about you?", False),
        ("What did Ann recommend?", False),
        ("You know the town. Which hotel did I mention?", False),
    ],
)
def test_whether_it_asks_for_the_assistant_s_words(text: str, wants: bool) -> None:
    assert read(text, with_assistant=True).wants_assistant is wants
    assert read(text).wants_assistant is False


@pytest.mark.requirement("F-RECALL-05")
def test_terms_dates_and_quotations() -> None:
    found = read('Tell me: who said "green tea" last month, and again "green tea"?')
    assert found.terms == ("green", "tea", "last", "month")
    assert found.quotes == ("green tea",)
    assert [(each.start, each.end, each.relation) for each in found.dates] == [
        (date(2024, 2, 1), date(2024, 2, 29), "on")
    ]


@pytest.mark.requirement("F-RECALL-05")
def test_a_day_without_a_year_is_looked_for_in_the_years_that_are_covered() -> None:
    covered = (date(2020, 1, 1), date(2022, 12, 31))
    found = understand("on 5 May", (), NOON, with_assistant=False, covered=covered)
    assert [each.start for each in found.dates] == [date(2020, 5, 5), date(2021, 5, 5), date(2022, 5, 5)]


@pytest.mark.requirement("F-RECALL-05")
@pytest.mark.parametrize(
    "text", [" " * 200_000 + "x", "the " * 50_000, "Ann's " * 20_000, '"' * 20_000, "\ud800\0", "a" * 10**6]
)
def test_any_question_can_be_read(text: str) -> None:
    assert read(text).text == text
    assert read(text, with_assistant=True).text == text
