"""Nothing unfinished, nothing silenced without a reason, nothing patched."""

import ast
import re
from collections.abc import Callable, Iterator

import pytest

from tests.house.tree import comments, findings, functions, label, python_files

A_LINE = re.compile(r"^(?:import \w|from [\w.]+ import |(?:async )?def \w|class \w|\w+(?:: [^=\n]+)? = )", re.MULTILINE)
A_DOCSTRING = re.compile(r'\A\s*"""(?:[^"]|"(?!""))*"""')
IDLE = re.compile(r"(?:^|:)[ \t]*(?:pass|\.\.\.)[ \t]*(?:#.*)?$|NotImplementedError", re.MULTILINE)
UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
SUPPRESSION = re.compile(r"noqa|type:\s*ignore|nosec|pragma:|fmt:\s*(?:off|skip)|mypy:|pylint:")
MOCK = re.compile(r"(?:unittest\.)?mock\b|pytest_mock\b|mocker\b")
PASSED_OVER = re.compile(r"\bexcept\b[^:]*:(?:\s*#[^\n]*)*\s*(?:pass|continue)\b|suppress\(")
INDENTED_IMPORT = re.compile(r"(?:^[ \t]+|[:;][ \t]*)(?:import|from)\b", re.MULTILINE)
NAMED = r"noqa:\s*[A-Z]+\d+(?:[,\s]+[A-Z]+\d+)*|type:\s*ignore\[[\w, -]+\]|fmt:\s*skip"
CLIENTS = {"Anthropic", "AsyncAnthropic", "AsyncClient", "AsyncOpenAI", "Client", "OpenAI", "urlopen"}
REASONED = re.compile(rf"(?:{NAMED})[\s#:-]+\w.{{7}}")


def unfinished(source: str) -> list[str]:
    """Unfinished marks in comments, and functions without a body or a docstring that says why."""
    if not IDLE.search(source) and not UNFINISHED.search(source):
        return []
    module = ast.parse(source)
    owners = [node for node in ast.walk(module) if isinstance(node, ast.ClassDef | ast.Module)]
    declared = {member for owner in owners for member in owner.body if _declares(owner, member)}
    idle = [f for f in functions(module) if all(map(_is_nothing, f.body)) and f not in declared]
    spoken = comments(source) if UNFINISHED.search(source) else {}
    marked = [f"line {line}: {text}" for line, text in spoken.items() if UNFINISHED.search(text)]
    return marked + [f"line {f.lineno}: {f.name} does nothing" for f in idle]


def is_empty(source: str) -> bool:
    """Whether a module has nothing but a docstring and other expressions."""
    if A_LINE.search(A_DOCSTRING.sub("", source)):
        return False  # as nearly every module, without being parsed
    return all(isinstance(each, ast.Expr) for each in ast.parse(source).body)


def _declares(owner: ast.ClassDef | ast.Module, member: ast.stmt) -> bool:
    """Whether a member only declares what must exist: it belongs to a protocol, or is an overload or abstract."""
    marks = {ast.unparse(d).rpartition(".")[2] for d in getattr(member, "decorator_list", [])}
    bases = [ast.unparse(base) for base in owner.bases] if isinstance(owner, ast.ClassDef) else []
    return any("Protocol" in base for base in bases) or bool({"overload", "abstractmethod"} & marks)


def _is_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Raise):
        return node.exc is not None and "NotImplementedError" in ast.unparse(node.exc)
    is_dots = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...
    return is_dots or isinstance(node, ast.Pass)


def naked_suppressions(source: str) -> list[str]:
    """Suppressions that do not name their rule, or give no reason (eight characters at least)."""
    spoken = comments(source) if SUPPRESSION.search(source) else {}
    silenced = {line: text for line, text in spoken.items() if SUPPRESSION.search(text)}
    return [f"line {line}: {text}" for line, text in silenced.items() if not REASONED.search(text)]


def silent_excepts(source: str) -> list[str]:
    """Handlers that only pass or continue, and uses of `suppress`, without a comment that says why."""
    if not PASSED_OVER.search(source):
        return []
    silent = sorted({span for node in ast.walk(ast.parse(source)) for span in _silent_span(node)})
    spoken = comments(source) if silent else {}
    return [f"line {first}" for first, last in silent if not any(n in spoken for n in range(first - 1, last + 1))]


def _silent_span(node: ast.AST) -> Iterator[tuple[int, int]]:
    """First and last line where the reason may stand; the line above counts too."""
    if isinstance(node, ast.ExceptHandler) and all(isinstance(each, ast.Pass | ast.Continue) for each in node.body):
        yield node.lineno, node.end_lineno or node.lineno
    elif isinstance(node, ast.With) and any("suppress(" in ast.unparse(item) for item in node.items):
        yield node.lineno, node.lineno


