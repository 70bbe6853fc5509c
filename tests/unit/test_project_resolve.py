"""Which files of a project an import means, in each language."""

import pytest

from clew.project.parse.languages import language_of
from clew.project.resolve import Known, Resolver

FILES = """
src/shop/__init__.py src/shop/cart.py src/shop/json.py src/shop/deep/__init__.py src/shop/deep/part.py
tools/run.py tools/helper.py
space/inner/mod.py tests/test_cart.py
web/app.ts web/pay.ts web/parts/index.tsx web/old.js web/types.d.ts src/lib/util.ts
go/go.mod go/main.go go/cart/cart.go go/cart/sum.go go/cart/cart_test.go
rust/src/lib.rs rust/src/cart.rs rust/src/pay/mod.rs rust/src/pay/card.rs
java/src/main/java/com/shop/Cart.java java/src/main/java/com/shop/Pay.java
c/main.c c/cart.h c/include/shop/pay.h c/string.h
lib/shop.rb lib/shop/cart.rb bin/run.rb
README.md docs/rules.md docs/img/a.md
""".split()

CASES = [
    ("src/shop/cart.py", "shop", "src/shop/__init__.py"),
    ("src/shop/cart.py", "shop.deep.part", "src/shop/deep/part.py"),
    ("src/shop/cart.py", "shop:deep", "src/shop/deep/__init__.py"),
    ("src/shop/cart.py", "shop.deep:part", "src/shop/deep/part.py"),
    ("src/shop/cart.py", "shop.deep:NAME", "src/shop/deep/__init__.py"),
    ("src/shop/cart.py", ".:deep", "src/shop/deep/__init__.py"),
    ("src/shop/deep/part.py", "..cart:Cart", "src/shop/cart.py"),
    ("src/shop/deep/part.py", ".....x:y", ""),
    ("src/shop/cart.py", "json", ""),
    ("tests/test_cart.py", "shop.cart:Cart", "src/shop/cart.py"),
    ("tools/run.py", "helper", "tools/helper.py"),
    ("src/shop/cart.py", "helper", ""),
    ("tools/run.py", "space.inner.mod", "space/inner/mod.py"),
    ("web/app.ts", "./pay", "web/pay.ts"),
    ("web/app.ts", "./pay.js", "web/pay.ts"),
    ("web/app.ts", "./parts", "web/parts/index.tsx"),
    ("web/app.ts", "./types", "web/types.d.ts"),
    ("web/parts/index.tsx", "../old", "web/old.js"),
    ("web/app.ts", "@/lib/util", "src/lib/util.ts"),
    ("web/app.ts", "react", ""),
    ("web/app.ts", "../../outside", ""),
    ("go/main.go", "example.org/shop/cart", "go/cart/cart.go go/cart/sum.go"),
    ("go/main.go", "example.org/shopping", ""),
    ("go/main.go", "fmt", ""),
    ("rust/src/lib.rs", "mod:cart", "rust/src/cart.rs"),
    ("rust/src/pay/card.rs", "crate::cart::Cart", "rust/src/cart.rs"),
    ("rust/src/cart.rs", "crate::pay::card::Card", "rust/src/pay/card.rs"),
    ("rust/src/pay/card.rs", "super::Pay", "rust/src/pay/mod.rs"),
    ("rust/src/pay/mod.rs", "self::card", "rust/src/pay/card.rs"),
    ("rust/src/cart.rs", "std::fmt", ""),
    ("java/src/main/java/com/shop/Cart.java", "com.shop.Pay", "java/src/main/java/com/shop/Pay.java"),
    ("java/src/main/java/com/shop/Cart.java", "com.shop.Pay.Kind", "java/src/main/java/com/shop/Pay.java"),
    ("java/src/main/java/com/shop/Cart.java", "com.shop.*", "java/src/main/java/com/shop/Pay.java"),
    ("java/src/main/java/com/shop/Cart.java", "java.util.List", ""),
    ("c/main.c", '"cart.h"', "c/cart.h"),
    ("c/main.c", '"shop/pay.h"', "c/include/shop/pay.h"),
    ("c/main.c", "<shop/pay.h>", "c/include/shop/pay.h"),
    ("c/main.c", "<string.h>", ""),
    ("bin/run.rb", "relative:../lib/shop", "lib/shop.rb"),
    ("bin/run.rb", "shop/cart", "lib/shop/cart.rb"),
    ("bin/run.rb", "json", ""),
    ("README.md", "docs/rules.md", "docs/rules.md"),
    ("docs/img/a.md", "../rules.md", "docs/rules.md"),
    ("docs/img/a.md", "/README.md", "README.md"),
    ("README.md", "../../etc/passwd", ""),
    ("notes.txt", "docs/rules.md", ""),
]


@pytest.mark.requirement("L-PRJ-13")
@pytest.mark.parametrize(("path", "imported", "expected"), CASES)
def test_imports_lead_to_the_files_that_the_language_would_find(path: str, imported: str, expected: str) -> None:
    resolver = Resolver(
        Known(file, language_of(file), "example.org/shop" if file.endswith("go.mod") else "") for file in FILES
    )
    assert " ".join(sorted(resolver.targets(path, language_of(path), imported))) == expected


