"""Ways to fill a text with keywords that say nothing about each other. Each takes the chance and a topic's keywords.

Every style is what is met in the wild: lists, tags, pages written for a search engine, filler with keywords strewn in.
None is known to the rules of layer 1, and none may be.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

StuffingStyle = Callable[[Random, Sequence[str]], str]

_SMALL: Final = ("and", "of", "the", "for", "with", "in", "or", "a", "to", "on")
_FRAMES: Final = (
    "This page covers {}.",
    "Learn more about {} today.",
    "We offer the best {} here.",
    "Find out what {} can do for you.",
    "Everything you need to know about {}.",
    "Read our free guide to {}.",
)
_ADVERTS: Final = (
    "Looking for {a} {b}? Our {a} {b} guide has it all.",
    "Get the best {a} and {b} tips from {a} experts.",
    "Our {b} service is the number one choice for {a} and {c}.",
    "Whether you need {a}, {b} or {c}, we are here for you.",
    "Compare {a} {b} prices and save on {c} now.",
    "Thousands of customers trust us with {a}, {b} and {c}.",
    "Click here for {a} {b} {c} offers near you.",
    "If you want {a} then you also want {b} and {c}.",
)
_FILLER: Final = (
    "We drove home after the game and had dinner with friends",
    "The weather was mild and the park was full of children",
    "She had left her coat on the chair beside the window",
    "Nobody knew why the train had stopped before the bridge",
    "My neighbour paints his fence every other summer",
    "It took us an hour to find a place for the car",
    "They sold the old piano to a school in the north",
    "I forgot to buy milk on my way back from town",
)
_RELATIONS: Final = ("improves", "needs", "drives", "supports", "beats", "follows", "affects", "meets", "helps")
_CITIES: Final = ("Berlin", "Leeds", "Austin", "Lyon", "Porto", "Oslo", "Perth", "Kyoto", "Graz", "Delhi")


def _draw(chance: Random, keywords: Sequence[str], least: int, most: int) -> list[str]:
    return [chance.choice(keywords) for _ in range(chance.randint(least, most))]


def _rows(chance: Random, keywords: Sequence[str], comma: str, end: str, least: int, most: int) -> str:
    rows = [comma.join(_draw(chance, keywords, least, most)) for _ in range(chance.randint(8, 14))]
    return end.join(row.capitalize() for row in rows) + end.strip()


def _bare(chance: Random, keywords: Sequence[str]) -> str:
    return _rows(chance, keywords, " ", ". ", 3, 8)


def _commas(chance: Random, keywords: Sequence[str]) -> str:
    return _rows(chance, keywords, ", ", ". ", 3, 8)


def _bullets(chance: Random, keywords: Sequence[str]) -> str:
    return "- " + _rows(chance, keywords, " ", "\n- ", 1, 5)


def _sprinkled(chance: Random, keywords: Sequence[str]) -> str:
    """A list with a function word before some of its items."""
    rows = []
    for _ in range(chance.randint(8, 12)):
        words = _draw(chance, keywords, 4, 8)
        row = [part for word in words for part in (*chance.sample(_SMALL, chance.choice((0, 0, 1, 1, 2))), word)]
        rows.append(" ".join(row).capitalize())
    return ". ".join(rows) + "."


def _copulas(chance: Random, keywords: Sequence[str]) -> str:
    verbs = chance.choice((("is",), ("is", "are", "was"), ("is", "has", "means")))
    rows = []
    for _ in range(chance.randint(10, 18)):
        one, other = chance.sample(keywords, 2)
        rows.append(f"{one.capitalize()} {chance.choice(verbs)} {chance.choice(('', 'the ', 'a '))}{other}.")
    return " ".join(rows)


def _framed(chance: Random, keywords: Sequence[str]) -> str:
    frames = chance.sample(_FRAMES, chance.randint(1, 4))
    rows = [chance.choice(frames).format(" ".join(_draw(chance, keywords, 1, 3))) for _ in range(chance.randint(9, 14))]
    return " ".join(rows)


def _advert(chance: Random, keywords: Sequence[str]) -> str:
    favourites = chance.sample(keywords, 4)
    rows = []
    for frame in chance.choices(_ADVERTS, k=chance.randint(6, 10)):
        a, b, c = chance.sample(favourites, 3)
        rows.append(frame.format(a=a, b=b, c=c))
    return " ".join(rows)


def _tags(chance: Random, keywords: Sequence[str]) -> str:
    heads = ("Topic", "Keywords", "See also", "Tags", "Related", "Filed under", "Category", "Search terms")
    return " ".join(f"{head}: {', '.join(_draw(chance, keywords, 2, 6))}." for head in heads)


def _repeated(chance: Random, keywords: Sequence[str]) -> str:
    head = chance.choice(keywords)
    ends = ("online", "near me", "for beginners", "tips", "2024", "review", "cheap", "free", "guide", "best")
    rows = [f"{chance.choice(('best', 'cheap', 'top', 'buy', 'the'))} {head} {chance.choice(ends)}" for _ in range(15)]
    rows += [f"{head} {word}" for word in _draw(chance, keywords, 6, 12)]
    chance.shuffle(rows)
    return ". ".join(row.capitalize() for row in rows) + "."


def _strewn(chance: Random, keywords: Sequence[str]) -> str:
    """Sentences that have nothing to do with each other, with keywords put between their words."""
    rows = []
    for sentence in chance.sample(_FILLER, 6):
        words = sentence.split()
        for word in _draw(chance, keywords, 3, 5):
            words.insert(chance.randint(1, len(words)), word)
        rows.append(" ".join(words) + ".")
    return " ".join(rows)


KNOWN: Final[dict[str, StuffingStyle]] = {
    "bare": _bare,
    "commas": _commas,
    "bullets": _bullets,
    "sprinkled": _sprinkled,
    "copulas": _copulas,
    "framed": _framed,
    "advert": _advert,
    "tags": _tags,
    "repeated": _repeated,
}
"""Styles that the constants of layer 1 were tried on."""


def _related(chance: Random, keywords: Sequence[str]) -> str:
    """Whole sentences that relate keywords at random."""
    rows = []
    for _ in range(chance.randint(9, 15)):
        one, other, third = chance.sample(keywords, 3)
        tail = chance.choice(("", f" and {third}", f" with {third}", f" in the {third}"))
        rows.append(f"{one.capitalize()} {chance.choice(_RELATIONS)} {other}{tail}.")
    return " ".join(rows)


def _asked(chance: Random, keywords: Sequence[str]) -> str:
    frames = ("What is {}?", "How does {} work?", "Why do you need {}?", "Which {} is the best?", "Where is {} used?")
    return " ".join(chance.choice(frames).format(word) for word in _draw(chance, keywords, 10, 16))


def _hashtags(chance: Random, keywords: Sequence[str]) -> str:
    rows = [" ".join(f"#{word}" for word in _draw(chance, keywords, 3, 6)) for _ in range(chance.randint(4, 8))]
    return "\n".join(f"{chance.choice(('So good!', 'New post!', 'Check it out!', 'Wow!'))} {row}" for row in rows)


def _places(chance: Random, keywords: Sequence[str]) -> str:
    rows = []
    for city in chance.sample(_CITIES, 8):
        one, other = chance.sample(keywords, 2)
        rows.append(f"Are you in {city} and want {one}? {city} has {other} and {one} for everyone.")
    return " ".join(rows)


def _glossary(chance: Random, keywords: Sequence[str]) -> str:
    rows = []
    for word in chance.sample(keywords, min(9, len(keywords))):
        one, other = chance.sample(keywords, 2)
        rows.append(f"{word.capitalize()}: see {one} and {other}, or {chance.choice(keywords)}.")
    return "\n".join(rows)


def _headlines(chance: Random, keywords: Sequence[str]) -> str:
    frames = ("{} Ways To Love {}", "Why {} Is The New {}", "The Truth About {} And {}", "{} Or {}", "From {} To {}")
    rows = []
    for _ in range(chance.randint(9, 13)):
        one, other = chance.sample(keywords, 2)
        rows.append(chance.choice(frames).format(one.capitalize(), other.capitalize()))
    return "\n".join(rows)


def _table(chance: Random, keywords: Sequence[str]) -> str:
    rows = [f"| {chance.choice(keywords)} | {chance.choice(keywords)} | {chance.randint(1, 99)} |" for _ in range(14)]
    return "\n".join(("| name | value | rank |", "|---|---|---|", *rows))


def _salad(chance: Random, keywords: Sequence[str]) -> str:
    """Keywords and function words in equal parts, in random order."""
    rows = []
    for _ in range(chance.randint(7, 11)):
        words = _draw(chance, keywords, 4, 7) + chance.choices((*_SMALL, "is", "it", "that", "we", "not", "was"), k=6)
        chance.shuffle(words)
        rows.append(" ".join(words).capitalize() + ".")
    return " ".join(rows)


UNSEEN: Final[dict[str, StuffingStyle]] = {
    "related": _related,
    "asked": _asked,
    "hashtags": _hashtags,
    "places": _places,
    "glossary": _glossary,
    "headlines": _headlines,
    "table": _table,
    "salad": _salad,
}
"""Styles that were not run before the constants had been chosen."""

BEYOND: Final[dict[str, StuffingStyle]] = {"strewn": _strewn}
"""What rules cannot see: to a grammar of function words these are whole sentences, and each keyword ties what it meets.

They score like honest text, and need a model of the language to be told from it.
"""
