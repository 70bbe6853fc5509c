"""Coherence: language that was meant scores high, gibberish near 0."""

import random

import pytest

from clew.analyze.coherence import coherence
from tests.support import coherence_anchors as anchors

PHILOSOPHY = (
    "When we ask what it means to be free, we rarely ask who is asking. A person who acts from habit may believe that "
    "she chooses, although the choice was made long before she knew it. If freedom is to mean anything, it must mean "
    "that the reasons for which we act are reasons that we could, on reflection, call our own."
)
LEGAL = "Tenant shall pay rent monthly in advance."


@pytest.mark.requirement("F-ANALYZE-06")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "😀😀",
        "asdf qwer zxcv lkjh poiu",
        "Asdkjh qwoeiu, zmxnc. Pqow ieur!",
        "xkcd %%% $$$ 8832 !!! ??? @@@",
        "the the of and the",
    ],
)
def test_gibberish_is_near_zero(text: str) -> None:
    assert coherence(text) <= 0.05


@pytest.mark.requirement("F-ANALYZE-06")
def test_the_anchors_of_the_specification() -> None:
    assert coherence(LEGAL) == pytest.approx(0.6, abs=0.1)
    assert coherence(PHILOSOPHY) == pytest.approx(0.9, abs=0.06)


@pytest.mark.requirement("F-ANALYZE-06")
@pytest.mark.parametrize(
    "fragment", ["Running fast through the woods.", "Because of the rain", "The old house on the hill."]
)
@pytest.mark.parametrize("sentence", ["I like pizza.", "The dog chased the cat across the yard.", "We left early."])
def test_a_sentence_is_above_a_fragment(sentence: str, fragment: str) -> None:
    assert coherence(fragment) < 0.2 < coherence(sentence)


@pytest.mark.requirement("F-ANALYZE-06")
def test_words_in_random_order_are_not_coherent() -> None:
    words = PHILOSOPHY.replace(".", "").replace(",", "").split()
    for seed in range(20):
        random.Random(seed).shuffle(words)  # noqa: S311 - no secret
        assert coherence(" ".join(words) + ".") < 0.5


@pytest.mark.requirement("F-ANALYZE-07")
def test_very_short_and_very_long_sentences_depress() -> None:
    even = "We walked to the river because the boats were leaving. " * 3
    assert coherence("We went. We sat. We ate. We left. " * 3) < coherence(even)
    assert coherence("and we walked to the river because the boats were leaving " * 12 + ".") < coherence(even)


@pytest.mark.requirement("F-ANALYZE-07")
def test_pronouns_without_antecedent_depress() -> None:
    assert coherence("He told her that they had found it.") < coherence("Mary told Paul that the boys had found gold.")
    assert coherence("It was late. The train left.") < coherence("The train left. It was late.")
    assert coherence("The river fell, and she stayed.") < coherence("The aunt fell, and she stayed.")
    assert coherence("Now rain fell, and she stayed.") < coherence("Now Rosa fell, and she stayed.")


@pytest.mark.requirement("F-ANALYZE-07")
@pytest.mark.parametrize("who", ["miller", "waitress", "landlord", "programmer", "violinist", "stranger"])
def test_whoever_has_a_trade_or_a_part_may_be_he_or_she(who: str) -> None:
    named = f"The old {who} went to the river. She saw the broken wheel there."
    assert coherence(named) > 1.5 * coherence(named.replace(who, "wagon"))


@pytest.mark.requirement("F-ANALYZE-07")
def test_no_punctuation_and_too_much_depress() -> None:
    plain = "we walked to the river and then we sat there until the boats had left and the sun was down " * 3
    assert coherence(plain) < coherence(plain.replace(" and", ". And"))
    assert coherence("We!!! went?! to... the--- (river)!!! and... sat!!!") < coherence("We went to the river and sat.")


@pytest.mark.requirement("F-ANALYZE-07")
def test_flat_and_deeply_nested_clauses_depress() -> None:
    flat = "The house is old. The door is red. The roof is flat. The garden is small."
    rich = "The house, which is old, has a red door. Because the roof is flat, the garden is what we liked."
    nested = (
        "I know that you said that he thought that she had told them that we believed that it was what they meant. "
    )
    assert coherence(flat) < coherence(rich)
    assert coherence(nested) < coherence(rich)


@pytest.mark.requirement("F-ANALYZE-05")
@pytest.mark.parametrize(
    "text",
    [
        "我们今天去公园散步。天气很好，孩子们都很高兴。",
        "今日は天気が良いので、公園に行きました。とても楽しかったです。",
        "Wir gehen heute in den Park, weil das Wetter schön ist.",
        "Мы сегодня пошли в парк, потому что погода была хорошая.",
        "ذهبنا اليوم إلى الحديقة، وكان الطقس جميلا جدا.",
    ],
)
def test_other_languages_are_language(text: str) -> None:
    assert coherence(text) > 0.4


@pytest.mark.requirement("W-WEIGH-02")
@pytest.mark.parametrize(
    ("texts", "least", "most"),
    [
        (anchors.GIBBERISH, 0.0, 0.1),
        (anchors.FRAGMENTS, 0.0, 0.4),
        (anchors.TERSE, 0.5, 0.7),
        (anchors.RICH, 0.8, 1.0),
    ],
    ids=["gibberish", "fragments", "terse clauses", "rich paragraphs"],
)
def test_each_anchor_has_its_range(texts: tuple[str, ...], least: float, most: float) -> None:
    outside = [text for text in texts if not least <= coherence(text) <= most]
    assert len(texts) >= 20
    assert len(outside) <= len(texts) // 20, outside  # one in twenty is let through: rules know few verbs


@pytest.mark.requirement("W-WEIGH-02")
def test_a_sentence_scores_higher_than_a_fragment_whatever_its_verb() -> None:
    assert len(anchors.SENTENCES) >= 20
    assert min(map(coherence, anchors.SENTENCES)) > max(map(coherence, anchors.FRAGMENTS))


@pytest.mark.requirement("W-WEIGH-02")
@pytest.mark.parametrize("verb", ["graze", "stroll", "hover", "crept", "doze", "gleam", "mingle", "starve"])
def test_a_sentence_without_an_object_is_no_fragment(verb: str) -> None:
    assert coherence(f"Sheep {verb} on the hill.") > 0.4


@pytest.mark.requirement("W-WEIGH-02")
@pytest.mark.parametrize(
    "sentence", ["Redis evicts old keys.", "Mice nibble cheese.", "Enzymes catalyse reactions.", "Volcanoes spew ash."]
)
def test_a_sentence_without_function_words_is_no_fragment(sentence: str) -> None:
    assert coherence(sentence) > max(map(coherence, anchors.FRAGMENTS))


@pytest.mark.requirement("W-WEIGH-02")
def test_abbreviations_are_words() -> None:
    assert coherence("TCP and DNS run over IP; HTTP, SMTP and SSH use TCP, and TLS wraps HTTP.") > 0.4


@pytest.mark.requirement("W-WEIGH-02")
def test_the_anchors_do_not_meet() -> None:
    assert max(map(coherence, anchors.GIBBERISH)) < min(map(coherence, anchors.CHAT))
    assert max(map(coherence, anchors.FRAGMENTS)) < min(map(coherence, anchors.RICH))
    assert max(map(coherence, anchors.SALAD)) < min(map(coherence, anchors.RICH))


@pytest.mark.requirement("W-WEIGH-02")
@pytest.mark.parametrize("text", anchors.CHAT)
def test_chat_in_lower_case_without_marks_is_no_gibberish(text: str) -> None:
    assert coherence(text) > 0.3