@pytest.mark.requirement("L-PRJ-13")
@pytest.mark.parametrize(
    ("path", "imported", "expected"),
    [
        ("main.py", "src.store", "src/store.py"),
        ("src/auth.py", "src.store:Store", "src/store.py"),
        ("src/auth.py", "src:store", "src/store.py"),
        ("src/web/views.py", "src.store:Store", "src/store.py"),
        ("src/auth.py", "store:Store", "src/store.py"),
        ("backend/app/views.py", "app.models:User", "backend/app/models.py"),
        ("backend/app/views.py", "app:models", "backend/app/models.py"),
        ("pkg/inner.py", "sub.deep", ""),
        ("src/auth.py", "logging:Handler", ""),
        ("src/auth.py", "os.path", ""),
        ("src/auth.py", "src:*", ""),
    ],
)
def test_folders_without_init_are_packages_from_where_a_program_is_started(
    path: str, imported: str, expected: str
) -> None:
    files = (
        "main.py src/auth.py src/store.py src/web/views.py backend/app/views.py backend/app/models.py "
        "pkg/__init__.py pkg/inner.py pkg/sub/deep.py"
    )
    resolver = Resolver(Known(file, language_of(file)) for file in files.split())
    assert " ".join(resolver.targets(path, "python", imported)) == expected


@pytest.mark.requirement("L-CODE-14")
def test_a_project_that_is_a_package_is_imported_by_its_name() -> None:
    paths = ("__init__.py", "db/__init__.py", "db/models.py", "views.py")
    resolver = Resolver([Known(path, "python") for path in paths], "shop")
    assert resolver.targets("views.py", "python", "shop.db:models") == ("db/models.py",)
    assert resolver.targets("views.py", "python", "shop.db.models:Cart") == ("db/models.py",)
    assert resolver.targets("views.py", "python", "shop:VERSION") == ("__init__.py",)
    assert resolver.targets("views.py", "python", "db.models:Cart") == ("db/models.py",)
    assert resolver.targets("views.py", "python", "other.db:models") == ()
    assert (
        Resolver([Known(path, "python") for path in paths[1:]], "shop").targets("views.py", "python", "shop.db") == ()
    )


@pytest.mark.requirement("L-PRJ-13")
def test_a_module_of_a_project_that_is_a_package_is_not_taken_for_one_of_the_standard_library() -> None:
    paths = ("__init__.py", "logging.py", "deep/__init__.py", "deep/part.py", "types.py")
    resolver = Resolver([Known(path, "python") for path in paths], "shop")
    for path in ("types.py", "deep/part.py", "__init__.py"):
        assert resolver.targets(path, "python", "logging") == ()
        assert resolver.targets(path, "python", "logging:Handler") == ()
        assert resolver.targets(path, "python", "shop.logging:set_up") == ("logging.py",)
    assert resolver.targets("types.py", "python", ".:logging") == ("logging.py",)
    alone = Resolver([Known(path, "python") for path in paths[1:]], "shop")
    assert alone.targets("types.py", "python", "logging") == ("logging.py",)


WORKSPACE = {
    "Cargo.toml": "",
    "crates/till/Cargo.toml": "shop_till",
    "crates/desk/Cargo.toml": "desk",
    "npm/money/package.json": "@shop/money",
    "npm/page/package.json": "page",
    **dict.fromkeys(
        "crates/till/src/lib.rs crates/till/src/coin.rs crates/till/tests/all.rs crates/till/tests/util.rs"
        " crates/desk/src/lib.rs npm/money/src/index.ts npm/money/src/round.ts npm/page/src/parts/button.tsx"
        " npm/page/src/app.tsx".split(),
        "",
    ),
}


@pytest.mark.requirement("F-PROJ-02")
@pytest.mark.parametrize(
    ("path", "imported", "expected"),
    [
        ("crates/desk/src/lib.rs", "shop_till::coin::Coin", "crates/till/src/coin.rs"),
        ("crates/desk/src/lib.rs", "shop_till::Till", "crates/till/src/lib.rs"),
        ("crates/desk/src/lib.rs", "serde::Serialize", ""),
        ("crates/till/src/coin.rs", "crate::Till", "crates/till/src/lib.rs"),
        ("crates/till/src/coin.rs", "self::tests::x", ""),
        ("crates/till/tests/all.rs", "mod:util", "crates/till/tests/util.rs"),
        ("crates/till/tests/all.rs", "crate::util::run", "crates/till/tests/util.rs"),
        ("npm/page/src/app.tsx", "@shop/money", "npm/money/src/index.ts"),
        ("npm/page/src/app.tsx", "@shop/money/round.js", "npm/money/src/round.ts"),
        ("npm/page/src/app.tsx", "@/parts/button", "npm/page/src/parts/button.tsx"),
        ("npm/page/src/app.tsx", "@shop/other", ""),
    ],
)
def test_imports_of_a_workspace_lead_to_its_other_packages(path: str, imported: str, expected: str) -> None:
    resolver = Resolver(Known(file, language_of(file), package) for file, package in WORKSPACE.items())
    assert " ".join(resolver.targets(path, language_of(path), imported)) == expected
