"""Secrets in columns and blocks are masked; what tables say about secrets stays."""

import pytest

from clew.ingest.secrets.masking import mask
from tests.support.effort import examples
from tests.unit.test_ingest_secrets import token

SIGN = "[masked:credential]"
TABLES = {
    "Markdown": "| user | password |\n|---|---|\n| ann | {} |\n| bob | {} |\n\nEnd | {{x1y2z3}}",
    "Markdown, marked": "| **Name** | **Password** | N |\n|:--|:-:|--|\n| ann | `{}` | x |\n| bob | `{}` | y |\n",
    "Markdown in JSON": r"| user | password |\n|---|---|\n| ann | {} |\n| bob | {} |\n",
    "psql": " id | user | password \n----+------+----------\n  1 | ann  | {}\n  2 | bob  | {}\n(2 rows)\n",
    "mysql": "+----+------+\n| user | password |\n+----+------+\n| ann | {} |\n| bob | {} |\n+----+------+\n",
    "CSV": "user,password,role\nann,{},admin\nbob,{},guest\n",
    "CSV, quoted": 'email;"DB Password"\n"a@x.example";"{}"\n"b@x.example";"{}"\n',
    "TSV": "host\tpwd\ndb1\t{}\ndb2\t{}\n",
    "fixed width": "username password   note\n-------- ---------- ----\nann      {} x\nbob      {} y\n",
    "capitals": "NAME   PASSWORD     AGE\nann    {}   3d\nbob    {}   4d\n",
}


@pytest.mark.requirement("F-SECRET-07")
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("secrets", [("hunter2xyz", "tr0ub4dor1"), ("swordfish1", "S3sam!4711")])
def test_cells_under_a_telling_header_are_masked(table: str, secrets: tuple[str, str]) -> None:
    text = TABLES[table]
    assert mask(text.format(*secrets)) == (text.format(SIGN, SIGN), {"credential": 2})
    assert mask(text.format(SIGN, SIGN))[1] == {}


@pytest.mark.requirement("F-SECRET-07")
@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("name,api_key\nann," + token(24) + "\n", token(24)),
        ("| service | token |\n|--|--|\n| x | " + token(24) + " |", token(24)),
        ("user,password\nann,swordfish\n", "swordfish"),
        ("user,password\nann,123456\n", "123456"),
        ("| card | name | PIN |\n|--|--|--|\n| blue | ann | 4711 |", "4711"),
        ('user,password\nann,"my long pass, phrase"\n', "my long pass, phrase"),
    ],
)
def test_keys_words_and_numbers_are_masked_beside_a_user(text: str, secret: str) -> None:
    assert mask(text) == (text.replace(secret, SIGN), {"credential": 1})


@pytest.mark.requirement("F-INGEST-17")
@pytest.mark.parametrize(
    "text",
    [
        "| Field | Password |\n|---|---|\n| type | varchar(255) |\n| rule | required |\n",
        "| user | password |\n|---|---|\n| ann | <password> |\n| bob | unchanged |\n| eve | |\n",
        "| Feature | Password | Passkey |\n|--|--|--|\n| Phishing | weak | strong |\n| Effort | medium | none |",
        "| token | count |\n|--|--|\n| the | 12 |\n| password1 | 3 |\n",
        "| Pin | GPIO |\n|--|--|\n| 4711 | 21 |",
        "| password | length |\n| ann | hunter2xyz | no rule below the header\n",
        "Ask for the user, password and token,\nthen enter the name, address2 and key1,\n",
        "user, password, token\n\nvalue1a, value2b, value3c",
        "def f(user, password, token):\n    return user1, password2, token3\n",
        "INSERT INTO t (user, password)\nVALUES (name1, value2)",
        "import user, password, token\nfrom x1y2 import a1b2c3, d4e5f6, g7h8i9\n"[:22],
        "user,password\nann,null\nbob,hashed\n",
        "user,password_hash\nann,0a1b2c3d4e5f\n",
        "NAME   TOKENS   PASSWORDS\nann    12       -\n",
        "| password | x |\n|---|---|",
        "password\n--------\n",
    ],
)
def test_tables_without_secrets_stay(text: str) -> None:
    assert mask(text) == (text, {})


