"""What a model saw in a text, joined with what the rules find."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.analyze.entities import MOST_NAMES, entities_in, is_no_name
from clew.analyze.recognised import named_in
from clew.types.entity import NameSpan, NodeType


def spans(text: str, **names: NodeType) -> list[NameSpan]:
    """A span for each name, written with underscores for spaces, where it first stands."""
    plain = {name.replace("_", " "): kind for name, kind in names.items()}
    found = [NameSpan(text.index(name), text.index(name) + len(name), kind) for name, kind in plain.items()]
    return sorted(found, key=lambda span: span.start)


def names(text: str, seen: list[NameSpan]) -> dict[str, NodeType]:
    return {each.name: each.type for each in named_in(text, seen).mentions if each.type is not NodeType.CONCEPT}


@pytest.mark.requirement("F-NER-01")
def test_what_both_find_is_one_name_with_the_surer_type() -> None:
    text = "We met Zoltan and Alice in Oslo."
    assert names(text, []) == {"Zoltan": NodeType.NAME, "Alice": NodeType.PERSON, "Oslo": NodeType.PLACE}
    seen = spans(text, Zoltan=NodeType.PERSON, Alice=NodeType.ORGANIZATION, Oslo=NodeType.NAME)
    assert names(text, seen) == {"Zoltan": NodeType.PERSON, "Alice": NodeType.PERSON, "Oslo": NodeType.PLACE}
    assert len(named_in(text, seen).mentions) == len(entities_in(text).mentions)


@pytest.mark.requirement("F-NER-01")
def test_the_surer_type_holds_wherever_in_the_text_a_model_sees_the_name() -> None:
    text = "first alice called, then Alice came"
    seen = [NameSpan(6, 11, NodeType.ORGANIZATION), NameSpan(25, 30, NodeType.ORGANIZATION)]
    assert names(text, seen) == {"Alice": NodeType.PERSON}


@pytest.mark.requirement("F-NER-01")
def test_a_model_adds_what_rules_cannot_see() -> None:
    text = "i saw bob and the sailing boat at kings cross"
    assert names(text, []) == {}
    seen = spans(text, bob=NodeType.PERSON, kings_cross=NodeType.PLACE)
    assert names(text, seen) == {"bob": NodeType.PERSON, "kings cross": NodeType.PLACE}
    concepts = [each.name for each in named_in(text, seen).mentions if each.type is NodeType.CONCEPT]
    assert concepts
    assert not {"bob", "king", "cross"} & {word for name in concepts for word in name.split()}


@pytest.mark.requirement("F-NER-01")
def test_of_two_that_overlap_the_longer_one_stands() -> None:
    text = "They live at Redondo Beach now."
    assert names(text, [NameSpan(13, 20, NodeType.PERSON)]) == {"Redondo Beach": NodeType.PLACE}
    text = "We saw Captain America and the Winter soldier yesterday."
    assert names(text, spans(text, Winter_soldier=NodeType.WORK))["Winter soldier"] == NodeType.WORK
    assert "Winter" not in names(text, spans(text, Winter_soldier=NodeType.WORK))


@pytest.mark.requirement("F-NER-01")
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("the Alps", ["Alps"]),
        ("“The Hobbit”", ["Hobbit"]),
        ("my Kindle's", ["Kindle"]),
        ("Monday", []),
        ("him", []),
        ("Christmas", []),
        ("...", []),
        ("x", []),
        ("one\ntwo", []),
        ("a b c d e f g h i j k l", []),
        ("Z" * 100, []),
    ],
)
def test_a_span_goes_through_the_same_sieve_as_a_name(text: str, kept: list[str]) -> None:
    said = f"so {text} "
    found = named_in(said, [NameSpan(3, 3 + len(text), NodeType.WORK)])
    fresh = {each.name for each in found.mentions} - {each.name for each in entities_in(said).mentions}
    assert [each.name for each in found.mentions if each.type is not NodeType.CONCEPT and each.name in kept] == kept
    assert fresh <= set(kept)


@pytest.mark.requirement("F-NER-01")
def test_words_that_are_no_name_are_known() -> None:
    assert all(map(is_no_name, ("Monday", "him", "May June", "hahaha", "And the")))
    assert not any(map(is_no_name, ("US", "Ann", "WHO", "Oslo/Bergen")))


@pytest.mark.requirement("F-ENTITY-04", "F-NER-01")
@given(
    st.text("aB é.\n'Œ Monday Bob", max_size=60),
    st.lists(st.builds(NameSpan, st.integers(-3, 70), st.integers(-3, 70), st.sampled_from(NodeType)), max_size=8),
)
def test_any_spans_of_any_text_give_names_in_it(text: str, seen: list[NameSpan]) -> None:
    found = named_in(text, seen)
    keys = [each.key for each in found.mentions]
    assert len(keys) == len(set(keys))
    assert all(keys)
    assert len(keys) <= MOST_NAMES + 6 + 2
    assert all(each.name.split()[0] in text for each in found.mentions if each.start >= 0)
    assert named_in(text) == entities_in(text)
    assert (found.addressed, found.self_named) == (entities_in(text).addressed, entities_in(text).self_named)


@pytest.mark.requirement("F-NER-01")
def test_a_table_of_names_is_bounded_whoever_finds_them() -> None:
    text = " ".join(f"name{n:02}" for n in range(60))
    seen = [NameSpan(found * 7, found * 7 + 6, NodeType.PERSON) for found in range(60)]
    assert len(names(text, seen)) == MOST_NAMES
    assert next(iter(names(text, seen))) == "name00"
