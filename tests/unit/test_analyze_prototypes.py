"""Domains beyond the rules: by vectors, and by a model that may do anything."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from clew.analyze.asked_domains import domains_by_model
from clew.analyze.domains import COMPANIONS, UNCLASSIFIED, domain_weights, domains_with_vector, tags
from clew.analyze.lexicon import DOMAINS
from clew.analyze.prototypes import Prototypes, learned_prototypes, likeness, prototypes_of
from clew.analyze.words import read
from clew.errors import ModelError
from clew.models.protocol import Matrix
from clew.testing import HashEmbedder
from tests.support.memories import quiet, told

AXES = Prototypes("axes", np.eye(10, dtype=np.float32), np.zeros(10, np.float32))


def axis(domain: str) -> NDArray[np.float32]:
    vector = np.zeros(10, np.float32)
    vector[DOMAINS.index(domain)] = 1.0
    return vector


@pytest.mark.requirement("W-WEIGH-04")
@pytest.mark.parametrize("domain", DOMAINS)
def test_a_vector_names_what_the_rules_do_not_see(domain: str) -> None:
    text = "The box is on the table."
    assert domain_weights(text) == {}
    assert tags(domains_with_vector(read(text), axis(domain), AXES)) == (domain,)


@pytest.mark.requirement("W-WEIGH-04")
def test_rules_and_vector_are_weighed_together() -> None:
    text = "The court held that the contract was void, and the plaintiff may appeal the verdict."
    both = domains_with_vector(read(text), axis("medical"), AXES)
    assert list(both) == ["legal", "medical"]
    assert sum(both.values()) == pytest.approx(1.0)
    assert both["legal"] < domain_weights(text)["legal"] == 1.0


@pytest.mark.requirement("W-WEIGH-04")
@pytest.mark.parametrize("vector", [np.zeros(10, np.float32), np.ones(4, np.float32)])
def test_a_vector_that_says_nothing_leaves_the_rules(vector: NDArray[np.float32]) -> None:
    text = "The court held that the contract was void."
    assert likeness(vector, AXES) == ()
    assert domains_with_vector(read(text), vector, AXES) == domain_weights(text)


@pytest.mark.requirement("W-WEIGH-04")
def test_no_words_have_no_domain_whatever_the_vector() -> None:
    assert domains_with_vector(read("😀 !!!"), axis("poetry"), AXES) == {}


@pytest.mark.requirement("W-WEIGH-04")
def test_prototypes_follow_from_the_embedder_alone() -> None:
    made, again = prototypes_of(HashEmbedder()), prototypes_of(HashEmbedder())
    assert made.name == again.name
    assert made.name.startswith(HashEmbedder().name)
    assert np.array_equal(made.centres, again.centres)
    assert made.centres.shape == (len(DOMAINS), HashEmbedder().dim)
    assert np.allclose(np.linalg.norm(made.centres, axis=1), 1.0, atol=1e-5)
    shares = likeness(made.centres[3] + made.middle, made)
    assert sum(shares) == pytest.approx(1.0, abs=1e-5)
    assert max(shares) == shares[3]


@pytest.mark.requirement("W-WEIGH-04")
def test_an_embedder_may_answer_with_lists_and_its_failure_is_a_model_error() -> None:
    inner = HashEmbedder()

    class Odd(HashEmbedder):
        rows: Any = None

        def embed(self, texts: Sequence[str]) -> Any:
            return inner.embed(texts).tolist() if self.rows is None else self.rows

    assert np.array_equal(prototypes_of(Odd()).centres, prototypes_of(inner).centres)
    broken = Odd()
    broken.rows = [[float("nan")] * 64]
    with pytest.raises(ModelError):
        prototypes_of(broken)
    with quiet(embedder=Odd()) as memory:
        memory.add(told("The court held that the contract was void."))
        assert memory.drain(200)
        assert memory.annotations("s:turn:0")


@pytest.mark.requirement("W-WEIGH-08")
def test_the_local_model_has_learned_prototypes_and_embeds_nothing_for_them() -> None:
    class Named:
        name = "minilm-l6-int8@8199be6f-128"
        dim = 384

        def embed(self, texts: Sequence[str]) -> Matrix:
            raise AssertionError(texts)

    made = prototypes_of(Named())
    assert made is learned_prototypes(Named.name)
    assert made.centres.shape == (len(DOMAINS), 384)
    assert learned_prototypes(HashEmbedder().name) is None


@pytest.mark.requirement("W-WEIGH-08")
@pytest.mark.parametrize("domain", DOMAINS)
def test_a_learned_direction_names_what_the_rules_do_not_see(domain: str) -> None:
    learned = learned_prototypes("minilm-l6-int8@8199be6f-128")
    assert learned is not None
    vector = learned.centres[DOMAINS.index(domain)]
    assert next(iter(domains_with_vector(read("The box is on the table."), vector, learned))) == domain
    assert domains_with_vector(read("The box is on the table."), -vector, learned).get(domain) is None
    assert domains_with_vector(read("The box is on the table."), np.zeros(384, np.float32), learned) == {}


@pytest.mark.requirement("F-ANALYZE-09")
def test_companions_are_declared_with_a_reason_each() -> None:
    assert all({one, other} <= set(DOMAINS) and one != other and reason for (one, other), reason in COMPANIONS.items())
    assert tags({"mathematics": 0.5, "physics": 0.5}) == tags({"physics": 0.5, "mathematics": 0.5})[::-1]


@pytest.mark.requirement("W-WEIGH-05")
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"domains": ["legal"]}, ("legal",)),
        ({"domains": [" Physics", "philosophical", "physics"]}, ("physics", "philosophical")),
        ({"domains": ["legal", "cross_domain", "medical"]}, ("legal", "medical", "cross_domain")),
        ({"domains": ["legal", "cross_domain"]}, ("legal",)),
        ({"domains": ["cross_domain"]}, (UNCLASSIFIED,)),
        ({"domains": []}, (UNCLASSIFIED,)),
        ({"domains": ["cooking"]}, (UNCLASSIFIED,)),
        ({"domains": ["legal", "medical", "poetry", "physics"]}, (UNCLASSIFIED,)),
        ({"domains": "legal"}, (UNCLASSIFIED,)),
        ({"domains": [1]}, (UNCLASSIFIED,)),
        ({"tags": ["legal"]}, (UNCLASSIFIED,)),
        (None, (UNCLASSIFIED,)),
        ("legal", (UNCLASSIFIED,)),
        (float("nan"), (UNCLASSIFIED,)),
    ],
)
def test_only_a_sensible_answer_is_believed(answer: object, expected: tuple[str, ...]) -> None:
    assert domains_by_model("The text.", lambda _: answer) == expected


@pytest.mark.requirement("W-WEIGH-05")
@pytest.mark.parametrize("failure", [TimeoutError("slow"), ValueError("no JSON"), RecursionError(), KeyError("x")])
def test_no_failure_gets_out(failure: Exception) -> None:
    def ask(_: str) -> object:
        raise failure

    assert domains_by_model("The text.", ask) == (UNCLASSIFIED,)


@pytest.mark.requirement("W-WEIGH-05")
def test_a_blank_text_is_not_asked_about() -> None:
    asked: list[str] = []
    assert domains_by_model(" \n", asked.append) == (UNCLASSIFIED,)
    assert asked == []


@pytest.mark.requirement("W-WEIGH-05")
def test_the_question_names_the_vocabulary_and_shows_the_text() -> None:
    asked: list[str] = []
    domains_by_model("What the text says." + "x" * 10_000, asked.append)
    assert all(domain in asked[0] for domain in DOMAINS)
    assert "What the text says." in asked[0]
    assert len(asked[0]) < 5_000
