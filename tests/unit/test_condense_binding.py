"""Which sentences of a session are told in a brief as decided or as to be kept."""

from pathlib import Path

import pytest

from clew.condense.binding import is_binding
from clew.condense.statements import kind_of
from clew.memory import Memory
from clew.types import Turn
from clew.types.turn import Role

DECIDED = (
    ("We decided to keep Redis for sessions.", False),
    ("Decided: sessions go into PostgreSQL, Redis is off.", True),
    ("We could rename the package, but that's scope creep.", False),
    ("I'll go with the cheaper of the two, since nobody flies on a Monday.", True),
    ("We ruled out a second replica for now.", False),
    ("The final decision is to ship without the importer.", True),
    ("Then we switch to Adyen.", True),
    ("As for the payment, I'd like to use the two certificates first.", True),
    ("We went with Hetzner for the servers.", False),
    ("I'd like to pay with the card ending in 7334.", True),
    ("Please go ahead and cancel the reservation S61CZX.", True),
    ("Alright, let's stick with SQLite.", True),
    ("I've decided against microservices for now, which keeps the first version simple.", True),
    ("I prefer the queue, so we settled on NATS.", False),
    ("Agreed, no second replica for now.", True),
)
"""What is a decision, and whether a person said it rather than an assistant."""

ONLY_WORDED_SO = (
    ("It should be before the `return` statement at line 317.", False),
    ("The `idseqsingle` rule has been modified to set the flag.", False),
    ("You can use `curl` to check the headers of the answer.", False),
    ("Once these steps are done, you can proceed with the code review.", False),
    ("Booking a room for each of you is a feasible approach.", False),
    ("You want to reschedule the first leg from May 23 to May 24.", False),
    ("It's moved: room 17, 10 to 12 October, with the same pillows.", False),
    ("Please go ahead and run the audit on your site.", False),
    ("Yes, please proceed with this option.", True),
    ("Please go ahead with the update.", True),
    ("I'd like to go ahead with Option 2, please.", True),
    ("Could you please go ahead and book the second flight for me?", True),
    ("Alright, let's move on to changing the return flight.", True),
    ("How's everything going with the mentoring program?", True),
    ("Maybe somebody will go ahead and implement it.", True),
    ("Last year for spring break we decided to go to Tulum.", True),
    ("Plus, I picked up a few new recipes on the way.", True),
    ("They have decided that this is the way to go.", True),
    ("The note explains that this decision is temporary and necessary.", False),
    ("which is what I chose in the end, and time as well", True),
)

KEPT = (
    "Never commit to the main branch.",
    "Always include version numbers when I ask about libraries.",
    "I prefer lightweight solutions over heavy frameworks, and explanations with concrete examples before code",
    "The app must stay under 2.5 MB.",
)
NOT_KEPT = (
    "Would that keep it under $1,000?",
    "make sure that I'm handling errors properly",
    "I heard that basic economy can't be changed.",
    "Can you help me to keep the bundle under 150 KB, please.",
    "I'm trying to understand why it holds only if both are independent.",
)


@pytest.mark.parametrize(("sentence", "by_person"), DECIDED)
def test_a_decision_is_told(sentence: str, by_person: bool) -> None:
    assert kind_of(sentence) == "decision"
    assert is_binding("decision", sentence, by_person=by_person, among_people=False)


@pytest.mark.parametrize(("sentence", "by_person"), ONLY_WORDED_SO)
def test_what_is_only_worded_like_a_decision_is_not_told(sentence: str, by_person: bool) -> None:
    assert not is_binding("decision", sentence, by_person=by_person, among_people=False)


@pytest.mark.parametrize("sentence", KEPT)
def test_what_a_person_forbids_or_requires_is_told(sentence: str) -> None:
    assert is_binding("constraint", sentence, by_person=True, among_people=False)
    assert not is_binding("constraint", sentence, by_person=False, among_people=False)


@pytest.mark.parametrize("sentence", NOT_KEPT)
def test_questions_hearsay_and_goals_are_not_to_be_kept(sentence: str) -> None:
    assert not is_binding("constraint", sentence, by_person=True, among_people=False)


@pytest.mark.parametrize(
    "sentence",
    [
        "Today I decided to give the new recipe a try with the kids.",
        "I chose furniture that looks great and is comfy too.",
        "Don't give up, buddy, you must believe in yourself.",
    ],
)
def test_pastimes_and_encouragement_among_people_bind_nobody(sentence: str) -> None:
    assert not is_binding(kind_of(sentence) or "decision", sentence, by_person=True, among_people=True)


def test_what_people_agreed_on_binds_them() -> None:
    assert is_binding("decision", "We switched to OVH.", by_person=True, among_people=True)


def test_a_brief_tells_decisions_and_no_reports_or_advice(tmp_path: Path) -> None:
    said: tuple[tuple[Role, str], ...] = (
        ("user", "Move the sessions out of Redis. Never touch the migrations folder."),
        ("assistant", "We decided to keep a table for sessions. It should be before the users table in the file."),
        ("user", "Yes, please proceed with that. Would it be at least 20 percent faster?"),
        ("assistant", "The schema has been changed to hold them. You can use the admin to look at them."),
    )
    with Memory.open(tmp_path / "home", embedder="none") as memory:
        memory.add_many([Turn(role=role, content=text, session="s") for role, text in said])
        told = memory.brief()
    assert told.endswith(
        "To be kept:\n- Never touch the migrations folder.\n\nDecided:\n- We decided to keep a table for sessions."
    )
