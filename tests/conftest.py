"""What every test shares: no network but this machine, a home of its own, and how hard Hypothesis tries."""

import gc
import ipaddress
import os
import sys
import threading
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

from tests.support.effort import THOROUGH, examples
from tests.support.postgres_servers import stop_all

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # for tests that load the runtime themselves; Clew does this by itself

settings.register_profile(
    "dev",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],  # it goes by the clock, as deadlines do
    max_examples=examples(12, 100),
)
settings.register_profile("ci", settings.get_profile("dev"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

_CHOSEN = {
    "CLEW_DATA",
    "CLEW_EACH",
    "CLEW_KILL_LOOPS",
    "CLEW_KILL_MOMENTS",
    "CLEW_LOOPS",
    "CLEW_THOROUGH",
}  # how the tests are run
_OF_THE_TERMINAL = {"COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR"}
for _name in set(os.environ) - _CHOSEN:  # whoever runs the tests may have set them; a test sets what it needs
    if _name.startswith("CLEW_") or _name in _OF_THE_TERMINAL or _name.lower().endswith("_proxy"):
        del os.environ[_name]

_CONNECTING = {"socket.connect", "socket.sendto", "socket.sendmsg"}


class NetworkRefused(AssertionError):
    """A test reached out of this machine. Pass it a fake, or a server on 127.0.0.1."""


def _is_here(host: object) -> bool:
    name = host.decode() if isinstance(host, bytes) else str(host or "localhost")
    try:
        return ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:  # a name, not an address
        return name == "localhost"


def _refuse_the_outside(event: str, args: tuple[object, ...]) -> None:
    if event in _CONNECTING and isinstance(args[1], tuple):  # other families have no host: AF_UNIX gives a path
        host = args[1][0]
    elif event in {"socket.getaddrinfo", "socket.gethostbyname"}:
        host = args[0]
    else:
        return
    if not _is_here(host):
        raise NetworkRefused(f"{event} to {host!r}; tests reach this machine only")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what Hypothesis makes cases up for: how many it makes, and the time for it, depend on the run."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("thorough")
        if THOROUGH and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(1_200))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Spares the collector of cycles the tests themselves, which are half a million objects."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Has a worker report what is worth it: of a test that passes one message of six, and the tests are many.

    The others say that a test starts or ends, and that its setup or teardown passed and printed nothing. Whoever asks
    for durations or a file of JUnit's gets them all.
    """
    option = item.config.option
    if not hasattr(item.config, "workerinput") or option.durations is not None or option.xmlpath:
        return None  # pytest does it
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.sections:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> None:
    """Refuses every socket that leaves this machine, whoever opens it; an audit hook stays until the process ends."""
    sys.addaudithook(_refuse_the_outside)


@pytest.fixture(scope="session", autouse=True)
def _no_server_is_left() -> Iterator[None]:
    """Ends the database servers that tests started."""
    yield
    stop_all()


@pytest.fixture(autouse=True)
def _nothing_is_left_open() -> Iterator[None]:
    """Fails a test that leaves a memory open: its threads would go on until the process ends."""
    before = set(threading.enumerate())
    yield
    ours = {"clew-worker", "clew-models"}
    left = [each for each in threading.enumerate() if each not in before and each.name in ours]
    for each in left:  # closing waits only shortly for a model, which a busy machine may not let answer meanwhile
        each.join(60)
    assert not [each for each in left if each.is_alive()], "close the memories that the test opened"


@pytest.fixture
def tmp_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home directory and none of the caller's CLEW_* settings; CLEW_DATA, the path of outside data, stays."""
    home = tmp_path / "home"
    home.mkdir()
    for name in set(os.environ) - {"CLEW_DATA"}:
        if name.startswith(("CLEW_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    return home


@pytest.fixture
def switching_often() -> Iterator[None]:
    """Python changes threads after every few instructions, so that what several of them share without care breaks."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)
