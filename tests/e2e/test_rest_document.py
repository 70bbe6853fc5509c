"""The REST API against its own OpenAPI document, by schemathesis: whatever is asked, answers are what it promises."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from clew.serve.rest.endpoints import ENDPOINTS
from clew.serve.rest.openapi import ROOT, document
from tests.support.effort import examples
from tests.support.memories import quiet, timed
from tests.support.proxies import RunningProxy, proxy
from tests.support.raw_upstreams import PATIENCE

NAMES = sorted((endpoint.method, ROOT + endpoint.path) for endpoint in ENDPOINTS)


@pytest.fixture(scope="module")
def server() -> Iterator[RunningProxy]:
    with quiet() as memory:
        memory.add_many(timed([f"We picked tea number {n} for the office." for n in range(12)]))
        memory.drain()
        with proxy("http://127.0.0.1:9", lambda _space: memory) as running:
            yield running


@pytest.mark.slow
@pytest.mark.requirement("P-LFT-12")
@pytest.mark.parametrize(("method", "path"), NAMES, ids=[" ".join(name) for name in NAMES])
def test_every_answer_is_what_the_document_promises(method: str, path: str, server: RunningProxy) -> None:
    import schemathesis  # half a second in each process that only collects this slow test
    from schemathesis import checks  # as above

    operation = schemathesis.openapi.from_dict(document())[path][method]
    promised = [
        checks.not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_schema_conformance,
    ]

    @settings(
        max_examples=examples(18, 400),
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def ask(case: Any) -> None:
        case.call_and_validate(base_url=server.url, checks=promised, timeout=PATIENCE)

    ask()
