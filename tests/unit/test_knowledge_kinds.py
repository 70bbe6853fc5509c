"""A preference without a purpose is for the kind of its value."""

import pytest

from clew.knowledge.kinds import kind_of, versioned_product
from tests.support.memories import quiet, told

pytestmark = pytest.mark.requirement("K-KEEP-28")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("tea", "drink"),
        ("a herbal tea", "drink"),
        ("Visual Studio Code", "editor"),
        ("dark mode in editors", "mode"),
        ("detailed answers", "answer"),
        ("window seats", "seat"),
        ("tea and coffee", None),
        ("comparing methods", None),
        ("to walk home", None),
        ("things simple", None),
        ("Ada Lovelace", None),
        ("Marlowe", None),
        ("", None),
        ("the", None),
        ("very long answers about everything", "answer"),
        ("five very long answers", None),
    ],
)
def test_the_kind_is_shown_by_a_list_or_by_the_last_noun(value: str, kind: str | None) -> None:
    assert kind_of(value) == kind


@pytest.mark.parametrize(
    ("said", "held"),
    [
        (("I prefer tea.", "I prefer coffee now."), {"coffee"}),
        (("I prefer dark mode.", "Actually, I prefer light mode now."), {"light mode"}),
        (("I prefer tea over coffee.", "I prefer juice."), {"juice"}),
        (("I prefer tea.", "I prefer dark mode."), {"tea", "dark mode"}),
        (("I prefer tea for breakfast.", "I prefer coffee."), {"tea", "coffee"}),
        (("I prefer tea.", "I don't prefer tea any more."), set()),
        (("I prefer coffee.", "No, I meant tea, not coffee."), {"tea"}),
        (
            ("I prefer visual learning.", "I prefer comparing several methods."),
            {"visual learning", "comparing several methods"},
        ),
    ],
)
def test_a_later_preference_replaces_one_of_its_kind(said: tuple[str, ...], held: set[str]) -> None:
    with quiet() as memory:
        memory.add_many([told(text) for text in said])
        memory.drain()
        facts = memory.facts("user", "prefers")
    assert {fact.object for fact in facts} == held
    assert {fact.scope for fact in facts} <= {None, "breakfast"}  # a kind that nobody said is not shown


@pytest.mark.parametrize(
    ("value", "product"),
    [
        ("Python 3.11", "python"),
        ("Node v20", "node"),
        ("React Native 0.72", "react native"),
        ("React 17 in the shop", "react in the shop"),
        ("the Django 4.2.x", "django"),
        ("Python", None),
        ("3.11", None),
        ("Python 3.11 and Node 20", None),
        ("two monitors", None),
        ("Route 66 maps", None),
        ("about 20 licences", None),
    ],
)
def test_a_version_is_of_the_product_before_it(value: str, product: str | None) -> None:
    assert versioned_product(value) == product


@pytest.mark.parametrize(
    ("said", "held"),
    [
        (("We use Python 3.11.", "We upgraded to Python 3.12."), {"Python 3.12"}),
        (("We use Python 3.11.", "We use Python 3.12 now."), {"Python 3.12"}),
        (("We use Node 18.", "We moved to Node 20."), {"Node 20"}),
        (("I use Windows 11 at home.", "I use Windows 10 at work."), {"Windows 11 at home", "Windows 10 at work"}),
        (("We use Python 3.11.", "We upgraded to Node 20."), {"Python 3.11", "Node 20"}),
        (("We use Python 3.11.", "We also use Python 3.12."), {"Python 3.11", "Python 3.12"}),
        (("We use Python 3.11.", "We stopped using Python 3.11."), set()),
    ],
)
def test_a_version_replaces_another_of_its_product(said: tuple[str, ...], held: set[str]) -> None:
    with quiet() as memory:
        memory.add_many([told(text) for text in said])
        memory.drain()
        assert {fact.object for fact in memory.facts(verb="uses")} == held
