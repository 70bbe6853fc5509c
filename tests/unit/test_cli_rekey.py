"""The line of `clew.toml` that names the key of a home."""

from pathlib import Path

import pytest

from clew.cli.rekey import note_key

SETTINGS = '[store]\nkey = "env:FIRST"\n\n[serve]\ntoken = "secret"\n'


@pytest.mark.requirement("F-CRYPT-03")
def test_the_settings_stay_private_and_a_link(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(SETTINGS, encoding="utf-8")
    file.chmod(0o600)
    home = tmp_path / "home"
    home.mkdir()
    (home / "clew.toml").symlink_to(file)
    note_key(home, "env:SECOND")
    assert (home / "clew.toml").is_symlink()
    assert file.read_text(encoding="utf-8") == SETTINGS.replace("FIRST", "SECOND")
    assert file.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in home.iterdir()] == ["clew.toml"]


@pytest.mark.requirement("F-CRYPT-03")
def test_a_byte_order_mark_stays(tmp_path: Path) -> None:
    (tmp_path / "clew.toml").write_text(SETTINGS, encoding="utf-8-sig")
    note_key(tmp_path, "env:SECOND")
    assert (tmp_path / "clew.toml").read_text(encoding="utf-8") == "\ufeff" + SETTINGS.replace("FIRST", "SECOND")
