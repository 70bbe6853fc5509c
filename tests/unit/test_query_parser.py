"""Expressions of the lattice algebra: how they are read, and what is said of those that cannot be."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import ExpressionError
from clew.rank.algebra import parse
from clew.rank.algebra.evaluate import needs_analysis
from clew.rank.algebra.parser import MAX_DEPTH, MAX_LEAVES
from clew.rank.algebra.syntax import (
    About,
    And,
    FieldEquals,
    FlagSet,
    LabelWeight,
    Node,
    Not,
    Or,
    Phrase,
    ProjectLink,
    ProjectMeet,
    ScoreComparison,
    TimeRange,
)
from clew.rank.algebra.tokens import MAX_CHARS

NOW = datetime(2024, 6, 15, 12, tzinfo=UTC)
O1, O2, O5 = (ScoreComparison(f"O{name}", ">", 7.0) for name in ("1_structural", "2_security", "5_operational"))
ROUTINE, SHIFT, PRESERVED = FlagSet("routine"), FlagSet("paradigm_shift"), FlagSet("preserved")


def day(number: int, month: int = 5, year: int = 2024) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


@pytest.mark.requirement("F-QUERY-01")
@pytest.mark.parametrize(
    ("expression", "tree"),
    [
        ("(O1 > 7) AND (O2 > 7)", And((O1, O2))),
        (
            "(O5 > 6) AND (O7 < 4)",
            And((ScoreComparison("O5_operational", ">", 6.0), ScoreComparison("O7_coherence", "<", 4.0))),
        ),
        (
            "(O4 > 8) AND (O6 > 5)",
            And((ScoreComparison("O4_mission", ">", 8.0), ScoreComparison("O6_mathematical", ">", 5.0))),
        ),
        ("O1 > 7 and O2 > 7 OR O5>7", Or((And((O1, O2)), O5))),
        ("O1 > 7 AND (O2 > 7 oR O5 > 7)", And((O1, Or((O2, O5))))),
        ("not routine and preserved", And((Not(ROUTINE), PRESERVED))),
        ("NOT (Routine AND Paradigm_Shift)", Not(And((ROUTINE, SHIFT)))),
        ("NOT NOT routine", Not(Not(ROUTINE))),
        ("routine OR preserved OR paradigm_shift", Or((ROUTINE, PRESERVED, SHIFT))),
        ("((routine))", ROUTINE),
        ("\n routine\t", ROUTINE),
    ],
)
def test_not_binds_closest_then_and_then_or(expression: str, tree: Node) -> None:
    assert parse(expression, NOW) == tree


@pytest.mark.requirement("F-QUERY-01")
@pytest.mark.parametrize(
    ("expression", "leaf"),
    [
        ("O7_strategic >= 3", ScoreComparison("O7_coherence", ">=", 3.0)),
        ("o2_SECURITY<=.5", ScoreComparison("O2_security", "<=", 0.5)),
        ("Importance = 7", ScoreComparison("importance", "=", 7.0)),
        ("novelty == 0.25", ScoreComparison("novelty", "=", 0.25)),
        ("layer1!=0", ScoreComparison("layer1", "!=", 0.0)),
        ("coherence < +1.", ScoreComparison("coherence", "<", 1.0)),
        ("O2", LabelWeight("overlay", "O2_security")),
        ("overlay:o7_strategic", LabelWeight("overlay", "O7_coherence")),
        ("tag:auth", LabelWeight("tag", "auth")),
        ("TAG:auth>=0.3", LabelWeight("tag", "auth", ">=", 0.3)),
        ('tag:"login page" < 1', LabelWeight("tag", "login page", "<", 1.0)),
        ("tag:标签/部分", LabelWeight("tag", "标签/部分")),
        ("domain:Physics", LabelWeight("domain", "physics")),
        ("nuance:sarcasm_model", LabelWeight("nuance", "sarcasm_model")),
        ("role = USER", FieldEquals("role", "=", "user")),
        ("role:tool", FieldEquals("role", "=", "tool")),
        ("speaker != 'Ann O\\'Neil'", FieldEquals("speaker", "!=", "Ann O'Neil")),
        ("speaker = O'Neil", FieldEquals("speaker", "=", "O'Neil")),
        ('session:"a AND b"', FieldEquals("session", "=", "a AND b")),
        ('session = "("', FieldEquals("session", "=", "(")),
        ('"an \\"exact\\" phrase"', Phrase('an "exact" phrase')),
        ("“curly quotes”", Phrase("curly quotes")),
        ("text:word", Phrase("word")),
    ],
)
def test_each_field_is_read(expression: str, leaf: Node) -> None:
    assert parse(expression, NOW) == leaf


@pytest.mark.requirement("F-QUERY-01")
@pytest.mark.parametrize(
    ("expression", "leaf"),
    [
        ("before 2024-05-02", TimeRange(until=day(2))),
        ("after 2024-05-02", TimeRange(since=day(3))),
        ("since 9999-12-31", TimeRange(since=datetime(9999, 12, 31, tzinfo=UTC))),
        ("before 0001-01-01", TimeRange(until=datetime(1, 1, 1, tzinfo=UTC))),
        ("SINCE 2 May 2024", TimeRange(since=day(2))),
        ("on May 2024", TimeRange(since=day(1), until=day(1, 6))),
        ("on 2023", TimeRange(since=day(1, 1, 2023), until=day(1, 1))),
        ("before last month", TimeRange(until=day(1))),
        ('on "yesterday"', TimeRange(since=day(14, 6), until=day(15, 6))),
        ("since two weeks ago", TimeRange(since=day(27))),
        ("before 2024-05-02T10:30+02:00", TimeRange(until=datetime(2024, 5, 2, 8, 30, tzinfo=UTC))),
        ('since "2024-05-02 10:30"', TimeRange(since=datetime(2024, 5, 2, 10, 30, tzinfo=UTC))),
    ],
)
def test_dates_are_read_against_the_clock(expression: str, leaf: Node) -> None:
    assert parse(expression, NOW) == leaf
    assert parse(f"({expression}) and routine", NOW) == And((leaf, ROUTINE))


@pytest.mark.requirement("F-QUERY-02")
@pytest.mark.parametrize(
    ("expression", "place", "found", "expected"),
    [
        ("O1 > 7)", 7, "')' without '('", "AND, OR or the end"),
        ("(O1 > 7", 8, "the end", "')' for the '(' at position 1"),
        ("O1 > 7 O2 > 7", 8, "'O2'", "AND, OR or the end"),
        ("routine = 3", 9, "'='", "AND, OR or the end"),
        ("O1 >", 5, "the end", "a number such as 7 or 0.3 after >"),
        ("O1 > high", 6, "'high'", "a number such as 7 or 0.3 after >"),
        ("O1 > nan", 6, "'nan'", "a number such as 7 or 0.3 after >"),
        ("O1 > 1e5", 6, "'1e5'", "a number such as 7 or 0.3 after >"),
        ("importance", 11, "the end", "a comparison such as >= 3 after importance"),
        ("routine AND", 12, "the end", "a condition such as"),
        ("AND routine", 1, "'AND'", "a condition such as"),
        ("NOT", 4, "the end", "a condition such as"),
        ("()", 2, "')'", "a condition such as"),
        ("redis", 1, "'redis'", 'write "redis" in quotes'),
        ("O8 > 1", 1, "'O8'", "a condition such as"),
        ("!routine", 1, "'!'", "NOT"),
        ('"unclosed', 1, "a quote that is never closed", "the same quote"),
        ('"?!"', 1, "the phrase '?!'", "at least one letter or digit"),
        ("text:??", 1, "'text:??'", "at least one letter or digit"),
        ("mood:sad", 1, "'mood:sad'", "one of tag:, domain:, overlay:, nuance:"),
        ("tag: auth", 6, "'auth'", "a name right after 'tag:'"),
        ('tag:" "', 5, "the phrase ' '", "a name right after 'tag:'"),
        ("domain:phyics", 1, "'domain:phyics'", "physics, mathematics"),
        ("nuance:sarcasm", 1, "'nuance:sarcasm'", "sarcasm_model"),
        ("overlay:O9", 1, "'overlay:O9'", "O1 to O7"),
        ("role > user", 6, "'>'", "= or != after role"),
        ("role = boss", 8, "'boss'", "user, assistant, system, tool"),
        ("speaker = )", 11, "')'", "the name of a speaker"),
        ("on 2024-13-45", 4, "'2024-13-45'", "a date such as"),
        ("before AND routine", 8, "'AND'", "a date such as"),
        ("since now or so", 7, "'now'", "a date such as"),
        ("after 9999-12-31T23:59:59.999999", 7, "'9999", "a date such as"),
    ],
)
def test_an_error_names_position_find_and_expectation(expression: str, place: int, found: str, expected: str) -> None:
    with pytest.raises(ExpressionError) as refused:
        parse(expression, NOW)
    message = str(refused.value)
    assert message.startswith(f"at position {place} of the expression: found {found}")
    assert expected in message


@pytest.mark.requirement("F-QUERY-12")
@pytest.mark.parametrize("expression", ["O1 ~ auth", "~ auth", "routine AND ~", 'importance ~ "x"', "routine ~ O2 >"])
def test_a_meet_is_with_an_overlay_or_element_of_the_project(expression: str) -> None:
    with pytest.raises(ExpressionError, match="at position"):
        parse(expression, NOW)


@pytest.mark.requirement("F-QUERY-12")
@pytest.mark.parametrize(
    ("expression", "tree"),
    [
        ("~O2", ProjectMeet("O2_security")),
        ("~ o2_security >= 6", ProjectMeet("O2_security", ">=", 6.0)),
        ("routine ~ file:src/a.py", And((ROUTINE, ProjectLink(About("file", "src/a.py"))))),
        ("NOT ~ symbol:Store.read", Not(ProjectLink(About("symbol", "Store.read")))),
        ('(O1 > 7) ~ "retry policy" ~ O2', And((O1, ProjectLink(Phrase("retry policy")), ProjectMeet("O2_security")))),
        ("routine OR preserved ~ O2 < 3", Or((ROUTINE, And((PRESERVED, ProjectMeet("O2_security", "<", 3.0)))))),
        ('file:"a b.py"', About("file", "a b.py")),
        ("FILE:a.py AND edited:b.py", And((About("file", "a.py"), About("edited", "b.py")))),
        ("commit:3F2A9C1", About("commit", "3F2A9C1")),
    ],
)
def test_the_meet_binds_closer_than_and(expression: str, tree: Node) -> None:
    assert parse(expression, NOW) == tree


@pytest.mark.requirement("F-QUERY-05")
@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("", "at position 1 of the expression: found nothing; expected a condition"),
        (" \n\t", "at position 1 of the expression: found nothing"),
        ("x" * 100_000, "at position 10001 of the expression: it goes on to 100,000 characters; at most 10,000"),
        (
            "(" * 5_000,
            f"at position {MAX_DEPTH + 1} of the expression: it is {MAX_DEPTH + 1} parentheses and NOTs deep",
        ),
        ("NOT " * 2_000, "parentheses and NOTs deep"),
        (
            " OR ".join(["routine"] * (MAX_LEAVES + 1)),
            f"position {MAX_LEAVES * 11 + 1} of the expression: condition number {MAX_LEAVES + 1}",
        ),
    ],
)
def test_length_depth_and_number_are_bounded(expression: str, message: str) -> None:
    with pytest.raises(ExpressionError) as refused:
        parse(expression, NOW)
    assert message in str(refused.value)


@pytest.mark.requirement("F-QUERY-05")
def test_what_is_just_within_the_bounds_is_read() -> None:
    deep = "(" * MAX_DEPTH + "routine" + ")" * MAX_DEPTH
    assert parse(deep, NOW) == ROUTINE
    assert parse(" OR ".join(["routine"] * MAX_LEAVES), NOW) == Or((ROUTINE,) * MAX_LEAVES)
    assert parse("routine" + " " * (MAX_CHARS - 7), NOW) == ROUTINE


_READ = "ScoreComparison LabelWeight FlagSet FieldEquals TimeRange Phrase About ProjectMeet ProjectLink Not And Or"
KINDS = tuple(f"{kind}(" for kind in _READ.split())
PARTS = st.sampled_from(
    [
        "(",
        ")",
        "AND",
        "or",
        "NOT",
        "O1",
        ">",
        "7",
        "tag:",
        "tag:x",
        '"a"',
        '"',
        "'",
        "~",
        "!",
        "!=",
        "before",
        "May",
        "“",
        "\\",
        ":",
        "\x00",
        "é",
        "💥",
    ]
)


@pytest.mark.requirement("F-QUERY-02")
@given(st.lists(PARTS, max_size=12).map(" ".join) | st.lists(PARTS, max_size=12).map("".join) | st.text(max_size=40))
def test_any_text_is_read_or_refused_with_a_reason(text: str) -> None:
    try:
        tree = parse(text, NOW)
    except ExpressionError as error:
        said = str(error)
    else:
        said = repr(tree)
    assert "position" in said or "empty" in said or said.startswith(KINDS)
    assert len(said) < 2_000


@pytest.mark.requirement("F-QUERY-14")
@pytest.mark.parametrize(
    ("expression", "needs"),
    [
        ('role = user AND "hooks"', False),
        ("NOT (speaker = Ann OR since 2024-05-01)", False),
        ("role = user AND O1 > 7", True),
        ("NOT routine", True),
        ('"hooks" OR tag:auth', True),
    ],
)
def test_it_is_known_which_expressions_need_the_analysis(expression: str, needs: bool) -> None:
    assert needs_analysis(parse(expression, NOW)) == needs


@pytest.mark.requirement("F-QUERY-01")
def test_the_last_month_of_the_calendar_has_an_end() -> None:
    covered = (date(2024, 5, 1), date.max)
    assert parse("before december", NOW, covered) == TimeRange(None, datetime(9999, 12, 1, tzinfo=UTC))
    assert parse("since december", NOW, covered) == TimeRange(datetime(9999, 12, 1, tzinfo=UTC), None)
    assert parse("after december", NOW, covered) == TimeRange(datetime.max.replace(tzinfo=UTC), None)
