"""Lists labels, and the turns and beats that they mark; aliases and parts of labels are resolved."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from clew.errors import InputError
from clew.rank.algebra.fields import DOMAIN
from clew.rows.annotations import TAG
from clew.rows.vocabulary import read_vocabulary
from clew.store.protocol import Reader
from clew.store.selections import LABEL_NAME, LABEL_OWNERS, LABEL_WEIGHTS, NODE_DATA
from clew.store.tables import NODE
from clew.store.turn_selections import TURN_SEQ
from clew.structure.hierarchy_codec import seqs_of, summary_of
from clew.structure.vocabulary import Vocabulary, part_in
from clew.types.ids import parse_turn_id, turn_id
from clew.types.labels import LabelCount, Labelled


def label_counts(reader: Reader, space: str, namespace: str) -> list[LabelCount]:
    """Counts every label of a namespace, the most frequent first, equally frequent ones by name."""
    words = _words(reader, space, namespace)
    roots_by_owner: dict[str, dict[str, None]] = {}
    key = (space, namespace)
    for row in LABEL_OWNERS.scan(reader, key, key, index="name"):
        roots_by_owner.setdefault(row.owner, {})[words.root(row.name)] = None
    for owner, domains in _domains(reader, space) if namespace == DOMAIN else ():
        roots_by_owner.setdefault(owner, {}).update(dict.fromkeys(domains))
    counts = Counter(_in_part(words, root, roots) for roots in roots_by_owner.values() for root in roots)
    aliases: dict[str, list[str]] = {}
    for form in sorted(words.labels):
        aliases.setdefault(words.root(form), []).append(form)
    others = {root: tuple(form for form in forms if form != root) for root, forms in aliases.items()}
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [LabelCount(name, count, others.get(name, ())) for name, count in ranked]


def labelled(reader: Reader, space: str, name: str, namespace: str) -> list[Labelled]:
    """The turns and beats that a label marks, in the order of sessions and turns; empty for an unknown label.

    A broad label also marks what its parts mark; `label/part` marks only that part.
    """
    return marked(reader, space, name, namespace, _words(reader, space, namespace))


def forms_of(words: Vocabulary, name: str, namespace: str) -> tuple[tuple[str, ...], str, str | None]:
    """All spellings and aliases of a label, sorted; the label itself; and the part of it that the name asks for.

    Raises:
        InputError: the name is empty.
    """
    root, part = _asked(words, name, namespace)
    forms = {root, name.strip()} | {form for form in words.labels if words.root(form) == root}
    return tuple(sorted(forms)), root, part


def is_in_part(words: Vocabulary, root: str, part: str, names: Iterable[str]) -> bool:
    """Whether something with these labels, among them the broad label `root`, belongs to this part of it."""
    return _in_part(words, root, [words.root(name) for name in names]) == f"{root}/{part}"


def marked(reader: Reader, space: str, name: str, namespace: str, words: Vocabulary) -> list[Labelled]:
    """As `labelled`, with a vocabulary that was read before."""
    forms, root, part = forms_of(words, name, namespace)
    best_by_owner: dict[str, tuple[float, str]] = {}
    for form in forms:
        key = (space, namespace, form)
        for row in LABEL_WEIGHTS.scan(reader, key, key, index="name"):
            best = best_by_owner.get(row.owner)
            if best is None or row.weight > best[0]:
                best_by_owner[row.owner] = row.weight, form
    for node, domains in _domains(reader, space) if namespace == DOMAIN else ():
        if root in domains:
            best_by_owner.setdefault(node, (domains[root], root))
    if part is not None:
        inside = {owner: _in_part(words, root, _roots(reader, space, owner, words)) for owner in best_by_owner}
        best_by_owner = {owner: mark for owner, mark in best_by_owner.items() if inside[owner] == f"{root}/{part}"}
    covered = [(*_covered(reader, space, owner), mark) for owner, mark in sorted(best_by_owner.items())]
    covered.sort(key=lambda segment: segment[0])
    return [
        Labelled(ref=place[-1], name=form, weight=weight, turn_ids=turns, title=title)
        for place, turns, title, (weight, form) in covered
    ]


def _domains(reader: Reader, space: str) -> Iterator[tuple[str, Mapping[str, float]]]:
    """Yields every node with its domains, which are stored in the node's own row."""
    for row in NODE_DATA.scan(reader, (space,), (space,)):
        yield row.node, summary_of(row.data).domains


def _words(reader: Reader, space: str, namespace: str) -> Vocabulary:
    return read_vocabulary(reader, space, None)[0] if namespace == TAG else Vocabulary()


def _asked(words: Vocabulary, name: str, namespace: str) -> tuple[str, str | None]:
    """The label that a name means, and the part of it, or None for the whole label."""
    said = name.strip()
    if not said:
        raise InputError(f"the label {name!r} is empty; `labels` lists the names that there are")
    if namespace != TAG:
        return said, None
    known = words.root(said if said in words.labels else said.casefold())
    first, _, last = said.rpartition("/")
    if known in words.labels or not first:
        return known, None
    root = words.root(first.casefold())
    part = words.root(last.casefold())
    return (root, part) if part in _parts(words, root) else (known, None)


def _parts(words: Vocabulary, root: str) -> tuple[str, ...]:
    label = words.labels.get(root)
    return () if label is None else tuple(dict.fromkeys(words.root(part) for part in label.parts))


def _in_part(words: Vocabulary, root: str, roots: Iterable[str]) -> str:
    part = part_in([other for other in _parts(words, root) if other != root], roots)
    return root if part is None else f"{root}/{part}"


def _roots(reader: Reader, space: str, owner: str, words: Vocabulary) -> Mapping[str, None]:
    key = (space, owner, TAG)
    return {words.root(name): None for name in LABEL_NAME.scan(reader, key, key)}


def _covered(reader: Reader, space: str, owner: str) -> tuple[tuple[str, int, int, str], tuple[str, ...], str | None]:
    """A sort key for the place of a labelled turn or node, the ids of the turns that it covers, and its title."""
    node = NODE.get(reader, (space, owner))
    if node is None:
        session, seq = parse_turn_id(owner)
        return (session, seq, 0, owner), (owner,), None
    seqs = seqs_of(node.data)
    if seqs is None:
        seqs = tuple(TURN_SEQ.scan(reader, (space, node.session, node.low), (space, node.session, node.high)))
    turns = tuple(turn_id(node.session, seq) for seq in seqs)
    return (node.session, node.low, node.level, owner), turns, node.title
