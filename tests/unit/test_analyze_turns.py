"""One turn beside those before it: novelty, overlays, importance, references."""

from math import log1p
from pathlib import Path

import numpy as np
import pytest

from clew.analyze.importance import ImportanceSpread, RoleBaseline, importance, substance, top_overlays
from clew.analyze.novelty import Calibration, calibration_of, novelty, vector_cosine, word_cosine
from clew.analyze.overlays import Overlay, inherited, keyword_scores, meet_scores, strongest
from clew.analyze.turns import Rules, SessionHistory, TurnInput, analyze_turn
from clew.errors import InputError
from clew.ingest.importers import ImportedTurn, read_path
from clew.testing import HashEmbedder
from clew.types.analysis import TurnAnalysis

SAMPLE = Path(__file__).resolve().parents[2] / "src" / "clew" / "cli" / "sample" / "conversation.jsonl"
RULES = Rules(calibration=Calibration())
ALONE = {
    Overlay.STRUCTURAL: "Split the monolith into modules behind a facade.",
    Overlay.SECURITY: "The attacker stole a password by phishing.",
    Overlay.LINEAGE: "As we discussed last time, it comes from upstream.",
    Overlay.MISSION: "Our goal is a world with a purpose; that is the whole point.",
    Overlay.OPERATIONAL: "Deploy it with kubectl from the pipeline, then restart cron.",
    Overlay.MATHEMATICAL: "The proof of the theorem needs a lemma on eigenvalues.",
    Overlay.COHERENCE: "Does that make sense? Review and validate it, then double check.",
}


def vectors(*rows: list[float]) -> list[np.ndarray]:
    return [np.array(row, dtype=np.float32) for row in rows]


def run(turns: list[tuple[str, str]], rules: Rules = RULES) -> list[TurnAnalysis]:
    session, made = SessionHistory(), []
    for place, (role, text) in enumerate(turns):
        analysis, session = analyze_turn(TurnInput(turn=f"s:turn:{place}", role=role, text=text), session, rules)
        made.append(analysis)
    return made


@pytest.mark.requirement("W-SIGMA-01")
def test_novelty_is_seven_parts_mean_and_three_parts_greatest_distance() -> None:
    assert novelty([0.9, 0.5, 0.1]) == pytest.approx(0.7 * 0.5 + 0.3 * 0.9)
    assert novelty([]) == 0.5
    assert novelty([1.0] * 10) == 0
    assert novelty([-1.0]) == 1.0


@pytest.mark.requirement("W-SIGMA-01")
def test_a_zero_vector_is_like_nothing() -> None:
    zero, one = vectors([0, 0], [1, 0])
    assert vector_cosine(zero, one) == 0
    assert vector_cosine(one, one) == pytest.approx(1)


@pytest.mark.requirement("W-SIGMA-02")
def test_a_calibration_spreads_the_distances_that_occur() -> None:
    scale = Calibration(low=0.2, high=0.7)
    assert [scale(value) for value in (0.1, 0.2, 0.45, 0.7, 1.5)] == pytest.approx([0, 0, 0.5, 1, 1])
    assert calibration_of("minilm-l6-int8@x") == calibration_of("minilm-l6-fp32@y") != calibration_of(None)


@pytest.mark.requirement("W-SIGMA-01")
def test_only_the_last_ten_turns_count() -> None:
    same = [("user", "the red fox jumps")] * 10
    fresh = [("user", f"word{n} thing{n}") for n in range(10)]
    assert run([*same, *fresh, ("user", "the red fox jumps")])[-1].novelty == pytest.approx(
        run([*fresh, ("user", "the red fox jumps")])[-1].novelty
    )


@pytest.mark.requirement("W-SIGMA-01")
def test_words_stand_in_where_there_is_no_vector() -> None:
    assert word_cosine({"a": 1}, {}) == 0
    assert word_cosine({"a": 4, "b": 1}, {"a": 4, "b": 1}) == pytest.approx(1)
    first, again, other = run([("user", "red fox"), ("user", "red fox"), ("user", "blue whale")])
    assert first.novelty == 0.5
    assert again.novelty == 0 < other.novelty


@pytest.mark.requirement("W-SIGMA-03")
@pytest.mark.parametrize("overlay", list(Overlay))
def test_each_overlay_can_be_raised_alone(overlay: Overlay) -> None:
    scores = keyword_scores(ALONE[overlay])
    assert scores[overlay] >= 5
    assert all(score < 5 for other, score in scores.items() if other is not overlay)


@pytest.mark.requirement("W-SIGMA-03")
def test_the_documents_own_example_is_ranked_as_there() -> None:
    scores = keyword_scores("Let's refactor the authentication service to use OAuth2")
    assert scores[Overlay.SECURITY] > scores[Overlay.STRUCTURAL] > scores[Overlay.OPERATIONAL]
    assert scores[Overlay.STRUCTURAL] > 6
    assert scores.get(Overlay.MATHEMATICAL, 0) == 0


