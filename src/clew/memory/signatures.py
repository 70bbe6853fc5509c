"""Signatures as people read them: the options that a method takes as `**options` are listed by their names."""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def listing_options(options: type, **defaults: Any) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A decorator for a function that ends with `**name: Unpack[options]`.

    `help()`, `inspect.signature` and the completion of a shell then show each option as an argument by name. The
    function itself stays as it is. An option without a default here may be None, which is as good as to leave it out.
    """

    def listed(function: Callable[P, T]) -> Callable[P, T]:
        plain = signature(function)
        named = [each for each in plain.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
        added = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=defaults.get(name), annotation=kind)
            for name, kind in options.__annotations__.items()
        ]
        function.__signature__ = plain.replace(parameters=[*named, *added])  # type: ignore[attr-defined]  # what inspect reads
        return function

    return listed
