"""From what a model writes to a JSON value that was asked for."""

import json
import logging
from typing import Any

import pytest

from clew.errors import InputError, ModelError
from clew.models.checked_calls import complete_checked
from clew.models.json_answers import REPAIRS, read_value
from clew.models.prompt import Completion, Prompt, request_digest
from clew.models.protocol import BriefLLM
from clew.models.schema import problem, strict
from clew.testing import ScriptedLLM

SCHEMA = {
    "type": "object",
    "properties": {
        "ok": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 5}, "maxItems": 2},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "count": {"type": "integer"},
    },
    "required": ["ok"],
}
GOOD = {"ok": True, "tags": ["x"], "kind": "a", "score": 0.5, "count": 3}
HELLO = Prompt.of("Say it.", "hello")


def said(text: str, stop: Any = "end") -> Completion:
    return Completion(text, 1, 1, "m", stop)


@pytest.mark.requirement("W-LLM-04")
@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        (GOOD, None),
        ({"ok": False}, None),
        ({}, "lacks 'ok'"),
        ({"ok": 1}, "'ok' is 1; expected boolean"),
        ({"ok": "true"}, "expected boolean"),
        ({"ok": None}, "expected boolean"),
        ({"ok": True, "more": 1}, "'more', which nobody asked for"),
        ({"ok": True, "tags": "x"}, "'tags' is 'x'; expected array"),
        ({"ok": True, "tags": ["x", 2]}, "item 1 of 'tags' is 2; expected string"),
        ({"ok": True, "tags": ["x", "y", "z"]}, "has 3 items; at most 2"),
        ({"ok": True, "tags": ["xxxxxx"]}, "has 6 characters; at most 5"),
        ({"ok": True, "kind": "c"}, "expected one of 'a', 'b'"),
        ({"ok": True, "score": 1.5}, "expected 0 to 1"),
        ({"ok": True, "score": True}, "expected number"),
        ({"ok": True, "score": float("nan")}, "expected 0 to 1"),
        ({"ok": True, "count": 1.0}, "expected integer"),
        ([GOOD], "expected object"),
        ("x" * 10**6, "expected object"),
    ],
    ids=lambda each: repr(each)[:40],
)
def test_a_value_is_what_its_schema_says(value: Any, wrong: str | None) -> None:
    found = problem(value, SCHEMA)
    assert found is None if wrong is None else wrong in str(found)
    assert len(found or "") < 200


@pytest.mark.requirement("W-LLM-04")
def test_a_schema_that_says_more_than_is_checked_is_refused() -> None:
    unknown: list[dict[str, Any]] = [{"type": "object", "patternProperties": {}}, {"anyOf": []}, {"type": "null"}]
    for schema in unknown:
        with pytest.raises(InputError, match="the schema of the value"):
            problem({}, schema)
    assert strict({"type": "array", "items": SCHEMA})["items"]["additionalProperties"] is False
    assert strict({"type": "object", "properties": {"a": {"type": "string"}}})["required"] == ["a"]


@pytest.mark.requirement("W-LLM-04")
@pytest.mark.parametrize(
    "text",
    [
        json.dumps(GOOD),
        f"```json\n{json.dumps(GOOD, indent=2)}\n```",
        f"Here you are: {json.dumps(GOOD)} I hope that it helps [1].",
        f'<think>{{"ok": false}} or not?</think>{json.dumps(GOOD)}',
        f'{{"ok": false}} or not?\n</think>\n\n{json.dumps(GOOD)}',
        f"First {json.dumps(GOOD)}, and again {json.dumps(GOOD)}.",
        "{" * 5 + json.dumps(GOOD),
    ],
)
def test_a_value_is_found_in_whatever_is_around_it(text: str) -> None:
    assert read_value(said(text), SCHEMA) == GOOD


@pytest.mark.requirement("W-LLM-04")
@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "it is empty"),
        ("   ", "it is empty"),
        ("I would say yes.", "no JSON value"),
        ('{"ok": tru', "no JSON value"),
        ('{"ok": NaN}', "no JSON value"),
        ('{"ok": 1}', "expected boolean"),
        ('The message says {"ok": true}, but I say {"ok": false}.', "2 different values"),
        ("[" * 100_000, "no JSON value"),
        ("{" * 10_000_000, "no JSON value"),
        ("1" * 10_000, "no JSON value"),
    ],
    ids=lambda each: each[:30],
)
def test_what_is_no_such_value_is_told(text: str, wrong: str) -> None:
    with pytest.raises(ModelError, match=wrong):
        read_value(said(text), SCHEMA)


