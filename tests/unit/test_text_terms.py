"""What becomes of a text as search terms: one table for each kind of word."""

import pytest

from clew.text.scripts import Script, fold_accents, main_script, runs
from clew.text.stopwords import REQUEST_WORDS, STOPWORDS
from clew.text.terms import MAX_TERM, joined_terms, query_terms, quote_terms, terms


@pytest.mark.requirement("F-TEXT-01")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("running", "Runs"),
        ("naïve", "NAIVE"),
        ("Łódź", "lodz"),
        ("Straße", "STRASSE"),
        ("ﬁnd", "find"),
        ("ｆｕｌｌ", "full"),
        ("книгами", "Книга"),
        ("ёлка", "елка"),
        ("στίχος", "ΣΤΙΧΟΣ"),
        ("الكتاب", "كتاب"),
        ("مُحَمَّد", "محمد"),
        ("किताबें", "किताब"),
        ("שָׁלוֹם", "שלום"),
        ("٣", "3"),
        ("👍🏽", "👍"),
        ("❤️", "❤"),
        ("Caroline's", "caroline"),
        ("Caroline’s", "caroline"),
        ("l'amour", "amour"),
        ("O'Brien", "OBrien"),
        ("IDs", "id"),
        ("U.S.A.", "USA"),
        ("e-mail", "email"),
        ("v2.1.0", "2.1.0"),
        ("$1,500", "1500"),
        ("May 5th", "May 5"),
    ],
)
def test_two_spellings_share_a_term(one: str, other: str) -> None:
    assert set(terms(one)) & set(terms(other))


@pytest.mark.requirement("F-TEXT-01")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3.5", "35"),
        ("2.1.0", "210"),
        ("か", "が"),
        ("йод", "иод"),
        ("3-5", "35"),
        ("c++", "c"),
        ("C#", "c"),
        ("10:30", "10"),
    ],
)
def test_different_words_share_none(one: str, other: str) -> None:
    assert not set(terms(one)) & set(terms(other))


@pytest.mark.requirement("F-TEXT-02")
@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("我昨天喝茶了", "茶"),
        ("我昨天喝茶了", "喝茶"),
        ("我喜欢Python编程", "python"),
        ("我喜欢Python编程", "编程"),
        ("東京でパンを食べた", "パン"),
        ("東京でパンを食べた", "ﾊﾟﾝ"),
        ("2023年5月", "年"),
        ("서울에서 만났다", "서울"),
        ("집에 갔다", "집에"),
        ("ฉันชอบกินข้าว", "ข้าว"),
        ("ខ្ញុំស្រលាញ់", "ស្រលាញ់"),
        ("good 😂😂 one", "😂"),
        ("the 👩‍💻 said", "💻"),
        ("vive la 🇫🇷!", "🇫🇷"),
    ],
)
def test_short_queries_find_in_any_script(text: str, query: str) -> None:
    asked = query_terms(query)
    assert asked
    assert set(asked) <= set(terms(text))


@pytest.mark.requirement("F-TEXT-02")
@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("\x1b[31mred\x1b[0m apples", "red apples"),
        ("\x1b[1mre\x1b[0md \x1b]0;title\x07apples", "red apples"),
        ("10 apples\x1b[2K\x1b[1Gred", "10 apples\nred"),
        ("\x9b31mгрушa\x9b0m", "грушa"),
    ],
)
def test_colours_of_a_terminal_are_no_words(text: str, plain: str) -> None:
    assert terms(text) == terms(plain)
    assert quote_terms(text) == quote_terms(plain)


@pytest.mark.requirement("F-TEXT-02")
def test_han_gives_each_character_and_each_pair_in_order() -> None:
    assert terms("喝茶 好") == ["喝", "喝茶", "茶", "好"]


@pytest.mark.requirement("F-TEXT-02")
def test_hangul_gives_the_word_and_its_pairs() -> None:
    assert terms("서울에서 서울 네") == ["서울에서", "서울", "울에", "에서", "서울", "네"]


@pytest.mark.requirement("F-TEXT-02")
def test_flags_are_whole_and_repeated_emoji_are_counted() -> None:
    assert terms("🇫🇷🇩🇪 😂😂") == ["🇫🇷", "🇩🇪", "😂", "😂"]


