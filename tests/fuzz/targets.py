"""What is fuzzed: every file that privet reads, each with good examples and its reader.

A target is known by being in one of these modules under ``@target``. Its function makes the good
examples in a folder of its own and returns how a changed one is read. Only ``PrivetError`` may come
of it.
"""

from tests.fuzz import databases, folders, parts, sealed_files, tables, toml_files
from tests.fuzz.target import TARGETS, Target

__all__ = [
    "TARGETS",
    "Target",
    "databases",
    "folders",
    "parts",
    "sealed_files",
    "tables",
    "toml_files",
]
