"""Secrets are masked, and what only looks random is not."""

import base64
import hashlib
import random
import re
import uuid

import pytest

from clew.ingest.secrets.masking import GUESSABLE, mask, mask_turn
from clew.types import Part, Turn

LETTERS = "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zAbCdEfGhIjKlMnOpQrStUv"


def token(length: int) -> str:
    """Characters as a random key has them; made here, so that no key stands in this file."""
    return (LETTERS * 4)[:length]


SECRETS = {
    "openai": "sk-" + token(48),
    "openai, of a project": "sk-proj-" + token(80),
    "openai, one case": "sk-" + hashlib.sha256(b"x").hexdigest(),
    "anthropic": "sk-ant-api03-" + token(90),
    "aws-id": "AKIA" + "ABCDEFGH12345678",
    "github": "ghp_" + token(36),
    "github, fine-grained": "github_pat_" + token(60),
    "gitlab": "glpat-" + token(20),
    "slack": "xoxb-" + "123456789012-" + token(24),
    "google": "AIza" + token(35),
    "stripe": "sk_live_" + token(24),
    "npm": "npm_" + token(36),
    "pypi": "pypi-" + token(80),
    "huggingface": "hf_" + token(34),
    "jwt": ".".join(
        base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (b'{"alg":"HS256"}', b'{"sub":"1234"}')
    )
    + "."
    + token(43),
    "card": "4111 1111 1111 1111",
    "card, plain": "5555555555554444",
    "card, American Express": "3782 822463 10005",
}


@pytest.mark.requirement("F-INGEST-16")
@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("around", ["it is {}, keep it", '{{"key": "{}"}}', "export X={}\nnext line", "{}"])
def test_keys_are_masked_wherever_they_stand(name: str, around: str) -> None:
    kind = name.partition(",")[0]
    digits = hashlib.sha256(SECRETS[name].encode()).hexdigest()[:8]
    sign = f"[masked:{kind}]" if kind in GUESSABLE else f"[masked:{kind}:{digits}]"
    assert mask(around.format(SECRETS[name])) == (around.format(sign), {kind: 1})


@pytest.mark.requirement("F-INGEST-16")
@pytest.mark.parametrize("text", ["password = 'hunter2!!'", "postgres://me:hunter2@host/db", "4111 1111 1111 1111"])
def test_nothing_is_left_to_guess_a_short_secret_by(text: str) -> None:
    masked, _ = mask(text)
    assert "[masked:" in masked
    assert re.search(r"[0-9a-f]{8}", masked) is None


@pytest.mark.requirement("F-INGEST-16")
@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("password = 'hunter2!!'", "hunter2!!"),
        ("DB_PASSWORD=correcthorse", "correcthorse"),
        ("db_password: s3cr3t-thing", "s3cr3t-thing"),
        ('{"password": "Sup3rSecret", "user": "ann"}', "Sup3rSecret"),
        (r'"{\"password\": \"Sup3rSecret\"}"', "Sup3rSecret"),
        ("apiKey: 'a1b2c3d4e5f6g7'", "a1b2c3d4e5f6g7"),
        ("client_secret=a1b2c3d4e5f6g7", "a1b2c3d4e5f6g7"),
        ("curl -H 'Authorization: Bearer abc.def-ghi_123'", "abc.def-ghi_123"),
        ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA=="),
        ("psql postgres://ann:s3cr3t@db.example:5432/app", "s3cr3t"),
        (
            "aws: AKIAABCDEFGH12345678 / wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz",
        ),
        (f"-----BEGIN RSA PRIVATE KEY-----\n{token(64)}\n{token(20)}==\n-----END RSA PRIVATE KEY-----", token(64)),
        (f"-----BEGIN PRIVATE KEY-----\\n{token(64)}\\n-----END PRIVATE KEY-----", token(64)),
    ],
)
def test_what_a_name_says_to_be_secret_is_masked(text: str, secret: str) -> None:
    masked, counts = mask(text)
    assert secret not in masked
    assert sum(counts.values()) >= 1
    assert mask(masked) == (masked, {})


