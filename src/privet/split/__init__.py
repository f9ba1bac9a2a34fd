"""Splits: tables of classes by values, what dividing them gains, and policies that choose."""

from privet.split.policy import POLICIES, Policy

__all__ = ["POLICIES", "Policy"]
