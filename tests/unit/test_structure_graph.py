"""The entity graph and the energy that spreads in it (DESIGN 6 and 8)."""

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import InputError, NotFoundError
from clew.structure.graph import EntityGraph, spreading_activation
from clew.types.entity import EdgeType, NodeType

KEYS = st.sampled_from([f"n{n}" for n in range(9)])
EDGES = st.lists(st.tuples(KEYS, KEYS), min_size=1, max_size=30)


def graph_of(*edges: tuple[str, str]) -> EntityGraph:
    graph = EntityGraph()
    for source, target in edges:
        graph.add_entity(source)
        graph.add_entity(target)
        graph.add_edge(source, target)
    return graph


@pytest.mark.requirement("F-GRAPH-01")
def test_energy_halves_with_each_step_and_is_shared_among_neighbours() -> None:
    line = graph_of(("a", "b"), ("b", "c"))
    # a gives b .5; b gives a and c .125 each; c and a give b .0625 each: b 0.5 + 0.0625 + 0.0625.
    assert spreading_activation(line, ["a"]) == {"a": 1.0, "b": 0.625, "c": 0.125}
    star = graph_of(*(("hub", f"leaf{n}") for n in range(4)))
    assert spreading_activation(star, ["hub"], iterations=1) == {"hub": 1.0} | {f"leaf{n}": 0.125 for n in range(4)}


@pytest.mark.requirement("F-GRAPH-01")
def test_weak_energy_goes_no_further_and_only_the_top_is_given() -> None:
    star = graph_of(*(("hub", f"leaf{n:02}") for n in range(51)))
    assert spreading_activation(star, ["hub"]) == {"hub": 1.0}  # 0.5 / 51 is under 0.01
    small = graph_of(*(("hub", f"leaf{n:02}") for n in range(20)))
    assert list(spreading_activation(small, ["hub"])) == ["hub", *(f"leaf{n:02}" for n in range(9))]
    assert len(spreading_activation(small, ["hub"], top=3)) == 3


@pytest.mark.requirement("F-GRAPH-01")
@given(EDGES, st.lists(KEYS, min_size=1, max_size=4), st.floats(0.0, 1.0), st.integers(0, 6))
def test_no_activation_exceeds_its_seeds(
    edges: list[tuple[str, str]], seeds: list[str], decay: float, iterations: int
) -> None:
    graph = graph_of(*edges, *((seed, "x") for seed in seeds))
    energies = {seed: 0.3 + 0.1 * place for place, seed in enumerate(dict.fromkeys(seeds))}
    found = spreading_activation(graph, energies, decay=decay, iterations=iterations, top=100)
    assert max(found.values()) <= round(max(energies.values()), 6)
    assert all(found[seed] >= round(energy, 6) for seed, energy in energies.items())
    assert min(found.values()) >= 0.01
    assert list(found.values()) == sorted(found.values(), reverse=True)


@pytest.mark.requirement("F-GRAPH-01")
def test_an_unknown_seed_is_an_error_that_names_it() -> None:
    graph = graph_of(("a", "b"))
    with pytest.raises(NotFoundError, match="'zebra' is not an entity"):
        spreading_activation(graph, ["a", "zebra"])
    assert spreading_activation(graph, []) == {}


@pytest.mark.requirement("F-GRAPH-01")
@pytest.mark.parametrize("wrong", [{"decay": 1.5}, {"decay": -0.1}, {"iterations": -1}, {"minimum": -1.0}, {"top": -1}])
def test_numbers_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        spreading_activation(graph_of(("a", "b")), ["a"], **wrong)  # type: ignore[arg-type]  # as a caller may write
    with pytest.raises(InputError, match="energy"):
        spreading_activation(graph_of(("a", "b")), {"a": 0.0})


@pytest.mark.requirement("F-GRAPH-02")
def test_an_entity_is_unique_by_its_normalised_name() -> None:
    graph = EntityGraph()
    keys = {graph.add_entity(name) for name in ("Golden Retriever", "golden-retrievers", "  GOLDEN   retriever")}
    assert len(keys) == len(graph) == 1
    assert graph.entity("golden retriever").turns == 3
    assert "Golden Retrievers" in graph
    assert "poodle" not in graph


@pytest.mark.requirement("F-GRAPH-02")
def test_a_conflict_of_types_is_resolved_the_same_in_any_order() -> None:
    said = [NodeType.PLACE, NodeType.PERSON, NodeType.PERSON, NodeType.NAME, NodeType.NAME]
    for order in permutations(said):
        graph = EntityGraph()
        for kind in order:
            graph.add_entity("Jordan", kind)
        assert graph.entity("jordan").type is NodeType.PERSON
    graph = EntityGraph()
    graph.add_entity("Paris", "product")
    graph.add_entity("Paris", "place")
    assert graph.entity("Paris").type is NodeType.PLACE  # of equally frequent ones the first in NodeType


