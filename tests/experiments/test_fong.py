"""The thesis' worked tables as the page shows them, and the trials of chapter 6."""

from typing import Any

import pytest

from privet.experiments.fong import SHAPES, storing
from privet.experiments.fong_tables import chapter_3, chapter_4, chapter_5
from privet.experiments.fong_time import TIMED, timed, timing
from privet.experiments.lab import Seeds


def test_chapter_3_to_5_to_the_digit() -> None:
    _, third = chapter_3()
    assert third["gains"] == pytest.approx(
        {"Outlook": 0.2467, "Humidity": 0.1518, "Wind": 0.0481}, abs=5e-5
    )
    assert third["below"]["Sunny"] == pytest.approx({"Humidity": 0.9710, "Wind": 0.0200}, abs=5e-5)
    assert third["below"]["Rain"] == pytest.approx({"Humidity": 0.0200, "Wind": 0.9710}, abs=5e-5)
    assert third["errors"] == []
    _, fourth = chapter_4()
    assert fourth["groups"] == {
        "Sunny All All No": 3,
        "Dark All All Yes": 7,
        "Dark All All No": 2,
        "Sunny All All Yes": 2,
    }
    assert fourth["estimate"] == [0.5, 8.0, 5.5]
    assert fourth["wrong"] == [12, 14]
    assert fourth["transformed"] == [22, 25, 28, 48, 89, 150]
    fifth, facts = chapter_5()
    assert (sum(facts["unreal"].values()), sum(facts["perturbing"].values())) == (14, 20)
    assert facts["gains"] == third["gains"]
    assert facts["same"]
    assert "NOT" not in fifth.text


@pytest.mark.parametrize("shape", SHAPES)
def test_trials_keep_to_the_bounds(shape: str) -> None:
    for pick in ("first", "dummy"):
        setting = {"pick": pick, "shape": shape, "kinds": 30, "samples": 300}
        found = storing(setting, Seeds(1, shape))
        assert found["bounded"]
        assert found["dummy_bounded"]
        assert found["copies"] >= found["fewest"]


def test_both_times_of_sanitizing_are_taken() -> None:
    for pick in TIMED:
        found = timing({"pick": pick, "attributes": 3, "samples": 5_000}, Seeds(1, pick))
        assert min(found.values()) >= 0


def times(samples: float = 1.0, universe: float = 1.0) -> list[dict[str, Any]]:
    """Times that grow with these powers of the samples and of the universe."""
    return [
        {
            "pick": pick,
            "attributes": width,
            "samples": count,
            "samples_seconds": 1e-8 * count**samples,
            "universe_seconds": 1e-8 * (10**width) ** universe * (1 + (pick == "dummy")),
        }
        for pick in TIMED
        for width in (3, 4, 5, 6)
        for count in (10_000, 100_000)
    ]


@pytest.mark.parametrize(("samples", "universe"), [(1.0, 1.0), (1.5, 1.0), (1.0, 2.0), (0.5, 0.5)])
def test_time_is_linear_or_it_is_not(samples: float, universe: float) -> None:
    section, (by_samples, by_universe) = timed(times(samples, universe))
    assert by_samples.holds == (samples == 1)
    assert by_universe.holds == (universe == 1)
    assert f"to the power of {samples:.2f}" in by_samples.ours
    assert "dummies take 2.0 times as long" in by_universe.ours
    assert "| dummy | 1,000,000 × 2 |" in section.text
