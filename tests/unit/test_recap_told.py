"""What a recap tells a reader who was not there, and what it leaves out."""

import re
from dataclasses import replace

import pytest

from clew.condense.open_tasks import OpenTask
from clew.condense.recap import RecapSource, compose_recap
from clew.condense.recap_lines import agrees
from clew.condense.recap_told import phrases_to_ask
from clew.condense.sentence_worth import Rarity, best_passage
from clew.text.counters import counter
from clew.types.quests import Quest, QuestCheck, QuestStage
from tests.support.memories import quiet, told
from tests.unit.test_condense_recap import read

COUNT = counter()


@pytest.mark.requirement("C-LINE-02")
def test_advice_between_friends_is_no_constraint_and_what_one_decided_is_a_decision() -> None:
    turns = read(
        [
            told("Don't let the bumps in the road bring you down. Let's keep each other going.", speaker="Ann"),
            told("I decided to move to Lisbon in May, since my office opens there.", speaker="Ben", role="assistant"),
            told("I can't eat anything with gluten, so no bakery for me on Sunday.", speaker="Ann"),
        ]
    )
    text = compose_recap(RecapSource("s", turns), COUNT, style="chat").text
    assert "bumps in the road" not in text.partition("### Constraints")[2].partition("###")[0]
    decisions = text.partition("### Key decisions")[2].partition("###")[0]
    assert "I decided to move to Lisbon" in decisions
    assert "keep each other going" not in decisions


@pytest.mark.requirement("C-LINE-02")
def test_the_best_sentence_of_a_turn_is_quoted_and_what_all_say_is_not() -> None:
    text = "Hey Mel, great to chat with you again! My daughter Mia starts at the school in Porto next week. Wow!"
    assert text[best_passage(text).start :].startswith("My daughter Mia")
    often = [f"I keep pushing to reach my dreams number {n}." for n in range(20)]
    mixed = "I keep pushing to reach my dreams. I was noticed by editors of a fashion magazine."
    assert mixed[best_passage(mixed, Rarity([*often, mixed])).start :].startswith("I was noticed")


@pytest.mark.requirement("C-LINE-02")
def test_a_request_that_is_answered_is_not_in_progress_after_thanks() -> None:
    work = [
        told("Please change my flight to the one at noon."),
        told("Your flight leaves at noon now, paid with the gift card.", role="assistant"),
    ]
    for last, state in (("Thank you so much for your help!", "Last request answered"), ("And a bag?", "In progress")):
        text = compose_recap(RecapSource("s", read([*work, told(last)])), COUNT, style="quest").text
        assert f"**Status:** {state}" in text


@pytest.mark.requirement("C-LINE-02")
def test_a_plan_that_is_repeated_is_no_point_of_an_agents_session() -> None:
    plan = "Step {n}: Run the test to verify it passes."
    found = "The lease of the worker on juno expired because its clock was four minutes late."
    turns = read([told(plan.format(n=n), role="assistant") for n in range(8)] + [told(found, role="assistant")])
    text = compose_recap(RecapSource("s", [*turns, *read([told("Fine, go on.")])]), COUNT, style="quest").text
    assert "verify it passes" not in text.partition("### Points")[2]


def section_of(text: str, name: str) -> str:
    return text.partition(f"### {name}\n")[2].partition("###")[0]


@pytest.mark.requirement("F-TOPIC-02")
@pytest.mark.parametrize(
    ("announced", "is_decision"),
    [
        ("I need to create a useTodos hook and add all components to the main page.", False),
        ("To fix the aliasing of the lease, we need to change the code of the worker.", False),
        ("I can see that the page uses `title` instead of `text` for the entries.", False),
        ("We are in a worktree already, so we can proceed directly if you'd like.", False),
        ("We need to use a lease instead of a lock, because the folder is on NFS.", True),
        ("We decided to keep the lease, and to add a test of the clock.", True),
    ],
)
def test_an_agents_announced_step_is_no_decision_unless_it_says_what_it_prefers_or_why(
    announced: str, is_decision: bool
) -> None:
    turns = read([told("Please mend the worker of the harbour import."), told(announced, role="assistant")])
    turns += [replace(turn, seq=turn.seq + 2) for turn in read([told("Why is it late?"), told("Its clock.")])]
    text = compose_recap(RecapSource("s", turns), COUNT, style="quest").text
    assert (announced[:40] in section_of(text, "Key decisions")) == is_decision


@pytest.mark.requirement("F-TOPIC-02")
def test_consent_without_a_name_is_no_decision_and_heads_no_stretch() -> None:
    said = [
        "Please cancel the trip to Porto in May.",
        "Yes, please go ahead with the update.",
        "And please book the flight HAT12 to Lisbon in June.",
        "Yes, please go ahead and book HAT12.",
        "How much is a second bag on that flight?",
    ]
    turns = read([told(text) for text in said])
    text = compose_recap(RecapSource("s", turns, topics=[("trip", 0), ("update", 1)]), COUNT, style="quest").text
    assert "go ahead with the update" not in text
    assert "go ahead and book HAT12" in section_of(text, "Key decisions")


