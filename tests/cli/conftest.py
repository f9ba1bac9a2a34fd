"""What command tests share: an empty folder to work in, and a small table with its schema."""

from pathlib import Path

import pytest

from tests.cli.running import run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def table(folder: Path) -> Path:
    run("generate", "as-f2", "--rows", 3000, "--seed", 1, "-o", "f2.parquet", "--schema", "f2.toml")
    return folder / "f2.parquet"


@pytest.fixture
def release(table: Path) -> Path:
    run("disguise", table, "--schema", "f2.toml", "--gamma", 50, "-o", "f2.release")
    return table.parent / "f2.release"


@pytest.fixture
def tree(release: Path) -> Path:
    run("mine", release, "-o", "tree.json")
    return release.parent / "tree.json"
