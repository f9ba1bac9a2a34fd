import numpy as np
import pytest

from privet.datasets import skewed
from privet.errors import InputError


def test_a_seed_gives_the_same_borrowers() -> None:
    assert skewed.table(200, seed=1).equals(skewed.table(200, seed=1))
    assert not skewed.table(200, seed=1).equals(skewed.table(200, seed=2))


def test_it_is_skewed_and_correlated() -> None:
    table = skewed.table(20_000, seed=1)
    income, wealth, debt = (table[name].to_numpy() for name in ("income", "wealth", "debt"))
    assert income.mean() > 1.1 * np.median(income)
    assert wealth.mean() > 2 * np.median(wealth)
    assert np.corrcoef(np.log(income), np.log(wealth + 1))[0, 1] > 0.4
    assert np.corrcoef(income, debt)[0, 1] > 0.3
    outcome = np.array(table["outcome"].to_pylist())
    assert 0.3 < (outcome == "defaults").mean() < 0.4


def test_margins_widen_real_ranges_only() -> None:
    plain, wide = skewed.schema(), skewed.schema(bins=9, margin=0.1, seed=1)
    assert wide["income"].range[1] > plain["income"].range[1]
    assert wide["age"].range == plain["age"].range
    assert wide["age"].bins == 9
    assert wide["sector"] == plain["sector"]


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(InputError, match="rows"):
        skewed.table(0)
    with pytest.raises(InputError, match="seed"):
        skewed.table(5, seed=-1)
    with pytest.raises(InputError, match="margin"):
        skewed.schema(margin=-1)
