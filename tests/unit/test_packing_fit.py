"""How a block is packed: what is weighed, what must be there, and what a turn that does not fit is shown by."""

from collections import Counter as Tally
from collections.abc import Iterator
from dataclasses import replace

import pytest

from clew.assemble.candidate_renderings import LONG, renderings
from clew.assemble.context import build_context
from clew.assemble.fit import Demands, Packed, fit
from clew.assemble.render import Evidence
from clew.assemble.stored_words import StoredWords
from clew.memory import Memory
from clew.rank.search import rank
from clew.testing import FrozenClock
from clew.text.counters import counter
from clew.text.pieces import piece_spans
from tests.support.ranking_spaces import NOON, asked, said, space

PARAGRAPH = "Nothing of note was said about anything else at all. " * 8


def shown(place: int, text: str) -> Evidence:
    return Evidence(session="s", seq=place, at=None, speaker="A", text=text, rendering="full")


class Telling:
    """A counter that remembers what it was asked."""

    name = "telling"

    def __init__(self) -> None:
        self.asked: Tally[str] = Tally()

    def __call__(self, text: str, /) -> int:
        self.asked[text] += 1
        return -(-len(text) // 4)


@pytest.mark.requirement("F-PACK-05")
def test_each_rendering_is_counted_once_and_the_block_once() -> None:
    log = [said(f"wine number {number} " + "red " * (number % 9) + "and so on " * 8) for number in range(300)]
    log += [said(f"{PARAGRAPH}\n\nThe wine is red, says {number}.\n\n{PARAGRAPH}") for number in range(20)]
    view = space(*log)
    ranking = rank(asked(view, "Where is the red wine?"), limit=400)
    telling = Telling()
    context = build_context(
        ranking,
        lambda names, _: [StoredWords(log[seq].text) for _, seq in names],
        budget=1000,
        counter=telling,
        receipt_id="r",
    )
    assert context.tokens <= 1000
    assert max(telling.asked.values()) == 1
    lines = [text for text in telling.asked if not text.startswith(("<", "["))]
    short = [item for item in context.items if len(item.text) < LONG]
    assert len(lines) <= 3 * 20 + 2 * len(short)  # three renderings of a long turn, and few more turns than are shown
    assert len(lines) < len(log) / 2


@pytest.mark.requirement("F-AGENT-06")
def test_a_repeated_text_makes_way_for_other_evidence() -> None:
    texts = ["make: no rule for zlib " + "x" * 60] * 4 + [f"other {place} " + "y" * 70 for place in range(4)]
    packed = fit(
        [len(text) for text in texts],
        lambda places: None,  # noqa: ARG005  # the texts are here
        lambda place: [shown(place, texts[place])],
        150,
        counter("estimate"),
        worth=[1.0 - place / 20 for place in range(8)],
    )
    assert {0, 4, 5, 6} <= packed.taken


@pytest.mark.requirement("F-PACK-02")
def test_what_must_be_there_is_there_whatever_its_rank() -> None:
    texts = [f"turn {place} " + "x" * 60 for place in range(40)]
    packed = fit(
        [len(text) for text in texts],
        lambda _: None,
        lambda place: [shown(place, texts[place])],
        120,
        counter("estimate"),
        worth=[1.0 / (place + 1) for place in range(40)],
        demands=Demands(must=(37, 39)),
    )
    assert {37, 39} <= packed.taken
    assert 0 in packed.taken
    assert packed.tokens <= 120


@pytest.mark.requirement("F-PACK-03")
def test_a_long_turn_is_offered_whole_by_its_best_piece_and_by_title() -> None:
    words = f"On wine.\n\n{PARAGRAPH}\n\nThe wine stands in the cellar.\n\n{PARAGRAPH}"
    spans = piece_spans(words)
    scores = [float("cellar" in words[start:end]) for start, end in spans]
    offered = renderings(shown(0, words), words, spans, scores)
    assert [each.rendering for each in offered] == ["full", "pieces", "title"]
    assert "cellar" in offered[1].text
    lengths = [len(each.packed) for each in offered]
    assert lengths == sorted(lengths, reverse=True)
    for each, length in zip(offered[1:], lengths[1:], strict=True):
        assert 0 < each.share < length / lengths[0]  # so that the whole is shown where it fits


@pytest.mark.requirement("F-BLOCK-21")
@pytest.mark.parametrize(
    ("begins", "expected"),
    [
        ("I looked at it all.", "I looked at it all. …"),
        ('Write({"file_path": "a.py", "content": "' + "x " * 50 + '"})', None),
        ("word " * 30, None),
    ],
)
def test_a_title_shows_that_more_was_said(begins: str, expected: str | None) -> None:
    words = begins if begins.endswith(")") else f"{begins}\n\n{PARAGRAPH}\n\n{PARAGRAPH}\n\n{PARAGRAPH}"
    words = words if len(words) > LONG else words.replace("x ", "x " * 10)
    spans = piece_spans(words)
    title = renderings(shown(0, words), words, spans, [0.0] * len(spans))[-1]
    assert title.rendering == "title"
    assert title.text.endswith("…")
    assert title.text.count("…") == 1
    assert '{"' not in title.text
    assert expected in {None, title.text}


@pytest.mark.requirement("F-PACK-08")
def test_a_long_turn_is_offered_by_passages_around_its_best_piece() -> None:
    words = "\n\n".join(f"Part {number}. {PARAGRAPH}" for number in range(20))
    spans = piece_spans(words)
    best = len(spans) // 2
    scores = [0.0] * len(spans)
    scores[best], scores[best + 1], scores[best - 2] = 3.0, 2.0, 1.0
    whole, *passages, piece, _title = renderings(shown(0, words), words, spans, scores)
    assert [each.pieces for each in (*passages, piece)] == [
        tuple(range(best - 6, best + 2)),  # of equals the earlier
        tuple(range(best - 2, best + 2)),
        (best, best + 1),
        (best,),
    ]
    for each in passages:
        first, last = spans[each.pieces[0]], spans[each.pieces[-1]]
        assert each.rendering == "pieces"
        assert each.text == words[first[0] : last[1]].strip()
        assert piece.share / len(piece.text) < each.share / len(each.text) < whole.share / len(whole.text)
    ends = [each.pieces for each in renderings(shown(0, words), words, spans, [*scores[:-1], 9.0])]
    assert ends[1:4] == [tuple(range(len(spans) - size, len(spans))) for size in (8, 4, 2)]
    assert not any(len(each.pieces) > 1 for each in renderings(shown(0, words), words, spans, [0.0] * len(spans)))
    few = words[: spans[1][1]]
    nearly = renderings(shown(0, few), few, spans[:2], [1.0, 0.0])
    assert [each.rendering for each in nearly] == ["full", "pieces", "title"], "two of two pieces are the whole"


@pytest.mark.requirement("F-PACK-08")
@pytest.mark.parametrize(("budget", "least"), [(200, 1), (350, 2), (650, 4), (1200, 8)])
def test_the_more_room_there_is_the_more_of_a_long_turn_is_shown(budget: int, least: int) -> None:
    words = "\n\n".join(f"Part {number}. {PARAGRAPH}" for number in range(30))
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        memory.add(said(words.replace("Part 14.", "The red wine stands in the cellar.")))
        (item,) = memory.recall("Who put the red wine in the cellar?", budget=budget).items
    assert item.rendering == "pieces"
    assert "The red wine stands in the cellar." in item.text
    assert item.text.count("\n\n") >= least - 1, "paragraphs, which are a piece each"


@pytest.mark.requirement("F-PACK-03")
def test_where_the_question_speaks_for_no_piece_a_long_turn_is_shown_by_what_is_salient() -> None:
    words = f"On wine.\n\n{PARAGRAPH}\n\nBottle 17 of Barolo 1990 costs $400 at https://wine.example/17.\n\n{PARAGRAPH}"
    spans = piece_spans(words)
    offered = renderings(shown(0, words), words, spans, [0.0] * len(spans))
    assert [each.rendering for each in offered] == ["full", "salient", "title"]
    assert "Bottle 17 of Barolo" in offered[1].text


@pytest.mark.requirement("F-PACK-03")
def test_a_short_turn_is_offered_whole_alone() -> None:
    words = "wine " * (LONG // 5)
    assert [each.rendering for each in renderings(shown(0, words), words, piece_spans(words), [1.0, 1.0])] == ["full"]


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        memory.add(said(f"About wine.\n\n{PARAGRAPH}\n\nThe red wine stands in the cellar.\n\n{PARAGRAPH}"))
        memory.add_many(said(f"Guest {number} likes red wine.") for number in range(12))
        yield memory


@pytest.mark.requirement("F-PACK-04")
def test_a_shortened_item_says_so_and_how_to_have_the_whole(memory: Memory) -> None:
    context = memory.recall("Who put the red wine in the cellar?", budget=240)
    (short,) = [item for item in context.items if item.rendering != "full"]
    assert short.rendering == "pieces"
    assert short.restore == short.turn_ids[0]
    assert short.text in memory.restore(short.restore).text
    assert all(item.restore is None for item in context.items if item is not short)
    row = next(row for row in memory.explain(context.receipt_id).chosen if row["rendering"] == "pieces")
    assert row["restore"] == short.restore


@pytest.mark.requirement("F-PACK-04")
def test_with_room_enough_it_is_shown_whole(memory: Memory) -> None:
    context = memory.recall("Who put the red wine in the cellar?", budget=2000)
    assert {item.rendering for item in context.items} == {"full"}
    assert context.omitted == ()


@pytest.mark.requirement("F-PACK-01")
def test_with_no_worth_given_candidates_are_taken_in_rank_order() -> None:
    texts = ["x" * 100, "y" * 300, "z" * 20]
    packed = fit(
        [min(50, len(text)) for text in texts],
        lambda _: None,
        lambda place: [shown(place, texts[place]), replace(shown(place, texts[place][:50]), rendering="title")],
        83,
        counter("estimate"),
    )
    assert [(item.seq, item.rendering) for item in packed.items] == [(0, "full"), (1, "title"), (2, "full")]


@pytest.mark.requirement("A-LINE-06")
def test_the_words_of_a_better_candidate_come_last() -> None:
    again = "The list of what is to be done has been modified successfully."
    texts = [again, "The list is kept in a file.", again, again, *(f"It has {n} rows." for n in range(8)), "yes", "yes"]

    def packed(budget: int, *must: int) -> list[int]:
        found = fit(
            [len(text) for text in texts],
            lambda _: None,
            lambda place: [shown(place, texts[place])],
            budget,
            counter("estimate"),
            worth=[0.9**place for place in range(len(texts))],
            demands=Demands(must),
        )
        return sorted(found.taken)

    every = range(len(texts))
    distinct = [0, 1, *every[4:]]
    enough = next(budget for budget in range(200) if set(packed(budget)) >= set(distinct))
    assert packed(enough) == distinct, "short replies depend on what they answer, and are no copies"
    assert packed(1000) == [*every], "where there is room for them"
    assert packed(60, 3) == [1, 3, *packed(60, 3)[2:]], "a candidate that must be there"
    assert not {0, 2} & set(packed(60, 3))


@pytest.mark.requirement("F-BLOCK-20")
def test_room_that_readable_calls_save_goes_to_candidates_that_were_not_looked_at() -> None:
    plain = '"a": true, "b": false, "c": null, "d": true, "e": false'
    texts = [f'Bash({{"command": "pytest part_{number}", {plain}}})' for number in range(20)]
    texts += ["x" * 4000] * 3 + [f"The tests of part {number} are slow." for number in range(40)]
    for budget in range(380, 420):
        packed = fit(
            [len(text) for text in texts],
            lambda _: None,
            lambda place: [shown(place, texts[place])],
            budget,
            counter("estimate"),
            worth=[1.0 - place / 100 for place in range(len(texts))],
        )
        assert budget - 40 <= packed.tokens <= budget


@pytest.mark.requirement("F-BLOCK-20")
def test_only_calls_that_are_shown_are_read_and_once() -> None:
    call = 'Bash({"command": "pytest part_%d"})'

    def packed(texts: list[str]) -> tuple[list[Evidence], Packed]:
        candidates = [shown(place, text) for place, text in enumerate(texts)]
        sizes = [len(text) for text in texts]
        block = fit(sizes, lambda _: None, lambda place: [candidates[place]], 100, counter("estimate"))
        return candidates, block

    candidates, block = packed([call % number for number in range(40)])
    assert 0 < len(block.items) < 40
    for number, candidate in enumerate(candidates):
        assert bool(candidate.kept_line) == any(item is candidate for item in block.items), number
        assert not candidate.kept_line or candidate.kept_line is candidate.line

    candidates, block = packed([f"The tests of part {number} are slow." for number in range(40)])
    assert block.items
    assert not any(candidate.kept_line for candidate in candidates), "no look at each of a plain block"
