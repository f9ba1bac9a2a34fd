import json
from pathlib import Path

import pytest

from privet import __version__, datasets
from privet.cli import cli
from privet.disguise import Exact, Plan
from privet.errors import BugError, DataError
from privet.mining import mine
from privet.split import Policy
from tests.cli.running import run, start

HEAVY = ("numpy", "pyarrow", "numba", "sklearn", "scipy", "narwhals", "rich", "cryptography")


LEARNERS = ("numba", "scipy", "sklearn", "pandas", "matplotlib")
# What only some settings and callers need. numba imports scipy.linalg itself.
SELDOM = (
    *("pandas", "sklearn", "narwhals", "rich", "matplotlib", "scipy.stats", "scipy.optimize"),
    *("privet.table.spark", "privet.grow.forest", "privet.estimate.fitted"),
)


def imported(arguments: tuple[str, ...], libraries: tuple[str, ...], code: int) -> str:
    """Run a command in a process of its own and return which of the libraries it imported."""
    script = (
        "import sys\nfrom privet.cli import cli\n"
        "try:\n    cli(prog_name='privet')\n"
        f"finally:\n    print('IMPORTED', [name for name in {libraries} if name in sys.modules])"
    )
    process = start(*arguments, script=script, stdout=-1, stderr=-1)
    said, complaints = process.communicate(timeout=60)
    assert process.returncode == code, complaints
    return str(said).rpartition("IMPORTED ")[2].strip()


@pytest.mark.parametrize("arguments", [("--help",), ("mine", "--help"), ("--version",)])
def test_help_imports_nothing_heavy(arguments: tuple[str, ...]) -> None:
    assert imported(arguments, HEAVY, 0) == "[]"


@pytest.mark.parametrize(
    "arguments",
    [
        ("mine", "absent.release"),
        ("show", "absent.json"),
        ("shares", "absent.release"),
        ("decode", "absent.json", "--key", "absent.key"),
        ("survey", "plan", "absent.toml"),
        ("demo", "--gamma", "0.5"),
        ("mine", ".", "--method", "guess"),
    ],
)
def test_a_mistake_that_needs_no_data_is_told_before_anything_heavy(
    arguments: tuple[str, ...],
) -> None:
    assert imported(arguments, HEAVY, 2) == "[]"


def test_looking_at_a_tree_imports_no_learners(tmp_path: Path) -> None:
    tree = tmp_path / "tree.json"
    table, schema = datasets.load("weather"), datasets.schema("weather")
    release = Plan({}, default=Exact()).disguise(table, schema)
    tree.write_text(mine(release, Policy.named("id3")).tree.to_json())
    assert imported(("show", str(tree)), LEARNERS, 0) == "[]"


def test_everyday_commands_import_what_they_use(tmp_path: Path) -> None:
    table, schema, release, tree, answers = (
        tmp_path / name
        for name in ("table.csv", "schema.toml", "made.release", "tree.json", "p.csv")
    )
    rows = [f"{place % 50},{'ab'[place % 2]},{'yn'[place % 3 == 0]}" for place in range(300)]
    table.write_text("\n".join(["age,kind,good", *rows]) + "\n")
    commands = [
        ("schema", table, "--target", "good", "-o", schema),
        ("disguise", table, "--schema", schema, "--gamma", 8, "-o", release),
        ("mine", release, "--method", "direct", "-o", tree),
        ("mine", table, "--schema", schema),
        ("predict", tree, table, "--proba", "-o", answers),
        ("score", tree, release),
        ("score", tree, table),
        ("shares", release),
    ]
    # One process for all: none may import any of these, so what came before makes no difference.
    script = (
        "import json, sys\nfrom privet.cli import cli\n"
        "for words in json.loads(sys.argv[1]):\n"
        "    cli(words, prog_name='privet', standalone_mode=False)\n"
        f"    found = [name for name in {SELDOM} if name in sys.modules]\n"
        "    print('IMPORTED', words[:2], found)\n"
    )
    words = json.dumps([[str(word) for word in words] for words in commands])
    process = start(words, script=script, stdout=-1, stderr=-1)
    said, complaints = process.communicate(timeout=60)
    assert process.returncode == 0, complaints
    told = [line for line in said.splitlines() if line.startswith("IMPORTED ")]
    assert len(told) == len(commands)
    assert not [line for line in told if not line.endswith(" []")]


def test_help_lists_every_command_under_a_role() -> None:
    said = run("--help").stdout
    places = [said.index(role) for role in ("Owner:", "Miner:", "Everyone:")]
    assert places == sorted(places)
    for name in ("schema", "disguise"):
        assert places[0] < said.index(f"\n  {name} ") < places[1]
    for name in ("mine", "score", "predict"):
        assert places[1] < said.index(f"\n  {name} ") < places[2]
    for name in ("demo", "show", "generate", "completion"):
        assert places[2] < said.index(f"\n  {name} ")


@pytest.mark.parametrize("name", cli.list_commands(None))  # type: ignore[arg-type]
def test_every_command_explains_itself(name: str) -> None:
    said = run(name, "-h").stdout
    assert said.startswith(f"Usage: privet {name}")
    assert all(len(line) <= 100 for line in said.splitlines())