@pytest.mark.requirement("W-SIGMA-03")
def test_overlays_are_named_in_every_way_the_source_does() -> None:
    assert [Overlay.of(name) for name in ("O1", "o2", "O7_strategic", "O7_coherence")] == [
        Overlay.STRUCTURAL,
        Overlay.SECURITY,
        Overlay.COHERENCE,
        Overlay.COHERENCE,
    ]
    for odd in ("O8", "", "security", "O1_security"):
        with pytest.raises(InputError, match="not an overlay"):
            Overlay.of(odd)


@pytest.mark.requirement("W-SIGMA-04")
def test_high_scores_are_handed_on_and_fade() -> None:
    high, low = {Overlay.SECURITY: 9.0}, {Overlay.SECURITY: 6.0}
    assert inherited([high])[Overlay.SECURITY] == pytest.approx(5.4)
    assert inherited([high, {}])[Overlay.SECURITY] == pytest.approx(9 * 0.36)
    assert inherited([low]) == {}
    assert inherited([high, *[{}] * 5]) == {}
    told = run([("user", ALONE[Overlay.SECURITY]), ("assistant", "Fine."), ("user", "Fine."), ("user", "Fine.")])
    given = [analysis.overlays["O2_security"] for analysis in told]
    assert given == sorted(given, reverse=True)
    assert len(set(given)) == 4


@pytest.mark.requirement("W-SIGMA-04")
def test_a_lattice_is_one_more_source() -> None:
    met = meet_scores({Overlay.MISSION: [0.1, 0.9, 0.6, 0.3], Overlay.COHERENCE: [], Overlay.SECURITY: [-0.5]})
    assert met == {Overlay.MISSION: pytest.approx(6.0)}
    assert strongest({Overlay.MISSION: 2.0}, met) == met
    told = TurnInput(turn="s:turn:0", role="user", text="Fine.", meet=met)
    assert analyze_turn(told, SessionHistory(), RULES)[0].overlays == {"O4_mission": pytest.approx(6.0)}


@pytest.mark.requirement("W-SIGMA-05")
def test_the_sources_own_importance_is_a_plain_sum() -> None:
    assert importance(0.4, 3.0, 9.0, RoleBaseline(), "sigma") == pytest.approx(7.0)
    assert importance(0.0, 0.0, 9.0, RoleBaseline(), "sigma") == 1
    assert importance(0.9, 5.0, 0.0, RoleBaseline(), "sigma") == 10
    assert top_overlays({Overlay.SECURITY: 9, Overlay.MISSION: 6, Overlay.LINEAGE: 3, Overlay.COHERENCE: 1}) == 6
    assert top_overlays({}) == 0


@pytest.mark.requirement("W-SIGMA-05")
def test_importance_is_measured_against_what_is_usual() -> None:
    usual = RoleBaseline(10, 6, 20, 30)
    middle = importance(0.6, 2.0, 3.0, usual)
    assert middle == pytest.approx(4.4)
    assert importance(0.8, 2.0, 3.0, usual) > middle > importance(0.4, 2.0, 3.0, usual)
    assert importance(0.6, 4.0, 3.0, usual) > middle > importance(0.6, 0.0, 3.0, usual)
    assert importance(0.6, 2.0, 4.0, usual) > middle > importance(0.6, 2.0, log1p(1), usual)
    assert importance(1, 10, 9, usual) == 10
    assert importance(0, 0, 0, usual) == 1
    assert substance(["a", "b", "a"]) == pytest.approx(log1p(2))


@pytest.mark.requirement("W-SIGMA-06")
def test_a_shift_is_new_and_important_and_routine_is_neither() -> None:
    chat = [("user", "Nice weather today again, the sun is out.")] * 6
    shift = "We must migrate the authentication service to OAuth2 with hardware keys before the audit in March."
    *_, news, thanks = run([*chat, ("user", shift), ("user", "ok")])
    assert news.paradigm_shift
    assert news.preserved
    assert not news.routine
    assert thanks.routine
    assert not thanks.paradigm_shift
    strict = run([*chat, ("user", shift)], Rules(calibration=Calibration(), shift=1.0))[-1]
    assert strict.preserved
    assert not strict.paradigm_shift


