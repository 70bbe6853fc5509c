"""Tools' results that only confirm their calls are left out of blocks."""

import pytest

from clew.assemble.confirmations import confirms_only, is_silent, may_confirm
from clew.memory import Memory
from clew.types import Part, Turn
from tests.support.memories import quiet

EDIT = 'Edit({"file_path": "/srv/shop/cart/total.py", "old_string": "a", "new_string": "b"})'
TASK = 'TaskCreate({"subject": "Render the cart as a tree", "description": "With totals."})'


@pytest.mark.requirement("F-BLOCK-24")
@pytest.mark.parametrize(
    ("result", "call", "confirms"),
    [
        ("The file /srv/shop/cart/total.py has been updated successfully.", EDIT, True),
        ("Task #3 created successfully: Render the cart as a tree", TASK, True),
        ("Updated task #3 status", 'TaskUpdate({"taskId": "3", "status": "completed"})', True),
        ("Success. Updated the following files:\nM cart/total.py", EDIT, True),
        (
            "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nSuccess. Updated the following files:\nM total.py",
            EDIT,
            True,
        ),
        (
            "Exit code: 1\nWall time: 0.1 seconds\nOutput:\nSuccess. Updated the following files:\nM total.py",
            EDIT,
            False,
        ),
        ("Success. Updated the following files:\nM cart/total.py\nM cart/tax.py", EDIT, False),
        ("Updated total.py\nExit code: 0\nWall time: 2 seconds\nOutput:", EDIT, False),
        ("Task 4711 created successfully: Render the cart as a tree", TASK, False),
        ("Record created successfully: id 9f3c", TASK, False),
        ("The file /srv/shop/cart/tax.py has been updated successfully.", EDIT, False),
        ("1 file changed, 3 insertions(+)", "Bash(git commit)", False),
        ("String to replace not found in file.", EDIT, False),
        (
            "Todos have been modified successfully. Ensure that you continue to use the todo list to track your work.",
            "TodoWrite({})",
            True,
        ),
        ("Updated 250 rows", "update rows set price = 1", False),
        ("3 deleted", "DELETE FROM carts", False),
        (
            "Error: the file has not been updated, x was not found",
            'Edit({"new_string": "error: x was not found"})',
            False,
        ),
        ("Deleted, but could not be removed from the list", "delete: it could not be, but removed from", False),
        ("No files found", 'Glob({"pattern": "*.md"})', False),
        ("ok " * 200, EDIT, False),
    ],
)
def test_a_result_confirms_only_where_it_says_no_more_than_its_call(result: str, call: str, confirms: bool) -> None:
    assert (may_confirm(result) and confirms_only(result, [call])) is confirms


@pytest.mark.requirement("F-BLOCK-24")
@pytest.mark.parametrize(
    ("result", "silent"),
    [
        ("(Bash completed with no output)", True),
        ("Tool ran without output or errors", True),
        ("Exit code: 0\nWall time: 0.1 seconds\nOutput:\n", True),
        ("Process exited with code 0 and no output", True),
        ("Process exited with code 1 and no output", False),
        ("Exit code: 1\nWall time: 0.1 seconds\nOutput:\n", False),
        ("No results", False),
        ("No errors", False),
        ("no output of the sensor since Monday", False),
        ("", False),
    ],
)
def test_a_result_is_silent_where_it_says_only_that_nothing_was_printed(result: str, silent: bool) -> None:
    assert is_silent(result) is silent


def work() -> Memory:
    """A session in which an agent edits files; the results have the words of the question, and cost little."""
    memory = quiet()
    memory.add(Turn(role="user", content="The totals of the cart are wrong, please fix them.", session="shop"))
    for number in range(12):
        call = Part(
            type="tool_call",
            name="Edit",
            call_id=str(number),
            text=f'{{"file_path": "/srv/cart/total{number}.py", "old_string": "x", "new_string": "y"}}',
        )
        done = f"The file /srv/cart/total{number}.py has been updated successfully."
        memory.add(Turn(role="assistant", content=(call,), session="shop"))
        memory.add(
            Turn(role="tool", content=(Part(type="tool_result", call_id=str(number), text=done),), session="shop")
        )
    memory.add(Turn(role="assistant", content="The totals were wrong since tax was added twice.", session="shop"))
    return memory


@pytest.mark.requirement("F-BLOCK-24")
def test_confirmations_leave_the_block_to_what_was_found() -> None:
    with work() as memory:
        context = memory.recall("why were the totals of the cart wrong, and what was updated?", budget=300)
        assert "tax was added twice" in context.text
        assert "successfully" not in context.text
        assert any("confirms its call" in each.reason for each in context.omitted)
        assert "updated successfully" in memory.recall("which files of the cart were updated?", budget=600).text


@pytest.mark.requirement("F-BLOCK-24")
def test_a_confirmation_stays_where_the_question_asks_for_it() -> None:
    with work() as memory:
        for question in ("did the edit of total7.py succeed?", "what was updated in the directory of the cart?"):
            assert "successfully" in memory.recall(question, budget=600).text


@pytest.mark.requirement("F-BLOCK-24")
def test_results_without_output_are_left_out_unless_asked_for() -> None:
    with quiet() as memory:
        memory.add(Turn(role="user", content="Please move the sails to the loft.", session="yard"))
        for number in range(6):
            call = Part(
                type="tool_call", name="Bash", call_id=str(number), text=f'{{"command": "mv sail{number} loft"}}'
            )
            done = Part(type="tool_result", call_id=str(number), text="(Bash completed with no output)")
            memory.add(Turn(role="assistant", content=(call,), session="yard"))
            memory.add(Turn(role="tool", content=(done,), session="yard"))
        context = memory.recall("why did we move the sails to the loft?", budget=600)
        assert "mv sail" in context.text
        assert "no output" not in context.text
        assert any("nothing was printed" in each.reason for each in context.omitted)
        assert "no output" in memory.recall("did moving the sails to the loft print anything?", budget=600).text
