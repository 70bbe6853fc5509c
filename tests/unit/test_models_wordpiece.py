"""Token ids, compared with those of the reference tokenizer (Hugging Face tokenizers 0.23 on the model's own files)."""

import pytest

from clew.models.wordpiece import END, START, WordPiece

# Made once with the reference, [CLS] and [SEP] left off.
REFERENCE: list[tuple[str, str]] = [
    ("Hello, world!", "7592 1010 2088 999"),
    (
        "The quick brown fox doesn't jump over the lazy dog's back.",
        "1996 4248 2829 4419 2987 1005 1056 5376 2058 1996 13971 3899 1005 1055 2067 1012",
    ),
    ("unaffable embeddings tokenization", "14477 20961 3468 7861 8270 4667 2015 19204 3989"),
    (
        "naïve café Ångström ÅÄÖ straße İstanbul ΣΊΣΥΦΟΣ",
        "15743 7668 17076 15687 9779 2080 2358 27807 9960 1173 18199 29733 29735 29736 29730 29733",
    ),
    (
        "喝茶 and 東京タワー, 서울에서",
        "100 100 1998 1879 1755 1709 30262 30265 1010 1461 30008 29999 30014 30022 29999 30009 29997 30008",
    ),
    (
        "I \u2764\ufe0f ramen \U0001f35c\U0001f469\u200d\U0001f469\u200d\U0001f467 so much!!",
        "1045 100 8223 2368 100 2061 2172 999 999",
    ),
    ("a\tb\nc\rd\x00e\x07f\u200bg\xa0h\u2028i\ufffdj\x0bk\x85l", "1037 1038 1039 13366 2290 1044 1045 15992 2140"),
    (
        "def f(x_y): return x_y**2 # 3.14e-10 <tag/> {a:[1]} C:\\dir",
        (
            "13366 1042 1006 1060 1035 1061 1007 1024 2709 1060 1035 1061 1008 1008 1016 1001 1017 1012 2403 2063 1011 "
            "2184 1026 6415 1013 1028 1063 1037 1024 1031 1015 1033 1065 1039 1024 1032 16101"
        ),
    ),
    ("x" * 100 + " " + "y" * 101 + " z", "22038" + 49 * " 20348" + " 100 1062"),
    (
        "don\u2019t \u201cquote\u201d \u2014 dash\u2026 \u203d §5 €20 ½ ™",
        "2123 1521 1056 1523 14686 1524 1517 11454 1529 100 1073 1019 1574 11387 1092 1580",
    ),
    (
        "Привет мир, שלום, مرحبا, नमस्ते",
        (
            "1194 16856 10325 25529 15290 22919 1191 10325 16856 1010 1266 29799 29792 29800 1010 1295 17149 29820 "
            "29816 25573 1010 1327 29867 29874 29859"
        ),
    ),
    (
        "http://example.org/a?b=c&d=%20#frag user@example.org",
        (
            "8299 1024 1013 1013 2742 1012 8917 1013 1037 1029 1038 1027 1039 1004 1040 1027 1003 2322 1001 25312 2290 "
            "5310 1030 2742 1012 8917"
        ),
    ),
    ("e\u0301 \u0301 \ufb01ne \ufb00 Ⅷ ２０", "1041 1984 2638 100 100 100"),
    ("\U000e0001\U0001f1eb\U0001f1f7 \u02bcn ǅ ẞ", "100 1146 2078 100 1096"),
    (
        "####  ---- ==== ____ ``` $$$ ^^^ ~~~ |||",
        (
            "1001 1001 1001 1001 1011 1011 1011 1011 1027 1027 1027 1027 1035 1035 1035 1035 1036 1036 1036 1002 1002 "
            "1002 1034 1034 1034 1066 1066 1066 1064 1064 1064"
        ),
    ),
]


@pytest.fixture(scope="module")
def tokenizer() -> WordPiece:
    return WordPiece()


@pytest.mark.requirement("F-MODELS-07")
@pytest.mark.parametrize(("text", "ids"), REFERENCE)
def test_ids_are_those_of_the_reference(tokenizer: WordPiece, text: str, ids: str) -> None:
    assert tokenizer.encode(text, 512) == [START, *map(int, ids.split()), END]


@pytest.mark.requirement("F-MODELS-07")
def test_a_control_token_in_a_text_is_text(tokenizer: WordPiece) -> None:
    ids = tokenizer.encode("[SEP] [CLS]", 512)
    assert ids.count(START) == ids.count(END) == 1


@pytest.mark.requirement("F-MODELS-01", "F-MODELS-07")
def test_an_overlong_text_keeps_its_beginning_and_its_end(tokenizer: WordPiece) -> None:
    text = " ".join("abcdefghijklmnopqrstuvwxyz"[n % 26] for n in range(100))
    whole, cut = tokenizer.encode(text, 512), tokenizer.encode(text, 32)
    assert cut == [START, *whole[1:21], *whole[-11:-1], END]
    assert tokenizer.encode(text, 102) == whole


@pytest.mark.requirement("F-MODELS-03")
@pytest.mark.parametrize("text", ["", " ", "\x00\x07", "\ud800\udfff", "\u200b", "\u0301"])
def test_text_without_words_has_no_tokens(tokenizer: WordPiece, text: str) -> None:
    assert tokenizer.encode(text, 512) == [START, END]
