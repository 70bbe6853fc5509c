"""Conversations written down as Markdown or text."""

from pathlib import Path

import pytest

from clew.ingest.importers import ImportLimits, detect
from tests.support.effort import examples
from tests.support.ingest_reading import put, read, rejections, said, skipped, turns


@pytest.mark.requirement("F-INGEST-12")
@pytest.mark.parametrize(
    "text",
    [
        "## User\n\nHow?\n\n## Assistant\n\nLike this:\n\n- a\n",
        "# You said:\nHow?\n# ChatGPT said:\nLike this:\n\n- a",
        "**User:** How?\n\n**Assistant:** Like this:\n\n- a",
        "**User**: How?\n**Assistant**:\nLike this:\n\n- a",
        "### 🧑 User\nHow?\n### 🤖 Assistant\nLike this:\n\n- a",
        "User: How?\nAssistant: Like this:\n\n- a",
    ],
)
def test_markdown_labels(tmp_path: Path, text: str) -> None:
    path = put(tmp_path, "chat.md", text)
    assert detect(path) == "markdown"
    assert said(read(path)) == [("user", "How?"), ("assistant", "Like this:\n\n- a")]
    assert {(turn.session, turn.speaker) for turn in turns(read(path))} == {("chat", None)}


@pytest.mark.requirement("F-INGEST-12")
def test_markdown_names_titles_times_and_code(tmp_path: Path) -> None:
    text = (
        "# Our talk\n\nWritten down by hand.\n\n"
        "## Ann (2024-03-05 14:30)\n\nLook:\n\n```md\n## Bob\n**Ann:** no label\n```\n\n"
        "## Bob\n\n# A heading of his own\n\nGood.\n\n## Ann — March 6, 2024\n\nBye.\n\n## Bob\nBye.\n"
    )
    records = read(put(tmp_path, "talk.md", text))
    found = turns(records)
    assert [(turn.role, turn.speaker, turn.at and turn.at.isoformat()) for turn in found] == [
        ("user", "Ann", "2024-03-05T14:30:00+00:00"),
        ("user", "Bob", None),
        ("user", "Ann", "2024-03-06T00:00:00+00:00"),
        ("user", "Bob", None),
    ]
    assert found[0].text == "Look:\n\n```md\n## Bob\n**Ann:** no label\n```"
    assert found[1].text == "# A heading of his own\n\nGood."
    assert {turn.metadata["title"] for turn in found} == {"Our talk"}
    assert skipped(records) == ["text before the first message"] * 2


@pytest.mark.requirement("F-INGEST-12")
@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("[14/08/2023, 09:15:32] Ann: hi\n", "2023-08-14T09:15:32"),
        ("\u200e[14/08/2023, 9:15:32\u202fPM] Ann: hi\n", "2023-08-14T21:15:32"),
        ("[8/14/23, 9:15:32 AM] Ann: hi\n", "2023-08-14T09:15:32"),
        ("14/08/2023, 09:15 - Ann: hi\n", "2023-08-14T09:15:00"),
        ("8/14/23, 9:15 PM - Ann: hi\n", "2023-08-14T21:15:00"),
        ("14.08.23, 09:15 - Ann: hi\n", "2023-08-14T09:15:00"),
        ("[14.8.2023 klo 9.15.32] Ann: hi\n", "2023-08-14T09:15:32"),
        ("2023-08-14, 09:15 - Ann: hi\n", "2023-08-14T09:15:00"),
        ("[2023-08-14T09:15:00Z] Ann: hi\n", "2023-08-14T09:15:00"),
        ("[2023-06-01, 09:15:00] Ann: hi\n", "2023-06-01T09:15:00"),
        ("2023-06-01 09:15 - Ann: hi\n", "2023-06-01T09:15:00"),
        ("[2023/6/1 下午9:15:00] Ann: hi\n", "2023-06-01T21:15:00"),
        ("2023年6月1日 09:15 - Ann: hi\n", "2023-06-01T09:15:00"),
        ("2023년 6월 1일 오후 9:15, Ann: hi\n", "2023-06-01T21:15:00"),
        ("[2023. 6. 1. 오전 9:15:00] Ann: hi\n", "2023-06-01T09:15:00"),
        ("١/٦/٢٠٢٣، ٩:١٥ م - Ann: hi\n", "2023-06-01T21:15:00"),
        ("[Aug 14, 2023 09:15] Ann: hi\n", "2023-08-14T09:15:00"),
    ],
)
def test_dated_lines(tmp_path: Path, text: str, first: str) -> None:
    path = put(tmp_path, "chat.txt", text + text.replace("Ann: hi", "Bob Smith: on two\nlines: see\n\n```"))
    assert detect(path) == "text"
    found = turns(read(path))
    assert [(turn.speaker, turn.text) for turn in found] == [("Ann", "hi"), ("Bob Smith", "on two\nlines: see\n\n```")]
    assert {turn.at and turn.at.isoformat() for turn in found} == {f"{first}+00:00"}


