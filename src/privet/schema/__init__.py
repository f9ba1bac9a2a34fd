"""Schemas: attributes with public domains, the class; drafts of them; how files are written."""

from privet.files.format import Files, Format
from privet.schema.attribute import DEFAULT_BINS, Attribute, Missing
from privet.schema.schema import Schema

__all__ = ["DEFAULT_BINS", "Attribute", "Files", "Format", "Missing", "Schema"]
