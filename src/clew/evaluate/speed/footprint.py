"""Measures Clew's memory, disk use, installed size and start time."""

import json
import re
import subprocess
import sys
import time
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any, Final

from clew.evaluate.speed.measure import Measure
from clew.evaluate.speed.synthetic import Probe

STARTS: Final = 5
"""The best of this many starts counts, because other load only adds time."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_VERSION: Final = "from clew.cli.main import main; main(['--version'])"


def measure_home(home: Path, small: Path, probe: Probe, texts: list[str]) -> list[Measure]:
    """Disk, memory and opening time of a settled home; memory is counted in excess of a home with a few turns."""
    count, said = len(texts), sum(len(text.encode()) for text in texts)
    stored = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
    large, base = _probed(home, probe), _probed(small, probe)
    measures = [
        Measure(
            name="disk",
            title="disk beyond the text",
            value=(stored - said) / count,
            unit="bytes/turn",
            turns=count,
            reference=said / count,
            against="the text itself",
        ),
        Measure(
            name="open",
            title="opening, and the first answer",
            value=large["open"] + large["first"],
            unit="s",
            turns=count,
        ),
    ]
    if large["resident"] is not None:
        resident = (large["resident"] - base["resident"]) / count
        measures.append(Measure(name="resident", title="memory in use", value=resident, unit="bytes/turn", turns=count))
    return measures


def _probed(home: Path, probe: Probe) -> dict[str, Any]:
    command = [sys.executable, "-m", "clew.evaluate.speed.probe", str(home), probe.question]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - this Python, our module
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def measure_start() -> Measure:
    """Seconds of `clew --version`, beside those of a Python that does nothing."""
    return Measure(
        name="start",
        title="clew --version",
        value=_best_start(_VERSION),
        unit="s",
        reference=_best_start("pass"),
        against="python -c pass",
    )


def _best_start(code: str) -> float:
    taken = []
    for _ in range(STARTS):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)  # noqa: S603 - this Python, our code
        taken.append(time.perf_counter() - started)
    return min(taken)


def measure_core() -> list[Measure]:
    """Number and size of the packages that `pip install clew` installs, Clew included."""
    core = _closure("clew")
    size = sum(_size(package) for package in core.values()) + _size_of(Path(__file__).parents[2])
    return [
        Measure(name="core.packages", title="packages of the core", value=float(len(core)), unit="packages"),
        Measure(name="core.size", title="the core, installed", value=size / 1e6, unit="MB"),
    ]


def _closure(root: str) -> dict[str, Distribution]:
    """A package and its transitive requirements without extras, as installed here."""
    packages: dict[str, Distribution] = {}
    waiting = [root]
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name not in packages:
            packages[name] = distribution(name)
            waiting += [match[0] for line in packages[name].requires or [] if (match := _needed(line))]
    return packages


def _needed(line: str) -> re.Match[str] | None:
    """The name in a requirement without a marker; one with a marker is for an extra or for another system."""
    return None if ";" in line else _NAME.match(line)


def _size(package: Distribution) -> int:
    """Bytes of an installed package; Clew's own are counted from its folder, wherever that is."""
    if package.metadata["Name"] == "clew":
        return 0
    places = (Path(str(file.locate())) for file in package.files or [])
    return sum(place.stat().st_size for place in places if place.is_file())


def _size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
