"""Checks a JSON value against a small schema, and describes the first violation in words that a model can use.

Supported keywords of JSON Schema: `type` (object, array, string, boolean, integer, number), `properties` (all of them
required, no others allowed, unless `required` names fewer), `items`, `enum`, `minimum`, `maximum`, `maxItems`,
`maxLength`. A schema with any other keyword is refused, so that nothing goes unchecked silently.
"""

import math
import reprlib
from collections.abc import Mapping
from typing import Any, Final, cast

from clew.errors import InputError

_KNOWN: Final = frozenset(
    "type properties required additionalProperties items enum minimum maximum maxItems maxLength description".split()
)
_CHARS_PER_TOKEN: Final = 4

_KINDS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
}


def problem(value: Any, schema: Mapping[str, Any], at: str = "the value") -> str | None:
    """Describes the first violation of a schema by a value; None if the value matches.

    Raises:
        InputError: the schema has an unsupported keyword or type.
    """
    kind = str(schema.get("type"))
    if kind not in _KINDS or not _KNOWN.issuperset(schema):
        raise InputError(f"the schema of {at} is {dict(schema)!r}; expected a type and the rules of clew.models.schema")
    if not isinstance(value, _KINDS[kind]) or (isinstance(value, bool) and kind != "boolean"):
        return f"{at} is {reprlib.repr(value)}; expected {kind}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{at} is {reprlib.repr(value)}; expected one of {', '.join(map(repr, schema['enum']))}"
    if isinstance(value, dict):
        return _object_problem(value, schema, at)
    if isinstance(value, list):
        return _array_problem(value, schema, at)
    if isinstance(value, str):
        longest = schema.get("maxLength", math.inf)
        return None if len(value) <= longest else f"{at} has {len(value)} characters; at most {longest} are allowed"
    return None if kind == "boolean" else _number_problem(cast(float, value), schema, at)


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema with `required` and `additionalProperties` written out for every object, as the vendors want it."""
    full = dict(schema)
    if "items" in full:
        full["items"] = strict(full["items"])
    if full.get("type") == "object":
        inner = full.get("properties", {})
        full["properties"] = {name: strict(member) for name, member in inner.items()}
        full |= {"required": list(full.get("required", inner)), "additionalProperties": False}
    return full


def shortened(schema: Mapping[str, Any], tokens: int, wanted: int) -> dict[str, Any]:
    """A schema for answers of fewer tokens: lists have fewer items, at least one; no text takes more than half of them.

    Args:
        tokens: of the shorter answer.
        wanted: tokens that an answer of the schema may have.
    """
    short = dict(schema)
    if "items" in short:
        short["items"] = shortened(short["items"], tokens, wanted)
        if "maxItems" in short:
            short["maxItems"] = max(1, short["maxItems"] * tokens // wanted)
    if "properties" in short:
        short["properties"] = {name: shortened(member, tokens, wanted) for name, member in short["properties"].items()}
    if "maxLength" in short:
        short["maxLength"] = max(1, min(short["maxLength"], tokens * _CHARS_PER_TOKEN // 2))
    return short


def with_empty_lists(value: Any, schema: Mapping[str, Any]) -> Any:
    """An object with empty lists for those that it lacks, as an answer does that was cut off before them."""
    if not isinstance(value, dict):
        return value
    inner: Mapping[str, Any] = schema.get("properties", {})
    return value | {name: [] for name, member in inner.items() if member["type"] == "array" and name not in value}


def _object_problem(value: dict[str, Any], schema: Mapping[str, Any], at: str) -> str | None:
    inner: Mapping[str, Any] = schema.get("properties", {})
    missing = [name for name in schema.get("required", inner) if name not in value]
    if missing:
        return f"{at} lacks {', '.join(map(repr, missing))}"
    unknown = [name for name in value if name not in inner]
    if unknown:
        return f"{at} has {reprlib.repr(unknown[0])}, which nobody asked for"
    problems = (problem(member, inner[name], f"{name!r}") for name, member in value.items())
    return next((wrong for wrong in problems if wrong), None)


def _array_problem(value: list[Any], schema: Mapping[str, Any], at: str) -> str | None:
    if len(value) > schema.get("maxItems", math.inf):
        return f"{at} has {len(value)} items; at most {schema['maxItems']} are allowed"
    problems = (problem(item, schema["items"], f"item {index} of {at}") for index, item in enumerate(value))
    return next((wrong for wrong in problems if wrong), None)


def _number_problem(value: float, schema: Mapping[str, Any], at: str) -> str | None:
    low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    if low <= value <= high:  # NaN is between nothing
        return None
    return f"{at} is {reprlib.repr(value)}; expected {low} to {high}"