RANDOM = random.Random(7)  # noqa: S311 - the same bytes on every run


@pytest.mark.requirement("F-INGEST-17")
@pytest.mark.parametrize(
    "text",
    [
        f"commit {hashlib.sha1(b'x', usedforsecurity=False).hexdigest()}",
        f"sha256:{hashlib.sha256(b'x').hexdigest()}",
        str(uuid.UUID(int=RANDOM.getrandbits(128))),
        "data:image/png;base64," + base64.b64encode(RANDOM.randbytes(30_000)).decode(),
        "1700000000000 1700000000000000 20240305143000",
        "4111 1111 1111 1112 and 1234567890123456",
        "password: required",
        "password = os.environ['DB_PASSWORD']",
        "connect(user=user, password=password, token=self.token)",
        "password=get_password(user1)",
        "the token limit is 4096 tokens: 12345678",
        'secret: "my secret"',
        "api_key=<your_api_key_here>",
        "token: ${GITHUB_TOKEN_123}",
        "PWD=/home/ann/w0rk/pr0ject",
        "token_type=bearer&expires=2024-03-05T14:30:00",
        "task-based-learning and sk-learn-something-or-other-2",
        "-----BEGIN PRIVATE KEY----- is how such a file begins",
        "https://example.com/a:b/c@d",
        "Authorization: Bearer <token>",
        "+49 170 1234567890123",
        "0x5555555555554444",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert mask(text) == (text, {})


@pytest.mark.requirement("F-INGEST-16")
def test_a_secret_has_always_the_same_mask_and_no_other_secret_has_it() -> None:
    one, other = SECRETS["github"], SECRETS["github"][:-1] + "x"
    assert mask(one) == mask(one)
    assert mask(one) != mask(other)


@pytest.mark.requirement("F-INGEST-16")
def test_letters_that_grow_in_lower_case_shift_nothing() -> None:
    secret = SECRETS["github"]
    assert mask(f"İİİ {secret} end")[0] == f"İİİ {mask(secret)[0]} end"


@pytest.mark.requirement("F-INGEST-16")
def test_every_part_of_a_turn_is_masked() -> None:
    key = SECRETS["openai"]
    parts = (
        Part(type="text", text=f"use {key}"),
        Part(type="tool_call", name="bash", text=f'{{"command": "echo {key}"}}'),
        Part(type="tool_result", text="ok", extra={"env": {"password": "hunter2"}, "argv": [key]}),
        Part(type="text", media_type="text/plain", data=f"file with {key}".encode()),
        Part(type="image", media_type="image/png", data=b"\x89PNG\xff" + key.encode()),
        Part(type="thinking", text="hm", extra={"signature": key}),
    )
    turn = Turn(role="user", content=parts, speaker=key, external_id=key, metadata={"note": key, "password": "hunter2"})
    masked, counts = mask_turn(turn)
    assert counts == {"openai": 6, "credential": 2}
    sign = mask(key)[0]
    assert masked.text.startswith(f"use {sign}\nbash(")
    assert masked.parts[2].extra == {"env": {"password": masked.metadata["password"]}, "argv": [sign]}
    assert masked.parts[3].data == f"file with {sign}".encode()
    assert masked.parts[4].data == parts[4].data  # an image is not text
    assert masked.parts[5].extra == {"signature": key}  # must stay as the provider wrote it
    assert (masked.speaker, masked.external_id, masked.metadata["note"]) == (sign, key, sign)


@pytest.mark.requirement("F-INGEST-16")
def test_a_turn_without_secrets_is_not_made_anew() -> None:
    turn = Turn(role="user", content="nothing here", metadata={"cwd": "/home/ann"})
    assert mask_turn(turn) == (turn, {})
    assert mask_turn(turn)[0] is turn


HEX = hashlib.sha512(b"made here").hexdigest()


@pytest.mark.requirement("F-INGEST-27")
@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('password = "p@ss,word;1"', "p@ss,word;1"),
        ("passphrase: 'correct horse battery staple'", "correct horse battery staple"),
        (r'{"password": "p@ss \"x\" word;1", "user": 1}', "word;1"),
        ("psql postgres://ann:s3/cr3t@db.example:5432/app", "s3/cr3t"),
        ("mysql://root:p%40ss/w0rd@localhost/app", "p%40ss/w0rd"),
        ("mongodb+srv://u:a@b/c@cluster.example.net/?x=1", "a@b/c"),
        (f"> -----BEGIN RSA PRIVATE KEY-----\n> {token(64)}\n> {token(6)}\n> -----END RSA PRIVATE KEY-----", token(6)),
        ("deploy --user ann --password hunter2 --now", "hunter2"),
        ("tool --password 'correct horse' x", "correct horse"),
        ("gh auth login --token 4f5a6b7c8d9e0f1a", "4f5a6b7c8d9e0f1a"),
        ('{"command": ["mysql", "--password", "hunter2", "shop"]}', "hunter2"),
        (r"{\"args\":[\"-y\",\"server\",\"--api-key\",\"4f5a6b7c8d9e0f1a\"]}", "4f5a6b7c8d9e0f1a"),
        ("run(['tool',\n     '--db-password',\n     'S3cret!'])", "S3cret!"),
        ("curl -u ann:hunter2 https://x.example", "hunter2"),
        ('curl -s -X POST --user "ann:pa ss;w" https://x.example', "pa ss;w"),
        ("mysql -u root -pS3cret! shop", "S3cret!"),
        ('mysqldump --all -p"S3cret!" shop', "S3cret!"),
        ('sshpass -p "tr0ub4dor" ssh ann@host', "tr0ub4dor"),
        ("machine api.example.com\n  login ann\n  password hunter22\n", "hunter22"),
        ('{"auths": {"r.example": {"auth": "YW5uOmh1bnRlcjI="}}}', "YW5uOmh1bnRlcjI="),
        ("Cookie: session=abcdef0123456789; theme=dark", "abcdef0123456789"),
        ("Set-Cookie: sid=s%3Aabcdef0123456789; Path=/; HttpOnly", "s%3Aabcdef0123456789"),
        ("<password>p@ss word</password>", "p@ss word"),
        ('<add key="DbPassword" value="p@ss;word"/>', "p@ss;word"),
        ("db:\n  user: ann\n  password: correcthorse\n", "correcthorse"),
        ("by the way my password is hunter2, do not tell", "hunter2"),
        ("My wifi password is swordfish.", "swordfish"),
        ('the passphrase is "correct horse battery"', "correct horse battery"),
    ],
)
def test_passwords_are_masked_in_every_usual_form(text: str, secret: str) -> None:
    masked, counts = mask(text)
    assert secret not in masked
    assert sum(counts.values()) >= 1
    assert mask(masked) == (masked, {})