def unexplained_imports(source: str) -> list[str]:
    """Imports inside a function without a comment on the same line or the one above."""
    if not INDENTED_IMPORT.search(source):
        return []
    late = {n for f in functions(ast.parse(source)) for n in ast.walk(f) if isinstance(n, ast.Import | ast.ImportFrom)}
    places = sorted({node.lineno for node in late})
    spoken = comments(source) if places else {}
    return [f"line {line}" for line in places if line not in spoken and line - 1 not in spoken]


def patches(source: str) -> list[str]:
    """Uses of unittest.mock, and of the fixture that wraps it."""
    if "mock" not in source:
        return []
    return sorted({used for used in _uses(ast.parse(source)) if MOCK.match(used)})


def replacements(source: str) -> list[str]:
    """Names of Clew that a test replaces through `monkeypatch`, whether given as an object or as a text."""
    if "monkeypatch." not in source:
        return []
    module = ast.parse(source)
    own = _names_of_clew(module)
    return [
        f"line {call.lineno}: {ast.unparse(call)}"
        for call in ast.walk(module)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and ast.unparse(call.func) in ("monkeypatch.setattr", "monkeypatch.delattr", "monkeypatch.setitem")
        and call.args
        and _is_of_clew(call.args[0], own)
    ]


def unclosed_clients(source: str) -> list[str]:
    """HTTP clients that nothing closes: the collector finds their sockets later, in the middle of another test."""
    if not any(f"{name}(" in source for name in CLIENTS):
        return []
    module = ast.parse(source)
    given = [call for call in ast.walk(module) if isinstance(call, ast.Call) and _connects(call)]
    closed = {id(node) for entered in _entered(module) for node in ast.walk(entered)}
    closed |= {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Return)}  # its caller's to close
    names = {_root(entered) for entered in _entered(module)}
    kept = {id(a.value) for a in ast.walk(module) if isinstance(a, ast.Assign) and _root(a.targets[0]) in names}
    return [f"line {call.lineno}: {ast.unparse(call)}" for call in given if id(call) not in closed | kept]


def _connects(call: ast.Call) -> bool:
    """Whether a call makes a client with connections of its own, and not one that answers by itself."""
    options = {option.arg for option in call.keywords}
    return ast.unparse(call.func).rpartition(".")[2] in CLIENTS and not options & {"transport", "http_client"}


def _entered(module: ast.Module) -> Iterator[ast.expr]:
    """What is closed at the end of a block, by `with` or by an exit stack."""
    for node in ast.walk(module):
        if isinstance(node, ast.With | ast.AsyncWith):
            yield from (item.context_expr for item in node.items)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith((".enter_context", ".enter_async_context")):
            yield from node.args


def _names_of_clew(module: ast.Module) -> set[str]:
    """What a module imports from Clew, and the variables that begin with one of these names or call one."""
    own = {"clew", "memory"}
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "clew":
            own |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            own |= {alias.asname for alias in node.names if alias.asname and alias.name.startswith("clew.")}
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and _root(node.value) in own:
            own |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            items = node.iter.elts if isinstance(node.iter, ast.Tuple | ast.List) else [node.iter]
            own |= {node.target.id} if any(_root(item) in own for item in items) else set()
    return own


def _is_of_clew(target: ast.expr, own: set[str]) -> bool:
    if isinstance(target, ast.Constant):
        return str(target.value).startswith("clew.")
    return _root(target) in own


