"""The five HSCA evaluations, with their full number of cases, by the rules alone; and how they count."""

import json
from random import Random

import pytest
from click.testing import CliRunner

from benchmarks.sources import NEVER_LEARNED, texts_of
from clew.analyze.lexicon import DOMAINS
from clew.cli.evaluate import sheet
from clew.cli.main import main as program
from clew.evaluate.hsca import bridging, fidelity, macro_coherence, self_improvement
from clew.evaluate.hsca.bank import BankSplit, bank, of_kind, part_of
from clew.evaluate.hsca.conversation_beats import ConversationWeigher, beats_of, compared, strongest
from clew.evaluate.hsca.result import Evaluation
from clew.evaluate.hsca.suite import CASES, SEED, run_all
from clew.models.choose import choose_embedder

RULES = ConversationWeigher()
UNSEEN = bank("unseen")
CHANCE = Random(1)  # noqa: S311 - no secret


@pytest.mark.slow
@pytest.mark.requirement("W-EVAL-01")
def test_the_thread_of_a_beat_is_what_it_is_about() -> None:
    found = fidelity.run(fidelity.cases(SEED, CASES, UNSEEN), RULES)
    assert found.meets_document
    assert found.value >= 0.85  # 0.892; ours, 0.90, needs vectors
    assert found.figures["thread_heavier"] >= 0.5
    assert found.cases == CASES == len(found.failures) + round(found.value * CASES)


@pytest.mark.requirement("W-EVAL-01")
def test_a_conversation_about_its_aside_fails() -> None:
    case = fidelity.cases(SEED, 1, UNSEEN)[0]
    aside = case.turns[case.asides[0]]
    wrong = fidelity.FidelityCase(name="aside alone", domain=case.domain, turns=(aside, "So be it."), asides=(0,))
    found = fidelity.run([wrong, wrong], RULES)
    assert (found.value, len(found.failures)) == (0.0, 2)
    assert strongest({"legal": 0.5, "physics": 0.5}) == "legal"
    assert strongest({}) is strongest({"legal": 0.0}) is None


@pytest.mark.requirement("W-WEIGH-08")
@pytest.mark.parametrize("source", NEVER_LEARNED)
def test_threads_of_sources_that_nothing_was_learned_from_are_named_by_the_rules(source: str) -> None:
    assert fidelity.run(fidelity.cases(SEED, 40, texts_of(source)), RULES).value >= 0.65


@pytest.mark.slow
@pytest.mark.requirement("W-EVAL-02")
def test_movements_are_found_as_well_as_they_were() -> None:
    found = macro_coherence.run(macro_coherence.cases(SEED, CASES, UNSEEN), RULES)
    assert found.value >= 0.72  # 0.758: the bars need vectors (docs/evaluation.md); this holds what there is
    assert found.figures["crossing_found"] >= 0.45


@pytest.mark.requirement("W-EVAL-02")
@pytest.mark.parametrize(
    ("found", "errors"),
    [
        (["legal", "physics", "cross_domain", "legal"], 0),
        (["legal", "cross_domain", "legal"], 1),
        (["legal", "physics", "cross_domain", None, "legal"], 1),
        (["legal", "cross_domain"], 2),
        (["physics", "legal", "cross_domain", "legal"], 2),
        ([], 4),
    ],
)
def test_position_errors_are_edits(found: list[str | None], errors: int) -> None:
    assert macro_coherence.edits(("legal", "physics", "cross_domain", "legal"), found) == errors


@pytest.mark.slow
@pytest.mark.requirement("W-EVAL-03")
def test_what_is_learned_from_use_makes_fidelity_better() -> None:
    found = self_improvement.run(self_improvement.cases(SEED, CASES, UNSEEN), RULES)
    assert found.passed
    assert found.meets_document
    assert found.value > found.figures["after_0"]
    assert found.figures["after_100"] >= found.figures["after_0"]
    assert found.cases == CASES * self_improvement.HISTORIES


@pytest.mark.requirement("W-EVAL-03")
def test_nothing_is_learned_from_use_by_chance() -> None:
    (case, *_) = self_improvement.cases(SEED, 10, UNSEEN)
    aimless = self_improvement.ImprovementCase(
        name=case.name,
        seed=case.seed,
        learned_from=tuple(
            fidelity.FidelityCase(
                name=each.name, domain=each.domain, turns=each.turns, asides=tuple(range(len(each.turns)))
            )
            for each in case.learned_from
        ),
        held_out=case.held_out,
    )
    found = self_improvement.run([aimless], RULES)
    assert not found.passed
    assert found.value == found.figures["after_0"] == found.figures["after_100"]
    assert [failure.case for failure in found.failures] == ["history 1"]