@pytest.mark.requirement("F-TOPIC-02")
def test_a_quest_says_what_was_done_and_found_each_once_with_its_turn() -> None:
    found = "The tides are doubled because the lease of the worker expires before the import has ended."
    said = [
        "Now let me look at the worker:",
        found,
        f"Again: {found}",
        "I will add a generation to the key of each row next.",
        "I've added the generation to the key, and all 48 tests of the importer pass.",
        "What else is there to do here?",
    ]
    turns = read([told("Why are the tides doubled?"), *(told(text, role="assistant") for text in said), told("Fine")])
    text = section_of(compose_recap(RecapSource("s", turns), COUNT, style="quest").text, "Done and found")
    assert text.split("\n")[:2] == [
        f"- [#3] Again: {found}",
        "- [#5] I've added the generation to the key, and all 48 tests of the importer pass.",
    ]
    assert "will add" not in text


@pytest.mark.requirement("F-TOPIC-02")
def test_what_failed_is_told_once_and_entries_of_a_list_do_not_run_together() -> None:
    strict = "It seems that there might be some strict rules of the linter, so the edit failed {}."
    listed = "What the harbour screen has:\n\n- A list of the ports of the coast\n- A form for the names of boats"
    turns = read([told(strict.format(n), role="assistant") for n in ("again", "once more", "a third time")])
    turns += [replace(turn, seq=turn.seq + 3) for turn in read([told(listed), told("The clock of juno is late.")])]
    text = compose_recap(RecapSource("s", turns), COUNT, style="quest").text
    assert section_of(text, "Tried without success").count("strict rules") == 1
    assert "A list of the ports of the coast; A form for the names of boats" in text


@pytest.mark.requirement("F-TOPIC-02")
def test_lines_of_code_and_headings_are_no_values() -> None:
    code = "```sh\nconfig:\n---\n```\nerror: state.error,\n`catch (TypeError) {` and 2. Commit and Error: no lock left"
    marks = {mark.value for mark in read([told(code)])[0].marks}
    assert marks.isdisjoint({"config:", "---", "error: state.error,", "2. Commit"})


@pytest.mark.requirement("C-LINE-03")
def test_one_can_ask_about_what_several_turns_speak_of_and_not_about_who_talks() -> None:
    said = ["The lease of Ann's boat ends in June.", "Is the Lease ours?", "A photo of it.", "Ann has a photo.", "Yes"]
    turns = read([told(text, speaker=speaker) for text, speaker in zip(said, ["Ann", "Ben"] * 3, strict=False)])
    topics = [("lease, ann", 0), ("photo, ann", 2), ("ann, photo", 3), ("photo", 4), ("harbour", 4)]
    assert phrases_to_ask(topics, turns) == ["Lease"]


@pytest.mark.requirement("C-LINE-02")
@pytest.mark.parametrize("title", ["login", "the login fix", "Find out"])
def test_a_title_out_of_the_middle_of_a_request_does_not_cut_it(title: str) -> None:
    asked = "Find out why users are logged out after the login fix, and leave the page alone."
    text = compose_recap(RecapSource("s", read([told(asked)]), title=title), COUNT).text
    assert f"[#0]: {asked[:60]}" in text


@pytest.mark.requirement("C-LINE-02")
def test_a_request_is_told_from_its_title_on_behind_what_a_client_wrote() -> None:
    asked = "# Files mentioned by the user:\n\n- a.py\n\n## My request for Codex:\nFind out why users are logged out."
    text = compose_recap(RecapSource("s", read([told(asked)]), title="Find out why users are\u2026"), COUNT).text
    assert "[#0]: Find out why users are logged out." in text


@pytest.mark.requirement("F-TOPIC-02")
def test_consent_that_never_ends_is_read_in_time() -> None:
    assert agrees("Yes, that works for me, please go ahead.")
    assert not agrees("that works " * 90 + "for Ann")


@pytest.mark.requirement("RECAP-READ-01")
def test_what_friends_once_decided_in_a_story_is_no_decision_and_a_plan_is() -> None:
    stories = (
        "After the coffee, we decided to take a walk in the park of the old town.",
        "Last year for spring break we decided to go to Tulum with my cousins.",
        "I decided to go to Miami where we got to watch the fireworks from the pier.",
    )
    plan = "I've decided to move to the Banff office in May, since my sister lives there."
    turns = read([told(text, speaker=name) for name in ("Ann", "Bo") for text in (*stories, plan)])
    decisions = compose_recap(RecapSource("s", turns), COUNT, style="chat").text.partition("### Key decisions")[2]
    assert plan in decisions
    assert not [story for story in stories if story in decisions.partition("###")[0]]


