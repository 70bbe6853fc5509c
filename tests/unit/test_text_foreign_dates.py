"""Dates in questions of other languages than English, on a Wednesday; the sentences were made for these tests."""

from datetime import UTC, datetime

import pytest

from clew.memory import Memory
from clew.testing import FrozenClock
from clew.text.date_languages import grammar_of
from clew.text.dates import resolve
from clew.text.foreign_dates import foreign_mentions, languages_of
from clew.text.periods import parse_period
from clew.text.query_dates import parse_query_dates
from clew.types import Turn
from tests.support.effort import examples

NOW = datetime(2023, 5, 10, 12, tzinfo=UTC)

DAY, BEFORE, WEEK, MONTH = "05-09 05-10", "05-08 05-09", "05-01 05-08", "04-01 05-01"
YEAR, MONDAY, MARCH = "2022-01-01 01-01", "05-08 05-09", "03-01 04-01"

PERIODS = {
    "de": {
        "gestern": DAY,
        "vorgestern": BEFORE,
        "letzte Woche": WEEK,
        "letzten Monat": MONTH,
        "letztes Jahr": YEAR,
        "Montag": MONDAY,
        "im März": MARCH,
        "März 2022": "2022-03-01 2022-04-01",
        "3. März": "03-03 03-04",
        "vor 3 Tagen": "05-07 05-08",
        "vor drei Wochen": "04-17 04-24",
        "in den letzten zwei Wochen": "04-26 05-11",
        "seit letzter Woche": "05-01 ",
        "vor April": " 04-01",
        "bis gestern": " 05-10",
        "zwischen März und Mai": "03-01 06-01",
        "von Montag bis Mittwoch": "05-08 05-11",
    },
    "fr": {
        "hier": DAY,
        "avant-hier": BEFORE,
        "la semaine dernière": WEEK,
        "le mois dernier": MONTH,
        "l’année dernière": YEAR,
        "lundi": MONDAY,
        "en mars": MARCH,
        "3 mars 2023": "03-03 03-04",
        "il y a deux semaines": "04-24 05-01",
        "les 3 derniers jours": "05-07 05-11",
        "depuis le 3 mars": "03-03 ",
        "avant avril": " 04-01",
        "entre mars et mai": "03-01 06-01",
    },
    "es": {
        "ayer": DAY,
        "anteayer": BEFORE,
        "la semana pasada": WEEK,
        "el mes pasado": MONTH,
        "el año pasado": YEAR,
        "lunes": MONDAY,
        "en marzo": MARCH,
        "el 3 de marzo de 2023": "03-03 03-04",
        "hace tres días": "05-07 05-08",
        "los últimos 3 días": "05-07 05-11",
        "desde ayer": "05-09 ",
        "antes de abril": " 04-01",
        "entre marzo y mayo": "03-01 06-01",
    },
    "it": {
        "ieri": DAY,
        "l'altro ieri": BEFORE,
        "la settimana scorsa": WEEK,
        "il mese scorso": MONTH,
        "l'anno scorso": YEAR,
        "lunedì": MONDAY,
        "a marzo": MARCH,
        "tre giorni fa": "05-07 05-08",
        "da ieri": "05-09 ",
        "tra marzo e maggio": "03-01 06-01",
    },
    "pt": {
        "ontem": DAY,
        "anteontem": BEFORE,
        "a semana passada": WEEK,
        "mês passado": MONTH,
        "o ano passado": YEAR,
        "segunda-feira": MONDAY,
        "em março": MARCH,
        "3 de março de 2023": "03-03 03-04",
        "há três dias": "05-07 05-08",
        "desde ontem": "05-09 ",
    },
    "nl": {
        "gisteren": DAY,
        "eergisteren": BEFORE,
        "vorige week": WEEK,
        "vorige maand": MONTH,
        "vorig jaar": YEAR,
        "maandag": MONDAY,
        "in maart": MARCH,
        "drie dagen geleden": "05-07 05-08",
        "sinds gisteren": "05-09 ",
    },
    "ru": {
        "вчера": DAY,
        "позавчера": BEFORE,
        "на прошлой неделе": WEEK,
        "в прошлом месяце": MONTH,
        "в прошлом году": YEAR,
        "понедельник": MONDAY,
        "в марте": MARCH,
        "3 марта 2023": "03-03 03-04",
        "три дня назад": "05-07 05-08",
        "с понедельника": "05-08 ",
    },
    "zh": {
        "昨天": DAY,
        "前天": BEFORE,
        "上周": WEEK,
        "上週": WEEK,
        "上个月": MONTH,
        "去年": YEAR,
        "上周一": "05-01 05-02",
        "三月": MARCH,
        "3月5日": "03-05 03-06",
        "2022年3月": "2022-03-01 2022-04-01",
        "三天前": "05-07 05-08",
        "最近三天": "05-07 05-11",
        "自从上周": "05-01 ",
        "4月之前": " 04-01",
        "从3月到5月": "03-01 06-01",
    },
    "ja": {
        "昨日": DAY,
        "一昨日": BEFORE,
        "おととい": BEFORE,
        "先週": WEEK,
        "先月": MONTH,
        "昨年": YEAR,
        "月曜日": MONDAY,
        "先週の月曜日": "05-01 05-02",
        "3月5日": "03-05 03-06",
        "3日前": "05-07 05-08",
        "先週から": "05-01 ",
        "昨日まで": " 05-10",
    },
    "ko": {
        "어제": DAY,
        "그저께": BEFORE,
        "지난주": WEEK,
        "지난달": MONTH,
        "작년": YEAR,
        "월요일": MONDAY,
        "3월 5일": "03-05 03-06",
        "3일 전": "05-07 05-08",
        "지난주부터": "05-01 ",
    },
    "ar": {
        "أمس": DAY,
        "امس": DAY,
        "أول أمس": BEFORE,
        "الأسبوع الماضي": WEEK,
        "الشهر الماضي": MONTH,
        "العام الماضي": YEAR,
        "الاثنين": MONDAY,
        "في مارس": MARCH,
        "5 مارس 2023": "03-05 03-06",
        "قبل يومين": "05-08 05-09",
        "قبل ثلاثة أيام": "05-07 05-08",
        "منذ أمس": "05-09 ",
    },
    "hi": {
        "कल": DAY,
        "परसों": BEFORE,
        "पिछले हफ्ते": WEEK,
        "पिछले महीने": MONTH,
        "पिछले साल": YEAR,
        "सोमवार": MONDAY,
        "मार्च में": MARCH,
        "5 मार्च 2023": "03-05 03-06",
        "तीन दिन पहले": "05-07 05-08",
        "कल से": "05-09 ",
    },
}

