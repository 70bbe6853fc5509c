"""An installation of schema 3 on a server, with what was said of turns in its old form, after the next step."""

import psycopg
import pytest

from clew.rows.annotations import annotations_of, makers_of
from clew.rows.receipts import receipt_text
from clew.store.postgres import PostgresStore
from tests.support.postgres_servers import Server
from tests.support.store_rows import everything, put, session, turn

BACK = """
DELETE FROM installation WHERE schema_number >= 4;
DROP TABLE mention, quest;
DROP TABLE statement, fact, fact_key, fact_link, extraction_run, extraction_chunk;
DROP TABLE request_log, injection, message, conversation;
DROP TABLE stand_in, material, recap_state, rendering, compaction, original, pin, weighing, analysis;
ALTER TABLE receipt ALTER COLUMN data TYPE text COLLATE "C" USING convert_from(data, 'UTF8');
INSERT INTO annotation VALUES
    ('a', 's:turn:0', 'weighing', '{"layer1":0.25}', 'rule', 5),
    ('a', 's:turn:0', 'analysis', '{"novelty":0.5}', 'model:"m"@1', 5),
    ('a', 's:turn:0', 'mood', '"good"', 'user', 1);
INSERT INTO receipt VALUES ('a', 'r1', 1, '{"query":"tea ☕"}');
"""


@pytest.mark.requirement("F-FORM-02", "F-FORM-03")
def test_rows_of_an_older_installation_are_moved(server: Server, url: str) -> None:
    store = PostgresStore.open(url)
    put(store, "session", session("s"))
    put(store, "turn", turn("s", 0, 7))
    with psycopg.connect(server.url(options=f"-c search_path={store._schema}"), autocommit=True) as older:
        older.execute(BACK)
    store.close()
    store = PostgresStore.open(url)
    assert everything(store, "weighing") == [("a", 7, '{"layer1":0.25}', 5)]
    assert [row[:1] + row[2:] for row in everything(store, "annotation")] == [("a", "mood", '"good"', "user", 1)]
    with store.snapshot() as reader:
        said = annotations_of(reader, "a", "s:turn:0")
        assert makers_of(reader, "a") == ["rule", 'model:"m"@1']
    assert {kind: (each.value, each.provenance) for kind, each in said.items()} == {
        "layer1": (0.25, "rule"),
        "mood": ("good", "user"),
        "novelty": (0.5, 'model:"m"@1'),
    }
    ((_, _, _, data),) = everything(store, "receipt")
    assert isinstance(data, bytes)
    assert receipt_text(data) == '{"query":"tea ☕"}'
    store.close()
