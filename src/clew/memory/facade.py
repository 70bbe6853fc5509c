"""`Memory`: a space of a home, opened, read, written to and closed. Each method checks its arguments and delegates."""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, Unpack

from clew.assemble.wrapping import wrapped
from clew.condense.chains import PROTECTED
from clew.config import Config
from clew.derive.retrying import retry_all
from clew.errors import InputError, StoreError
from clew.learn.feedback import RECENT, note_restored
from clew.maintain.export_space import export_space
from clew.maintain.forget import Conditions, selection_of
from clew.maintain.rebuild import rebuild
from clew.memory.arguments import (
    given_count,
    given_flag,
    given_name,
    given_progress,
    given_ref_or_rule,
    given_seconds,
    given_session,
    given_text,
)
from clew.memory.chat import ChatLog, ChatMemorizer
from clew.memory.learning import MemoryLearning
from clew.memory.opening import Clock
from clew.memory.recalls import SESSION
from clew.memory.signatures import listing_options
from clew.memory.wiring import Parts, open_parts
from clew.models.protocol import LLM, Embedder
from clew.rank.filter import filter_of
from clew.recall.search import with_originals
from clew.rows.originals import is_original
from clew.rows.pins import MOST, set_pin, take_back
from clew.store.home import usable_path
from clew.store.protocol import Store
from clew.store.raw_file import see_that_it_is_not_of_a_home
from clew.text.counters import Counting
from clew.types import ForgetReport, IngestReport, Receipt, Turn
from clew.types.pins import Pin
from clew.types.work import WorkProgress
from clew.write.ingest import Progress, add_many, add_one, import_path

log = logging.getLogger("clew.memory")


