"""What a backend keeps: values of four kinds, rows of them, and the keys and bounds by which they are found."""

Value = str | int | float | bytes | None
Row = tuple[Value, ...]
Key = tuple[Value, ...]


def past_prefix(prefix: str) -> str:
    """A bound behind every text that begins with a prefix, and before all other texts behind it."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)
