"""The explorer's files: given without a token, under a policy that lets them ask this server alone."""

import re
from dataclasses import fields
from importlib.resources import files

import httpx2
import pytest

from clew.serve.proxy.economy.ledger import CostLedger, Spent
from tests.support.proxies import proxy
from tests.support.raw_upstreams import PATIENCE

NOWHERE = "http://127.0.0.1:9"
TEXTS = {name: files("clew.serve.explorer").joinpath(name).read_text() for name in ("index.html", "explorer.js")}


@pytest.mark.requirement("P-SRF-50")
def test_the_page_is_given_to_everyone_who_calls_the_server_by_its_name() -> None:
    with proxy(NOWHERE, token="a-token-for-this") as server:  # noqa: S106  # of the test
        for path, kind in (
            ("/clew/", "text/html"),
            ("/clew", "text/html"),
            ("/clew/explorer.js", "text/javascript"),
            ("/clew/explorer.css", "text/css"),
        ):
            answer = httpx2.get(server.url + path, timeout=PATIENCE)
            assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, kind)
            policy = answer.headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
        assert httpx2.get(server.url + "/clew/", headers={"Host": "evil.example"}, timeout=PATIENCE).status_code == 403
        assert httpx2.post(server.url + "/clew/", timeout=PATIENCE).status_code == 405
        assert httpx2.get(server.url + "/clew/api/v1/stats", timeout=PATIENCE).status_code == 401
        for path in ("/clew/explorer.py", "/clew/../app.py", "/clew/%2e%2e/app.py", "/clew/__init__.py"):
            headers = {"X-Clew-Token": "a-token-for-this"}
            assert httpx2.get(server.url + path, headers=headers, timeout=PATIENCE).status_code == 404


@pytest.mark.requirement("P-SRF-50")
def test_nothing_comes_from_elsewhere_and_no_text_becomes_markup() -> None:
    assert not re.search(r"https?://|//\w", TEXTS["index.html"])
    assert "<script>" not in TEXTS["index.html"]
    assert not re.search(r"\son\w+=|style=", TEXTS["index.html"])
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
        "http:",
        "https:",
    ):
        assert word not in TEXTS["explorer.js"]


@pytest.mark.requirement("P-SRF-50")
def test_every_field_has_a_label_and_every_view_a_heading() -> None:
    page = TEXTS["index.html"]
    fields = set(re.findall(r'<input id="([\w-]+)"', page))
    assert fields == set(re.findall(r'<label for="([\w-]+)"', page))
    views = re.findall(r'<section id="(\w+)" aria-labelledby="([\w-]+)"', page)
    assert all(f'<h2 id="{title}">' in page for _, title in views)
    assert '<html lang="en">' in page
    assert 'role="status" aria-live="polite"' in page
    to_another_view = TEXTS["explorer.js"].partition('addEventListener("hashchange"')[2].partition("});")[0]
    assert 'say("")' in to_another_view, "what was said of one view does not stand over the next"


@pytest.mark.requirement("P-LFT-13")
def test_the_ledger_is_shown_by_names_that_the_api_has() -> None:
    shown = TEXTS["explorer.js"]
    view = shown[shown.index("function spent(") : shown.index("async function stats()")]
    assert re.search(r'<section id="ledger" aria-labelledby="ledger-title"', TEXTS["index.html"])
    used = set(re.findall(r"\b(?:each|total)\.(\w+)", view))
    assert used <= {each.name for each in fields(Spent)}
    assert set(re.findall(r"\bfound\.(\w+)", view)) == {each.name for each in fields(CostLedger)}
    with proxy(NOWHERE) as server:
        assert httpx2.get(f"{server.url}/clew/api/v1/ledger", timeout=PATIENCE).json().keys() >= {"total"}


@pytest.mark.requirement("DOOR-PAGE-01")
def test_it_fits_a_phone_and_any_text_and_says_when_there_is_nothing() -> None:
    style = files("clew.serve.explorer").joinpath("explorer.css").read_text()
    assert re.search(r"nav \{[^}]*flex-wrap: wrap", style)
    assert re.search(r"\.scroll \{[^}]*overflow-x: auto", style)
    assert re.search(r"article pre \{[^}]*unicode-bidi: plaintext[^}]*overflow-wrap: anywhere", style)
    shown = TEXTS["explorer.js"]
    assert 'node("pre", { tabIndex: 0, dir: "auto" }, text)' in shown
    assert shown.count("nothing(") == 3  # of a list, a search, a recall
    assert "total.requests ? [" in shown


@pytest.mark.requirement("DOOR-PAGE-01")
def test_what_is_found_comes_best_first_and_receipts_lead_to_their_turns() -> None:
    shown = TEXTS["explorer.js"]
    assert '{ value: "best" }' in shown[: shown.index('{ value: "block" }')]
    receipt = shown[shown.index("async function receipt(") : shown.index("// One table of the ledger")]
    assert "turnLinks(each.turn_ids)" in receipt