MANIFESTS = {
    "YAML": "kind: Secret\nmetadata:\n  name: db\ndata:\n  cert: {}\n  'x': 1\n  n.b: \"{}\"\ntype: Opaque\n",
    "plain": "---\nstringData:\n  a: {}\n  b: |\n    {}\nkind: Secret\n---\nkind: ConfigMap\ndata:\n  a: open1234\n",
    "YAML in JSON": r"kind: Secret\ndata:\n  a: {}\n  b: {}\nmetadata:\n  name: dbname12\n",
    "JSON": '{{"kind": "Secret", "data": {{"a": "{}",\n "b": "{}"}}, "metadata": {{"name": "dbname12"}}}}',
    "JSON, kind last": '{{"data": {{"a": "{}", "b": "{}"}}, "kind": "Secret", "x": "y12345"}}',
}


@pytest.mark.requirement("F-SECRET-08")
@pytest.mark.parametrize("manifest", MANIFESTS)
def test_the_data_of_a_kubernetes_secret_are_masked(manifest: str) -> None:
    text = MANIFESTS[manifest]
    assert mask(text.format("aHVudGVyMnh5eg==", "correcthorse")) == (text.format(SIGN, SIGN), {"credential": 2})
    assert mask(text.format(SIGN, SIGN))[1] == {}


@pytest.mark.requirement("F-SECRET-08")
@pytest.mark.parametrize(
    "around",
    [
        "Your recovery codes:\n{}\n{}\n\nKeep them.",
        "Save these backup codes:\n\n1. {}\n2. {}\n",
        "my recovery codes are {}, {} and that is all",
        "## Recovery codes\n- `{}`\n- `{}`\n",
    ],
)
@pytest.mark.parametrize(
    "codes", [("a1b2c-d3e4f", "g5h6i-j7k8l"), ("48291357", "11223344"), ("0a1b2c3d4e", "5f6a7b8c9d")]
)
def test_lists_of_recovery_codes_are_masked(around: str, codes: tuple[str, str]) -> None:
    assert mask(around.format(*codes)) == (around.format(SIGN, SIGN), {"credential": 2})


@pytest.mark.requirement("F-SECRET-08")
@pytest.mark.parametrize("text", ["user: ann\npass: {}\n", '{{"user": "ann", "pass": "{}"}}', "login=ann pw={}"])
def test_a_short_name_beside_a_user_tells_a_password(text: str) -> None:
    assert mask(text.format("hunter2xyz")) == (text.format(SIGN), {"credential": 1})


@pytest.mark.requirement("F-INGEST-17")
@pytest.mark.parametrize(
    "text",
    [
        "kind: SecretStore\ndata:\n  a: b12345\n",
        "kind: Secret\nmetadata:\n  name: database1\n  labels:\n    app: shop1234\n",
        "kind: Secret\ndata:\n  a: {{ .Values.password1 }}\n  b: ${PASSWORD}\n",
        "kind: ConfigMap\ndata:\n  a: b12345\n---\nkind: Secret\n",
        "The recovery codes: write them down and keep them",
        "the backup code is in src/backup1.py and src/backup2.py",
        "recovery codes: see https://example.com/a1b2c3d4",
        "user: ann\nfirst pass: stage12345",
        "email: see below\npass: test_login_2",
    ],
)
def test_blocks_without_secrets_stay(text: str) -> None:
    assert mask(text) == (text, {})


@pytest.mark.thorough
@pytest.mark.timeout(120)
@pytest.mark.requirement("F-SECRET-07")
@pytest.mark.parametrize(
    "piece",
    [
        "| user | password |\n|---|---|\n| ann | ",
        "user,password\n",
        '{"kind": "Secret", "data": {"a": "\\',
        "PASSWORD  X\n",
    ],
)
def test_no_table_is_read_twice_so_that_a_long_text_takes_no_long_time(piece: str) -> None:
    size = examples(100_000, 600_000)  # squared, this many would take longer than a test may
    for text in (piece * (size // len(piece)), piece + "\\" * size):
        assert mask(mask(text)[0])[1] == {}
