"""What libraries log stands in the log of the server as events, without values."""

import io
import json
import logging
from datetime import UTC, datetime

import pytest

from clew.serve.event_log import EventLog, LibraryEvents


@pytest.mark.requirement("F-RELAY-05")
def test_of_what_asyncio_logs_only_the_first_line_is_told() -> None:
    told = io.StringIO()
    handler = LibraryEvents(EventLog(lambda: datetime(2026, 3, 1, tzinfo=UTC), told))
    text = "Task exception was never retrieved\nfuture: <Task exception=ValueError('my words')>"
    handler.emit(logging.LogRecord("asyncio", logging.ERROR, "base_events.py", 7, text, None, None))
    event = json.loads(told.getvalue())
    assert (event["event"], event["place"]) == ("log", "asyncio")
    assert event["reason"] == "Task exception was never retrieved"


@pytest.mark.requirement("F-RELAY-05")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("asyncio", "socket.send() raised exception."),
        ("uvicorn.error", "ASGI callable returned without completing response."),
        ("uvicorn.error", "Unsupported upgrade request."),
        ("uvicorn.error", "No supported WebSocket library detected. Please use \"pip install 'uvicorn[standard]'\""),
    ],
)
def test_what_has_an_event_of_its_own_is_told_once(name: str, text: str) -> None:
    told = io.StringIO()
    handler = LibraryEvents(EventLog(lambda: datetime(2026, 3, 1, tzinfo=UTC), told))
    handler.emit(logging.LogRecord(name, logging.ERROR, "x.py", 7, text, None, None))
    assert told.getvalue() == ""
