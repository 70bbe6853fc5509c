"""Facts as rows, with the statements that they are made of, how they are found, and the links between them."""

import zlib
from typing import Final

from clew.store.knowledge_row_types import FactRow, StatementRow
from clew.store.protocol import Transaction
from clew.store.tables import FACT, FACT_KEY, FACT_LINK, STATEMENT

TABLES_OF_FACTS: Final = (STATEMENT, FACT, FACT_KEY, FACT_LINK)
"""What is made of the turns here; dropped as a whole it is made again."""


def drop_facts(tx: Transaction, space: str) -> int:
    """Deletes all facts of a space and their links; gives the number of facts."""
    return {table.name: tx.delete(table.name, (space,), (space,)) for table in TABLES_OF_FACTS}[FACT.name]


def fact_text(row: StatementRow | FactRow) -> str:
    """The JSON of a row."""
    return zlib.decompress(row.data, -zlib.MAX_WBITS).decode("utf-8", "surrogatepass")
