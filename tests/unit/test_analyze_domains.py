"""Domains: fixed words for subjects and registers, and when two of them make a crossing."""

import pytest

from clew.analyze.domains import (
    CROSS_DOMAIN,
    TAGS,
    UNCLASSIFIED,
    domain_weights,
    domains,
    domains_of_beat,
    tags,
)
from clew.analyze.lexicon import DOMAINS
from clew.analyze.words import read

EXAMPLES = {
    "physics": "The photon's energy depends on its frequency; entanglement links the spins of particles.",
    "mathematics": "Assume the theorem holds for every integer below n; then the lemma proves it by induction.",
    "legal": "The court held that the contract was void, and the plaintiff may appeal the verdict.",
    "medical": "The patient was given antibiotics for the infection, and her fever fell in hospital.",
    "poetry": "Shall I compare the rose to thee,\nWhose petals weep the morning dew,\nThe moon that trembles\n"
    "And sighs, beloved, but for you",
    "narrative": "Once a hare mocked a tortoise. The tortoise smiled and said they should race. The hare ran.",
    "technical_prose": "The server caches each query; when the index changes, the API clears the cache.",
    "conversational": "Hey, thanks! How are you? I had so much fun this weekend, you should come along next time!",
    "philosophical": "If free will is an illusion, moral responsibility loses its meaning, for reason itself is duty.",
    "historical": "In 1789 the revolution began, the monarchy fell, and the republic went to war with kings.",
}


@pytest.mark.requirement("F-ANALYZE-08")
@pytest.mark.parametrize("domain", EXAMPLES)
def test_each_domain_can_be_found(domain: str) -> None:
    assert domains(EXAMPLES[domain])[0] == domain


@pytest.mark.requirement("F-ANALYZE-08")
@pytest.mark.parametrize(
    "text",
    [
        "", "😀", "???", "The box is on the table.", "asdf qwer", "我们今天去公园。", "\ud800", "7 81 4502",
        "Tram 12 at 17:05, tram 3 at 17:20.", "030 441 8876", "We mended it in 2021 and 2022.",
    ],
)  # fmt: skip  # a list of texts, not a column
def test_without_evidence_text_is_unclassified(text: str) -> None:
    assert domains(text) == (UNCLASSIFIED,)
    assert domain_weights(text) == {}


@pytest.mark.requirement("W-WEIGH-07")
@pytest.mark.parametrize(
    "text",
    [
        "I bought bread and milk at the shop.",
        "The parcel came on Thursday, a day late.",
        "My aunt painted the fence last summer.",
        "Book a table for four at 7pm on Friday.",
    ],
)
def test_everyday_talk_has_no_domain(text: str) -> None:
    assert domains(text) == (UNCLASSIFIED,)


@pytest.mark.requirement("W-WEIGH-07")
def test_a_tale_about_a_doctor_is_about_medicine_too() -> None:
    tale = (
        "The doctor closed the bag and looked at the old woman. She coughed, and there was blood on the handkerchief. "
        '"It is in the lungs," he whispered to her daughter, and the girl began to weep.'
    )
    assert {"narrative", "medical"} <= set(domains(tale))


@pytest.mark.requirement("W-WEIGH-08")
@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("A glacier melts from below when it presses on the rock.", "physics"),
        ("The sprain is tender, and the ligament may be torn.", "medical"),
        ("The heir may contest the codicil within a year.", "legal"),
        ("The bobbin sits under the plate; thread it clockwise.", "technical_prose"),
    ],
)
def test_words_beyond_the_hand_made_lists_name_a_domain(text: str, domain: str) -> None:
    assert domain in domains(text)


@pytest.mark.requirement("F-ANALYZE-08")
def test_the_vocabulary_is_the_specifications() -> None:
    assert set(TAGS) == {*EXAMPLES, "cross_domain", "unclassified"}