@pytest.mark.requirement("F-INGEST-12")
@pytest.mark.parametrize(
    ("dates", "first"),
    [
        (("03/04/2024, 10:00", "13/04/2024, 10:00"), "2024-04-03"),
        (("03/04/2024, 10:00", "04/13/2024, 10:00"), "2024-03-04"),
        (("03/04/2024, 10:00", "05/04/2024, 10:00"), "2024-04-03"),
        (("3/4/24, 10:00 AM", "5/4/24, 10:00 PM"), "2024-03-04"),
    ],
)
def test_the_whole_chat_shows_what_comes_first(tmp_path: Path, dates: tuple[str, str], first: str) -> None:
    path = put(tmp_path, "chat.txt", "".join(f"{date} - Ann: hi\n" for date in dates))
    at = turns(read(path))[0].at
    assert at is not None
    assert at.date().isoformat() == first


@pytest.mark.requirement("F-INGEST-12")
def test_a_whatsapp_chat_with_its_own_lines(tmp_path: Path) -> None:
    text = (
        "14/08/2023, 09:15 - Messages and calls are end-to-end encrypted.\r\n"
        "14/08/2023, 09:16 - Ann: hi\r\n"
        "14/08/2023, 09:17 - Bob: <Media omitted>\r\n"
        "[INFO] not: a date\r\n"
    )
    records = read(put(tmp_path, "WhatsApp Chat with Bob.txt", text))
    assert said(records) == [("user", "hi"), ("user", "<Media omitted>\n[INFO] not: a date")]
    assert skipped(records) == ["line of the program"]
    assert turns(records)[0].session == "WhatsApp Chat with Bob"


@pytest.mark.requirement("F-INGEST-12", "F-INGEST-15")
def test_a_date_that_cannot_be_read_is_kept_as_written(tmp_path: Path) -> None:
    found = turns(read(put(tmp_path, "chat.txt", "[10:15] Ann: hi\n[10:16] Bob: hello\n")))
    assert [(turn.speaker, turn.at, turn.metadata) for turn in found] == [
        ("Ann", None, {"at_raw": "10:15"}),
        ("Bob", None, {"at_raw": "10:16"}),
    ]


@pytest.mark.requirement("F-INGEST-12")
def test_names_without_dates(tmp_path: Path) -> None:
    text = "Ann: hi\nBob: hello\nNote: this is part of it\nAnn: bye\nBob: see\n\nyou\nAssistant: me too\n"
    assert [(turn.role, turn.speaker, turn.text) for turn in turns(read(put(tmp_path, "chat.txt", text)))] == [
        ("user", "Ann", "hi"),
        ("user", "Bob", "hello\nNote: this is part of it"),
        ("user", "Ann", "bye"),
        ("user", "Bob", "see\n\nyou"),
        ("assistant", None, "me too"),
    ]


