"""Naive Bayes by hand."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.channel import GammaDiagonal
from privet.coding import Coding
from privet.errors import DataError, ReleaseError, TreeError
from privet.estimate.bayes import Term, Terms, counted_term, equal_ranges, terms_of


def test_probabilities_are_products_of_what_is_known() -> None:
    one, two = np.ones((2, 1)), np.array([[0.8, 0.2], [0.4, 0.6]])
    terms = (
        Term(Coding.categories("sky", ["grey"]), one, 0 * one),
        Term(Coding.cells("age", [0, 10], [10, 20]), two, 0 * two),
    )
    prior = np.array([0.25, 0.75])
    model = Terms("ill", ("no", "yes"), prior, 0 * prior, terms, 100)
    records = np.array([[0.0, 5.0], [0.0, 15.0], [-1.0, 5.0], [1.0, np.nan], [7.0, 20.0]])
    expected = [[0.4, 0.6], [0.1, 0.9], [0.4, 0.6], [0.25, 0.75], [0.1, 0.9]]
    assert np.allclose(model.probabilities(records), expected)


SKY, AGE = Coding.categories("sky", ["grey", "blue"]), Coding.cells("age", [0, 10], [10, 20])


def model_of(
    rows: int = 100, *, name: str = "sky", seeded: bool = False, prior: float = 0.25
) -> Terms:
    shares = np.array([[0.75, 0.25], [0.5, 0.5]])
    coding = Coding.categories(name, ["grey", "blue"])
    priors = np.array([prior, 1 - prior])
    term = Term(coding, shares, shares / 10)
    return Terms("ill", ("no", "yes"), priors, priors / 10, (term,), rows, seeded)


def test_numbers_that_were_missing_have_a_share_of_their_own() -> None:
    cells = Coding.cells("age", [0, 10], [10, 20], missing=True)
    shares = np.array([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]])
    prior = np.array([0.5, 0.5])
    model = Terms("ill", ("no", "yes"), prior, prior, (Term(cells, shares, shares),), 9)
    assert model.probabilities(np.array([[np.nan], [10.0]])) == pytest.approx(
        np.array([[0.25, 0.75], [5 / 7, 2 / 7]])
    )


def test_no_class_is_ever_impossible() -> None:
    shares = np.array([[1.0, 0.0], [0.5, 0.5]])
    for prior in (np.array([0.5, 0.5]), np.array([0.0, 1.0])):
        model = Terms("ill", ("no", "yes"), prior, prior, (Term(SKY, shares, shares),), 9)
        found = model.probabilities(np.array([[1.0], [0.0]]))
        assert (found > 0).all()
        assert found[0, 0] < 1e-11
    far = np.full((40, 2), 1e-9)  # the product of forty is below any number there is
    many = tuple(Term(Coding.categories(f"x{i}", ["a", "b"]), far[:2], far[:2]) for i in range(40))
    deep = Terms("ill", ("no", "yes"), np.array([0.25, 0.75]), np.zeros(2), many, 9)
    assert deep.probabilities(np.zeros((1, 40))) == pytest.approx(np.array([[0.25, 0.75]]))


def test_terms_of_parties_are_put_together_by_their_records() -> None:
    one, two = model_of(300), model_of(100, name="wind", seeded=True, prior=0.65)
    both = Terms.merged([one, two])
    assert both.prior == pytest.approx([0.35, 0.65])
    assert both.prior_errors == pytest.approx([0.035, 0.065])
    assert [coding.name for coding in both.codings] == ["sky", "wind"]
    assert (both.rows, both.seeded) == (300, True)
    assert not Terms.merged([one]).seeded
    with pytest.raises(ReleaseError, match="terms of two parties"):
        Terms.merged([one, one])
    other = replace(two, classes=("no", "so"))
    with pytest.raises(ReleaseError, match="different classes"):
        Terms.merged([one, other])
    with pytest.raises(ReleaseError, match="different classes"):
        Terms.merged([one, replace(two, target="well")])


def test_a_model_in_words_and_as_a_file() -> None:
    model = model_of()
    assert str(model) == (
        "ill: no 25.0 ± 2.5 %, yes 75.0 ± 7.5 %\n"
        "sky:\n"
        "  grey  no: 75.0 ± 7.5 %  yes: 50.0 ± 5.0 %\n"
        "  blue  no: 25.0 ± 2.5 %  yes: 50.0 ± 5.0 %"
    )
    again = Terms.from_json(model.to_json())
    assert str(again) == str(model)
    assert (again.rows, again.seeded, again.target) == (100, False, "ill")
    for wrong in (
        replace(model, prior=np.array([1.0])),
        replace(model, prior_errors=np.array([1.0])),
        replace(model, terms=(Term(SKY, np.ones((2, 3)), np.ones((2, 3))),)),
        replace(model, terms=(Term(SKY, np.ones((2, 2)), np.ones((1, 2))),)),
        replace(model, terms=(*model.terms, Term(SKY, np.ones((3, 2)), np.ones((3, 2))))),
    ):
        with pytest.raises(TreeError, match="does not make sense"):
            Terms.from_json(wrong.to_json())


@pytest.mark.parametrize(
    ("margin", "missing", "most", "expected"),
    [
        ([1, 1, 1, 1], False, 2, [0, 0, 1, 1]),
        ([1, 1, 1, 1, 9], True, 2, [0, 0, 1, 1, 2]),
        ([4, 1, 1], False, 2, [0, 1, 1]),
        ([1, 1, 4], False, 2, [0, 0, 1]),
        ([-5, 1, 1], False, 2, [0, 0, 1]),
        ([0, 0, 0, 0], False, 2, [0, 0, 1, 1]),  # nobody: even
        ([1, 0, 0, 0], False, 4, [0, 1, 1, 1]),  # the last range ends with the last cell
        ([0, 0, 7], True, 2, [0, 1, 2]),
        ([8], True, 2, [0]),  # nothing is known
        ([2, 8, 2], False, 4, [0, 1, 2]),
    ],
)
def test_ranges_of_equal_frequency(
    margin: list[float], missing: bool, most: int, expected: list[int]
) -> None:
    assert equal_ranges(np.array(margin, float), missing=missing, most=most).tolist() == expected


def test_ten_ranges_at_most() -> None:
    assert equal_ranges(np.ones(40)).tolist() == np.repeat(np.arange(10), 4).tolist()
    counts = np.ones((2, 40))
    term = counted_term(Coding.cells("x", range(40), range(1, 41)), counts)
    assert np.asarray(term.coding.lower).tolist() == list(range(0, 40, 4))
    assert np.asarray(term.coding.upper).tolist() == list(range(4, 44, 4))
    assert term.shares == pytest.approx(np.full((2, 10), 0.1))
    assert term.errors == pytest.approx(np.full((2, 10), np.sqrt(0.1 * 0.9 / 40)))


def test_a_class_without_records_is_like_all() -> None:
    term = counted_term(SKY, np.array([[6.0, 2.0], [0.0, 0.0]]), 1.0)
    common = np.array([7, 3]) / 10
    assert term.shares[1] == pytest.approx(common)
    assert term.shares[0] == pytest.approx((np.array([6, 2]) + common) / 9)
    assert term.errors[1].tolist() == [0, 0]


def test_one_class_or_no_record_is_nothing_to_learn() -> None:
    schema = pv.Schema(
        [
            pv.Attribute.categorical("sky", ["grey", "blue"]),
            pv.Attribute.categorical("ill", ["no"]),
        ],
        target="ill",
    )
    held = {"sky": ["grey", "blue"], "ill": ["no", "no"]}
    release = pv.Plan({}, default=pv.Exact()).disguise(held, schema)
    with pytest.raises(DataError, match="single value"):
        terms_of(release)
    none: Any = SimpleNamespace(rows=0)
    with pytest.raises(DataError, match="no records"):
        terms_of(none)


def test_disguised_terms_by_hand() -> None:
    """A class that is plain and an attribute that was flipped: shares, errors and their worth."""
    schema = pv.Schema(
        [
            pv.Attribute.categorical("sky", ["grey", "blue"]),
            pv.Attribute.categorical("ill", ["no", "yes"]),
        ],
        target="ill",
    )
    held = {"sky": np.repeat(["grey", "blue"], [70, 50]), "ill": np.tile(["no", "yes"], 60)}
    channel = GammaDiagonal("sky", 2, 4)
    plain = pv.Plan({}, default=pv.Exact()).disguise(held, schema)
    part = replace(plain.parts[0], channels=(channel,))
    release = replace(plain, parts=(part,), treatments={"sky": "substitution", "ill": "exact"})
    model = terms_of(release, 2.0)
    columns = part.table.collect(200).columns
    counts = np.zeros((2, 2))
    np.add.at(counts, (columns["ill"], columns["sky"]), 1)
    assert model.prior == pytest.approx(counts.sum(1) / 120)
    assert model.prior_errors == pytest.approx(np.sqrt(0.25 / 120) * np.ones(2))
    share = counts[:, 0] / 60
    inside = (share - 0.2) / 0.6  # γ = 4: true with 0.8, turned with 0.2
    (term,) = model.terms
    errors = np.sqrt(share * (1 - share) / 60) / 0.6
    assert term.errors[:, 0] == pytest.approx(errors, rel=1e-3)
    worth = inside * (1 - inside) / errors**2
    margin = inside.mean()
    common = (margin * 120 + 1) / 122
    smoothed = (worth * inside + 2 * common) / (worth + 2)
    assert term.shares[:, 0] == pytest.approx(smoothed, rel=1e-3)
    assert term.shares.sum(1) == pytest.approx([1, 1])
