"""The unrelated question: its matrix, its ε, its estimate by the closed form, its error."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.disguise.planfile import plan_from_dict
from privet.errors import PlanError

SMOKER = pv.Attribute.categorical("smoker", ["no", "yes"])
SCHEMA = pv.Schema([SMOKER, pv.Attribute.categorical("ill", ["no", "yes"])], target="ill")


def plan(theta: float, yes: float) -> pv.Plan:
    asked = pv.UnrelatedQuestion(theta, [1 - yes, yes])
    return pv.Plan({"smoker": asked, "ill": pv.Exact()})


def people(rows: int, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    smoker = rng.random(rows) < 0.2
    ill = rng.random(rows) < np.where(smoker, 0.7, 0.2)
    words = np.array(["no", "yes"])
    return {"smoker": words[smoker.astype(int)], "ill": words[ill.astype(int)]}


def test_the_matrix_by_hand() -> None:
    """θ = ½ and a question that three in ten answer yes: a smoker says yes with .5 + .15."""
    channel = pv.UnrelatedQuestion(0.5, [0.7, 0.3]).channel(SMOKER)
    wanted = np.array([[0.85, 0.35], [0.15, 0.65]])
    assert channel.matrix() / channel.scale == pytest.approx(wanted, abs=1e-9)


def test_epsilon_is_that_of_the_rarest_answer() -> None:
    gamma = plan(0.5, 0.3).claim(SCHEMA)["smoker"].gamma
    assert gamma is not None
    assert float(gamma) == pytest.approx(1 + 0.5 / (0.5 * 0.3), abs=1e-8)
    assert plan(0.5, 0.5).claim(SCHEMA)["smoker"].gamma == Fraction(3)


def test_the_estimate_is_the_closed_form_with_its_error() -> None:
    theta, yes, rows = 0.5, 0.3, 4_000
    release = plan(theta, yes).disguise(people(rows, 1), SCHEMA, seed=1)
    observed = float((release.to_frame()["smoker"].to_numpy(zero_copy_only=False) == "yes").mean())
    estimated = pv.shares(release, "smoker", population=True)
    assert estimated.unbiased[1] == pytest.approx((observed - (1 - theta) * yes) / theta, abs=1e-7)
    variance = observed * (1 - observed) / (rows * theta**2)
    assert estimated.errors[1] == pytest.approx(variance**0.5, rel=1e-3)


def test_errors_cover_at_one_half() -> None:
    """60 disguises at θ = 0.5, where Warner's question tells nothing."""
    distances = []
    for seed in range(60):
        release = plan(0.5, 0.5).disguise(people(2_000, seed), SCHEMA, seed=seed)
        estimated = pv.shares(release, "smoker", population=True)
        distances.append((estimated.unbiased[1] - 0.2) / estimated.errors[1])
    assert 0.57 < np.std(distances) < 1.5  # but once in a million runs
    assert abs(np.mean(distances)) < 4.9 / 60**0.5


def test_everything_else_takes_it() -> None:
    form = {
        "attributes": {"smoker": {"method": "unrelated-question", "theta": 0.5}, "ill": "exact"}
    }
    made = plan_from_dict(form)
    release = made.disguise(people(20_000, 1), SCHEMA, seed=1)
    assert release.treatments["smoker"] == "unrelated-question"
    test = people(4_000, 2)
    assert pv.TreeClassifier().fit(release).score(test) > 0.75
    assert pv.NaiveBayesClassifier().fit(release).score(test) > 0.75
    report = pv.audit(release, people(20_000, 1), attacks=["guess"], trees=False, seed=1)
    assert report.measures[0].epsilon == pytest.approx(np.log(3))
    failed = [check.what for check in report.checks if not check.holds]
    assert failed == ["The random words came from the operating system"]  # it is seeded
    age = pv.Attribute.numeric("age", low=0, high=100)
    assert pv.UnrelatedQuestion(bins=5).channel(age).size == 5


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        (pv.UnrelatedQuestion(0), "above 0 and below 1"),
        (pv.UnrelatedQuestion(1.0), "above 0 and below 1"),
        (pv.UnrelatedQuestion(0.5, [1.0]), "2 shares"),
        (pv.UnrelatedQuestion(0.5, [0.0, 1.0]), "above 0 and sum to 1"),
        (pv.UnrelatedQuestion(0.5, [0.5, 0.6]), "above 0 and sum to 1"),
        (pv.UnrelatedQuestion(bins=3), "no bins"),
    ],
)
def test_what_does_not_fit_is_refused(asked: pv.UnrelatedQuestion, complaint: str) -> None:
    with pytest.raises(PlanError, match=complaint):
        asked.channel(SMOKER)


def test_one_half_for_the_opposite_question_points_here() -> None:
    with pytest.raises(PlanError, match="unrelated-question"):
        pv.RandomizedResponse([["smoker"]], theta=0.5).claim(SCHEMA)


SIZE = pv.Attribute.categorical("size", ["s", "m", "l"])


@pytest.mark.parametrize(
    ("theta", "answers", "matrix"),
    [
        (0.6, [0.5, 0.25, 0.25], [[0.8, 0.2, 0.2], [0.1, 0.7, 0.1], [0.1, 0.1, 0.7]]),
        (0.4, None, [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]),
    ],
)
def test_matrices_of_three_answers_by_hand(
    theta: float, answers: Any, matrix: list[list[float]]
) -> None:
    channel = pv.UnrelatedQuestion(theta, answers).channel(SIZE)
    shown = np.asarray(channel.matrix(), np.float64) / 2.0**32
    assert shown == pytest.approx(np.array(matrix), abs=1e-8)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"theta": True}, "above 0 and below 1"),
        ({"theta": 0}, "above 0 and below 1"),
        ({"theta": 1}, "above 0 and below 1"),
        ({"theta": 1.5}, "above 0 and below 1"),
        ({"theta": "0.5"}, "above 0 and below 1"),
        ({"answers": [0.5, 0.5]}, "must have 3 shares"),
        ({"answers": "abc"}, "must have 3 shares"),
        ({"answers": [[1, 2], 3]}, "must have 3 shares"),
        ({"answers": [0.5, 0.3, 0.1]}, "above 0 and sum to 1"),
        ({"answers": [0.5, 0.5, 0.0]}, "above 0 and sum to 1"),
        ({"answers": [1.5, -0.25, -0.25]}, "above 0 and sum to 1"),
        ({"answers": [0.5, 0.5, math.nan]}, "above 0 and sum to 1"),
        ({"answers": [0.5, 0.5, 1.0]}, "above 0 and sum to 1"),
        ({"bins": 3}, "it has no bins"),
    ],
)
def test_questions_that_cannot_be_asked(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        pv.UnrelatedQuestion(**settings).released(SIZE)


def test_questions_of_two_values_and_of_numbers() -> None:
    two = pv.Attribute.categorical("two", [0, 1])
    assert pv.UnrelatedQuestion(0.01, [0.3, 0.7]).channel(two).inputs == (2,)
    age = pv.Attribute.numeric("age", low=0, high=9, bins=4)
    assert pv.UnrelatedQuestion().channel(age).inputs == (4,)
    assert pv.UnrelatedQuestion(bins=3).channel(age).inputs == (3,)
    with pytest.raises(PlanError, match="single value"):
        pv.UnrelatedQuestion().channel(pv.Attribute.categorical("one", [1]))
