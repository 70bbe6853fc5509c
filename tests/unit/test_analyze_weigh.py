"""All rules over one reading, as the rows that are stored."""

import json

import pytest

from clew.analyze.coherence import coherence
from clew.analyze.domains import domain_weights, domains
from clew.analyze.layer1 import relational_weight, relational_weight_joint
from clew.analyze.nuance import nuance
from clew.analyze.weigh import weigh, weigh_joint
from clew.analyze.words import ANALYSED_CHARACTERS, read

TEXT = "Our bees made honey in the hive. I think the hive may be weak. The bees keep the honey where the hive is dry!"


@pytest.mark.requirement("F-ANALYZE-12")
def test_weighing_is_what_each_rule_says_alone() -> None:
    weighed = weigh(TEXT)
    assert weighed.layer1 == relational_weight(TEXT)
    assert weighed.coherence == coherence(TEXT)
    assert weighed.domains == domains(TEXT)
    assert weighed.domain_weights == domain_weights(TEXT)
    assert weighed.nuance == nuance(TEXT)
    assert weighed.analysed == len(TEXT)


@pytest.mark.requirement("F-ANALYZE-12")
def test_annotations_of_a_scored_text() -> None:
    weighed = weigh(TEXT)
    assert weighed.annotations() == {
        "layer1": round(weighed.layer1.score, 4),
        "layer1:sentences": [round(score, 4) for score in weighed.layer1.sentences],
        "coherence": round(weighed.coherence, 4),
        "domains": list(weighed.domains),
        "nuance": ["hedged", "emotional_tone_neutral"],
    }
    assert json.loads(json.dumps(weighed.annotations())) == weighed.annotations()


@pytest.mark.requirement("F-ANALYZE-12", "F-ANALYZE-04")
def test_annotations_of_a_short_text() -> None:
    annotations = weigh("The hive is weak.").annotations()
    assert (annotations["layer1"], annotations["short_chunk"]) == (0.2, True)
    assert "layer1:sentences" not in annotations


@pytest.mark.requirement("F-ANALYZE-12", "F-ANALYZE-04")
def test_short_pieces_are_weighed_together() -> None:
    pieces = ["The bees left the hive.", "Honey was in the hive.", "Bees like honey in winter."]
    together = weigh_joint(pieces)
    assert tuple(weighed.layer1 for weighed in together) == relational_weight_joint(pieces)
    assert [weighed.coherence for weighed in together] == [coherence(piece) for piece in pieces]


@pytest.mark.requirement("F-ANALYZE-13")
@pytest.mark.parametrize("text", ["word " * 30_000, "One sentence of the many. " * 6_000, "a" * 200_000])
def test_no_more_is_looked_at_than_stated(text: str) -> None:
    weighed = weigh(text)
    assert weighed.analysed == ANALYSED_CHARACTERS
    assert weighed == weigh(text[:ANALYSED_CHARACTERS] + "ignored")


@pytest.mark.requirement("F-ANALYZE-05")
def test_scripts_without_spaces_are_cut_into_pairs_and_grammar() -> None:
    sentences = read("我们去公园了。公園にコーヒーがある。학교에 갔다").sentences
    assert [list(sentence.stems) for sentence in sentences] == [
        ["我", "们", "去公", "公园", "了"],
        ["公園", "に", "コーヒー", "がある"],
        ["학교", "에", "갔", "다"],
    ]


@pytest.mark.requirement("F-ANALYZE-05")
def test_inflections_of_a_word_meet() -> None:
    (sentence,) = read("Cache caches cached caching; planned plans, John's stories story; I'm mine, doesn't").sentences
    stems = [stem for stem in sentence.stems if stem not in ",;"]
    assert len(set(stems[:4])) == len(set(stems[4:6])) == len(set(stems[7:9])) == len(set(stems[9:11])) == 1
    assert stems[6] == "john"
