"""The seven overlays of a project's elements: rules, evidence, lists of one's own, example sentences."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from clew.analyze.overlays import Overlay, keyword_matches
from clew.errors import ConfigError
from clew.project.elements import ProjectElement, elements_of
from clew.project.genesis import genesis
from clew.project.overlays import ElementOverlays, OverlayScorer, overlay_rules
from clew.project.project import Project
from clew.testing import HashEmbedder
from tests.support.projects import made, needs_grammars

ACTIVE = 5.0
ALONE = {
    Overlay.STRUCTURAL: ProjectElement(
        id="1", path="docs/adr/0003-layers.md", text="Each package sits behind one interface."
    ),
    Overlay.SECURITY: ProjectElement(id="2", path="src/vault.py", text="Encrypts a secret with the key of the user."),
    Overlay.LINEAGE: ProjectElement(id="3", path="CHANGELOG.md", text="Changelog"),
    Overlay.MISSION: ProjectElement(id="4", path="VISION.md", text="Our purpose, our principles and our values."),
    Overlay.OPERATIONAL: ProjectElement(
        id="5", path="deploy/rollout.sh", text="Deploys with kubectl, then restarts cron."
    ),
    Overlay.MATHEMATICAL: ProjectElement(
        id="6", path="src/primes.py", text="Proof by induction: the theorem holds for n + 1."
    ),
    Overlay.COHERENCE: ProjectElement(id="7", path="tests/unit/test_rounds.py", text="A round trip gives the same."),
}


def scored(element: ProjectElement, *changes: str) -> ElementOverlays:
    return OverlayScorer(overlay_rules(changes)).score(element)


def active(element: ProjectElement, *changes: str) -> set[str]:
    return {name for name, score in scored(element, *changes).scores.items() if score >= ACTIVE}


@pytest.mark.requirement("L-MEE-01")
@pytest.mark.parametrize("overlay", Overlay)
def test_each_overlay_is_raised_alone_by_a_fitting_element(overlay: Overlay) -> None:
    assert active(ALONE[overlay]) == {overlay.value}


@pytest.mark.requirement("L-MEE-01")
@pytest.mark.parametrize(
    ("path", "overlay"),
    [
        ("SECURITY.md", "O2_security"),
        ("docs/decisions/0001-record-decisions.md", "O1_structural"),
        ("CONTRIBUTING.rst", "O5_operational"),
        ("pkg/store/store_test.go", "O7_coherence"),
        (".github/workflows/release.yml", "O5_operational"),
        ("web/src/Login.test.tsx", "O7_coherence"),
        ("Cargo.lock", "O3_lineage"),
    ],
)
def test_documents_tests_and_ci_feed_the_fitting_overlay(path: str, overlay: str) -> None:
    scores = scored(ProjectElement(id=path, path=path)).scores
    assert max(scores, key=scores.__getitem__) == overlay
    assert scores[overlay] >= ACTIVE


@pytest.mark.requirement("L-MEE-01")
def test_a_module_is_not_the_document_of_the_same_name() -> None:
    assert active(ProjectElement(id="v", path="src/values.py")) == set()
    assert active(ProjectElement(id="v", path="VALUES.md")) == {"O4_mission"}
    assert active(ProjectElement(id="v", path="src/contest.py")) == set()  # "test" has to be a whole segment


@pytest.mark.requirement("L-MEE-02")
def test_every_score_follows_from_the_evidence_that_is_shown() -> None:
    element = ProjectElement(
        id="a",
        path="src/auth/token_store.py",
        text="Keeps the tokens of users; a stolen one expires.",
        imports=("hmac", "hashlib", "json", "pathlib"),
        used_by=16,
    )
    result = scored(element)
    said = {(each.overlay, each.rule): each.what for each in result.evidence}
    assert said["O2_security", "path"] == "src/auth/token_store.py matches auth"
    assert said["O2_security", "import"] == "imports hmac, hashlib"
    assert said["O2_security", "word"].startswith("says stolen, token")
    assert said["O1_structural", "users"] == "16 files import it"
    for name, score in result.scores.items():
        left = 1.0
        for each in result.evidence:
            left *= 1 - each.weight if each.overlay == name else 1
        assert score == pytest.approx(10 * (1 - left), abs=1e-5)
        assert 0 < score <= 10


@pytest.mark.requirement("L-MEE-02")
def test_any_text_and_path_is_scored_within_the_scale() -> None:
    for text in ("", "\x00", "🙂" * 5000, "安全性と認証" * 300, "x" * 100_000, "(((("):
        result = scored(ProjectElement(id="x", path=f"{text[:40]}/[a].py", name=text[:50], text=text))
        assert all(0 < score <= 10 for score in result.scores.values())


@pytest.mark.requirement("L-MEE-03")
def test_a_project_changes_the_lists_by_settings() -> None:
    vault = ProjectElement(id="v", path="vault/seal.py", text="An eigenvalue.")
    assert active(vault) == set()
    assert active(vault, "O2 path:vault/* 0.9") == {"O2_security"}
    assert active(vault, "o6_mathematical word:Eigenvalues 0.8") == {"O6_mathematical"}
    tests = ProjectElement(id="t", path="tests/test_a.py")
    assert active(tests, "-O7 path:tests", "-O7 path:test_*.py", "-O7 word:test") == set()
    assert scored(ProjectElement(id="i", path="a.py", imports=("acme.vault",)), "O2 import:acme 0.6").scores == {
        "O2_security": 6.0
    }


@pytest.mark.requirement("L-MEE-03")
@pytest.mark.parametrize("change", ["O9 path:x", "O2 colour:red", "O2", ""])
def test_a_change_that_cannot_be_read_is_named(change: str) -> None:
    with pytest.raises(ConfigError, match=r"project\.overlays") as error:
        overlay_rules([change])
    assert repr(change)[1:-1] in str(error.value)


@pytest.mark.requirement("L-MEE-04")
def test_an_embedder_adds_the_example_that_an_element_is_like() -> None:
    embedder = HashEmbedder()
    scorer = OverlayScorer(embedder=embedder)
    text = "Run these commands to build, release and roll back the service."
    element = ProjectElement(id="x", path="x.dat", name="x")
    (vector,) = embedder.embed([text])
    result = scorer.score(element, vector)
    assert [(each.overlay, each.rule) for each in result.evidence] == [("O5_operational", "example")]
    assert text in result.evidence[0].what
    assert scorer.score(element).scores == {}  # without a vector nothing is guessed


@pytest.mark.requirement("L-CODE-15")
def test_code_states_no_mission_and_a_folder_of_code_is_no_document() -> None:
    scorer = OverlayScorer()
    strategy = ProjectElement(
        id="1", path="orm/interfaces.py", kind="method", name="Strategized.strategy_for", text="The strategic strategy."
    )
    assert "O4_mission" not in scorer.score(strategy).scores
    code = ProjectElement(id="2", path="db/operations/base.py", name="")
    document = ProjectElement(id="3", path="docs/operations/restart.md", name="")
    assert scorer.score(code).scores.get("O5_operational", 0) < 5 < scorer.score(document).scores["O5_operational"]
    changes = ProjectElement(id="4", path="CHANGES", name="")
    assert scorer.score(changes).scores["O3_lineage"] > 5


@pytest.mark.requirement("L-CODE-16")
def test_a_number_is_no_second_factor() -> None:
    assert keyword_matches("Step 2 takes 2 minutes.").get(Overlay.SECURITY) is None
    assert "2fa" in keyword_matches("Turn 2FA on.")[Overlay.SECURITY]
    assert "oauth" in keyword_matches("We use OAuth here.")[Overlay.SECURITY]


@pytest.mark.requirement("L-CODE-21")
def test_a_class_from_which_others_derive_is_structural(tmp_path: Path) -> None:
    derived = "".join(f"class Pot{number}(Vessel):\n    pass\n\n\n" for number in range(3))
    (tmp_path / "pots.py").write_text(f"class Vessel:\n    pass\n\n\n{derived}")
    genesis(tmp_path, datetime(2026, 1, 1, tzinfo=UTC))
    with Project.open(tmp_path) as project:
        elements = {each.name: each for each in elements_of(project)}
    assert (elements["Vessel"].used_by, elements["Pot1"].used_by) == (3, 0)
    assert active(elements["Vessel"]) == {"O1_structural"}
    assert active(elements["Pot1"]) == set()


@pytest.mark.requirement("L-CODE-21")
def test_what_a_package_says_of_itself_is_of_its_mission() -> None:
    text = "A kettle for everybody."
    for path in ("__init__.py", "kettle/__init__.py", "src/kettle/__init__.py", "src/lib.rs", "doc.go"):
        assert "O4_mission" in active(ProjectElement(id="k", path=path, text=text))
        assert "O4_mission" not in active(ProjectElement(id="k", path=path))
    assert "O4_mission" not in active(ProjectElement(id="k", path="src/kettle/lid/__init__.py", text=text))


@pytest.mark.requirement("L-CODE-21")
def test_a_graph_is_no_mathematics_by_its_name_and_topology_is() -> None:
    assert active(ProjectElement(id="g", path="brew/graph.py")) == set()
    assert active(ProjectElement(id="t", path="brew/topological.py")) == {"O6_mathematical"}
    assert active(ProjectElement(id="d", path="brew/dependencies.py")) == {"O3_lineage"}


@pytest.mark.requirement("P-LINE-06")
@pytest.mark.parametrize(
    ("path", "kind", "name", "states"),
    [
        ("shop/strategy_options.py", "file", "", False),
        ("docs/why.md", "heading", "Why", True),
        ("docs/why.md", "file", "", True),
        ("shop/__init__.py", "file", "", True),
        ("package.json", "heading", "description", True),
    ],
)
def test_a_mission_is_stated_in_documents(path: str, kind: str, name: str, states: bool) -> None:
    said = "Our goal and strategy: the purpose of this project is that users own their data."
    element = ProjectElement(id=path, path=path, kind=kind, name=name, text=said)
    assert (Overlay.MISSION in OverlayScorer().score(element).scores) is states


@pytest.mark.requirement("P-LINE-10")
@pytest.mark.parametrize(
    ("name", "states"),
    [
        ("Kettle", True),
        ("Kettle > Why", True),
        ("Kettle > What you can rely on", True),
        ("Installation", False),
        ("Kettle > Contributing > Running tests", False),
        ("Kettle > License", False),
        ("Sponsors > Friends", False),
        ("Kettle > Pouring > Hot water", False),
        ("Kettle > Goals > Hot water", True),
        ("Kettle > .pour()", False),
    ],
)
def test_sections_on_how_to_use_a_project_state_no_mission(name: str, states: bool) -> None:
    section = ProjectElement(id="1", path="README.md", kind="heading", name=name, text="It pours tea.")
    assert (Overlay.MISSION.value in active(section)) is states


@pytest.mark.requirement("F-PROJ-06")
def test_what_a_project_is_for_is_said_in_its_own_documents_and_not_in_those_of_its_parts() -> None:
    def mission(path: str, name: str = "") -> float:
        kind = "heading" if name else "file"
        element = ProjectElement(id=path, path=path, kind=kind, name=name)
        return OverlayScorer().score(element).scores.get("O4_mission", 0.0)

    assert mission("docs/misc/design.txt", "Design philosophies > Loose coupling") >= 5
    assert mission("docs/faq.txt", "FAQ > Why does this project exist?") >= 5
    assert mission("docs/faq.txt", "FAQ > Why do I get an error about tables?") < 5
    assert mission("README.md") >= 5
    assert mission("README.pt-BR.md") >= 5
    assert mission("README.md", "Shop > Building > On Windows") < 5
    assert mission("README.dialects.rst") < 5
    assert mission("tests/data/README.md") < 5
    assert mission("tests/data/plan.md", "Goals") < mission("plan.md", "Goals") - 2


@pytest.mark.requirement("F-PROJ-07")
@pytest.mark.parametrize(
    ("path", "name", "is_test"),
    [
        ("db/till_test.cc", "", True),
        ("src/till.rs", "tests.pays", True),
        ("src/till.rs", "Till.contests", False),
        ("lib/test_till.rb", "", True),
        ("src/till.py", "tests.pays", False),
    ],
)
def test_tests_of_other_languages_are_tests(path: str, name: str, is_test: bool) -> None:
    element = ProjectElement(id=path, path=path, kind="function" if name else "file", name=name)
    evidence = OverlayScorer().score(element).evidence
    assert any(each.rule in ("path", "kind") for each in evidence if each.overlay == "O7_coherence") is is_test


@pytest.mark.requirement("PRJ-FORM-01")
@needs_grammars
@pytest.mark.parametrize(
    ("path", "code", "forms"),
    [
        ("a.py", "class A(typing.Protocol[T]): pass\nclass B(Base, ABC): pass\nclass C(Protocols): pass\n", "A B"),
        ("b.ts", "export interface A<T> extends B {}\nclass Interface {}\n", "A"),
        ("c.go", "package c\ntype A interface {\n\tDo()\n}\ntype B func()\n", "A"),
        ("d.rs", "pub(crate) trait A: B {}\nstruct C;\n", "A"),
        ("E.java", "public interface A {}\npublic @interface B {}\nclass C implements A {}\n", "A"),
        ("f.md", "# Theorem 1\n\nA sum.\n\n# Theorems\n\nSome.\n\n# Lemma: sums\n\nOf two.\n", "Theorem 1 Lemma: sums"),
    ],
)
def test_interfaces_and_theorems_are_told_from_other_classes_and_sections(
    tmp_path: Path, path: str, code: str, forms: str
) -> None:
    made(tmp_path, {path: code})
    with Project.open(tmp_path) as project:
        elements = elements_of(project)
    assert " ".join(each.name for each in elements if each.form in {"interface", "trait", "theorem"}) == forms
    said = [each for element in elements for each in scored(element).evidence if each.rule == "kind"]
    kinds = {"a theorem"} if path.endswith("md") else {"an interface", "a trait"}
    assert sum(each.what in kinds for each in said) == (2 if path in ("a.py", "f.md") else 1)


@pytest.mark.requirement("PRJ-SENSE-01")
def test_a_token_of_a_parser_is_no_secret() -> None:
    def said(text: str, name: str = "") -> set[str]:
        return {each.overlay for each in scored(ProjectElement(id="t", path="a.py", text=text, name=name)).evidence}

    assert "O2_security" not in said("Takes the next token and its signature.", name="Scanner.token")
    assert "O2_security" not in said("The key is the hash of the session.", name="identity_token")
    assert "O2_security" in said("The token of a login.")
    assert "O2_security" in said("Takes the token.", name="authenticate")
    inside = ProjectElement(id="t", path="auth/a.py", text="Takes the token.")
    assert {each.rule for each in scored(inside).evidence if each.overlay == "O2_security"} == {"path", "word"}
