"""Loads optional libraries with their telemetry switched off.

They are imported when the first text is embedded, not before: that takes 0.1 to 5 seconds, and most commands embed
nothing.
"""

import os
from importlib import import_module
from typing import Any, Final

# Recent releases of onnxruntime keep a device id and send telemetry unless this is set before they load; the client of
# the model hub reports its use.
_SILENCE: Final = {"ORT_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}


def load_library(module: str) -> Any:
    """Imports a library with its telemetry switched off.

    Raises:
        ImportError: the library, or a package that it needs, is not installed.
    """
    os.environ.update(_SILENCE)
    return import_module(module)
