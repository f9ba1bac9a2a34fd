"""What command tests share: an empty folder to work in, and a small table with its schema."""

import shutil
from pathlib import Path

import pytest

from tests.cli.running import run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table, its release and a tree, made once; tests get copies."""
    made = tmp_path_factory.mktemp("made")
    table, schema, release = made / "f2.parquet", made / "f2.toml", made / "f2.release"
    run("generate", "as-f2", "--rows", 3000, "--seed", 1, "-o", table, "--schema", schema)
    run("disguise", table, "--schema", schema, "--gamma", 50, "-o", release)
    run("mine", release, "-o", made / "tree.json")
    return made


@pytest.fixture
def table(folder: Path, made: Path) -> Path:
    shutil.copy2(made / "f2.toml", folder)
    return Path(shutil.copy2(made / "f2.parquet", folder))


@pytest.fixture
def release(table: Path, made: Path) -> Path:
    return Path(shutil.copytree(made / "f2.release", table.parent / "f2.release"))


@pytest.fixture
def tree(release: Path, made: Path) -> Path:
    return Path(shutil.copy2(made / "tree.json", release.parent))
