"""The objects that all reads of one space share, created once when the memory is opened."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from clew.assemble.context import words_of_speakers
from clew.config import Config
from clew.index.live import LiveIndex
from clew.index.view import IndexView
from clew.models.protocol import Embedder
from clew.rank.anchors import WeightedRange
from clew.rank.frame import Frame
from clew.rank.graph_context import GraphContextReader
from clew.rank.intent.position_phrases import PositionPhrase
from clew.rank.ranker import Ranker, RankingSources
from clew.rank.session_order import Placed
from clew.recall.block_words import prepare_words
from clew.recall.filters import TurnSelector
from clew.recall.positions import outline_of_place
from clew.recall.query_facts import FactMatcher
from clew.recall.query_labels import LabelMatcher
from clew.recall.sessions import names_of_talks
from clew.recall.space_status import SpaceStatusCache
from clew.recall.titled_sessions import TitleMatcher, WorkplaceMatcher
from clew.recall.work_turns import WorkFinder
from clew.rows.parameters import LearnedBook
from clew.rows.receipts import ReceiptBook
from clew.store.protocol import Reader, Store
from clew.store.turn_selections import TURN_TEXT

if TYPE_CHECKING:
    from clew.rows.lenses import LensBook, Meet


@dataclass(frozen=True, slots=True)
class ReadPath:
    """What reads of one space share. Threads may share it: each part guards its own state.

    Attributes:
        clock: returns the current time, aware.
        live: the index as it is now.
        learned: settings as use has taught them.
        selector: applies filters and expressions to turns.
        status: pins and pause.
        receipts: the records of past recalls.
        lenses: returns the projects that the space is attached to; None where there are none.
    """

    store: Store
    space: str
    config: Config
    clock: Callable[[], datetime]
    live: LiveIndex
    learned: LearnedBook
    ranker: Ranker
    selector: TurnSelector
    status: SpaceStatusCache
    receipts: ReceiptBook
    lenses: Callable[[], "Meet | None"]

    def refresh(self) -> None:
        """Reads what was stored since, and prepares what depends on no question, so that the next recall is fast."""
        view = self.ranker.refresh()
        prepare_words(view)
        words_of_speakers(view)
        self.status.at(self.live.version())

    def ranked_by(self, frame: Frame) -> Mapping[str, Any]:
        """The settings that decided a ranking beside question and filter, as its receipt records them."""
        embedder = None if frame.similarity is None else self.ranker.serving(frame.view)
        return {
            "fusion": self.config.recall.fusion,
            **({"learned": version} if (version := self.learned.seen().version) else {}),
            "embedder": None if embedder is None else embedder.name,
        }


def read_path(
    store: Store,
    space: str,
    config: Config,
    clock: Callable[[], datetime],
    embedder: Embedder | None,
    previous: Embedder | None = None,
    given: frozenset[str] = frozenset(),
) -> ReadPath:
    """Creates the read path of one space; nothing is read from the store yet.

    Args:
        previous: serves until the vectors of `embedder` cover every turn.
        given: paths of the settings that the user chose; learned values never replace them.
    """
    live = LiveIndex(store, space)
    learned = LearnedBook(store, space, config.recall, given)
    lenses = lenses_of(store, space, config.project.overlays)
    selector = TurnSelector(store, space, config.analyze, lenses)

    def texts(names: Sequence[tuple[str, int]]) -> list[str | None]:
        with store.snapshot() as reader:
            return texts_of(reader, space, names)

    def outline(place: PositionPhrase, session: str) -> list[WeightedRange]:
        with store.snapshot() as reader:
            return outline_of_place(reader, space, place, session)

    def talks(view: IndexView, placed: Sequence[Placed], limit: int, /, *, or_any: bool) -> list[str]:
        with store.snapshot() as reader:
            return names_of_talks(reader, space, view, placed, limit, or_any=or_any)

    sources = RankingSources(
        graph=GraphContextReader(store, space),
        labels=LabelMatcher(store, space, selector.annotations),
        importance=selector.importance,
        texts=texts,
        outline=outline,
        titles=TitleMatcher(store, space, live.version),
        workplaces=WorkplaceMatcher(store, space),
        facts=FactMatcher(store, space),
        work=WorkFinder(store, space),
        talks=talks,
    )
    return ReadPath(
        store=store,
        space=space,
        config=config,
        clock=clock,
        live=live,
        learned=learned,
        ranker=Ranker(live, embedder, lambda: learned.recall(live.version()), previous, sources),
        selector=selector,
        status=SpaceStatusCache(store, space),
        receipts=ReceiptBook(store, space, config.receipts),
        lenses=lenses,
    )


def lenses_of(store: Store, space: str, changes: Sequence[str]) -> Callable[[], "Meet | None"]:
    """A function that returns the lenses of the projects attached to a space; it loads them on the first call."""
    books: list[LensBook] = []

    def meet() -> "Meet | None":
        if not books:
            # a program that asks nothing about projects starts sooner without this
            from clew.rows.lenses import LensBook

            books.append(LensBook(store, space, changes))
        return books[0].meet()

    return meet


def texts_of(reader: Reader, space: str, names: Sequence[tuple[str, int]]) -> list[str | None]:
    """The texts of turns, by session and place in it; None for one that is not stored any more."""
    return TURN_TEXT.get_many(reader, [(space, *name) for name in names])
