"""The tunable parameters of the SIGMA document's analyzer, injector and compressor."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from clew.errors import InputError, shown
from clew.rank.sigma import LEAST, MOST, SNIPPET, WINDOW
from clew.types.record import Record
from clew.views.sigma_checks import LARGEST, check_fields, check_range
from clew.views.typed_arguments import typed_record


class _Options(Record):
    """Base class of the tunable parameters."""

    __slots__ = ()

    @classmethod
    def of(cls, given: Self | Mapping[str, Any] | None) -> Self:
        """What is given, also as a mapping of names; the defaults for None.

        Raises:
            InputError: it is something else, has an unknown name, or a value is of another type.
        """
        if isinstance(given, cls):
            return given
        if given is not None and not isinstance(given, Mapping):
            raise InputError(f"the options are {shown(given)}; expected {cls.__name__} or a mapping")
        known = (*cls.__slots__, *map(_camel, cls.__slots__))
        unknown = [str(name) for name in given or {} if name not in known]
        if unknown:
            raise InputError(
                f"{cls.__name__}: {', '.join(unknown):.200} is unknown; expected some of {', '.join(cls.__slots__)}"
            )
        return cls.from_dict(given or {})


@typed_record
@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyzerOptions(_Options):
    """The document's tunable parameters of the analyzer."""

    overlay_threshold: float = 5.0
    paradigm_shift_threshold: float = 0.7
    routine_threshold: float = 3.0

    def __post_init__(self) -> None:
        check_fields(self, numbers=self.__slots__)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.title, rest))


@typed_record
@dataclass(frozen=True, slots=True, kw_only=True)
class InjectorOptions(_Options):
    """The document's tunable parameters of the injector: `windowSize`, `maxContextTurns` and so on."""

    window_size: int = WINDOW
    max_context_turns: int = MOST
    min_relevance: float = LEAST
    max_snippet_length: int = SNIPPET
    debug: bool = False

    def __post_init__(self) -> None:
        check_fields(self, numbers=self.__slots__[:-1])

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote, or the document's own names (`windowSize`); other unknown keys are ignored.

        Raises:
            InputError: the record is not a mapping.
        """
        if isinstance(data, Mapping):
            named = {_camel(name): name for name in cls.__slots__}
            data = {named.get(key, key): value for key, value in data.items()}
        return super(InjectorOptions, cls).from_dict(data)


@typed_record
@dataclass(frozen=True, slots=True, kw_only=True)
class CompressorOptions(_Options):
    """The document's tunable parameters of the compressor.

    Attributes:
        target_size: tokens of the lattice's contents after compression.
        preserve_threshold: least importance of a turn that is kept word for word.
        use_llm_summary: have a language model write the summaries, if one is passed.
    """

    target_size: int = 40_000
    preserve_threshold: float = 7.0
    use_llm_summary: bool = False

    def __post_init__(self) -> None:
        check_fields(self, numbers=self.__slots__[:-1])
        check_range(self, 0, LARGEST, "target_size")
        check_range(self, 0, 10, "preserve_threshold")