@pytest.mark.requirement("F-INGEST-12")
@pytest.mark.parametrize(
    "text",
    [
        "Ann: Did you feed the bees?\nBo: Yes, at noon.\n",
        "Ann: The hive is weak, I fear.\n\nBo Lindqvist: Feed it.\n",
        "Ann: hi\nBo: hello\nDr. Cem: The hive is weak.",
        "アン: 元気？\nボ: はい。",
    ],
)
def test_a_short_talk_in_which_nobody_speaks_twice_has_its_speakers(tmp_path: Path, text: str) -> None:
    lines = [line.partition(": ") for line in text.splitlines() if line]
    path = put(tmp_path, "chat.txt", text)
    assert [(turn.speaker, turn.text) for turn in turns(read(path))] == [(name, said) for name, _, said in lines]
    assert [turn.speaker for turn in turns(read(tmp_path))] == [name for name, _, _ in lines]


@pytest.mark.requirement("F-INGEST-12")
@pytest.mark.parametrize(
    "text",
    [
        "City: Porto\nDish: soup",  # fields
        "TASK: ask you again\nNOTE: I was late",
        "what: did you say?\nwhy: I wonder",
        "Ann: Did you feed the bees?\nThey were hungry.",
        "Ann: Did you feed the bees?",
    ],
)
def test_lines_with_colons_that_are_no_talk_are_one_paragraph(tmp_path: Path, text: str) -> None:
    assert said(read(put(tmp_path, "notes.txt", text))) == [("user", text)]


@pytest.mark.requirement("F-INGEST-12")
@pytest.mark.parametrize("name", ["notes.txt", "notes.md"])
def test_a_text_without_speakers_is_read_by_paragraphs(tmp_path: Path, name: str) -> None:
    path = put(tmp_path, name, "One thing: it rains.\nStill.\n\n\nAnother, at 10:30.\n")
    assert said(read(path)) == [("user", "One thing: it rains.\nStill."), ("user", "Another, at 10:30.")]


@pytest.mark.requirement("F-INGEST-02", "F-INGEST-12")
@pytest.mark.parametrize("label", ["Ann: ", ""])
def test_a_message_over_the_limit_is_rejected(tmp_path: Path, label: str) -> None:
    text = f"{label}before\n\n{label}" + "long line\n" * 50 + f"\n{label}after\n"
    records = read(put(tmp_path, "chat.txt", text), limits=ImportLimits(max_line_bytes=100))
    assert said(records)[0] == ("user", "before")
    assert said(records)[-1][1].endswith("after")
    assert len(rejections(records, tmp_path)) >= 1


@pytest.mark.requirement("F-INGEST-47")
def test_chats_of_cursor_that_were_saved_as_markdown_are_read(tmp_path: Path) -> None:
    exported = (
        "# Fix login\n_Exported from Cursor_\n\n---\n\n**User**\n\nWhy?\n\n---\n\n**Cursor**\n\nThe cookie.\n\n---\n"
    )
    found = turns(read(put(tmp_path, "exported.md", exported)))
    assert [(turn.role, turn.text) for turn in found] == [("user", "Why?"), ("assistant", "The cookie.")]


@pytest.mark.requirement("F-INGEST-12")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "14:05 Ann: hi\n\n2:07 PM - Ben Li: hm\nstill me\n14:09:01 <Ann> bye",
            [("Ann", "hi", None), ("Ben Li", "hm\nstill me", None), ("Ann", "bye", None)],
        ),
        (
            "2024-03-05 14:05 Ann: hi\n05/03/2024, 14:07 Ben: see 10:30 Break: tea",
            [("Ann", "hi", "2024-03-05T14:05:00"), ("Ben", "see 10:30 Break: tea", "2024-03-05T14:07:00")],
        ),
        (
            "# 5 March 2024\n23:59 Ann: hi\n00:02 Ben: hm\n00:01 Ann: eh\n--- 2024-03-09 ---\n9:00 am Ann: bye",
            [
                ("Ann", "hi", "2024-03-05T23:59:00"),
                ("Ben", "hm", "2024-03-06T00:02:00"),
                ("Ann", "eh", "2024-03-06T00:01:00"),
                ("Ann", "bye", "2024-03-09T09:00:00"),
            ],
        ),
    ],
)
def test_text_with_a_clock_time_before_the_name(
    tmp_path: Path, text: str, expected: list[tuple[str, str, str | None]]
) -> None:
    found = turns(read(put(tmp_path, "chat.txt", text)))
    assert [(turn.speaker, turn.text, turn.at and turn.at.isoformat()[:19]) for turn in found] == expected
    assert all(turn.at or turn.metadata["at_raw"] for turn in found)


