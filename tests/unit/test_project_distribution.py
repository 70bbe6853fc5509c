"""An installed package has the mission that the metadata of its distribution states, which stands beside its folder."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from clew.analyze.overlays import Overlay
from clew.project.distribution import metadata_of
from clew.project.genesis import genesis
from clew.project.layout import Layout
from clew.project.lens import lens_of
from clew.project.limits import Limits
from clew.project.project import Project
from clew.project.status import status
from clew.text.terms import terms
from tests.support.projects import NOW, changed, write

METADATA = (
    "Metadata-Version: 2.4\nName: PyKettle\nSummary: Boils water for tea rooms of any size\n"
    "Requires-Dist: spoon\n\nKettle\n======\n\nIt exists so that no guest waits.\n"
)
SITE: Mapping[str, str] = {
    "kettle/__init__.py": "",
    "kettle/heat.py": '"""Heats."""\n',
    "kettle/lids/__init__.py": '"""Lids for all kettles."""\n',
    "PyKettle-1.0.dist-info/METADATA": METADATA,
    "PyKettle-1.0.dist-info/RECORD": "kettle/__init__.py,,\nkettle/heat.py,sha256=x,3\n",
    "kettle_stand-2.0.dist-info/METADATA": "Name: kettle-stand\nSummary: Carries kettles\n",
    "kettle_stand-2.0.dist-info/RECORD": "kettle_stand/__init__.py,,\nother/kettle/__init__.py,,\n",
}
PATH = "../PyKettle-1.0.dist-info/METADATA"


@pytest.mark.requirement("L-CODE-25")
def test_the_metadata_beside_an_installed_package_states_its_mission(tmp_path: Path) -> None:
    root = write(tmp_path, SITE) / "kettle"
    report = genesis(root, NOW)
    assert (report.files, report.skipped) == (4, ())
    assert status(Layout.of(root)).ok
    with Project.open(root) as project:
        assert [file.path for file in project.files()] == [PATH, "__init__.py", "heat.py", "lids/__init__.py"]
        lens = lens_of(project)
    assert {each.path for each in lens.nodes.elements} == {PATH}
    met = lens.nodes.scores(terms("It should boil the water of every tea room, small or large."))
    assert met[Overlay.MISSION] == max(met.values()) > 2
    write(tmp_path, {PATH[3:]: METADATA.replace("tea rooms", "hospitals")})
    assert changed(root, {}).changed == (PATH,)
    (tmp_path / PATH[3:]).unlink()
    assert changed(root, {}).removed == (PATH,)


@pytest.mark.requirement("L-CODE-25")
@pytest.mark.parametrize(
    ("files", "found"),
    [
        (SITE, PATH[3:]),
        ({**SITE, "PyKettle-1.0.dist-info/RECORD": '"kettle/__init__.py",,\n'}, PATH[3:]),
        ({**SITE, "PyKettle-1.0.dist-info/RECORD": "kettle/heat.py,,\n"}, None),
        ({name: text for name, text in SITE.items() if "RECORD" not in name}, None),
        ({**SITE, "kettle/__init__.py": None}, None),
        (
            {
                "kettle/__init__.py": "",
                "kettle.egg-info/PKG-INFO": METADATA,
                "kettle.egg-info/top_level.txt": "spoon\nkettle\n",
            },
            "kettle.egg-info/PKG-INFO",
        ),
        ({"kettle/__init__.py": "", "kettle.egg-info": "Name: kettle\n"}, None),
    ],
)
def test_only_the_distribution_of_a_package_is_its_own(
    tmp_path: Path, files: Mapping[str, str | None], found: str | None
) -> None:
    write(tmp_path, {name: text for name, text in files.items() if text is not None})
    metadata = metadata_of(tmp_path / "kettle")
    assert (None if metadata is None else metadata.relative_to(tmp_path).as_posix()) == found


@pytest.mark.requirement("L-CODE-25")
def test_limits_hold_for_the_metadata_too(tmp_path: Path) -> None:
    root = write(tmp_path, SITE) / "kettle"
    assert genesis(root, NOW, limits=Limits(exclude=("*.dist-info/",))).files == 3
    report = genesis(root, NOW, limits=Limits(max_bytes=50))
    assert [(skipped.path, skipped.reason) for skipped in report.skipped] == [(PATH, "too large")]
