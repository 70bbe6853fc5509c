"""Stories about facts that change: what holds now, what held then, what has become stale."""

import pytest

from benchmarks.update_stories import Story, from_statements, main, read_stories, tell

STORIES = read_stories()
KINDS = frozenset(
    """
    replaced added reversal ceased correction retraction negated conditional hypothetical asked quoted contradiction
    past-plan plan-moved fulfilled abandoned stale-by-event stale-by-place stale-by-job stale-by-reason
    stale-along-a-chain not-stale decision-reversed scopes stages aliases speakers
    """.split()
)


@pytest.mark.requirement("K-RED-05")
@pytest.mark.requirement("K-RED-06")
@pytest.mark.requirement("K-RED-07")
@pytest.mark.requirement("K-RED-08")
@pytest.mark.requirement("K-RED-09")
@pytest.mark.requirement("K-RED-10")
@pytest.mark.requirement("K-RED-11")
@pytest.mark.parametrize("story", [pytest.param(story, id=story.name.replace(" ", "-")) for story in STORIES])
def test_a_story_ends_as_expected(story: Story) -> None:
    assert tell(story, from_statements(story)).wrong == []


@pytest.mark.requirement("K-RED-05")
def test_there_are_stories_of_every_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert {story.kind.replace(" ", "-") for story in STORIES} >= KINDS
    assert len(STORIES) >= 40
    assert main([]) == 0
    assert f"{len(STORIES)} of {len(STORIES)} stories as expected" in capsys.readouterr().out
