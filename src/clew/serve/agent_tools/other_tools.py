"""The tools that an empty result points to: those that the model has, by the names under which it has them."""

from dataclasses import dataclass
from typing import Final, Self


@dataclass(frozen=True, slots=True)
class OtherTools:
    """Names of tools in results.

    Attributes:
        recall: empty where that tool is not offered.
    """

    recall: str
    find_quote: str

    @classmethod
    def of_proxy(cls, prefix: str) -> Self:
        """The names of the proxy's tools, among which there is no `recall`; `prefix` is `clew_` or `vc_`."""
        return cls("", f"{prefix}find_quote")

    @property
    def wider(self) -> str:
        """The tool that searches most widely."""
        return self.recall or self.find_quote

    @property
    def instead_of_topics(self) -> str:
        """The answer where no topic is known."""
        return f"No topics are known yet. Use {' or '.join(filter(None, (self.recall, self.find_quote)))}."

    @property
    def instead_of_facts(self) -> str:
        """The answer where no fact is known."""
        return f"No such fact is known. Try fewer conditions, or {self.wider}."

    @property
    def by_meaning(self) -> str:
        """The end of a sentence about a phrase that was not found; empty without `recall`."""
        return f", or use {self.recall} to search by meaning" if self.recall else ""


OF_MCP: Final = OtherTools("recall", "clew_find_quote")
"""The names of an MCP server's tools."""
