"""Settings: which source wins, and what is refused."""

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest

from clew.config import SETTINGS, Config, IngestConfig, RecallConfig, load_config, sources
from clew.config.loading import NO_SETTINGS
from clew.errors import ConfigError
from tests.house.tree import ROOT
from tests.support.cli_runs import done

NOTHING: dict[str, str] = {}


def with_file(tmp_path: Path, text: str) -> Path:
    (tmp_path / "clew.toml").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.requirement("F-CONFIG-01")
def test_later_sources_win(tmp_path: Path) -> None:
    home = with_file(tmp_path, 'budget = 1\ncounter = "words"\n[recall]\nlimit = 1\nspeaker = 1\n')
    environment = {"CLEW_BUDGET": "2", "CLEW_RECALL_LIMIT": "2"}
    config = load_config(home, {"budget": 3}, environment)
    assert (config.budget, config.recall.limit, config.recall.speaker, config.counter) == (3, 2, 1.0, "words")
    assert config.recall.lexical == RecallConfig().lexical
    assert load_config(None, None, NOTHING) == Config()


@pytest.mark.requirement("F-CONFIG-01")
def test_a_whole_config_is_taken_as_it_is(tmp_path: Path) -> None:
    config = Config(budget=5)
    assert load_config(with_file(tmp_path, "budget = 1"), config, {"CLEW_BUDGET": "2"}) is config


@pytest.mark.requirement("F-CONFIG-02")
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"budget": []}, r"budget is \[\]; expected int"),
        ({"budget": True}, "budget is True; expected int"),
        ({"gather_seconds": "x"}, "gather_seconds is 'x'; expected float"),
        ({"recall": None}, "^recall is None; expected RecallConfig$"),
        ({"ingest": IngestConfig(exclude="a")}, "ingest.exclude is 'a'; expected tuple"),  # type: ignore[arg-type]  # what is tested
    ],
)
def test_values_of_a_whole_config_have_the_types_of_their_settings(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(None, Config(**values), NOTHING)
    taken = Config(gather_seconds=1, ingest=IngestConfig(exclude=["text:x"]))  # type: ignore[arg-type]  # a list will do
    assert load_config(None, taken, NOTHING) is taken


@pytest.mark.requirement("F-CONFIG-01")
def test_where_a_setting_comes_from_is_known(tmp_path: Path) -> None:
    home = with_file(tmp_path, "budget = 1\n[index]\nfan_out = 4\n")
    found = sources(home, {"CLEW_BUDGET": "2", "CLEW_HOME": "/x", "PATH": "y"})
    assert found == {"budget": "CLEW_BUDGET", "index.fan_out": "clew.toml"}


@pytest.mark.requirement("F-CONFIG-02")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bugdet": 1}, "'bugdet' is not a setting; did you mean budget? `clew config show` lists all settings"),
        ({"nonsense": 1}, "'nonsense' is not a setting; `clew config show` lists all settings"),
        ({"recall": {"lexikal": 1}}, "'recall.lexikal' is not a setting; did you mean recall.lexical"),
        ({"recall": {"budget": 1}}, "'recall.budget' is not a setting; did you mean budget or serve.budget"),
        ({"recall": 5}, "'recall' is not a setting"),
        ({"budget": {"tokens": 5}}, "'budget.tokens' is not a setting"),
        ({"budget": -1}, "budget is -1; expected 0 to 1e+07"),
        ({"index": {"fan_out": 1}}, "index.fan_out is 1; expected 2 to 64"),
        ({"recall": {"lexical": float("nan")}}, "recall.lexical is nan; expected 0 to 20"),
        ({"recall": {"lexical": float("inf")}}, "recall.lexical is inf; expected 0 to 20"),
        ({"counter": "bytes"}, "counter is 'bytes'; expected one of estimate, openai, words"),
        ({"ingest": {"secrets": "show"}}, "ingest.secrets is 'show'; expected one of mask, keep"),
        ({"budget": "many"}, "budget is 'many'; expected int"),
        ({"budget": 1.5}, "budget is 1.5; expected int"),
        ({"budget": True}, "budget is True; expected int"),
        ({"recall": {"lexical": True}}, "recall.lexical is True; expected float"),
        ({"embedder": 5}, "embedder is 5; expected str"),
        ({"ingest": {"exclude": [5]}}, "ingest.exclude is [5]; expected a list of texts"),
        ({"ingest": {"exclude": 5}}, "ingest.exclude is 5; expected a list of texts"),
        ({"budget": None}, "budget is None; expected int"),
        ({"budget": 10**5000}, "budget is a number of more than 4,300 digits; expected 0 to 1e+07"),
        ({"budget": "9" * 5000}, f"budget is '{'9' * 59}; expected int"),
        ({"recall": {"lexical": 10**400}}, f"recall.lexical is 1{'0' * 59}; expected float"),
        ({"recall": {"lexical": 10**5000}}, "recall.lexical is a number of more than 4,300 digits; expected float"),
    ],
)
def test_what_is_no_setting_or_out_of_range_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(None, arguments, NOTHING)
    assert str(caught.value) == f"arguments: {message}" or message in str(caught.value)


