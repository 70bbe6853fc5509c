"""HTML of chat answers as plain text."""

import pytest

from clew.ingest.importers.html_text import plain_html
from tests.support.effort import examples


@pytest.mark.requirement("F-EDGE-08")
@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One <b>two</b></p><p>three</p>", "One two\n\nthree"),
        ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
        ('<pre><code class="x">a  &lt; b\n  c</code></pre>', "```\na  < b\n  c\n```"),
        ("<table><tr><td>1</td><td>2</td></tr></table>", " | 1 | 2"),
        ("a<br/>b<hr>c", "a\nb\nc"),
        ("a<!-- <b> no --> b", "a b"),
        ("a<script>if (a<b) x()</script>b<STYLE>p{}</STYLE>c", "abc"),
        ('1 < 2 <a href="x > y">link</a> <3', "1 < 2 link <3"),
        ("a <!-- never closed", "a <!-- never closed"),
        ("a <b never closed", "a <b never closed"),
        ("<!DOCTYPE html><?xml?>a", "a"),
    ],
)
def test_blocks_are_lines_and_marks_are_no_words(html: str, text: str) -> None:
    assert plain_html(html) == text


@pytest.mark.thorough
@pytest.mark.timeout(120)
@pytest.mark.requirement("F-EDGE-08")
@pytest.mark.parametrize("piece", ["<a", "<a b=", "<a b='", "<!--", "<!", "<?", "</a", "<![CDATA[", "<script", "<"])
def test_marks_that_are_never_closed_are_read_in_time_that_grows_with_their_number(piece: str) -> None:
    html = piece * examples(40_000, 200_000)
    assert plain_html(html) == html