@pytest.mark.requirement("F-GRAPH-02")
def test_what_cannot_be_meant_is_refused() -> None:
    graph = graph_of(("a", "b"))
    with pytest.raises(InputError, match="no letter or digit"):
        graph.add_entity("!?")
    with pytest.raises(InputError, match="NodeType"):
        graph.add_entity("x", "planet")
    with pytest.raises(InputError, match="EdgeType"):
        graph.add_edge("a", "b", "hates")
    with pytest.raises(NotFoundError, match="add_entity"):
        graph.add_edge("a", "nobody")
    with pytest.raises(NotFoundError):
        graph.entity("nobody")
    with pytest.raises(InputError, match="count"):
        graph.add_entity("a", count=0)
    with pytest.raises(InputError, match="count"):
        graph.add_edge("a", "b", count=0)
    with pytest.raises(InputError, match="not an entity graph"):
        EntityGraph.from_dict({"entities": 3})
    with pytest.raises(InputError, match="an end that is not an entity"):
        EntityGraph.from_dict(
            {"entities": [], "aliases": {}, "edges": [{"source": "a", "target": "b", "type": "related_to", "count": 1}]}
        )


@pytest.mark.requirement("F-GRAPH-03")
def test_an_alias_leads_to_its_entity_and_takes_over_what_stood_under_it() -> None:
    graph = graph_of(("Melanie", "pottery"), ("Mel", "camping"), ("Mel", "Melanie"))
    graph.add_alias("Mel", "Melanie")
    assert graph.find("mel") == graph.find("Melanie")
    assert {each.name for each in graph.neighbours("Mel")} == {"pottery", "camping"}
    assert graph.entity("Melanie").aliases == ("Mel",)
    graph.add_entity("Mel")
    assert graph.entity("Melanie").turns == 5
    graph.add_alias("Melly", "Mel")
    assert graph.find("Melly") == graph.find("Melanie")
    graph.add_alias("Mel", "Melanie")  # again
    assert len(graph) == 3
    with pytest.raises(NotFoundError):
        graph.add_alias("Bo", "Robert")


@pytest.mark.requirement("F-GRAPH-03")
def test_neighbours_come_by_strength_and_kind() -> None:
    graph = graph_of(("a", "b"), ("a", "c"), ("a", "c"))
    graph.add_edge("a", "b", EdgeType.SPEAKS_OF, count=5)
    graph.add_edge("a", "a")
    found = [(each.name, str(each.edge), each.turns) for each in graph.neighbours("a")]
    assert found == [("b", "speaks_of", 5), ("c", "mentioned_with", 2), ("b", "mentioned_with", 1)]
    assert graph.linked("a") == ["b", "c"]
    assert graph.linked("nobody") == []


@pytest.mark.requirement("F-GRAPH-03")
@given(EDGES, st.randoms(use_true_random=False))
def test_the_order_of_adding_never_shows_and_the_wire_form_keeps_all(
    edges: list[tuple[str, str]], random: "object"
) -> None:
    mixed = list(edges)
    random.shuffle(mixed)  # type: ignore[attr-defined]  # a random.Random, which Hypothesis wraps
    one, other = graph_of(*edges), graph_of(*mixed)
    assert one.to_dict() == other.to_dict()
    again = EntityGraph.from_dict(one.to_dict())
    assert again.to_dict() == one.to_dict()
    seed = edges[0][0]
    assert list(spreading_activation(one, [seed]).items()) == list(spreading_activation(again, [seed]).items())
    assert one.entities() == again.entities()


@pytest.mark.requirement("F-GRAPH-02")
@pytest.mark.parametrize("name", [None, 5, b"Ann"])
def test_a_name_is_text(name: Any) -> None:
    graph = EntityGraph()
    graph.add_entity("Ann")
    for use in (graph.add_entity, graph.find, graph.entity, lambda name: spreading_activation(graph, [name])):
        with pytest.raises(InputError, match="expected text"):
            use(name)


@pytest.mark.requirement("F-GRAPH-02")
@pytest.mark.parametrize("seeds", [None, 5, "Ann"])
def test_seeds_are_names_not_one_text_letter_by_letter(seeds: Any) -> None:
    graph = EntityGraph()
    graph.add_entity("Ann")
    with pytest.raises(InputError, match=r"^seeds is "):
        spreading_activation(graph, seeds)