@pytest.mark.requirement("W-LLM-04")
@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```"])
@pytest.mark.parametrize("title", ["<think>a</think> b", "the tag </think>", "the tag <think>"])
def test_a_value_that_quotes_the_tags_of_thoughts_stays_as_it_is(around: str, title: str) -> None:
    value = {"title": title, "names": ["c"], "rows": [], "more": []}
    assert read_value(said(around.replace("{}", json.dumps(value))), LISTS) == value


@pytest.mark.requirement("W-LLM-04")
def test_a_lone_surrogate_in_a_text_is_a_question_mark() -> None:
    text = '{"ok": true, "tags": ["a\\ud800b", "\\ud83d\\ude00\\uDFFF"]}'
    assert read_value(said(text), SCHEMA) == {"ok": True, "tags": ["a?b", "\U0001f600?"]}


@pytest.mark.requirement("W-LLM-04")
@pytest.mark.parametrize("text", ['{"ok": tr', '<think>Maybe {"ok": true}? Or', '<think>Maybe {"ok": true'])
def test_what_was_cut_off_is_told(text: str) -> None:
    with pytest.raises(ModelError, match="cut off at the token limit"):
        read_value(said(text, "length"), SCHEMA)


ITEMS = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "maxItems": 3,
            "items": {"type": "object", "properties": {"of": {"type": "string"}}},
        }
    },
}


@pytest.mark.requirement("W-LLM-04")
@pytest.mark.parametrize("ahead", ["", "```json\n", "Well: "])
def test_of_an_answer_that_was_cut_off_the_complete_items_are_used(ahead: str) -> None:
    first, second = {"of": "a, [b] }"}, {"of": 'c \\" ]'}
    whole = json.dumps({"facts": [first, second, {"of": "d"}]})
    ends = [whole.index("}, {") + 1, whole.rindex("}, {") + 1, whole.index("}]") + 1]
    for length in range(len(whole)):
        complete = sum(end <= length for end in ends)
        if complete:
            found = read_value(said(ahead + whole[:length], "length"), ITEMS)
            assert found == {"facts": [first, second, {"of": "d"}][:complete]}
        else:
            with pytest.raises(ModelError, match="cut off at the token limit"):
                read_value(said(ahead + whole[:length], "length"), ITEMS)
        with pytest.raises(ModelError):
            read_value(
                said(ahead + whole[:length]), ITEMS
            )  # nothing says that it was cut off: the model is asked again
    for odd in ("[" * 50_000, '{"facts": [{"of": "' + "x" * 90_000, '{"facts": [}]', '["a"', '{"facts": ["a", '):
        with pytest.raises(ModelError, match="cut off at the token limit"):
            read_value(said(odd, "length"), ITEMS)


@pytest.mark.requirement("W-LLM-04")
def test_an_answer_that_was_cut_off_inside_many_brackets_is_not_completed() -> None:
    def nested(depth: int) -> dict[str, Any]:
        return {"type": "array", "items": nested(depth - 1)} if depth else {"type": "integer"}

    for depth in (2, 100):
        value = read_value(said("[" * depth + "1, 2,", "length"), nested(depth))
        assert str(value) == "[" * depth + "1, 2" + "]" * depth
    for odd in ("[" * 101 + "1, 2,", "[1," * 33_000):  # closing all that are open, at each of them, takes their square
        with pytest.raises(ModelError, match="cut off at the token limit"):
            read_value(said(odd, "length"), nested(101))


LISTS = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "maxLength": 4_000},
        "names": {"type": "array", "maxItems": 40, "items": {"type": "string", "maxLength": 30}},
        "rows": {"type": "array", "maxItems": 3, "items": {"type": "object", "properties": {"of": {"type": "string"}}}},
        "more": {"type": "array", "items": {"type": "integer"}},
    },
}


@pytest.mark.requirement("K-KEEP-08")
def test_lists_that_an_answer_did_not_come_to_are_empty() -> None:
    whole = json.dumps({"title": "x", "names": ["a", "b"], "rows": [{"of": "c"}], "more": [1]})
    cut = whole[: whole.index('"b"') + 2]
    assert read_value(said(cut, "length"), LISTS) == {"title": "x", "names": ["a"], "rows": [], "more": []}
    with pytest.raises(ModelError, match="lacks 'rows'"):
        read_value(said(json.dumps({"title": "x", "names": ["a"]})), LISTS)  # nothing says that it was cut off


@pytest.mark.requirement("K-KEEP-08")
@pytest.mark.parametrize(("allowed", "names", "rows", "title"), [(100, 4, 1, 200), (900, 36, 2, 1_800)])
def test_a_short_answer_is_asked_to_have_few_items(allowed: int, names: int, rows: int, title: int) -> None:
    asked: list[tuple[Any, int]] = []

    class Small(ScriptedLLM, BriefLLM):
        answer_tokens = allowed

        def complete(self, prompt: Prompt, *, max_tokens: int) -> Completion:
            asked.append((prompt.schema, max_tokens))
            return super().complete(prompt, max_tokens=max_tokens)

    told = json.dumps({"title": "x", "names": ["a"], "rows": [], "more": []})
    assert Small([told]).complete_json(HELLO, LISTS, max_tokens=1_000)["names"] == ["a"]
    ((schema, most),) = asked
    inner = schema["properties"]
    assert (most, inner["names"]["maxItems"], inner["rows"]["maxItems"]) == (allowed, names, rows)
    assert (inner["title"]["maxLength"], inner["names"]["items"]["maxLength"]) == (title, 30)
    assert "maxItems" not in inner["more"]
    assert Small([told]).complete_json(HELLO, LISTS, max_tokens=allowed)["title"] == "x"
    assert asked[-1] == (LISTS, allowed)


