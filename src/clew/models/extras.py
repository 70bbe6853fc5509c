"""Optional libraries, loaded late and told to report nothing: Clew has no telemetry, and neither has what it loads.

They are imported when the first text is embedded, not before: they take 0.1 to 5 seconds, and most commands embed
nothing.
"""

import os
from importlib import import_module
from typing import Any, Final

# Recent releases of onnxruntime keep a device id and report to their maker unless this is set before they load; the
# hub's client reports what it is used for.
_SILENCE: Final = {"ORT_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}


def load_library(module: str) -> Any:
    """Imports a library, with its telemetry switched off for this process.

    Raises:
        ImportError: it is not installed, or lacks something itself.
    """
    os.environ.update(_SILENCE)
    return import_module(module)
