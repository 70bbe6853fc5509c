"""All settings: name, default, range and description of each, and where their values come from.

Start at `loading.load_config`.
"""

from clew.config.declare import NO_FLOOR
from clew.config.loading import SETTINGS, Setting, given, load_config, settings, sources
from clew.config.sections import (
    AnalyzeConfig,
    CondenseConfig,
    Config,
    EntitiesConfig,
    ExtractConfig,
    IndexConfig,
    IngestConfig,
    LLMConfig,
    ProjectConfig,
    RecallConfig,
    StoreConfig,
)
from clew.config.serve import ServeConfig

__all__ = [
    "NO_FLOOR",
    "SETTINGS",
    "AnalyzeConfig",
    "CondenseConfig",
    "Config",
    "EntitiesConfig",
    "ExtractConfig",
    "IndexConfig",
    "IngestConfig",
    "LLMConfig",
    "ProjectConfig",
    "RecallConfig",
    "ServeConfig",
    "Setting",
    "StoreConfig",
    "given",
    "load_config",
    "settings",
    "sources",
]
