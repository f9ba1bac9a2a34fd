"""An audit of a real table, small enough for every run."""

import pytest

from privet import datasets
from privet.audit import audit
from privet.disguise import RandomSubstitution


@pytest.mark.uci
def test_an_audit_of_cmc_holds_what_it_says() -> None:
    table, schema = datasets.load("cmc"), datasets.schema("cmc")
    release = RandomSubstitution(gamma=8).disguise(table, schema)
    found = audit(release, table, seed=3)
    assert all(check.holds for check in found.checks)
    assert all(one.fits for one in found.attacks)
    assert len(found.to_html()) < 200_000
