"""The lines of a recap that take more than a sentence: stretches, calls, and numbers in their words. Pure."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Final

from clew.condense.courtesy import without_courtesy
from clew.condense.material import RecapTurn
from clew.condense.renderings import cut
from clew.condense.sentence_worth import LEAD, Rarity, best_passage, form_of, marks_in, names_in
from clew.text.sentences import sentence_spans
from clew.text.terms import terms

_STRETCH: Final = 120
"""Characters of the line of a stretch."""

ABOUT: Final = "about "
"""How the line of a stretch begins in which no turn says what it was about."""

_TELLING: Final = 4
"""Different terms from which on a turn says what it is about; "yes, go on" does not."""

_OPENINGS: Final = re.compile(
    r"(?:now |then |next,? |first,? |great[!.,]? |ok(?:ay)?[!.,]? |good[!.,]? |perfect[!.,]? )*"
    r"(?:let me|let's|let us|i'll|i will|i'm going to|now )\b",
    re.IGNORECASE,
)
"""How an announcement of the next step begins."""

_PROPOSALS: Final = ("let's", "let us")
"""How an announcement ends that is a request where a user says it."""

_PLANS: Final = re.compile(
    r"(?:(?:so|now|then|next|first|and|ok(?:ay)?|great)[,!.]? |to [^,.]{3,80}, )*"
    r"(?:i|we)(?:'ll| will| need to| should| have to| can now|'m going to| am going to|'re going to| are going to)\b",
    re.IGNORECASE,
)
"""How what is yet to be done is said."""

_AGREES: Final = re.compile(
    r"(?:(?:yes|yep|yeah|ok(?:ay)?|sure|great|perfect|please|that (?:works|sounds)[^.!,]{0,30}|sounds good)[,.! ]+)"
    r"{0,5}(?:(?:please |let's |you can )*(?:go ahead|proceed|continue|do (?:it|that)|confirm)\b[^.!?]{0,60}|)[.!?]*\Z",
    re.IGNORECASE,
)
"""The words of somebody who agrees to what was proposed."""

_STEP: Final = re.compile(r"(?:now|next|then|first|let me)\b", re.IGNORECASE)
_NUMBERED: Final = re.compile(r"\A\(?(?:[0-9]{1,2}|[A-Za-z])[.)]\s+(?=\S)")
_TITLE: Final = re.compile(r"[A-Z][\w-]*(?: (?:[A-Z][\w-]*|and|or|of|the|for|to|in|with|&)){0,5}")
"""A line that heads what follows: `Session Management`."""
_CONJUNCTION: Final = re.compile(r"\A(?:and|so|but|or|because)\b,?\s+(?=\S)", re.IGNORECASE)

_WHOLE: Final = 2.2
_SENTENCE: Final = 120  # characters of a sentence from which one without an end is taken to be cut off

_ARGUMENT: Final = 32  # characters of a call's argument
_BEFORE: Final = 4  # words shown before a number
_AFTER: Final = 1
_NEAR: Final = 60  # characters in which they are looked for
_SENTENCE_END: Final = re.compile(r"[.;:!?,][)\"']*\s|\n|[|]")


def line_of_stretches(
    topics: Sequence[tuple[str, int]], turns: Sequence[RecapTurn], rarity: Rarity | None = None
) -> list[tuple[int, str]]:
    """What each stretch was about, oldest first, with the turn that says so: its request, else its finding.

    Args:
        topics: title and first turn of each stretch; the title stands where no turn says what it was about.
    """
    names = {low: name for name, low in topics}
    starts = sorted(names)
    found: dict[str, int] = {}
    for low, high in zip(starts, [*starts[1:], math.inf], strict=False):
        own = [turn for turn in turns if low <= turn.seq < high]
        turn = _most_telling(own)
        line = (
            (low, ABOUT + names[low])
            if turn is None
            else (turn.seq, f"{turn.name}: {best_opening(turn.prose, _STRETCH, rarity, by_user=turn.by_user)}")
        )
        found.pop(line[1], None)
        found[line[1]] = line[0]
    return [(seq, line) for line, seq in found.items()]


def _most_telling(turns: Sequence[RecapTurn]) -> RecapTurn | None:
    """The first request that says something, else the weightiest finding."""
    wishes = (turn for turn in turns if turn.origin == "user" and says_something(turn))
    asked = next((turn for turn in wishes if _names_a_matter(turn.prose)), None)
    found = (turn for turn in turns if turn.origin == "assistant" and says_something(turn))

    def worth(turn: RecapTurn) -> tuple[bool, float, int]:
        return not is_plan(best_opening(turn.prose, _STRETCH)), round(turn.importance, 4), -turn.seq

    return asked or max(found, key=worth, default=None)


def opening(text: str, most: int, *, by_user: bool = False, is_begun: bool = False) -> str:
    """The first sentence that says something, and those after it as far as they fit, on one line; else the beginning.

    The numbers of listed sentences are left out, and what would be the last sentence if it only announces something.

    Args:
        most: characters; a first sentence may have `_WHOLE` times as many, of a longer one only so many are shown.
        by_user: whether it is a user's, whose "Let's implement it" is a request.
        is_begun: whether the text begins with what is to be told, however little its first sentence says.
    """
    head = text[: 8 * most]
    lines = [_unlisted(" ".join(head[start:end].split()).strip("#*_ ")) for start, end in sentence_spans(head)]
    telling = [tells(line, by_user=by_user) for line in lines]
    first = telling.index(True) if True in telling and not is_begun else 0
    told: list[str] = []
    for line in lines[first:]:
        if told and len(" ".join([*told, line])) > most:
            break
        told.append(line)
    is_cut = first + len(told) < len(lines)
    while any(telling[first : first + len(told) - 1]) and _leads_on(told, is_cut=is_cut, by_user=by_user):
        told.pop()
    line = _joined(told)
    return line if len(told) == 1 < len(lines) and len(line) <= _WHOLE * most else cut(line, most)


def _joined(lines: Sequence[str]) -> str:
    """Sentences on one line; one without an end, as an entry of a list, is told from the next by a semicolon."""
    others = (f"{line};" if line.rstrip("\"'()[]*`_ ")[-1:].isalnum() else line for line in lines[:-1])
    return " ".join([*others, *lines[-1:]])


def best_opening(text: str, most: int, rarity: Rarity | None = None, *, by_user: bool = False) -> str:
    """A text on one line as `opening` gives it, but from its worthiest sentence on."""
    best = opening(text[best_passage(text, rarity, int(_WHOLE * most)).start :], most, by_user=by_user)
    if _any_tells(best, by_user=by_user):
        return best
    begun = opening(text, most, by_user=by_user)  # the best words may be headings without what stands below them
    return begun if not best or _any_tells(begun, by_user=by_user) else best


def _any_tells(line: str, *, by_user: bool) -> bool:
    return any(tells(sentence, by_user=by_user) for sentence in sentences_of(line))


def _leads_on(told: Sequence[str], *, is_cut: bool, by_user: bool) -> bool:
    """Whether the last of these sentences needs what follows: it announces something, heads or opens a list."""
    last = told[-1]
    is_open = is_cut and not last.endswith((".", "!", "?", "\u2026", "\u3002"))
    is_item = is_open and (told[-2].endswith(":") or _TITLE.fullmatch(last) is not None)
    return is_item or last.endswith(":") or announces(last, by_user=by_user)


def _unlisted(line: str) -> str:
    """A line without the number or letter that it has in a list: `B) `, `5. `."""
    return _NUMBERED.sub("", line)


def as_sentence(text: str) -> str:
    """A statement as a sentence of its own: without its number in a list and the conjunction that it begins with."""
    bare = _CONJUNCTION.sub("", _unlisted(text))
    return bare[:1].upper() + bare[1:] if bare != text else text


def announces(sentence: str, *, by_user: bool = False) -> bool:
    """Whether a sentence announces the next step ("Now let me run it:"); a user's "Let's run it" asks for it."""
    match = _OPENINGS.match(sentence)
    return match is not None and not (by_user and match[0].casefold().endswith(_PROPOSALS))