@pytest.mark.requirement("F-TEXT-03")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("camelCase", ["camel", "case", "camelcas"]),
        ("snake_case", ["snake", "case", "snakecas"]),
        ("kebab-case", ["kebab", "case", "kebabcas"]),
        ("getHTTPResponse", ["get", "http", "respons", "gethttprespons"]),
        ("__init__.py", ["init", "py", "__init__.py"]),
        ("_-KK _", ["kk"]),
        ("to_dict()", ["dict", "todict"]),
        ("python3", ["python", "python3"]),
        ("src/text/terms.py", ["src", "text", "term", "py", "terms.py", "src/text/terms.py"]),
        ("../shared/data", ["share", "data", "shared/data"]),
        (r"C:\Users\Bob", ["c", "user", "bob", "c:/users/bob"]),
        ("https://www.example.com/a1", ["exampl", "com", "example.com", "a1", "example.com/a1"]),
        ("bob@example.org", ["bob", "exampl", "org", "example.org", "bob@example.org"]),
        ("localhost:8080", ["localhost", "8080", "localhost:8080"]),
        ("and/or", []),
        ("5km", ["5", "km", "5km"]),
        ("1990s", ["1990", "1990s"]),
        ("15 3.5 2.1.0 1,500 10:30 5th", ["15", "3.5", "2.1.0", "1500", "10:30", "5"]),
        ("2023-05-07T10:30:00", ["2023", "05", "07", "2023-05-07", "10:30:00", "2023-05-07t10:30:00"]),
        ("C++ and C# and i++", ["c++", "c#"]),
        ("p.m. U.S.", ["pm", "u.s"]),
        ("8d3f2a9c1b", ["8d3f2a9c1b"]),
    ],
)
def test_identifiers_paths_and_numbers(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.requirement("F-TEXT-03")
def test_styles_of_one_name_find_each_other() -> None:
    wholes = [
        terms(name)[-1] for name in ("sessionStore", "SessionStore", "session_store", "SESSION_STORE", "session-store")
    ]
    assert set(wholes) == {terms("sessionstore")[0]}


@pytest.mark.requirement("F-TEXT-04")
@pytest.mark.parametrize(
    "text", ["to be or not to be", "What did you do when?", "don't we'll I'm she’s", "", " \n", "?!"]
)
def test_stop_words_give_nothing(text: str) -> None:
    assert terms(text) == []
    assert query_terms(text) == []


@pytest.mark.requirement("F-TEXT-04")
def test_the_words_of_asking_are_left_out_of_questions_only() -> None:
    question = "Can you please remind me of the trips that I mentioned, and describe the trips?"
    assert query_terms(question) == terms("trip")
    assert terms("please remind")[0] in terms(question)
    assert query_terms("please remind") == terms("please remind")
    assert query_terms("explain the explain command") == terms("explain command"), "after an article it is a name"
    assert query_terms("what did the two show flags do? show me") == terms("two show flags")


@pytest.mark.requirement("F-TEXT-04")
def test_lists_of_words_are_in_the_form_that_is_compared() -> None:
    assert all(word == word.casefold() and word.isalpha() for word in STOPWORDS | REQUEST_WORDS)
    assert STOPWORDS.isdisjoint(REQUEST_WORDS)
    assert STOPWORDS.isdisjoint({"may", "will", "id"}), "a month, a name, a name in code"


@pytest.mark.requirement("F-TEXT-05")
@pytest.mark.parametrize("blob", ["A" * 201, "Zm9vYmFy+/" * 300, "0a1b" * 60 + "==", "x" * 65, "я" * 70, "7" * 70])
def test_what_is_too_long_gives_one_short_term(blob: str) -> None:
    found = terms(f"before {blob} after")
    assert len(found) == 2 - ("before" in STOPWORDS) - ("after" in STOPWORDS) + 1
    assert all(len(term) <= MAX_TERM for term in found)
    assert terms(blob) != terms(blob[1:] + "B")


@pytest.mark.requirement("F-TEXT-05")
@pytest.mark.parametrize(
    "unit", ["a", "a.", "1,", "'", "a-b_c.d/", "你", "가", "😀", "\u0301", "\ud800", "\x00", "x://", "aB"]
)
def test_long_texts_of_one_kind_are_read(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    assert all(0 < len(term) <= MAX_TERM for term in terms(text))


@pytest.mark.requirement("F-TEXT-12")
@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("src/clew/text", ["src", "clew", "text"]),
        ("it's at 10:30 with Ann", ["ann"]),
        ("서울에", ["서울", "울에"]),
        ("to be", []),
    ],
)
def test_terms_that_hold_whatever_stands_around(phrase: str, expected: list[str]) -> None:
    assert quote_terms(phrase) == expected


@pytest.mark.requirement("F-TEXT-18")
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("hat 123", ["hat123"]),
        ("Which seats does HAT  123 have?", ["hat123"]),
        ("HAT123", []),
        ("hat 123 or HAT123", []),
        ("hat 12.3", []),
        ("hat, 123", []),
        ("1 23", []),
        ("set retry count", ["setretrycount"]),
        ("broken set retry count", ["setretrycount"]),
        ("a b c d e f set retry count", []),
        ("retry count", []),
    ],
)
def test_a_name_is_asked_for_by_its_parts(question: str, expected: list[str]) -> None:
    known = {"hat123", "setretrycount", "setretri", "123"}
    assert joined_terms(question, known.__contains__, is_search=True) == expected


@pytest.mark.requirement("F-TEXT-18")
def test_in_a_sentence_only_a_number_is_joined() -> None:
    known = {"hat123", "setretrycount"}
    assert joined_terms("do we set retry count for hat 123?", known.__contains__) == ["hat123"]


@pytest.mark.requirement("F-TEXT-01")
def test_scripts_are_told_apart() -> None:
    assert main_script("3 дома") is Script.CYRILLIC
    assert main_script("42") is Script.OTHER
    assert runs("我用Python和파이썬") == [
        (Script.HAN, "我用"),
        (Script.OTHER, "Python"),
        (Script.HAN, "和"),
        (Script.HANGUL, "파이썬"),
    ]
    assert fold_accents("Ёлка Йога Ünï が Ắ") == "Елка Йога Uni が A"
