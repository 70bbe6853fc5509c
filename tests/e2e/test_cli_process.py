"""The program as a process: what it loads, what it writes where, and how it ends."""

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from clew.text.counters import counter
from clew.text.printable import printable
from tests.support.cli_runs import PROGRAM, done, environment, process, record

pytestmark = pytest.mark.slow  # processes are started

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="pipes, signals and terminals of POSIX systems")


@pytest.mark.requirement("F-CLI-01")
@pytest.mark.parametrize("words", [["--version"], ["--help"], ["nope"]])
def test_what_needs_no_command_loads_nothing_heavy(tmp_home: Path, words: list[str]) -> None:
    code = (
        "import sys; from clew.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: print(sorted({'numpy', 'rich', 'apsw', 'clew.memory'} & set(sys.modules)), file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, *words], env=environment(tmp_home), capture_output=True, check=False
    )
    assert ran.stderr.decode().splitlines()[-1] == "[]"


@pytest.mark.requirement("F-CLI-01")
def test_the_installed_program_starts(tmp_home: Path) -> None:
    program = Path(sys.executable).with_name("clew.exe" if sys.platform == "win32" else "clew")
    ran = subprocess.run([program, "--version"], env=environment(tmp_home), capture_output=True, check=True)
    assert ran.stdout.decode().split() == ["clew", "0.1.0"]


@pytest.mark.requirement("F-CLI-01")
@pytest.mark.parametrize("words", [["--version"], ["--help"], ["recall", "--help"], ["nope"], []])
def test_the_package_is_the_same_program(tmp_home: Path, words: list[str]) -> None:
    script = Path(sys.executable).with_name("clew.exe" if sys.platform == "win32" else "clew")
    ways = ([script], [sys.executable, "-m", "clew"])
    runs = [subprocess.run([*way, *words], env=environment(tmp_home), capture_output=True, check=False) for way in ways]
    assert len({(ran.returncode, ran.stdout, ran.stderr) for ran in runs}) == 1, runs


@pytest.mark.requirement("F-CLI-03", "F-CLI-02")
def test_the_home_comes_from_the_environment(tmp_home: Path) -> None:
    place = tmp_home / "elsewhere"
    ran = process(tmp_home, "add", "hello", CLEW_HOME=str(place))
    assert (ran.returncode, ran.stdout.strip()) == (0, b"default:turn:0")
    assert place.is_dir()
    assert not (tmp_home / ".clew").exists()


@pytest.mark.requirement("F-CLI-07")
@POSIX
@pytest.mark.parametrize(
    ("closed", "status"), [("<&-", 0), ("2>&-", 0), ("<&- 2>&-", 0), (">&-", 1), ("<&- >&-", 1), ("<&- >&- 2>&-", 1)]
)
def test_streams_may_be_closed(tmp_home: Path, closed: str, status: int) -> None:
    done("add", "hello", "--home", tmp_home)
    ran = _in_a_shell(tmp_home, f"sessions --home '{tmp_home}' {closed}")
    assert (ran.returncode, b"internal error" in ran.stderr) == (status, False)


def _in_a_shell(home: Path, words: str) -> subprocess.CompletedProcess[bytes]:
    program = Path(sys.executable).with_name("clew")
    return subprocess.run(["sh", "-c", f"'{program}' {words}"], env=environment(home), capture_output=True, check=False)


@pytest.mark.requirement("F-CLI-07")
@POSIX
@pytest.mark.parametrize(
    "words", ["recall hello", "quote hello", "quote hello --json", "sessions", "stats", "--version", "--help"]
)
def test_what_cannot_be_told_without_standard_output_is_an_error(tmp_home: Path, words: str) -> None:
    done("add", "hello there")
    ran = _in_a_shell(tmp_home, f"{words} >&-")
    told = [line for line in ran.stderr.decode().splitlines() if line.startswith("clew: ")]
    assert (ran.returncode, told) == (1, ["clew: the output cannot be written: standard output is closed"])


