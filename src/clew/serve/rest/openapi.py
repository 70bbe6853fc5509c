"""The OpenAPI 3.1 document, made from the list of endpoints that also checks requests."""

from typing import Any, Final

from clew.serve.rest.endpoints import ENDPOINTS, Endpoint
from clew.serve.rest.fields import FieldLocation, object_schema
from clew.serve.rest.problems import ApiErrorBody
from clew.serve.rest.shapes import Shapes
from clew.version import __version__

ROOT: Final = "/clew/api/v1"
"""The path of every endpoint begins with this."""

_ERRORS: Final = {
    "400": "The request is wrong.",
    "401": "There is no token, or a wrong one.",
    "403": "The token does not allow this.",
    "404": "There is no such thing.",
    "409": "Something was changed meanwhile.",
    "413": "The request is too large.",
    "415": "The body is no JSON.",
    "429": "Too many requests.",
    "500": "Clew has failed; the server's log tells where.",
    "501": "An optional package is missing.",
    "502": "The language model has failed.",
    "503": "The memory cannot be used now.",
    "507": "The disk is full.",
}


def document() -> dict[str, Any]:
    """The document, as JSON."""
    shapes = Shapes()
    problem = shapes.of(ApiErrorBody)
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(ROOT + endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, shapes, problem)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Clew", "version": __version__, "description": "Memory of conversations: docs/rest.md."},
        "paths": paths,
        "components": {
            "schemas": shapes.components,
            "securitySchemes": {
                "token": {"type": "apiKey", "in": "header", "name": "X-Clew-Token"},
                "bearer": {"type": "http", "scheme": "bearer"},
            },
        },
        "security": [{"token": []}, {"bearer": []}, {}],
    }


def _operation(endpoint: Endpoint, shapes: Shapes, problem: dict[str, Any]) -> dict[str, Any]:
    given = shapes.of(endpoint.gives)
    if endpoint.paged:
        given = {
            "type": "object",
            "properties": {
                "items": {"type": "array", "items": given},
                "next": {"type": "string", "description": "Cursor of the next page; absent on the last."},
            },
            "required": ["items"],
        }
    parameters = [
        {"name": field.name, "in": str(field.location), "required": field.required, "schema": field.schema()}
        for field in endpoint.fields
        if field.location is not FieldLocation.BODY
    ]
    responses = {"200": {"description": "Done.", "content": {"application/json": {"schema": given}}}}
    errors = {code: {"description": text, "content": _json(problem)} for code, text in _ERRORS.items()}
    operation: dict[str, Any] = {
        "operationId": endpoint.name,
        "summary": endpoint.about,
        "description": f"Needs the scope `{endpoint.scope}`.",
        "parameters": parameters,
        "responses": responses | errors,
    }
    if endpoint.method == "POST":
        body = endpoint.located_in(FieldLocation.BODY)
        required = any(field.required for field in body)
        operation["requestBody"] = {"required": required, "content": _json(object_schema(body))}
    return operation


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
