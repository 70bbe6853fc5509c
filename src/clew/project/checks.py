"""Commands that check something (tests, builds, linters), and whether their output says that they passed."""

import re
from collections.abc import Iterator
from typing import Final

from clew.text.late_pattern import late_pattern
from clew.types.turn import Part

LONGEST: Final = 300
"""Characters that are kept of a command."""

_CONFIRMED: Final = late_pattern(
    r"(?i)^\W*(?:(?:ok(?:ay)?|yes|great|perfect|nice|cool|awesome|thanks?|thank you|lgtm|looks good|well done"
    r"|excellent)\b[\s,.!]*){1,4}(?:it works|works|that works|all good|done|looks good"
    r"|(?:that's|this is) (?:it|right|fine|perfect))?\W*$"
    r"|^\W*(?:it|that|this) works(?: now)?\W*$|^\W*(?:works|done|perfect|ship it|merge it)\W*$"
)
"""Words of a user by which something is accepted."""

_THANKED: Final = late_pattern(
    r"(?i)^\W*(?:thanks|thank you|great|perfect|awesome|excellent|nice|lgtm|looks good)\b(?![^.!?\n]*"
    r"\b(?:but|however|except|though|still|fail\w*|wrong|not|\w+n't)\b)[^.!?,;:\n]{0,40}[.!,;:\n]+\s*\w"
)
"""Words that accept what was done, before something else is asked for."""

_UNDONE: Final = late_pattern(
    r"\A(?:<tool_use_error>|ERROR:\s*(?:No replacement|Parameter|Invalid)|\[?No exact match|\[Your proposed edit has"
    r"|String to replace not found|Error: (?:could not|failed to) (?:find|apply|edit|replace))",
    re.IGNORECASE,
)
"""The beginnings of tools' results that say that a file was not changed."""

_SHORT: Final = 120
"""Most characters of such words."""

_COMMITTED: Final = late_pattern(r"^(?:git commit|git push|gh pr create|git merge)\b")
_SPLIT: Final = late_pattern(r"&&|\|\||;|\n|\|")
_SETTING: Final = late_pattern(
    r"^(?:(?:\w+=\S*|env|time|sudo|nice|timeout \S+|uv run|poetry run|pipenv run|bundle exec|npx)\s+)+"
)
_CHECK: Final = late_pattern(
    r"^(?:\S*/)?(?:python[\d.]* -m )?(?:"
    r"pytest|py\.test|tox|nox|unittest|mypy|pyright|ruff|flake8|pylint|black --check|isort --check|doctest|coverage run"
    r"|jest|vitest|mocha|playwright test|cypress run|eslint|tsc|prettier --check|biome|stylelint"
    r"|(?:npm|pnpm|yarn|bun) (?:run )?(?:-\S+ )*(?:test|t\b|build|lint|check|typecheck|type-check|ci\b|verify)"
    r"|go (?:test|vet|build)|golangci-lint|cargo (?:test|check|clippy|build|nextest|fmt --check)|rustc"
    r"|(?:make|just|task|mise run) (?:-\S+ )*(?:\S+=\S+ )*\S*(?:test|check|lint|build|verify|ci)\S*|make$"
    r"|mvn\w* (?:-\S+ )*(?:test|verify|package|compile|install)|(?:\./)?gradlew? (?:-\S+ )*\S*(?:test|check|build)\S*"
    r"|rspec|rubocop|rake (?:test|spec)|rails test|ctest|cmake --build|ninja|gcc|g\+\+|clang"
    r"|phpunit|phpstan|dotnet (?:test|build)|swift (?:test|build)|mix test|sbt (?:test|compile)|bazel (?:test|build)"
    r"|pre-commit run|\S*(?:run_?tests?|test|check|lint|dev check)(?:\.sh|\.py)?$|\S*/dev (?:check|test)"
    r")\b",
)
# What begins at an edge of a word is tried there alone: a tool's result may be long.
_PASSED: Final = late_pattern(
    r"\b(?=[\dabcefns])(?:[1-9]\d* (?:tests? )?pass(?:ed|ing)\b|All (?:checks|tests) passed|Success: no issues"
    r"|BUILD SUCCESS|Build succeeded|0 (?:errors|failures|failed)\b|compiled successfully"
    r"|Finished `?(?:dev|test|release)|exit(?:ed with)? code:? 0\b|no (?:problems|errors) found)"
    r"|^(?:ok\s|PASS\b|OK\b)|test result: ok|✓ built in",
    re.MULTILINE | re.IGNORECASE,
)
_FAILED: Final = late_pattern(
    r"\b(?:[1-9]\d* (?:tests? )?(?:failed|failing|failures?|errors?)\b|FAILED\b|BUILD FAIL|Build failed"
    r"|exit(?:ed with)? (?:code|status):? [1-9]|error TS\d+|command not found)"
    r"|^(?:--- FAIL|FAIL(?:ED)?\b|Traceback \(most recent|error(?:\[\w+\])?: |make.*\*\*\*)"
    r"|test result: FAILED|npm ERR!|✗|✘",
    re.MULTILINE,
)
_BEFORE_A_COUNT: Final = r"[^\w\n]{0,99}(?:ℹ[ \t]{0,9})?"  # `ℹ` counts as a letter
_TALLY: Final = late_pattern(
    rf"^{_BEFORE_A_COUNT}(?:(?:Tests?|Test (?:Files|Suites)):?[ \t]+)?"
    r"(?:[1-9]\d*(?: tests?)? pass(?:ed|ing)?|pass [1-9]\d*)\b[^\n]*"
    rf"(?:\n{_BEFORE_A_COUNT}"
    r"(?:\d+(?: tests?)? (?:fail|skip|todo|pend|error)\w*|(?:fail|cancelled|skipped|todo) \d+)\b[^\n]*)*",
    re.MULTILINE | re.IGNORECASE,
)
"""Lines in which a test runner counts what passed, and then what failed: `12 passed in 0.4s`, `5 pass` and `0 fail`."""
_SOME_FAILED: Final = late_pattern(
    r"\b[1-9]\d*(?: tests?)? (?:fail(?:ed|ing|ures?)?|errors?)\b|\b(?:fail|cancelled) [1-9]", re.IGNORECASE
)
_READ: Final = 20_000


