"""Gemini's part of Google Takeout: "My Activity" for Gemini Apps in JSON, newest first.

An entry is a prompt with its answers as HTML. Takeout does not say which prompts belong to one conversation, so the
entries of a day (UTC) make a session. Answers made again are branches. Feedback and other activity are skipped.
"""

from collections.abc import Iterator
from typing import Any

from clew.ingest.importers.html_text import plain_html
from clew.ingest.importers.json_fields import text_of, texts_of, without_none
from clew.ingest.importers.message_turns import ImportedMessage, message_turns
from clew.ingest.importers.record import ImportRecord, Skipped
from clew.ingest.importers.source import JsonRecord, Source, json_list
from clew.types import Part, Rejection

NAME = "gemini-takeout"
_PROMPTED = "Prompted "


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads an activity file, oldest entry first; so it is in memory as a whole."""
    items: list[JsonRecord] = []
    size = 0
    for item in json_list(source, None):
        if isinstance(item, Rejection):
            yield item
            continue
        size += sum(len(text) for text in (str(item.value.get("title")), *_answers(item.value)))
        if size > source.limits.max_conversation_bytes:
            reason = f"more than {source.limits.max_conversation_bytes} characters; see max_conversation_bytes"
            yield Rejection(where=item.where, reason=reason)
            break
        items.append(item)
    for item in reversed(items):
        yield from _entry(source, item)


def _entry(source: Source, item: JsonRecord) -> Iterator[ImportRecord]:
    value = item.value
    title, at = text_of(value, "title") or "", text_of(value, "time")
    answers = _answers(value)
    is_gemini = any(name in str(value.get("header")) for name in ("Gemini", "Bard"))
    if not is_gemini or at is None or not (answers or title.startswith(_PROMPTED)):
        yield Skipped("other activity", item.where)
        return
    notes = texts_of(value, "subtitles", "name")
    session = source.session_for(f"gemini-apps {at[:10]}")
    metadata = without_none(notes=notes or None, image=text_of(value, "imageFile"))
    messages = [("user", title.removeprefix(_PROMPTED), at, 0)]
    messages += [("assistant", plain_html(answer), f"{at}:answer:{n}", n) for n, answer in enumerate(answers)]
    for role, text, name, n in messages:
        message = ImportedMessage(
            source=NAME,
            session=session,
            role=role,
            parts=(Part(type="text", text=text),),
            at=at,
            external_id=name,
            parent=at if n else None,
            branch=f"branch:{name}" if n else "",
            metadata=metadata,
            skip_blank=True,
        )
        yield from message_turns(message, item.where)


def _answers(value: dict[str, Any]) -> list[str]:
    return texts_of(value, "safeHtmlItem", "html")
