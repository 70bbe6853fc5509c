"""`clew bench proxy`: what it counts holds on any machine; times are only there."""

import pytest

from clew.evaluate.speed.measure import Measure
from clew.serve.measure_proxy import run_proxy_bench

pytestmark = pytest.mark.slow  # programs and servers are started


@pytest.fixture(scope="module")
def measures() -> dict[str, Measure]:
    steps: list[str] = []
    found = {measure.name: measure for measure in run_proxy_bench(200, calls=8, on_progress=steps.append)}
    assert steps[0] == "storing 200 turns"
    return found


@pytest.mark.requirement("P-UPS-06")
def test_two_hundred_streams_at_once_arrive_byte_for_byte(measures: dict[str, Measure]) -> None:
    assert measures["proxy.streams"].value == measures["proxy.streams"].reference == 200


@pytest.mark.requirement("P-UPS-05")
def test_requests_are_left_alone_but_for_one_block(measures: dict[str, Measure]) -> None:
    assert measures["proxy.identical"].value == 100
    assert measures["proxy.inserted"].value == 100


@pytest.mark.requirement("P-UPS-05")
def test_direct_calls_stand_beside_proxied_ones(measures: dict[str, Measure]) -> None:
    first = [f"proxy.first_byte.{which}" for which in ("p50", "p95", "paused")]
    for name in (*first, "proxy.throughput", "proxy.cache"):
        assert measures[name].value > 0
        assert (measures[name].reference or 0) > 0
