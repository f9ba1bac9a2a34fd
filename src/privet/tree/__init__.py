"""Trees: one grower, policies that make it CART or ID3, and the tree itself."""

from privet.tree.grow import grow
from privet.tree.policy import POLICIES, Policy
from privet.tree.tree import Tree

__all__ = ["POLICIES", "Policy", "Tree", "grow"]
