"""ZCM's experiment: parties are dealt anew, and where nothing is hidden the result is ID3's."""

import numpy as np
import pytest

from privet.experiments import Lab, find
from privet.experiments.lab import Seeds
from privet.experiments.zcm import PARTIES, THETAS, deal, fitting, mining


def test_attributes_are_dealt_out_whole() -> None:
    names = [f"a{place}" for place in range(14)]
    one, other = (deal(names, np.random.default_rng(seed)) for seed in (1, 2))
    assert sorted(name for hand in one for name in hand) == sorted(names)
    assert [len(hand) for hand in one] == [5, 5, 4]
    assert one != other
    assert (len(one), len(THETAS)) == (PARTIES, 13)


@pytest.mark.uci
@pytest.mark.parametrize("table", ["cmc", "wine"])
@pytest.mark.parametrize("theta", [0, 1])
def test_truth_and_opposite_are_id3(table: str, theta: int) -> None:
    found = mining({"table": table, "theta": theta}, Seeds(1, table))
    assert found["direct"] == found["plain"]


@pytest.mark.uci
def test_fitting_learns_from_few_records() -> None:
    assert fitting({"table": "cmc", "theta": 0.9}, Seeds(2, "cmc"))["joint"] > 0.35


@pytest.mark.uci
def test_a_quick_run_draws_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a small table in the place of the paper's two; the other is not there."""
    monkeypatch.setattr("privet.experiments.zcm.TABLES", {"cmc": "Choice", "wisconsin": "none"})
    monkeypatch.setattr("privet.experiments.zcm.FIGURES", {"cmc": "figure 0", "wisconsin": ""})
    monkeypatch.setattr("privet.experiments.zcm.is_present", lambda name: name == "cmc")
    findings = find("zcm").work(Lab("zcm", quick=True, seed=1, jobs=1))
    assert [section.name for section in findings.sections] == ["cmc", "absent"]
    assert list(findings.sections[0].figures) == ["zcm-cmc"]
    assert findings.compared[0].holds
    assert findings.facts["absent"] == ["none"]