@pytest.mark.requirement("W-LLM-04")
def test_a_model_is_told_what_was_wrong_and_asked_again() -> None:
    model = ScriptedLLM(["well...", '{"ok": 1}', '{"ok": true}'])
    assert model.complete_json(HELLO, {"type": "object", "properties": {"ok": {"type": "boolean"}}}, max_tokens=9) == {
        "ok": True
    }
    first, second, third = model.prompts
    assert "Answer with one JSON value" in first.instructions
    assert first.schema is not None
    assert [message.text for message in second.messages[1:]] == [
        "well...",
        "That cannot be used: it contains no JSON value. Answer again, with the JSON value alone.",
    ]
    assert "'ok' is 1; expected boolean" in third.messages[-1].text
    assert len(third.messages) == 5


@pytest.mark.requirement("W-LLM-04")
def test_repair_is_bounded() -> None:
    model = ScriptedLLM(lambda _prompt: "x" * 100_000)
    with pytest.raises(ModelError, match=f"no usable answer, asked {REPAIRS + 1} times: it contains no JSON value"):
        model.complete_json(HELLO, SCHEMA, max_tokens=9)
    assert len(model.prompts) == REPAIRS + 1
    assert sum(map(len, model.prompts[-1].texts())) < 10_000


@pytest.mark.requirement("W-LLM-04")
def test_a_model_that_refuses_is_not_asked_again() -> None:
    model = ScriptedLLM([Completion("I can't.", 1, 1, "m", "refusal"), '{"ok": true}'])
    with pytest.raises(ModelError, match="refused to answer: \"I can't"):
        model.complete_json(HELLO, SCHEMA, max_tokens=9)
    assert len(model.prompts) == 1


class Odd:
    """A caller's own model, which may do anything."""

    name = "odd"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def complete(self, prompt: Prompt, *, max_tokens: int) -> Any:  # noqa: ARG002  # the protocol's arguments
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def complete_json(self, prompt: Prompt, schema: Any, *, max_tokens: int) -> Any:
        raise NotImplementedError


@pytest.mark.requirement("W-LLM-02")
@pytest.mark.parametrize(
    "answer",
    [
        None,
        "text",
        {"text": "x"},
        RuntimeError("boom"),
        MemoryError(),
        RecursionError(),
        Completion(7, 1, 1, "m"),  # type: ignore[arg-type]  # what must not pass
        Completion("x", 1, 1, "m", "other"),  # type: ignore[arg-type]  # the same
        Completion("x" * 10_000_000, 1, 1, "m"),
    ],
    ids=lambda answer: repr(answer)[:40],
)
def test_a_model_that_does_not_keep_its_promise_is_a_model_error(answer: Any) -> None:
    with pytest.raises(ModelError, match="odd") as caught:
        complete_checked(Odd(answer), HELLO, max_tokens=9)
    assert len(str(caught.value)) < 400


@pytest.mark.requirement("W-LLM-02")
@pytest.mark.parametrize("count", [None, -1, True, 1.5, "3", 10**12])
def test_a_count_that_cannot_be_is_unknown(count: Any) -> None:
    found = complete_checked(Odd(Completion("x \ud800", count, 7, "m")), HELLO, max_tokens=9)
    assert (found.tokens_in, found.tokens_out, found.text) == (None, 7, "x ?")


@pytest.mark.requirement("W-LLM-05")
def test_a_request_is_known_by_all_that_was_asked() -> None:
    digests = {
        request_digest(prompt, most)
        for prompt, most in [
            (HELLO, 9),
            (HELLO, 10),
            (Prompt.of("Say it!", "hello"), 9),
            (Prompt.of("Say it.", "hello "), 9),
            (HELLO.then("a", "b"), 9),
            (Prompt("Say it.", HELLO.messages, {"type": "string"}), 9),
            (Prompt.of("Say it.", "\ud800"), 9),
        ]
    }
    assert len(digests) == 7
    assert request_digest(Prompt.of("Say it.", "hello"), 9) in digests


@pytest.mark.requirement("W-LLM-14")
def test_a_scripted_model_says_what_it_was_told_to_say(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    given = Completion("given", 5, 6, "other")
    model = ScriptedLLM(["one two", given, RuntimeError("boom")], name="fake")
    assert model.complete(HELLO, max_tokens=9) == Completion("one two", 3, 2, "fake")
    assert model.complete(HELLO, max_tokens=9) is given
    with pytest.raises(RuntimeError, match="boom"):
        model.complete(HELLO, max_tokens=9)
    with pytest.raises(ModelError, match="no answer left; this is request 4"):
        model.complete(HELLO, max_tokens=9)
    echo = ScriptedLLM(lambda prompt: prompt.messages[-1].text)
    assert echo.complete(HELLO, max_tokens=9).text == "hello"
    assert echo.prompts == [HELLO]
