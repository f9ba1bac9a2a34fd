"""Naive Bayes from the terms of parties with different columns: nothing is joined."""

import pytest

from privet.bayes import NaiveBayesClassifier
from privet.errors import MethodError
from privet.estimate.bayes import Terms
from privet.party import disguise_party, join, party_terms
from privet.party.bayes import own_release
from tests.party.study import COLUMNS, RECORDS, agreed, everyone, people, send, some

SENT = {
    "parties": {
        party: {word: value for word, value in asked.items() if word != "class"}
        for party, asked in COLUMNS["parties"].items()
    }
}


def test_terms_side_by_side_are_those_of_the_joined_release() -> None:
    """The class is plain and attributes stand alone, so joining records adds nothing."""
    agreement = agreed(SENT)
    sent = everyone(people(8_000), agreement)
    told = [Terms.from_json(party_terms(party).to_json()) for party in sent]  # as they travel
    model = NaiveBayesClassifier.from_terms(told)
    joined = NaiveBayesClassifier().fit(join(sent).release)
    wanted = {term.coding.name: term for term in joined.terms_.terms}
    assert {term.coding.name for term in model.terms_.terms} == set(wanted)
    for term in model.terms_.terms:
        assert term.shares == pytest.approx(wanted[term.coding.name].shares, abs=1e-9)
        assert term.errors == pytest.approx(wanted[term.coding.name].errors, abs=1e-9)
    assert model.terms_.prior == pytest.approx(joined.terms_.prior)
    test = people(2_000, seed=2)
    assert model.score(test) == joined.score(test) > 0.75
    assert model.terms_.seeded


def test_who_has_no_terms() -> None:
    with pytest.raises(MethodError, match="does not send the class"):
        party_terms(send("office", people(50)))
    with pytest.raises(MethodError, match="these parties hold the same"):
        party_terms(send("north", some(people(50), slice(None)), agreed(RECORDS)))


def test_records_that_are_sorted_by_key_are_not_shuffled() -> None:
    assert not own_release(send("clinic", people(20))).shuffled
    alone = disguise_party(people(20), agreed(RECORDS), "north")
    assert own_release(alone).shuffled
    assert not own_release(alone).seeded
