"""`clew project` from the command line."""

from pathlib import Path

import pytest

from tests.support.cli_runs import done, failure, record, records, run
from tests.support.projects import SHOP, needs_grammars, write


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project that was read."""
    root = write(tmp_path / "shop", SHOP)
    done("project", "genesis", "--root", root, "--home", tmp_path / "home")
    return root


@pytest.mark.requirement("L-PRJ-19")
def test_a_project_is_made_read_updated_and_checked(tmp_path: Path) -> None:
    root, home = write(tmp_path / "shop", {**SHOP, "logo.png": b"\x89PNG\0"}), tmp_path / "home"
    where = ("--root", root, "--home", home)
    assert record("project", "init", *where)["created"] is True
    assert "is there already" in done("project", "init", *where)
    assert "nothing of the project" not in done("project", "genesis", *where)
    read = record("project", "genesis", *where)
    assert (read["files"], read["unchanged"], read["objects"]) == (len(SHOP), len(SHOP), 0)
    write(root, {"web/pay.ts": "export const pay = 1;\n"})
    shown = done("project", "update", *where)
    assert f"{len(SHOP)}: 1 changed, {len(SHOP) - 1} unchanged" in " ".join(shown.split())
    assert "1 file skipped: logo.png" in " ".join(shown.split())
    assert record("project", "status", *where)["ok"] is True
    assert "nothing is wrong" in done("project", "status", *where)


@pytest.mark.requirement("L-PRJ-19")
@pytest.mark.parametrize(
    "words",
    [
        *(("project", command, "--root") for command in ("init", "genesis", "status", "overlays")),
        ("sessions", "--project"),
        ("install", "claude-code", "--print", "--home"),
    ],
)
def test_a_home_of_an_unknown_user_is_no_folder(words: tuple[str, ...], tmp_path: Path) -> None:
    home = () if "--home" in words else ("--home", tmp_path)
    done("add", "Hello.", "--home", tmp_path)
    assert "begins with an unknown user" in failure(1, *words, "~nobody-at-all/shop", *home)


@pytest.mark.requirement("L-PRJ-19")
def test_reading_a_project_shows_its_progress_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(tmp_path / "shop", SHOP)
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    result = run("project", "genesis", "--root", root, "--home", tmp_path / "home")
    assert result.exit_code == 0, result.stderr
    assert "reading" in result.stderr


@pytest.mark.requirement("L-PRJ-19", "L-PRJ-10")
def test_damage_ends_with_one_and_is_healed(shop: Path) -> None:
    next((shop / ".clew/project/objects").glob("??/*")).unlink()
    assert "clew project genesis" in failure(1, "project", "status", "--root", shop)
    broken = run("project", "status", "--root", shop, "--json")
    assert broken.exit_code == 1
    assert '"ok": false' in broken.stdout
    assert "1 healed" in " ".join(done("project", "genesis", "--root", shop).split())
    done("project", "status", "--root", shop)


@pytest.mark.requirement("L-CODE-07")
def test_a_line_end_in_a_name_takes_no_line(tmp_path: Path) -> None:
    root = write(tmp_path / "odd", {"src/a\nb.md": "# Odd\n"})
    where = ("--root", root)
    done("project", "genesis", *where)
    for command in (("query", "odd"), ("blast-radius", "src/a\nb.md")):
        shown = done("project", *command, *where)
        assert "a␊b.md" in shown
        assert "a\nb" not in shown
    (root / "src/a\nb.md").unlink()
    write(root, {"c.md": "x\0"})
    assert "c.md" in done("project", "update", *where)


@pytest.mark.requirement("L-CODE-08")
def test_init_says_what_is_there(tmp_path: Path) -> None:
    root = write(tmp_path / "one", {"a.md": "# A\n"})
    assert "made; `clew project genesis`" in done("project", "init", "--root", root)
    assert "is there already; `clew project genesis`" in done("project", "init", "--root", root)
    done("project", "genesis", "--root", root)
    assert "is there already, with 1 file read; `clew project update`" in done("project", "init", "--root", root)
    assert "checked: 1 file, 1 object, 1 transform, 2 nodes, 0 imports" in done("project", "status", "--root", root)


@pytest.mark.requirement("L-PRJ-19")
def test_all_that_fits_is_listed_as_json_and_a_cut_is_told(tmp_path: Path) -> None:
    root = write(tmp_path / "many", {"notes.md": "".join(f"# Heading {number}\n\nA line.\n" for number in range(30))})
    done("project", "genesis", "--root", root)
    asked = ("project", "query", "file:notes.md", "--root", root)
    every = records(*asked)
    assert len(every) == 31
    assert records(*asked, "--limit", "20") == every[:20]
    cut = run(*asked)
    assert "there are more; --limit shows them" in cut.stderr
    assert "Heading 18" in cut.stdout
    assert "Heading 19" not in cut.stdout
    assert "there are more" not in run(*asked, "--limit", "31").stderr


@needs_grammars
@pytest.mark.requirement("L-PRJ-19")
def test_questions_are_answered_as_text_and_as_json(shop: Path) -> None:
    shown = " ".join(done("project", "query", "file:price.py", "--root", shop).split())
    assert "src/shop/price.py:9 function def cents(item)" in shown
    assert "imported by src/shop/cart.py" in shown
    nodes = [match["node"]["id"] for match in records("project", "query", "symbol:pay", "--root", shop)]
    assert nodes == ["src/shop/cart.py#Cart.pay", "web/pay.ts#pay"]
    assert "nothing in the project fits 'quantum'" in failure(1, "project", "query", "quantum", "--root", shop)
    radius = record("project", "blast-radius", "src/shop/price.py", "--root", shop)
    assert radius["files"] == ["src/shop/__init__.py", "src/shop/cart.py"]
    shown = " ".join(run("project", "blast-radius", "web/pay.ts#pay", "--root", shop).output.split())
    assert "1 web/app.ts#start calls web/pay.ts#pay" in shown
    assert "1 element in 1 file" in shown, "symbols and files are reached"
    assert "as far as names show" in done("project", "blast-radius", "README.md", "--root", shop)


@pytest.mark.requirement("L-PRJ-19", "L-PRJ-17")
def test_the_layout_of_the_source_is_written_and_read(shop: Path) -> None:
    assert f"{len(SHOP)} files" in done("project", "open-cognition", "--root", shop)
    assert len(record("project", "open-cognition", "--read", "--root", shop)["files"]) == len(SHOP)
    next((shop / ".open_cognition/objects").glob("??/*")).write_bytes(b"x")
    assert "1 problem" in failure(1, "project", "open-cognition", "--read", "--root", shop)


@pytest.mark.requirement("L-PRJ-19")
def test_a_project_is_found_from_a_folder_in_it(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop / "src" / "shop")
    assert record("project", "status")["root"] == str(shop.resolve())
    assert "no project" in failure(1, "project", "update", "--root", ".")


@pytest.mark.requirement("L-PRJ-06", "L-PRJ-19")
def test_settings_say_what_belongs_to_a_project(tmp_path: Path) -> None:
    root, home = write(tmp_path / "shop", {"a.py": "", "vendor/b.py": "", "large.txt": "x" * 3_000}), tmp_path / "home"
    write(home, {"clew.toml": '[project]\nexclude = ["/vendor/"]\nmax_file_bytes = 2000\n'})
    read = record("project", "genesis", "--root", root, "--home", home)
    assert (read["added"], read["skipped"]) == (["a.py"], [{"path": "large.txt", "reason": "too large"}])
