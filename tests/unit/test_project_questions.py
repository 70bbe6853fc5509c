"""Questions to a project: queries, what a change reaches, vectors, changes that are followed, the source's layout."""

import json
from collections.abc import Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path

import pytest

from clew.errors import InputError, ModelError, NotFoundError
from clew.models.protocol import Matrix
from clew.project.blast_radius import blast_radius, find_node
from clew.project.elements import elements_of
from clew.project.nodes import NodeKind
from clew.project.open_cognition import FOLDER, index_key, read_open_cognition, write_open_cognition
from clew.project.overlays import OverlayScorer
from clew.project.project import Project
from clew.project.query import query
from clew.project.vectors import embedded_text
from clew.project.watch import watch
from clew.testing import HashEmbedder
from tests.support.projects import NOW, SHOP, changed, made, needs_grammars, write

FORMS = ("interface", "trait", "struct", "abstract")


def found(root: Path, expression: str, limit: int = 20) -> list[tuple[str, str]]:
    with Project.open(root) as project:
        return [(match.node.id, match.why) for match in query(project, expression, limit=limit)]


@needs_grammars
@pytest.mark.requirement("L-PRJ-14")
def test_queries_find_files_symbols_kinds_and_words(tmp_path: Path) -> None:
    made(tmp_path)
    cart = [("src/shop/cart.py", "path"), ("src/shop/cart.py#Cart", "path"), ("src/shop/cart.py#Cart.pay", "path")]
    assert found(tmp_path, "file:src/shop/cart.py") == cart
    assert found(tmp_path, 'file:"cart.py"') == cart
    assert found(tmp_path, "file:art.py") == []
    assert found(tmp_path, "symbol:Cart.pay") == [("src/shop/cart.py#Cart.pay", "name")]
    assert {node for node, _ in found(tmp_path, "symbol:pay")} == {"src/shop/cart.py#Cart.pay", "web/pay.ts#pay"}
    assert {node for node, _ in found(tmp_path, "kind:decision")} == {
        "docs/rules.md#decision Rules",
        "src/shop/price.py#decision at line 1",
    }
    assert found(tmp_path, "kind:decision floats") == [("src/shop/price.py#decision at line 1", "words")]
    assert found(tmp_path, "what will a customer buy", limit=1) == [("src/shop/cart.py#Cart", "words")]
    assert found(tmp_path, "Cart")[0] == ("src/shop/cart.py#Cart", "name")
    assert found(tmp_path, "text:order lost")[0][0] == "README.md#Shop > Goals"
    with Project.open(tmp_path) as project:
        for wrong in ("", "file:", "kind:nothing x"):
            with pytest.raises(InputError):
                query(project, wrong)


@needs_grammars
@pytest.mark.requirement("L-PRJ-14")
def test_names_in_code_are_found_by_their_words(tmp_path: Path) -> None:
    made(tmp_path, {"a.py": "def read_config_file(): pass\n", "b.ts": "function parseHTTPHeader() { }\n"})
    assert found(tmp_path, "how is the config read?")[0][0] == "a.py#read_config_file"
    assert found(tmp_path, "text:http header")[0][0] == "b.ts#parseHTTPHeader"
    assert found(tmp_path, "text:read_config_file")[0][0] == "a.py#read_config_file"


@pytest.mark.requirement("L-PRJ-14")
def test_a_mention_leads_to_a_path_only_on_the_borders_of_names(tmp_path: Path) -> None:
    made(tmp_path, {"a/x.py": "", "b/x.py": "", "b/yx.py": ""})
    with Project.open(tmp_path) as project:
        assert project.paths_like("x.py") == ("a/x.py", "b/x.py")
        assert project.paths_like("./a/x.py") == ("a/x.py",)
        assert project.paths_like(str(tmp_path.resolve() / "b" / "x.py")) == ("b/x.py",)
        assert project.paths_like("b\\yx.py") == ("b/yx.py",)
        assert project.paths_like("") == project.paths_like("none.py") == ()


def reached(root: Path, target: str, depth: int | None = None) -> list[tuple[int, str, str]]:
    with Project.open(root) as project:
        found = blast_radius(project, target, depth=depth)
    return [(each.distance, each.id, str(each.kind)) for each in found.reached]


