"""Naive Bayes by hand."""

import numpy as np

from privet.coding import Coding
from privet.estimate.bayes import Term, Terms


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
