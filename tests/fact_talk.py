"""Turns that state facts in a language of their own, so that tests of storage do not depend on rules for English.

A line `Ann: lives in | Porto` states a fact; `!` before the object denies it, `?` makes it a plan, `~` takes it back,
and `(reason)` after it names what it rests on.
"""

import re
from collections.abc import Sequence

from clew.types.facts import Effect, FactStatus, Statement
from clew.types.turn import Turn

_LINE = re.compile(
    r"(?P<subject>[^:|]+): (?P<verb>[^|]+) \| (?P<mark>[!?~]?)(?P<object>[^(|]+?)(?: \((?P<rest>[^)]*)\))?"
)


class Lines:
    """Finds the statements of such lines."""

    reach = 1
    version = 1

    def __call__(self, turns: Sequence[Turn], before: Sequence[Turn]) -> list[Statement]:
        """See `clew.derive.facts.StatementMaker`: "She" is the subject of the turn before."""
        found: list[Statement] = []
        last = before[-1] if before else None
        for turn in turns:
            for number, line in enumerate(turn.text.splitlines()):
                stated = _LINE.fullmatch(line)
                if stated is not None:
                    found.append(self._statement(turn, number, stated, last))
            last = turn
        return found

    def _statement(self, turn: Turn, number: int, stated: re.Match[str], last: Turn | None) -> Statement:
        subject = stated["subject"]
        if subject == "She":
            subject = "Nobody" if last is None else last.text.partition(":")[0]
        effects = {"!": Effect.CEASES, "~": Effect.RETRACTS}
        return Statement(
            turn=str(turn.id),
            ordinal=number,
            said_at=turn.at,
            subject=subject,
            verb=stated["verb"],
            object=stated["object"],
            status=FactStatus.PLANNED if stated["mark"] == "?" else FactStatus.ACTIVE,
            effect=effects.get(stated["mark"], Effect.STATES),
            rests_on=(stated["rest"],) if stated["rest"] else (),
        )