@pytest.mark.requirement("F-CLI-07")
@POSIX
def test_what_prints_nothing_needs_no_standard_output(tmp_home: Path) -> None:
    done("add", "hello there")
    assert _in_a_shell(tmp_home, "recall zebra >&-").returncode == 0
    assert _in_a_shell(tmp_home, "watch --once >&-").returncode == 0


@pytest.mark.requirement("F-CLI-07", "F-CLI-03")
@POSIX
@pytest.mark.parametrize("option", ["", "--json"])
@pytest.mark.parametrize("redirected", [">&-", ">/dev/full"])
def test_a_turn_whose_id_cannot_be_told_is_stored(tmp_home: Path, redirected: str, option: str) -> None:
    ran = _in_a_shell(tmp_home, f"add 'the heron is back' {option} {redirected}")
    assert ran.returncode == 1
    assert b"clew: the turn is stored as default:turn:0, but the output cannot be written: " in ran.stderr
    assert "heron" in done("quote", "heron")
    (tmp_home / "talk.jsonl").write_text('{"role": "user", "content": "two herons"}\n', encoding="utf-8")
    ran = _in_a_shell(tmp_home, f"import '{tmp_home}/talk.jsonl' {option} {redirected}")
    assert ran.returncode == 1
    assert b"the import is done (1 turn stored), but the output cannot be written: " in ran.stderr


@pytest.mark.requirement("F-CLI-03")
@POSIX
def test_without_a_home_directory_nothing_is_stored_at_the_root(tmp_home: Path) -> None:
    for named in ("", "relative"):
        ran = process(tmp_home, "add", "hello", HOME=named)
        assert ran.returncode == 1
        assert f"HOME is {named!r}; expected an absolute path".encode() in ran.stderr
        assert b"--home DIR or CLEW_HOME" in ran.stderr
        assert process(tmp_home, "add", "hello", "--home", str(tmp_home / "here"), HOME=named).returncode == 0


@pytest.mark.requirement("F-CLI-03")
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to this limit")
def test_too_little_memory_is_no_internal_error(tmp_home: Path) -> None:
    done("add", "hello")
    program = Path(sys.executable).with_name("clew")
    command = f"ulimit -v 30000; '{program}' recall hello"
    ran = subprocess.run(["sh", "-c", command], env=environment(tmp_home), capture_output=True, check=False)
    assert ran.returncode == 1
    assert b"clew: not enough memory" in ran.stderr


@pytest.mark.requirement("F-HOLD-09")
@pytest.mark.skipif(sys.platform != "linux", reason="other shells count the limit in other units")
def test_an_import_without_room_says_what_the_paths_before_gave(tmp_home: Path) -> None:
    done("add", "hello")
    (tmp_home / "few.jsonl").write_text('{"role": "user", "content": "two herons"}\n', encoding="utf-8")
    texts = (hashlib.shake_256(b"%d" % number).hexdigest(500) for number in range(1500))
    words = "\n".join(json.dumps({"role": "user", "content": text}) for text in texts)
    (tmp_home / "many.jsonl").write_text(words, encoding="utf-8")
    program = Path(sys.executable).with_name("clew")
    command = f"ulimit -f 1600; '{program}' import '{tmp_home}/few.jsonl' '{tmp_home}/many.jsonl'"
    ran = subprocess.run(["sh", "-c", command], env=environment(tmp_home), capture_output=True, check=False)
    assert ran.returncode == 1
    assert b"Stored from the paths before: 1 turn; import all again then, nothing is stored twice" in ran.stderr
    assert "herons" in done("quote", "herons")


@pytest.mark.requirement("F-CLI-07")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
@pytest.mark.parametrize("words", ["--version", "--help", "config --help", "config show"])
def test_an_output_on_a_full_disk_is_one_line_of_error(tmp_home: Path, words: str) -> None:
    program = Path(sys.executable).with_name("clew")
    for redirected in (">/dev/full", ">/dev/full 2>&1"):
        command = f"'{program}' {words} {redirected}"
        ran = subprocess.run(["sh", "-c", command], env=environment(tmp_home), capture_output=True, check=False)
        assert ran.returncode == 1
        if redirected == ">/dev/full":
            assert (b"No space left on device" in ran.stderr, ran.stderr.count(b"\n")) == (True, 1)


