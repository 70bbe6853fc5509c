"""The version, where a person and the package metadata both find it."""

__version__ = "0.1.0"
