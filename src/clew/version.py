"""The version of Clew, for programs and for the package metadata."""

__version__ = "0.1.0"
