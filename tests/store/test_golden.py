"""Tables of stores and surveys, as they lie in databases already: a change needs a new format."""

from typing import Any

import pytest
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from privet.store import answer_tables, layout
from tests.golden import golden

DIALECTS: dict[str, Any] = {"sqlite": sqlite.dialect(), "postgresql": postgresql.dialect()}  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("module", [layout, answer_tables], ids=["store", "survey"])
def test_tables_are_made_the_same_again(module: Any, dialect: str) -> None:
    found: dict[str, Any] = {"format": module.FORMAT}
    for table in module.metadata.sorted_tables:
        made: list[Any] = [
            CreateTable(table),
            *map(CreateIndex, sorted(table.indexes, key=lambda i: i.name)),
        ]
        said = [" ".join(str(one.compile(dialect=DIALECTS[dialect])).split()) for one in made]
        found[table.name] = said
    golden("store", f"{module.__name__}, {dialect}", found)


def test_files_of_stores_are_marked() -> None:
    assert layout.APPLICATION.to_bytes(4, "big") == b"prvt"
