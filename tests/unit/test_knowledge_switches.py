"""Facts by rules: what is used instead of something else."""

from datetime import UTC, datetime

import pytest

from clew.knowledge.rules.extract import statements
from clew.types.turn import Turn

MONDAY = datetime(2023, 5, 8, 12, tzinfo=UTC)


def used(text: str) -> list[tuple[str, str, str | None, str | None]]:
    """What a text says is used: by whom, what, instead of what, for what."""
    turn = Turn(role="user", content=text, at=MONDAY).stored(seq=0, ordinal=0, ingested_at=MONDAY)
    return [
        (each.subject, each.object, each.instead_of, each.scope) for each in statements([turn]) if each.verb == "uses"
    ]


@pytest.mark.requirement("K-READ-14")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We ditched Redis for Postgres.", ("we", "Postgres", "Redis", None)),
        ("We abandoned Kafka for RabbitMQ.", ("we", "RabbitMQ", "Kafka", None)),
        ("We scrapped Oxenfurt in favor of Lyria for the mobile app.", ("we", "Lyria", "Oxenfurt", "mobile app")),
        ("We replaced Redis with Postgres for sessions.", ("we", "Postgres", "Redis", "sessions")),
        ("We moved to Postgres from MySQL.", ("we", "Postgres", "MySQL", None)),
        ("We moved from MySQL to Postgres.", ("we", "Postgres", "MySQL", None)),
    ],
)
def test_what_takes_the_place_of_a_product_is_used(text: str, found: tuple[str, str, str | None, str | None]) -> None:
    assert used(text) == [found]


@pytest.mark.requirement("K-READ-14")
@pytest.mark.parametrize(
    "text",
    [
        "We dropped Maths for History.",
        "I ditched Berlin for Leipzig.",
        "I ditched work for a swim.",
        "I dropped Anna off for school.",
        "We replaced John with Mary.",
        "We replaced the old sofa with a new one.",
        "We moved from Leeds to York.",
    ],
)
def test_what_is_no_product_is_not_used(text: str) -> None:
    assert used(text) == []