QUESTIONS = {
    "was haben wir gestern besprochen?": "gestern",
    "Worüber wurde im März gesprochen?": "März",
    "was war in den letzten drei Wochen los": "in den letzten drei Wochen",
    "Was hast du im Sommer 2022 gemacht?": "Sommer 2022",
    "Qu'est-ce qu'on a dit hier ?": "hier",
    "hier on a parlé de quoi": "hier",
    "que s'est-il passé la semaine dernière": "la semaine dernière",
    "qué decidimos ayer?": "ayer",
    "de qué hablamos la semana pasada": "la semana pasada",
    "che cosa abbiamo deciso ieri?": "ieri",
    "o que decidimos na semana passada?": "semana passada",
    "wat hebben we gisteren besloten?": "gisteren",
    "что мы решили вчера?": "вчера",
    "我们昨天讨论了什么？": "昨天",
    "上周我们决定了什么": "上周",
    "昨日何を決めましたか": "昨日",
    "先週の会議で何を決めた？": "先週",
    "어제 우리가 뭐라고 했지": "어제",
    "ماذا قررنا أمس؟": "أمس",
    "कल हमने क्या तय किया?": "कल",
}

NO_DATES = [
    "was ist hier der Fehler?",  # German "hier" is here
    "Wo ist hier das Problem, und was haben wir hier beschlossen?",
    "Guten Morgen, was ist los?",
    "Was hat der Mai GmbH gefehlt?",
    "August Müller hat was gesagt?",
    "Was ist die Marke Mars wert?",
    "on a vu mars depuis la terre",
    "le mardi gras c'est quand",
    "la mañana fue larga",
    "qué cantó Plácido Domingo en Madrid",
    "What does gestern mean?",
    "he said hola hier and there",
    "how do I write ayer in Spanish",
    "the Domani watch and the Ieri band",
    "马上周末了怎么办",
    "基本周期是多少",
    "以下周期怎么算",
    "如今年轻人怎么样",
    "明日香さんは何と言った",
    "언어제 모델",
    "कला के बारे में क्या कहा?",
    "कलम कहाँ है",
    "Redis cluster",
    "",
]


def said(expression: str) -> str:
    """Both ends of a period, without the year where it is 2023."""
    period = parse_period(expression, NOW)
    assert period is not None
    ends = ("" if end is None else str(end.date()).removeprefix("2023-") for end in (period.start, period.end))
    return " ".join(ends)


@pytest.mark.requirement("F-TIME-15")
@pytest.mark.parametrize(("expression", "expected"), [each for table in PERIODS.values() for each in table.items()])
def test_expressions_of_other_languages_are_periods(expression: str, expected: str) -> None:
    assert said(expression) == expected


@pytest.mark.requirement("F-TIME-15")
@pytest.mark.parametrize(("question", "phrase"), QUESTIONS.items())
def test_a_question_names_its_date_in_its_own_language(question: str, phrase: str) -> None:
    found = parse_query_dates(question, NOW)
    assert [question[slice(*one.phrase_span)] for one in found] == [phrase]


@pytest.mark.requirement("F-TIME-15")
@pytest.mark.parametrize("question", NO_DATES)
def test_words_that_look_like_times_are_none(question: str) -> None:
    assert parse_query_dates(question, NOW) == []