@pytest.mark.requirement("F-INGEST-12")
@pytest.mark.parametrize(
    "text",
    ["10:00 Welcome: Ann\n10:30 Break: tea", "2024-03-05 10:00:01 ERROR: gone\n2024-03-05 10:00:02 Disk: full\n"],
)
def test_an_agenda_or_a_log_is_no_chat(tmp_path: Path, text: str) -> None:
    (turn,) = turns(read(put(tmp_path, "notes.txt", text)))
    assert turn.text == text.strip()
    assert turn.speaker is None


@pytest.mark.requirement("F-INGEST-12")
def test_who_speaks_once_is_a_speaker_where_every_line_names_one(tmp_path: Path) -> None:
    chat, notes = "Ann: hi\nBen: hm\n\nAnn: bye\n", "Ann: hi\nNote: no\nAnn: bye\nand more\n"
    found = [[turn.speaker for turn in turns(read(put(tmp_path, "chat.txt", text)))] for text in (chat, notes)]
    assert found == [["Ann", "Ben", "Ann"], ["Ann", "Ann"]]


@pytest.mark.requirement("F-INGEST-12")
@pytest.mark.parametrize(
    ("heads", "times"),
    [
        (("Ann Lee  0:03", "Bob  0:11", "Ann Lee  1:02:03"), (None, None, None)),
        (("Ann Lee (0:03): ", "Bob (0:11):", "Ann Lee (1:02)"), (None, None, None)),
        (("Ann Lee\t10:42 AM", "Bob\t10:45 AM", "Ann Lee\t11:02 PM"), ("10:42", "10:45", "23:02")),
        (("Ann Lee  [10:42]", "Bob  [10:45]", "Ann Lee  [23:02]"), ("10:42", "10:45", "23:02")),
        (
            ("Ann Lee — 05.03.2024 10:42", "Bob — 05.03.2024 10:45", "Ann Lee — 05.03.2024 23:02"),
            ("10:42", "10:45", "23:02"),
        ),
    ],
)
def test_names_and_times_may_stand_above_what_is_said(
    tmp_path: Path, heads: tuple[str, ...], times: tuple[str | None, ...]
) -> None:
    said = ("Hello all\nsecond line", "Hi: see 10:30\n\nanother day", "Bye")
    day = "March 5, 2024\n\n" if times[0] and "2024" not in heads[0] else ""
    text = day + "\n\n".join(f"{head}\n{words}" for head, words in zip(heads, said, strict=True))
    found = turns(read(put(tmp_path, "talk.txt", text)))
    assert [(turn.speaker, turn.text) for turn in found] == list(zip(("Ann Lee", "Bob", "Ann Lee"), said, strict=True))
    assert [turn.at and turn.at.strftime("%H:%M") for turn in found] == list(times)


@pytest.mark.requirement("F-INGEST-12")
@pytest.mark.parametrize(
    "text",
    [
        "Agenda\n\nBreak  10:30\nLunch  12:00\nBreak  15:30\nWe end early.\n",
        "Bread  0:45\nBake it well.\n\nCake  1:10\nBake it longer.\n",
    ],
)
def test_lists_with_times_are_no_chats(tmp_path: Path, text: str) -> None:
    assert {turn.speaker for turn in turns(read(put(tmp_path, "list.txt", text)))} == {None}


@pytest.mark.requirement("F-INGEST-12")
def test_a_short_year_that_comes_first_is_the_number_that_stays(tmp_path: Path) -> None:
    text = "24/06/01, 10:00 - Ann: a\n24/06/03, 10:00 - Bob: b\n24/07/02, 10:00 - Ann: c\n"
    found = turns(read(put(tmp_path, "chat.txt", text)))
    assert [turn.at and turn.at.date().isoformat() for turn in found] == ["2024-06-01", "2024-06-03", "2024-07-02"]
    text = "24/06/01, 10:00 - Ann: a\n25/06/01, 10:00 - Bob: b\n"
    found = turns(read(put(tmp_path, "days.txt", text)))
    assert [turn.at and turn.at.date().isoformat() for turn in found] == ["2001-06-24", "2001-06-25"]