def _root(node: ast.expr) -> str:
    """The name with which an expression begins: `a` of `a.b(c).d`."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _uses(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.arg):
            yield node.arg


@pytest.mark.requirement("F-HOUSE-08")
def test_nothing_is_unfinished() -> None:
    assert findings(unfinished, "src", "benchmarks") == {}


@pytest.mark.requirement("F-HOUSE-08")
def test_no_module_is_empty() -> None:
    modules = [p for p in python_files("src", "tests", "benchmarks") if p.name != "__init__.py"]
    assert [label(p) for p in modules if is_empty(p.read_text(encoding="utf-8"))] == []


@pytest.mark.requirement("F-HOUSE-08")
def test_an_empty_module_is_found() -> None:
    assert is_empty("")
    assert is_empty('"""What it\nimport says."""\n# and a comment\n')
    assert is_empty("...\n'more'\n")
    assert not is_empty('"""What it says."""\nimport this\n')
    assert not is_empty("print(1) or 1\nx: int\n")


@pytest.mark.requirement("F-HOUSE-09")
@pytest.mark.parametrize("rule", [naked_suppressions, silent_excepts, unexplained_imports])
def test_every_exception_has_its_reason(rule: Callable[[str], list[str]]) -> None:
    assert findings(rule, "src", "tests", "benchmarks") == {}


@pytest.mark.requirement("F-HOUSE-14")
def test_nothing_is_patched() -> None:
    assert findings(patches, "tests", "benchmarks") == {}
    assert findings(replacements, "tests", "benchmarks") == {}


@pytest.mark.requirement("F-HOUSE-25")
def test_every_client_is_closed() -> None:
    assert findings(unclosed_clients, "tests", "benchmarks") == {}


@pytest.mark.requirement("F-HOUSE-08", "F-HOUSE-09", "F-HOUSE-14", "F-HOUSE-25")
@pytest.mark.parametrize(
    ("rule", "bad", "good"),
    [
        (unfinished, "x = 1  # TODO later", "todo = 1  # an open task"),
        (unfinished, "def f():\n    raise NotImplementedError", "def f():\n    raise StoreError"),
        (unfinished, "class A:\n    def f(self): ...", "class A(Protocol):\n    def f(self): ..."),
        (unfinished, "def f(): ...", "@overload\ndef f(): ..."),
        (unfinished, "def f():\n    pass", 'def f():\n    """Nothing to close."""'),
        (naked_suppressions, "x = 1  # noqa", "x = 1"),
        (naked_suppressions, "x = 1  # noqa: E501", "x = 1  # noqa: E501 - a long address"),
        (naked_suppressions, "x = (1)  # fmt: skip", "x = (1)  # fmt: skip  # as in the table"),
        (naked_suppressions, "x = 1  # type: ignore[misc]", "x = 1  # type: ignore[misc]  # no types"),
        (silent_excepts, "try:\n    f()\nexcept E:\n    pass", "try:\n    f()\nexcept E:\n    pass  # gone already"),
        (silent_excepts, "with suppress(E):\n    f()", "with suppress(E):  # gone already\n    f()"),
        (unexplained_imports, "def f():\n    import os", "def f():\n    # an extra\n    import os"),
        (patches, "from unittest.mock import patch", "import unittest"),
        (patches, "def test_it(mocker): f()", "def test_it(monkeypatch): f()"),
        (unclosed_clients, "a = OpenAI()\na.ask()", "a = OpenAI()\nwith a:\n    a.ask()"),
        (unclosed_clients, "urlopen(b).read()", "with urlopen(b) as a:\n    a.read()"),
        (unclosed_clients, "a = Client(url=b)", "a = Client(transport=b)"),
        (unclosed_clients, "def f():\n    a = Client()\n    return a.b", "def f():\n    return Client()"),
        (unclosed_clients, "a = Client()", "a = stack.enter_context(closing(Client()))"),
        (replacements, "monkeypatch.setattr('clew.rows.x', 1)", "monkeypatch.setattr('os.x', 1)"),
        (replacements, "from clew.a import b\nmonkeypatch.setattr(b, 'c', 1)", "monkeypatch.setattr(b, 'c', 1)"),
        (
            replacements,
            "import clew.a as b\nmonkeypatch.setitem(b.c, 'd', 1)",
            "monkeypatch.setitem(os.environ, 'd', 1)",
        ),
        (
            replacements,
            "from clew.a import B\nb = B()\nmonkeypatch.delattr(b, 'c')",
            "from clew.a import B\nb = c()\nmonkeypatch.delattr(b, 'c')",
        ),
        (
            replacements,
            "from clew.a import B\nfor b in (B, C):\n    monkeypatch.setattr(b, 'c', 1)",
            "from clew.a import B\nfor b in (C, D):\n    monkeypatch.setattr(b, 'c', 1)",
        ),
    ],
)
def test_bad_code_is_told_from_good(rule: Callable[[str], list[str]], bad: str, good: str) -> None:
    assert len(rule(bad)) == 1
    assert rule(good) == []


PRINTING: dict[str, set[str]] = {
    "src/clew/cli/terminal.py": {"click.echo"},
    "src/clew/cli/show.py": {"Console"},
    "src/clew/evaluate/speed/probe.py": {"click.echo"},  # numbers, for the process that started it
}
"""Modules that may print, and by what."""


def printing(source: str) -> set[str]:
    """The calls of a module that write to a terminal and bypass `clew.cli.terminal`."""
    called = {ast.unparse(node.func) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)}
    direct = {"print", "click.echo", "click.secho", "click.echo_via_pager", "Console", "rich.print"}
    streams = {f"sys.{stream}.{how}" for stream in ("stdout", "stderr") for how in ("write", "writelines")}
    return called & (direct | streams)


@pytest.mark.requirement("F-CLI-26")
def test_everything_printed_is_made_harmless_in_one_place() -> None:
    sources = {
        label(path): path.read_text(encoding="utf-8") for path in python_files() if label(path).startswith("src/")
    }
    found = {name: printing(source) - PRINTING.get(name, set()) for name, source in sources.items()}
    assert {name: calls for name, calls in found.items() if calls} == {}
    assert printing("print(1)\nclick.echo(2)\nout().print(3)\nsys.stdout.write('4')") == {
        "print",
        "click.echo",
        "sys.stdout.write",
    }
