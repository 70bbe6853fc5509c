"""How many facts of a model are believed, right ones and wrong ones: a scripted model answers about known turns.

    python -m benchmarks.model_guard

The right answers are the statements that a reader finds in the turns of `data/update_stories.txt`, each with the
sentence that states it. The wrong ones are made of them, one kind of mistake at a time: the value, the number or the
subject of another turn, what is asked, supposed or denied told as so, a sentence that nobody said. A model that makes
such mistakes in one of so many facts has, after the guard, the precision that the last lines give.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from benchmarks.update_stories import Said, read_stories
from clew.evaluate.tables import Sheet
from clew.knowledge.model_facts import SCHEMA, SaidTurn, model_facts
from clew.models.schema import problem
from clew.text.sentences import sentence_spans
from clew.types.facts import Effect, Mood, Statement
from clew.types.ids import turn_id

Answer = Mapping[str, str]
RIGHT: Final = "right"
_DIGITS: Final = re.compile(r"\d+")
_STATED: Final = (Mood.ASSERTED, Mood.NEGATED)


def answer(statement: Statement, quote: str, **changed: str) -> Answer:
    """A statement as a model would give it, with some fields changed."""
    effect = Effect.CEASES if statement.mood is Mood.NEGATED else statement.effect
    texts = {name: getattr(statement, name) or "" for name in ("scope", "instead_of", "where")}
    told = {
        "quote": quote,
        "subject": statement.subject,
        "verb": statement.verb,
        "object": statement.object,
        "status": statement.status.value,
        "type": statement.type.value,
        "effect": effect.value if effect is not Effect.RETRACTS else Effect.CORRECTS.value,
        **texts,
        "when": "",
        "reason": "",
    }
    return {**told, **changed}


def sentence_of(said: Said, statement: Statement) -> str:
    """The sentence of a turn that has most words of a statement's object."""
    wanted = set(statement.object.casefold().split())
    every = [said.text[start:end] for start, end in sentence_spans(said.text)]
    return max(every, key=lambda each: len(wanted.intersection(re.findall(r"[\w.'-]+", each.casefold()))))


def wrong(said: Said, statement: Statement, quote: str, others: Sequence[Statement]) -> Iterator[tuple[str, Answer]]:
    """What a model may make of a statement, by kind of mistake."""
    for other in others:
        if other.verb == statement.verb and other.object and other.object.casefold() not in said.text.casefold():
            yield "value of another turn", answer(statement, quote, object=other.object)
            break
    for other in others:
        if other.subject.casefold() not in (said.speaker.casefold(), *said.text.casefold().split()):
            yield "subject of another turn", answer(statement, quote, subject=other.subject)
            break
    if (number := _DIGITS.search(statement.object)) is not None:
        value = statement.object.replace(number[0], str(int(number[0]) + 1), 1)
        yield "another number", answer(statement, quote, object=value)
    if statement.mood is Mood.NEGATED:
        yield "denied, told as so", answer(statement, quote, effect=Effect.STATES.value, status="active")
    yield "sentence nobody said", answer(statement, f"{statement.subject} {statement.verb} {statement.object}, surely.")


def cases() -> Iterator[tuple[str, Said, Answer]]:
    """Answers with their kinds: right, or the kind of mistake."""
    turns = [said for story in read_stories() for said in story.turns]
    every = [each for said in turns for each in said.statements]
    for place, said in enumerate(turns):
        later = [each for other in turns[place + 1 :] for each in other.statements] + every
        for each in said.statements:
            quote = sentence_of(said, each)
            if each.provenance != "rule":
                continue  # made by a user's correction: no turn says it
            if each.mood not in _STATED:
                yield f"{each.mood}, told as so", said, answer(each, quote, effect=Effect.STATES.value)
                continue
            yield RIGHT, said, answer(each, quote)
            for kind, made in wrong(said, each, quote, later):
                yield kind, said, made


def is_believed(said: Said, told: Answer) -> bool:
    """Whether a fact of a model about a turn is believed."""
    value = {"facts": [dict(told)]}
    if (broken := problem(value, SCHEMA)) is not None:
        raise SystemExit(f"the scripted answer {told} does not match the schema: {broken}")
    turn = SaidTurn(turn_id(said.session, said.seq), said.speaker, said.at, said.text)
    return bool(model_facts(value, turn, "model:scripted").statements)


def main() -> None:
    made: dict[str, list[bool]] = {}
    for kind, said, told in cases():
        made.setdefault(kind, []).append(is_believed(said, told))
    rows = [
        (kind, f"{len(found)}", f"{sum(found)}", f"{100 * sum(found) / len(found):.0f}") for kind, found in made.items()
    ]
    print(Sheet("Facts of a scripted model", ("kind", "facts", "believed", "%"), tuple(rows)).text())
    right = sum(made[RIGHT]) / len(made[RIGHT])
    mistakes = [each for kind, found in made.items() if kind != RIGHT for each in found]
    through = sum(mistakes) / len(mistakes)
    print(f"\n{100 * right:.0f} % of right facts and {100 * through:.1f} % of wrong ones are believed")
    for share in (0.1, 0.3, 0.5):
        kept = (1 - share) * right / ((1 - share) * right + share * through)
        print(f"of a model with {100 * share:.0f} % wrong facts, {100 * kept:.1f} % of what is believed is right")


if __name__ == "__main__":
    main()