@pytest.mark.requirement("F-INGEST-56")
def test_lines_that_a_telephone_writes_itself_are_nobodys_words(tmp_path: Path) -> None:
    ios = (
        "\u200e[12.03.24, 18:04:11] Family: \u200eNachrichten sind Ende-zu-Ende-verschlüsselt.\n"
        "[12.03.24, 18:04:40] Ann: Who comes?\n"
        "\u200e[12.03.24, 18:06:55] Ann: \u200eBild weggelassen\n"
        "[12.03.24, 18:07:30] Bob: \u200ePOLL:\nWhen?\n"
    )
    records = read(put(tmp_path, "ios.txt", ios))
    assert [(turn.speaker, turn.text) for turn in turns(records)] == [("Ann", "Who comes?"), ("Bob", "POLL:\nWhen?")]
    assert skipped(records) == ["line of the program"] * 2
    android = (
        "12/03/24, 18:04 - Ann: <Media omitted>\n12/03/24, 18:05 - Bob: <br> is a tag\n13/03/24, 18:05 - Ann: <b>\n"
    )
    records = read(put(tmp_path, "android.txt", android))
    assert [turn.text for turn in turns(records)] == ["<br> is a tag", "<b>"]
    kakao = "2023년 6월 1일 오후 9:15, 민수 : 안녕\n2023년 6월 1일 오후 9:16, 지영 : 네\n"
    assert [turn.speaker for turn in turns(read(put(tmp_path, "kakao.txt", kakao)))] == ["민수", "지영"]


@pytest.mark.requirement("F-INGEST-56")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[06.05.24 10:12] Ann Miller\nSend it?\n\n[06.05.24 10:14] Bo\nDone\n\n[06.05.24 10:15] Ann Miller\nOk\n",
            [("Ann Miller", "Send it?"), ("Bo", "Done"), ("Ann Miller", "Ok")],
        ),
        (
            "[10:00:01] <@ann> on friday\n[10:00:05] * bob nods\n[10:01:00] <bob> which branch?\n",
            [("ann", "on friday"), ("bob", "which branch?")],
        ),
        (
            "Ann, [01.02.2024 12:00]\nThe number?\n\nBob, [01.02.2024 12:01]\nQX7\n\nAnn, [01.02.2024 12:03]\nFine\n",
            [("Ann", "The number?"), ("Bob", "QX7"), ("Ann", "Fine")],
        ),
        (
            "Minutes of 6 May\nPresent: Ann, Bob\n\nAnn: We move.\nBob: The lease ends.\nAnn: Then we need two.\n",
            [("Ann", "We move."), ("Bob", "The lease ends."), ("Ann", "Then we need two.")],
        ),
        (
            "Ann: We move.\nto the hall\nNote: not before June\nBob: When?\nAnn: Soon\nBob: Good\n",
            [
                ("Ann", "We move.\nto the hall\nNote: not before June"),
                ("Bob", "When?"),
                ("Ann", "Soon"),
                ("Bob", "Good"),
            ],
        ),
    ],
)
def test_copies_from_chat_programs(tmp_path: Path, text: str, expected: list[tuple[str, str]]) -> None:
    found = turns(read(put(tmp_path, "copy.txt", text)))
    assert [(turn.speaker, turn.text) for turn in found] == expected


CODE = (
    "```\n{0}User:{0} in\n{0}Assistant:{0} in\n```",
    "````md\n```\n{0}User:{0} in\n```\n{0}User:{0} in\n````",
    "~~~\n```\n{0}User:{0} in\n~~~",
    "~~~~\n~~~\n{0}User:{0} in\n~~~~",
    "```\n``` is no end\n{0}User:{0} in\n````",
    "- so:\n  ```\n{0}User:{0} in\n  ```",
    "> ```\n> {0}User:{0} in\n> ```",
    "Look: ```py\n{0}User:{0} in\n```",
    "    {0}User:{0} in",
    "\t{0}User:{0} in",
)


