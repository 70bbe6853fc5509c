"""Passwords in command lines, hashes of passwords and the files that hold them are masked."""

import hashlib

import pytest

from clew.ingest.secrets.masking import mask
from tests.unit.test_ingest_secrets import HEX, token

B53 = "/" + token(52)
HASHED = {
    "md5": f"$1$abcdefgh${token(22)}",
    "apr1": f"$apr1$Ab3dE6gH${token(22)}",
    "sha256": f"$5$rounds=5000$saltsalt${token(43)}",
    "sha512": f"$6$saltsalt${token(86)}",
    "bcrypt": f"$2y$12${B53}",
    "yescrypt": f"$y$j9T$F5Jx5fExrKuPp53xLKQ..1${token(43)}",
    "argon2": f"$argon2id$v=19$m=65536,t=3,p=4${token(22)}${token(43)}",
    "passlib": f"$pbkdf2-sha256$29000${token(22)}${token(43)}",
    "django": f"pbkdf2_sha256$260000${token(22)}${token(43)}=",
    "werkzeug": f"scrypt:32768:8:1${token(16)}${HEX}",
    "postgres": f"SCRAM-SHA-256$4096:{token(22)}==${token(43)}=:{token(43)}=",
}


@pytest.mark.requirement("F-SECRET-04")
@pytest.mark.parametrize("name", HASHED)
@pytest.mark.parametrize(
    "around", ["{}", "root:{}:19000:0:99999:7:::\nbin:*:1:0:9:7:::", "ann:{}\n", '{{"hash": "{}"}}']
)
def test_hashes_of_passwords_are_masked(name: str, around: str) -> None:
    assert mask(around.format(HASHED[name])) == (around.format("[masked:password-hash]"), {"password-hash": 1})


@pytest.mark.requirement("F-SECRET-04")
@pytest.mark.parametrize(
    ("around", "secret"),
    [
        ("userPassword: {{SSHA}}{}", token(38) + "=="),
        ("ann:{{SHA}}{}", token(27) + "="),
        ("SET PASSWORD FOR 'ann'@'%' = '*{}'", hashlib.sha1(b"x", usedforsecurity=False).hexdigest().upper()),
        ("Administrator:500:{}:::", "aad3b435b51404eeaad3b435b51404ee:" + HEX[:32]),
        ("games:{}:10063:0:99999:7:::", "abJnggxhB/yWI"),
        ("basicauth=ann:$$apr1$${}", None),
        (r"htpasswd=ann:\$2y\$05\${}", None),
    ],
)
def test_hashes_are_masked_as_directories_and_databases_hold_them(around: str, secret: str | None) -> None:
    secret = secret or (token(53) if "2y" in around else f"Ab3dE6gH$${token(22)}")
    masked, counts = mask(around.format(secret))
    assert secret not in masked
    assert counts == {"password-hash": 1}
    assert mask(masked) == (masked, {})


@pytest.mark.requirement("F-SECRET-04")
@pytest.mark.parametrize("secret", ["hunter2xyz", "correcthorse", r"with\:colon"])
@pytest.mark.parametrize(
    "line", ["db.example:5432:shop:ann:{}", "*:*:*:postgres:{}\n", "# .pgpass\nlocalhost:5555:*:ann:{}\n"]
)
def test_lines_of_pgpass_are_masked(line: str, secret: str) -> None:
    assert mask(line.format(secret)) == (line.format("[masked:credential]"), {"credential": 1})


@pytest.mark.requirement("F-SECRET-05")
@pytest.mark.parametrize(
    "around",
    [
        "zip -r -P {} out.zip folder",
        "unzip -P{} out.zip",
        "7z a -p{} out.7z folder",
        "sqlcmd -S db -U sa -P '{}' -Q 'select 1'",
        "ssh-keygen -t ed25519 -f key -N '{}'",
        'ssh-keygen -p -N "{}" -f key',
        "ldapsearch -x -D cn=admin -w {} -b dc=example",
        "mongosh -u ann -p {} shop",
        "mosquitto_pub -h mq -u ann -P {} -t x",
        "openssl enc -aes-256-cbc -pass pass:{} -in a",
        "openssl rsa -in key.pem -passin pass:{}",
        "keytool -list -keystore a.jks -storepass {}",
        "keytool -genkey -keypass {} -alias a",
        "echo {} | sudo -S ls",
        "echo '{}' | docker login -u ann --password-stdin",
        "printf '%s' \"{}\" | gh auth login --with-token",
        'echo "ann:{}" | sudo chpasswd',
        'sudo -S ls <<< "{}"',
        "htpasswd -bc .htpasswd ann {}",
        "htpasswd -nbB ann {}",
        "rabbitmqctl add_user ann {}",
        "wpa_passphrase home {}",
        "smbclient //nas/share -U ann%{}",
        "net user ann {} /add",
        "nmcli dev wifi connect home password {}",
        "kubectl create secret generic db --from-literal=user=[masked:x] --from-literal=pw='{}'",
        "oc login -u ann -p {} https://oc.example",
    ],
)
@pytest.mark.parametrize("secret", ["hunter2xyz", "correcthorse"])
def test_passwords_that_commands_are_given_are_masked(around: str, secret: str) -> None:
    assert mask(around.format(secret)) == (around.format("[masked:credential]"), {"credential": 1})


