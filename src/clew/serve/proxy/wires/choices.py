"""The answers to a request that asked for several (`n`, `candidateCount`), which come side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from clew.condense.wires.protocol import blocks
from clew.serve.proxy.exchange import Answer


def numbered(choices: object) -> Iterator[tuple[int, dict[str, Any]]]:
    """The choices with their numbers; one that tells none has its place in the list."""
    for index, choice in enumerate(blocks(choices)):
        number = choice.get("index")
        yield (number if isinstance(number, int) else index), choice


def side_by_side(answers: Sequence[Answer]) -> Answer:
    """The first answer, with the others beside it; one that is not complete where there is none."""
    first, *others = answers or (Answer(complete=False),)
    return replace(first, others=tuple(other for other in others if other.messages))
