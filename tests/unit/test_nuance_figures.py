"""What the nuance rules reach on the labelled sentences that they were not made by, held as floors."""

from collections import Counter

import pytest

from benchmarks.nuance import NAMES, FlagScore, errors, kappa, scores, sentences, table

# (precision, recall) on the half `unseen`, as measured, less one or two sentences.
FLOORS = {
    "hedged": (0.93, 0.95),
    "absolute": (0.90, 0.90),
    "rhetorical_question": (0.90, 0.90),
    "instructional": (0.90, 0.90),
    "analogy": (0.95, 0.95),
    "positive": (0.70, 0.85),
    "negative": (0.85, 0.50),
    "urgent": (0.90, 0.90),
    "neutral": (0.90, 0.90),
    "grieving": (0.90, 0.90),
}


@pytest.mark.requirement("W-NUANCE-01")
@pytest.mark.parametrize("name", NAMES)
def test_precision_and_recall_on_unseen_sentences(name: str) -> None:
    score = scores([one for one in sentences() if one.unseen])[name]
    precision, recall = FLOORS[name]
    assert score.precision >= precision, score
    assert score.recall >= recall, score


@pytest.mark.requirement("W-NUANCE-02")
def test_the_sentences_are_many_different_and_labelled_twice() -> None:
    labelled = sentences()
    assert len({one.text for one in labelled}) == len(labelled) >= 600
    assert 0.45 <= sum(one.unseen for one in labelled) / len(labelled) <= 0.55
    tones = {"neutral", "positive", "negative", "urgent", "grieving"}
    for one in labelled:
        for labels in (one.first, one.second, one.agreed):
            assert labels <= set(NAMES)
            assert len(labels & tones) == 1
        assert one.first != one.second or one.agreed == one.first
    wanted = Counter(name for one in labelled if one.unseen for name in one.agreed)
    assert min(wanted[name] for name in NAMES) >= 10


@pytest.mark.requirement("W-NUANCE-02")
@pytest.mark.parametrize("name", NAMES)
def test_the_two_readings_agree(name: str) -> None:
    assert 0.9 <= kappa(sentences(), name) <= 1.0


@pytest.mark.requirement("W-NUANCE-02")
def test_a_score_counts_what_was_found_and_what_was_wanted() -> None:
    score = FlagScore(right=3, found=4, wanted=6)
    assert (score.precision, score.recall, score.f1) == (0.75, 0.5, 0.6)
    assert (FlagScore(0, 0, 0).precision, FlagScore(0, 0, 0).recall, FlagScore(0, 0, 0).f1) == (0.0, 0.0, 0.0)


@pytest.mark.requirement("W-NUANCE-02")
def test_the_table_and_the_errors_name_every_label_and_sentence() -> None:
    develop = [one for one in sentences() if not one.unseen]
    assert [line.split()[0] for line in table(develop)[1:]] == list(NAMES)
    wrong = sum(score.found + score.wanted - 2 * score.right for score in scores(develop).values())
    assert len(errors(develop)) == wrong > 0