@pytest.mark.requirement("F-INGEST-28")
@pytest.mark.parametrize(
    ("kind", "secret"),
    [
        ("sendgrid-api-token", f"SG.{token(22)}.{token(43)}"),
        ("twilio", f"SK{HEX[:32]}"),
        ("digitalocean-pat", f"dop_v1_{HEX[:64]}"),
        ("telegram", f"123456789:AA{token(33)}"),
        ("discord", f"MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe.{token(38)}"),
        ("grafana-service-account-token", f"glsa_{token(32)}_{HEX[:8]}"),
        ("grafana-cloud-api-token", f"glc_{token(60)}"),
        ("groq", f"gsk_{token(52)}"),
        ("xai", f"xai-{token(80)}"),
        ("replicate", f"r8_{token(37)}"),
        ("shopify-access-token", f"shpat_{HEX[:32]}"),
        ("linear-api-key", f"lin_api_{token(40)}"),
        ("notion-api-token", f"ntn_12345678901{token(35)}"),
        ("notion", f"secret_{token(43)}"),
        ("age-secret-key", "AGE-SECRET-KEY-1" + ("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2)[:58]),
        ("webhook-secret", f"whsec_{token(32)}"),
        ("vault", f"hvs.{token(30)}"),
    ],
)
@pytest.mark.parametrize("around", ["it is {}, keep it", '{{"key": "{}"}}', "{}"])
def test_keys_of_many_issuers_are_masked(kind: str, secret: str, around: str) -> None:
    digits = hashlib.sha256(secret.encode()).hexdigest()[:8]
    assert mask(around.format(secret)) == (around.format(f"[masked:{kind}:{digits}]"), {kind: 1})


@pytest.mark.requirement("F-INGEST-17")
@pytest.mark.parametrize(
    "text",
    [
        "The password is required.",
        "my password is wrong.",
        "if target_passphrase is None: return; if passphrase is None:",
        "my password was changed yesterday",
        "the password is not stored",
        "--password PASSWORD  the password",
        "use the --password option to log in",
        "--token TOKEN",
        "mysql -u root -p shop and mysql -P3306",
        "cookie: yes please",
        "Cookie: <your cookie>",
        "class A:\n    username: str\n    password: SecretStr\n",
        "interface A {\n  user: string;\n  password: string;\n}",
        "<password>${db.password}</password>",
        '<label for="password">Password</label>',
        '{"password": "Please enter your password"}',
        'curl -u "$USER:$PASS" https://x',
        "redis://localhost:6379/0 and a@b",
        "http://localhost:8080/a@b",
        "machine learning login",
        "the access token is a string of 40 characters",
        '{"auth": "none", "mode": "required"}',
        "const password = req.body.password;",
        "npm run build --token-limit 5",
        '["--password", "--token", "db_password"]',
        '["--password", "$DB_PASSWORD_2", "--token", "<token1>", "--password-file", "/run/secrets/db1"]',
        'add_argument("--password", "password2") and option("-t", "--token", "api_token")',
        "commit 4b1d" + HEX[:36],
    ],
)
def test_words_about_secrets_stay(text: str) -> None:
    assert mask(text) == (text, {})


@pytest.mark.requirement("F-INGEST-17")
@pytest.mark.parametrize("around", ["{}", "commit {} on main", '{{"id": "{}"}}', "{}/path?v={}", "sk {} ac{}"])
def test_no_hash_uuid_or_timestamp_is_masked(around: str) -> None:
    numbers = random.Random(11)  # noqa: S311 - the same numbers on every run
    values = [f"{numbers.getrandbits(bits):0{bits // 4}x}" for bits in (128, 160, 256) for _ in range(90)]
    values += [str(uuid.UUID(int=numbers.getrandbits(128))) for _ in range(90)]
    values += [str(1_600_000_000_000 + numbers.getrandbits(36)) for _ in range(90)]
    values += [base64.urlsafe_b64encode(numbers.randbytes(24)).decode() for _ in range(90)]
    texts = [around.format(value, value) for value in values]
    assert [text for text in texts if mask(text)[1]] == []


@pytest.mark.requirement("F-INGEST-16")
@pytest.mark.parametrize(
    "before", ["[masked:", "[masked:x ", "[masked: it] ", "[masked:a:", "[masked:openai:1234abcd] "]
)
def test_what_looks_like_a_mask_hides_no_secret_after_it(before: str) -> None:
    masked, counts = mask(f'{before}password = "hunter2!!"')
    assert "hunter2" not in masked
    assert counts == {"credential": 1}


RANDOM_LOOKING = "Zq7blizDEuO99x"


@pytest.mark.requirement("F-INGEST-27")
@pytest.mark.parametrize(
    "around",
    [
        "os.environ['DB_PASSWORD'] = '{}'",
        'config["db"]["password"]="{}"',
        "db:\n  password: |\n    {}\n  user: ann\n",
        '{{"text": "password: >-\\n  {}\\nuser: ann"}}',
        "**Password:** {}",
        "**Password**: {} (keep it)",
        "The password: **{}**",
        "- **API key**: `{}`",
        "- **API Key:** {}\n",
        "| password | {} |",
        "| user | ann |\n| **Password** | `{}` |\n",
        "password is: {}",
        "My password's {}, keep it",
        "My password’s {}.",
        "the secret is {}",
        "the API key is {}.",
        "Password — {}",
        "token -> {}",
        "the secret is now {}",
        "my password's: {}",
        "Password (admin): {}",
        "**Password** (admin): `{}`",
        "* **Password** - {}",
        "redis-cli --pass {}",
        "please set password to {} and restart",
        "the password for the server: {}",
        "docker login -u ann -p {} registry.example.com",
        "podman login --username ann -p '{}'",
        "redis-cli -h cache -a {} ping",
        "CREATE USER 'ann'@'%' IDENTIFIED BY '{}';",
        "ALTER USER ann IDENTIFIED WITH mysql_native_password BY '{}'",
        "CREATE ROLE ann LOGIN WITH PASSWORD '{}';",
        "ALTER USER ann PASSWORD '{}'",
        "pw={}",
        "pw: {}, user: ann",
        "pass: {}",
        'SMTP_PASS="{}"',
        '{{"user": "ann", "pass": "{}"}}',
    ],
)
def test_passwords_are_masked_as_people_and_assistants_write_them(around: str) -> None:
    for secret in (RANDOM_LOOKING, "piUbbISyQZlDTD"):
        masked, counts = mask(around.format(secret))
        assert masked == around.format("[masked:credential]")
        assert counts == {"credential": 1}
        assert mask(masked) == (masked, {})


@pytest.mark.requirement("F-INGEST-17")
@pytest.mark.parametrize(
    "text",
    [
        "the secret is patience",
        "pass: the test",
        "pass: test_login_with_2_users",
        "tests pass: 12/13 and bypass: Sha256Hash",
        "password for the server: ask Bob",
        "the token for Ann: see section 4.2",
        "**Password:** required",
        "**Token:** see below",
        "- **API key**: `OPENAI_API_KEY`",
        "The password: **must** have 8 characters",
        "| password | varchar(255) |",
        "| token | string | 2024-05-01 |",
        "| secret | Base64Encoder |",
        "set the password to something long",
        "my password's too short",
        "form.errors['password'] = 'Too short'",
        "headers['X-Token'] = 'application/json'",
        "password: |\n  Required for login\n",
        "docker login -u ann -p $TOKEN && docker run -p 8080:80 x",
        "docker login -u ann --password-stdin < file",
        "redis-cli -a $REDISCLI_AUTH",
        "identified by 'the police' and WITH PASSWORD '${PASSWORD}'",
        "IDENTIFIED BY '<password>'",
        "each user is identified by 'user_id' or by 'username'",
        "pw = getpass.getpass()",
        "pass=/run/secrets/db-pass-2",
        "the secret is in commit 4b1d0e9a8c7f6b5",
        "access to https://example.com/Ab3dE6gH9jK2 and access: R2D2",
        "the secret to src/clew/Foo2Bar: tests",
        "the token is ann.Miller2@example.com",
        "def verify(key: Ed25519PrivateKey | Ed448PrivateKey, private_key: x25519.X25519PrivateKey)",
        "the private key is Ed25519PrivateKey",
        "the token is getUserNameById or toJsonOrXml or SomeClassName",
        "the secret → MyHomeAtTheSea and password -> PasswordEncoder",
    ],
)
def test_ordinary_words_after_names_of_secrets_stay(text: str) -> None:
    assert mask(text) == (text, {})


@pytest.mark.requirement("F-MENDED-15")
@pytest.mark.parametrize(
    "around",
    [
        "os.getenv('DB_PASSWORD', '{}')",
        'os.environ.get("API_TOKEN", default="{}")',
        "process.env.DB_PASSWORD || '{}'",
        "process.env.SMTP_PASSWORD ?? `{}`",
        "ENV.fetch('DB_PASSWORD', '{}')",
        "os.getenv('DB_PASSWORD') or '{}'",
        'env("DB_PASSWORD", "{}")',
        'settings.get("smtp_password", "{}")',
        "redis-cli -a{} ping",
        "redis-cli -h cache -p 6379 -a{}",
    ],
)
def test_defaults_of_variables_are_masked(around: str) -> None:
    assert mask(around.format("sesame42xk9w")) == (around.format("[masked:credential]"), {"credential": 1})


TOLD_ABROAD = [
    "das WLAN-Passwort im Ferienhaus ist {}",
    "le mot de passe dans le chalet est {}",
    "mein Passwort ist {}",
    "Das WLAN-Passwort lautet: {}",
    "Kennwort für den Router: {}",
    "mon mot de passe est {}",
    "Le mot de passe pour le serveur : {}",
    "mi contraseña es {}",
    "la contraseña del router era {}",
    "la mia password è {}",
    "minha senha é {}",
    "a palavra-passe é: {}",
    "mijn wachtwoord is {}",
    "мой пароль: {}",
    "пароль от роутера — {}",
    "パスワードは {} です",
    "我的密码是{}。",
    "비밀번호는 {}",
    "كلمة المرور هي {}",
    "मेरा पासवर्ड: {}",
    "moje hasło to {}",
    "mitt lösenord är {}",
]


@pytest.mark.requirement("F-MENDED-16")
@pytest.mark.parametrize("around", TOLD_ABROAD)
@pytest.mark.parametrize("secret", ["Sesam42", "hunter2!", "k!mchi&x", "Sésame2024"])
def test_passwords_are_masked_in_other_languages(around: str, secret: str) -> None:
    told, found = mask(around.format(secret))
    assert found == {"credential": 1}
    assert secret.rstrip("!") not in told


@pytest.mark.requirement("F-MENDED-15")
@pytest.mark.requirement("F-MENDED-16")
@pytest.mark.parametrize(
    "text",
    [
        "os.getenv('DB_PASSWORD', '')",
        "os.getenv('DB_PASSWORD', 'changeme')",
        "os.getenv('DB_PASSWORD', default_password)",
        "labels.get('password', 'Passwort')",
        "form.get('password', 'missing')",
        "os.environ.get('TOKEN_FILE', '/run/secrets/token')",
        "parser.add_argument('--token', '-t')",
        "redis-cli -a $REDIS_PASSWORD ping",
        "redis-cli --askpass",
        "Mein Passwort ist vergessen.",
        "Das Passwort ist 2FA-geschützt.",
        "Das Passwort ist mindestens 12-stellig",
        "Das Passwort ist SHA256 gehasht",
        "Das Passwort lautet: siehe unten",
        "Le mot de passe est oublié/perdu.",
        "Le mot de passe : obligatoire (8 caractères)",
        "la contraseña es obligatoria",
        "minha senha é muito fraca",
        "A senha: mínimo de 8 caracteres",
        "мой пароль: забыл",
        "пароль — это важно",
        "密码是必填项",
        "パスワードは必須です",
        "Passwort: [masked:credential]",
        "contraseña: ${PASSWORD}",
        "Mon mot de passe : 2024-05-01",
        "Passwort: https://example.org/reset",
    ],
)
def test_ordinary_words_about_passwords_stay_in_other_languages(text: str) -> None:
    assert mask(text) == (text, {})
