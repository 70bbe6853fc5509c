"""Which results are cached by their text, and which are not."""

import pytest

from clew.analyze.keyphrases import KEPT_CHARS, keyphrases, tag_key
from clew.analyze.tags import beat_labels, known_tags
from clew.text.text_cache import cached_by_text


@pytest.mark.requirement("F-MEMORY-12")
def test_short_texts_are_read_once_and_long_ones_each_time() -> None:
    read: list[str] = []

    @cached_by_text(2, 5)
    def size(text: str, by: int = 1) -> int:
        """Counts."""
        read.append(text)
        return len(text) * by

    assert [size("short"), size("short"), size("short", 3)] == [5, 5, 15]
    assert [size("longer"), size("longer")] == [6, 6]
    assert read == ["short", "short", "longer", "longer"]
    assert [size("a"), size("b"), size("short")] == [1, 1, 5]
    assert read[4:] == ["a", "b", "short"]  # only the last two are kept
    assert size.__doc__ == "Counts."


@pytest.mark.requirement("F-MEMORY-12")
def test_long_texts_and_words_say_what_short_ones_do() -> None:
    long = "the compost heap " * (1 + KEPT_CHARS // 17)
    assert len(long) > KEPT_CHARS
    assert beat_labels([long, long]) == {"compost-heap": 1.0}
    assert set(known_tags(long, {"compost"}.__contains__)) == {"compost"}
    assert [each.name for each in keyphrases(long, 3)] == ["compost-heap"]
    assert tag_key("q" * 5000 + "s") == "q" * 5000