def is_plan(sentence: str) -> bool:
    """Whether a sentence says what is yet to be done ("We need to add a field first.")."""
    return announces(sentence) or _PLANS.match(sentence) is not None


def agrees(sentence: str) -> bool:
    """Whether a sentence only agrees to what was proposed ("Yes, please go ahead with it."), and names nothing."""
    return _AGREES.match(sentence) is not None and not marks_in(sentence) and not names_in(sentence)


def _names_a_matter(prose: str) -> bool:
    """Whether somebody's words are more than consent and thanks."""
    return any(form_of(sentence) >= LEAD and not agrees(sentence) for sentence in sentences_of(prose))


def sentences_of(prose: str) -> list[str]:
    """The sentences at the beginning of a turn's words."""
    return [" ".join(prose[start:end].split()) for start, end in sentence_spans(prose[:1_000])]


def takes_a_step(sentence: str) -> bool:
    """Whether a sentence says only what its speaker does next ("Now I'll write the parser.")."""
    return _STEP.match(sentence) is not None


def tells(sentence: str, *, by_user: bool = False) -> bool:
    """Whether a sentence has enough different terms to say what it is about, and announces nothing."""
    says_much = len(frozenset(terms(sentence))) >= _TELLING and not sentence.endswith(":")
    return says_much and not announces(sentence, by_user=by_user)


