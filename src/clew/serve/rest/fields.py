"""What an endpoint takes: fields with their kinds and limits, which check a request and describe themselves.

Borders: knows no memory and no network. One declaration is both the check and the JSON Schema.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from clew.errors import InputError
from clew.text.iso_time import parse_iso

LONGEST: Final = 100_000
"""Characters of a text, unless a field says otherwise."""

_HALF: Final = re.compile("[\ud800-\udfff]")
_WHOLE: Final = re.compile(r"-?[0-9]{1,4000}")  # of more digits Python reads no number
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d)")
_SHOWN: Final = 60


class FieldKind(StrEnum):
    """What a value is; the value is the type in JSON Schema."""

    STRING = "string"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    ARRAY = "array"
    OBJECT = "object"


class FieldLocation(StrEnum):
    """Where a value stands in a request; the value is OpenAPI's word for it."""

    PATH = "path"
    QUERY = "query"
    BODY = "body"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One value of a request.

    Attributes:
        low, high: of a number; of a text the characters, of a list the elements.
        choices: the texts that are allowed; empty for any.
        not_blank: whether the text needs something besides white space.
        moment: whether the text is a point in time with its zone, which is given as a datetime.
        of: what each element of a list is.
        fields: the members of an object; with none it may have any.
    """

    name: str
    about: str
    kind: FieldKind = FieldKind.STRING
    location: FieldLocation = FieldLocation.BODY
    required: bool = False
    default: Any = None
    low: int = 0
    high: int = LONGEST
    choices: tuple[str, ...] = ()
    not_blank: bool = False
    moment: bool = False
    of: "Field | None" = None
    fields: "tuple[Field, ...]" = ()

    def schema(self) -> dict[str, Any]:
        """JSON Schema of a value."""
        described: dict[str, Any] = {"type": str(self.kind), "description": self.about}
        if self.kind is FieldKind.STRING:
            sizes = {"minLength": self.low, "maxLength": self.high}
            described |= {"enum": list(self.choices)} if self.choices else sizes
            described |= {"format": "date-time"} if self.moment else {}
            described |= {"pattern": r"\S"} if self.not_blank else {}
        elif self.kind is FieldKind.INTEGER:
            described |= {"minimum": self.low, "maximum": self.high}
        elif self.kind is FieldKind.ARRAY and self.of is not None:
            described |= {"items": self.of.schema(), "minItems": self.low, "maxItems": self.high}
        elif self.fields:
            described |= object_schema(self.fields)
        return described if self.default is None else {**described, "default": self.default}

    def checked(self, value: Any) -> Any:
        """The value as an endpoint gets it.

        Raises:
            InputError: it is none of what is expected.
        """
        return _CHECKS[self.kind](self, value)

    def wrong(self, value: Any, expected: str) -> InputError:
        """The error that says what came and what was expected."""
        shown = repr(value)
        shown = shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
        return InputError(f"{self.name} is {shown}; expected {expected}")


def object_schema(fields: Sequence[Field]) -> dict[str, Any]:
    """JSON Schema of an object with these members and no others."""
    return {
        "type": "object",
        "properties": {field.name: field.schema() for field in fields},
        "required": [field.name for field in fields if field.required],
        "additionalProperties": False,
    }


def checked_object(fields: Sequence[Field], given: Mapping[str, Any], what: str) -> dict[str, Any]:
    """The values by name; those that are absent have their defaults.

    Raises:
        InputError: a value is missing, unknown or wrong.
    """
    known = {field.name: field for field in fields}
    unknown = [name for name in given if name not in known]
    if unknown:
        raise InputError(f"{what} has {unknown[0]!r:.60}; expected {', '.join(known) or 'nothing'}")
    checked = {}
    for name, field in known.items():
        if name in given:
            checked[name] = field.checked(given[name])
        elif field.required:
            raise InputError(f"{what} lacks {name} ({field.about})")
        else:
            checked[name] = field.default
    return checked


def from_text(field: Field, text: str) -> Any:
    """A value of a path or query as JSON would have it; what cannot be read stays text, for the check to refuse."""
    if field.kind is FieldKind.INTEGER and _WHOLE.fullmatch(text):
        return int(text)
    if field.kind is FieldKind.BOOLEAN and text in ("true", "false"):
        return text == "true"
    return text


def _text(field: Field, value: Any) -> Any:
    if not isinstance(value, str):
        raise field.wrong(value, "text")
    if _HALF.search(value):
        raise field.wrong(value, "text of whole characters; it has half of one")
    if not field.low <= len(value) <= field.high:
        raise field.wrong(value, f"{field.low} to {field.high} characters, and got {len(value)}")
    if field.not_blank and not value.strip():
        raise field.wrong(value, f"words: {field.about}")
    if field.choices and value not in field.choices:
        raise field.wrong(value, f"one of {', '.join(field.choices)}")
    return _moment(field, value) if field.moment else value


def _moment(field: Field, value: str) -> datetime:
    if _MOMENT.fullmatch(value):
        try:
            return parse_iso(value)
        except ValueError:  # the 30th of February
            pass
    raise field.wrong(value, "a time with its zone, such as 2025-04-01T12:00:00Z")


def _whole(field: Field, value: Any) -> int:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole and not (isinstance(value, float) and value.is_integer()):
        raise field.wrong(value, f"a whole number, {field.low} to {field.high}")
    if not field.low <= value <= field.high:
        raise field.wrong(value, f"{field.low} to {field.high}")
    return int(value)


def _flag(field: Field, value: Any) -> bool:
    if not isinstance(value, bool):
        raise field.wrong(value, "true or false")
    return value


def _list(field: Field, value: Any) -> list[Any]:
    if not isinstance(value, list) or not field.low <= len(value) <= field.high:
        raise field.wrong(value, f"a list of {field.low} to {field.high} elements")
    return value if field.of is None else [field.of.checked(element) for element in value]


def _members(field: Field, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise field.wrong(value, "an object")
    return checked_object(field.fields, value, field.name) if field.fields else value


_CHECKS: Final[Mapping[FieldKind, Callable[[Field, Any], Any]]] = {
    FieldKind.STRING: _text,
    FieldKind.INTEGER: _whole,
    FieldKind.BOOLEAN: _flag,
    FieldKind.ARRAY: _list,
    FieldKind.OBJECT: _members,
}
