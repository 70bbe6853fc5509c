"""`clew restore`: prints what a reference stands for exactly as stored, or extracts an attachment."""

from pathlib import Path

import click

from clew.cli.opening import open_memory
from clew.cli.options import Scope, common
from clew.cli.show import err, turn_record
from clew.cli.terminal import emit, give_exactly
from clew.errors import InputError
from clew.store.new_file import naming
from clew.store.raw_file import refuse_home_file
from clew.text.printable import printable
from clew.types import Part, Turn
from clew.types.turn import full_text


@click.command()
@click.argument("ref")
@click.option("--out", "file", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.")
@click.option(
    "--part", type=click.IntRange(min=1), metavar="NUMBER", help="Only this part of the turn, counting from 1."
)
@click.option("--force", is_flag=True, help="Overwrite the file of --out.")
@common
def restore(scope: Scope, ref: str, file: Path | None, part: int | None, force: bool) -> None:
    """Print a turn exactly as stored, or extract an attachment.

    REF is the id of a turn, which search, quote and explain print; SESSION:NUMBER, as a block has them, serves as well.
    So does the reference of a collapsed tool chain (`chain-...`) or of a shrunk image (`image-...`). The text goes to
    standard output, with long tool outputs in full. With --out, an image or file is written byte for byte; if the
    turn has several, choose one with --part. A file that exists is overwritten only with --force. With --json and
    without --out, the whole turn is printed, its bytes in hexadecimal. A terminal shows control characters as visible
    ones; a file or a pipe gets them unchanged.
    """
    if scope.as_json and file is None and part is not None:
        raise click.UsageError("--json prints the whole turn with its parts; leave out --part, or give --out.")
    if force and file is None:
        raise click.UsageError("--force belongs to --out; name a file, or leave it out.")
    if file is not None:
        refuse_home_file(file)
    if file is not None and file.exists() and not force:
        raise InputError(f"{str(file)!r} exists; give --force to overwrite it, or name a new file")
    with open_memory(scope) as memory:
        turn = memory.restore(ref)
    if scope.as_json and file is None:
        emit(turn_record(turn))
        return
    if file is not None:
        data = _original(turn, part, ref)
        with naming(file), file.open("wb" if force else "xb") as stream:
            stream.write(data)
        if scope.as_json:
            emit({"path": str(file), "bytes": len(data)})
            return
        err().print(f"{len(data):,} bytes written to {printable(str(file))}", style="dim")
        return
    text = _whole(turn) if part is None else _part(turn, part, ref).text
    give_exactly(text)
    _say_binary(turn)


def _whole(turn: Turn) -> str:
    """The text of a turn with what was injected into it, which is not a part of its searched text."""
    has_injected = any(part.type == "injected" for part in turn.parts)
    return full_text(turn.parts) if has_injected else turn.text


def _part(turn: Turn, number: int, ref: str) -> Part:
    if number > len(turn.parts):
        raise InputError(f"{ref} has no part {number}; it has {len(turn.parts)}, which --json shows")
    return turn.parts[number - 1]


def _original(turn: Turn, number: int | None, ref: str) -> bytes:
    """The bytes to write: of the given part, else of the only part with binary data, else the whole text.

    Raises:
        InputError: several parts have binary data, or the part does not exist.
    """
    if number is not None:
        part = _part(turn, number, ref)
        return part.text.encode("utf-8", "surrogatepass") if part.data is None else part.data
    binary = [number for number, part in enumerate(turn.parts, start=1) if part.data is not None]
    if len(binary) > 1:
        numbers = ", ".join(map(str, binary))
        raise InputError(f"{ref} has several attachments, in parts {numbers}; choose one with --part")
    if binary:
        return turn.parts[binary[0] - 1].data or b""
    return _whole(turn).encode("utf-8", "surrogatepass")


def _say_binary(turn: Turn) -> None:
    for number, part in enumerate(turn.parts, start=1):
        if part.data is not None:
            kind = part.media_type or part.type
            err().print(
                f"part {number}: {printable(kind)}, {len(part.data):,} bytes; --part {number} --out FILE", style="dim"
            )