@pytest.mark.requirement("RECAP-READ-01")
def test_the_mental_map_is_of_the_whole_session() -> None:
    matters = (*BOATS, "trawler", "cutter", "dinghy", "raft", "ketch", "sloop", "tug")
    said = [
        told(f"Please repaint the {each} that lies at pier {place} of Holmen.")
        for place, each in enumerate(matters * 4)
    ]
    topics = [(each, place) for place, each in enumerate(matters * 4)]
    text = compose_recap(RecapSource("s", read(said), topics=topics), COUNT, budget=1_500, style="quest").text
    shown = [int(seq) for seq in re.findall(r"- \[#(\d+)\]", text.partition("### Mental map")[2].partition("###")[0])]
    assert len(shown) >= 3
    assert min(shown) < 16
    assert any(16 <= seq < 32 for seq in shown)
    assert max(shown) >= 32


@pytest.mark.requirement("RECAP-READ-01")
def test_a_long_last_request_is_quoted_from_what_only_it_says() -> None:
    frame = "I've uploaded a code repository in the directory /workspace. Can you help me implement the changes? "
    ends = "All tests were taken care of, so that you need not modify them in any way. " * 8
    asked = [f"{frame}The {boat} timetable of Holmen loses the last sailing on Sundays. {ends}" for boat in BOATS]
    turns = [told(text, role=role) for each in asked for role, text in (("user", each), ("assistant", "It is mended."))]
    last = compose_recap(RecapSource("s", read(turns)), COUNT, style="quest").text.partition("### Last words")[2]
    assert f"The {BOATS[-1]} timetable of Holmen loses the last sailing on Sundays." in last


BOATS = ("ferry", "kayak", "barge", "yacht", "canoe")


@pytest.mark.requirement("RECAP-SMALL-01")
def test_a_small_recap_spends_little_on_its_frame() -> None:
    asked = [f"Please repaint the {boat} of Holmen, and mind the {boat}_lease.py of {boat}Port." for boat in BOATS * 8]
    turns = read(
        [told(text, role=role) for each in asked for role, text in (("user", each), ("assistant", "Done so."))]
    )
    shifts = [replace(turn, is_shift=turn.seq % 9 == 4, calls=("Read(/srv/lease.py)",)) for turn in turns]
    tasks = [OpenTask("Paint the hull", 7), OpenTask("Paint the mast", 7), OpenTask("Ask Bo", 9)]
    topics = [(boat, 2 * place) for place, boat in enumerate(BOATS * 8)]
    source = RecapSource("062a8bdd-4322-4ffa-bc38-3e8b8bfb5a56", shifts, topics=topics, tasks=tasks)
    small, usual = (compose_recap(source, COUNT, budget=budget, style="quest").text for budget in (400, 1_500))
    for text in (small, usual):
        assert "- [#7] Paint the hull; Paint the mast\n- [#9] Ask Bo\n" in text
    assert "`clew restore 062a8bdd:turn:n`" in small
    assert "`clew restore 062a8bdd-4322-4ffa-bc38-3e8b8bfb5a56:turn:n` opens it in full." in usual
    assert "### You can ask" not in small
    assert "### You can ask" in usual
    assert all(f"#{turn.seq}" in small for turn in shifts if turn.is_shift)


@pytest.mark.requirement("RECAP-READ-01")
@pytest.mark.parametrize(
    ("tasks", "last", "status"),
    [
        ([], "", "Work done, last check passed; last request answered"),
        ([OpenTask("Ask Bo", 1)], "", "In progress, last check passed; tasks open"),
        ([], "And the mast?", "Earlier work done, last check passed; last request not answered yet"),
    ],
)
def test_what_is_done_and_what_is_open_do_not_contradict_each_other(
    tasks: list[OpenTask], last: str, status: str
) -> None:
    quest = Quest(
        id="s:quest:0",
        session="s",
        title="Paint the hull",
        stage=QuestStage.COMPLETE,
        first=0,
        last=1,
        checks=(QuestCheck(seq=1, command="pytest", passed=True),),
    )
    said = [told("Paint the hull of the ferry."), told("The hull of the ferry is painted now.", role="assistant")]
    turns = read([*said, *([told(last)] if last else [])])
    text = compose_recap(RecapSource("s", turns, tasks=tasks, quest=quest), COUNT, style="quest").text
    assert f"**Status:** {status}\n" in text


@pytest.mark.requirement("D-SIGMA-11")
@pytest.mark.parametrize(("threshold", "section"), [(5.0, "### Points: structural"), (10.0, "### Points")])
def test_the_setting_says_from_which_score_an_overlay_is_a_section(threshold: float, section: str) -> None:
    lines = [
        "Passwords and tokens leak because authentication has a vulnerability.",
        "The architecture splits the module into components and layers.",
        "Ann went to the market in Lisbon and bought apples.",
    ]
    with quiet(config={"analyze": {"overlay_threshold": threshold}}) as memory:
        memory.add_many(told(line, session="s", speaker="Ann") for line in lines * 2)
        assert memory.drain(200)
        assert section in memory.recap("s").text.splitlines()
