import pytest
from click.shell_completion import ShellComplete

from privet.cli import cli
from tests.cli.running import run


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_each_shell(shell: str) -> None:
    assert f"_PRIVET_COMPLETE={shell}_complete" in run("completion", shell).stdout


@pytest.mark.parametrize(
    ("typed", "begun", "found"),
    [
        ([], "di", ["disguise"]),
        (["mine", "x", "--policy"], "i", ["id3"]),
        (["mine", "x", "--method"], "d", ["direct"]),
        (["generate"], "wea", ["weather"]),
        (["demo"], "as-f5", ["as-f5"]),
    ],
)
def test_words_are_completed(typed: list[str], begun: str, found: list[str]) -> None:
    complete = ShellComplete(cli, {}, "privet", "_PRIVET_COMPLETE")
    assert [item.value for item in complete.get_completions(typed, begun)] == found


def test_an_unknown_shell() -> None:
    run("completion", "tcsh", code=2)
