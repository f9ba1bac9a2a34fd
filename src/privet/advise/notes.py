"""What is easily forgotten about an advice: what ε adds up to, and who pays for it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.advise.expected import Expected
    from privet.channel.gamma_diagonal import Gamma
    from privet.schema import Schema

__all__ = ["SUBSETS", "notes_of"]

SUBSETS = "RandomSubsets"  # as Python calls it; the command line has an option for it
MUCH = 10.0  # ε of a record beyond which it promises next to nothing


def notes_of(
    schema: Schema, gamma: Gamma, lines: Sequence[Expected], epsilon: float | None
) -> list[str]:
    """Return sentences about an advice; ``epsilon`` is what was asked for, if it was an ε."""
    total = sum(line.epsilon for line in lines)
    each = f"{len(lines)} attributes at {math.log(gamma):.2f} each"
    said = [
        f"The class {schema.target!r} is released as it is, and so disclosed.",
        f"ε adds up: {each} make {total:.2f} for a record.",
    ]
    if epsilon is not None and len(lines) > 1:
        share = f"ask for ε = {epsilon / len(lines):.2g} per attribute"
        said.append(f"For ε = {epsilon:g} for a whole record {share}.")
    if total > MUCH:
        more = f"ε = {total:.2f} for a record promises it next to nothing"
        said.append(f"{more}; {SUBSETS} keeps a whole record to the ε that you choose.")
    if schema.rows_per_unit is None:
        said.append("These ε are for a record; those of a person's several records add up.")
    else:
        rows = schema.rows_per_unit
        said.append(f"A person has up to {rows:,} records: ε = {rows * total:.2f} for a person.")
    if not 5 <= gamma <= 12:
        said.append("The paper recommends 5 ≤ γ ≤ 12: below trees suffer, above privacy does.")
    if schema.learned:
        said.append("The schema was learned from data: its ranges give something away already.")
    return said
