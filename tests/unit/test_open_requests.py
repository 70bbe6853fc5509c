"""Whether the last request has an answer, as the brief and the recap tell it."""

import pytest

from clew.condense.recap_lines import awaits_answer
from clew.types import Part, Turn
from clew.types.turn import Role
from tests.support.memories import NOON, quiet

Said = tuple[tuple[Role, str | Part], ...]
CALL = Part(type="tool_call", text='{"path": "sink.py"}', extra={"id": "c1", "name": "read"})
RESULT = Part(type="tool_result", text="import tap", extra={"id": "c1"})


@pytest.mark.requirement("M-TRY-05")
@pytest.mark.parametrize(
    ("last", "waits"),
    [
        ((), False),
        ((("user", "Mend the sink as well, please."),), True),
        ((("user", "Mend the sink as well, please."), ("assistant", CALL), ("tool", RESULT)), True),
        ((("user", "Mend the sink as well, please."), ("assistant", "The sink is mended.")), False),
        ((("user", "Thanks!"),), False),
        ((("user", "Mend the sink as well, please."), ("user", "Thanks!")), True),
    ],
)
def test_the_brief_and_the_recap_agree_on_an_open_request(last: Said, waits: bool) -> None:
    begun: Said = (
        ("user", "Mend the tap in sink.py."),
        ("assistant", CALL),
        ("tool", RESULT),
        ("assistant", "It is mended."),
    )
    with quiet() as memory:
        for role, said in (*begun, *last):
            parts = (said,) if isinstance(said, Part) else said
            memory.add(Turn(role=role, content=parts, session="s", at=NOON))
        brief, recap = memory.brief(), memory.recap("s", style="quest", until_now=True).text
    assert ("The last request has no answer." in brief) == waits
    status = next(line for line in recap.splitlines() if line.startswith("**Status:**"))
    ends = ("In progress", "last request not answered yet") if waits else ("ast request answered",)
    assert status.endswith(ends)


@pytest.mark.requirement("M-TRY-05")
def test_nobody_awaits_an_answer_where_nothing_was_asked() -> None:
    assert not awaits_answer(())
    assert not awaits_answer((("tool", "What is it?"), ("assistant", ""), ("user", "Thanks!")))