@needs_grammars
@pytest.mark.requirement("L-CODE-28")
def test_the_name_of_a_class_means_the_class_and_not_its_constructors(tmp_path: Path) -> None:
    files = {
        "Till.java": "class Till {\n  Till() {}\n  Till(int coins) {}\n}\n",
        "env.h": "namespace db {\nclass Env { public: Env(); };\n}\n",
        "env.cc": '#include "env.h"\nnamespace db {\nEnv::Env() {}\n}\n',
        "Inn.java": "class Inn {}\nclass Bar { class Inn {} }\n",
    }
    made(tmp_path, files)
    with Project.open(tmp_path) as project:
        assert find_node(project, "Till").id == "Till.java#Till"
        assert find_node(project, "Env").id == "env.h#db.Env"
        with pytest.raises(NotFoundError, match="one of 2"):
            find_node(project, "Inn")


@needs_grammars
@pytest.mark.requirement("L-CODE-29")
def test_tests_of_googletest_are_named_by_suite_and_test(tmp_path: Path) -> None:
    code = "class Till { public: void pay(); };\nTEST_F(TillTest, Pays) { till.pay(); }\nTEST(TillTest, Opens) {}\n"
    made(tmp_path, {"till_test.cc": f"{code}int TEST(int a, char b, int c) {{ return a; }}\nint TEST(void) {{}}\n"})
    with Project.open(tmp_path) as project:
        names = [node.qualified for node in project.nodes(path="till_test.cc")]
        assert names == ["till_test.cc", "Till", "Till.pay", "TillTest.Pays", "TillTest.Opens", "TEST", "TEST~2"]
        assert [each.id for each in blast_radius(project, "Till.pay").reached] == ["till_test.cc#TillTest.Pays"]


@needs_grammars
@pytest.mark.requirement("L-CODE-26")
def test_queries_find_classes_by_what_they_are_more_closely(tmp_path: Path) -> None:
    files = {
        "A.java": "/** Pays. */\npublic interface Payer {}\npublic abstract class Till implements Payer {}\n"
        "class Coin {}\n",
        "b.ts": "export interface Props {}\nexport abstract class Page {}\nclass Home extends Page {}\n",
        "c.rs": "pub trait Walker {}\npub struct Leg;\n",
        "d.go": "package d\ntype Reader interface {}\ntype Shelf struct {}\n",
    }
    made(tmp_path, files)
    ids = {form: {node.partition("#")[2] for node, _ in found(tmp_path, f"kind:{form}")} for form in FORMS}
    assert ids == {
        "interface": {"Payer", "Props", "Reader"},
        "abstract": {"Till", "Page"},
        "trait": {"Walker"},
        "struct": {"Leg", "Shelf"},
    }
    assert found(tmp_path, "kind:interface pays") == [("A.java#Payer", "words")]
    assert found(tmp_path, "kind:trait pays") == []
    assert len(found(tmp_path, "kind:class")) == 10
    with Project.open(tmp_path) as project:
        (till,) = [element for element in elements_of(project) if element.name == "Till"]
    (evidence,) = [each for each in OverlayScorer().score(till).evidence if each.rule == "kind"]
    assert (evidence.overlay, evidence.what) == ("O1_structural", "an abstract class")


@needs_grammars
@pytest.mark.requirement("L-PRJ-15")
def test_a_change_reaches_what_uses_it(tmp_path: Path) -> None:
    made(tmp_path)
    assert reached(tmp_path, "src/shop/price.py") == [
        (1, "src/shop/cart.py", "imports"),
        (2, "src/shop/__init__.py", "imports"),
    ]
    assert reached(tmp_path, "price.py", depth=1) == [(1, "src/shop/cart.py", "imports")]
    assert reached(tmp_path, "total") == [(1, "src/shop/cart.py#Cart.pay", "calls")]
    assert reached(tmp_path, "web/pay.ts#pay") == [(1, "web/app.ts#start", "calls")]
    assert reached(tmp_path, "README.md") == []
    with pytest.raises(NotFoundError, match="may be one of 2: "):
        reached(tmp_path, "pay")
    with pytest.raises(NotFoundError, match="not a file or symbol"):
        reached(tmp_path, "nothing")


