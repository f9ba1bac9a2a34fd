"""Tables without a schema: what the names of folders and the looks of values make of them."""

from pathlib import Path

import pytest

from privet.schema import Files
from privet.table.looks import read_table


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("2024", 2024),
        ("north", "north"),
        ("__HIVE_DEFAULT_PARTITION__", None),
        ("9" * 18, 10**18 - 1),
        ("9" * 30, "9" * 30),  # more than a column of whole numbers can hold
    ],
)
def test_a_key_in_the_name_of_a_folder_is_a_number_where_it_fits(
    tmp_path: Path, name: str, value: object
) -> None:
    folder = tmp_path / f"key={name}"
    folder.mkdir()
    (folder / "0.csv").write_text("a,b\n1,x\n2,y\n")
    assert read_table(Files(tmp_path))["key"].to_pylist() == [value, value]