@pytest.mark.requirement("F-EDGE-03")
@pytest.mark.parametrize("bold", ["", "**"])
@pytest.mark.parametrize("name", ["chat.md", "chat.txt"])
@pytest.mark.parametrize("code", CODE)
def test_a_label_in_code_is_code(tmp_path: Path, code: str, name: str, bold: str) -> None:
    code = code.format(bold)
    for gap in ("\n\n", " "):
        if gap == " " and not code.startswith("`"):
            continue
        text = f"{bold}User:{bold}{gap}{code}\n\n{bold}Assistant:{bold} ok\n"
        form = "markdown" if bold else None
        assert said(read(put(tmp_path, name, text), form)) == [("user", code), ("assistant", "ok")]


@pytest.mark.requirement("F-EDGE-03")
@pytest.mark.parametrize("name", ["chat.md", "chat.txt"])
@pytest.mark.parametrize("opening", ["```", "~~~", "~~~~~~~~", "```py `x`", "> ```"])
def test_what_is_never_closed_is_no_code(tmp_path: Path, opening: str, name: str) -> None:
    text = f"User: so\n{opening}\nAssistant: ok\nUser: fine\nAssistant: yes\n"
    records = read(put(tmp_path, name, text))
    assert said(records) == [("user", f"so\n{opening}"), ("assistant", "ok"), ("user", "fine"), ("assistant", "yes")]


@pytest.mark.requirement("F-EDGE-03")
def test_a_log_in_code_does_not_make_a_transcript_a_chat_with_times(tmp_path: Path) -> None:
    log = "```\n[2024-03-05 10:00] ann: one\n[2024-03-05 10:01] bob: two\n[2024-03-05 10:02] ann: three\n```"
    assert said(read(put(tmp_path, "chat.txt", f"User: why?\n{log}\nAssistant: ok\n"))) == [
        ("user", f"why?\n{log}"),
        ("assistant", "ok"),
    ]


@pytest.mark.requirement("F-EDGE-03")
@pytest.mark.parametrize("piece", ["> ", ">", "(so): ", "`", "~", "- ", "1. ", " ", "\t", "`` ", "#"])
def test_no_line_takes_longer_than_its_length(tmp_path: Path, piece: str) -> None:
    text = f"User: so\n{piece * 20_000}x\nAssistant: ok\n"
    for name in ("chat.txt", "chat.md"):
        assert [role for role, _ in said(read(put(tmp_path, name, text)))] == ["user", "assistant"]


BLANKS = examples(20_000, 100_000)


@pytest.mark.thorough
@pytest.mark.timeout(120)
@pytest.mark.requirement("F-EDGE-08")
@pytest.mark.parametrize(
    "text",
    [
        f"User: so\n{chr(10) * BLANKS}x\nAssistant: ok\n",
        f"#{' ' * BLANKS}{'a' * 101}\nUser: so\nAssistant: ok\n",
        f"# a{' ' * BLANKS}b\nUser: so\nAssistant: ok\n",
        f"User: so\nAnn{chr(9) * BLANKS}x\nAssistant: ok\n",
    ],
)
@pytest.mark.parametrize("name", ["chat.txt", "chat.md"])
def test_no_run_of_white_space_takes_longer_than_its_length(tmp_path: Path, text: str, name: str) -> None:
    assert [role for role, _ in said(read(put(tmp_path, name, text)))] == ["user", "assistant"]


@pytest.mark.requirement("F-INGEST-12")
@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("a\n\n---\n", "a"),
        ("a\n  -----  \n\n", "a"),
        ("a\n--\n", "a\n--"),
        ("a ---\n", "a ---"),
        ("a\n---\nb", "a\n---\nb"),
        ("\n---", ""),
    ],
)
def test_a_rule_before_the_next_message_belongs_to_none(tmp_path: Path, message: str, kept: str) -> None:
    path = put(tmp_path, "chat.md", f"User: {message}\nAssistant: so\nUser: end\n")
    texts = [text for role, text in said(read(path)) if role == "user"]
    assert texts == [*([kept] if kept else []), "end"]
