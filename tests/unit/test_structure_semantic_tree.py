"""The semantic tree: search that hides no leaf, and its wire form."""

import json

import pytest

from clew.errors import InputError
from clew.structure.tree import SemanticTree, best_first, hierarchical_relevance_search
from clew.testing import HashEmbedder


@pytest.mark.requirement("F-TREE-01")
@pytest.mark.parametrize("embedder", [None, HashEmbedder()])
def test_the_tree_never_hides_a_leaf(embedder: HashEmbedder | None) -> None:
    _exact_word(2_000, embedder)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.requirement("F-TREE-01")
def test_the_tree_hides_no_leaf_among_a_hundred_thousand() -> None:
    _exact_word(100_000, None)


def _exact_word(size: int, embedder: HashEmbedder | None) -> None:
    """One leaf among many says a word that no other says; every leaf shares the rest of its words."""
    tree = SemanticTree(embedder)
    subjects = "harbour weather garden engine violin market".split()
    for n in range(size):
        word = "zanzibarite" if n == size // 3 else subjects[n % len(subjects)]
        tree.add(f"We spoke about the {word} and the plan for group {n % 97}.", {"n": n})
    for limit in (1, 5, 10):
        hits = hierarchical_relevance_search(tree, "what was the plan about zanzibarite", limit)
        assert len(hits) <= limit
        assert size // 3 in [hit.metadata["n"] for hit in hits]


@pytest.mark.requirement("F-TREE-01")
def test_a_leaf_scores_by_itself_and_by_what_is_above_it() -> None:
    scores = {"root": 0.5, "near": 0.9, "far": 0.1, "x": 0.4, "y": 0.8}
    below = {"root": ("near", "far"), "near": ("x",), "far": ("y",)}

    found = best_first(["root"], lambda node: below.get(node, ()), scores.__getitem__, 9)
    near = 0.7 * 0.9 + 0.3 * 0.5
    far = 0.7 * 0.1 + 0.3 * 0.5
    assert list(best_first(["root"], lambda node: below.get(node, ()), scores.__getitem__, 1)) == ["x"]
    assert found == {"y": pytest.approx(0.7 * 0.8 + 0.3 * far), "x": pytest.approx(0.7 * 0.4 + 0.3 * near)}


@pytest.mark.requirement("F-TREE-02")
def test_the_tree_refuses_and_gives_back_what_it_should() -> None:
    tree = SemanticTree()
    assert tree.search("anything") == []
    node = tree.add("the kettle", {"n": 1})
    assert (tree.text(node), tree.metadata(node), len(tree), tree.children(node)) == ("the kettle", {"n": 1}, 1, ())
    assert tree.roots() == (node,)
    assert tree.search("the of") == []
    assert tree.search("kettle", 0) == []
    with pytest.raises(InputError, match="negative"):
        tree.search("kettle", -1)
    for wrong in ("tree:leaf:000000007", "x"):
        with pytest.raises(InputError, match="not a leaf"):
            tree.text(wrong)
    with pytest.raises(InputError, match="not a tree"):
        SemanticTree.from_dict({"leaves": [{"text": "x"}]})


@pytest.mark.requirement("F-TREE-02")
def test_a_tree_is_the_same_from_its_wire_form_and_has_bounded_fan_out() -> None:
    tree = SemanticTree(HashEmbedder())
    for n in range(300):
        tree.add(f"note {n} about {'tides' if n % 60 < 30 else 'bread'}", {"n": n})
    again = SemanticTree.from_dict(json.loads(json.dumps(tree.to_dict())), HashEmbedder())
    assert again.search("bread note 7") == tree.search("bread note 7")
    waiting, leaves = list(tree.roots()), 0
    while waiting:
        below = tree.children(waiting.pop())
        assert len(below) <= 8
        waiting += below
        leaves += not below
    assert leaves == 300


@pytest.mark.requirement("F-TREE-02")
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("other", [HashEmbedder(32), HashEmbedder(revision=2), None])
def test_a_tree_of_another_embedder_is_searched_by_its_words(
    other: HashEmbedder | None, named: bool, caplog: pytest.LogCaptureFixture
) -> None:
    first, by_words = SemanticTree(HashEmbedder()), SemanticTree()
    for tree in (first, by_words):
        for topic in ("tides", "bread", "kettles"):
            tree.add(f"a note about {topic}", {})
    written = first.to_dict()
    if not named:  # as it was written before
        del written["embedder"]
    tree = SemanticTree.from_dict(written, other)
    assert [hit.text for hit in tree.search("bread")] == [hit.text for hit in by_words.search("bread")]
    tree.add("more about bread")
    assert len(tree.search("bread")) == 2
    if named and other is not None:
        assert "'hash-64@1' embedded them" in caplog.text
        assert all("vector" not in leaf for leaf in tree.to_dict()["leaves"][:3])
    elif named:
        assert tree.to_dict()["embedder"] == "hash-64@1"