def says_something(turn: RecapTurn) -> bool:
    """Whether a reader who was not there learns something from a turn's words: no "yes", no announced next step."""
    prose = turn.prose
    if (
        turn.origin not in ("user", "assistant")
        or not prose
        or prose.endswith(":")
        or (turn.origin != "user" and _OPENINGS.match(prose) and len(prose) < 200)
    ):
        return False
    return len(frozenset(terms(prose[:1_000]))) >= _TELLING


def is_request(prose: str) -> bool:
    """Whether a person's words ask or tell something that an answer is due to; thanks and goodbyes do not."""
    said = without_courtesy(prose)
    return any(form_of(sentence) >= 1.0 or sentence.endswith("?") for sentence in sentences_of(said))


def awaits_answer(said: Iterable[tuple[str | None, str]]) -> bool:
    """Whether a person requested something after the assistant's last words.

    Args:
        said: origin and prose of turns, the last first; tools and turns without prose neither ask nor answer.
    """
    for origin, prose in said:
        if origin == "assistant" and prose:
            return False
        if origin == "user" and is_request(prose):
            return True
    return False


def states(text: str) -> bool:
    """Whether a sentence states something: a question does not, nor what is cut off or leads to a list."""
    text = _unlisted(text)
    bare = text.rstrip("\"')*`_ ")
    is_long = len(text) > _SENTENCE
    if any(text.count(left) != text.count(right) for left, right in ("()", "[]")):
        return False
    return not bare.endswith(("?", ":", ",", "…")) and not (is_long and bare[-1:].isalnum() and bare == text)


def in_plain_words(label: str) -> str:
    """A label as a reader would say it: `dark theme` for `dark-theme`; names of files and options stay."""
    parts = label.split("-")
    return " ".join(parts) if all(part.isalpha() for part in parts) else label


def line_of_calls(turn: RecapTurn) -> str:
    """What a turn without words did, shortly: `#105 Read state.go`; only its number where that is not known."""
    labels = turn.calls or tuple(label for label in turn.results if "(" in label)
    done = ", ".join(dict.fromkeys(_short(label) for label in labels[:2]))
    return f"#{turn.seq} {done}".rstrip()


def _short(label: str) -> str:
    """`Read state.go` for `Read(/home/x/state.go)`."""
    name, _, rest = label.partition("(")
    argument = rest.removesuffix(")")
    if "/" in argument and " " not in argument:
        places = argument.rstrip("/").split("/")
        argument = "/".join(places[-2:] if places[-1].endswith("…") else places[-1:])
    return f"{name} {argument if len(argument) <= _ARGUMENT else argument[: _ARGUMENT - 1] + '…'}".rstrip()


def is_fragment(path: str, paths: str) -> bool:
    """Whether a path lacks its start: another one goes on before its slash, as `src` does in `src/components/x`.

    Args:
        paths: all paths, each on a line.
    """
    at = paths.find(path) if path.startswith("/") else -1
    while at >= 0:
        if at and (paths[at - 1].isalnum() or paths[at - 1] in "_-"):
            return True
        at = paths.find(path, at + 1)
    return False


def _without_loose_words(words: list[str], value: str) -> str:
    """Words around a value, without those up to a backtick or bracket whose other half is not among them."""
    at = words.index(value)
    before, after = words[:at], words[at + 1 :]
    while before and _is_loose(" ".join(before)):
        before.pop(0)
    while after and _is_loose(" ".join(after)):
        after.pop()
    return " ".join([*before, value, *after]).strip("([\"'")


def _is_loose(text: str) -> bool:
    return bool(text.count("`") % 2) or any(text.count(left) != text.count(right) for left, right in ("()", "[]", "{}"))


def in_words(value: str, said: Sequence[str]) -> str:
    """A number or date with the words around it where it was last said, so that a reader knows what it counts.

    Args:
        said: what was said, oldest first; the value stands alone where nobody said it.
    """
    for text in reversed(said):
        start = text.find(value)
        if start >= 0 and not text[start - 1 : start].isalnum():
            end = start + len(value)
            before = _SENTENCE_END.split(text[max(0, start - _NEAR) : start])[-1].split()[-_BEFORE:]
            is_whole = not text[end : end + 1] or text[end].isspace()  # `0.0.0.0` of `0.0.0.0:8000` is not
            after = _SENTENCE_END.split(text[end : end + _NEAR])[0].split()[:_AFTER] if is_whole else []
            near = (word for word in (*before, f"`{value}`", *after) if any(map(str.isalnum, word)))
            return _without_loose_words(list(near), f"`{value}`")
    return f"`{value}`"
