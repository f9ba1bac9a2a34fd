"""Names of strangers, fit to be shown in a report; trees show them the same way."""

from privet.tree.names import LONGEST, shown

__all__ = ["LONGEST", "shown"]
