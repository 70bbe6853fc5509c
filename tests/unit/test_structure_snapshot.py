"""What is kept of a closed beat, and the document's shape made from it."""

import json

import pytest

from clew.analyze.domains import evidence_of
from clew.analyze.layer1 import SHORT_SCORE
from clew.analyze.weigh import weigh, weigh_joint
from clew.analyze.words import read
from clew.structure.beats import Beat, Reason
from clew.structure.density import normalised
from clew.structure.features import hashed_terms
from clew.structure.snapshot import LINKS_PER_PIECE, BeatMap, Piece, PieceContent, as_snapshot, freeze
from clew.types.ids import turn_id

SHORT = ("The cache holds every session of the users.", "Can the users lose a session?", "Only if the cache is lost.")
LONG = (
    "The cache keeps the sessions of the users, because the database was too slow for them. When a session ends, the "
    "cache drops it and tells the database. The users never notice, since the sessions come back from the cache."
)


def pieces(*texts: str) -> list[Piece]:
    found = []
    for seq, said in enumerate(map(weigh, texts)):
        found.append(
            Piece(
                seq=seq,
                layer1=said.layer1.score,
                coherence=said.coherence,
                tags=said.domains,
                nuance=said.nuance,
                short=said.layer1.short,
            )
        )
    return found


def frozen(*texts: str, reason: Reason = "topic") -> BeatMap:
    said = [PieceContent(read(text), evidence_of(read(text)), hashed_terms(text)) for text in texts]
    return freeze(Beat(tuple(range(len(texts))), reason), pieces(*texts), said)


@pytest.mark.requirement("W-STRUCT-06")
def test_turns_of_a_beat_with_short_ones_are_weighed_together() -> None:
    texts = (SHORT[0], LONG, *SHORT[1:])
    beat = frozen(*texts)
    joint = [weighed.layer1.score for weighed in weigh_joint(texts)]
    assert [piece.layer1 for piece in beat.pieces] == pytest.approx(joint, abs=1e-4)
    assert not any(piece.short for piece in beat.pieces)
    assert frozen(LONG, LONG).pieces[0].layer1 == weigh(LONG).layer1.score
    assert [piece.layer1 for piece in frozen(*SHORT[:2]).pieces] == [SHORT_SCORE] * 2
    assert all(piece.short for piece in frozen(*SHORT[:2]).pieces)


@pytest.mark.requirement("W-STRUCT-06")
def test_a_long_aside_does_not_outweigh_the_thread_by_itself() -> None:
    aside = (
        "The ferry runs at six. If the ferry is late, the captain of the ferry waits for the bus. The bus waits too."
    )
    alone, together = weigh(aside).layer1.score, frozen(*SHORT, aside).pieces[3].layer1
    assert together < alone / 2
    unlike = frozen("Giraffes graze slowly.", aside, "Nobody repaired our roof.").pieces
    assert (unlike[0].layer1, unlike[2].layer1) == (SHORT_SCORE, SHORT_SCORE)


@pytest.mark.requirement("W-STRUCT-06")
def test_short_turns_tell_together_what_they_are_about() -> None:
    first, second = "The fee is due.", "They must give notice."
    assert weigh(first).domains == weigh(second).domains == ("unclassified",)
    beat = frozen(first, "I will send the clock back.", second)
    assert [piece.tags for piece in beat.pieces] == [("legal",)] * 3
    assert [piece.tags for piece in frozen(LONG, "So be it.").pieces] == [weigh(LONG).domains, ("unclassified",)]


@pytest.mark.requirement("W-STRUCT-06")
def test_a_beat_knows_how_dense_it_is_and_what_it_is_about() -> None:
    beat = frozen(LONG, "Let x be prime. By the lemma, the proof of the theorem follows. Hence n^2 = 2k is even.")
    weights = [piece.layer1 for piece in beat.pieces]
    assert beat.macro_weight == pytest.approx(sum(weights) / 2, abs=1e-4)
    for tag, share in beat.domain_summary.items():
        carried = sum(piece.layer1 for piece in beat.pieces if tag in piece.tags)
        assert share == pytest.approx(carried / sum(weights), abs=1e-4)
    assert sum(beat.domains.values()) == pytest.approx(1.0, abs=1e-3)
    assert beat.domains == pytest.approx(normalised(beat.domain_summary), abs=1e-4)


@pytest.mark.requirement("W-STRUCT-06")
def test_links_are_the_strongest_and_few() -> None:
    beat = frozen(LONG, LONG, LONG, "Giraffes graze slowly. Trees are tall there. Nobody watches them.")
    assert [(link.first, link.second) for link in beat.links] == [(0, 1), (0, 2), (1, 2)]
    assert all(3 not in (link.first, link.second) for link in beat.links)
    first, third = beat.pieces[0], beat.pieces[2]
    assert beat.links[1].weight == pytest.approx((first.layer1 * third.layer1) ** 0.5, abs=1e-4), (
        "equal terms: cosine 1"
    )
    many = frozen(*[LONG] * 6)
    ends = [end for link in many.links for end in (link.first, link.second)]
    assert max(map(ends.count, ends)) == LINKS_PER_PIECE


@pytest.mark.requirement("W-STRUCT-06")
def test_what_is_kept_holds_no_text_and_survives() -> None:
    beat = frozen(LONG, *SHORT, reason="forced")
    wire = json.dumps(beat.to_dict())
    assert BeatMap.from_dict(json.loads(wire)) == beat
    assert beat.forced
    assert "cache" not in wire


@pytest.mark.requirement("W-STRUCT-06")
def test_the_document_s_shape() -> None:
    beat = frozen(LONG, *SHORT)
    snapshot = as_snapshot("a:beat:3", "a", 3, beat, {0: (LONG, 7.0), 1: (SHORT[0], 9.0)})
    assert [chunk.chunk_id for chunk in snapshot.chunks] == [turn_id("a", n) for n in range(4)]
    assert {chunk.parent_id for chunk in snapshot.chunks} == {"a:beat:3"}
    assert [(chunk.text, chunk.created_at) for chunk in snapshot.chunks[:2]] == [(LONG, 7.0), (SHORT[0], 9.0)]
    assert [(chunk.text, chunk.created_at) for chunk in snapshot.chunks[2:]] == [("", 0.0)] * 2
    assert (snapshot.conversation_position, snapshot.forced, snapshot.created_at) == (3, False, 9.0)
    assert snapshot.macro_weight == beat.macro_weight
    assert snapshot.domain_summary == beat.domain_summary


@pytest.mark.requirement("W-STRUCT-06")
def test_a_beat_of_nothing_weighs_what_its_turns_do() -> None:
    beat = frozen("", "🙂", "\ud800")
    assert beat.macro_weight == pytest.approx(SHORT_SCORE)
    assert beat.links == ()
    assert beat.domain_summary == {"unclassified": 1.0}
