"""Finds the possessions that a plain noun may mean: "dog" for the user's dog and for that of each speaker."""

import re
from typing import Final

from clew.index.view import IndexView
from clew.knowledge.groups import subject_key
from clew.recall.fact_query import named
from clew.rows.facts import places_of, subject_digest
from clew.store.protocol import Reader

MOST_OWNERS: Final = 200
"""Speakers whose things are looked for, each with one look-up; a conversation has a few, a desk thousands."""

_MINE: Final = re.compile(r"my\s+", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"(?:the|an?)\s+", re.IGNORECASE)
_OWNED: Final = re.compile(r"['’]s?\s")


def owned_subjects(reader: Reader, space: str, view: IndexView, subject: str) -> list[str]:
    """The subjects with an owner that a name may mean, as far as something was stated of them: "Anna's dog" for "dog".

    The user's comes first, then those of the speakers, in the order in which they first spoke. Empty for a name that
    has an owner already, and for the name of somebody who speaks.
    """
    noun = " ".join(subject.split())
    mine = _MINE.match(noun)
    noun = noun[mine.end() :] if mine else _ARTICLE.sub("", noun, count=1)
    key = subject_key(noun)
    if not key or _OWNED.search(noun) or key in {subject_key(name) for name in view.speakers[:MOST_OWNERS]}:
        return []
    owners = [named("me")] if mine else [named("me"), *view.speakers[:MOST_OWNERS]]
    subjects = (f"{owner}'s {noun}" for owner in owners if owner)
    return [each for each in subjects if places_of(reader, space, subject_digest(each), limit=1)]