def check_commands(command: str) -> Iterator[str]:
    """The parts of a command line that check something, in order."""
    for part in _SPLIT.split(command[:_READ]):
        plain = _SETTING.sub("", " ".join(part[: 2 * LONGEST].split()))[:LONGEST]
        if _CHECK.match(plain):
            yield plain


def checker(command: str) -> str:
    """What one of `check_commands` runs, without what it is run on: `ruff` of `ruff check tests`, `make test`."""
    match = _CHECK.match(command)
    return match[0] if match else ""


def confirms(words: str) -> bool:
    """Whether words of a user accept something, and say nothing else."""
    return len(words) <= _SHORT and _CONFIRMED.match(words) is not None


def thanks_first(words: str) -> bool:
    """Whether a user's words begin by accepting what was done, and go on to something else."""
    return _THANKED.match(words) is not None


def undid(result: Part) -> bool:
    """Whether a tool's result says that it changed nothing."""
    return bool((result.extra or {}).get("is_error")) or _UNDONE.match(result.text) is not None


def is_commit(command: str) -> bool:
    """Whether a command keeps work in version control."""
    return any(_COMMITTED.match(part.strip()) for part in _SPLIT.split(command[:_READ]))


def verdict_of(result: Part) -> bool | None:
    """Whether a tool's result says that something passed or failed; None where it says neither."""
    if (result.extra or {}).get("is_error"):
        return False
    text = result.text if len(result.text) <= _READ else result.text[: _READ // 2] + result.text[-_READ // 2 :]
    tally = max(_TALLY.finditer(text), key=re.Match.start, default=None)
    if tally is not None and _SOME_FAILED.search(tally[0]):
        return False
    if tally is not None:
        text = text[tally.start() :]  # tests print errors that they expect, and have names such as `FAILED_login`
    if _FAILED.search(text):
        return False
    return True if tally is not None or _PASSED.search(text) else None