@pytest.mark.requirement("W-SIGMA-11")
@pytest.mark.parametrize("low", [0.0, 0.5, 0.6, 0.8])
def test_shifts_stay_between_two_and_fifteen_percent_whatever_distances_an_embedder_gives(low: float) -> None:
    rules = Rules(calibration=Calibration(low, low + 0.5))
    turns = [each.turn for each in read_path(SAMPLE) if isinstance(each, ImportedTurn)]
    session, shifts = SessionHistory(), 0
    for turn, vector in zip(turns, HashEmbedder().embed([turn.text for turn in turns]), strict=True):
        analysis, session = analyze_turn(TurnInput("s:turn:0", turn.role, turn.text, vector), session, rules)
        shifts += analysis.paradigm_shift
        assert analysis.preserved >= analysis.paradigm_shift
    assert 0.02 <= shifts / len(turns) <= 0.15


@pytest.mark.requirement("W-SIGMA-11")
def test_short_chats_have_shifts_too() -> None:
    """Fifteen turns of a few words each: all weigh much alike, and are over before a threshold has come down."""
    turns = [each.turn for each in read_path(SAMPLE) if isinstance(each, ImportedTurn)]
    said = [turn.text.split() for turn in turns]
    short = [("user", " ".join(words[:6])) for words in said if len(words) >= 6]
    shifts = [analysis.paradigm_shift for low in range(0, len(short), 15) for analysis in run(short[low : low + 15])]
    assert 0.03 <= sum(shifts) / len(shifts) <= 0.15


@pytest.mark.requirement("W-SIGMA-11")
def test_the_importance_of_a_shift_is_measured_by_how_a_session_spreads() -> None:
    usual = ImportanceSpread()
    assert usual.placed(7.0) == pytest.approx(7.0)
    alike, unlike = usual, usual
    for _ in range(50):
        alike, unlike = alike.after(4.2).after(4.8), unlike.after(1.5).after(7.5)
    assert 4.8 < alike.placed(7.0) < 5.5
    assert unlike.placed(7.0) > 8.0


@pytest.mark.requirement("W-SIGMA-11")
def test_acknowledgements_are_never_shifts_however_alike_a_session_is() -> None:
    thanks = ["ok", "thanks", "sure", "fine", "great", "yes", "no", "right", "good", "well", "see", "done", "nice"]
    assert not any(each.paradigm_shift for each in run([("user", word) for word in thanks * 10]))


@pytest.mark.requirement("W-SIGMA-11")
def test_nothing_new_is_never_a_shift_however_long_nothing_was() -> None:
    assert not any(each.paradigm_shift for each in run([("user", "ok")] * 200))


@pytest.mark.requirement("W-SIGMA-07")
def test_a_turn_that_speaks_of_an_earlier_one_refers_to_it() -> None:
    said = [("user", "We keep sessions in Redis."), ("assistant", "Lunch was great."), ("user", "Blue paint it is.")]
    spoken = run([*said, ("user", "As we discussed, sessions go to Redis.")])[-1]
    assert spoken.references == ("s:turn:0",)
    long = "As we discussed, the auditors want to see where the tokens of our sessions are, and that is Redis by now."
    assert run([*said, ("user", long)])[-1].references == ("s:turn:0",)
    assert run([*said, ("user", "Sessions go to Redis.")])[-1].references == ()
    told = TurnInput(turn="s:turn:9", role="user", text="Yes.", answers="s:turn:4")
    assert analyze_turn(told, SessionHistory(), RULES)[0].references == ("s:turn:4",)


@pytest.mark.requirement("W-SIGMA-08")
def test_what_nobody_computed_or_nothing_raised_is_absent() -> None:
    plain = run([("user", "Mm.")])[0].annotations()
    assert set(plain) <= {"importance", "novelty", "routine"}
    assert all(value is not False for value in plain.values())


@pytest.mark.requirement("W-SIGMA-08")
def test_a_turn_without_anything_new_has_a_novelty_of_zero() -> None:
    *_, again = run([("user", "The red fox jumps.")] * 2)
    assert again.annotations()["novelty"] == 0


@pytest.mark.requirement("W-SIGMA-08")
@pytest.mark.parametrize("text", ["", "🧶", "a" * 100_000, "漢字と仮名", "\ud800", "x = {1: [2]}", "שלום עולם"])
def test_any_text_is_analysed(text: str) -> None:
    for analysis in run([("user", text)] * 3):
        assert 0 <= analysis.novelty <= 1
        assert 1 <= analysis.importance <= 10
        assert all(0 < score <= 10 for score in analysis.overlays.values())


@pytest.mark.requirement("PRJ-SENSE-02")
@pytest.mark.parametrize(
    ("text", "is_secret"),
    [
        ("Count the tokens of the prompt.", False),
        ("The parser reads one token ahead.", False),
        ("Rotate the token every day.", True),
        ("The parser reads the JWT token.", True),
        ("Count the tokens that grant permission.", True),
    ],
)
def test_a_token_that_is_counted_or_parsed_is_no_secret(text: str, is_secret: bool) -> None:
    assert (Overlay.SECURITY in keyword_scores(text)) is is_secret
