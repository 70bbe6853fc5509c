"""Alternative session names for a file or channel whose own name is taken by another one."""

from collections.abc import Callable, Iterable, Iterator
from itertools import count


def names_apart(session: str, holder: str) -> Iterator[str]:
    """Yields the names in the order in which they are tried: "chat", "FOLDER/chat", "FOLDER/chat 2", and so on.

    Args:
        holder: the folder, zip or export that has the file; may be empty.
    """
    yield session
    apart = f"{holder}/{session}" if holder else session
    if holder:
        yield apart
    yield from (f"{apart} {number}" for number in count(2))


def taken_and_free(names: Iterable[str], session: str, is_free: Callable[[str], bool]) -> tuple[list[str], str | None]:
    """The names that sessions have, and the first one that none has; None where all are taken.

    Behind the plain name, if it is free, the next one may be taken; behind another name that is free, none is.
    """
    taken: list[str] = []
    free: str | None = None
    for name in names:
        if not is_free(name):
            taken.append(name)
            continue
        free = free or name
        if name != session:
            break
    return taken, free
