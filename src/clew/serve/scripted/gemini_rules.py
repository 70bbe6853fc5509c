"""The rules of Gemini's generateContent, in the words of its error messages; the first refusal counts."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.serve.scripted.refusal import Denial, is_base64, is_sealed, repeated, unknown

FIELDS: Final = frozenset(
    "contents tools toolConfig safetySettings systemInstruction generationConfig cachedContent model labels store "
    "serviceTier modelArmorConfig generateContentRequest".split()
)
DATA: Final = frozenset(
    "text inlineData functionCall functionResponse fileData executableCode codeExecutionResult toolCall "
    "toolResponse".split()
)
PART: Final = DATA | frozenset("thought thoughtSignature videoMetadata mediaResolution partMetadata".split())
NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")


def refusals(value: Mapping[str, Any]) -> Iterator[Denial]:
    """What is wrong with a request to generate content, or to count its tokens; keys in camel case."""
    yield from (_unknown(name, "") for name in unknown(value, FIELDS))
    contents = value.get("contents")
    if not isinstance(contents, list) or not contents:
        yield Denial("* GenerateContentRequest.contents: contents is not specified\n", kind="INVALID_ARGUMENT")
    yield from _tools(value.get("tools") or [])
    system = value.get("systemInstruction")
    if system is not None:
        yield from _content("system_instruction", system)
    for number, content in enumerate(contents or []):
        yield from _content(f"contents[{number}]", content)
        if content.get("role", "user") not in ("user", "model", "function"):
            yield _refusal("Please use a valid role: user, model.")
    yield from _order(contents or [])


def camel(value: object) -> object:
    """The value with the keys of the API's own fields in camel case; the API reads both spellings."""
    if isinstance(value, list):
        return [camel(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    converted: dict[str, object] = {}
    for key, inner in value.items():
        name = re.sub(r"_([a-z])", lambda match: match[1].upper(), key)
        converted[name] = (
            inner if name in ("args", "response", "parameters", "properties", "parametersJsonSchema") else camel(inner)
        )
    return converted


def _refusal(message: str) -> Denial:
    return Denial(message, kind="INVALID_ARGUMENT")


def _unknown(name: str, path: str) -> Denial:
    where = f" at '{path}'" if path else ""
    return _refusal(f'Invalid JSON payload received. Unknown name "{name}"{where}: Cannot find field.')


def _tools(tools: list[dict[str, Any]]) -> Iterator[Denial]:
    declared = [function for tool in tools for function in tool.get("functionDeclarations") or []]
    built_in = sorted(name for tool in tools for name in tool.keys() - {"functionDeclarations"})
    if declared and built_in:
        yield _refusal(
            f"Built-in tools ({{{', '.join(built_in)}}}) and Function Calling cannot be combined in the same request. "
            "Please choose one type of tool."
        )
    for number, function in enumerate(declared):
        if not NAME.fullmatch(str(function.get("name", ""))):
            yield _refusal(
                f"* GenerateContentRequest.tools[0].function_declarations[{number}].name: Invalid function name. Must "
                "start with a letter or an underscore.\n"
            )
    for name in repeated(function["name"] for function in declared):
        yield _refusal(f"Duplicate function declaration found: {name}")


def _content(path: str, content: Mapping[str, Any]) -> Iterator[Denial]:
    yield from (_unknown(name, path) for name in unknown(content, frozenset({"parts", "role"})))
    parts = content.get("parts")
    if not isinstance(parts, list) or not parts:
        yield _refusal(f"* GenerateContentRequest.{path}.parts: contents.parts must not be empty.\n")
    for number, part in enumerate(parts or []):
        where = f"{path}.parts[{number}]"
        yield from (_unknown(name, where) for name in unknown(part, PART))
        data = [name for name in part if name in DATA]
        if len(data) != 1 or part[data[0]] == "":
            yield _refusal(
                f"* GenerateContentRequest.{where}.data: required oneof field 'data' must have one initialized field\n"
            )
        if data == ["inlineData"] and not is_base64(part["inlineData"].get("data")):
            yield _refusal(f"Invalid value at '{where}.inline_data.data' (TYPE_BYTES), Base64 decoding failed.")
        if "thoughtSignature" in part and not is_sealed(part["thoughtSignature"]):
            yield _refusal("Thought signature is not valid.")


def _order(contents: list[dict[str, Any]]) -> Iterator[Denial]:
    """Calls come directly behind a turn of the user or of a function, and have as many responses in the next turn.

    Those since the last words of the user are signed; of finished answers, signatures are not asked for.
    """
    waiting = 0
    asked = max((number for number, content in enumerate(contents) if _is_question(content)), default=-1)
    for number, content in enumerate(contents):
        model = content.get("role") == "model"
        calls = [part for part in content["parts"] if "functionCall" in part]
        responses = [part for part in content["parts"] if "functionResponse" in part]
        if len(responses) != waiting:
            yield _refusal(
                "Please ensure that the number of function response parts is equal to the number of function call "
                "parts of the function call turn."
            )
        if calls and (not model or number == 0 or contents[number - 1].get("role") == "model"):
            yield _refusal(
                "Please ensure that function call turn comes immediately after a user turn or after a function "
                "response turn."
            )
        if calls and number > asked and "thoughtSignature" not in calls[0]:
            name = calls[0]["functionCall"].get("name")
            yield _refusal(
                f"Function call is missing a thought_signature in functionCall parts. Function call `{name}`, position "
                f"{number}."
            )
        waiting = len(calls)
    if waiting:
        yield _refusal("Please ensure that single turn requests end with a user role or the role field is empty.")


def _is_question(content: Mapping[str, Any]) -> bool:
    return content.get("role") != "model" and any("functionResponse" not in part for part in content["parts"])