@pytest.mark.requirement("F-CONFIG-02")
def test_all_that_is_wrong_is_named_at_once(tmp_path: Path) -> None:
    home = with_file(tmp_path, "budget = -5\nnonsense = 1\n")
    with pytest.raises(ConfigError) as caught:
        load_config(home, {"receipts": "x"}, {"CLEW_RECALL_FUSION": "magic"})
    message = str(caught.value)
    for part in (
        "clew.toml: budget is -5",
        "clew.toml: 'nonsense' is not a setting",
        "environment: recall.fusion is 'magic'; expected one of score, rrf",
        "arguments: receipts is 'x'; expected int",
    ):
        assert part in message


@pytest.mark.requirement("F-CONFIG-02")
@pytest.mark.parametrize(
    "content", [b"budget = ", b"\xff\xfe", b"a = 1\na = 2", b"a = " + b"9" * 5_000, b"a = " + b"[" * 5_000]
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "clew.toml").write_bytes(content)
    with pytest.raises(ConfigError, match="cannot be read as TOML"):
        load_config(tmp_path, None, NOTHING)


@pytest.mark.requirement("F-CONFIG-02")
def test_a_folder_in_place_of_the_file_and_a_link_to_nothing_are_named(tmp_path: Path) -> None:
    assert load_config(tmp_path, None, NOTHING) == Config()
    (tmp_path / "folder" / "clew.toml").mkdir(parents=True)
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "clew.toml").symlink_to(tmp_path / "nothing")
    for home in ("folder", "link"):
        with pytest.raises(ConfigError, match=r"clew\.toml cannot be read as TOML"):
            load_config(tmp_path / home, None, NOTHING)


@pytest.mark.requirement("F-CONFIG-04")
def test_a_misspelt_variable_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        load_config(None, None, {"CLEW_BUDGTE": "5", "CLEW_RECALL_FUSON": "rrf", "CLEW_HOEM": "/x"})
    assert [record.getMessage() for record in caplog.records] == [
        f"the environment variable {given} is not known and was ignored; did you mean {meant}?"
        for given, meant in (
            ("CLEW_BUDGTE", "CLEW_BUDGET"),
            ("CLEW_HOEM", "CLEW_HOME"),
            ("CLEW_RECALL_FUSON", "CLEW_RECALL_FUSION"),
        )
    ]


@pytest.mark.requirement("F-CONFIG-04")
def test_variables_that_are_read_or_named_and_those_of_others_are_not_told(caplog: pytest.LogCaptureFixture) -> None:
    own = (
        "DATA",
        "EACH",
        "KILL_LOOPS",
        "LOOPS",
        "THOROUGH",
        "COMPILE",
        "SECRET",
        "TOKEN",
    )  # of the tests, dev and docs
    named = {"llm": {"key_variable": "CLEW_LLM_KEYS"}, "store": {"key": "env:CLEW_STORE_KEYS"}}
    variables = (*NO_SETTINGS, "CLEW_LLM_KEYS", "CLEW_STORE_KEYS", *(f"CLEW_{name}" for name in own))
    load_config(None, named, dict.fromkeys(variables, "x") | {"CLEW_BUDGET": "5"})
    assert not caplog.records


