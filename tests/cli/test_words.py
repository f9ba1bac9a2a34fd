import pytest
from click import Choice

from privet.audit import ATTACKS
from privet.cli import words
from privet.disguise import planfile
from privet.disguise.base import METHODS as DISGUISES
from privet.disguise.settings import settings_of
from privet.disguise.unrealize import PICKS
from privet.estimate.methods import METHODS
from privet.split.policy import POLICIES
from tests.cli.running import run


@pytest.mark.parametrize(
    ("choice", "known"),
    [
        (words.POLICIES, list(POLICIES)),
        (words.METHODS, list(METHODS)),
        (words.DISGUISES, sorted(DISGUISES)),
        (words.PICKS, list(PICKS)),
        (words.ATTACKS, list(ATTACKS)),
    ],
)
def test_the_words_are_those_of_the_library(choice: Choice[str], known: list[str]) -> None:
    assert list(choice.choices) == known


def test_old_names_are_taken() -> None:
    assert set(words.OLD_NAMES) == set(planfile._OTHER_NAMES)


@pytest.mark.parametrize(
    ("command", "option", "choice"),
    [
        ("mine", "--method", words.METHODS),
        ("mine", "--policy", words.POLICIES),
        ("disguise", "--method", words.DISGUISES),
        ("audit", "--attack", words.ATTACKS),
    ],
)
def test_help_lists_the_words(command: str, option: str, choice: Choice[str]) -> None:
    said = run(command, "--help").stdout
    assert option in said
    plain = "".join(said.split())
    assert all(word in plain for word in choice.choices)


@pytest.mark.parametrize("name", words.DISGUISES.choices)
def test_settings_are_listed_with_defaults_and_meanings(name: str) -> None:
    said = run("disguise", "--list-settings", name).stdout
    settings = settings_of(name)
    assert settings
    for setting in settings:
        assert f"  {setting.name} = {setting.default}" in said
        assert setting.about, (name, setting.name)


def test_mistakes_that_need_no_data_are_told_at_once() -> None:
    for arguments in (
        ("disguise", "none.csv", "--schema", "none.toml", "--gamma", 8, "-o", "x"),
        ("disguise", __file__, "--schema", __file__, "--gamma", 0.5, "-o", "x"),
        ("mine", "none.release"),
        ("mine", __file__, "--method", "magic"),
        ("audit", "none.release"),
    ):
        run(*arguments, code=2)
