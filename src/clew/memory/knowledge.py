"""The methods of a memory that extract knowledge from whole sessions. Each checks its arguments and delegates."""

from dataclasses import replace
from typing import Any, Final

from clew.derive.extraction import SessionExtractor
from clew.derive.llm.completion_cache import CompletionCache
from clew.memory.arguments import given_count, given_flag, given_session
from clew.memory.facts import MemoryFacts
from clew.rows.damaged_rows import reading_derived
from clew.rows.extraction_runs import run_of, runs_of
from clew.text.counters import Counting
from clew.types.extraction import Extraction

_CONFIGURED: Final = object()


class MemoryKnowledge(MemoryFacts):
    """Extractions of the sessions of one space. Threads may share it."""

    def extract(
        self,
        session: str | None = None,
        *,
        safe_limit_tokens: Any = _CONFIGURED,
        use_model: bool = True,
        semantic_calls: int | None = None,
        counter: Counting | None = None,
    ) -> list[Extraction]:
        """Extracts graph, open deltas and summary of a session, or of every session that is due.

        A session is due if it has new turns or its last extraction failed. It is read by the language model, or by
        rules if there is none. A failure is reported with its reason, here and by `extractions`, and the other sessions
        are still extracted; after three failures a session is left out until `retry`. If the model cannot be reached,
        the remaining sessions stay due. The model's answers are stored, so no request is sent twice.

        Args:
            session: its name; None extracts all sessions that are due, in the order of their names.
            safe_limit_tokens: overrides the setting `extract.safe_limit_tokens`; a value that is not a valid number of
                tokens means one pass, and the run's telemetry says so.
            use_model: False lets rules read the session even if there is a model.
            semantic_calls: overrides the setting `extract.semantic_calls`.
            counter: as for `recall`; it decides what fits into a request.

        Raises:
            NotFoundError: there is no such session.
            InputError: the space is paused, or `semantic_calls` is not a count.
            StoreError: the state could not be written.
        """
        self._check_open()
        is_asked = given_flag(use_model, "use_model")
        extractor = self._extractor(safe_limit_tokens, semantic_calls, counter, use_model=is_asked)
        if session is not None:
            return [extractor.extract(given_session(session))]
        return extractor.extract_due()

    def extractions(self, session: str | None = None) -> list[Extraction]:
        """Returns the latest extraction of each session, sorted by session: state, attempts, reasons, and the vector.

        Args:
            session: only the extraction of this session, if it has one; None for all.
        """
        self._check_open()
        name = None if session is None else given_session(session)
        with reading_derived(self.reads.store) as reader:
            if name is None:
                return runs_of(reader, self.space)
            run = run_of(reader, self.space, name)
        return [] if run is None else [run]

    def _extractor(
        self, limit: Any, semantic_calls: int | None, counting: Counting | None, *, use_model: bool
    ) -> SessionExtractor:
        reads, config, llm = self.reads, self.config.extract, self.parts.models.llm
        if semantic_calls is not None:
            config = replace(
                config, semantic_calls=given_count(semantic_calls, "semantic_calls", "calls of the reduce")
            )
        answers = None
        if llm is not None and use_model:
            answers = CompletionCache(reads.store, self.space, llm, self.config.llm, reads.clock)
        return SessionExtractor(
            store=reads.store,
            space=self.space,
            config=config,
            limit=config.safe_limit_tokens if limit is _CONFIGURED else limit,
            count=self._counter(counting),
            clock=reads.clock,
            answers=answers,
        )
