"""What is ruled out by a cheap look at a text, or found without a regular expression, is what the full rule says."""

import re
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.analyze import keyphrases, other_languages, tags
from clew.analyze.domains import shares_of
from clew.analyze.lexicon import DOMAINS, fold
from clew.condense import material, node_renderings, sentence_worth
from clew.knowledge.rules import times
from clew.project import names as project_names
from clew.structure import cues
from clew.text import evidence, foreign_dates, small_talk, spoken
from clew.text import names as text_names
from clew.text.ascii_runs import LETTERS, WORDS, runs
from clew.text.date_languages import LATIN, function_words

PIECES = st.sampled_from(
    "it's don't 'quoted' ''twice'' a.b c/d e\\f Makefile snake_case camelCase call() `x` U.S. 12:30 noon the_other "
    "hi, yo, hey Kate. name my is this call me je ne suis der nicht und c'est j'ai - * # ** --- | ``` {vocalsound} "
    "[laughs] (cough) uh , um . 's Thanks, thank you, Good morning Ann 3pm midnight red-hot-pan".split(" ")
)
SPACES = st.sampled_from((" ", "  ", "\n", "\t", " \x1f", ". ", ", "))
TEXTS = st.lists(st.tuples(PIECES | st.text(max_size=6), SPACES), max_size=20).map(
    lambda parts: "".join(piece + space for piece, space in parts)
)


@pytest.mark.requirement("F-SPEED-60")
@given(TEXTS)
def test_runs_of_characters_are_those_that_expressions_find(text: str) -> None:
    plain = text.encode("ascii", "ignore").decode("ascii")
    low = plain.lower()
    assert runs(plain, WORDS) == re.findall(r"\w+", plain)
    assert runs(plain, LETTERS) == re.findall(r"[a-zA-Z]+", plain)
    assert cues._words(low) == re.findall(r"[a-z]+(?:'[a-z]+)*", low)
    assert node_renderings._signs_in(plain) == len(re.findall(r"[^\w\s]|[\d_]", plain))


@pytest.mark.requirement("F-SPEED-60")
@given(TEXTS)
def test_a_text_that_is_ruled_out_has_nothing_of_what_is_looked_for(text: str) -> None:
    low = text.lower()
    assert (evidence._DOT_OR_SLASH.search(text) is None) == (re.search(r"[/\\]|\.[a-z]", text) is None)
    assert (project_names._MAY_NAME.search(text) is None) == (
        re.search(r"[a-z0-9][A-Z]|[`_]|\.[A-Za-z_]|\(\)", text) is None
    )
    assert any(hour in low for hour in times._HOURS) or times._DIGIT.search(low) or not times._MAY_BE_HOUR.search(low)
    assert any(sign in text for sign in spoken._MAY_BE_SPACED) or not spoken._SPACED.search(text)
    assert any(sign in text for sign in spoken.OPENS_NOISE) or not spoken.NOISE_MARK.search(text)
    assert any(sign in low for sign in cues._MAY_BE_LAID_OUT) or not cues._LAID_OUT.search(low)
    assert (
        material.plain_prose(text.replace("```", ""))
        == material._ENTRY.sub("\n", material._MARKUP.sub("", text.replace("```", ""))).strip()
    )


@pytest.mark.requirement("F-SPEED-60")
@given(TEXTS)
def test_names_and_languages_are_found_as_without_the_cheap_look(text: str) -> None:
    called = [match["name"] for match in text_names._GREETING.finditer(text)]
    called += [match["name"] for match in text_names._SELF.finditer(text)]
    found = [alias.name for alias in text_names.greeting_aliases(text)]
    assert sorted(found) == sorted(name for name in called if text_names._is_name(name))
    assert sentence_worth.names_in(text) == re.findall(
        r"(?<=[\w,;:\"'(] )[A-Z][\w'-]*[a-z][\w'-]*(?: [A-Z][\w'-]*[a-z][\w'-]*)*", text
    )
    low = text.lower()
    words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", low)
    if low.isascii() and other_languages._telling_runs().isdisjoint(runs(low, LETTERS)):
        assert other_languages._telling_any().isdisjoint(words)


