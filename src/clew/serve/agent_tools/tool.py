"""One tool as it is offered to a model: its function, its description, and the JSON Schema of its arguments."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

_JSON_TYPES: Final = {str: "string", int: "integer"}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a model can call.

    Attributes:
        call: the function; it takes its arguments by name and returns text for the model.
        about: description of the tool for the model: what it does and when to use it.
        arguments: name of each argument of `call` -> its description.
        stores: whether the tool changes the memory; the others only read.
        destroys: whether the tool deletes something for good.
    """

    name: str
    call: Callable[..., str]
    about: str
    arguments: Mapping[str, str]
    stores: bool = False
    destroys: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments, from the signature of `call`; a default that is empty or 0 is not listed."""
        parameters = inspect.signature(self.call, eval_str=True).parameters
        properties: dict[str, dict[str, Any]] = {}
        for name, about in self.arguments.items():
            properties[name] = {"type": _JSON_TYPES[parameters[name].annotation], "description": about}
            if not self.needs(name) and parameters[name].default:
                properties[name]["default"] = parameters[name].default
        required = [name for name in properties if self.needs(name)]
        return {"type": "object", "properties": properties, **({"required": required} if required else {})}

    def needs(self, argument: str) -> bool:
        """Whether a call must give an argument."""
        return inspect.signature(self.call).parameters[argument].default is inspect.Parameter.empty

    def defaults(self) -> dict[str, Any]:
        """The values of the arguments that a call may leave out."""
        parameters = inspect.signature(self.call).parameters
        return {name: parameters[name].default for name in self.arguments if not self.needs(name)}
