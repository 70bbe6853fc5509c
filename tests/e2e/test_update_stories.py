"""The stories about facts that change, told turn by turn to a whole memory."""

import pytest

from benchmarks.update_stories import from_memory, read_stories, tell

pytestmark = pytest.mark.slow  # a memory for each story


@pytest.mark.requirement("K-RED-12")
def test_a_memory_answers_as_the_stories_end() -> None:
    told = [story for story in read_stories() if not story.is_by_hand()]
    wrong = {story.name: problems for story in told if (problems := tell(story, from_memory(story)).wrong)}
    assert wrong == {}
