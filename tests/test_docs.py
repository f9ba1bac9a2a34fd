"""The docs hold: code blocks run, TOML blocks are read, links lead somewhere."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import privet
from privet.cli import cli
from privet.disguise.planfile import plan_from_dict
from privet.party import Agreement
from privet.schema import Schema
from privet.survey import Questionnaire

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
SPARK = (pytest.mark.needs("java"), pytest.mark.xdist_group("spark"))


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).with_suffix("").as_posix().removeprefix("docs/")


def marks(page: Path) -> tuple[pytest.MarkDecorator, ...]:
    text = page.read_text(encoding="utf-8")
    tables = re.search(r'datasets\.load\("(adult|affairs)"', text)
    needs_tables = (pytest.mark.uci,) if tables else ()
    return (*needs_tables, *(SPARK if name_of(page) == "scale" else ()))


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=marks(page), id=name_of(page))
        for page in PAGES
        if blocks(page, "python")
    ],
)
def test_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), space)  # noqa: S102


def test_links_lead_somewhere() -> None:
    for page in [*PAGES, *ROOT.glob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def commands(page: Path) -> Iterator[tuple[str, bool]]:
    """Yield every command on a page, and whether it is a whole line of a shell."""
    for block in blocks(page, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            if line.strip().startswith("privet "):
                yield line.strip(), "…" not in line
    prose = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for line in re.findall(r"`(privet [^`]+)`", prose):
        if not line.startswith(("privet COMMAND", "privet signature 1")):  # no commands
            yield line, False


def mistakes(line: str, *, whole: bool) -> list[str]:
    """Say what `privet` would not understand in a line, or what it would miss."""
    command: click.Command = cli
    context = click.Context(cli, info_name="privet", **cli.context_settings)
    words = shlex.split(line, comments=True)[1:]
    while isinstance(command, click.Group):
        while words and words[0].startswith("-"):
            words = words[2 if words[0] == "--master" else 1 :]
        if not words:
            return []
        named = command.get_command(context, words.pop(0))
        if named is None:
            return [f"no such command: {line}"]
        command, context = named, click.Context(named, context)
    options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
    known = {name for option in options for name in (*option.opts, *option.secondary_opts)}
    given = {word.split("=")[0] for word in words if word.startswith("-") and len(word) > 1}
    missed = [
        option.opts[-1]
        for option in options
        if whole and option.required and not given & set(option.opts)
    ]
    return [f"{name}: {line}" for name in [*sorted(given - known), *missed]]


def test_every_command_of_the_docs_is_one() -> None:
    found = [(line, whole) for page in PAGES for line, whole in commands(page)]
    assert len(found) > 200
    assert not [text for line, whole in found for text in mistakes(line, whole=whole)]


def test_mistakes_in_commands_are_found() -> None:
    assert mistakes("privet mien people.release", whole=False)
    assert mistakes("privet mine people.release --depth 3", whole=False)
    assert mistakes("privet keygen", whole=True) == ["--output: privet keygen"]
    assert not mistakes("privet --master 'local[2]' mine people.release -o tree.json", whole=True)


def checklist() -> Iterator[tuple[str, str]]:
    """Yield the line and the cell *shown by* of every section in the list of papers."""
    for line in (DOCS / "papers/README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 5 and cells[0] != "section" and not set(line) <= set("|-"):
            yield line, cells[2]


def test_every_section_of_the_papers_has_a_command_that_shows_it() -> None:
    shown = list(checklist())
    assert len(shown) > 45
    for line, cell in shown:
        named = re.findall(r"`((?:privet|pytest) [^`]+)`", cell)
        assert named, line
        for path in re.findall(r"tests/[\w/.]+", cell):
            assert (ROOT / path).is_file(), path
        paper = re.search(r"privet reproduce (\w+)", cell)
        titles = re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", cell)
        assert bool(paper) == bool(titles), line
        if paper:
            page = (DOCS / f"papers/{paper[1]}.md").read_text(encoding="utf-8")
            assert all(f"\n## {title}\n" in page for title in titles), line


STILTED = (
    "is not to be had",
    "the house",
    "stands on the card",
    "stand on the card",
    "an epsilon an attribute",
    "is at most nothing",
    "so that none is known of",
    "finds the row of",
    "None: who knows",
    "stand on no card",
)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_page_has_words_that_readers_stumbled_over(page: Path) -> None:
    text = " ".join(page.read_text(encoding="utf-8").split())
    assert not [words for words in STILTED if words in text]


def toml(page: str) -> list[dict[str, Any]]:
    return [tomllib.loads(block) for block in blocks(DOCS / page, "toml")]


def test_every_toml_block_is_valid() -> None:
    for page in PAGES:
        for block in blocks(page, "toml"):
            tomllib.loads(block)


def test_the_reference_of_schemas_shows_one() -> None:
    (form,) = toml("reference/schema.md")
    schema = Schema.from_dict(form)
    assert schema.target == "income"
    assert schema.format.decimal == ","


def test_the_reference_of_plans_shows_plans() -> None:
    whole, by_attribute = map(plan_from_dict, toml("reference/plan.md"))
    assert whole.method == "substitution"
    assert len(by_attribute.groups) == 1  # type: ignore[attr-defined]


def test_the_reference_of_surveys_shows_one() -> None:
    (form,) = toml("reference/survey.md")
    questionnaire = Questionnaire.from_dict(form)
    assert [question.decline for question in questionnaire.questions] == [False, True]


def test_the_messy_table_has_the_schema_of_its_page() -> None:
    form, dated = toml("tutorials/messy.md")
    assert Schema.from_dict(form).withheld == ("number", "name", "first")
    form["attributes"] |= dated["attributes"]
    form["withheld"].remove("first")
    assert Schema.from_dict(form)["first"].high == 20088


def test_the_reference_of_agreements_shows_one() -> None:
    names = ["smoker", "cough"]
    schema = Schema.from_dict(
        {
            "target": "ill",
            "attributes": {
                **{name: {"values": ["no", "yes"]} for name in [*names, "ill"]},
                "age": {"low": 0, "high": 100},
                "trade": {"values": ["mine", "farm"]},
            },
        }
    )
    (form,) = toml("reference/party.md")
    assert list(Agreement.from_dict(form, schema).members) == ["clinic", "office"]


def test_the_reference_has_every_public_name() -> None:
    pages = (DOCS / "reference").glob("api-*.md")
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    described = {name.rsplit(".", 1)[-1] for name in re.findall(r"^::: (\S+)$", text, re.MULTILINE)}
    rooms = {"__version__", "datasets", "party"}  # their names are there one by one
    assert set(privet.__all__) - described == rooms


def test_every_page_is_in_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in DOCS.rglob("*.md"):
        assert page.relative_to(DOCS).as_posix() in menu


def test_the_list_of_rooms_is_the_one_that_is_checked() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["id"] == "rooms")
    checked = [{room.strip() for room in layer.split("|")} for layer in reversed(layers)]
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]*?(?:\\\|[^|]*?)*) \|", page, re.MULTILINE)
    told = [set(re.findall(r"`(\w+)(?:/|\.py)`", row)) for row in rows]
    assert told == checked
