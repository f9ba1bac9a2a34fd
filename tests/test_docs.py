"""The docs hold: code blocks run, TOML blocks are read, links lead somewhere."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import privet
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
