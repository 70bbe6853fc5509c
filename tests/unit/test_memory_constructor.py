"""What a memory says that is made by its constructor instead of `open`."""

from typing import Any

import pytest

from clew.aio import AsyncMemory
from clew.errors import InputError
from clew.memory import Memory


@pytest.mark.requirement("M-TRY-07")
@pytest.mark.parametrize(("kind", "said"), [(Memory, "use Memory.open"), (AsyncMemory, "await AsyncMemory.open")])
def test_a_path_given_to_the_constructor_names_what_opens_it(kind: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        kind("home")
