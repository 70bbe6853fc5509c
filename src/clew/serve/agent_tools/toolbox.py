"""The tools as the proxy offers them to a model and answers their calls. Start at `Toolbox`.

Borders: knows no wire format. Whatever a call holds, there is a text for the model.
"""

import json
import logging
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any, Final

from clew.assemble.render import OPENING
from clew.errors import ClewError
from clew.serve.agent_tools.quoting import NotTraceable, quoting
from clew.serve.agent_tools.tool import Tool
from clew.serve.agent_tools.tool_arguments import read_arguments
from clew.serve.agent_tools.tool_names import OFFERED, plain_name, unknown, with_names
from clew.serve.agent_tools.tools import Tools
from clew.serve.agent_tools.topics import OTHERS

log = logging.getLogger("clew.serve")

EMPTY_STREAK: Final = 3
"""Empty results one after the other, from which on another way to look is suggested."""

HINT: Final = (
    "\nSeveral look-ups in a row found nothing. Look in another way: {name}recall_all lists what there is, "
    "{name}find_quote takes an exact phrase, {name}remember_when a period; or say that nothing is remembered."
)
REPEATED: Final = "This call was made before in this answer: its result is above. Change its words, or answer now."
COLLAPSED: Final = "(collapsed: the topic is shown in short by a later call)"
LAST: Final = "\nNo more look-ups are possible in this answer: answer now with what there is."

_OWN: Final = ("file_decisions",)
"""Tools that Virtual Context does not have."""
_VC_NAMES: Final = {"restore": "restore_tool"}


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The result of a call.

    Attributes:
        text: for the model.
        found: whether it holds quoted memory.
        turns: ids of the turns that it quotes; None when they cannot all be named.
        collapses: topics whose earlier expansions it takes the place of, in lower case.
    """

    text: str
    found: bool = False
    turns: frozenset[str] | None = frozenset()
    collapses: frozenset[str] = frozenset()


def prefix_of(*, aliases: bool) -> str:
    """The prefix of the names under which tools are offered: `vc_` for Virtual Context's names, else `clew_`."""
    return "vc_" if aliases else "clew_"


class Toolbox:
    """The tools over one memory, under the names by which a model knows them. Threads may share it."""

    def __init__(self, tools: Tools, *, aliases: bool = False) -> None:
        """Takes the tools.

        Args:
            aliases: offer them by Virtual Context's names, `vc_*`, instead of `clew_*`.
        """
        self.prefix = prefix_of(aliases=aliases)
        names = [name for name in OFFERED if not (aliases and name in _OWN)]
        self._tools: dict[str, Tool] = {tool.name: tool for tool in tools.offered() if tool.name in names}
        self._names = {self._shown(name): name for name in names}
        self._offered = {
            shown: {"name": shown, "description": self._about(self._tools[name]), "schema": self._tools[name].schema}
            for shown, name in self._names.items()
        }

    def _shown(self, name: str) -> str:
        return self.prefix + (_VC_NAMES.get(name, name) if self.prefix == "vc_" else name)

    def offered(self, taken: Container[str]) -> list[Mapping[str, Any]]:
        """Name, description and schema of each tool; those whose name the client has taken are left out."""
        return [tool for shown, tool in self._offered.items() if shown not in taken]

    def _about(self, tool: Tool) -> str:
        """The description, with the names of other tools as the model knows them."""
        return with_names(tool.about, {name: shown for shown, name in self._names.items()})

    def has(self, name: str) -> bool:
        """Whether a tool of this name is answered here."""
        return name in self._names or plain_name(name, self._tools) in self._tools

    def same_call(self, name: str, given: Mapping[str, Any]) -> tuple[str, str]:
        """The tool's plain name and its arguments as JSON, equal for calls that ask for the same.

        Defaults that are spelled out and white space make no difference.
        """
        plain = plain_name(self._names.get(name, name), self._tools)
        defaults = self._tools[plain].defaults() if plain in self._tools else {}
        told = {key: " ".join(value.split()) if isinstance(value, str) else value for key, value in given.items()}
        return plain, json.dumps({**defaults, **told}, sort_keys=True)

    def answer(self, name: str, arguments: str) -> ToolAnswer:
        """Calls a tool; every failure is told in the answer's text. It may take a while: not for the event loop."""
        tool = self._tools[plain_name(self._names.get(name, name), self._tools)]
        given = arguments_of(arguments)
        if given is None:
            takes = ", ".join(tool.arguments)
            return ToolAnswer(f"Error: the arguments are no JSON object; {tool.name} takes {takes}.")
        problem = unknown(self._tools, tool.name, given)
        if problem is not None:
            return ToolAnswer(f"Error: {problem}")
        try:
            with quoting() as quoted:
                given = read_arguments(tool, given)
                text = tool.call(**given)
        except ClewError as error:
            return ToolAnswer(f"Error: {error}")
        except Exception as error:  # a bug in a tool must not cost the user the answer
            log.exception("the tool %s failed", tool.name)
            return ToolAnswer(f"Error: internal error in Clew ({type(error).__name__}); answer without this tool.")
        turns = None if NotTraceable in quoted else frozenset(map(str, quoted))
        return ToolAnswer(text, OPENING in text, turns, _collapses(tool.name, given))


class LoopCalls:
    """The calls of one answer: repeats are not made again, and after several empty results there is a hint.

    A topic that was collapsed since can be expanded again.
    """

    def __init__(self, box: Toolbox) -> None:
        self._box = box
        self._made: set[tuple[str, str]] = set()
        self._empty = 0

    def answer(self, name: str, arguments: str) -> ToolAnswer:
        """The result of a call, or what stands for it."""
        given = arguments_of(arguments)
        key = None if given is None else self._box.same_call(name, given)
        if key in self._made:
            return ToolAnswer(REPEATED)
        result = self._box.answer(name, arguments)
        self._made = {made for made in self._made if not is_collapsed(*made, result.collapses)}
        if key is not None:
            self._made.add(key)
        self._empty = 0 if result.found else self._empty + 1
        if self._empty < EMPTY_STREAK:
            return result
        return ToolAnswer(result.text + HINT.format(name=self._box.prefix), turns=result.turns)


def arguments_of(text: str) -> dict[str, Any] | None:
    """The arguments of a call: an empty dict for an empty text, None for anything else than a JSON object."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def is_collapsed(name: str, arguments: str, topics: frozenset[str]) -> bool:
    """Whether a call expanded a topic that was collapsed since."""
    given = arguments_of(arguments) or {}
    topic = given.get("topic")
    return name.endswith("expand_topic") and isinstance(topic, str) and bool({topic.casefold(), OTHERS} & topics)


def _collapses(name: str, given: Mapping[str, Any]) -> frozenset[str]:
    if name != "expand_topic":
        return frozenset()
    return frozenset(topic.strip().casefold() for topic in given.get("collapse", "").split(",") if topic.strip())
