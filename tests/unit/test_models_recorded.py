"""Recorded vectors: the same bytes for good, from any process."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from clew.errors import ConfigError, ModelError, ModelUnavailable
from clew.models.protocol import Matrix
from clew.models.recorded import RecordedEmbedder, text_key


class Counting:
    """A model that never answers the same twice, and counts what it is asked."""

    def __init__(self, name: str = "counting@1", dim: int = 3) -> None:
        self.name = name
        self.dim = dim
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Matrix:
        self.asked += texts
        first = len(self.asked)
        return np.array([[first, number, 0.1] for number in range(len(texts))], np.float32)[:, : self.dim]


class Failing(Counting):
    def embed(self, texts: Sequence[str]) -> Matrix:
        raise ModelError(f"failed on {len(texts)}")


@pytest.mark.requirement("F-MODELS-09")
def test_only_missing_texts_are_asked_for_and_each_once(tmp_path: Path) -> None:
    inner = Counting()
    with RecordedEmbedder(inner, tmp_path / "vectors.db") as embedder:
        assert (embedder.name, embedder.dim) == ("counting@1", 3)
        first = embedder.embed(["a", "b", "a", "\ud800"])
        assert inner.asked == ["a", "b", "\ud800"]
        assert first[0].tolist() == first[2].tolist() != first[1].tolist()
        again = embedder.embed(["b", "c", "a"])
        assert inner.asked[3:] == ["c"]
    assert again[[0, 2]].tobytes() == first[[1, 0]].tobytes()


@pytest.mark.requirement("F-MODELS-09")
def test_a_replay_needs_no_model(tmp_path: Path) -> None:
    path = tmp_path / "vectors.db"
    with RecordedEmbedder(Counting(), path) as embedder:
        recorded = embedder.embed(["a", "b"])
    with RecordedEmbedder(None, path) as replay:
        assert (replay.name, replay.dim) == ("counting@1", 3)
        assert replay.embed(["b", "a"]).tobytes() == recorded[[1, 0]].tobytes()
        assert replay.embed([]).shape == (0, 3)
        with pytest.raises(ModelUnavailable, match=text_key("new").hex()):
            replay.embed(["a", "new"])


@pytest.mark.requirement("F-MODELS-09")
def test_a_recorded_model_is_not_reached_for_its_dimension(tmp_path: Path) -> None:
    class Unreachable:
        name = "counting@1"

        @property
        def dim(self) -> int:
            raise ModelUnavailable

        @dim.setter
        def dim(self, value: int) -> None:
            raise AttributeError(value)

        def embed(self, texts: Sequence[str]) -> Matrix:
            raise ModelUnavailable(str(len(texts)))

    path = tmp_path / "vectors.db"
    with RecordedEmbedder(Counting(), path) as embedder:
        embedder.embed(["a"])
    with RecordedEmbedder(Unreachable(), path) as embedder:
        assert embedder.embed(["a"]).shape == (1, 3)


@pytest.mark.requirement("F-MODELS-09")
def test_models_are_kept_apart(tmp_path: Path) -> None:
    path = tmp_path / "vectors.db"
    for name, dim in (("one@1", 3), ("two@1", 2)):
        with RecordedEmbedder(Counting(name, dim), path) as embedder:
            assert embedder.embed(["a"]).shape == (1, dim)
    with RecordedEmbedder(None, path, name="two@1") as replay:
        assert replay.embed(["a"]).shape == (1, 2)
    with pytest.raises(ConfigError, match="one@1, two@1"):
        RecordedEmbedder(None, path)
    with pytest.raises(ConfigError, match="three@1"):
        RecordedEmbedder(None, path, name="three@1")


@pytest.mark.requirement("F-MODELS-09")
def test_what_cannot_be_replayed_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="absent"):
        RecordedEmbedder(None, tmp_path / "absent.db")
    RecordedEmbedder(Counting(), tmp_path / "empty.db").close()
    with pytest.raises(ConfigError, match="contains no embedder"):
        RecordedEmbedder(None, tmp_path / "empty.db")
    (tmp_path / "other.db").write_bytes(b"this is no database" * 99)
    with pytest.raises(ModelUnavailable, match=r"other\.db"):
        RecordedEmbedder(Counting(), tmp_path / "other.db")


@pytest.mark.requirement("F-MODELS-09")
def test_a_failure_records_nothing(tmp_path: Path) -> None:
    path = tmp_path / "vectors.db"
    with RecordedEmbedder(Failing(), path) as embedder, pytest.raises(ModelError, match="failed on 2"):
        embedder.embed(["a", "b"])
    with RecordedEmbedder(Counting(), path) as embedder:
        embedder.embed(["a"])
    with RecordedEmbedder(Counting(dim=2), path) as embedder, pytest.raises(ModelError, match="shape"):
        embedder.embed(["b"])
    with RecordedEmbedder(None, path) as replay, pytest.raises(ModelUnavailable):
        replay.embed(["b"])


@pytest.mark.requirement("F-MODELS-09")
def test_a_closed_recording_is_a_model_error(tmp_path: Path) -> None:
    embedder = RecordedEmbedder(Counting(), tmp_path / "vectors.db")
    embedder.close()
    with pytest.raises(ModelError, match=r"vectors\.db"):
        embedder.embed(["a"])


PROGRAM = """
import sys
import numpy as np
from clew.models.recorded import RecordedEmbedder

class Own:
    name, dim = "own@1", 2
    def embed(self, texts):
        return np.full((len(texts), 2), float(sys.argv[2]), np.float32)

with RecordedEmbedder(Own(), sys.argv[1]) as embedder:
    for start in range(0, 60, 3):
        rows = embedder.embed([f"text {n}" for n in range(start, start + 3)])
    print(embedder.embed([f"text {n}" for n in range(60)])[:, 0].tolist())
"""


@pytest.mark.requirement("F-MODELS-09")
def test_processes_that_record_at_once_agree(tmp_path: Path) -> None:
    path = str(tmp_path / "vectors.db")
    command = [sys.executable, "-c", PROGRAM, path]
    running = [
        subprocess.Popen([*command, str(n)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for n in range(1, 5)
    ]
    ended = [process.communicate() for process in running]
    assert [process.returncode for process in running] == [0] * 4, [errors for _, errors in ended]
    assert len({answer for answer, _ in ended}) == 1