@needs_grammars
@pytest.mark.requirement("L-PRJ-15")
def test_circles_and_classes_are_followed(tmp_path: Path) -> None:
    made(
        tmp_path,
        {
            "a.py": "import b\n\nclass Base:\n    def run(self):\n        pass\n",
            "b.py": "from a import Base\n\nclass Sub(Base):\n    pass\n\ndef make():\n    return Sub()\n",
            "c.py": "import b\n\ndef use():\n    return b.make()\n",
        },
    )
    assert reached(tmp_path, "a.py") == [(1, "b.py", "imports"), (2, "c.py", "imports")]
    assert reached(tmp_path, "Base") == [
        (1, "b.py#Sub", "inherits"),
        (2, "b.py#make", "calls"),
        (3, "c.py#use", "calls"),
    ]


class CountingEmbedder(HashEmbedder):
    """Counts the texts that it embeds."""

    texts = 0

    def embed(self, texts: Sequence[str]) -> Matrix:
        self.texts += len(texts)
        return super().embed(texts)


@needs_grammars
@pytest.mark.requirement("L-PRJ-18")
def test_only_new_text_is_embedded(tmp_path: Path) -> None:
    made(tmp_path)
    embedder = CountingEmbedder()
    with Project.open(tmp_path) as project:
        every = list(project.nodes())
        assert project.vectors(embedder.name).ids == ()
        assert project.embed(embedder, every) == embedder.texts == len({embedded_text(node) for node in every})
        assert project.embed(embedder, every) == 0
    changed(tmp_path, {"web/pay.ts": "// Pays at once.\nexport function pay() { return 1; }\n"})
    with Project.open(tmp_path) as project:
        new = project.changes(1).changed
        assert project.embed(embedder, new) == 2
        vectors = project.vectors(embedder.name)
        assert set(vectors.ids) == {node.id for node in project.nodes()}
        (node,) = project.symbols_named("start")
        one = project.vectors(embedder.name, [node])
    assert one.matrix.shape == (1, embedder.dim)
    assert abs(float(one.matrix[0] @ embedder.embed([embedded_text(node)])[0]) - 1) < 1e-2


