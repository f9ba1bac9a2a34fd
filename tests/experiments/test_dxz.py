from pathlib import Path

import numpy as np
import pytest

from privet.experiments import Findings, Lab, find, write_page
from privet.experiments.dxz import GAMMAS, SIZES, estimating, shape
from privet.experiments.dxz_figures import guide
from privet.experiments.dxz_recovery import recovered, recovering
from privet.experiments.lab import Seeds

pytestmark = pytest.mark.xdist_group("dxz")  # one worker makes the findings, not both


@pytest.fixture(scope="module")
def lab() -> Lab:
    return Lab("dxz", quick=True, seed=1, jobs=1)


@pytest.fixture(scope="module")
def findings(lab: Lab) -> Findings:
    return find("dxz").work(lab)


def test_the_grid_is_the_papers() -> None:
    assert len(GAMMAS) * len(SIZES) == 240


def test_what_the_paper_claims(findings: Findings) -> None:
    facts = findings.facts
    assert 0.5 <= facts["repair_ratio_large"] < 0.8
    assert facts["repair_ratio"] < 1
    assert 0.7 < facts["accuracy_synthetic"] < 0.95
    assert all(
        facts["accuracy"][name] < facts["accuracy_plain"][name] for name in facts["accuracy"]
    )


def test_a_page_with_four_figures(findings: Findings, lab: Lab, tmp_path: Path) -> None:
    written = write_page(tmp_path, find("dxz"), lab, findings)
    names = ["dxz-2.svg", "dxz-3.svg", "dxz-4.svg", "dxz-5.svg", "dxz.md"]
    assert sorted(path.name for path in written) == names
    text = written[0].read_text()
    for number in (2, 3, 4, 5):
        assert f"<!-- reproduce: figure-{number} -->" in text
    assert text.count("`privet reproduce dxz --quick --seed 1`") == 6


def test_recovery_breaks_noise_and_not_substitution_at_small_gamma() -> None:
    found = recovering({"gamma": 5, "rows": 3000}, Seeds(1, "x"))
    assert max(found["noise_spectral"], found["noise_pca"]) < 0.36  # √(3/30) = 0.32
    assert min(found["substitution_spectral"], found["substitution_pca"]) > 0.5
    rows = [{"gamma": gamma, "run": 0, **found} for gamma in (5, 60)]
    rows[1]["substitution_pca"] = 0.9 * found["everyone"]
    _, (noise, immune) = recovered(rows)
    assert noise.holds
    assert not immune.holds
    assert "at γ = 5 they are no better than guessing the mean" in immune.ours
    assert "; at γ = 60 they are" in immune.ours


def test_both_ends_of_what_the_attacks_leave_are_named() -> None:
    kinds = ["noise_spectral", "noise_pca", "substitution_spectral", "substitution_pca"]
    row = dict.fromkeys([*kinds, "everyone", "read"], 0.5)
    rows = [{**row, "gamma": gamma, "noise_pca": left} for gamma, left in ((3, 0.4), (5, 0.2))]
    rows.append({**row, "gamma": 8, "noise_spectral": 0.3, "noise_pca": 0.3})
    _, (noise, _) = recovered(rows)
    assert "0.20 to 0.50 of the noise" in noise.ours  # neither is in the first or the last line
    assert "at 1 of 3 widths" in noise.ours
    assert not noise.holds


def test_repair_halves_the_error_where_noise_drowns_the_counts() -> None:
    setting = {"shape": "plateau", "gamma": 2, "bins": 100, "rows": 1000}
    rows = [estimating(setting, Seeds(1, str(run))) for run in range(5)]
    ratio = np.mean([row["paper"] for row in rows]) / np.mean([row["none"] for row in rows])
    assert 0.45 < ratio < 0.6
    assert np.mean([row["em"] for row in rows]) < 2


def test_shapes_are_distributions_with_empty_ends() -> None:
    for name in ("plateau", "triangles"):
        found = shape(name)
        assert found.sum() == pytest.approx(1)
        assert found[0] == found[-1] == 0
        assert np.allclose(found, found[::-1])


def test_the_guide_takes_the_smallest_of_the_best() -> None:
    rows = [
        {"gamma": gamma, "bins": bins, "accuracy": value}
        for gamma, bins, value in [
            (5, 10, 0.8),
            (5, 20, 0.7),
            (8, 10, 0.85),
            (8, 20, 0.84),
            (12, 10, 0.8),
            (12, 20, 0.9),
            (20, 5, 0.99),
        ]
    ]
    found = guide(rows)
    assert found["best_bins"] == {5: 10, 8: 10, 12: 20}
    assert (found["gamma"], found["bins"]) == (8, 10)
