"""`Memory`: a space of a home, opened, read, written to and closed. Each method checks its arguments and delegates."""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack, cast

from clew.assemble.wrapping import wrapped
from clew.condense.chains import PROTECTED
from clew.config import Config
from clew.derive.retrying import retry_all
from clew.errors import InputError, StoreError, shown
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
from clew.memory.opening import Clock, open_home
from clew.memory.recalls import SESSION
from clew.memory.signatures import listing_options
from clew.memory.wiring import Parts, wire
from clew.models.protocol import LLM, Embedder
from clew.rank.filter import filter_of
from clew.recall.search import with_originals
from clew.rows.originals import is_original
from clew.rows.pins import MOST, set_pin, take_back
from clew.store.home import usable_path
from clew.store.protocol import Store
from clew.store.raw_file import refuse_home_file
from clew.text.counters import Counting
from clew.types import ForgetReport, IngestReport, Receipt, Turn
from clew.types.pins import Pin
from clew.types.work import WorkProgress
from clew.write.import_tally import Progress
from clew.write.ingest import add_many, add_one, import_path

log = logging.getLogger("clew.memory")

ChatFunction = TypeVar("ChatFunction", bound=Callable[..., Any])
"""A function that asks a model. Its wrapper is called, and answers, as it does."""


class Memory(MemoryLearning):
    """One space. Threads may share it; several processes may open the same home.

    Use `Memory.open`, and close it, or use it in a `with` statement.
    """

    def __init__(self, parts: Parts) -> None:
        """Takes finished parts and starts nothing; `open` is the usual way.

        Raises:
            InputError: `parts` is something else, as in `Memory("path")`.
        """
        if not isinstance(parts, Parts):
            raise InputError(
                f"Memory({shown(parts, 200)}) opens nothing; use Memory.open, which takes the path of a home"
            )
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
        """Opens a home, and creates it if it does not exist.

        A home that cannot be written is opened for reading: no background work is done, receipts are lost when the
        memory is closed, and methods that would change the home raise StoreReadOnly.

        Args:
            path: a directory, ":memory:", "postgresql://...", or None for the default (CLEW_STORE, else CLEW_HOME, else
                ~/.clew); or an open store, which stays open when the memory is closed.
            space: the unit of isolation; a memory sees only the turns of its own space.
            config: all settings as a `Config`, or some as a nested mapping, which overrides clew.toml and CLEW_*
                variables.
            embedder: overrides the setting `embedder`: a name, or any object with the Embedder protocol.
            previous: overrides the setting `embedder_previous` in the same way; this embedder answers questions until
                the vectors of a new one are complete.
            llm: overrides the setting `llm.model`: a name, or any object with the LLM protocol; none by default.
            clock: returns the current time as an aware datetime; for tests and replays.

        Raises:
            ConfigError: a setting is invalid.
            StoreError: the home cannot be opened; the message says what to do.
        """
        home = open_home(path, space=space, config=config, embedder=embedder, previous=previous, llm=llm, clock=clock)
        memory = cls(wire(home))
        memory.parts.worker.start()
        return memory

    def close(self) -> None:
        """Stops the background work after its current step and releases the home; the next process does the rest.

        Does nothing in a process that was forked after the memory was opened, since the memory belongs to its parent.
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
        self._check_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(self, turn: Turn) -> str:
        """Stores one turn durably and returns its id.

        If a turn with the same external id and content is stored already, nothing is added and its id is returned.

        Raises:
            TurnRejected: the turn is empty or too long, a pattern of `ingest.exclude` or a pause keeps it out, or it
                was forgotten: a turn with the same external id, or with the same words at the same time. The same words
                at another time are a new turn.
            ConflictError: a turn with the same external id and other content is stored.
        """
        self._check_open()
        name = add_one(self.parts.appender, turn, self.config.ingest, self.reads.clock())
        self.parts.worker.wake()
        return name

    def add_many(self, turns: Iterable[Turn], on_progress: Progress | None = None) -> IngestReport:
        """Stores turns in order, durably, and reports on each; a rejected turn does not stop the others.

        The turns of a session are compared with what is stored of it: a history that is sent again adds nothing, a
        longer one adds its new part, an edited one opens a branch. Turns that a pattern of `ingest.exclude` or a pause
        keeps out are counted as skipped.
        """
        self._check_open()
        if not isinstance(turns, Iterable):
            raise InputError(f"turns is {shown(turns)}; expected turns, as a list or another iterable")
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
        """Stores the conversations in a file or folder; importing it again adds nothing.

        Args:
            format: one of `clew.ingest.importers.FORMATS`; None detects it.
            session: name of the session, for formats that do not name one.

        Raises:
            FormatError: no part of the file can be read.
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
        """Stores one exchange durably, the user's turn and then the assistant's, and returns their ids.

        Empty messages are left out. The same texts given twice are two exchanges; of a list of messages that was given
        before, only the new messages are stored.

        Args:
            user: what the user said: text, a message, or a list of messages.
            assistant: text, a message, a list of messages, or what an SDK of OpenAI, Anthropic or Google returns: dicts
                and objects, with tool calls; or a stream, which is read to its end, or the list of its pieces.

        Raises:
            TurnRejected: a turn is too long, or a pattern of `ingest.exclude` or a pause keeps it out.
            InputError: an argument has none of these forms; if it is `assistant`, the user's turn is stored.
        """
        self._check_open()
        chat = ChatLog(self.reads, self.parts.appender, self.config, given_session(session))
        try:
            asked = chat.asked(user)
            return asked + chat.answered(assistant, chat.question_in(user, asked))
        finally:
            self.parts.worker.wake()

    def wrap_chat(self, fn: ChatFunction, *, session: str = SESSION) -> ChatFunction:
        """Wraps a chat function, so that it is given what the memory recalls, and its answers are stored.

        The prompt, with the recalled block in it, takes the place of the first argument or of `messages`, `input` or
        `contents`; in a list of messages the block is put into the user's last message. Each call calls `fn` exactly
        once and returns its answer, in any form that `update` takes, even when the memory fails. The user's message is
        stored before the call, and stays stored when `fn` fails. A stream passes through and is stored when it ends or
        is closed. The wrapper of a coroutine function is a coroutine function.
        """
        self._check_open()
        if not callable(fn):
            raise InputError(f"fn is {shown(fn)}; expected the function that asks the model")
        chat_log = ChatLog(self.reads, self.parts.appender, self.config, given_session(session))
        return cast(ChatFunction, wrapped(fn, ChatMemorizer(chat_log, self.parts.worker.wake)))

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
        """Compacts a session: writes a recap that stands for its older turns until the next compaction.

        The turns themselves stay stored. A session is due when more than `condense.session_tokens` were added since its
        last compaction, or for another reason given in docs/condense.md; due sessions are also compacted in the
        background. The receipt has a row for each turn that this compaction covers for the first time: how many of its
        values are missing from the recap, and the id that restores it. `explain` returns the receipt again.

        Args:
            force: compact a session that is not due, if it has new turns before the last `condense.protected_turns`.
            dry_run: write nothing.
            session_tokens: overrides the setting `condense.session_tokens`, for this call.
            counter: as for `recall`; `recap` with the same counter returns this recap.
            on_progress: called after every few hundred turns with the number of turns read and of all turns to read.

        Returns:
            The receipt; `understood["compacted"]` says whether a compaction was due, and `understood["why"]` why not.

        Raises:
            NotFoundError: there is no such session.
            InputError: the space is paused.
            ConflictError: the session kept changing while it was read.
            RuleFailed: a rule of Clew fails on one of its turns; the session is not compacted.
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
        """Replaces the old tool calls and results in a client's message list with one-line stubs; returns the new list.

        Each stub names a reference, for which `restore` returns the removed messages. The list stays valid in its
        format, and its stubs stay the same as it grows.

        Args:
            wire: format of the list: `anthropic`, `openai`, `responses` or `gemini`.
            protected: how many messages at the end are left unchanged, 0 or more.
            counter: as for `recall`; used to tell whether a stub is shorter, and for the size that it states.

        Raises:
            InputError: `messages` is not a list of objects, or no wire format has this name.
        """
        self._check_open()
        last = given_count(protected, "protected", "messages at the end that stay")
        return self.parts.shortener.collapse(messages, wire, self._counter(counter), protected=last)

    def shrink_images(self, messages: Sequence[dict[str, Any]], wire: str = "anthropic") -> list[dict[str, Any]]:
        """Scales the large base64 images in a client's message list down to 1,024 pixels; returns the new list.

        `restore("image-" + the first 16 digits of the SHA-256 of an image's bytes)` returns the original.

        Raises:
            InputError: `messages` is not a list of objects, or no wire format has this name.
            MissingExtra: there is an image, and Pillow (`clew[images]`) is not installed.
        """
        self._check_open()
        return self.parts.shortener.shrink_images(messages, wire)

    def restore(self, ref: str) -> Turn:
        """Returns the turn, messages or image behind a reference, in full and byte for byte.

        Args:
            ref: for a turn's id, the turn with its images and long tool outputs back in place is returned; for the
                reference in a stub of `collapse`, a turn whose text is the removed messages as JSON; for an image that
                `shrink_images` replaced, a turn with the image as its only part. The last two are not stored turns.

        Raises:
            InputError: `ref` is neither a turn's id nor such a reference.
            NotFoundError: nothing is stored under this reference.
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
        except StoreError as error:  # the turn is restored all the same
            log.warning("that %s was restored is not recorded: %s", turn.id, error)

    def pin(
        self, ref: str | None = None, *, where: str | None = None, most: int = MOST, note: str | None = None
    ) -> Pin:
        """Includes a turn, or the best turns that match an expression, in every recall from now on.

        Pinned turns come first in the block. They are shortened if they do not fit whole, and left out only if there is
        no room for them or the filter of the recall excludes them. Pinning again replaces the number and the note.
        Secrets in the note and in a rule's phrases are masked, as in turns.

        Args:
            ref: id of the turn to pin; give either this or `where`.
            where: an expression (docs/query.md) such as `tag:deploy`. A turn that is not analysed yet does not match.
            most: how many turns the expression includes at most, 1 or more: the best for the question; among equals,
                the newest.
            note: why it is pinned, for the reader of `pins`.

        Raises:
            InputError: neither or both of `ref` and `where` are given, `ref` is not a turn's id or names text that Clew
                injected, there are 20 expressions already, or the space is paused.
            NotFoundError: there is no such turn.
            ExpressionError: `where` cannot be parsed.
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
        """Removes a pin; the turn stays stored.

        Raises:
            InputError: neither or both are given, or `ref` is not a turn's id.
            NotFoundError: there is no such pin.
        """
        self._check_open()
        take_back(self.reads.store, self.space, *given_ref_or_rule(ref, where))

    def drain(self, timeout: float | None = None, on_progress: Callable[[WorkProgress], None] | None = None) -> bool:
        """Waits until all background work is done; returns False if it was not done within `timeout`.

        Args:
            timeout: in seconds; None waits as long as it takes.
            on_progress: called at the beginning, about once a second, and at the end, with what is left and how long
                that is likely to take.
        """
        self._check_open()
        return self.parts.worker.drain(given_seconds(timeout, "timeout"), given_progress(on_progress))

    def retry(self) -> int:
        """Makes everything that failed, or was given up after several attempts, due again; returns how many jobs.

        `drain` waits for them. `stats().details` counts the jobs that were given up (`deferred`) and the turns that
        could not be embedded (`embed_failed`); `clew doctor` says why.
        """
        self._check_open()
        count = retry_all(self.reads.store, self.space)
        self.parts.worker.wake()
        return count

    @listing_options(Conditions)
    def forget(self, *, dry_run: bool = False, **conditions: Unpack[Conditions]) -> ForgetReport:
        """Permanently deletes the turns that meet every given condition, and everything derived from them.

        Args:
            dry_run: report what would be deleted, and delete nothing.
            conditions: which turns, see `clew.maintain.forget.Conditions`.

        Raises:
            InputError: no condition is given, a turn id is malformed, the time range ends before it starts, or `match`
                holds no letter or digit.
            ExpressionError: `where` cannot be parsed.
        """
        self._check_open()
        selection = selection_of(conditions, self.reads.clock(), self._turns_where)
        return self.parts.forget(selection, dry_run=given_flag(dry_run, "dry_run"))

    def _turns_where(self, expression: str) -> tuple[str, ...]:
        reads = self.reads
        return reads.selector.names(reads.live.view(), filter_of({"where": expression}), reads.clock())

    def forget_expired(self, *, dry_run: bool = False) -> ForgetReport:
        """Permanently deletes the turns that are older than `keep_days`; the background work does the same later.

        Raises:
            InputError: `keep_days` is 0, so nothing expires.
        """
        self._check_open()
        return self.parts.forget(self.parts.retention.expired(), dry_run=given_flag(dry_run, "dry_run"))

    def export(self, path: str | Path) -> int:
        """Writes all turns and originals to a JSON Lines file, which `import_path` reads; returns the number of turns.

        Raises:
            InputError: the file exists already, or has the name of a file in a home.
        """
        self._check_open()
        file = usable_path(path, "the file")
        refuse_home_file(file)
        return export_space(self.reads.store, self.space, file)

    def backup(self, path: str | Path) -> int:
        """Writes all spaces to a new file, checks it, and returns its size in bytes; others may go on writing.

        Raises:
            StoreError: the file exists already, or cannot be written.
            InputError: it has the name of a file in a home.
        """
        self._check_open()
        file = usable_path(path, "the file")
        refuse_home_file(file)
        self.reads.store.backup(file)
        return file.stat().st_size

    def rebuild(self, on_progress: Callable[[int, int], None] | None = None) -> int:
        """Derives everything again that needs no model; returns the number of turns.

        The old index answers questions until the new one is complete, and an interrupted rebuild continues where it
        stopped. `on_progress` is called with the number of turns done and of all turns.
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
