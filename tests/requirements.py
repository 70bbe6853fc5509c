"""What Clew promises, as data: each promise has an id, where it was made, and one sentence.

A test names what it covers with `@pytest.mark.requirement("F-HOUSE-01")`. tests/house fails for a promise without a
test and for a mark without a promise. Each part of Clew has a block of its own below; `REQUIREMENTS` joins them.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Requirement:
    """One promised behaviour.

    Attributes:
        id: `F-<PART>-<number>`, never used again for something else.
        source: the document and section that ask for it.
        sentence: what holds, in a form that a test can refute.
    """

    id: str
    source: str
    sentence: str


# --- house ---
HOUSE = (
    Requirement("F-HOUSE-01", "DESIGN 3", "A module has at most 500 lines, a function 60 lines and 7 arguments."),
    Requirement("F-HOUSE-02", "DESIGN 3", "A stage imports only what lies below it."),
    Requirement("F-HOUSE-03", "DESIGN 3", "The package holds public names only; each is documented."),
    Requirement("F-HOUSE-04", "DESIGN 3", "The error tree drawn in the errors module is the tree of its classes."),
    Requirement("F-HOUSE-05", "DESIGN 10", "Every command and every option stands in docs/cli.md, word for word."),
    Requirement("F-HOUSE-06", "DESIGN 10", "Every configuration key stands in docs/configuration.md with its default."),
    Requirement("F-HOUSE-07", "DESIGN 10", "The README's Python examples run; commands shown in documents exist."),
    Requirement("F-HOUSE-08", "DESIGN 3", "No stub, no empty module, no unfinished mark is in the tree."),
    Requirement("F-HOUSE-09", "DESIGN 3", "A suppressed rule, swallowed error or late import gives its reason."),
    Requirement("F-HOUSE-10", "DESIGN 11", "No file names a path of a machine or the host of a package registry."),
    Requirement("F-HOUSE-11", "DESIGN 11", "No file is larger than 1 MB; data has a notice with its SHA-256."),
    Requirement("F-HOUSE-12", "DESIGN 1.12", "The tests reach nothing but this machine."),
    Requirement("F-HOUSE-13", "DESIGN 3", "Every promise has a test, and every test's mark names a promise."),
    Requirement("F-HOUSE-14", "DESIGN 11", "Fakes go in at the seams: no test patches a name of Clew."),
    Requirement("F-HOUSE-15", "DESIGN 13", "The core is at most 15 packages, counted with Clew, and 110 MB."),
    Requirement("F-HOUSE-16", "DESIGN 11", "What an extra brings is imported only where it is used."),
    Requirement(
        "F-HOUSE-17", "DESIGN 11", "One script needs only python3 and sh, and says what is missing and what to do."
    ),
    Requirement("F-HOUSE-18", "DESIGN 3", "Each decision has one page of the agreed form."),
    Requirement("F-HOUSE-19", "DESIGN 1.12", "Embedding on this machine reports to nobody and leaves no file."),
)

# --- DEMO ---
DEMO = (
    Requirement("F-DEMO-01", "DESIGN 10", "The sample conversation is whole, well formed, and names its evidence."),
)

REQUIREMENTS: tuple[Requirement, ...] = (*HOUSE, *DEMO)
