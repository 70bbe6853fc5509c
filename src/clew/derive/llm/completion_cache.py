"""A cache of a language model's answers: only a new request reaches the model, within the budget.

A request that was answered before by the same model is answered from the store, on any machine and without the model
(docs/llm.md).
"""

import json
from collections.abc import Callable
from datetime import datetime

from clew.config import LLMConfig
from clew.errors import ClewError, InputError, ModelError, ModelUnavailable, RequestRefused
from clew.models.budget import NO_USAGE, Budget, Prices, actual_cost, worst_case
from clew.models.checked_calls import complete_checked
from clew.models.prompt import Completion, Prompt, request_digest
from clew.models.protocol import LLM, BriefLLM
from clew.rows.spend_ledger import Ledger
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import CompletionRow
from clew.store.rows import dumps, to_us
from clew.store.selections import NODE_PLACE
from clew.store.tables import COMPLETION
from clew.store.turn_selections import TURN_SEQ
from clew.types.ids import parse_turn_id


class CompletionCache:
    """One language model for one space, with its recorded answers and its ledger. Threads may share it.

    Attributes:
        name: of the model.
        answer_tokens: see `BriefLLM`; as the settings say.
        recorded_only: the model is never asked; what was not recorded is `ModelUnavailable`.
    """

    def __init__(self, store: Store, space: str, llm: LLM, config: LLMConfig, clock: Callable[[], datetime]) -> None:
        self.name = llm.name
        self._store, self._space, self._llm, self._clock = store, space, llm, clock
        self.answer_tokens = config.answer_tokens
        self.recorded_only = config.calls == "recorded"
        self._prices = Prices(config.price_in, config.price_out)
        budget = Budget(config.daily_tokens, round(config.daily_cost * 1_000_000))
        self._ledger = Ledger(store, space, clock, budget)

    def about(self, owner: str, purpose: str) -> BriefLLM:
        """The model, for questions about one turn or node: forgetting that takes the answers along.

        Args:
            owner: id of the turn or node whose words the prompts hold, all of them.
            purpose: what the ledger books the calls under.
        """
        return _About(self, owner, purpose)

    def refuse(self, tx: Transaction, purpose: str) -> None:
        """Books an answer that is not used; recorded answers alone cost nothing, and are not booked."""
        if not self.recorded_only:
            self._ledger.refuse(tx, self.name, purpose)

    def ask(self, prompt: Prompt, max_tokens: int, owner: str, purpose: str) -> Completion:
        """The recorded answer to a request, or else a new one.

        Raises:
            BudgetExceeded: the call was not made; the day's budget has not enough left for it.
            ModelUnavailable: the model cannot be reached; or only recorded answers are used and there is none.
            RequestRefused: the server refuses this request.
            ModelError: the model failed; it may be billed, so the worst is booked.
        """
        key = (self._space, self.name, request_digest(prompt, max_tokens))
        with self._store.snapshot() as reader:
            recorded = _recorded(reader, key)
        if recorded is not None:
            return recorded
        answer, settle = self._billed(prompt, max_tokens, owner, purpose)
        now = to_us(self._clock())

        def keep(tx: Transaction) -> Completion:
            settle(tx)
            first = _recorded(tx, key)
            if first is not None:
                return first  # another process asked at the same time
            if answer.text.strip() and _lives(tx, self._space, owner):
                COMPLETION.put(tx, [CompletionRow(*key, owner, dumps(answer.to_dict()), now)])
            return answer

        return self._store.transaction(keep)

    def unrecorded(self, purpose: str) -> BriefLLM:
        """The model, for prompts that quote turns of several owners: nothing is recorded, so nothing is to forget."""
        return _Unrecorded(self, purpose)

    def ask_unrecorded(self, prompt: Prompt, max_tokens: int, purpose: str) -> Completion:
        """A new answer within the budget, which nothing keeps; the errors are those of `ask`."""
        answer, settle = self._billed(prompt, max_tokens, purpose, purpose)
        self._store.transaction(settle)
        return answer

    def _billed(
        self, prompt: Prompt, max_tokens: int, about: str, purpose: str
    ) -> tuple[Completion, Callable[[Transaction], None]]:
        """A new answer, and what books its cost."""
        if self.recorded_only:
            raise ModelUnavailable(
                f"no answer of {self.name} is recorded for {about}, and llm.calls is recorded; set it to live to ask"
            )
        worst = worst_case(prompt, max_tokens, self._prices)
        hold = self._ledger.reserve(self.name, purpose, worst)
        try:
            answer = complete_checked(self._llm, prompt, max_tokens=max_tokens)
        except ModelError as error:
            unbilled = isinstance(error, ModelUnavailable | RequestRefused)
            spent = NO_USAGE if unbilled else worst
            self._store.transaction(lambda tx: self._ledger.settle(tx, hold, spent, failed=True))
            raise
        cost = actual_cost(answer, worst, self._prices)
        return answer, lambda tx: self._ledger.settle(tx, hold, cost, failed=False)


class _About(BriefLLM):
    def __init__(self, answers: CompletionCache, owner: str, purpose: str) -> None:
        self.name, self.answer_tokens = answers.name, answers.answer_tokens
        self._answers, self._owner, self._purpose = answers, owner, purpose

    def complete(self, prompt: Prompt, *, max_tokens: int) -> Completion:
        return self._answers.ask(prompt, max_tokens, self._owner, self._purpose)


class _Unrecorded(BriefLLM):
    def __init__(self, answers: CompletionCache, purpose: str) -> None:
        self.name, self.answer_tokens = answers.name, answers.answer_tokens
        self._answers, self._purpose = answers, purpose

    def complete(self, prompt: Prompt, *, max_tokens: int) -> Completion:
        return self._answers.ask_unrecorded(prompt, max_tokens, self._purpose)


def _recorded(reader: Reader, key: tuple[str, str, bytes]) -> Completion | None:
    """What is recorded; None also for what cannot be read, which is then asked again."""
    row = COMPLETION.get(reader, key)
    try:
        return None if row is None else Completion.from_dict(json.loads(row.answer))
    except (ClewError, ValueError, TypeError):
        return None


def _lives(reader: Reader, space: str, owner: str) -> bool:
    """Whether a turn or node is still there: it may have been forgotten while the model was at work."""
    try:
        return TURN_SEQ.get(reader, (space, *parse_turn_id(owner))) is not None
    except InputError:
        return NODE_PLACE.get(reader, (space, owner)) is not None