class Memory(MemoryLearning):
    """One space. Threads may share it; several processes may open the same home.

    Use `Memory.open`, and close it, or use it in a `with` statement.
    """

    def __init__(self, parts: Parts) -> None:
        """Takes finished parts and starts nothing; `open` is the usual way.

        Raises:
            InputError: those are no parts, as in `Memory("path")`.
        """
        if not isinstance(parts, Parts):
            raise InputError(f"Memory({parts!r:.200}) opens nothing; use Memory.open, which takes the path of a home")
        super().__init__(parts)
        self._closing = threading.Lock()

    @classmethod
    def open(
        cls,
        path: str | Path | Store | None = None,
        *,
        space: str = "default",
        config: Config | Mapping[str, Any] | None = None,
        embedder: str | Embedder | None = None,
        previous: str | Embedder | None = None,
        llm: str | LLM | None = None,
        clock: Clock | None = None,
    ) -> Self:
        """Opens a home, making it if it does not exist.

        A home that cannot be written is opened for reading: receipts are not kept beyond this memory, no background
        work is done, and what would change it raises StoreReadOnly.

        Args:
            path: a directory, ":memory:", "postgresql://...", or None for the default (CLEW_STORE, else CLEW_HOME, else
                ~/.clew); or an open store, which stays open when the memory is closed.
            space: unit of isolation; nothing here sees another space.
            config: settings, as a whole or as a nested mapping over clew.toml and CLEW_* variables.
            embedder: overrides the setting `embedder`: a name, or any object with the Embedder protocol.
            previous: overrides the setting `embedder_previous` likewise: it serves while a new one catches up.
            llm: overrides the setting `llm.model`: a name, or any object with the LLM protocol; none by default.
            clock: gives the present, aware; for tests and replays.

        Raises:
            ConfigError: a setting is wrong.
            StoreError: the home cannot be opened; the message says what to do.
        """
        memory = cls(
            open_parts(path, space=space, config=config, embedder=embedder, previous=previous, llm=llm, clock=clock)
        )
        memory.parts.worker.start()
        return memory

    def close(self) -> None:
        """Ends the background work after the step at hand and releases the home; unfinished work stays to be done.

        In a process that was forked after the memory was opened, nothing is done: it is the other process's.
        """
        if self._is_inherited():
            return
        with self._closing:
            if self.closed:
                return
            self.closed = True
        try:
            self.parts.worker.stop()
        finally:
            if self.parts.owns_store:
                self.reads.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(self, turn: Turn) -> str:
        """Stores one turn durably and gives its id. A known external id adds nothing and gives the stored turn's id.

        Raises:
            TurnRejected: the turn is empty or too long, a pattern of `ingest.exclude` or a pause keeps it out, or it
                was forgotten before: its external id was, or the same words at the same time. Words that are said anew
                are a new turn.
            ConflictError: its external id is stored with other content.
        """
        self._check_open()
        name = add_one(self.parts.appender, turn, self.config.ingest, self.reads.clock())
        self.parts.worker.wake()
        return name

    def add_many(self, turns: Iterable[Turn], on_progress: Progress | None = None) -> IngestReport:
        """Stores turns in order, durably, and reports on each; a rejected one does not stop the others.

        Turns of one session are taken as one sequence: a history that is sent again adds nothing, a longer one adds its
        new part, an edited one opens a branch. Turns that a pattern or a pause keeps out are counted as skipped.
        """
        self._check_open()
        if not isinstance(turns, Iterable):
            raise InputError(f"turns is {turns!r:.60}; expected turns, as a list or another iterable")
        report = add_many(self.parts.appender, turns, self.config.ingest, self.reads.clock, given_progress(on_progress))
        self.parts.worker.wake()
        return report

    def import_path(
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002  # the word users know it by
        session: str | None = None,
        on_progress: Progress | None = None,
    ) -> IngestReport:
        """Stores what a file or folder holds; importing it again adds nothing.

        Args:
            format: one of `clew.ingest.importers.FORMATS`; None finds out.
            session: for formats without sessions of their own.

        Raises:
            FormatError: the file as a whole cannot be read.
        """
        self._check_open()
        report = import_path(
            self.parts.appender,
            usable_path(path, "the path to import"),
            self.config.ingest,
            self.reads.clock,
            form=None if format is None else given_text(format, "format"),
            session=None if session is None else given_session(session),
            on_progress=given_progress(on_progress),
        )
        self.parts.worker.wake()
        return report

    def update(self, user: Any, assistant: Any = None, *, session: str = SESSION) -> tuple[str, ...]:
        """Stores one exchange durably: a turn of the user, then one of the assistant; gives their ids.

        What says nothing is left out. The same exchange again is a new one; of a history that is sent again,
        only what is new is stored.

        Args:
            user: what the user says: text, a message, or a list of messages.
            assistant: text, a message, a list of messages, or what an SDK of OpenAI, Anthropic or Google returns: dicts
                and objects, with tool calls; or a stream, which is read to its end, or the list of its pieces.

        Raises:
            TurnRejected: one of them is too long, or a pattern of `ingest.exclude` or a pause keeps it out.
            InputError: one of them is nothing of this; if it is the assistant's, the user's is stored.
        """
        self._check_open()
        chat = ChatLog(self.reads, self.parts.appender, self.config, given_session(session))
        try:
            asked = chat.asked(user)
            return asked + chat.answered(assistant, chat.question_in(user, asked))
        finally:
            self.parts.worker.wake()

    def wrap_chat(self, fn: Callable[..., Any], *, session: str = SESSION) -> Callable[..., Any]:
        """A chat function around which this memory works: it gets the built prompt, and its answer is stored.

        It is called exactly once for each call, with the prompt as its first argument, or in the place of `messages`,
        `input` or `contents`; given a list of messages, it gets the list with the block in the user's last message. Its
        answer, of any form that `update` takes, is given back even when memory fails. The user's message is stored
        before the call, and stays when it fails; a stream passes through, and is stored when it ends, also early. A
        coroutine function gives a coroutine function.
        """
        self._check_open()
        if not callable(fn):
            raise InputError(f"fn is {fn!r:.60}; expected the function that asks the model")
        chat_log = ChatLog(self.reads, self.parts.appender, self.config, given_session(session))
        return wrapped(fn, ChatMemorizer(chat_log, self.parts.worker.wake))

    def condense(
        self,
        session: str,
        *,
        force: bool = False,
        dry_run: bool = False,
        session_tokens: int | None = None,
        counter: Counting | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Receipt:
        """Compacts a session: makes the recap that stays until the next compaction, and a list of what left the prompt.

        The turns stay as they are. A session is due when more than `condense.session_tokens` were added since its last
        compaction, or for another reason of docs/condense.md; the background work compacts those by itself. The
        receipt's rows name each turn that is new in it, how many of its values are not in the recap, and the id that
        restores it; `explain` gives it again.

        Args:
            force: also a session that is not due, if it has any new turns beside the last `condense.protected_turns`.
            dry_run: write nothing.
            session_tokens: in place of the setting `condense.session_tokens`, for this call.
            counter: as for `recall`; `recap` with the same counter gives this recap.
            on_progress: called with the turns read so far, and the turns to read, after each stretch of a few hundred.

        Returns:
            The receipt; `understood["compacted"]` says whether a compaction was due, and `understood["why"]` why not.

        Raises:
            NotFoundError: there is no such session.
            InputError: the space is paused.
            ConflictError: the session was changed again and again meanwhile.
            RuleFailed: a rule of Clew fails on one of its turns; the session stays as it is, in whole turns.
        """
        self._check_open()
        limit = None if session_tokens is None else given_count(session_tokens, "session_tokens", "new tokens")
        compactor = self.parts.compactor
        if counter is not None:
            chosen = self._counter(counter)
            compactor = replace(compactor, counter=lambda: chosen)
        receipt = compactor.compact(
            given_name(session, "session"),
            force=given_flag(force, "force"),
            dry_run=given_flag(dry_run, "dry_run"),
            session_tokens=limit,
            on_progress=given_progress(on_progress),
        )
        if receipt.understood["compacted"] and not dry_run:
            self.reads.receipts.keep(receipt)
        return receipt

    def collapse(
        self,
        messages: Sequence[dict[str, Any]],
        wire: str = "anthropic",
        *,
        protected: int = PROTECTED,
        counter: Counting | None = None,
    ) -> list[dict[str, Any]]:
        """A client's message list with its old tool calls and results as one-line stubs; nothing else changes.

        Each stub names a reference by which `restore` gives the removed messages back. The list stays valid for its
        format, and its stubs stay the same as it grows.

        Args:
            wire: format of the list: `anthropic`, `openai`, `responses` or `gemini`.
            protected: messages at the end that are left alone, 0 or more.
            counter: as for `recall`; it decides whether a stub is shorter, and what it says of the size.

        Raises:
            InputError: `messages` is not a list of objects, or no wire format has this name.
        """
        self._check_open()
        last = given_count(protected, "protected", "messages at the end that stay")
        return self.parts.shortener.collapse(messages, wire, self._counter(counter), protected=last)

    def shrink_images(self, messages: Sequence[dict[str, Any]], wire: str = "anthropic") -> list[dict[str, Any]]:
        """A client's message list with its large base64 images scaled to 1,024 pixels; nothing else changes.

        `restore("image-" + the first 16 digits of the SHA-256 of an image's bytes)` gives the original back.

        Raises:
            InputError: `messages` is not a list of objects, or no wire format has this name.
            MissingExtra: there is an image, and Pillow (`clew[images]`) is not installed.
        """
        self._check_open()
        return self.parts.shortener.shrink_images(messages, wire)

    def restore(self, ref: str) -> Turn:
        """What a reference stands for, in full and byte for byte.

        Args:
            ref: a turn's id gives the turn with its images and long tool outputs back in place. The reference of a stub
                of `collapse` gives a turn whose text is the removed messages as JSON; that of an image which
                `shrink_images` replaced gives a turn with the image as its only part. These have no place in the log.

        Raises:
            InputError: that is no reference.
            NotFoundError: there is nothing under this reference.
        """
        self._check_open()
        if is_original(given_name(ref, "reference")):
            return self.parts.shortener.restore(ref)
        turn = self.get(ref)
        if self.reads.store.writable:
            self._note_restored(turn)
        return with_originals(self.reads, turn)

    def _note_restored(self, turn: Turn) -> None:
        try:
            self.reads.receipts.flush()
            recent = self.reads.receipts.recent(RECENT)
            note_restored(self.reads.store, self.space, recent, str(turn.id), self.reads.clock())
        except StoreError as error:  # which is no reason not to restore
            log.warning("that %s was restored is not recorded: %s", turn.id, error)

    def pin(
        self, ref: str | None = None, *, where: str | None = None, most: int = MOST, note: str | None = None
    ) -> Pin:
        """Has a turn, or the best of those for which an expression holds, in every block from now on.

        They come first, shortened where they do not fit whole, and are left out only where there is no room for them at
        all; what a recall's own filter leaves out stays out. Pinning again replaces number and note. Secrets in the
        note and in a rule's phrases are masked, as in turns.

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
        kind, name = given_ref_or_rule(ref, where)
        count = given_count(most, "most", "the turns that the rule brings")
        if not count:
            raise InputError("most is 0, so the rule would bring nothing; give 1 or more, or take it back (unpin)")
        why = None if note is None else given_text(note, "note")
        pin = Pin(kind=kind, name=name, most=count if kind == "where" else 1, note=why, pinned_at=self.reads.clock())
        return set_pin(self.reads.store, self.space, pin, mask_secrets=self.reads.config.ingest.secrets == "mask")

    def unpin(self, ref: str | None = None, *, where: str | None = None) -> None:
        """Takes a pin back; the turn stays stored.

        Raises:
            InputError: neither or both are given, or `ref` is no turn id.
            NotFoundError: nothing is pinned so.
        """
        self._check_open()
        take_back(self.reads.store, self.space, *given_ref_or_rule(ref, where))

    def drain(self, timeout: float | None = None, on_progress: Callable[[WorkProgress], None] | None = None) -> bool:
        """Waits until the work behind the acknowledgements is done; says whether it is.

        Args:
            timeout: seconds; None waits as long as it takes.
            on_progress: called at the beginning, about once a second, and at the end, with what is left and how long
                that is likely to take.
        """
        self._check_open()
        return self.parts.worker.drain(given_seconds(timeout, "timeout"), given_progress(on_progress))

    def retry(self) -> int:
        """Tries anew, from now on, what failed or was put aside after several attempts; gives the jobs that there are.

        `drain` waits for it. `stats().details` counts what was put aside (`deferred`) and the turns that the embedder
        could not do (`embed_failed`); `clew doctor` says why.
        """
        self._check_open()
        count = retry_all(self.reads.store, self.space)
        self.parts.worker.wake()
        return count

    @listing_options(Conditions)
    def forget(self, *, dry_run: bool = False, **conditions: Unpack[Conditions]) -> ForgetReport:
        """Removes turns that meet every given condition, and all that was made of them, for good.

        Args:
            conditions: which turns, see `clew.maintain.forget.Conditions`.

        Raises:
            InputError: no condition is given, a turn id is none, the time range ends before it starts, or `match` holds
                no letter or digit. ExpressionError: `where` cannot be read.
        """
        self._check_open()
        selection = selection_of(conditions, self.reads.clock(), self._turns_where)
        return self.parts.forget(selection, dry_run=given_flag(dry_run, "dry_run"))

    def _turns_where(self, expression: str) -> tuple[str, ...]:
        reads = self.reads
        return reads.selector.names(reads.live.view(), filter_of({"where": expression}), reads.clock())

    def forget_expired(self, *, dry_run: bool = False) -> ForgetReport:
        """Removes for good what is older than `keep_days` by now, without waiting for the worker, who does the same.

        Raises:
            InputError: `keep_days` is 0.
        """
        self._check_open()
        return self.parts.forget(self.parts.retention.expired(), dry_run=given_flag(dry_run, "dry_run"))

    def export(self, path: str | Path) -> int:
        """Writes every turn and every original to a JSON Lines file that `import_path` reads back; gives the turns.

        Raises:
            InputError: the file exists already, or has the name of one of a home's.
        """
        self._check_open()
        file = usable_path(path, "the file")
        see_that_it_is_not_of_a_home(file)
        return export_space(self.reads.store, self.space, file)

    def backup(self, path: str | Path) -> int:
        """Writes all spaces to one new, checked file while others go on; gives its bytes. StoreError if it exists."""
        self._check_open()
        file = usable_path(path, "the file")
        see_that_it_is_not_of_a_home(file)
        self.reads.store.backup(file)
        return file.stat().st_size

    def rebuild(self, on_progress: Callable[[int, int], None] | None = None) -> int:
        """Makes again what is derived from the log without a model; gives the number of turns.

        The old index serves until the new one is whole. One that was broken off goes on where it was. `on_progress` is
        called with the turns that are made again so far, and with all of them.
        """
        self._check_open()
        index = self.config.index
        return rebuild(
            self.reads.store,
            self.space,
            pack_minimum=index.pack_minimum,
            fan_out=index.fan_out,
            on_progress=given_progress(on_progress),
        )