@pytest.mark.requirement("F-SPEED-60")
@given(st.from_regex(cues._SERVES.pattern, fullmatch=True), TEXTS)
def test_whatever_sounds_like_a_service_has_a_word_by_which_it_is_looked_for(offer: str, text: str) -> None:
    plain = f"{' '.join(cues._words(text.lower()))} {offer}"
    assert not cues._MAY_SERVE.isdisjoint(plain.replace("'", " ").split())


@pytest.mark.requirement("F-SPEED-60")
@given(TEXTS, st.from_regex(small_talk._POLITE.pattern, fullmatch=True).map(str.title) | PIECES, TEXTS)
def test_a_text_without_a_word_of_courtesies_has_none(before: str, said: str, after: str) -> None:
    text = f"{before}{said} {after}"
    assert small_talk._may_be_polite(text) or small_talk._POLITE.search(text) is None


@pytest.mark.requirement("F-SPEED-60")
@given(st.lists(st.sampled_from((0.0, 0.3, 0.9, 1.0, 1.4, 3.0)), min_size=len(DOMAINS), max_size=len(DOMAINS)))
def test_a_text_is_about_a_domain_only_where_the_evidence_is_enough(evidence: list[float]) -> None:
    shares = shares_of(tuple(evidence))
    assert bool(shares) == (max(evidence) >= 1.0)
    assert all(evidence[DOMAINS.index(domain)] >= 1.0 for domain in shares)


@pytest.mark.requirement("F-SPEED-60")
@given(st.lists(st.sampled_from("der die le la els het the bees und y".split()), max_size=12))
def test_words_of_other_languages_are_counted_language_by_language(words: list[str]) -> None:
    known = foreign_dates._function_words().intersection(words)
    for language in LATIN:
        assert len(known & function_words(language)) == len(function_words(language).intersection(words))


PHRASES = st.lists(
    st.lists(
        st.tuples(st.just(""), st.sampled_from("tea pot oven red-hot hot pan".split()), st.floats(0.3, 3)),
        min_size=1,
        max_size=3,
    ),
    max_size=12,
).map(lambda found: [("-".join(key for _, key, _ in words), tuple(words)) for words in found])


@pytest.mark.requirement("F-SPEED-60")
@given(PHRASES, st.integers(1, 6))
def test_phrases_are_weighed_by_how_often_they_and_their_words_occur(
    found: list[tuple[str, tuple[tuple[str, str, float], ...]]], limit: int
) -> None:
    stems = [stem for _, words in found for _, stem, _ in words]
    keys = [key for key, _ in found]
    weights: dict[str, float] = {}
    for key, words in found:
        total = 0.0
        for _, stem, weight in words:
            total += (1 + log(stems.count(stem))) * weight
        many = 1 + keyphrases._LONGER * (len(words) - 1)
        weights.setdefault(key, (1 + log(keys.count(key))) * many * (total / len(words)))
    chosen: list[str] = []
    for key in sorted(weights, key=weights.__getitem__, reverse=True):
        if not any(set(key.split("-")) <= set(other.split("-")) for other in chosen):
            chosen.append(key)
    assert [phrase.key for phrase in keyphrases._strongest(found, limit)] == chosen[:limit]


@pytest.mark.requirement("F-SPEED-60")
@given(st.text("abé-_ Ǆ1\u3000ing", max_size=60))
def test_names_of_tags_are_taken_apart_at_hyphens_and_white_space(name: str) -> None:
    words = [word for word in re.split(r"[\s_-]+", name.casefold()) if word]
    assert keyphrases.tag_key(name) == "-".join(map(fold, words))
    letters, figures = sum(map(str.isalpha, name)), sum(map(str.isdigit, name))
    first = name.partition("-")[0]
    lead = sum(map(str.isdigit, first)) - sum(map(str.isalpha, first)) if any(map(str.isalpha, first)) else 1
    is_amount = name[:1].isdigit() and lead >= 0
    assert tags.is_name(name) == (len(name) <= tags.LONGEST and letters > 0 and figures - letters < 1 and not is_amount)
