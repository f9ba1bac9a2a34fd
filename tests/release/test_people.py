"""What a card says of people who have several records."""

from typing import Any

import pytest

from privet.errors import ReleaseError
from privet.release.people import People


@pytest.mark.parametrize("people", [People(1, False), People(7, True)])
def test_what_is_written_comes_back(people: People) -> None:
    assert People.from_dict(people.to_dict()) == people


@pytest.mark.parametrize(
    "changed",
    [
        {"rows_per_person": 0},
        {"rows_per_person": True},
        {"rows_per_person": 2.0},
        {"counted": 1},
        {"more": 1},
    ],
)
def test_what_does_not_fit_together_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ReleaseError, match="does not fit together"):
        People.from_dict({**People(2, True).to_dict(), **changed})
