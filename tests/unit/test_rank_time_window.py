"""Which time a question is about, and what it wants of it."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import InputError
from clew.rank.intent.time_window import mode_of, time_window
from clew.rank.timeline import by_period, in_turns
from clew.types.moments import MODES

NOW = datetime(2023, 5, 10, 12, tzinfo=UTC)
COVERED = (date(2022, 1, 1), date(2023, 5, 9))


def decided(query: str, mode: str = "auto") -> str:
    return mode_of(mode, query, time_window(None, None, query, NOW, COVERED))


@pytest.mark.requirement("F-TIME-04")
@pytest.mark.parametrize(
    ("query", "mode"),
    [
        ("", "window_overview"),
        ("last week", "window_overview"),
        ("what did we talk about last week?", "window_overview"),
        ("since March", "window_overview"),
        ("what did we do since last week?", "window_overview"),
        ("what did we do, ever since March?", "window_overview"),
        ("what did we decide since March?", "lookup"),
        ("What did we discuss between March and May 2023?", "window_overview"),
        ("which restaurant did Ann like last week?", "lookup"),
        ("Redis", "lookup"),
        ("How has the deployment changed since March?", "change_over_time"),
        ("how did our opinion of Redis evolve over time", "change_over_time"),
        ("Summarize the Redis migration in April", "summarize_over_time"),
        ("what happened last month?", "summarize_over_time"),
        ("give me a recap of May", "summarize_over_time"),
        ("what was our plan for the release as of April?", "state_at_time"),
        ("which database were we using in March?", "state_at_time"),
        ("what changed?", "change_over_time"),
    ],
)
def test_the_question_s_words_decide(query: str, mode: str) -> None:
    assert decided(query) == mode


@pytest.mark.requirement("F-TIME-16")
@pytest.mark.parametrize(
    ("query", "since", "until"),
    [
        ("last week of January 2023", "2023-01-25 00:00", "2023-02-01 00:00"),
        ("the first week of January 2023", "2023-01-01 00:00", "2023-01-08 00:00"),
        ("early January 2023", "2023-01-01 00:00", "2023-01-11 00:00"),
        ("mid-January 2023", "2023-01-11 00:00", "2023-01-21 00:00"),
        ("what did Ann say at the end of January 2023?", "2023-01-21 00:00", "2023-02-01 00:00"),
        ("weekend of January 24 2023", "2023-01-28 00:00", "2023-01-30 00:00"),
        ("2023-01-21 07:04", "2023-01-21 07:04", "2023-01-21 07:05"),
        ("2022", "2022-01-01 00:00", "2023-01-01 00:00"),
        ("last 5 minutes", "2023-05-10 11:55", "2023-05-10 12:00"),
        ("what did we say in the last 20 minutes?", "2023-05-10 11:40", "2023-05-10 12:00"),
        ("January 2023", "2023-01-01 00:00", "2023-02-01 00:00"),
        ("2023-01", "2023-01-01 00:00", "2023-02-01 00:00"),
        ("what did we decide in 2023-01?", "2023-01-01 00:00", "2023-02-01 00:00"),
    ],
)
def test_a_time_is_neither_widened_nor_passed_over(query: str, since: str, until: str) -> None:
    window = time_window(None, None, query, NOW, COVERED)
    assert (f"{window.since:%Y-%m-%d %H:%M}", f"{window.until:%Y-%m-%d %H:%M}") == (since, until)


@pytest.mark.requirement("F-TIME-16")
@pytest.mark.parametrize(
    "query", ["issue PROJ-2023-01", "logs/2023-01", "call 2023-0145", "the range 2023-13", "a2023-01"]
)
def test_a_number_that_is_no_month_names_no_time(query: str) -> None:
    assert time_window(None, None, query, NOW, COVERED).since is None


@pytest.mark.requirement("F-TIME-16")
@pytest.mark.parametrize("query", ["what did we decide since March?", "what did we decide ever since last week"])
def test_the_word_before_a_time_is_not_looked_for(query: str) -> None:
    window = time_window(None, None, query, NOW, COVERED)
    assert window.rest.split()[:4] == ["what", "did", "we", "decide"]
    assert "since" not in window.rest


@pytest.mark.requirement("F-TIME-16")
@pytest.mark.parametrize("query", ["31 February 2023", "January 32", "13/13/2023", "what did we do on 2023-02-31?"])
def test_a_date_that_no_calendar_has_is_named(query: str) -> None:
    with pytest.raises(InputError, match="is not in the calendar"):
        time_window(None, None, query, NOW, COVERED)
    assert "complained" in time_window(None, None, "In March 45 users complained", NOW, COVERED).rest


@pytest.mark.requirement("F-TIME-04")
def test_a_mode_that_is_given_holds() -> None:
    for mode in MODES[1:]:
        assert decided("How has Redis changed?", mode) == mode
    with pytest.raises(InputError, match="mode 'later' is unknown; expected one of auto, lookup"):
        decided("x", "later")
    with pytest.raises(InputError, match="needs a query"):
        decided(" ", "lookup")


@pytest.mark.requirement("F-TIME-05")
def test_the_ends_are_given_or_named_by_the_question() -> None:
    named = time_window(None, None, "what did Ann say last week?", NOW, COVERED)
    assert (named.since, named.until) == (datetime(2023, 5, 1, tzinfo=UTC), datetime(2023, 5, 8, tzinfo=UTC))
    given_ = time_window("March 2023", "April 2023", "what did Ann say last week?", NOW, COVERED)
    assert (given_.since, given_.until) == (datetime(2023, 3, 1, tzinfo=UTC), datetime(2023, 5, 1, tzinfo=UTC))
    naive = datetime(2023, 3, 1)  # noqa: DTZ001  # one without a zone is taken as UTC
    assert time_window(naive, None, "", NOW, COVERED).since == naive.replace(tzinfo=UTC)
    every = time_window(None, None, "Redis", NOW, COVERED)
    assert (every.since, every.until) == (None, None)


@pytest.mark.requirement("F-TIME-05")
@pytest.mark.parametrize(
    "words",
    ["2023-04-03 to 2023-04-09", " 3 April 2023 - 9 April 2023", "from April 3 to April 9", "april 3 to 9 april"],
)
def test_two_dates_alone_are_a_stretch(words: str) -> None:
    window = time_window(None, None, words, NOW, COVERED)
    assert (window.since, window.until) == (datetime(2023, 4, 3, tzinfo=UTC), datetime(2023, 4, 10, tzinfo=UTC))
    assert not window.about


@pytest.mark.requirement("F-TIME-05")
def test_two_dates_in_the_wrong_order_are_an_error() -> None:
    with pytest.raises(InputError, match="ends before it starts"):
        time_window(None, None, "2023-04-09 to 2023-04-03", NOW, COVERED)
    across = time_window(None, None, "Monday to Wednesday", NOW, COVERED)
    assert across.since == datetime(2023, 5, 8, tzinfo=UTC)
    years = time_window(None, None, "November to February", NOW, COVERED)
    assert (years.since, years.until) == (datetime(2022, 11, 1, tzinfo=UTC), datetime(2023, 3, 1, tzinfo=UTC))


@pytest.mark.requirement("F-TIME-05")
@pytest.mark.parametrize(
    ("since", "until", "said"),
    [
        ("last week", "three weeks ago", "before it starts"),
        (NOW, NOW, "where it starts"),
        ("Redis", None, "since 'Redis' names no time; write a date"),
        (None, "since May", "until 'since May' has no such end"),
        ("before June", None, "since 'before June' has no such end"),
    ],
)
def test_ends_that_make_no_time_are_errors(
    since: datetime | str | None, until: datetime | str | None, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        time_window(since, until, "", NOW, COVERED)


@pytest.mark.requirement("F-TIME-05")
def test_an_old_conversation_s_last_week_is_its_own() -> None:
    late = NOW + timedelta(days=1000)
    for window in (
        time_window(None, None, "what did we say last week", late, COVERED),
        time_window("last week", None, "", late, COVERED),
    ):
        assert window.since == datetime(2023, 5, 1, tzinfo=UTC)
        assert window.counted_from == COVERED[1]
    ahead = time_window(None, None, "next week", late, COVERED)
    assert ahead.counted_from is None
    assert not ahead.began(late)


ANY = st.text(max_size=60) | st.sampled_from(
    ["last week", "what changed since May", "summarize 2023", "between May and March"]
)


@pytest.mark.requirement("F-TIME-03")
@given(ANY, st.datetimes(timezones=st.just(UTC)))
def test_any_question_has_a_window_and_a_mode(query: str, now: datetime) -> None:
    window = time_window(None, None, query, now, COVERED)
    assert window.since is None or window.until is None or window.since < window.until
    assert mode_of("auto", query, window) in MODES[1:]


@pytest.mark.requirement("F-TIME-06")
def test_a_time_is_told_by_days_weeks_months_or_years() -> None:
    def names(*days: int) -> list[str]:
        return by_period([date(2023, 1, 1) + timedelta(days=each) for each in days])

    assert names() == []
    assert names(0, 14) == ["2023-01-01", "2023-01-15"]
    assert names(0, 15) == ["2022-W52", "2023-W03"]
    assert names(0, 93) == ["2023-01", "2023-04"]
    assert names(0, 1000) == ["2023", "2025"]
    assert by_period([None, date(2023, 1, 1)]) == ["", "2023-01-01"]


@pytest.mark.requirement("F-TIME-06")
def test_groups_take_turns() -> None:
    assert in_turns([[1, 2, 3], [4], [], [5, 6]]) == [1, 4, 5, 2, 6, 3]
    assert in_turns([["", "a"], ["b"]]) == ["", "b", "a"]


FOREIGN = {
    "was haben wir letzte Woche gemacht?": None,
    "am 3. Februar": None,
    "de quoi avons-nous parlé lundi ?": None,
    "le 3 février 2023": None,
    "¿qué hicimos la semana pasada?": None,
    "el 3 de febrero": None,
    "o que aconteceu em janeiro?": None,
    "di cosa abbiamo parlato ieri?": None,
    "wat is er maandag gebeurd?": None,
    "что мы делали вчера?": None,
    "昨天我们做了什么？": None,
    "先週何について話しましたか？": None,
    "عن ماذا تحدثنا الأسبوع الماضي؟": None,
    "जनवरी में": None,
    "지난주에 무슨 일이 있었어?": None,
    "was haben wir gestern über Redis gesagt?": "redis",
    "qu'a-t-on décidé hier pour le serveur ?": "serveur",
    "¿qué decidimos ayer sobre la caché?": "caché",
    "昨天我们讨论的数据库": "数据库",
    "昨日のデータベースの話": "データベース",
    "어제 서버에 대해 뭐라고 했어?": "서버",
}


@pytest.mark.requirement("A-LINE-01")
@pytest.mark.parametrize(("query", "subject"), FOREIGN.items())
def test_words_of_asking_are_no_subject_in_other_languages(query: str, subject: str | None) -> None:
    window = time_window(None, None, query, NOW, COVERED)
    assert window.since is not None
    assert decided(query) == ("window_overview" if subject is None else "lookup")
    assert subject is None or subject in window.rest.lower()


@pytest.mark.requirement("A-LINE-02")
@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("5 to 12 January", 5, 12),
        ("between 5 and 12 January", 5, 12),
        ("what did we do from January 5 to 12?", 5, 12),
        ("from January 5 to 12, 2023", 5, 12),
        ("the 5th to the 12th of January", 5, 12),
        ("zwischen dem 5. und 12. Januar", 5, 12),
        ("vom 5. bis zum 12. Januar", 5, 12),
        ("du 5 au 12 janvier", 5, 12),
        ("entre el 5 y el 12 de enero", 5, 12),
        ("dal 5 al 12 gennaio", 5, 12),
        ("с 5 по 12 января", 5, 12),
        ("1月5日到12日", 5, 12),
        ("1月5日から12日まで", 5, 12),
        ("Anfang Januar", 1, 10),
        ("fin janvier", 21, 31),
        ("a finales de enero", 21, 31),
        ("on January 5 and 12 more were sold", 5, 5),
    ],
)
def test_a_range_of_days_names_its_month_once(query: str, first: int, last: int) -> None:
    window = time_window(None, None, query, NOW, None)
    expected = (datetime(2023, 1, first, tzinfo=UTC), datetime(2023, 1, last, tzinfo=UTC) + timedelta(days=1))
    assert (window.since, window.until) == expected
    assert window.about == ("more" in query)


@pytest.mark.requirement("F-TIME-15")
@pytest.mark.parametrize(
    ("query", "since"),
    [("dos semanas atrás", (4, 24)), ("hace dos meses", (3, 1)), ("dois dias atrás", (5, 8)), ("قبل أسبوع", (5, 1))],
)
def test_times_ago_are_read_in_their_other_forms(query: str, since: tuple[int, int]) -> None:
    assert time_window(None, None, query, NOW, None).since == datetime(2023, *since, tzinfo=UTC)
