"""The tree: a structure of arrays, its text, pictures and exports."""

from privet.tree.tree import Tree

__all__ = ["Tree"]