@pytest.mark.requirement("F-INGEST-28")
@pytest.mark.parametrize(
    ("kind", "secret"),
    [
        ("docker", f"dckr_pat_{token(27)}"),
        ("nvidia", f"nvapi-{token(64)}"),
        ("pinecone", f"pcsk_{token(70)}"),
        ("atlassian", f"ATATT3xFfGF0{token(180)}"),
        ("atlassian", f"ATBB{token(32)}"),
        ("e2b", f"e2b_{HEX[:40]}"),
        ("firecrawl", f"fc-{HEX[:32]}"),
        ("jina", f"jina_{token(60)}"),
        ("together", f"tgp_v1_{token(43)}"),
        ("render", f"rnd_{token(28)}"),
        ("google", f"AQ.Ab8RN6{token(40)}"),
        ("neon", f"napi_{HEX[:64]}"),
        (
            "wallet-key",
            "xprv" + token(120).replace("0", "1").replace("l", "m").replace("O", "P").replace("I", "J")[:107],
        ),
        ("nostr", "nsec1" + ("qpzry9x8gf2tvdw0s3jn54khce6mua7" * 2)[:58]),
        ("mailchimp", f"{HEX[:32]}-us12"),
        ("cloudflare", f"cfut_{token(48)}"),
        ("browserbase", f"bb_live_{token(27)}"),
        ("voyage", f"pa-{token(43)}"),
        ("langfuse", f"sk-lf-{HEX[:8]}-{HEX[:4]}-4{HEX[:3]}-8{HEX[:3]}-{HEX[:12]}"),
        ("vercel", f"vcp_{token(56)}"),
        ("cerebras", f"csk-{HEX[:48]}"),
        ("fireworks", f"fw_{token(24)}"),
        ("posthog", f"phx_{token(48)}"),
        ("apify", f"apify_api_{token(36)}"),
    ],
)
@pytest.mark.parametrize("around", ["it is {}, keep it", '{{"k": "{}"}}'])
def test_keys_of_the_newest_issuers_are_masked(kind: str, secret: str, around: str) -> None:
    digits = hashlib.sha256(secret.encode()).hexdigest()[:8]
    assert mask(around.format(secret)) == (around.format(f"[masked:{kind}:{digits}]"), {kind: 1})


@pytest.mark.requirement("F-INGEST-17")
@pytest.mark.parametrize(
    "text",
    [
        "awk '{print $1$2}' and $6$7 and cost $5$ or $1$",
        "a hash begins with $2b$12$ or $argon2id$v=19$",
        "{sha}abcdef0123456789abcdef and {SHA}{HASH}",
        f"'*{HEX[:40]}'",
        "src/a.py:5432:10: E501 line too long",
        "grep: src/a.py:5432:    return value",
        "arn:aws:logs:*:123456789012:log-group:/aws/lambda/x",
        "localhost:5432:5432 and 127.0.0.1:5432:5432",
        "- '127.0.0.1:5432:5432/tcp'",
        "*:*:*:postgres:$PGPASSWORD",
        "gzip -p x1234567; zip -r out.zip folder; mkdir -p folder12",
        "mongo is up and mkdir -p data12",
        "7z x archive2.7z -pxx",
        "cp -P folder12 other; sqlcmd -P $PASSWORD; sqlcmd -P",
        "ssh-keygen -t ed25519 -N '' -f key2024",
        "openssl rsa -passin pass:$PASS -passout env:PASS1234",
        "tests pass: 12 and -k pass",
        "keytool -storepass $STOREPASS -keypass env",
        "echo $PASSWORD | sudo -S ls",
        "echo done123 | sudo tee file",
        "echo hello | grep --stdin",
        "cat <<< 'hello world2'",
        "htpasswd -c .htpasswd ann12345",
        "net user ann /delete; net use x",
        "dotnet user secrets12 list",
        "kubectl create configmap app --from-literal=mode=production",
        "ldapsearch -x -W -b dc=example",
        "apa-style-references-are-what-they-ask-for-in-2024-and-Later",
    ],
)
def test_commands_without_passwords_stay(text: str) -> None:
    assert mask(text) == (text, {})


@pytest.mark.requirement("F-INGEST-27")
@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('{"command": ["mysql", "--password", "correcthorse", "shop"]}', "correcthorse"),
        (r"{\"args\":[\"-y\",\"server\",\"--db-password\",\"swordfish\"]}", "swordfish"),
        ("subprocess.run(['mysql', '-u', 'ann', '--password', 'swordfish'])", "swordfish"),
        ('spawn("mysql", ["--password", "swordfish"])', "swordfish"),
        ('CMD ["mysql", "--password", "swordfish"]', "swordfish"),
        ('["curl", "-s", "-u", "ann:swordfish", "https://x.example"]', "swordfish"),
        (r"{\"command\": [\"curl\", \"--user\", \"ann:pa55 word\"]}", "pa55 word"),
        ("run(['curl',\n     '-u',\n     'a:pw'])", "'a:pw'"),
    ],
)
def test_passwords_of_letters_in_lists_of_arguments_are_masked(text: str, secret: str) -> None:
    masked, counts = mask(text)
    assert secret not in masked
    assert counts == {"credential": 1}
    assert mask(masked) == (masked, {})


@pytest.mark.requirement("F-INGEST-27")
@pytest.mark.parametrize(
    "text",
    [
        '{"args": ["--password", "db_password", "--token", "api"], "flags": ["--password", "word"]}',
        'args = ["--user", "ann", "--password", "$SECRET_WORD"]',
        '["curl", "-u", "$USER:$PASS"] and ["curl", "-s", "--user-agent", "a:b"] and ["curl", "-u", "ann"]',
    ],
)
def test_lists_of_names_and_variables_stay(text: str) -> None:
    assert mask(text) == (text, {})
