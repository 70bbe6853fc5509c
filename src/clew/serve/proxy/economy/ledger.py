"""What requests cost and saved: a row for each request, and their totals by session, day and model."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from clew.rows.request_log import log_request, logged_requests
from clew.serve.proxy.economy.decide import Decision
from clew.serve.proxy.economy.prices import Price
from clew.serve.proxy.exchange import TokenUsage
from clew.store.protocol import Reader, Store
from clew.store.row_types import RequestLogRow
from clew.store.rows import from_us, to_us
from clew.types.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """A request that has passed through the proxy, as the ledger needs it.

    Attributes:
        id: unique among the requests of one moment.
        decision: None where nothing was decided: a side request, recording only, or a failure.
        failed: why the request went on without the memory, such as `error` or `slow`; None when the memory took part.
        refused: why the provider did not answer it; None when it answered. It charges nothing then, but for what
            `usage` has of calls of Clew's tools that it answered before.
    """

    id: str
    at: datetime
    wire: str
    model: str
    client: str = ""
    session: str | None = None
    decision: Decision | None = None
    usage: TokenUsage = field(default_factory=TokenUsage)
    receipt: str | None = None
    failed: str | None = None
    refused: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent(Record):
    """Totals of requests.

    Attributes:
        name: of the session, day or model; empty for all.
        input, cached, written, output: tokens, as the providers report them.
        predicted_cached, predicted_written: tokens, as they were predicted for the same requests.
        block_tokens: what was added to the requests.
        cost: in dollars, of the requests with a known price.
        cost_without: in dollars, had the same requests been passed through; of those that the model would have taken.
        saved: the difference for those; negative for what Clew cost.
        unpriced: requests without a known price; they count as tokens alone.
        failed: requests that went on without the memory, or that were not answered.
    """

    name: str = ""
    requests: int = 0
    input: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0
    predicted_cached: int = 0
    predicted_written: int = 0
    block_tokens: int = 0
    cost: float = 0.0
    cost_without: float = 0.0
    saved: float = 0.0
    unpriced: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLedger(Record):
    """What passed through: in all, and by session, day (UTC) and model, the latest or largest first."""

    total: Spent
    sessions: tuple[Spent, ...]
    days: tuple[Spent, ...]
    models: tuple[Spent, ...]


def record(store: Store, space: str, passed: Passed, price: Price | None) -> None:
    """Keeps the row of a request, unless its session is paused; the next durable write takes it to the disk."""
    log_request(store, row_of(space, passed, price))


def row_of(space: str, passed: Passed, price: Price | None) -> RequestLogRow:
    """The row of a request.

    What it cost follows from the tokens that the provider reports, or, where it reports none, from the predicted ones.
    What it would have cost is that, less what the prediction gives as the difference, in the provider's own tokens.
    One that was not answered, not even by a call of Clew's tools, has no tokens and costs nothing, either way.
    """
    is_answered = passed.refused is None or passed.usage != TokenUsage()
    decision, usage = (passed.decision, passed.usage) if is_answered else (None, TokenUsage())
    cost = without = None if is_answered else 0.0
    if price is not None and (usage.input is not None or decision is not None):
        cost = _actual(usage, decision, price)
        predicted = decision.cost_without if decision is not None else None
        if decision is None:
            without = cost
        elif predicted is not None and decision.cost is not None:
            scale = (usage.input or 0) / decision.prospect.use.total if decision.prospect.use.total else 0.0
            without = max(0.0, cost - (decision.cost - predicted) * (scale or 1.0))
    return RequestLogRow(
        space=space,
        at=to_us(passed.at),
        request=passed.id,
        session=passed.session,
        client=passed.client,
        wire=passed.wire,
        model=passed.model,
        decision="" if decision is None else str(decision.choice),
        reason="" if decision is None else decision.reason,
        tokens=None if decision is None else decision.plain.total,
        block_tokens=0 if decision is None else decision.own_tokens,
        predicted_cached=None if decision is None else decision.prospect.use.read,
        predicted_written=None
        if decision is None
        else decision.prospect.use.written + decision.prospect.use.written_long,
        input=usage.input,
        cached=usage.cached,
        written=usage.written,
        output=usage.output,
        cost_with=None if cost is None else round(cost),
        cost_without=None if without is None else round(without),
        receipt=passed.receipt,
        failed=passed.failed or passed.refused,
    )


def read_ledger(reader: Reader, space: str, *, session: str | None = None, since: datetime | None = None) -> CostLedger:
    """The ledger of a space, of a session alone, or since a time."""
    return ledger_of(logged_requests(reader, space, session, 0 if since is None else to_us(since)))


def ledger_of(rows: Iterable[RequestLogRow]) -> CostLedger:
    """The totals of rows."""
    held = sorted(rows, key=lambda row: (row.at, row.request))
    sessions = _grouped(held, lambda row: row.session or "")
    days = _grouped(held, lambda row: f"{from_us(row.at).astimezone(UTC):%Y-%m-%d}")
    models = _grouped(held, lambda row: row.model)
    last = {row.session or "": row.at for row in held}
    return CostLedger(
        total=_total("", held),
        sessions=tuple(sorted(sessions, key=lambda each: (-last[each.name], each.name))),
        days=tuple(sorted(days, key=lambda each: each.name, reverse=True)),
        models=tuple(sorted(models, key=lambda each: (-each.cost, -each.input, each.name))),
    )


def _actual(usage: TokenUsage, decision: Decision | None, price: Price) -> float:
    """Millionths of a dollar, by the reported tokens; input that is not reported is taken as predicted."""
    output = (usage.output or 0) * price.output
    if usage.input is None:
        long = decision is not None and 0 < price.above < decision.prospect.use.total
        return (decision.prospect.cost if decision is not None else 0.0) + output * (price.times_output if long else 1)
    cached, written = usage.cached or 0, usage.written or 0
    use = None if decision is None else decision.prospect.use
    all_written = 0 if use is None else use.written + use.written_long
    share = use.written_long / all_written if use is not None and all_written else 0.0
    dear = price.write + share * (price.write_long - price.write)
    entered = cached * price.read + written * dear + max(0, usage.input - cached - written) * price.miss
    if 0 < price.above < usage.input:
        return entered * price.times + output * price.times_output
    return entered + output


def _grouped(rows: Iterable[RequestLogRow], key: Callable[[RequestLogRow], str]) -> list[Spent]:
    groups: dict[str, list[RequestLogRow]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return [_total(name, group) for name, group in groups.items()]


def _total(name: str, rows: list[RequestLogRow]) -> Spent:
    compared = [
        (row.cost_with, row.cost_without) for row in rows if row.cost_with is not None and row.cost_without is not None
    ]
    return Spent(
        name=name,
        requests=len(rows),
        input=sum(row.input or 0 for row in rows),
        cached=sum(row.cached or 0 for row in rows),
        written=sum(row.written or 0 for row in rows),
        output=sum(row.output or 0 for row in rows),
        predicted_cached=sum(row.predicted_cached or 0 for row in rows),
        predicted_written=sum(row.predicted_written or 0 for row in rows),
        block_tokens=sum(row.block_tokens for row in rows),
        cost=sum(row.cost_with or 0 for row in rows) / 1e6,
        cost_without=sum(without for _, without in compared) / 1e6,
        saved=sum(without - cost for cost, without in compared) / 1e6,
        unpriced=sum(row.cost_with is None for row in rows),
        failed=sum(row.failed is not None for row in rows),
    )
