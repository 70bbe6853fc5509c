"""The HCE document's interface: numbers and texts that a caller gives, checked where they come in."""

from typing import Any

import pytest

from clew.errors import InputError
from clew.views.hce import (
    ContextCandidate,
    EntityExtractor,
    HCEPipeline,
    SemanticTree,
    SlidingFocusBuffer,
    context_budgeting,
    estimate_tokens,
    hierarchical_relevance_search,
)


@pytest.mark.requirement("F-HCE-02")
@pytest.mark.parametrize("size", [0, -1, "3", None, 1.5, True])
def test_a_buffer_has_a_whole_number_of_places(size: Any) -> None:
    with pytest.raises(InputError, match=r"^max_size "):
        SlidingFocusBuffer(size)


@pytest.mark.requirement("F-HCE-02")
@pytest.mark.parametrize("count", [-1, "2", 1.5])
def test_recent_messages_are_asked_for_by_a_whole_number(count: Any) -> None:
    with pytest.raises(InputError, match=r"^n "):
        SlidingFocusBuffer().get_recent(count)


@pytest.mark.requirement("F-HCE-03")
def test_a_budget_and_what_it_counts_are_numbers() -> None:
    for budget in (None, "5", float("nan")):
        with pytest.raises(InputError, match=r"^budget "):
            context_budgeting([], budget)  # type: ignore[arg-type]  # what a caller without types may give
    for utility, cost in (("high", 1), (1.0, None)):
        candidate = ContextCandidate("a", "graph", 1.0, 1)
        candidate.utility, candidate.token_cost = utility, cost  # type: ignore[assignment]  # as above
        with pytest.raises(InputError, match="expected 0 or more"):
            context_budgeting([candidate], 5)
    with pytest.raises(InputError, match="expected text"):
        estimate_tokens(None)  # type: ignore[arg-type]  # as above


@pytest.mark.requirement("F-HCE-04")
@pytest.mark.parametrize("budget", [-1, "4000", None, 1.5])
def test_a_pipeline_has_a_budget_of_whole_tokens(budget: Any) -> None:
    with pytest.raises(InputError, match=r"^context_budget "):
        HCEPipeline(context_budget=budget)


@pytest.mark.requirement("F-HCE-04")
@pytest.mark.parametrize("text", [None, 5, b"bytes"])
def test_what_is_no_text_is_refused(text: Any) -> None:
    tree = SemanticTree()
    for use in (tree.add, tree.search, EntityExtractor().extract):
        with pytest.raises(InputError, match="expected text"):
            use(text)
    with pytest.raises(InputError, match=r"^limit is "):
        hierarchical_relevance_search(tree, "tea", "3")  # type: ignore[arg-type]  # what a caller without types may give
