"""Open nodes of fitted evidence, and which of their splits is chosen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privet.estimate.base import BoxFrontier
from privet.split.candidates import best_split, candidates_of
from privet.split.counted import best_counted

if TYPE_CHECKING:
    from privet.coding import Box, Mask
    from privet.estimate.fitted import FittedEvidence
    from privet.estimate.fitted_table import Fitted
    from privet.split.candidates import Candidates
    from privet.split.policy import Policy
    from privet.split.scored import Scored

__all__ = ["FittedFrontier", "TableFrontier"]

SURE = 3.0  # times ATTRIBUTE_Z, from which on nobody asks for a surer split


class FittedFrontier(BoxFrontier):
    """Open nodes, whose tables are cut out of joint tables when they are asked for."""

    def __init__(self, owner: FittedEvidence, boxes: list[Box]) -> None:
        super().__init__(owner.codings, boxes)
        self._owner = owner

    def at(self, node: int) -> list[Fitted]:
        """Return one node's tables, one per attribute."""
        places = range(len(self.codings))
        return [self._owner.estimate(self.boxes[node], place) for place in places]

    def candidates(self, node: int, policy: Policy) -> list[Candidates]:
        """Return all splits of a node, by attribute; of those attributes that have a table."""
        box, every = self.boxes[node], []
        for place, coding in enumerate(self.codings):
            if self._owner.offers(box, place):
                table = self._owner.estimate(box, place)
                if not self._owner.can_pay(table.mean.sum(0)):
                    return []
                every.append(candidates_of(place, table, coding, policy))
        return [candidates for candidates in every if candidates is not None]

    def chosen(self, every: list[Candidates], policy: Policy) -> Scored | None:
        """Return the best split, or a split that gains less and is surer to gain it.

        A fitted table of few records and many cells seems to gain much by chance. So where there
        are splits as sure as ``ATTRIBUTE_Z`` asks, each counts for less the nearer it is to that.
        """
        best, least = best_split(every, policy), self._owner.attribute_z
        if best is None or policy.ratio or best.z >= SURE * least:
            return best

        def worth(split: Scored) -> float:
            return split.score * (1 - (least / split.z) ** 2) if split.z >= least else 0.0

        chosen = best
        rivals = [candidates for candidates in every if candidates.attribute != best.attribute]
        for rival in sorted(rivals, key=lambda rival: -rival.score.max()):
            if rival.score.max() <= worth(chosen):  # no split is worth more than it scores
                break
            split = rival.scored(rival.best, policy)
            if split is not None and worth(split) > worth(chosen):
                chosen = split
        return chosen


class TableFrontier(FittedFrontier):
    """Open nodes that all look at one table, where no split has to be sure.

    So the fitted counts are searched as counts of records are, those of all nodes at once.
    """

    def best(self, policy: Policy, wanted: Mask | None = None) -> list[Scored | None]:
        """Return the best split of each node that errs for enough records to pay for one."""
        places = range(self.nodes) if wanted is None else np.flatnonzero(wanted).tolist()
        tables = self._owner.tables([self.boxes[place] for place in places])
        pays = np.flatnonzero(self._owner.can_pay(tables.totals))
        attributes = self._owner.tested
        codings = [self.codings[place] for place in attributes]
        chosen: list[Scored | None] = [None] * self.nodes
        best = best_counted(tables.of(pays), codings, policy)
        for place, split in zip(pays.tolist(), best, strict=True):
            if split is not None:
                chosen[places[place]] = replace(split, attribute=attributes[split.attribute])
        return chosen
