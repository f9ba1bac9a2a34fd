"""What notebooks show: readable, short, and never as HTML of others' making."""

from __future__ import annotations

from pathlib import Path

import pytest

import privet as pv
from privet.notebook import MOST, shown

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    table = pv.datasets.load("as-f1", rows=400, seed=1)
    schema = pv.datasets.schema("as-f1")
    release = pv.RandomSubstitution(gamma=8).disguise(table, schema)
    weather = pv.datasets.schema("weather")
    folder: Path = tmp_path_factory.mktemp("notebook")
    return {
        "Release": release,
        "Schema": schema,
        "Claim": release.claim,
        "Audit": pv.audit(release, attacks=["guess"], trees=False),
        "Advice": pv.Advice.of(schema, 1_000, gamma=8, simulate=False),
        "Tree": pv.TreeClassifier().fit(release).tree_,
        "Store": pv.Store.create(folder / "weather.db", weather),
    }


NAMES = ["Release", "Schema", "Claim", "Audit", "Advice", "Tree", "Store"]


@pytest.mark.parametrize("name", NAMES)
def test_a_repr_is_one_short_line(values: dict[str, object], name: str) -> None:
    said = repr(values[name])
    assert said.startswith(f"<{name}")
    assert said.endswith(">")
    assert "\n" not in said
    assert len(said) < 140


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_shows_html(values: dict[str, object], name: str) -> None:
    html = values[name]._repr_html_()  # type: ignore[attr-defined]
    assert html.startswith("<")
    assert "<script" not in html


def test_names_of_others_are_escaped() -> None:
    schema = pv.Schema([pv.Attribute.categorical(HOSTILE, [HOSTILE, "no"])])
    html = schema._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_long_tables_are_cut() -> None:
    html = shown("many", heads=("number",), rows=[(i,) for i in range(MOST + 5)])
    assert html.count("<tr>") == MOST + 1
    assert "5 more" in html


def test_a_seed_and_a_missing_guarantee_are_said() -> None:
    table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    seeded = pv.RandomSubstitution(gamma=3).disguise(table, schema, seed=1)
    assert repr(seeded.claim) == "<Claim: NOT PRIVATE, drawn from a seed>"
    assert repr(pv.Complement().claim(schema)) == "<Claim: no formal guarantee>"
