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
        "requests.get(url, auth=(os.environ['U'], '{}'))",
        "$client->get('/', ['auth' => ['ann', '{}']])",
        'new PasswordAuthentication("ann", "{}".toCharArray())',
        'request.basic_auth("ann", Some("{}"))',
        "HTTPDigestAuth('ann', '{}')",
        "keyring.set_password('mail', 'ann', '{}')",
        "user.set_password('{}')",
        "$user->setPassword('{}');",
        "User.objects.create_user('ann', 'ann@x.example', '{}')",
        'curl_setopt($c, CURLOPT_USERPWD, "ann:{}");',
        "page.fill('input[type=\"password\"]', '{}')",
        "page.locator(\"input[name='password']\").fill('{}')",
        "cy.get('[data-test=password]').clear().type('{}')",
        'driver.findElement(By.id("password")).sendKeys("{}");',
        "document.querySelector('#password').value = '{}';",
        "await userEvent.type(screen.getByLabelText(/password/i), '{}')",
        "const('DB_PASSWORD', '{}')",
        "define('SMTP_PASSWORD', '{}');",
        "SET PASSWORD FOR 'ann'@'localhost' = '{}';",
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
        "define('ENTRY_PASSWORD', 'Kennwort');",
        'setLabel("password", "Kennwort2")',
        "setError('password', 'min-8-chars')",
        "form.reset('password', 'step-2')",
        "offset('token', 'page-2-of-30-abc1')",
        'table.addColumn("password", "VARCHAR2")',
        'map.put("password", "varchar(255)")',
        'fields.addClass("password", "col-md-6")',
        "auth=['hs256', 'rs256', 'es256']",
        'auth=["user:read1", "user:write1"]',
        'withCredentials("jenkins", "docker-hub-1")',
        'credentials("jenkins", "docker-hub-1")',
        "we set the field x = password('column')",
        '<input type="password" name="p1" :value="state.password1">',
        '<input type="password" name="p1" data-value="abc123xyz">',
        '<input type="password-toggle" value="show-1">',
    ],
)
def test_calls_without_secrets_stay(text: str) -> None:
    assert mask(text) == (text, {})


@pytest.mark.requirement("F-SECRET-09")
def test_the_password_of_a_server_may_be_a_word() -> None:
    assert mask("define('DB_PASSWORD', 'correcthorse');")[1] == {"credential": 1}


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
