"""How hard tests try that go by chance: a little in the fast suite, longer in the slow part of `.ci/run`.

Such a test is marked `thorough`, those of Hypothesis by conftest. `CLEW_THOROUGH` is set where those are run.
"""

import os
from typing import Final

THOROUGH: Final = bool(os.environ.get("CLEW_THOROUGH"))
"""Whether there is time. Read once: `tmp_home` takes the variable away."""


def examples(few: int, many: int) -> int:
    """How many cases to try, or how long a text to read: `few`, or `many` where there is time.

    Hypothesis: `settings(max_examples=...)`. A text that shows that no time grows with the square of its length is
    so long that it would take longer than a test may; its test has the mark `timeout(120)`, which holds in the longer
    run too.
    """
    return many if THOROUGH else few
