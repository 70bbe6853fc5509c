"""Secrets in configuration are masked wherever their name stands; code, placeholders and types stay."""

import pytest

from clew.ingest.secrets.masking import mask, mask_json
from tests.unit.test_ingest_secrets import HEX, token

APART = [
    "env:\n  - name: DB_PASSWORD\n    value: {}\n",
    '- name: DB_PASSWORD\n  value: "{}"\n',
    '[{{"name": "DB_PASSWORD", "value": "{}"}}]',
    '{{"Key":"db_password","Value":"{}"}}',
    '{{"ParameterKey": "DbPassword", "ParameterValue": "{}"}}',
    '[{{"value": "{}", "name": "DB_PASSWORD"}}]',
    r'"- name: DB_PASSWORD\n  value: {}\n"',
    r"{{\"name\": \"DB_PASSWORD\", \"value\": \"{}\"}}",
    'variable "db_password" {{\n  type = string\n  default = "{}"\n}}',
    'set_sensitive {{\n  name  = "auth.password"\n  value = "{}"\n}}',
    '<property name="hibernate.connection.password">{}</property>',
    "<name>fs.azure.account.password</name>\n  <value>{}</value>",
    "<key>Password</key>\n<string>{}</string>",
]
SHELLS = [
    "+ export DB_PASSWORD={}",
    "+ PGPASSWORD={} psql -h db",
    "setenv DB_PASSWORD {}",
    "set -x DB_PASSWORD {}",
    "set -gx DB_PASSWORD '{}'",
    "FROM alpine\nENV DB_PASSWORD {}\n",
    'setx DB_PASSWORD "{}" /M',
    '$env:DB_PASSWORD = "{}"',
    "set DB_PASSWORD={}",
    "DB_PASSWORD_PROD={}",
    "DB_PASSWORD_2: '{}'",
    "DB_PASS={}",
    'smtpPass: "{}"',
    "heroku\nDB_PASSWORD:              {}\nPORT: 80",
    'os.putenv("DB_PASSWORD", "{}")',
    'System.setProperty("db.password", "{}")',
    '[Environment]::SetEnvironmentVariable("DB_PASSWORD", "{}", "User")',
    'ConvertTo-SecureString "{}" -AsPlainText -Force',
    "WIFI:T:WPA;S:home;P:{};;",
    'network={{\n  ssid="home"\n  psk="{}"\n}}',
    "Key         Value\n---         -----\npassword    {}\nuser        ann\n",
    "spring.datasource.username=ann\nspring.datasource.password={}\n",
    "[server]\nuser = ann\npassword = {}\n",
    "Server=db;User Id=sa;Password={};Encrypt=true",
]


@pytest.mark.requirement("F-SECRET-01")
@pytest.mark.parametrize("around", APART + SHELLS)
@pytest.mark.parametrize("secret", ["hunter2xyz", "correcthorse"])
def test_secrets_are_masked_by_their_names_in_configuration(around: str, secret: str) -> None:
    assert mask(around.format(secret)) == (around.format("[masked:credential]"), {"credential": 1})
    assert mask(around.format("[masked:credential]"))[1] == {}


@pytest.mark.requirement("F-SECRET-01")
@pytest.mark.parametrize(
    "around",
    [
        "+ export API_TOKEN={}",
        '$env:APP_SECRET = "{}"',
        "set TOKEN={}",
        "set -x API_TOKEN {}",
        "ENV API_KEY {}",
        "- name: API_TOKEN\n  value: {}\n",
        'variable "api_token" {{ default = "{}" }}',
        "RAILS_MASTER_KEY={}",
        "X-API-Key: {}",
    ],
)
def test_keys_and_tokens_are_masked_by_their_names_in_configuration(around: str) -> None:
    secret = token(16)
    assert mask(around.format(secret)) == (around.format("[masked:credential]"), {"credential": 1})


@pytest.mark.requirement("F-SECRET-02")
@pytest.mark.parametrize("secret", ["my long pass, phrase", "pass - with: signs; and (more)", r"with \"quoted\" words"])
@pytest.mark.parametrize(
    "around",
    [
        'DB_PASS="{}"',
        'DB_PASSWORD = "{}"',
        'export SMTP_PASS="{}"',
        'password: "{}"',
        '{{"dbPass": "{}"}}',
        '- name: DB_PASSWORD\n  value: "{}"\n',
        'setenv DB_PASSWORD "{}"',
        'variable "db_password" {{ default = "{}" }}',
    ],
)
def test_passwords_with_blanks_are_masked_to_their_closing_quote(around: str, secret: str) -> None:
    assert mask(around.format(secret)) == (around.format("[masked:credential]"), {"credential": 1})


@pytest.mark.requirement("F-SECRET-02")
@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("DB_PASS='my long pass, phrase'", "my long pass, phrase"),
        ("const password = `my long, pass`", "my long, pass"),
        ('"Env": ["DB_PASSWORD=my long pass", "X=1"]', "my long pass"),
        ('APP_SECRET="correct horse, battery"', "correct horse, battery"),
        ('"Server=db;Database=x;User Id=sa;Password=my long pass"', "my long pass"),
        ('"Password=my pass;Data Source=db;User ID=sa"', "my pass"),
        ("//r.example/:_auth=YW5uOmh1bnRlcjI=", "YW5uOmh1bnRlcjI="),
        (f"secret_key_base: {HEX}", HEX),
    ],
)
def test_the_whole_secret_is_masked(text: str, secret: str) -> None:
    assert mask(text) == (text.replace(secret, "[masked:credential]", 1), {"credential": 1})


