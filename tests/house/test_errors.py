"""The error tree that is drawn is the one that is built."""

import inspect

import pytest

from clew import errors

INDENT = 4


def drawn(doc: str) -> set[tuple[str, str]]:
    """(class, parent) of each line of the drawing; the root's parent is empty."""
    pairs = set()
    above: list[str] = []
    for line in doc.splitlines():
        word = line.strip()
        if not word.isidentifier():
            continue
        depth = (len(line) - len(line.lstrip())) // INDENT
        above[depth:] = [word]
        pairs.add((word, above[depth - 1] if depth else ""))
    return pairs


def built() -> set[tuple[str, str]]:
    classes = [c for c in vars(errors).values() if inspect.isclass(c) and c.__module__ == errors.__name__]
    return {(c.__name__, c.__base__.__name__ if c is not errors.ClewError and c.__base__ else "") for c in classes}


@pytest.mark.requirement("F-HOUSE-04")
def test_the_drawing_is_the_tree() -> None:
    assert drawn(inspect.cleandoc(errors.__doc__ or "")) == built()


@pytest.mark.requirement("F-HOUSE-04")
def test_a_drawing_is_read_by_its_indentation() -> None:
    assert drawn("A\n    B\n        C\n    D\n\nNot part of it.") == {("A", ""), ("B", "A"), ("C", "B"), ("D", "A")}


@pytest.mark.requirement("F-HOUSE-04")
def test_every_error_says_what_happened() -> None:
    for class_name, _parent in built():
        error = getattr(errors, class_name)
        assert str(error()) == error.__doc__
        assert str(error("said")) == "said"
