"""The files that a command line of a shell writes: with `>`, `tee`, `touch` or `sed -i`."""

import re
from collections.abc import Iterator
from typing import Final

from clew.text.late_pattern import late_pattern

_READ: Final = 20_000
_FILE: Final = r"""["']?(?P<{name}>(?!-)[^\s"'`$&|;<>()*?]{{1,300}})(?=[\s"';&|<>)]|$)"""
_OPTIONS: Final = (
    r"""(?:-(?:[drt][ \t]+(?:"[^"]{0,80}"|'[^']{0,80}'|\S{1,80})|(?![drt][ \t])[\w=-]{1,40})[ \t]+){0,4}"""
)
_IN_PLACE: Final = r"(?:-[^\WIM]{0,8}i\S{0,40}|--in-place\S{0,40})"
"""The option that has a file changed; what follows `-I` and `-M` of perl is a name."""
_QUOTED: Final = r"""(?:"[^"]{0,2000}"|'[^']{0,2000}'|[^\n|;&"'>]){0,200}?"""
_DOCUMENT: Final = late_pattern(
    r"<<-?[ \t]*(['\"]?)(\w+)\1([^\n]*)\n(?:(?:.*?\n)??[ \t]*\2[ \t]*(?=\n|$)|.*)", re.DOTALL
)
"""A document that follows in the lines below a command, up to its mark or the end."""
_WRITES: Final = late_pattern(
    rf"(?<![\w./-])(?:cat|echo|printf)\b{_QUOTED}>>?[ \t]*{_FILE.format(name='to')}"
    rf"|(?<![\w./-])tee[ \t]+{_OPTIONS}{_FILE.format(name='teed')}"
    rf"|(?<![\w./-])touch[ \t]+{_OPTIONS}{_FILE.format(name='touched')}"
    rf"|(?<![\w./-])(?:sed|perl)[ \t]+(?:-\w+[ \t]+){{0,4}}?{_IN_PLACE}[ \t]+{_QUOTED}"
    rf"(?<=[ \t]){_FILE.format(name='in_place')}[ \t]*(?=$|\n|&&|;|\|)"
)
_LEFT_OUT: Final = late_pattern(r"^/(?:dev|tmp|proc)/|\.(?:log|out|err|tmp|pid)$|^[\d./~-]*$")
"""Where output goes that is not work: devices, scratch files, logs."""


def written_by(command: str) -> Iterator[str]:
    """The paths that a command writes, as they are written in it; scratch files and logs are left out."""
    plain = _DOCUMENT.sub(r" \3", command[:_READ])
    for match in _WRITES.finditer(plain):
        path = match[match.lastgroup or 0]
        if not _LEFT_OUT.search(path):
            yield path
