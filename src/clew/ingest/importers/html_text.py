"""HTML as plain text, as far as chat answers need it: paragraphs, lists, headings, tables and code."""

from html import escape
from html.parser import HTMLParser

_BLOCKS = frozenset("p div h1 h2 h3 h4 h5 h6 ul ol table tr pre blockquote hr section article".split())
_HIDDEN = frozenset(("script", "style"))


def plain_html(html: str) -> str:
    """The text of a fragment of HTML; blocks are lines, list items have a dash, code has fences, cells a bar."""
    reader = _TextReader()
    reader.feed(_closed(html))
    reader.close()
    lines = (line.rstrip() for line in "".join(reader.pieces).split("\n"))
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).strip("\n")


def _closed(html: str) -> str:
    """The HTML with marks that nothing closes as text.

    The parser looks for the end of each of them up to the end of the text, which takes minutes for some 100 KB, and
    fails at a `<![` without a name.
    """
    for mark, end in (("<!--", "-->"), ("<", ">")):
        last = html.rfind(end) + 1
        html = html[:last] + html[last:].replace(mark, escape(mark))
    return html.replace("<![", escape("<!["))


class _TextReader(HTMLParser):
    """Collects text in pieces."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._code = 0
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002  # the parser gives it
        """Begins an element."""
        if tag in _HIDDEN:
            self._hidden += 1
        elif tag == "pre":
            self._code += 1
            self.pieces.append("\n```\n")
        elif tag == "br":
            self.pieces.append("\n")
        elif tag == "li":
            self.pieces.append("\n- ")
        elif tag in ("td", "th"):
            self.pieces.append(" | ")
        elif tag in _BLOCKS:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """Ends an element."""
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag == "pre":
            self._code = max(0, self._code - 1)
            self.pieces.append("\n```\n")
        elif tag in _BLOCKS:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        """Takes text; white space counts in code alone."""
        if self._hidden:
            return
        if self._code:
            self.pieces.append(data)
        elif data.strip():
            text = " ".join(data.split())
            self.pieces.append(" " * data[:1].isspace() + text + " " * data[-1:].isspace())
        elif self.pieces and not self.pieces[-1].endswith(("\n", " ")):
            self.pieces.append(" ")
