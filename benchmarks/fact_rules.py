"""Measures the rules for facts against labels. Run `python -m benchmarks.fact_rules FOLDER [--dialogre FILE]`.

FOLDER holds what was labelled: `sentences.txt` (number, source, place, date, `speaker>listener`, sentence) with
`labels1.txt` (number, then `subject | verb | object | status`), and `conversations.json` with `convlabels1.txt`. A
label with `?` may be found but need not be; S is the speaker, A the listener, `*` anybody. Without a folder it says so
and stops.

A statement counts as right if a label of its sentence has its subject, the verb, and at least half of the words of the
object, and agrees on negation. `--left-out SOURCE` names the source that no rule was chosen by; each source has its own
row. `--dialogre` takes DialogRE's `dev.json` and compares relations that verbs and nouns of kinship express.
"""

import argparse
import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from dateutil import parser as dates

from clew.knowledge.morphology import lemma
from clew.knowledge.rules.extract import statements
from clew.types.facts import Mood, Statement
from clew.types.turn import Turn

_PASSED: Final = frozenset("start begin keep manage plan continue finish".split())
_STOP: Final = frozenset("an the my our your his her their its to of in on at for with from and or i me we us".split())
_WORD: Final = re.compile(r"[\w$%][\w.'$%@_-]*")
# Canonical verbs and what a label may call them.
_SAME: Final = {
    "lives in": "live move base be",
    "works as": "be work",
    "is named": "be name call",
    "is aged": "be",
    "has favourite": "favorite be love like have go-to",
    "decides on": "decide choose go pick use set",
    "uses": "use have switch",
    "wants": "want like need love",
    "is from": "be come",
    "was born in": "born",
    "is married to": "be marry",
    "has relationship status": "be get have",
    "is dating": "date",
}


@dataclass(frozen=True, slots=True)
class Label:
    """One labelled fact."""

    subject: str
    verb: str
    object: str
    status: str
    optional: bool