@pytest.mark.requirement("L-PRJ-18")
@pytest.mark.parametrize("failure", [RuntimeError("gone"), None])
def test_a_model_that_fails_is_a_model_error(tmp_path: Path, failure: Exception | None) -> None:
    class Broken(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> Matrix:
            if failure is not None:
                raise failure
            return super().embed(texts)[:, 1:]

    made(tmp_path, {"a.py": "def read_config_file(): pass\n"})
    with Project.open(tmp_path) as project:
        with pytest.raises(ModelError, match="hash-64"):
            project.embed(Broken(), project.nodes())
        assert project.vectors(Broken().name).ids == ()
    with pytest.raises(ModelError, match="hash-64"):
        OverlayScorer(embedder=Broken())


@pytest.mark.requirement("L-PRJ-16")
def test_what_changes_is_read_while_it_is_watched(tmp_path: Path) -> None:
    made(tmp_path)
    steps = iter([{"new.md": "# New\n"}, {}, {}, {"web/pay.ts": "export const pay = 1;\n"}])
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        write(tmp_path, next(steps))

    def clock() -> datetime:
        return NOW

    reports = list(islice(watch(tmp_path, clock, pause=pause), 2))
    assert [report.added + report.changed for report in reports] == [("new.md",), ("web/pay.ts",)]
    assert min(pauses) >= 1


@needs_grammars
@pytest.mark.requirement("L-PRJ-17", "D-SIGMA-08")
def test_a_project_is_written_in_the_layout_of_the_source(tmp_path: Path) -> None:
    report = made(
        tmp_path, {**SHOP, "web_pay.ts": "export const other = 1;\n", "web-pay.ts": "export const third = 1;\n"}
    )
    with Project.open(tmp_path) as project:
        view = write_open_cognition(project, tmp_path / FOLDER)
        hashes = {file.path: (file.content, file.object) for file in project.files()}
    assert {file.path: (file.content_hash, file.structural_hash) for file in view.files} == hashes
    assert (view.problems, view.transforms) == ((), len(report.transforms))
    assert view.overlays == dict.fromkeys(("O1", "O2", "O3", "O4", "O5", "O6", "O7"), 1)
    goals = json.loads((tmp_path / FOLDER / "overlays" / "O4" / "elements.json").read_bytes())
    assert goals["README.md#Shop > Goals"] >= 5
    entry = json.loads((tmp_path / FOLDER / "index" / f"{index_key('src/shop/cart.py')}.json").read_bytes())
    assert [method["name"] for method in entry["structuralData"]["classes"][0]["methods"]] == ["pay"]
    assert made(tmp_path, {}).files == report.files
    (tmp_path / "web_pay.ts").unlink()
    changed(tmp_path, {})
    with Project.open(tmp_path) as project:
        assert len(write_open_cognition(project, tmp_path / FOLDER).files) == len(SHOP) + 1


@pytest.mark.requirement("L-PRJ-17")
def test_a_folder_of_the_source_is_read_and_its_hashes_are_checked(tmp_path: Path) -> None:
    made(tmp_path, {"a.md": "# A\n"})
    with Project.open(tmp_path) as project:
        write_open_cognition(project, tmp_path / FOLDER)
    (place,) = (tmp_path / FOLDER / "objects").glob("??/*")
    place.write_bytes(b"other")
    write(tmp_path / FOLDER / "index", {"b.md.json": "no json", "c.json": '{"path": "c", "content_hash": "1"}'})
    problems = read_open_cognition(tmp_path / FOLDER).problems
    assert len(problems) == 3
    assert any(problem.endswith("altered") for problem in problems)
    with pytest.raises(NotFoundError, match="open-cognition"):
        read_open_cognition(tmp_path / "none")


@pytest.mark.requirement("L-PRJ-09", "L-PRJ-17")
def test_no_two_paths_share_a_name_in_the_layout_of_the_source() -> None:
    paths = ["a/b", "a_b", "a-b", "a/B", "A/b", "a/b_c", "a_b/c", "a-b/c", "a/b/c", "x" * 200, "x" * 201, "\u00e9"]
    keys = [index_key(path) for path in paths]
    assert len({key.casefold() for key in keys}) == len(paths)
    assert index_key("src/utils/helper.ts") == "src_utils_helper.ts"


@needs_grammars
@pytest.mark.requirement("L-PRJ-03")
def test_nodes_can_be_asked_for_by_kind_and_file(tmp_path: Path) -> None:
    made(tmp_path)
    with Project.open(tmp_path) as project:
        assert [node.name for node in project.nodes(kind=NodeKind.CLASS)] == ["Cart"]
        assert [node.id for node in project.nodes(path="web/app.ts", kind=NodeKind.FUNCTION)] == ["web/app.ts#start"]
        assert project.node("none") is None
        into = [edge.source for edge in project.edges(target="src/shop/price.py#total")]
        assert into == ["src/shop/price.py", "src/shop/cart.py#Cart.pay"]


@needs_grammars
@pytest.mark.requirement("PRJ-MIX-01")
def test_modules_that_ruby_mixes_in_are_inherited(tmp_path: Path) -> None:
    made(
        tmp_path,
        {
            "lib/walks.rb": "module Zoo\n  module Walks\n    def go; end\n  end\nend\n",
            "lib/sleeps.rb": "module Sleeps\n  extend self\nend\n",
            "lib/cat.rb": (
                "class Cat\n  include Zoo::Walks, Comparable\n  extend Sleeps\n"
                "  def wake(other)\n    extend Sleeps\n    other.include(Sleeps)\n  end\nend\n"
            ),
            "lib/dog.rb": "module Dog\n  prepend Sleeps\nend\ninclude Sleeps\n",
        },
    )
    assert reached(tmp_path, "Walks") == [(1, "lib/cat.rb#Cat", "inherits")]
    assert reached(tmp_path, "Sleeps") == [(1, "lib/cat.rb#Cat", "inherits"), (1, "lib/dog.rb#Dog", "inherits")]
    with Project.open(tmp_path) as project:
        assert {each.name: each.used_by for each in elements_of(project)}["Sleeps"] == 2
