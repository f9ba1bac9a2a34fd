"""What a card says of people who have several records."""

import math
from fractions import Fraction
from typing import Any

import pytest

from privet.errors import ReleaseError
from privet.release.claim import PRIORS, percent, posterior
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


def test_what_a_guess_about_a_person_rises_to_is_said() -> None:
    said = People(2).sentence(math.log(8), 14.56)
    risen = percent(posterior(PRIORS[1], Fraction(64)))
    assert "ε = 4.16 for an attribute" in said
    assert f"a guess of 5 % about one of them rises to {risen} at most" in said
    assert "29.12 for all" in said


def test_a_number_is_declared_unless_it_is_said_to_be_counted() -> None:
    assert not People(2).counted
    assert "counted in the records" not in People(2).sentence(1.0, 2.0)
    assert "counted in the records" in People(2, counted=True).sentence(1.0, 2.0)
    assert "one record: what is promised for a record" in People(1).sentence(1.0, 2.0)


def test_what_was_left_out_is_the_owners_matter() -> None:
    """It is on no card, so that what is read back is the same without it."""
    assert People(2).left_out == 0
    assert People(2, left_out=5) == People(2)
    assert "left_out" not in People(2, left_out=5).to_dict()
