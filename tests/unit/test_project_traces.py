"""Turns are linked to the files in diffs, stack traces, messages of compilers and names of tests."""

import pytest

from clew.project.elements import ProjectElement
from clew.project.lens import ProjectLens
from clew.project.links import PathMatch, PathResolver, TurnLinks, links_of
from clew.project.meet import OverlayNodes
from clew.project.names import NameResolver
from clew.project.traces import plain_places
from clew.types import Part, Turn

PRINTED = {
    "python": (
        (
            'Traceback (most recent call last):\n  File "/srv/tea/shop/till.py", line 12, in pay\n    total()\n'
            '  File "C:\\tea\\shop\\pot.py", line 3, in pour\nValueError: no water'
        ),
        ["/srv/tea/shop/till.py", "C:/tea/shop/pot.py"],
    ),
    "javascript": (
        (
            "TypeError: steep is not a function\n    at pour (/srv/tea/src/kettle.js:10:15)\n    at src/steep.ts:4:1\n"
            "    at async file:///srv/tea/lib/leaf.mjs:7:3\n    at boil (webpack://tea/./src/boil.tsx:9:1)"
        ),
        ["/srv/tea/src/kettle.js", "src/steep.ts", "/srv/tea/lib/leaf.mjs", "src/boil.tsx"],
    ),
    "go": (
        (
            "panic: boom\n\ngoroutine 1 [running]:\nmain.pour(0xc0000)\n\t/srv/tea/cmd/pour.go:17 +0x1d\n"
            "--- FAIL: TestPour (0.00s)\n    pour_test.go:12: got 3, want 4"
        ),
        ["/srv/tea/cmd/pour.go", "pour_test.go"],
    ),
    "java": (
        (
            'Exception in thread "main" java.lang.NullPointerException\n\tat org.tea.shop.Cart.pay(Cart.java:42)\n'
            "\tat app//org.tea.Till$Drawer.<init>(Till.java:7)\n\tat org.tea.LeafKt.dry(Leaf.kt:2)"
        ),
        ["org/tea/shop/Cart.java", "org/tea/Till.java", "Leaf.kt"],
    ),
    "rust": (
        (
            "thread 'main' panicked at src/kettle.rs:10:5:\nboom\n"
            "   2: tea::main\n             at /srv/tea/src/main.rs:3:1\n"
            "error[E0308]: mismatched types\n  --> src/leaf.rs:4:9"
        ),
        ["src/kettle.rs", "/srv/tea/src/main.rs", "src/leaf.rs"],
    ),
    "compilers": (
        (
            "leaf.c:12:5: error: unknown type name\nIn file included from src/leaf.h:3,\n"
            "shop/pot.py:41: error: Bad type\n"
            "src/steep.ts(3,14): error TS2304: Cannot find name 'x'.\nC:\\tea\\lid.cpp(12): error C2065: 'x'"
        ),
        ["leaf.c", "src/leaf.h", "shop/pot.py", "src/steep.ts", "C:/tea/lid.cpp"],
    ),
    "diff": (
        (
            "diff --git a/shop/till.py b/shop/till.py\nindex 1..2 100644\n"
            "--- a/shop/till.py\n+++ b/shop/till.py\n@@ -1 +1 @@\n"
            "diff --git a/Makefile b/Makefile\n--- a/Makefile\n+++ b/Makefile\n"
            "diff --git a/shop/lid.py b/shop/lid.py\nnew file mode 100644\n--- /dev/null\n+++ b/shop/lid.py\n"
            "diff --git a/shop/old.py b/shop/new.py\nrename from shop/old.py\nrename to shop/new.py"
        ),
        ["shop/till.py", "Makefile", "shop/lid.py", "shop/old.py", "shop/new.py"],
    ),
    "without prefixes": ("--- a/leaf.py\n+++ a/leaf.py\n", ["a/leaf.py"]),
    "with times": ("--- shop/pot.py\t2026-01-01 10:00\n+++ shop/pot.py\t2026-01-02 09:30\n", ["shop/pot.py"]),
    "pytest": (
        "FAILED tests/test_till.py::test_pay - assert 1 == 2\ntests/unit/test_pot.py::TestPour::test_hot[a/b-3] PASSED",
        ["tests/test_till.py", "tests/unit/test_pot.py"],
    ),
    "words": ("See shop/till.py:12:4, `pot.py:9` and src/leaf.ts#L3-L9.", ["shop/till.py", "pot.py", "src/leaf.ts"]),
}


@pytest.mark.requirement("L-CODE-19")
@pytest.mark.parametrize("kind", PRINTED)
def test_places_are_found_as_tools_print_them(kind: str) -> None:
    text, paths = PRINTED[kind]
    assert sorted(links_of(Turn(role="user", content=text)).said) == sorted(paths)
    shown = Turn(role="tool", content=(Part(type="tool_result", call_id="1", text=text),))
    assert sorted(links_of(shown).shown) == sorted(paths)


@pytest.mark.requirement("L-CODE-19")
def test_a_frame_of_java_means_the_file_of_its_package() -> None:
    resolver = PathResolver(["app/src/main/java/org/tea/Cart.java", "app/src/main/java/org/pot/Cart.java"])
    (path,) = links_of(Turn(role="user", content="\tat org.pot.Cart.pay(Cart.java:42)")).said
    assert resolver.resolve(path) == PathMatch("app/src/main/java/org/pot/Cart.java", "suffix")


@pytest.mark.requirement("L-CODE-19")
def test_text_without_places_stays_as_it_is() -> None:
    for text in ("", "It pours (at 3): see --- a/b.", "at " + "a." * 20_000 + ".java", "diff --git " * 2_000):
        assert plain_places(text) == text


@pytest.mark.requirement("L-CODE-20")
@pytest.mark.parametrize(
    ("test", "path"),
    [
        ("tests/unit/test_till.py", "shop/till.py"),
        ("shop/pot_test.go", "shop/pot.go"),
        ("web/leaf.spec.tsx", "web/leaf.tsx"),
        ("src/test/java/CartTest.java", "src/main/java/Cart.java"),
        ("tests/test_lid.py", None),
        ("tests/test_unknown.py", None),
        ("shop/till.py", None),
    ],
)
def test_a_test_means_the_only_file_that_it_is_named_after(test: str, path: str | None) -> None:
    there = ("shop/till.py", "shop/pot.go", "web/leaf.tsx", "src/main/java/Cart.java", "a/lid.py", "b/lid.py", test)
    assert PathResolver(dict.fromkeys(there)).tested(test) == (path and PathMatch(path, "test"))


@pytest.mark.requirement("L-CODE-20")
def test_who_changes_a_test_does_not_change_what_it_tests() -> None:
    elements = tuple(ProjectElement(id=path, path=path) for path in ("shop/till.py", "tests/test_till.py"))
    paths = tuple(each.path for each in elements)
    lens = ProjectLens("", "", elements, OverlayNodes(()), PathResolver(paths), NameResolver(elements), {})
    assert list(lens.files_of(TurnLinks(edited=("tests/test_till.py",)))) == [
        ("edited", PathMatch("tests/test_till.py", "exact")),
        ("said", PathMatch("shop/till.py", "test")),
    ]
