"""Scripted upstreams as the official SDKs reach them: straight, or through the proxy."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal

from clew.serve.scripted.script import OK, Script, always
from clew.serve.scripted.server import ScriptedUpstream
from tests.support.proxies import Opening, RunningProxy, proxy

Passage = Literal["direct", "proxied"]
PASSAGES: Final[tuple[Passage, ...]] = ("direct", "proxied")
EMPTY: Final = always(OK)


@dataclass(frozen=True, slots=True)
class Way:
    """The way to a scripted upstream: base addresses as the SDKs take them; `proxy` is None on the straight one."""

    upstream: ScriptedUpstream
    anthropic: str
    openai: str
    gemini: str
    proxy: RunningProxy | None = None


@contextmanager
def way(passage: Passage, script: Script = EMPTY, opening: Opening | None = None, **settings: Any) -> Iterator[Way]:
    """A scripted upstream on a port of its own and, when asked for, the proxy before it with settings of `serve.*`."""
    upstream = ScriptedUpstream(script)
    with upstream.serving() as address:
        if passage == "direct":
            yield Way(upstream, address, f"{address}/v1", address)
            return
        with proxy(address, opening, **settings) as running:
            url = running.url
            yield Way(upstream, f"{url}/anthropic", f"{url}/openai/v1", f"{url}/gemini", running)
