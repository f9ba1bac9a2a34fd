"""Growing: the one grower, and forests of its trees."""

from privet.grow.grower import grow

__all__ = ["grow"]