@pytest.mark.requirement("F-ANALYZE-08")
def test_weights_are_shares_strongest_first() -> None:
    weights = domain_weights(EXAMPLES["physics"] + " " + EXAMPLES["legal"] + " The jury heard a witness in court.")
    assert set(weights) == {"legal", "physics"}
    assert sum(weights.values()) == pytest.approx(1.0)
    assert list(weights.values()) == sorted(weights.values(), reverse=True)


@pytest.mark.requirement("F-ANALYZE-09")
@pytest.mark.parametrize(
    "text",
    [
        "Is it just for a court to punish a man whose will was not free? Moral duty and legal guilt part ways.",
        "The fable of the tortoise and the hare holds a truth about virtue: wisdom and patience defeat vanity.",
        "The patient sued the hospital: the court must find whether the surgeon's negligence caused the infection.",
    ],
)
def test_two_domains_that_meet_are_a_crossing(text: str) -> None:
    assert domains(text)[-1] == CROSS_DOMAIN
    assert len(domains(text)) > 2


@pytest.mark.requirement("F-ANALYZE-09")
def test_companions_are_no_crossing() -> None:
    assert set(
        domains(
            "The quantum state vector lives in a Hilbert space; by the spectral theorem its eigenvalues are energies."
        )
    ) == {"physics", "mathematics"}
    assert tags({"conversational": 0.6, "medical": 0.4}) == ("conversational", "medical")
    assert tags({"historical": 0.6, "narrative": 0.4}) == ("historical", "narrative")
    assert tags({"narrative": 0.45, "philosophical": 0.35, "conversational": 0.2})[-1] == CROSS_DOMAIN


@pytest.mark.requirement("F-ANALYZE-09")
def test_a_touch_of_another_domain_is_no_crossing() -> None:
    assert tags({"historical": 0.7, "philosophical": 0.3}) == ("historical", "philosophical")


@pytest.mark.requirement("F-ANALYZE-08")
def test_one_weak_word_is_not_enough() -> None:
    assert domains("We had to wait a long time for the light to change at the corner of the street.") == (UNCLASSIFIED,)


def _together(pieces: int, **evidence: float) -> list[tuple[str, ...]]:
    """Tags of pieces with the same evidence, the last of which has a little less."""
    rows = [tuple(evidence.get(domain, 0.0) for domain in DOMAINS) for _ in range(pieces - 1)]
    last = tuple(max(0.0, value - 0.01) for value in rows[0])
    return list(domains_of_beat([read("")] * pieces, [*rows, last], [False] * pieces, [(UNCLASSIFIED,)] * pieces))


@pytest.mark.requirement("W-STRUCT-17")
@pytest.mark.parametrize("manner", ["narrative", "poetry", "conversational"])
def test_a_manner_has_a_subject_where_another_subject_would_be_too_faint(manner: str) -> None:
    told = _together(2, **{manner: 2.0, "medical": 0.6})
    assert told == [(manner, "medical"), (manner,)]
    assert _together(2, legal=2.0, medical=0.6) == [("legal",), ("legal",)]


@pytest.mark.requirement("W-STRUCT-17")
def test_a_tale_about_a_subject_is_named_by_the_subject_and_told_at_half_of_its_turns() -> None:
    told = _together(4, narrative=2.5, medical=2.0)
    assert [tags[0] for tags in told] == ["medical"] * 4
    assert sum("narrative" in tags for tags in told) == 2
    assert all("cross_domain" in tags for tags in told)


@pytest.mark.requirement("W-STRUCT-17")
@pytest.mark.parametrize(("pieces", "faint"), [(2, 0.5), (3, 0.6), (6, 0.8)])
def test_what_is_only_touched_never_weighs_as_much_as_what_is_said(pieces: int, faint: float) -> None:
    named = _together(pieces, narrative=2.0, medical=faint)
    assert all("narrative" in tags for tags in named)
    assert 0 < sum("medical" in tags for tags in named) <= pieces / 2
