"""What disguised answers tell: intervals that keep their word, the right tree, a release."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet import Release, TreeClassifier, audit
from privet.errors import SurveyError
from privet.survey import Questionnaire, Results
from privet.survey.results import CLEAR, FAKES, pack, unpack
from privet.survey.simulate import crowd, disguised
from tests.survey.asked import asked, question


def results(questionnaire: Questionnaire, codes: dict[str, Any]) -> Results:
    """The results of people with these true codes."""
    sent = disguised(questionnaire, codes)
    names = questionnaire.schema.names
    rows = np.stack([sent[name] for name in names], axis=1).astype("<u2")
    return Results(questionnaire, Counter(row.tobytes() for row in rows))


def test_answers_are_stored_as_they_were_sent() -> None:
    made = asked()
    codes = {name: place % 2 for place, name in enumerate(made.schema.names)}
    stored = pack(codes, made)
    assert len(stored) == 2 * len(made.schema.names)
    columns = unpack({stored: 3}, made)
    assert {name: column.tolist() for name, column in columns.items()} == {
        name: [code] * 3 for name, code in codes.items()
    }


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    made = question(kind="one", options=["a", "b", "c"])
    shares = np.array([0.1, 0.2, 0.7])
    rng = np.random.default_rng()
    repetitions = 600
    inside = np.zeros(3)
    for _ in range(repetitions):
        found = results(made, {"q": rng.choice(3, 400, p=shares)}).told("q")
        inside += np.abs(found.shares.unbiased - shares) <= found.half_widths
    # Within 5 deviations of 95 %: a correct program misses three such bounds twice in a million.
    assert (np.abs(inside / repetitions - 0.95) < 5 * np.sqrt(0.95 * 0.05 / repetitions)).all()


def test_2000_people_tell_shares_and_the_right_tree(tmp_path: Path) -> None:
    made = asked(gamma=8)
    people = crowd(made, 2_000, seed=5)
    found = results(made, people.codes)
    for name in made.schema.names:
        told = found.told(name)
        truth = people.shares(name, len(told.half_widths))
        assert (np.abs(told.shares.unbiased - truth) < 3 * told.half_widths).all(), name
    release = found.release
    assert release.claim == made.claim
    release.write(tmp_path / "survey.release")
    again = Release.read(tmp_path / "survey.release")
    tree = TreeClassifier(max_depth=1).fit(again.with_target(people.leaf)).tree_
    assert tree.nodes == 3
    assert tree.codings[tree.attribute[0]].name == people.root
    report = audit(again, target=people.leaf, attacks=["guess"], trees=False)
    assert report.facts.disguised == len(made.schema.names)
    assert report.facts.epsilon == pytest.approx(made.claim.epsilon)


def test_what_cannot_be_told_yet_says_how_many_more_it_takes() -> None:
    made = question(kind="yes-no")
    rng = np.random.default_rng(4)
    few = results(made, {"q": rng.integers(0, 2, 200)}).told("q")
    assert not few.clear
    enough = results(made, {"q": rng.integers(0, 2, 200 + few.more + 60)}).told("q")
    assert enough.half_widths.max() == pytest.approx(CLEAR, rel=0.2)


def test_so_few_answers_say_nothing_of_pairs() -> None:
    made = asked(gamma=3)
    first, second = made.schema.names[:2]
    for seed in range(20):
        found = results(made, crowd(made, 10, seed=seed).codes)
        single = max(found.told(name).more for name in (first, second))
        test = found.crosstab(first, second).independence
        assert test is not None
        more = found.more_for(test, first, second)
        assert more == (0 if test.p_value < 0.05 else single)
        assert single > 100


def test_fakes_move_a_share_as_far_as_is_said() -> None:
    made = question(kind="yes-no", gamma=3)
    rng = np.random.default_rng(6)
    honest = disguised(made, {"q": rng.integers(0, 2, 9_900)})["q"]
    for code in (0, 1):
        faked = np.concatenate([honest, np.full(100, code)])
        before = Results(made, Counter(bytes([c, 0]) for c in honest)).told("q")
        after = Results(made, Counter(bytes([c, 0]) for c in faked)).told("q")
        moved = np.abs(after.shares.unbiased - before.shares.unbiased)
        assert (moved <= before.moved + 1e-9).all()
    assert before.moved == pytest.approx(FAKES * np.array([1.0, 1.0]), rel=0.1)


def test_no_answers_tell_nothing() -> None:
    held = Results(asked(), {})
    assert held.to_dict()["questions"] == []
    with pytest.raises(SurveyError, match="No answers count yet"):
        _ = held.release