def test_version() -> None:
    assert run("--version").stdout == f"privet, version {__version__}\n"


def test_unknown_command_and_unknown_option() -> None:
    assert "No such command" in run("mien", code=2).stderr
    assert "No such option" in run("mine", "--wrong", code=2).stderr


def test_usage_errors_are_json_too() -> None:
    said = run("mine", "--wrong", "--json", code=2)
    assert said.stdout == ""
    assert '"error": "No such option' in said.stderr


def raised(monkeypatch: pytest.MonkeyPatch, error: BaseException, *more: str, code: int) -> str:
    def fail() -> list[str]:
        raise error

    monkeypatch.setattr("privet.datasets.names", fail)
    said = run("generate", "--list", *more, code=code)
    assert said.stdout == ""
    return said.stderr


def test_a_mistake_of_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    said = raised(monkeypatch, DataError("Column 'a' is bad.", hint="mend it."), code=2)
    assert said == "Error: Column 'a' is bad.\nHint: mend it.\n"


def test_a_mistake_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    error = DataError("Column 'a' is bad.", hint="mend it.")
    said = raised(monkeypatch, error, "--json", code=2)
    assert said == '{"error": "Column \'a\' is bad.", "hint": "mend it."}\n'


def test_a_bug_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    said = raised(monkeypatch, BugError("two and two are five"), code=1)
    assert said.startswith("Error: two and two are five\nHint: this is a bug in privet")


def test_a_surprise_tells_its_place_but_not_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    said = raised(monkeypatch, KeyError("Jane Doe"), code=1)
    assert "Jane" not in said
    assert "KeyError at privet/cli/generate.py:" in said
    assert "please report" in said


def test_a_surprise_is_shown_whole_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVET_DEBUG", "1")
    with pytest.raises(AssertionError, match="KeyError"):
        raised(monkeypatch, KeyError("x"), code=2)


def test_system_errors_name_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    said = raised(monkeypatch, PermissionError(13, "no", "/a/b"), code=2)
    assert said.startswith("Error: /a/b: Permission denied.\n")


def test_out_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "not enough memory" in raised(monkeypatch, MemoryError(), code=2)


def test_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    assert raised(monkeypatch, KeyboardInterrupt(), code=130).startswith("Error: Interrupted")


def test_the_place_of_a_mistake_is_data_too(monkeypatch: pytest.MonkeyPatch) -> None:
    error = DataError("A value is missing.", column="age", row=3)
    said = json.loads(raised(monkeypatch, error, "--json", code=2))
    assert said["where"] == {"column": "age", "row": 3}


def test_hints_name_options(monkeypatch: pytest.MonkeyPatch) -> None:
    error = DataError("It exists.", hint="use overwrite=True, or rows=10.")
    said = raised(monkeypatch, error, code=2)
    assert said.endswith("Hint: use --overwrite, or --rows 10.\n")


def test_hints_of_a_method_are_settings(table: Path) -> None:
    words = ("--method", "randomized-response", "--set", "theta=0.8", "--set", 'groups=[["age"]]')
    said = run("disguise", table, "--schema", "f2.toml", *words, "-o", "r", code=2).stderr
    assert "use --set rest=withheld or --set rest=exact" in said


def test_hints_in_the_words_of_a_plan_name_options_too(table: Path) -> None:
    common = ("disguise", table, "--schema", "f2.toml", "-o", "r")
    said = run(*common, "--rho", 0.5, 0.05, code=2).stderr
    assert "Hint: --rho 0.05 0.5 allows --gamma 19." in said
    said = run(*common, "--method", "substitution", "--set", "rho=[0.5, 0.05]", code=2).stderr
    assert "Hint: --set 'rho=[0.05, 0.5]' allows --set gamma=19." in said
    Path("plan.toml").write_text('default = { method = "substitution", rho = [0.5, 0.05] }\n')
    said = run(*common, "--plan", "plan.toml", code=2).stderr
    assert "Hint: rho = [0.05, 0.5] allows gamma = 19." in said


def test_warnings_name_options_too(folder: Path) -> None:
    rows = ["a,x"] * 60 + ["b,y"] * 39 + ["c,x"]
    (folder / "t.csv").write_text("\n".join(["kind,class", *rows]) + "\n")
    run("schema", "t.csv", "--target", "class", "-o", "t.toml")
    words = ("disguise", "t.csv", "--schema", "t.toml", "--method", "k-anonymity", "--set", "k=2")
    said = run(*words, "-o", "r").stderr
    assert "--set suppress=0 keeps all" in said


def test_a_command_does_not_take_its_modules_apart_at_the_end() -> None:
    script = (
        "import atexit, gc\n"
        "atexit.register(lambda: print('FROZEN', gc.get_freeze_count() > 10_000))\n"
        "from privet.cli import main\nmain()"
    )
    process = start("--version", script=script, stdout=-1)
    assert process.communicate(timeout=60)[0].splitlines()[-1] == "FROZEN True"
    assert process.returncode == 0
