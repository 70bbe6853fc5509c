"""Thanks and goodbyes are told from words that an answer is due to."""

import pytest

from clew.condense.courtesy import without_courtesy
from clew.condense.recap_lines import is_request


@pytest.mark.requirement("A-LINE-08")
@pytest.mark.parametrize(
    "text",
    [
        "thanks! that's it for today",
        "You're welcome! Have a nice evening.",
        "Thank you for your help! That's all for now. You were the kindest agent.",
        "Great, thank you so much!",
        "Glad I could help! Happy coding!",
        "If there's anything else you need, feel free to let me know!",
        "Happy to help! Let me know if you need anything else.",
        "Bye!",
        "Thanks Kate!",
    ],
)
def test_thanks_and_goodbyes_say_nothing_else(text: str) -> None:
    assert without_courtesy(text) == ""
    assert not is_request(text)


@pytest.mark.requirement("A-LINE-08")
@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("Thanks! Please update the page.", "Please update the page."),
        ("That's all for now. Or does it crash?", "Or does it crash?"),
        ("ok, thanks, and rename it", "ok, thanks, and rename it"),
        ("Yes, use the table of the pump.", "Yes, use the table of the pump."),
        ("Have a look at the pump.", "Have a look at the pump."),
        ("That's it: the pump leaks.", "That's it: the pump leaks."),
        ("no", "no"),
        ("", ""),
    ],
)
def test_what_is_asked_stays(text: str, stays: str) -> None:
    assert without_courtesy(text) == stays


@pytest.mark.requirement("A-LINE-08")
def test_a_long_text_is_not_only_polite() -> None:
    text = "Thanks! " * 200
    assert without_courtesy(text) == text
