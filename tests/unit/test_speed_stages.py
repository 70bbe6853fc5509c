"""Stages that do one kind of work for many turns before the next: what is called, and in which order.

Calls are seen in the sources alone; the compiled build, which runs the other tests of these modules, makes none that
Python could report.
"""

from itertools import groupby

import pytest

from clew.analyze import words
from clew.analyze.coherence import coherence_of
from clew.analyze.domains import UNCLASSIFIED, domains, domains_of_beat, evidence_of, shares_of
from clew.analyze.layer1 import layer1_of
from clew.analyze.nuance import nuance_of
from clew.analyze.weigh import weigh, weigh_read
from clew.analyze.words import read
from clew.knowledge.rules import tokens
from clew.knowledge.rules.sentences import drafts
from clew.knowledge.rules.speech import speech
from clew.knowledge.rules.times import time_phrases
from clew.text.sentences import sentence_spans
from tests.support.calls import calls_of
from tests.unit.test_knowledge_rules import said

TEXT = "Our bees made honey in the hive. I think the hive may be weak. The bees keep the honey where the hive is dry!"


@pytest.mark.requirement("F-SPEED-44")
def test_each_layer_goes_over_all_texts_before_the_next() -> None:
    texts = [TEXT, "Why?", f"{TEXT} {TEXT}"]
    readings = list(map(read, texts))
    evidence = list(map(evidence_of, readings))
    with calls_of(layer1_of, coherence_of, shares_of, nuance_of) as done:
        made = weigh_read(readings, evidence)
    assert [(name, len(list(calls))) for name, calls in groupby(done)] == [
        ("layer1_of", 3),
        ("coherence_of", 3),
        ("shares_of", 3),
        ("nuance_of", 3),
    ]
    assert made == [weigh(text) for text in texts]


@pytest.mark.requirement("F-SPEED-44")
def test_a_beat_is_tagged_as_a_whole_without_cutting_its_sentences_up_again() -> None:
    texts = ["We went there.", "It was nice.\nReally nice.", "Good."]
    readings = list(map(read, texts))
    evidence = list(map(evidence_of, readings))
    own = [(UNCLASSIFIED,)] * 3
    with calls_of(words._sentence) as cut:
        found = domains_of_beat(readings, evidence, [False] * 3, own)
    assert cut == []
    assert found == (domains("\n".join(texts)),) * 3


@pytest.mark.requirement("F-SPEED-44")
def test_turns_are_cut_up_before_anything_is_made_of_them() -> None:
    with calls_of(speech, time_phrases, sentence_spans, tokens.read, drafts) as done:
        assert len(said("I live in Berlin.", "I like tea.", "I work at Acme.")) == 1
    cut_up = [(name, len(list(calls))) for name, calls in groupby(done)][:4]
    assert cut_up == [("speech", 3), ("time_phrases", 3), ("sentence_spans", 3), ("read", 3)]
