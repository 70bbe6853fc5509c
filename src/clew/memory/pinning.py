"""What its owner wants in every block."""

from clew.errors import InputError
from clew.memory.arguments import given_count, given_text
from clew.memory.wiring import Wired
from clew.rows.pins import MOST, canonical, read_pins, set_pin, take_back
from clew.types.pins import Pin, PinKind


class Pinning(Wired):
    """Turns and rules that go before what a recall finds (docs/packing.md)."""

    def pin(
        self, ref: str | None = None, *, where: str | None = None, most: int = MOST, note: str | None = None
    ) -> Pin:
        """Has a turn, or the best of those for which an expression holds, in every block from now on.

        They come first, shortened where they do not fit whole, and are left out only where there is no room for them at
        all; what a recall's own filter leaves out stays out. Pinning again replaces number and note.

        Args:
            ref: id of a turn.
            where: or a rule: an expression (docs/query.md) such as `tag:deploy`. It holds for no turn of which it is
                unknown yet.
            most: turns that the rule brings at most, 1 or more: the best for the question, of equals the newest.
            note: why, for you.

        Raises:
            InputError: neither or both of `ref` and `where` are given, `ref` is no turn id or names text that Clew
                injected, there are 20 rules already, or the space is paused.
            NotFoundError: no such turn.
            ExpressionError: `where` cannot be read.
        """
        self._check_open()
        kind, name = _named(ref, where)
        count = given_count(most, "most", "the turns that the rule brings")
        if not count:
            raise InputError("most is 0, so the rule would bring nothing; give 1 or more, or take it back (unpin)")
        why = None if note is None else given_text(note, "note")
        pin = Pin(kind=kind, name=name, most=count if kind == "where" else 1, note=why, pinned_at=self._clock())
        return set_pin(self._store, self.space, pin)

    def unpin(self, ref: str | None = None, *, where: str | None = None) -> None:
        """Takes a pin back; the turn stays stored.

        Raises:
            InputError: neither or both are given, or `ref` is no turn id.
            NotFoundError: nothing is pinned so.
        """
        self._check_open()
        take_back(self._store, self.space, *_named(ref, where))

    def pins(self) -> list[Pin]:
        """What is pinned, the oldest first."""
        self._check_open()
        with self._store.snapshot() as reader:
            return read_pins(reader, self.space)


def _named(ref: str | None, where: str | None) -> tuple[PinKind, str]:
    if (ref is None) == (where is None):
        raise InputError(
            f"{'nothing' if ref is None else 'a turn and a rule'} is given; name a turn, or a rule (where)"
        )
    if ref is not None:
        return "turn", canonical(given_text(ref, "turn id"))
    return "where", given_text(where, "rule").strip()
