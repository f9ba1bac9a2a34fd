import pytest

from privet import datasets
from privet.errors import InputError


def test_names_cover_both_families_the_weather_and_uci() -> None:
    names = datasets.names()
    assert len(set(names)) == len(names) == 5 + 10 + 1 + 1 + 1 + 9
    assert {"as-f1", "as-f5", "agrawal-f1", "agrawal-f10", "weather", "adult", "wine"} <= set(names)
    assert {"skewed", "world", "shuttle", "cps", "affairs"} <= set(names)


@pytest.mark.parametrize("name", datasets.names())
def test_every_name_has_a_schema_and_takes_bins(name: str) -> None:
    numeric = [a for a in datasets.schema(name, bins=7).inputs if not a.is_categorical]
    assert all(attribute.bins == 7 for attribute in numeric)
    assert datasets.schema(name).names == datasets.schema(name, bins=7).names


@pytest.mark.parametrize("name", [n for n in datasets.names() if datasets.is_generated(n)])
def test_made_up_tables_fit_their_schemas(name: str) -> None:
    table = datasets.load(name, rows=500, seed=1)
    assert table.num_rows == 500
    for attribute in datasets.schema(name, seed=1):
        attribute.encode(table[attribute.name].combine_chunks().to_numpy(zero_copy_only=False))


def test_default_rows_are_those_of_the_paper() -> None:
    assert datasets.load("as-f1", seed=1).num_rows == 100_000


def test_settings_that_do_not_apply_are_refused() -> None:
    with pytest.raises(InputError, match="rows"):
        datasets.load("weather", rows=5)
    with pytest.raises(InputError, match="split"):
        datasets.load("as-f1", rows=5, split="test")
    with pytest.raises(InputError, match="margin"):
        datasets.schema("wine", margin=0.1)
    with pytest.raises(InputError, match=r"no table 'as-f6'.*Hint:.*as-f5"):
        datasets.load("as-f6")
    with pytest.raises(InputError, match="iris"):
        datasets.is_generated("iris")
