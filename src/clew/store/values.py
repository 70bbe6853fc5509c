"""What a backend keeps: values of four kinds, rows of them, and the keys under which they are found."""

Value = str | int | float | bytes | None
Row = tuple[Value, ...]
Key = tuple[Value, ...]
