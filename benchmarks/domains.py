"""Macro-F1 of the domains on real text. Run `python -m benchmarks.domains DATA [--more FOLDER] [--part tune|unseen]`.

DATA is a folder with `domains`, `realtalk-dev`, `tiage` and agent sessions (docs/benchmarks.md says where they come
from); FOLDER holds `<domain>/<document>.txt`. A document's domain is that of all its passages, about 180 words each,
at most twelve of them, evenly spread. Documents are parted by a hash of their names, and lists are to be improved by
looking at `tune` alone. With `--vectors FILE` the prototypes of MiniLM are measured as well; FILE keeps the vectors.
"""

import argparse
import csv
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.analyze.domains import CROSS_DOMAIN, domain_weights, domains_with_vector, tags
from clew.analyze.lexicon import DOMAINS
from clew.analyze.prototypes import prototypes_of
from clew.analyze.words import read
from clew.models.choose import choose_embedder
from clew.models.recorded import RecordedEmbedder

WORDS = 180
MOST = 12


@dataclass(frozen=True, slots=True)
class Document:
    """Passages of one origin, and so of one domain."""

    domain: str
    name: str
    passages: tuple[str, ...]

    @property
    def part(self) -> str:
        """`tune` or `unseen`, by the name alone."""
        return ("tune", "unseen")[hashlib.sha256(f"{self.domain}/{self.name}".encode()).digest()[0] % 2]