@pytest.mark.requirement("F-TIME-15")
def test_the_same_word_is_read_by_the_language_of_its_sentence() -> None:
    assert languages_of("hier ist das Problem") == ()
    assert languages_of("nous avons parlé hier") == ("fr",)
    assert languages_of("When did we talk about the hier command?") == ()
    today, tomorrow = "कल हमने क्या किया?", "कल हम क्या करेंगे?"
    days = [parse_query_dates(text, NOW)[0].start for text in (today, tomorrow)]
    assert [str(day) for day in days] == ["2023-05-09", "2023-05-11"]


@pytest.mark.requirement("F-TIME-15")
@pytest.mark.parametrize("language", PERIODS)
def test_every_month_and_weekday_of_a_language_is_known(language: str) -> None:
    grammar = grammar_of(language)
    assert set(grammar.months.values()) == set(range(1, 13))
    assert set(grammar.weekdays.values()) == set(range(7))


@pytest.mark.requirement("F-TIME-15")
@pytest.mark.parametrize("text", ["İ gestern", "\u0130" * 50, "ا" * 500, "の" * 500, "कल" * 200, "vor " * 200])
def test_odd_texts_are_read_without_an_error(text: str) -> None:
    assert isinstance(foreign_mentions(text), list)


TOLD = {
    "Wir haben gestern den Ofen repariert.": "2023-05-09",
    "Am 3. März war der Töpfer bei uns.": "2023-03-03",
    "La semaine dernière, nous avons réparé le four.": "2023-05-01",
    "Hier j’ai vu le potier.": "2023-05-09",
    "El 5 de marzo compramos la bomba.": "2023-03-05",
    "La settimana scorsa abbiamo riparato il forno.": "2023-05-01",
    "Ontem fomos ao mercado.": "2023-05-09",
    "Vorige week hebben we de oven gerepareerd.": "2023-05-01",
    "В марте мы купили насос.": "2023-03-01",
    "昨天我们修好了窑。": "2023-05-09",
    "先週ポンプを買いました。": "2023-05-01",
    "지난주에 펌프를 샀어요.": "2023-05-01",
    "أمس أصلحنا الفرن.": "2023-05-09",
    "पिछले महीने पंप खरीदा।": "2023-04-01",
    "gestern": "2023-05-09",
    "Das war gestern, und nicht am 24.01.2023.": "2023-05-09 2023-01-24",
    "Hier ist der Ofen kalt.": "",
    "let set = mar.sept(dim)": "",
    "SELECT nov, dec FROM set WHERE jan = 3 out": "",
    "Das war am 1. April 2100 in der Stadt.": "2100-04-01",
    "Das war am 14. Juli 1789 in der Stadt.": "",
    "1789年7月14日": "",
    "error in del of mar 3 en_US de_DE fr_FR": "",
    "The end of the week was fine, and prima donna Marta sang in the set.": "",
}


@pytest.mark.requirement("F-AGENT-84")
@pytest.mark.parametrize("text", TOLD)
def test_turns_are_searched_for_dates_in_the_language_that_they_show(text: str) -> None:
    assert " ".join(str(found.start) for found in resolve(text, NOW)) == TOLD[text]


@pytest.mark.thorough
@pytest.mark.timeout(120)
@pytest.mark.requirement("F-AGENT-84")
@pytest.mark.parametrize(
    "sentence",
    [
        "im Mai war es kalt und der Regen kam. ",
        "Це був травень і ми їхали до моря. ",
        "این کتاب را در خانه گذاشتم. ",
        "कल वह घर था। ",
    ],
)
def test_long_texts_of_one_line_are_searched_in_linear_time(sentence: str) -> None:
    text = sentence * (
        examples(200_000, 2_000_000) // len(sentence)
    )  # in the square of its length it would take longer than a test may
    assert [found.phrase_span for found in resolve(text, NOW)[:1]] == [
        found.phrase_span for found in resolve(sentence, NOW)
    ]


@pytest.mark.thorough
@pytest.mark.timeout(120)
@pytest.mark.requirement("F-AGENT-84")
@pytest.mark.parametrize("dates", ["du 3 au 5 mars ", "昨日と"])
def test_a_long_question_of_many_dates_is_read_in_linear_time(dates: str) -> None:
    assert parse_query_dates(dates * (examples(50_000, 400_000) // len(dates)), NOW)


@pytest.mark.requirement("F-AGENT-84")
@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("Vorgestern hat Odo den Ofen repariert.", "What was done on 8 May 2023?"),
        ("上周我们买了泵。", "What happened in the week of 1 May 2023?"),
        ("Le 3 mars, le potier est venu chez nous.", "Was geschah am 3. März 2023?"),
    ],
)
def test_a_turn_is_found_by_the_day_that_it_names_in_its_own_language(told: str, asked: str) -> None:
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOW)) as memory:
        memory.add_many(
            Turn(role="user", content=text, at=NOW, session=f"s{number}")
            for number, text in enumerate(("Nothing at all.", "Tea again.", told, "More tea."))
        )
        best = memory.search(asked)[0]
        assert best.turn.text == told
        assert best.signals["time"] > 0
