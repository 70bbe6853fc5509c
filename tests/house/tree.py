"""The files of this project, as the house tests read them. Knows nothing of any rule."""

import ast
import io
import subprocess
import tokenize
from collections import deque
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
Function = ast.FunctionDef | ast.AsyncFunctionDef
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")


@cache
def project_files() -> tuple[Path, ...]:
    """Every file that belongs to the project, known to git or about to be, sorted; not what .gitignore names."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    return tuple(path for name in sorted(set(listing.split("\0")) - {""}) if (path := ROOT / name).is_file())


def python_files(*folders: str) -> list[Path]:
    """The Python files below these folders of the checkout."""
    return [p for p in project_files() if p.suffix == ".py" and any(p.is_relative_to(ROOT / f) for f in folders)]


def text_files() -> Iterator[tuple[Path, str]]:
    """Every project file that is UTF-8 text, with its text."""
    for path in project_files():
        try:
            yield path, path.read_text(encoding="utf-8")
        except UnicodeDecodeError:  # binary
            continue


def label(path: Path) -> str:
    """The path as a reader of a test's output knows it."""
    return path.relative_to(ROOT).as_posix()


def findings(rule: Callable[[str], list[str]], *folders: str) -> dict[str, list[str]]:
    """What a rule finds in the Python files below these folders: file -> findings, only where there are any."""
    return {label(p): found for p in python_files(*folders) if (found := rule(p.read_text(encoding="utf-8")))}


def functions(module: ast.Module) -> Iterator[Function]:
    """Every function and method of a module, nested ones too."""
    waiting: deque[ast.AST] = deque([module])
    while waiting:  # statements alone: `ast.walk` takes twice as long over all their expressions
        node = waiting.popleft()
        if isinstance(node, Function):
            yield node
        waiting.extend(each for block in _BLOCKS for each in getattr(node, block, ()))


def comments(source: str) -> dict[int, str]:
    """Line number -> the comment on that line, from its `#` on."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}