def documents(data: Path, more: Path | None) -> Iterator[Document]:
    """All documents; what is one book is one document."""
    domains = data / "domains"
    for path in (*sorted(domains.glob("physics/*.rbtex")), *sorted(domains.glob("mathematics/*.tex"))):
        yield _cut(path.parent.name, path.stem, plain(path.read_text(encoding="utf-8")))
    for folder, domain in (("historical", "historical"), ("philosophy", "philosophical")):
        for path in sorted((domains / folder).glob("*.txt")):
            yield _cut(domain, path.stem, body(path.read_text(encoding="utf-8")))
    lines = (domains / "poetry" / "poemo.english.emotion.tsv").read_text(encoding="utf-8").splitlines()
    poems = re.split(r"\n\n\n+", "\n".join(line.split("\t")[0].rstrip() for line in lines))
    for number, poem in enumerate(poems):
        if len(poem.split()) >= 60:
            yield Document("poetry", f"poemo {number}", (poem,))
    with (domains / "medical" / "MTS-Dialog-ValidationSet.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            said = [text for text in (row["section_text"], row["dialogue"]) if len(text.split()) >= 40]
            yield Document("medical", f"mts {row['ID']}", tuple(said))
    for path in sorted((domains / "legal").glob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            texts = [row["text"] for row in csv.DictReader(file, delimiter="\t")]
        yield _cut("legal", path.name.split(".")[0], "\n\n".join(texts))
    yield from _chats(data)
    yield from _sessions(data)
    for path in sorted(more.glob("*/*.txt")) if more else ():
        yield _cut(path.parent.name, path.stem, plain(body(path.read_text(encoding="utf-8"))))


def _chats(data: Path) -> Iterator[Document]:
    for path in sorted((data / "realtalk-dev").glob("Chat_*.json")):
        chat = json.loads(path.read_text(encoding="utf-8"))
        turns = [turn["clean_text"] for key in chat if re.fullmatch(r"session_\d+", key) for turn in chat[key]]
        yield _cut("conversational", path.stem, "\n\n".join(turns))
    for number, said in json.loads((data / "tiage" / "anno_dev.json").read_text(encoding="utf-8")).items():
        yield Document("conversational", f"tiage {number}", ("\n".join(text for text, _ in said),))


def _sessions(data: Path) -> Iterator[Document]:
    for path in sorted(
        (*data.glob("agent_claude_code_*/*/full.jsonl"), *data.glob("agent_claude_code_viewer/f*.jsonl"))
    ):
        said = []
        for line in path.read_text(encoding="utf-8").splitlines():
            message = json.loads(line).get("message") if line.startswith('{"') else None
            parts = message["content"] if isinstance(message, dict) and message["role"] == "assistant" else ()
            said += [part["text"] for part in parts if isinstance(part, dict) and part.get("type") == "text"]
        yield _cut("technical_prose", path.parent.name, "\n\n".join(said))


def _cut(domain: str, name: str, text: str) -> Document:
    """Paragraphs gathered until they have the words of a passage; the last is dropped when it is short."""
    passages: list[str] = []
    gathered: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        gathered.append(paragraph.strip())
        if sum(len(part.split()) for part in gathered) >= WORDS:
            passages.append("\n\n".join(filter(None, gathered)))
            gathered = []
    return Document(domain, name, tuple(passages))


def sample(passages: Sequence[str]) -> list[str]:
    """At most `MOST` of the passages, evenly spread."""
    count = min(MOST, len(passages))
    return [passages[number * len(passages) // count] for number in range(count)]


def body(text: str) -> str:
    """A Gutenberg text without what surrounds it."""
    start = re.search(r"\*\*\* ?START OF.*?\*\*\*|\*END[* ]*THE SMALL PRINT.*", text)
    end = re.search(r"\*\*\* ?END OF|\nEnd of (?:the )?Project Gutenberg", text)
    return text[start.end() if start else 0 : end.start() if end else len(text)]


def plain(text: str) -> str:
    """Text without the markup of LaTeX, so that a format is not learnt for a subject; formulas become a letter."""
    text = re.sub(r"<%.*?%>|(?m:^[ \t]*%[^\n]*$)", "", text, flags=re.DOTALL)
    text = re.sub(r"\\begin\{(?:equation|align|eqnarray|multline)\*?\}.*?\\end\{\w+\*?\}", "x", text, flags=re.DOTALL)
    text = re.sub(
        r"\\(?:begin|end|label|cite|ref|eqref|input|index|includegraphics)\*?(?:\[[^\]]*\])?\{[^}]*\}", "", text
    )
    text = re.sub(r"\$\$?[^$]*\$\$?", "x", text)
    return re.sub(r"\\[a-zA-Z]+\*?(?:\[[^\]]*\])?|[{}~\\]", " ", text).replace("``", '"').replace("''", '"')


def report(name: str, found: Sequence[tuple[str, str]]) -> None:
    """Prints precision, recall and F1 by domain, and their macro mean, over pairs of true and found domain."""
    total = 0.0
    present = [domain for domain in DOMAINS if any(true == domain for true, _ in found)]
    for domain in present:
        hits = sum(true == said == domain for true, said in found)
        precision = hits / max(1, sum(said == domain for _, said in found))
        recall = hits / sum(true == domain for true, _ in found)
        score = 2 * precision * recall / (precision + recall) if hits else 0.0
        total += score
        wrong = Counter(said for true, said in found if true == domain != said).most_common(4)
        print(f"  {domain:16}{precision:6.2f}{recall:6.2f}{score:6.2f}  {', '.join(f'{n} {to}' for to, n in wrong)}")
    print(f"{name}: {len(found)} passages, macro-F1 {total / len(present):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--more", type=Path)
    parser.add_argument("--part", choices=("tune", "unseen"), default="unseen")
    parser.add_argument("--vectors", type=Path)
    arguments = parser.parse_args()
    chosen = [document for document in documents(arguments.data, arguments.more) if document.part == arguments.part]
    counts = Counter(document.domain for document in chosen if document.passages)
    print(f"{arguments.part}: documents {dict(sorted(counts.items()))}")
    passages = [(document.domain, passage) for document in chosen for passage in sample(document.passages)]
    report("rules", [(true, _first(domain_weights(text))) for true, text in passages])
    if arguments.vectors:
        inner, reason = choose_embedder("minilm")
        embedder = RecordedEmbedder(inner, arguments.vectors)
        known = prototypes_of(embedder)
        vectors = embedder.embed([text for _, text in passages])
        found = [domains_with_vector(read(text), row, known) for (_, text), row in zip(passages, vectors, strict=True)]
        report(reason, [(true, _first(weights)) for (true, _), weights in zip(passages, found, strict=True)])


def _first(weights: dict[str, float]) -> str:
    return next(tag for tag in tags(weights) if tag != CROSS_DOMAIN)


if __name__ == "__main__":
    main()
