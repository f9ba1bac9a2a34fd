"""The thesis' worked tables as the page shows them, and the trials of chapter 6."""

import pytest

from privet.experiments.fong import SHAPES, storing
from privet.experiments.fong_tables import chapter_3, chapter_4, chapter_5
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
