"""The methods of a memory that are about facts. Each checks its arguments and delegates."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from clew.derive.corrections import correction, value_alone
from clew.errors import InputError
from clew.ingest.secrets.masking import mask
from clew.knowledge.history import earliest_first, newest_first
from clew.memory.arguments import (
    given_count,
    given_flag,
    given_moment,
    given_name,
    given_session,
    given_status,
    given_text,
)
from clew.memory.projects import MemoryProjects
from clew.recall.fact_links import all_links, links_of
from clew.recall.fact_query import FactQuery
from clew.recall.fact_subjects import with_all_names
from clew.recall.facts import corrected_fact, fact_history, find_facts, get_fact
from clew.recall.owned_subjects import owned_subjects
from clew.rows.damaged_rows import reading_derived
from clew.rows.facts import times_of
from clew.types.facts import CORRECTIONS, Fact, FactLink, FactStatus
from clew.write.ingest import add_one

_TICK: Final = timedelta(microseconds=1)
"""How much later a correction is than the newest statement it corrects, whose time may be ahead of this clock."""


class MemoryFacts(MemoryProjects):
    """The facts of one space. Threads may share it."""

    def facts(
        self,
        subject: str | None = None,
        verb: str | None = None,
        object: str | None = None,  # noqa: A002  # the word of triples
        status: FactStatus | str | None = None,
        as_of: datetime | str | None = None,
        *,
        known_at: datetime | str | None = None,
        limit: int | None = None,
    ) -> list[Fact]:
        """Returns the facts that meet every condition, newest first, each with its standing and direct links.

        Facts are found in the background; `drain` waits until all turns are read.

        Args:
            subject: the person or thing that the facts are about, in any spelling; `me` is the user of turns without a
                speaker. A nickname stands for the person, whose facts are found under every name. A thing without its
                owner ("dog") includes the user's and that of every speaker ("Anna's dog").
            verb: in any form ("led" finds "leads", "live" finds "lives in"), or the name of a slot, such as `home`.
            object: words that occur in the object.
            status: facts that were stated with this status, such as `planned`, past ones included; by default, facts
                that hold, happened, or are planned for the future.
            as_of: facts that held at this moment, by what is known today. Of a time in words the last moment counts.
            known_at: facts that followed from what had been said by this moment; of a time in words its last moment.
            limit: the most facts to return; None for all.

        Raises:
            InputError: a condition is empty, or is not a status or a time.
        """
        self._check_open()
        now = self.reads.clock()
        query = FactQuery(
            subject=_words(subject, "subject"),
            verb=_words(verb, "verb"),
            object=_words(object, "object"),
            status=None if status is None else given_status(status),
            as_of=given_moment(as_of, "as_of", now),
            known_at=given_moment(known_at, "known_at", now),
            limit=None if limit is None else given_count(limit, "limit", "the number of facts wanted"),
        )
        view = self.reads.live.view()
        with reading_derived(self.reads.store) as reader:
            answers = find_facts(reader, self.space, with_all_names(reader, self.space, view, query), now, view)
            owned = [] if query.subject is None else owned_subjects(reader, self.space, view, query.subject)
            for name in owned:
                answers += find_facts(reader, self.space, replace(query, subject=name), now, view)
        return newest_first(answers)[: query.limit] if owned else answers

    def edges(self, subject: str | None = None) -> list[FactLink]:
        """Returns the links between facts, sorted by the ids of both: which replaced which, which rests on which.

        Args:
            subject: only links from or to facts about this subject, past ones included; None for all.
        """
        self._check_open()
        name = _words(subject, "subject")
        with reading_derived(self.reads.store) as reader:
            return all_links(reader, self.space) if name is None else links_of(reader, self.space, name)

    def history(self, subject: str, verb: str | None = None) -> list[Fact]:
        """Returns every fact ever stated about a subject, past and withdrawn ones included, earliest first.

        Args:
            subject: as for `facts`.
            verb: as for `facts`; facts with other verbs of the same slot are included.

        Raises:
            InputError: the subject or the verb is empty.
        """
        self._check_open()
        name, wanted = _given_words(subject, "subject"), _words(verb, "verb")
        view = self.reads.live.view()
        with reading_derived(self.reads.store) as reader:
            now, asked = self.reads.clock(), FactQuery(subject=name, verb=wanted)
            statements = fact_history(reader, self.space, with_all_names(reader, self.space, view, asked), now, view)
            for owned in owned_subjects(reader, self.space, view, name):
                statements += fact_history(reader, self.space, replace(asked, subject=owned), now, view)
        return earliest_first(statements)

    def correct(
        self,
        fact: str,
        object: str | None = None,  # noqa: A002  # as in `facts`
        *,
        ended: bool = False,
        session: str = CORRECTIONS,
    ) -> str:
        """Stores a correction of a fact durably, as a turn, and returns the id of the turn.

        The turn is exported, merged and forgotten like any other, and outweighs what a model finds. The facts change in
        the background; `drain` waits for it. If the fact was corrected before, its replacement is corrected.

        Args:
            fact: its id, as in the results of `facts`.
            object: the right object, with or without the subject and verb; the present object confirms the fact; None
                says that the fact never held.
            ended: True if the fact did hold and has ended.
            session: the session in which the correction is stored.

        Raises:
            InputError: `fact` is not the id of a fact, `ended` is not a bool, or both `object` and `ended` are given.
            NotFoundError: there is no such fact.
            TurnRejected: a pattern of `ingest.exclude` or a pause keeps the correction out.
        """
        self._check_open()
        right = _words(object, "object")
        if given_flag(ended, "ended") and right is not None:
            raise InputError(
                f"object {right!r} and ended are given; give what is right, or say that the fact has ended"
            )
        if right is not None and self.config.ingest.secrets == "mask":
            right = mask(right)[0]
        with self.reads.store.snapshot() as reader:
            wrong = corrected_fact(reader, self.space, get_fact(reader, self.space, given_name(fact, "fact")))
            stated = times_of(reader, self.space, wrong.sources)
        right = None if right is None else value_alone(wrong, right)
        now = self.reads.clock()
        said = (moment + _TICK for moment in (*stated, wrong.valid_from) if moment is not None)
        turn = correction(wrong, right, ended=ended, session=given_session(session), at=max([now, *said]))
        name = add_one(self.parts.appender, turn, self.config.ingest, now)
        self.parts.worker.wake()
        return name


def _words(value: str | None, name: str) -> str | None:
    """The checked words of a condition; None if it is not given."""
    return None if value is None else _given_words(value, name)


def _given_words(value: object, name: str) -> str:
    """The checked words of a condition, on one line."""
    words = " ".join(given_text(value, name).split())
    if not words:
        raise InputError(f"{name} {value!r} is empty; give a word, or leave the condition out")
    return words
