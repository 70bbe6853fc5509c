"""Encrypted homes as people use them: made, given another key, copied, backed up, looked after."""

from pathlib import Path

import pytest

from clew.store.sqlite import DATABASE
from tests.support.cli_runs import done, failure, record, records, run
from tests.support.encrypted import OTHER, SECRET, files, in_plain, needed

pytestmark = needed
WORD = "zqxwool"


@pytest.fixture(autouse=True)
def keys(tmp_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two keys in variables."""
    monkeypatch.setenv("FIRST", SECRET)
    monkeypatch.setenv("SECOND", OTHER)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An encrypted home with one turn, made as docs/storage.md says."""
    made = tmp_path / "made"
    made.mkdir()
    (made / "clew.toml").write_text('[store]\nkey = "env:FIRST"\n', encoding="utf-8")
    done("add", f"The {WORD} is red.", "--home", made)
    return made


def found(home: Path) -> list[str]:
    return [each["content"][0]["text"] for each in records("quote", WORD, "--home", home)]


@pytest.mark.requirement("F-CRYPT-01", "F-CRYPT-05")
def test_a_home_is_made_encrypted_and_says_so(home: Path) -> None:
    assert in_plain(home, WORD) == set()
    assert found(home) == [f"The {WORD} is red."]
    assert record("stats", "--home", home)["details"]["encryption"] == "ChaCha20-Poly1305"
    assert record("verify", "--home", home)["encryption"] == "ChaCha20-Poly1305"
    for command in ("verify", "doctor"):
        assert "encrypted with ChaCha20-Poly1305" in done(command, "--home", home)
    assert "ChaCha20-Poly1305" in done("stats", "--home", home)
    assert "no problems found" in done("config", "check", "--home", home)


@pytest.mark.requirement("F-CRYPT-03")
def test_a_home_is_encrypted_gets_another_key_and_is_made_plain(tmp_path: Path) -> None:
    home = tmp_path / "plain"
    done("add", WORD, "--home", home)
    assert in_plain(home, WORD) == {WORD}
    assert "now encrypted with the key in env:FIRST" in done("rekey", "env:FIRST", "--home", home)
    assert in_plain(home, WORD) == set()
    assert found(home) == [WORD]
    assert record("rekey", "env:SECOND", "--home", home) == {"key": "env:SECOND", "changed": True}
    assert found(home) == [WORD]
    assert (home / "clew.toml").read_text(encoding="utf-8") == '[store]\nkey = "env:SECOND"\n'
    assert "already encrypted" in done("rekey", "env:SECOND", "--home", home)
    assert "now not encrypted" in done("rekey", "none", "--home", home)
    assert (found(home), in_plain(home, WORD)) == ([WORD], {WORD})


@pytest.mark.requirement("F-CRYPT-03")
def test_a_change_that_was_killed_before_it_was_named_is_named_by_the_next(home: Path) -> None:
    done("rekey", "env:SECOND", "--home", home)
    (home / "clew.toml").write_text('[store]\nkey = "env:FIRST"\n', encoding="utf-8")
    assert "does not open" in failure(1, "stats", "--home", home)
    assert record("rekey", "env:SECOND", "--home", home) == {"key": "env:SECOND", "changed": False}
    assert found(home) == [f"The {WORD} is red."]


@pytest.mark.requirement("F-CRYPT-02", "F-CRYPT-06")
def test_a_key_is_not_taken_in_the_place_of_its_name(home: Path) -> None:
    before = files(home)
    message = failure(1, "rekey", "hunter2", "--home", home)
    assert "names where the key is and never holds" in message
    assert "hunter2" not in message
    assert files(home) == before


@pytest.mark.requirement("F-CRYPT-06")
def test_every_command_says_what_is_wrong_with_a_key_in_one_line(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = files(home)
    for setting, said in (
        ("none", "is encrypted, and store.key is 'none'"),
        ("env:SECOND", "does not open"),
        ("env:ABSENT", "the variable ABSENT is not set"),
        ("hunter2", "not shown"),
    ):
        monkeypatch.setenv("CLEW_STORE_KEY", setting)
        for words in (
            ("stats",),
            ("verify",),
            ("doctor",),
            ("recall", WORD),
            ("add", "more"),
            ("backup", home.parent / "backup"),
            ("rekey", "env:ABSENT TOO"),
        ):
            message = failure(1, *words, "--home", home)
            assert message.startswith("clew: ")
            assert message.count("\n") == 1
            assert "hunter2" not in message
            assert said in message or words[0] == "rekey"
        assert said in failure(1, "copy", home, home.parent / "copy")
    assert files(home) == before
    assert not (home.parent / "copy" / DATABASE).exists()


@pytest.mark.requirement("F-CRYPT-07")
def test_a_new_copy_has_the_key_of_its_source(home: Path, tmp_path: Path) -> None:
    for command in ("copy", "merge"):
        target = tmp_path / command
        done(command, home, target)
        assert (target / "clew.toml").read_text(encoding="utf-8") == '[store]\nkey = "env:FIRST"\n'
        assert in_plain(target, WORD) == set()
        assert found(target) == [f"The {WORD} is red."]
        done(command, home, target)  # again, into the one that is there


@pytest.mark.requirement("F-CRYPT-07")
def test_a_copy_has_the_key_that_is_named_for_it(home: Path, tmp_path: Path) -> None:
    second, plain, back = tmp_path / "second", tmp_path / "plain", tmp_path / "back"
    done("copy", home, second, "--key", "env:SECOND")
    done("copy", second, plain, "--key", "none")
    done("copy", plain, back, "--key", "env:FIRST")
    assert [in_plain(each, WORD) for each in (second, plain, back)] == [set(), {WORD}, set()]
    assert not (plain / "clew.toml").exists()
    assert found(second) == found(plain) == found(back)
    assert "does not open" in failure(1, "copy", home, second, "--key", "env:FIRST")
    assert "is not encrypted" in failure(1, "copy", home, plain, "--key", "env:FIRST")
    assert '"env:SECOND"' in (second / "clew.toml").read_text(encoding="utf-8")


@pytest.mark.requirement("F-CRYPT-07")
def test_a_backup_is_put_back_with_its_key(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    restored = tmp_path / "restored"
    restored.mkdir()
    done("backup", restored / DATABASE, "--home", home)
    assert in_plain(restored, WORD) == set()
    assert "is encrypted" in failure(1, "stats", "--home", restored)
    monkeypatch.setenv("CLEW_STORE_KEY", "env:FIRST")
    assert found(restored) == [f"The {WORD} is red."]


@pytest.mark.requirement("F-CRYPT-04")
def test_what_is_exported_is_plain_and_is_read_back(home: Path, tmp_path: Path) -> None:
    done("export", tmp_path / "turns.jsonl", "--home", home)
    assert in_plain(tmp_path / "turns.jsonl", WORD) == {WORD}
    result = run("import", tmp_path / "turns.jsonl", "--home", home, "--json")
    assert (result.exit_code, result.stdout.count('"known": 1')) == (0, 1)