@pytest.mark.requirement("F-CONFIG-04")
def test_every_variable_that_the_program_reads_is_known() -> None:
    code = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    read = {name for text in code for name in re.findall(r'"(CLEW_[A-Z_]*[A-Z])"', text)}
    assert read - {entry.variable for entry in SETTINGS.values()} == set(NO_SETTINGS)


@pytest.mark.requirement("F-CONFIG-02")
def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "clew.toml").write_bytes(b"\xef\xbb\xbfbudget = 321\r\n")
    assert load_config(tmp_path, None, NOTHING).budget == 321


@pytest.mark.requirement("F-CONFIG-02")
def test_a_file_in_another_encoding_is_told_as_that(tmp_path: Path) -> None:
    (tmp_path / "clew.toml").write_bytes("# Gr\u00fc\u00dfe\n".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"it is not UTF-8 \(at byte 4\); save it as that"):
        load_config(tmp_path, None, NOTHING)


@pytest.mark.requirement("F-CONFIG-02")
@pytest.mark.skipif(not hasattr(os, "seteuid") or os.geteuid() != 0, reason="only root can become somebody else")
def test_the_settings_of_a_home_that_nobody_else_may_enter_are_told_as_such() -> None:
    home = Path(tempfile.mkdtemp(prefix="clew-settings-"))  # for its owner alone
    (home / "clew.toml").write_text("budget = 1\n")
    os.seteuid(65_534)
    try:
        with pytest.raises(ConfigError, match=r"clew\.toml cannot be read by this user; ask its owner"):
            load_config(home, None, NOTHING)
    finally:
        os.seteuid(0)
        shutil.rmtree(home)


ODD: dict[type, Any] = {str: "none", tuple: ("session:a*", "text:b")}


@pytest.mark.requirement("F-CONFIG-03")
@pytest.mark.parametrize("path", SETTINGS)
def test_every_setting_can_be_given_in_every_way(tmp_path: Path, path: str) -> None:
    setting = SETTINGS[path]
    kind = type(setting.default)
    wanted = kind(setting.choices[-1] if setting.choices else ODD.get(kind, setting.high))
    *parents, name = path.split(".")
    nested: Any = {name: wanted}
    for parent in reversed(parents):
        nested = {parent: nested}
    shown = str(wanted).lower() if kind is bool else repr(list(wanted) if kind is tuple else wanted)
    home = with_file(tmp_path, f"{path} = {shown}")
    given = [
        load_config(None, nested, NOTHING),
        load_config(None, None, {setting.variable: ", ".join(wanted) if kind is tuple else str(wanted)}),
        load_config(home, None, NOTHING),
    ]
    for config in given:
        found: Any = config
        for part in (*parents, name):
            found = getattr(found, part)
        assert found == wanted
        assert type(found) is kind


@pytest.mark.requirement("F-CONFIG-03")
def test_every_default_is_within_its_own_range() -> None:
    assert SETTINGS
    for setting in SETTINGS.values():
        given = {setting.variable: "" if setting.default == () else str(setting.default)}
        assert load_config(None, None, given) == load_config(None, None, {}), setting.variable


@pytest.mark.requirement("P-RLY-01")
@pytest.mark.parametrize(("text", "wanted"), [("on", True), ("FALSE", False), ("1", True), (" no ", False)])
def test_a_switch_is_read_from_the_environment(text: str, wanted: bool) -> None:
    assert load_config(None, None, {"CLEW_SERVE_INJECT": text}).serve.inject is wanted


@pytest.mark.requirement("P-RLY-01")
@pytest.mark.parametrize(
    "arguments", [{"serve": {"inject": "perhaps"}}, {"serve": {"port": 70_000}}, {"serve": {"host": 5}}]
)
def test_settings_of_the_server_are_checked(arguments: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"serve\.\w+ is "):
        load_config(None, arguments, NOTHING)


@pytest.mark.requirement("P-RLY-01")
def test_tokens_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in ({"token": "short one"}, {"token": 5}, {"tokens": [5, "alice=secret-word"]}):
        with pytest.raises(ConfigError) as caught:
            load_config(None, {"serve": wrong}, NOTHING)
        assert "short" not in str(caught.value)
        assert "secret-word" not in str(caught.value)
    monkeypatch.setenv("CLEW_SERVE_TOKEN", "secret-word")
    assert "secret-word" not in done("config", "show", "--home", "x")
