"""JSON Schemas of what endpoints give, from the types of the dataclasses that they give."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from clew.types import Turn

_PLAIN: Final[Mapping[Any, dict[str, Any]]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
    bytes: {"type": "string"},
    datetime: {"type": "string", "format": "date-time"},
    Any: {},
}

_TURN_ID: Final = {"type": "string", "description": "The turn's name, as other endpoints take it."}


class Shapes:
    """Schemas of dataclasses by name, collected while types are asked for."""

    def __init__(self) -> None:
        self.components: dict[str, Any] = {}

    def of(self, hint: Any) -> dict[str, Any]:
        """The schema of a type; a dataclass is referred to by its name."""
        origin, arguments = get_origin(hint), get_args(hint)
        if hint in _PLAIN:
            return _PLAIN[hint]
        if origin is Literal or (isinstance(hint, type) and issubclass(hint, StrEnum)):
            return {"type": "string", "enum": list(arguments) or [str(choice) for choice in hint]}
        if origin in (Union, UnionType):
            return {"anyOf": [self.of(argument) for argument in arguments]}
        if origin in (tuple, list, Sequence):
            return {"type": "array", "items": self.of(arguments[0])}
        if origin in (dict, Mapping):
            return {"type": "object", "additionalProperties": self.of(arguments[1])}
        if is_dataclass(hint) and isinstance(hint, type):
            return self._record(hint)
        raise TypeError(f"{hint!r} has no JSON Schema here; add it to clew.serve.rest.shapes")

    def _record(self, kind: type) -> dict[str, Any]:
        if kind.__name__ not in self.components:
            self.components[kind.__name__] = {}  # for types that name themselves
            hints = get_type_hints(kind)
            given = [
                member for member in fields(kind) if member.default is MISSING and member.default_factory is MISSING
            ]
            always = [member.name for member in given if NoneType not in get_args(hints[member.name])]
            own = {"id": _TURN_ID} if kind is Turn else {}
            self.components[kind.__name__] = {
                "type": "object",
                "description": (inspect.getdoc(kind) or "").partition("\n\n")[0],
                "properties": own | {member.name: self.of(hints[member.name]) for member in fields(kind)},
                "required": [*own, *always],
            }
        return {"$ref": f"#/components/schemas/{kind.__name__}"}