def labels(path: Path) -> dict[str, list[Label]]:
    """The labels of a file, by number of the sentence or place of the turn."""
    found: dict[str, list[Label]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        key, text = line.split("\t")
        optional = text.startswith("?")
        subject, verb, target, status = (part.strip() for part in text.lstrip("?").split("|"))
        found[key].append(Label(subject, verb, target, status, optional))
    return found


def _tokens(text: str) -> set[str]:
    words = [word.rstrip(".'").removesuffix("'s").lower() for word in _WORD.findall(text.replace("’", "'"))]
    return {lemma(word) for word in words if word} - _STOP


def matches(found: Statement, label: Label, speaker: str, listener: str | None) -> bool:
    """Whether a statement says what a label says."""
    subject = {"S": speaker, "A": listener}.get(label.subject, label.subject) if listener is not None else label.subject
    about = _tokens(found.subject)
    if label.subject != "*" and not (_tokens(subject) & about or subject == found.subject):
        return False
    if listener is not None and label.subject == "S" and found.subject != speaker and label.verb not in found.subject:
        return False
    if (found.mood is Mood.NEGATED) != (label.status == "negated") or label.status in ("question", "conditional"):
        return False
    said = _tokens(f"{found.verb} {found.object} {found.scope or ''} {found.instead_of or ''} {found.when or ''}")
    verbs = said | about | set(_SAME.get(found.verb, "").split())
    wanted = _tokens(label.verb) - _PASSED
    target = _tokens(label.object)
    shared = len(target & (said | about))
    return bool(not wanted or wanted & verbs) and (not target or 2 * shared >= len(target))


_ALIKE: Final = {"recurring": "active"}


def _status(label: Label) -> str:
    """The labelled status; habits are active, and "would like to" was labelled as a plan though it is a wish."""
    return "active" if label.verb == "like" else _ALIKE.get(label.status, label.status)


@dataclass(slots=True)
class Tally:
    """Counts of one source."""

    found: int = 0
    right: int = 0
    status: int = 0
    wanted: int = 0
    met: int = 0

    def row(self, name: str) -> str:
        """The counts as a line: statements, precision, labels wanted, recall, status right among what is right."""
        shares = (self.right / max(1, self.found), self.met / max(1, self.wanted), self.status / max(1, self.right))
        precision, recall, status = (f"{100 * share:8.1f}" for share in shares)
        return f"{name:12} {self.found:5} {precision} {self.wanted:7} {recall} {status}"


def score(
    tally: Tally, found: Sequence[Statement], wanted: Sequence[Label], speaker: str, listener: str | None
) -> list[tuple[str, str]]:
    """Adds one sentence or turn to the counts; returns its errors."""
    errors: list[tuple[str, str]] = []
    met: set[int] = set()
    for each in found:
        fitting = [index for index, label in enumerate(wanted) if matches(each, label, speaker, listener)]
        tally.found += 1
        tally.right += bool(fitting)
        met.update(fitting)
        status = {_status(wanted[index]) for index in fitting}
        mine = "negated" if each.mood is Mood.NEGATED else _ALIKE.get(each.status, each.status)
        tally.status += mine in status
        shown = f"{each.subject} | {each.verb} | {each.object} | {each.status} {each.mood}"
        if not fitting:
            errors.append(("wrong", shown))
        elif mine not in status:
            errors.append(("status", f"{shown} != {'/'.join(status)}"))
    for index, label in enumerate(wanted):
        if not label.optional:
            tally.wanted += 1
            tally.met += index in met
            if index not in met:
                errors.append(("missed", f"{label.subject} | {label.verb} | {label.object} | {label.status}"))
    return errors


def turn_of(text: str, speaker: str, seq: int, at: datetime | None) -> Turn:
    """A stored turn with a speaker."""
    made = Turn(role="user", content=text, speaker=speaker, at=at)
    return made.stored(seq=seq, ordinal=seq, ingested_at=at or datetime(2024, 1, 1, tzinfo=UTC))


def moment(text: str) -> datetime:
    """The date of a conversation; the first of 2024 where it has none."""
    if not text:
        return datetime(2024, 1, 1, tzinfo=UTC)
    return dates.parse(text.replace(" on ", " "), dayfirst="." in text).replace(tzinfo=UTC)


def of_sentences(
    folder: Path, name: str, tallies: dict[str, Tally]
) -> Iterable[tuple[str, str, list[tuple[str, str]]]]:
    """The errors of each labelled sentence; the counts go to `tallies`."""
    wanted = labels(folder / name)
    for line in (folder / "sentences.txt").read_text(encoding="utf-8").splitlines():
        number, source, _, date, people, text = line.split("\t")
        speaker, _, listener = people.partition(">")
        found = statements([turn_of(text, speaker, 0, moment(date))])
        tally = tallies.setdefault(source, Tally())
        yield source, text, score(tally, found, wanted.get(number, []), speaker, listener)


def of_conversations(
    folder: Path, name: str, tallies: dict[str, Tally]
) -> Iterable[tuple[str, str, list[tuple[str, str]]]]:
    """The errors of each turn of the labelled conversations; the counts go to `tallies`."""
    wanted = labels(folder / name)
    for index, talk in enumerate(json.loads((folder / "conversations.json").read_text(encoding="utf-8"))):
        at = moment(talk["date"])
        turns = [turn_of(text, speaker, seq, at) for seq, (speaker, text) in enumerate(talk["turns"])]
        by_turn: dict[str, list[Statement]] = defaultdict(list)
        for each in statements(turns):
            by_turn[each.turn].append(each)
        for seq, turn in enumerate(turns):
            tally = tallies.setdefault(talk["source"], Tally())
            speaker = turn.speaker or ""
            errors = score(tally, by_turn[turn.id or ""], wanted.get(f"{index}.{seq}", []), speaker, None)
            yield talk["source"], f"{speaker}: {turn.text}", errors


# ------------------------------------------------------------------------------------------------------------- DialogRE

# Relations that the rules can express, by the noun or verb of a statement.
_RELATIONS: Final = {
    "per:siblings": "brother sister sibling",
    "per:parents": "father dad mother mom mum parent daddy mommy",
    "per:children": "son daughter kid child baby",
    "per:spouse": "husband wife married spouse",
    "per:girl/boyfriend": "girlfriend boyfriend dating",
    "per:friends": "friend",
    "per:roommate": "roommate",
    "per:boss": "boss",
    "per:client": "client",
    "per:other_family": "aunt uncle cousin nephew niece grandmother grandfather grandma grandpa",
    "per:title": "as",
    "per:age": "aged",
    "per:place_of_residence": "lives",
    "per:origin": "from born",
    "per:works": "at for",
    "per:employee_or_member_of": "at for",
    "per:visited_place": "goes visits travels",
    "per:pet": "dog cat pet",
    "per:date_of_birth": "born",
    "per:alternate_names": "named",
}


_WORK: Final = frozenset(("per:title", "per:works", "per:employee_or_member_of"))


def dialogre(path: Path, *, errors: bool) -> None:
    """Prints how many statements that express a relation are labelled so, of the pairs that DialogRE labels."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for number, (lines, relations) in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        labelled: dict[frozenset[str], set[str]] = defaultdict(set)
        for each in relations:
            labelled[frozenset((each["x"].lower(), each["y"].lower()))].update(each["r"])
            for kind, trigger in zip(each["r"], each["t"], strict=True):
                counts[kind]["wanted"] += bool(trigger)
        for found in statements(_turns_of(lines)):
            for kind, pair in _as_relations(found):
                if frozenset(pair) in labelled:
                    right = kind in labelled[frozenset(pair)]
                    counts[kind] += Counter(found=1, right=right)
                    if errors and not right:
                        print(f"  {number} {kind} {pair}: {found.subject} | {found.verb} | {found.object}")
    print("\nDialogRE                     found   right  labelled with a trigger")
    counts = {kind: counts[kind] for kind in sorted(_RELATIONS)}
    counts["all"] = sum(counts.values(), Counter())
    for kind, count in counts.items():
        print(f"{kind:28} {count['found']:5} {count['right']:7} {count['wanted']:7}")


def _turns_of(lines: Sequence[str]) -> list[Turn]:
    parts = [line.partition(": ") for line in lines]
    at = datetime(2000, 1, 1, tzinfo=UTC)
    return [turn_of(text, speaker, seq, at) for seq, (speaker, _, text) in enumerate(parts)]


def _as_relations(found: Statement) -> Iterable[tuple[str, tuple[str, str]]]:
    """The relations that a statement expresses, each with its pair of names."""
    owner, _, kin = found.subject.lower().partition("'s ")
    target = found.object.lower()
    other, _, role = target.partition("'s ")
    verb = set(found.verb.split())
    for kind, names in _RELATIONS.items():
        cues = set(names.split())
        direct = "works" in verb and bool(verb & cues) if kind in _WORK else bool(verb & cues)
        if direct:
            yield kind, (found.subject.lower(), target)
        elif found.verb in ("is", "is named") and kin and set(kin.split()) & cues:
            yield kind, (owner, target)
        elif found.verb == "is" and role and set(role.split()) & cues:
            yield kind, (found.subject.lower(), other)


def speed(folder: Path) -> None:
    """Turns per second of the thread's CPU time, over the labelled conversations."""
    talks: list[dict[str, Any]] = json.loads((folder / "conversations.json").read_text(encoding="utf-8"))
    at = datetime(2024, 1, 1, tzinfo=UTC)
    turns = [turn_of(text, who, seq, at) for talk in talks for seq, (who, text) in enumerate(talk["turns"])]
    statements(turns)
    rounds, begin = 10, time.thread_time()
    for _ in range(rounds):
        statements(turns)
    taken = time.thread_time() - begin
    words = sum(len(turn.text.split()) for turn in turns) / len(turns)
    print(f"{rounds * len(turns) / taken:.0f} turns of {words:.0f} words on average per second of CPU time")


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path, nargs="?")
    options.add_argument("--dialogre", type=Path)
    options.add_argument("--labels", default="1", help="which labelling: 1 or 2")
    options.add_argument("--left-out", default="realtalk", help="the source that no rule was chosen by")
    options.add_argument("--errors", nargs="?", const="all", help="print errors, of one source or all but the left-out")
    given = options.parse_args()
    if given.folder is None or not given.folder.exists():
        print("skipped: no folder with labelled sentences was given")
    else:
        for title, measure, name in (
            ("sentences", of_sentences, f"labels{given.labels}.txt"),
            ("conversations", of_conversations, f"convlabels{given.labels}.txt"),
        ):
            tallies: dict[str, Tally] = {}
            for source, text, errors in measure(given.folder, name, tallies):
                if given.errors == source or (given.errors == "all" and source != given.left_out):
                    print("\n".join([f"[{source}] {text}", *(f"      {kind}: {error}" for kind, error in errors)]))
            print(f"\n{title:12} found precision wanted  recall  status")
            whole = Tally()
            for source, tally in tallies.items():
                print(tally.row(source + ("*" if source == given.left_out else "")))
                whole = Tally(*(getattr(whole, name) + getattr(tally, name) for name in Tally.__slots__))
            print(whole.row("all"))
        speed(given.folder)
    if given.dialogre is not None and given.dialogre.exists():
        dialogre(given.dialogre, errors=bool(given.errors))


if __name__ == "__main__":
    main()
