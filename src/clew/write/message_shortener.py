"""Shortens a client's message list, storing what is taken out before the shorter list is returned."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from clew.condense.chains import collapse
from clew.condense.images import shrink_images
from clew.condense.wires import Message, wire
from clew.config import Config
from clew.ingest.encoding import json_text
from clew.ingest.secrets.masking import mask_json
from clew.rows.originals import chain_row, image_row, keep_originals, original_turn
from clew.rows.pause import paused_since
from clew.store.protocol import Store
from clew.store.rows import to_us
from clew.text.counters import Counter
from clew.types.turn import Turn


@dataclass(frozen=True, slots=True)
class Shortener:
    """Shortens message lists for one space. While it is paused they come back unchanged: nothing may be kept."""

    store: Store
    space: str
    config: Config
    clock: Callable[[], datetime]

    def collapse(self, messages: Sequence[Message], wire_name: str, count: Counter, *, protected: int) -> list[Message]:
        """The list with old tool chains as stubs, see `clew.condense.chains`; the chains are durable on return."""
        shorter, chains = collapse(messages, wire(wire_name), count, protected=protected)
        if chains and self._is_paused():
            return list(messages)
        if self.config.ingest.secrets == "mask":
            chains = [replace(chain, original=_masked(chain.original)) for chain in chains]
        keep_originals(self.store, self.space, [chain_row(self.space, chain, self._now()) for chain in chains])
        return shorter

    def shrink_images(self, messages: Sequence[Message], wire_name: str) -> list[Message]:
        """The list with smaller images, see `clew.condense.images`; the originals are durable on return."""
        shorter, images = shrink_images(messages, wire(wire_name).name)
        if images and self._is_paused():
            return list(messages)
        keep_originals(self.store, self.space, [image_row(self.space, image, self._now()) for image in images])
        return shorter

    def restore(self, ref: str) -> Turn:
        """The original behind a stub or a smaller image, see `original_turn`."""
        with self.store.snapshot() as reader:
            return original_turn(reader, self.space, ref)

    def _now(self) -> int:
        return to_us(self.clock())

    def _is_paused(self) -> bool:
        with self.store.snapshot() as reader:
            return paused_since(reader, self.space) is not None


def _masked(original: str) -> str:
    masked, counts = mask_json(json.loads(original))
    return json_text(masked) if counts else original