@pytest.mark.requirement("F-CLI-07")
@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_pipes_get_utf_8_whatever_the_system_prefers(tmp_home: Path, encoding: str) -> None:
    text = "Grüße 👋 日本"
    ran = process(tmp_home, "add", "-", given=text.encode(), PYTHONIOENCODING=encoding, LC_ALL="C", PYTHONUTF8="0")
    assert ran.returncode == 0, ran.stderr
    found = process(tmp_home, "quote", "Grüße", "--json", PYTHONIOENCODING=encoding)
    assert json.loads(found.stdout.decode("utf-8"))["text"] == text


@POSIX
@pytest.mark.requirement("F-CLI-07")
def test_words_that_are_no_text_can_be_stored_and_shown(tmp_home: Path) -> None:
    ran = subprocess.run(
        [*PROGRAM, "add", b"caf\xe9 noir"], env=environment(tmp_home), capture_output=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    shown = process(tmp_home, "quote", "noir")
    assert shown.returncode == 0, shown.stderr
    assert b"noir" in shown.stdout
    for words in (["quote", "noir", "--json"], ["recall", "noir"], ["restore", "default:turn:0"]):
        assert "noir" in done(*words)


@POSIX
@pytest.mark.requirement("F-CLI-03")
def test_a_reader_that_goes_away_is_no_error(tmp_home: Path) -> None:
    rows = "".join(json.dumps({"role": "user", "content": f"lift {n} " + "word " * 200}) + "\n" for n in range(400))
    (tmp_home / "log.jsonl").write_text(rows, encoding="utf-8")
    done("import", tmp_home / "log.jsonl")
    with subprocess.Popen(
        [*PROGRAM, "search", "lift", "--limit", "400", "--json"],
        env=environment(tmp_home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as ran:
        assert ran.stdout is not None
        assert ran.stderr is not None
        ran.stdout.read(10)
        ran.stdout.close()
        assert ran.stderr.read() == b""


@POSIX
@pytest.mark.requirement("F-CLI-03", "F-CLI-13")
def test_ctrl_c_ends_cleanly(tmp_home: Path) -> None:
    # A shell without a terminal starts its children deaf to SIGINT; a person's does not.
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from clew.cli.main import main; main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, "work"], env=environment(tmp_home), stderr=subprocess.PIPE
    ) as ran:
        assert ran.stderr is not None
        assert b"Ctrl-C" in ran.stderr.readline()
        ran.send_signal(signal.SIGINT)
        assert b"Traceback" not in ran.stderr.read()
        assert ran.wait() == 130
    assert process(tmp_home, "verify").returncode == 0


def talk(home: Path, *words: str | Path, keys: list[tuple[bytes, bytes]]) -> tuple[int, str]:
    """Runs the program at a terminal: waits for each text, then types what belongs to it; gives status and screen."""
    import pty  # POSIX only, as are the tests that come here

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*PROGRAM, *map(str, words)],
        env=environment(home, TERM="xterm", COLUMNS="80"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as ran:
        os.close(theirs)
        screen = b""
        waiting = list(keys)
        while read := _read(ours):
            screen += read
            if waiting and waiting[0][0] in screen:
                os.write(ours, waiting.pop(0)[1])
        status = ran.wait()
    os.close(ours)
    return status, screen.decode("utf-8", "replace")


def _read(terminal: int) -> bytes:
    """What the terminal shows next; empty when its other side has ended."""
    try:
        return os.read(terminal, 4096)
    except OSError:  # what Linux says at the end of a terminal
        return b""


@POSIX
@pytest.mark.requirement("F-CLI-23")
@pytest.mark.parametrize(("key", "left"), [(b"n\n", "1"), (b"y\n", "0")])
def test_at_a_terminal_forgetting_asks(tmp_home: Path, key: bytes, left: str) -> None:
    done("add", "a secret")
    status, screen = talk(tmp_home, "forget", "--session", "default", keys=[(b"Delete them permanently?", key)])
    assert status == 0, screen
    assert "a secret" in screen
    assert record("stats")["turns"] == int(left)


@POSIX
@pytest.mark.requirement("F-DEMO-06")
def test_at_a_terminal_the_demo_takes_questions_until_an_empty_line(tmp_home: Path) -> None:
    path = tmp_home / "log.jsonl"
    turns = ["The harbour opens at nine.", "The rope is in the shed.", "The dog sleeps."]
    path.write_text("".join(json.dumps({"role": "user", "content": text}) + "\n" for text in turns), encoding="utf-8")
    keys = [(b"Question", b"where is the rope\n"), (b"200 tokens", b"\n")]
    status, screen = talk(tmp_home, "demo", path, "--budget", "200", keys=keys)
    assert status == 0, screen
    assert "in the shed" in screen
    assert "with your own conversations" in screen


@POSIX
@pytest.mark.requirement("F-CLI-05")
def test_at_a_terminal_stored_text_cannot_give_orders_to_it(tmp_home: Path) -> None:
    done("add", "-", given=b"title \x1b]0;owned\x07 rope")
    for words in (["recall", "rope"], ["search", "rope"], ["quote", "rope"], ["restore", "default:turn:0"]):
        status, screen = talk(tmp_home, *words, keys=[])
        assert status == 0, screen
        assert "\x1b]0;owned" not in screen
        assert "rope" in screen
        assert ("owned" in screen) == (words[0] == "restore"), "only what is exact shows orders to a terminal"


ORDERS = "rope \x1b[31mred\x1b[0m \x1b]0;owned\x07 \x08\u202etxt"


@pytest.mark.requirement("F-CLI-27")
@pytest.mark.parametrize(
    "words",
    [
        ["recall", "rope"],
        ["when", "--since", "2000-01-01"],
        ["brief"],
        ["recap"],
        ["search", "rope"],
        ["query", "importance >= 0"],
        ["quote", "rope"],
        ["sessions"],
        ["explain", "last"],
    ],
    ids=" ".join,
)
def test_in_a_pipe_stored_text_is_as_visible_as_at_a_terminal(tmp_home: Path, words: list[str]) -> None:
    done("add", "-", given=ORDERS.encode())
    done("recall", "rope")
    shown = done(*words)
    assert printable(shown) == shown
    assert "␈" in shown


@pytest.mark.requirement("F-CLI-27")
def test_what_is_exact_stays_so_in_a_pipe(tmp_home: Path) -> None:
    done("add", "-", given=ORDERS.encode())
    assert done("restore", "default:turn:0") == ORDERS + "\n"
    assert json.loads(done("export", "-"))["text"] == ORDERS
    assert record("recall", "rope")["items"][0]["text"] == ORDERS


@pytest.mark.requirement("F-TDY-06")
def test_a_block_is_counted_as_it_is_printed(tmp_home: Path) -> None:
    done("add", "-", given=ORDERS.encode())
    block = record("recall", "rope", "--counter", "openai")
    assert done("recall", "rope") == block["text"]
    assert block["tokens"] == counter("openai")(block["text"])
    recap = record("recap", "--counter", "openai")
    assert done("recap") == recap["text"]
    assert recap["tokens"] == counter("openai")(recap["text"])


@POSIX
@pytest.mark.requirement("F-CLI-94")
def test_arguments_are_read_as_utf_8_in_a_locale_of_ascii(tmp_home: Path) -> None:
    """Without Python's UTF-8 mode, the bytes of a letter arrive as escapes, and were stored as such."""
    assert process(tmp_home, "add", "Grüße aus Zürich", LC_ALL="C", PYTHONUTF8="0").returncode == 0
    assert (
        process(tmp_home, "quote", "Zürich", LC_ALL="C", PYTHONUTF8="0").stdout.decode().splitlines()[1]
        == "Grüße aus Zürich"
    )
    assert process(tmp_home, "quote", "grüße aus zürich").stdout.decode().splitlines()[1] == "Grüße aus Zürich"
