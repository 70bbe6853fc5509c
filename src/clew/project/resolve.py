"""From what a file imports to the files of the project that are meant; what comes from elsewhere gives none.

A name counts only where the language would find it: a file that merely ends alike is not taken for a module of the
standard library or of a package.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Final, NamedTuple

_SCRIPT_ENDINGS: Final = (
    "",
    *".ts .tsx .d.ts .js .jsx .mjs .cjs .mts .cts .vue .svelte .json".split(),
    *(f"/index{ending}" for ending in (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts")),
)
_SCRIPT_ROOTS: Final = ("", "src/", "app/", "lib/")
_PYTHON_ROOTS: Final = ("", "src", "lib", "python")
_RUBY_ROOTS: Final = ("lib", "", "app", "test", "spec")
_RUST_TARGETS: Final = frozenset({"tests", "benches", "examples", "bin"})
"""Folders in which each file is a crate of its own."""
_MOST: Final = 200
"""Files of one import, as those of a package of Go."""


class Known(NamedTuple):
    """What the resolver needs to know of a file."""

    path: str
    language: str
    package: str = ""


class Resolver:
    """Finds the files that imports mean, among the files of a project."""

    def __init__(self, files: Iterable[Known], root: str = "") -> None:
        """Takes the files, and the name of the folder that they are in: it may be a package itself."""
        self._files: dict[str, str] = {}
        self._folders: dict[str, list[str]] = defaultdict(list)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._go_modules: list[tuple[str, str]] = []
        self._packages: dict[str, dict[str, str]] = defaultdict(dict)
        for file in files:
            self._files[file.path] = file.language
            folder, _, name = file.path.rpartition("/")
            self._folders[folder].append(file.path)
            self._by_name[name].append(file.path)
            if file.package and name == "go.mod":
                self._go_modules.append((file.package, folder))
            elif file.package:
                self._packages[name].setdefault(file.package, folder)
        self._go_modules.sort(key=lambda module: (-len(module[0]), module))
        self._modules: dict[str, list[str]] = defaultdict(list)
        is_package = "__init__.py" in self._files  # whose logging.py is no `import logging`
        for path, language in self._files.items():
            if language != "python":
                continue
            name = self._python_name(path)
            if name and not (is_package and name.partition(".")[0] in sys.stdlib_module_names):
                self._modules[name].append(path)
            if root and is_package and (name or path == "__init__.py"):
                self._modules[f"{root}.{name}".rstrip(".")].append(path)

        self._finders: Mapping[str, Callable[[str, str], Iterator[str]]] = {
            "python": self._python,
            **dict.fromkeys(("javascript", "typescript", "tsx"), self._script),
            "go": self._go,
            "rust": self._rust,
            "java": self._java,
            **dict.fromkeys(("c", "cpp"), self._c),
            "ruby": self._ruby,
            "markdown": self._document,
        }

    def targets(self, path: str, language: str, imported: str) -> tuple[str, ...]:
        """The paths that an import of a file means, without the file itself; empty when it comes from elsewhere."""
        find = self._finders.get(language)
        paths = find(path, imported) if find else ()
        return tuple(dict.fromkeys(target for target in paths if target != path))[:_MOST]

    def _python_name(self, path: str) -> str:
        """The dotted name under which a file is imported; empty for a script in a folder that is not a package."""
        folder, _, name = path.rpartition("/")
        stem = name.rpartition(".")[0]
        parts = [] if stem == "__init__" else [stem]
        while folder and any(f"{folder}/__init__{ending}" in self._files for ending in (".py", ".pyi")):
            folder, _, last = folder.rpartition("/")
            parts.append(last)
        if not parts:
            return ""
        if len(parts) == 1 and folder not in _PYTHON_ROOTS:  # maybe in a package without __init__
            base = next((root for root in _PYTHON_ROOTS[1:] if folder.startswith(f"{root}/")), "")
            parts += reversed(folder.removeprefix(base).strip("/").split("/"))
        return ".".join(reversed(parts))

    def _python(self, path: str, imported: str) -> Iterator[str]:
        module, _, name = imported.partition(":")
        own = [part for part in path.split("/")[:-1] if part]
        if module.startswith("."):
            dots = len(module) - len(module.lstrip("."))
            if dots - 1 > len(own):
                return
            base = "/".join([*own[: len(own) - dots + 1], *filter(None, module.lstrip(".").split("."))])
            yield from self._python_files(base, name)
            return
        dotted = f"{module}.{name}" if name and name != "*" else module
        file = self._modules.get(dotted) or self._modules.get(module)
        if file:
            yield max(file, key=lambda other: (_shared(path, other), -len(other), other))
            return
        if "." not in module and not self._is_package(own):  # a script beside a script
            yield from self._python_files("/".join([*own, module]), name)
        yield from self._python_from_above(own, module, name)

    def _is_package(self, folder: Sequence[str]) -> bool:
        return "/".join([*folder, "__init__.py"]) in self._files

    def _python_from_above(self, own: Sequence[str], module: str, name: str) -> Iterator[str]:
        """The file of a module that is named by its folders, `src` among them, from a folder above that is no package.

        A name without a dot is that of such a folder, from which a module is imported.
        """
        base = module.replace(".", "/")
        if base == module:
            if not name or name == "*":
                return
            base, name = f"{module}/{name}", ""
        for depth in range(len(own), -1, -1):
            files = (
                () if self._is_package(own[:depth]) else tuple(self._python_files("/".join([*own[:depth], base]), name))
            )
            if files:
                yield from files
                return

    def _python_files(self, base: str, name: str) -> Iterator[str]:
        """The file of a module by its folder, or that of a name in it that is a module itself."""
        bases = ([f"{base}/{name}".lstrip("/")] if name and name != "*" else []) + [base]
        for folder in bases:
            for ending in (".py", "/__init__.py", ".pyi", "/__init__.pyi"):
                candidate = f"{folder}{ending}".lstrip("/")
                if candidate in self._files:
                    yield candidate
                    return

    def _script(self, path: str, imported: str) -> Iterator[str]:
        bases = [_joined(path, imported)] if imported.startswith(".") else self._script_bases(path, imported)
        for base in bases:
            if base is None:
                continue
            without = base.rpartition(".")[0] if base.endswith((".js", ".mjs", ".cjs", ".jsx")) else None
            for stem in filter(None, (base, without)):  # TypeScript writes .js for its own .ts
                for ending in _SCRIPT_ENDINGS:
                    if stem + ending in self._files:
                        yield stem + ending
                        return

    def _script_bases(self, path: str, imported: str) -> Iterator[str]:
        """Where a name without a dot in front may be: in a package of the workspace, or below a root of the sources."""
        parts = imported.split("/")
        length = 2 if imported.startswith("@") else 1
        folder = self._packages["package.json"].get("/".join(parts[:length]))
        if folder is not None:
            rest = "/".join(parts[length:])
            yield from (f"{folder}/{root}{rest}".strip("/") for root in _SCRIPT_ROOTS)
        elif "/" in imported:  # an alias such as @/ or ~/ for the sources, of the project or of a package in it
            bare = imported.removeprefix("@/").removeprefix("~/").lstrip("/")
            yield from (f"{root}{bare}" for root in _SCRIPT_ROOTS)
            if bare != imported:
                around = [
                    package for package in self._packages["package.json"].values() if path.startswith(f"{package}/")
                ]
                yield from (f"{each}/{root}{bare}" for each in around for root in _SCRIPT_ROOTS)

    def _go(self, _path: str, imported: str) -> Iterator[str]:
        for module, folder in self._go_modules:
            if imported == module or imported.startswith(f"{module}/"):
                package = "/".join(part for part in (folder, imported[len(module) :].strip("/")) if part)
                files = self._folders.get(package, ())
                yield from (file for file in files if file.endswith(".go") and not file.endswith("_test.go"))
                return

    def _rust(self, path: str, imported: str) -> Iterator[str]:
        own = PurePosixPath(path)
        is_root = own.name in ("mod.rs", "lib.rs", "main.rs") or own.parent.name in _RUST_TARGETS
        inside = own.parent if is_root else own.parent / own.stem
        if imported.startswith("mod:"):
            yield from self._rust_module(inside, [imported[4:]])
            return
        first, *rest = imported.split("::")
        base: PurePosixPath | None
        if first == "crate":
            base = self._crate(own)
        elif first == "self":
            base = inside
        elif first == "super":
            base = inside.parent
            while rest[:1] == ["super"]:
                base, rest = base.parent, rest[1:]
        elif files := tuple(self._rust_module(inside, [first, *rest])):  # a module beside it
            yield from files
            return
        else:
            base = self._crate_named(first)
        if base is not None:
            files = tuple(self._rust_module(base, [part for part in rest if part != "*"]))
            yield from files or self._rust_root(base)

    def _rust_module(self, base: PurePosixPath, parts: list[str]) -> Iterator[str]:
        """The file of the longest beginning of a path that is a module."""
        for length in range(len(parts), 0, -1):
            stem = base.joinpath(*parts[:length]).as_posix()
            for candidate in (f"{stem}.rs", f"{stem}/mod.rs"):
                if candidate in self._files:
                    yield candidate
                    return

    def _rust_root(self, base: PurePosixPath) -> Iterator[str]:
        """The file of a module or crate itself, where what is imported from it is not a file of its own."""
        candidates = (
            base / "lib.rs",
            base / "main.rs",
            base / "mod.rs",
            base.with_suffix(".rs") if base.name else base,
        )
        yield from [file for candidate in candidates if (file := candidate.as_posix()) in self._files][:1]

    def _crate(self, path: PurePosixPath) -> PurePosixPath | None:
        for folder in path.parents:
            roots = ((folder / name).as_posix() for name in ("lib.rs", "main.rs"))
            if folder.name in _RUST_TARGETS or any(root in self._files for root in roots):
                return folder
        return None

    def _crate_named(self, name: str) -> PurePosixPath | None:
        """The folder of the sources of a crate of the workspace."""
        folder = self._packages["Cargo.toml"].get(name)
        return None if folder is None else PurePosixPath(folder) / "src"

    def _java(self, path: str, imported: str) -> Iterator[str]:
        parts = imported.split(".")
        if parts[-1] == "*":
            ending = "/".join(parts[:-1])
            for folder, files in self._folders.items():
                if folder == ending or folder.endswith(f"/{ending}"):
                    yield from (file for file in files if file.endswith(".java"))
            return
        for length in range(len(parts), 1, -1):  # a class inside of a class has the outer one's file
            paths = self._ending(f"{'/'.join(parts[:length])}.java", path)
            if paths:
                yield paths
                return

    def _c(self, path: str, imported: str) -> Iterator[str]:
        name = imported.strip('"<>')
        beside = _joined(path, name) if imported.startswith('"') else None
        if beside in self._files:
            yield beside
        elif (
            imported.startswith('"') or "/" in name or any(f"include/{name}" in p for p in self._by_name.get(name, ()))
        ):
            files = self._ending(name, path)
            if files:
                yield files

    def _ruby(self, path: str, imported: str) -> Iterator[str]:
        if imported.startswith("relative:"):
            candidates = [_joined(path, imported.removeprefix("relative:"))]
        else:
            candidates = [f"{root}/{imported}".lstrip("/") for root in _RUBY_ROOTS]
        for candidate in filter(None, candidates):
            for ending in (".rb", ""):
                if candidate + ending in self._files:
                    yield candidate + ending
                    return
        if not imported.startswith("relative:") and "/" in imported:
            files = self._ending(f"lib/{imported}.rb", path)
            if files:
                yield files

    def _document(self, path: str, imported: str) -> Iterator[str]:
        target = normpath(imported.lstrip("/")) if imported.startswith("/") else _joined(path, imported)
        if target in self._files:
            yield target

    def _ending(self, ending: str, near: str) -> str | None:
        """The file whose path ends like this, on a border of names; of several the one nearest to a file."""
        paths = [
            path
            for path in self._by_name.get(ending.rpartition("/")[2], ())
            if path == ending or path.endswith(f"/{ending}")
        ]
        return max(paths, key=lambda other: (_shared(near, other), -len(other), other), default=None)


def _joined(path: str, relative: str) -> str | None:
    """A path beside another one; None when it leads out of the project."""
    joined = normpath(f"{path.rpartition('/')[0]}/{relative}".lstrip("/"))
    return None if joined.startswith("..") else joined


def _shared(one: str, other: str) -> int:
    """How many folders two paths begin with in common."""
    count = 0
    for ours, theirs in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if ours != theirs:
            break
        count += 1
    return count
