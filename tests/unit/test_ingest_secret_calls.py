"""Secrets that code gives to functions by position, and those between a terminal's colours."""

import pytest

from clew.ingest.secrets.masking import mask
from tests.unit.test_ingest_secrets import token

WORD = "Gx7pQz19"
KEY = token(24)


@pytest.mark.requirement("F-SECRET-09")
@pytest.mark.parametrize(
    "call",
    [
        "requests.get(url, auth=('ann', '{}'))",
        'HTTPBasicAuth("ann", "{}")',
        "server.login(user, '{}')",
        'new NetworkCredential("ann", "{}")',
        'new UsernamePasswordCredentials("ann", "{}")',
        'DriverManager.getConnection("jdbc:h2:mem", "ann", "{}")',
        "mysqli_connect('localhost', 'root', '{}', 'shop')",
        "new PDO($dsn, 'root', '{}')",
        "define( 'DB_PASSWORD',     '{}' );",
        'map.put("password", "{}")',
        "form.append('password', '{}')",
        r"{{\"code\": \"page.fill('#password', '{}')\"}}",
        "await page.type('input[name=password]', '{}')",
        "cy.get('#password').type('{}')",
        "driver.find_element(By.ID, 'password').send_keys(\"{}\")",
        "fill_in 'Password', with: '{}'",
        "<input value='{}' type='password' name=p>",
        '<input type="password" class="wide" value="{}">',
        "SET PASSWORD FOR 'ann'@'%' = PASSWORD('{}');",
        "UPDATE mysql.user SET authentication_string=PASSWORD('{}') WHERE User='root';",
        "le mot de passe du wifi c'est {}",
    ],
)
def test_passwords_that_are_given_by_position_are_masked(call: str) -> None:
    masked, counts = mask(call.format(WORD))
    assert WORD not in masked
    assert counts == {"credential": 1}
    assert mask(masked) == (masked, {})


@pytest.mark.requirement("F-SECRET-09")
@pytest.mark.parametrize("call", ["headers.set('X-Api-Key', '{}')", 'req.setHeader("X-Api-Key", "{}")'])
def test_keys_that_are_given_with_their_names_are_masked(call: str) -> None:
    masked, counts = mask(call.format(KEY))
    assert KEY not in masked
    assert sum(counts.values()) == 1


@pytest.mark.requirement("F-SECRET-09")
@pytest.mark.parametrize(
    "text",
    [
        "auth=('ann', password)",
        "auth=(user, 'password')",
        "requests.get(url, auth=('ann', os.environ['PW']))",
        "server.login('ann', 'secret')",
        'map.put("password", "Passwort")',
        'map.put("token", "next")',
        "form.append('password', this.state.password)",
        "t('password', 'Choose a password of 12 characters')",
        "page.fill('#password', process.env.PW1)",
        "page.click('#password', { force: true })",
        "cy.get('#password').type('{enter}')",
        "fill_in 'Password', with: user.password",
        "define('AUTH_KEY', 'put your unique phrase here');",
        '<input type="password" name="p1" value="{{ form.p1 }}">',
        '<input type="password" name="p1" placeholder="abc123xyz">',
        '<input type="text" name="password_hint" value="abc123xyz">',
        "assert check_password('abc') is False",
        "validate_password('Gx7pQz19')",
        "new PDO($dsn, $user, $password1)",
        "login(screen, 'Screen2')",
    ],
)
def test_calls_without_secrets_stay(text: str) -> None:
    assert mask(text) == (text, {})


@pytest.mark.requirement("F-SECRET-10")
@pytest.mark.parametrize(
    "text",
    [
        "\x1b[32mDB_PASSWORD\x1b[0m=\x1b[31mGx7pQz19\x1b[0m",
        "DB_PASSWORD=\x1b[31mGx7pQz19\x1b[0m",
        "\x1b[1mpassword:\x1b[22m \x1b[3mGx7pQz19\x1b[23m",
        "config/.env:3:DB_\x1b[01;31m\x1b[KPASSWORD\x1b[m\x1b[K=Gx7pQz19",
    ],
)
def test_secrets_between_colours_are_masked(text: str) -> None:
    masked, counts = mask(text)
    assert WORD not in masked
    assert counts == {"credential": 1}
    assert mask(masked) == (masked, {})


@pytest.mark.requirement("F-SECRET-10")
def test_colours_stay_where_they_hide_nothing() -> None:
    text = "\x1b[32mPASS\x1b[0m tests/unit\nPASSWORD=Gx7pQz19 \x1b[31mred\x1b[0m"
    assert mask(text) == (text.replace(WORD, "[masked:credential]"), {"credential": 1})
