"""OpenAI's vocabulary o200k_base, from the package `bpe-openai`, which carries it: nothing is downloaded."""

import warnings
from collections.abc import Callable
from functools import cache


@cache
def o200k_tokens() -> Callable[[str], int]:
    """A function from a text to its number of tokens; the tables take about a second to load.

    Raises:
        ImportError: the package is not installed.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of how the package opens its tables
        import bpe_openai  # an extra, and slow to load

        encode = bpe_openai.get_encoding("o200k_base").encode_ordinary
    return lambda text: len(encode(text))
