"""The language of a file, and the grammar and queries of a language."""

import hashlib
import importlib
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Language, Query

TEXT: Final = "text"

_SUFFIXES: Final = {
    "python": ".py .pyi .pyw",
    "javascript": ".js .mjs .cjs .jsx",
    "typescript": ".ts .mts .cts",
    "tsx": ".tsx",
    "go": ".go",
    "rust": ".rs",
    "java": ".java",
    "c": ".c .h",
    "cpp": ".cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .ipp .tpp .inl",
    "ruby": ".rb .rake .gemspec .ru",
    "markdown": ".md .markdown .mdown .mkd",
    "rst": ".rst",
    "gomod": "go.mod",
}
_LANGUAGES: Final = {suffix: language for language, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}
_NAMES: Final = {
    "Rakefile": "ruby",
    "Gemfile": "ruby",
    "go.mod": "gomod",
    "METADATA": "metadata",
    "PKG-INFO": "metadata",
}
_CPP_MARKS: Final = (b"\nclass ", b"\nnamespace ", b"\ntemplate", b"\npublic:", b"std::", b"\nprivate:")
"""What is in a header of C++ and not in one of C."""
_PLAIN: Final = frozenset({".txt", ""})
_UNDERLINED: Final = re.compile(rb"(?m)^\S.{1,150}\r?\n([=\-~^])\1{3,}[ \t]*\r?\n[ \t]*\r?$")
"""A heading of reStructuredText, with an empty line below."""
_BEGINNING: Final = 4_000
"""Bytes in which a document without an ending of its own has a heading."""


@dataclass(frozen=True, slots=True)
class CodeGrammar:
    """What reads a language: the grammar, and what to look for."""

    language: "Language"
    definitions: "Query"
    references: "Query | None"


def language_of(path: str, data: bytes = b"") -> str:
    """The language of a file by its name; of a header `.h` and of plain text by its bytes; `text` when none fits."""
    name = PurePosixPath(path)
    language = _NAMES.get(name.name) or _LANGUAGES.get(name.suffix.lower(), TEXT)
    if language == "c" and name.suffix.lower() == ".h" and any(mark in data for mark in _CPP_MARKS):
        return "cpp"
    if language == TEXT and name.suffix.lower() in _PLAIN and _UNDERLINED.search(data[:_BEGINNING]):
        return "rst"  # Django's docs/*.txt, README
    return language


@cache
def grammar(language: str) -> CodeGrammar | None:
    """The grammar of a language; None where the extra `project` is not installed, or the language has none."""
    module, function = ("typescript", f"language_{language}") if language in ("typescript", "tsx") else (language, "")
    queries = resources.files(__package__) / "queries" / f"{module}.scm"
    if not queries.is_file():
        return None
    try:
        from tree_sitter import Language, Query  # an extra

        made = Language(getattr(importlib.import_module(f"tree_sitter_{module}"), function or "language")())
    except ImportError:  # the extra is not installed: the file is read as text
        return None
    definitions, _, references = queries.read_text(encoding="utf-8").partition("; references")
    return CodeGrammar(made, Query(made, definitions), Query(made, references) if references else None)


def has_grammars() -> bool:
    """Whether the extra `project` is installed."""
    return grammar("python") is not None


def queries_hash() -> str:
    """64 bits of the SHA-256 of all queries: with another one, files are read again."""
    files = sorted((resources.files(__package__) / "queries").iterdir(), key=lambda file: file.name)
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
