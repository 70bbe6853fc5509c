"""What a text is about, in a few of its own words."""

import pytest

from clew.analyze.keyphrases import keyphrases, tag_key


def names(text: str, limit: int = 5) -> list[str]:
    return [phrase.name for phrase in keyphrases(text, limit)]


@pytest.mark.requirement("W-TAG-01")
@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Let's refactor the authentication service to use OAuth2.", {"authentication-service", "oauth2"}),
        ("I am planning a trip to Rome with my sister Emily.", {"rome", "sister-emily", "trip"}),
        ("We flew from Los Angeles to New York.", {"los-angeles", "new-york"}),
        ("The session cache lives in src/session/store.py now.", {"session-cache", "src/session/store.py"}),
    ],
)
def test_phrases_name_what_is_spoken_of(text: str, about: set[str]) -> None:
    assert about <= set(names(text))


@pytest.mark.requirement("W-TAG-01")
def test_what_is_said_again_and_names_come_first() -> None:
    text = "The cache is cold. Warm the cache first; a cold cache is slow. Redis has the numbers."
    assert names(text)[0] == "cache" or names(text)[0] == "cold-cache"
    found = keyphrases(text)
    assert [phrase.weight for phrase in found] == sorted((phrase.weight for phrase in found), reverse=True)
    assert found[0].weight == 1.0
    assert len(names(text, 2)) == 2


@pytest.mark.requirement("W-TAG-01")
@pytest.mark.parametrize(
    "text", ["", "ok, thanks!", "Well, you know, it is what it is.", "🧶 !!!", "a" * 100_000, "\ud800", "12 13"]
)
def test_a_text_about_nothing_has_at_most_itself(text: str) -> None:
    assert len(names(text)) <= 1


@pytest.mark.requirement("W-TAG-02")
def test_inflections_and_cases_of_a_tag_are_one() -> None:
    assert tag_key("API-Keys") == tag_key("api key") == tag_key("Api_Keys")
    assert tag_key("cache") == tag_key("Caches")
    assert tag_key("cache") != tag_key("cash")
    plural, single = keyphrases("The api keys leaked.")[0], keyphrases("One api key leaked.")[0]
    assert plural.key == single.key == tag_key("api-key")