@pytest.mark.requirement("W-EVAL-05")
def test_framings_of_one_concept_meet_on_their_bridge() -> None:
    found = bridging.run(bridging.cases(SEED, CASES, UNSEEN), RULES)
    assert found.meets_document
    assert found.value >= bridging.BAR
    assert found.figures["controls_apart"] >= bridging.CONTROL_BAR
    assert found.figures["by_turns"] >= bridging.BAR
    assert found.figures["controls_apart_by_turns"] >= found.figures["controls_apart"]
    assert found.passed


@pytest.mark.requirement("W-EVAL-05")
def test_what_both_sides_share() -> None:
    law = "The judge asked the plaintiff for the contract, and the court dismissed the claim under the statute."
    physics = "The electron has momentum, and its velocity gives the kinetic energy of the photon by quantum mechanics."
    more_law = "The defendant appealed, and the lawyer of the tenant cited the clause of the lease before the jury."
    more_physics = "The wavelength of the light depends on the mass of the particle and on the charge of the nucleus."
    sides_of = {"legal": ((law, more_law), (law, more_law)), None: ((law, more_law), (physics, more_physics))}
    for domain, sides in sides_of.items():
        case = bridging.BridgingCase(name="pair", bridge=domain, sides=sides)
        turns = [*sides[0], *sides[1]]
        common = bridging.shared(case, compared(beats_of(turns, RULES), turns, RULES))
        assert strongest(common) == domain
        assert not bridging.run([case], RULES).failures


@pytest.mark.requirement("W-EVAL-06")
@pytest.mark.parametrize("part", ["seen", "unseen"])
def test_material_is_labelled_and_parted_by_its_hash(part: BankSplit) -> None:
    material = bank(part)
    assert {part_of(f"thread: {each.name}") for each in of_kind(material, "thread")} == {part}
    assert {domain for each in material for domain in each.domains} == set(DOMAINS)
    for each in of_kind(material, "thread"):
        assert len(each.lines) == 8
        assert "\n".join(each.turns(CHANCE)).replace("\n", " ") == " ".join(each.lines)
    for each in of_kind(material, "passage"):
        assert len(each.text.split()) > 90
    assert {len(each.lines) for each in of_kind(material, "crossing")} == {4}
    families = [each.name for each in of_kind(material, "bridge")]
    assert {families.count(name) for name in families} == {5}


@pytest.mark.requirement("W-EVAL-06")
def test_no_text_is_in_both_parts_and_cases_depend_on_the_seed_alone() -> None:
    seen, unseen = ({each.text for each in bank(part)} for part in ("seen", "unseen"))
    assert not seen & unseen
    for module in (fidelity, macro_coherence, self_improvement, bridging):
        assert module.cases(4, 20, UNSEEN) == module.cases(4, 20, UNSEEN) != module.cases(5, 20, UNSEEN)


@pytest.mark.slow
@pytest.mark.requirement("W-EVAL-07")
def test_the_command_prints_both_bars_and_fails_when_the_document_is_missed() -> None:
    ran = CliRunner().invoke(program, ["eval", "hsca", "--cases", "3", "--seen", "--embedder", "none", "--json"])
    records = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [each["number"] for each in records] == [1, 2, 3, 4, 5]
    missed = [each["name"] for each in records if each["value"] < each["document_bar"]]
    assert ran.exit_code == bool(missed)
    assert all(name in ran.stderr for name in missed)
    table = sheet([Evaluation.from_dict(each) for each in records]).text()
    assert "document asks" in table
    assert all(each["name"] in table for each in records)


@pytest.mark.requirement("W-EVAL-07")
def test_a_figure_below_its_floor_fails() -> None:
    made = {"number": 5, "name": "x", "document_bar": 0.5, "bar": 0.8, "cases": 1, "figures": {"a": 0.5}}
    assert Evaluation(**made, value=0.8).passed  # type: ignore[arg-type]  # fields by name
    below = Evaluation(**made, value=0.8, floors={"a": 0.6})  # type: ignore[arg-type]  # fields by name
    assert (below.passed, below.meets_document) == (False, True)
    assert Evaluation.from_dict(below.to_dict()) == below


@pytest.mark.slow
@pytest.mark.requirement("W-EVAL-08")
def test_with_vectors_the_documents_bars_and_ours_are_met() -> None:
    embedder, note = choose_embedder("minilm", threads=1)
    if embedder is None:
        pytest.skip(note)
    found = {each.number: each for each in run_all(ConversationWeigher(embedder))}
    assert all(each.meets_document for each in found.values())
    assert all(each.passed for each in found.values())
