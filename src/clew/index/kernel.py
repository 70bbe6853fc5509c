"""The steps of ranking that a compiled build does in C, `kernel_*.c`; numpy does them elsewhere, with the same results.

What counts in a recall is how many steps there are between the question and the order of the turns, so a step here is
as large as its inputs allow. `./dev test-compiled` compares every step with its reference, to the last bit.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, TypeVar, cast

Step = TypeVar("Step", bound=Callable[..., Any])

MODULES: Final = ("clew.index._kernel_words", "clew.index._kernel_vectors", "clew.index._kernel_order")


def _in_c() -> dict[str, Callable[..., Any]]:
    try:
        modules = [vars(import_module(name)) for name in MODULES]
    except ModuleNotFoundError:  # a pure build, which is the usual one
        return {}
    return {name: step for module in modules for name, step in module.items() if not name.startswith("_")}


IN_C: Final = _in_c()
"""The steps that this build does in C, by their names: none in a pure one."""

REFERENCES: Final[dict[str, Callable[..., Any]]] = {}
"""What each step is by numpy, by its name."""


def in_c(reference: Step) -> Step:
    """The function of the same name in C where there is one, else the reference itself.

    The only place where one of them is chosen. A step may lack in a compiled build too, where the processor lacks the
    instructions for it.
    """
    name = reference.__name__
    REFERENCES[name] = reference
    return cast(Step, IN_C.get(name, reference))