@pytest.mark.requirement("F-SECRET-03")
@pytest.mark.parametrize(
    ("around", "secret"),
    [
        ("https://{}@host.example/x.git", token(20)),
        ("origin\thttps://{}@git.example/ann/x.git (fetch)", "0a1b2c3d4e" * 4),
        ("pip install --index-url https://{}@pypi.example/simple x", token(20)),
        ("registry=https://{}:@npm.example/", token(24)),
        ("https://ann:{}@host.example/", "p%40ss%21word"),
        ("https://ann:{}@host.example/", "pa$$word"),
    ],
)
def test_keys_and_passwords_in_addresses_are_masked(around: str, secret: str) -> None:
    assert mask(around.format(secret)) == (around.format("[masked:url-login]"), {"url-login": 1})


@pytest.mark.requirement("F-SECRET-03")
def test_key_and_password_of_one_address_are_both_masked() -> None:
    text = f"https://{token(20)}:x-oauth-basic@git.example/x"
    assert mask(text) == ("https://[masked:url-login]:[masked:url-login]@git.example/x", {"url-login": 2})


@pytest.mark.requirement("F-SECRET-01")
def test_names_beside_values_in_json_tell_secrets() -> None:
    given = [
        {"name": "DB_PASSWORD", "value": "hunter2xyz"},
        {"Key": "api_token", "Value": token(20)},
        {"name": "PORT", "value": "hunter2xyz"},
        {"kind": "Secret", "data": {"tls.crt": "aHVudGVyMnh5eg=="}, "stringData": {"a": {"b": "c"}, "n": "word"}},
        {"kind": "ConfigMap", "data": {"a": "aHVudGVyMnh5eg=="}},
    ]
    sign = "[masked:credential]"
    assert mask_json(given) == (
        [
            {"name": "DB_PASSWORD", "value": sign},
            {"Key": "api_token", "Value": sign},
            given[2],
            {"kind": "Secret", "data": {"tls.crt": sign}, "stringData": {"a": {"b": "c"}, "n": sign}},
            given[4],
        ],
        {"credential": 4},
    )


@pytest.mark.requirement("F-INGEST-17")
@pytest.mark.parametrize(
    "text",
    [
        "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db\n      key: password\n",
        "- name: DB_PASSWORD\n  value: ${DB_PASSWORD}\n",
        "- name: DB_PASSWORD\n  value: <your password>\n",
        "- name: password\n  value: string\n",
        '{name: "password", value: newPassword}',
        "{\n  name: 'password',\n  value: newPassword,\n}",
        'variable "db_password" {\n  type = string\n  default = var.password\n}',
        'variable "db_password" {\n  default = ""\n}',
        'value = random_password.db.result\nname = "db_password"',
        'set {\n  name = "auth.password"\n  value = data.x.y["z1"]\n}',
        'os.environ["X"] and SECRET_KEY = os.environ["SECRET_KEY_1"]',
        "token = get_token()\nmax_tokens=100\npassword: str\n",
        "MAX_TOKENS=100000\nTOKEN=$(cat file1)\nset TOKEN=%TOKEN1%",
        "ENV DB_PASSWORD\nARG API_TOKEN\nARG DB_PASSWORD=",
        "set the password Hunter to",
        "env TOKEN test1234",
        "password=password\nuser=user",
        "f(\n    user=user,\n    password=new_password,\n    token=token1)",
        "login(\n    password=secretvalue\n)",
        "password = new_password\nuser = new_user\n",
        '<input type="password" name="password" class="x" required>\n     </div>',
        "<key>Password</key>\n<string>${PASSWORD}</string>",
        "https://example.com@evil.example/ and https://user-name-of-ann@host.example/x",
        "https://ann.miller@host.example/ https://first_last_2023@host.example/x",
        "https://$USER:$PASS@host/ and https://{user}:{password}@host/ and https://%s:%s@host/",
        "the time is 12:30, https://localhost:8080/@scope/package",
        'headers = {"Authorization": "AuthenticationHandler"}',
        "Authorization: authorization_header_value_1",
        "first_pass = 'butterworth2'\nlow_pass: 'filter4x'\nbypass='stage2xx'",
        "the psk modulation, QPSK: 'symbols4'",
        "Password=;Server=db;User Id=sa",
        "Server=db;User Id=sa;Password={0};Encrypt=true",
        "Server=db;User Id=sa;Password=<password>;",
        "ConvertTo-SecureString $plain -AsPlainText",
        "Key    Value\npassword    required\n",
        'APP_SECRET="Please enter your secret here"',
        'localStorage.setItem("token", token)',
        'cookies.setItem("token", "session-token")',
    ],
)
def test_configuration_without_secrets_stays(text: str) -> None:
    assert mask(text) == (text, {})
