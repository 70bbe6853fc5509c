"""Stores pins: sets, removes and lists them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, cast

from clew.errors import InputError, NotFoundError
from clew.ingest.secrets.masking import mask
from clew.rank.algebra import parse
from clew.rows.pause import paused_since, refuse_while_paused
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import PinRow
from clew.store.rows import from_us, to_us
from clew.store.tables import PIN
from clew.store.turn_selections import TURN_ORIGIN
from clew.types.ids import parse_turn_id, turn_id
from clew.types.pins import Pin, PinKind

MOST: Final = 3
"""Turns that a rule brings, when its owner names no number."""

RULES: Final = 20
"""Rules that a space may have: each looks at every turn, for each question."""


def without_secrets(pin: Pin) -> Pin:
    """The pin with the secrets in its note and in a rule's phrases masked, as those in turns are.

    So a rule finds the same turns. Ids of turns stay: they are what the turn is found by.
    """
    note = None if pin.note is None else mask(pin.note)[0]
    return replace(pin, name=_masked_name(pin.kind, pin.name), note=note)


def _masked_name(kind: str, name: str) -> str:
    return mask(name)[0] if kind == "where" else name


def set_pin(store: Store, space: str, pin: Pin, *, mask_secrets: bool) -> Pin:
    """Stores a pin durably, replacing one of the same turn or expression; returns it as it is stored.

    Args:
        mask_secrets: see `without_secrets`.

    Raises:
        NotFoundError: no such turn.
        InputError: the turn is text that Clew injected, there are `RULES` rules already, or the space is paused.
        ExpressionError: the expression cannot be read.
    """
    if pin.kind == "where":
        parse(pin.name, pin.pinned_at)
    if mask_secrets:
        pin = without_secrets(pin)

    def write(tx: Transaction) -> None:
        refuse_while_paused(tx, space)
        if pin.kind == "turn":
            _must_be_a_memory(tx, space, pin.name)
        elif tx.get("pin", (space, pin.kind, pin.name)) is None and tx.count("pin", *_rules(space)) >= RULES:
            raise InputError(f"there are {RULES} rules already, which is the limit; take one back (unpin) first")
        PIN.put(tx, [_row(space, pin, pin.name)])

    store.transaction(write)
    return pin


def _rules(space: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (space, "where"), (space, "where")


def _must_be_a_memory(reader: Reader, space: str, name: str) -> None:
    origin = TURN_ORIGIN.get(reader, (space, *parse_turn_id(name)))
    if origin is None:
        raise NotFoundError(f"no turn {name!r} in space {space!r}; it may have been forgotten")
    if origin == "injected":
        raise InputError(f"{name!r} is text that Clew put into a prompt, and never a memory; pin the turn it quotes")


def take_back(store: Store, space: str, kind: PinKind, name: str) -> None:
    """Removes a pin, whether secrets in the name of a rule were masked or kept.

    Raises:
        NotFoundError: there is no such pin.
    """
    keys = {(space, kind, form) for form in (name, _masked_name(kind, name))}
    if not store.transaction(lambda tx: sum(tx.delete("pin", key, key) for key in keys)):
        raise NotFoundError(f"nothing is pinned as {name!r} in space {space!r}; `clew pin` lists what is")


def read_pins(reader: Reader, space: str) -> list[Pin]:
    """All pins, oldest first; equally old ones by kind and name."""
    return sorted(map(_pin, PIN.scan(reader, (space,), (space,))), key=lambda pin: (pin.pinned_at, pin.kind, pin.name))


def _row(space: str, pin: Pin, name: str) -> PinRow:
    return PinRow(space, pin.kind, name, pin.most, pin.note, to_us(pin.pinned_at))


def _pin(row: PinRow) -> Pin:
    return Pin(
        kind=cast(PinKind, row.kind), name=row.name, most=row.most, note=row.note, pinned_at=from_us(row.pinned_at)
    )


def forget_pins(tx: Transaction, space: str, names: Sequence[str]) -> int:
    """Drops the pins of turns that are forgotten, with their notes; returns how many there were."""
    keys = [(space, "turn", name) for name in names]
    return sum(tx.delete("pin", key, key) for key in keys)


def carry_pins(pins: Sequence[Pin], target: Store, space: str, names: Mapping[str, str], *, mask_secrets: bool) -> int:
    """Adds the pins of another home that this one lacks; returns how many.

    None are added to a paused space, and rules only up to their limit.

    Args:
        names: the turns' ids there -> here; turns that are not here are left out.
        mask_secrets: see `without_secrets`.
    """
    if mask_secrets:
        pins = [without_secrets(pin) for pin in pins]
    here = [(pin, pin.name if pin.kind == "where" else names.get(pin.name)) for pin in pins]

    def write(tx: Transaction) -> int:
        if paused_since(tx, space) is not None:
            return 0
        new = [(pin, name) for pin, name in here if name is not None and not tx.get("pin", (space, pin.kind, name))]
        room = max(0, RULES - tx.count("pin", *_rules(space)))
        rules = [(pin, name) for pin, name in new if pin.kind == "where"][:room]
        turns = [pair for pair in new if pair[0].kind == "turn" and tx.get("turn", (space, *parse_turn_id(pair[1])))]
        PIN.put(tx, [_row(space, pin, name) for pin, name in (*rules, *turns)])
        return len(rules) + len(turns)

    return target.transaction(write) if here else 0


def canonical(ref: str) -> str:
    """The one name of a turn; InputError when the text is not a turn id."""
    return turn_id(*parse_turn_id(ref))
