"""The methods of a memory that extract what it knows. Each checks its arguments and delegates."""

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
    """What is extracted from one space. Threads may share it."""

    def extract(
        self,
        session: str | None = None,
        *,
        safe_limit_tokens: Any = _CONFIGURED,
        use_model: bool = True,
        semantic_calls: int | None = None,
        counter: Counting | None = None,
    ) -> list[Extraction]:
        """Extracts graph, open deltas and summary of a session, or of each that has new turns or failed before.

        The language model reads them if there is one, else rules do. What fails is in the report and in
        `extractions`, with its reason; a session that fails does not keep the others from being extracted, and one that
        failed three times is left out until `retry`. Once the model cannot be reached, the remaining ones are not
        tried, and stay due. Nothing is asked twice: answers are kept by content.

        Args:
            session: its name; None extracts all that are due, in the order of their names.
            safe_limit_tokens: in place of the setting `extract.safe_limit_tokens`; what is no valid number of tokens
                means one pass, and the run's telemetry says so.
            use_model: False has rules read the session, though there is a model.
            semantic_calls: in place of the setting `extract.semantic_calls`.
            counter: as for `recall`; it decides what fits.

        Raises:
            NotFoundError: there is no such session.
            InputError: the space is paused, or `semantic_calls` is no count.
            StoreError: the state could not be written.
        """
        self._check_open()
        is_asked = given_flag(use_model, "use_model")
        extractor = self._extractor(safe_limit_tokens, semantic_calls, counter, use_model=is_asked)
        if session is not None:
            return [extractor.extract(given_session(session))]
        return extractor.extract_due()

    def extractions(self, session: str | None = None) -> list[Extraction]:
        """The latest extraction of every session that had any, by session: state, attempts, reasons, and the vector.

        `clew jobs` lists them.

        Args:
            session: only that of this one, if it had any.
        """
        self._check_open()
        name = None if session is None else given_session(session)
        with reading_derived(self.reads.store) as reader:
            if name is None:
                return runs_of(reader, self.space)
            made = run_of(reader, self.space, name)
        return [] if made is None else [made]

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
