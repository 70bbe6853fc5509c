"""Readable signatures for methods that take `**options`: each option is listed by its name."""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def listing_options(options: type, **defaults: Any) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A decorator for a function that ends with `**name: Unpack[options]`.

    `help()`, `inspect.signature` and the completion of a shell then show each option as a keyword argument. The
    function itself is returned unchanged. The default of an option is None unless `defaults` gives another.
    """

    def listed(function: Callable[P, T]) -> Callable[P, T]:
        plain = signature(function)
        named = [parameter for parameter in plain.parameters.values() if parameter.kind is not Parameter.VAR_KEYWORD]
        added = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=defaults.get(name), annotation=kind)
            for name, kind in options.__annotations__.items()
        ]
        function.__signature__ = plain.replace(parameters=[*named, *added])  # type: ignore[attr-defined]  # what inspect reads
        return function

    return listed
