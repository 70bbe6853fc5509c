"""Extraction on PostgreSQL: the states, kept answers and claims are those of every store."""

import pytest

from clew.memory import Memory
from clew.types.extraction import ExtractionState
from tests.support.extraction import asked, copying, extractor, long_talk, model, turns_of


@pytest.mark.requirement("K-TRI-09", "K-TRI-10")
def test_a_failed_chunk_is_asked_about_again_on_a_server(url: str) -> None:
    with Memory.open(url, embedder="none") as memory:
        memory.add_many(long_talk())
        bad = model(lambda prompt: copying(prompt) if turns_of(prompt)[0]["turn"] == 0 else "nonsense")
        made = extractor(memory, bad).extract("s")
        assert [record.state for record in made.run.chunks] == [ExtractionState.DONE, ExtractionState.FAILED]
    with Memory.open(url, embedder="none") as memory:
        assert memory.extractions()[0].run.state == ExtractionState.FAILED
        assert memory.stats().details["extractions"] == {"failed": 1}
        llm = model()
        done = extractor(memory, llm).extract("s")
        assert (done.ok, len(asked(llm))) == (True, 1)
        assert memory.extractions()[0].vector == done.vector
        memory.forget(turn_ids=["s:turn:0"])
        assert memory.extractions() == []
