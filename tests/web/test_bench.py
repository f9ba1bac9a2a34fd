"""The workbench without a browser: who comes in, what it remembers, long work and its end."""

import json
import signal
import socket
import subprocess
import time
import tomllib
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import quote

import pytest

from privet.disguise import Exact, FlipGroup, Plan, Substitution, ValueClass, Withheld
from privet.disguise.planfile import plan_from_dict, plan_to_toml
from privet.errors import InputError
from privet.web.bench.plans import STEPS, Wish, expected_accuracy
from privet.web.bench.serve import Asked
from privet.web.bench.state import stem_of
from tests.cli.running import run
from tests.web.benching import NAME, Running, benched, people

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("folder")
    people(folder / "people.csv")
    with benched(folder, tmp_path_factory.mktemp("private") / "own") as bench:
        yield bench


def test_the_key_opens_once_and_the_cookie_is_strict(tmp_path: Path) -> None:
    with benched(tmp_path, tmp_path / "own") as bench:
        status, _, page = bench.call("/")
        assert (status, b"locked" in page) == (401, True)
        assert bench.call("/?key=wrong")[0] == 401
        status, heads, _ = bench.call(f"/?key={bench.key}")
        assert (status, heads["location"]) == (303, "/")
        cookie = heads["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert bench.call(f"/?key={bench.key}")[0] == 401  # a second time it opens nothing
        bench.cookie = heads["set-cookie"].split(";")[0]
        assert bench.call("/")[0] == 200
        assert bench.call("/", cookie=bench.cookie + "x")[0] == 401


def test_only_its_own_pages_change_anything(running: Running) -> None:
    if not running.cookie:
        running.enter()
    body = json.dumps({"path": "people.csv"}).encode()
    assert running.call("/owner/table", body)[0] == 403  # no token
    assert running.call("/owner/table", body, x_privet="guess")[0] == 403
    token = running.bench.token
    foreign = {"origin": "http://evil.example"}
    assert running.call("/owner/table", body, x_privet=token, **foreign)[0] == 403
    assert running.call("/owner/table", body, x_privet=token, sec_fetch_site="cross-site")[0] == 403
    assert running.call("/", host="evil.example")[0] == 421  # a name that was pointed at us
    status, heads, page = running.call("/")
    assert status == 200
    assert token.encode() in page
    policy = heads["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert heads["cache-control"] == "no-store"


@pytest.fixture(scope="module")
def looked(running: Running) -> Running:
    """A workbench whose owner has dropped a table."""
    if not running.cookie:
        running.enter()
    data = (running.bench.folder / "people.csv").read_bytes()
    status, _, text = running.call(
        "/owner/upload", data, x_privet=running.bench.token, x_name=quote("my people.csv")
    )
    assert status == 200
    assert running.wait(json.loads(text)["job"]).state == "done"
    return running


def test_columns_are_proposed_and_changed(looked: Running) -> None:
    running, owner = looked, looked.bench.owner
    assert owner.path is not None
    assert owner.path.is_relative_to(running.bench.private)
    assert {one.name: one.role for one in owner.columns} == {
        "name": "withheld",
        "age": "disguise",
        "school": "disguise",
        "hours_per_week": "disguise",
        "sex": "disguise",
        "income": "class",
    }
    # What is wrong is told, and the earlier entry is kept.
    status, told = running.post("/owner/columns", {"name": "age", "low": "90", "high": "17"})
    assert status == 422
    assert "low is above high" in told["error"]
    assert running.post("/owner/columns", {"name": "age", "low": "x", "high": "1"})[0] == 422
    assert running.post("/owner/columns", {"name": "name", "role": "class"})[0] == 422
    assert (owner.column("age").low, owner.column("age").high) != (90, 17)
    form = {"name": "age", "low": "0", "high": "120", "integer": True, "public": True}
    status, part = running.post("/owner/columns", form)
    assert status == 200
    assert "low = 0" in part
    written = tomllib.loads(owner.schema_text)
    assert written["learned_from_data"] is True
    assert written["withheld"] == ["name"]
    assert owner.schema_text.count("read off the data") == 4  # age is public now


def test_sliders_make_a_plan(looked: Running) -> None:
    running, owner = looked, looked.bench.owner
    page = running.call("/owner/plan")[2].decode()
    assert NAME not in page
    _, part = running.post("/owner/plan", {"begin": "guess", "belief": "50"})
    assert "γ = 19" in part  # a belief of 5 % becomes 50 % at most
    running.post("/owner/plan", {"begin": "gamma", "step": STEPS.index(5), "alone": "each"})
    running.post("/owner/plan", {"alone": "each", "each:sex": STEPS.index(2)})
    plan = plan_from_dict(tomllib.loads(plan_to_toml(owner.preview().plan)))
    assert isinstance(plan, Plan)
    assert plan.treatments["sex"] == Substitution(2)
    assert isinstance(plan.treatments["income"], Exact)


def test_the_command_makes_the_same_release(looked: Running) -> None:
    running, folder = looked, looked.bench.folder
    data = (folder / "people.csv").read_bytes()
    status, told = running.post("/owner/disguise", {"to": "out/people.release", "seed": "7"})
    assert status == 200, told
    assert running.wait(told["job"]).state == "done"
    page = running.call("/owner/release")[2].decode()
    assert "NOT PRIVATE" in page
    assert NAME not in page
    # The command that is shown makes the same release, byte for byte.
    command = page.partition("In a shell")[2].partition("<code>")[2].partition("</code>")[0]
    words = command.split()
    assert words[:2] == ["privet", "disguise"]
    words[words.index("out/people.release")] = str(folder / "again.release")
    (folder / "my people.csv").write_bytes(data)
    words = [str(folder / "my people.csv") if word == "&#39;my" else word for word in words]
    words = [word for word in words[1:] if word != "people.csv&#39;"]
    names = ("out/people.schema.toml", "out/people.plan.toml")
    run(*[str(folder / word) if word in names else word for word in words])
    made, again = folder / "out/people.release", folder / "again.release"
    for file in sorted(one.name for one in made.iterdir()):
        assert (made / file).read_bytes() == (again / file).read_bytes()
    # Nothing is written over what is there.
    status, told = running.post("/owner/disguise", {"to": "out/people.release"})
    assert status == 422
    status, told = running.post("/owner/audit", {})
    audit = running.wait(told["job"])
    assert audit.state == "done", audit.error
    status, heads, report = running.call(f"/audits/{audit.number}.html")
    assert "attachment" in heads["content-disposition"]
    assert b"What this release discloses" in report
    assert NAME.encode() not in report
    assert b"The audit" in running.call("/owner/release")[2]


ODD: list[tuple[str, dict[str, object]]] = [
    ("/owner/table", {"path": "\0"}),
    ("/owner/table", {"path": "x" * 5000}),
    ("/owner/table", {"path": "~nobody-of-that-name/people.csv"}),
    ("/owner/columns", {"name": "age", "role": ["plain"], "low": "x", "high": "1"}),
    ("/owner/plan", {"each:age": "x"}),
    ("/owner/disguise", {"to": "a\0b"}),
    ("/owner/disguise", {"to": "y" * 400}),
    ("/owner/disguise", {"to": "odd.release", "seed": "9" * 5000}),
    ("/miner/tree", {"test": "x"}),
    ("/miner/tree", {"depth": "9" * 5000}),
    ("/auditor/attack", {"attacks": None}),
    ("/auditor/attack", {"attacks": [["guess"]], "original": "\0"}),
]


def test_odd_forms_are_refused(looked: Running) -> None:
    running = looked
    _, told = running.post("/owner/disguise", {"to": "odd/people.release"})
    assert running.wait(told["job"]).state == "done"
    for role in ("miner", "auditor"):
        running.post(f"/{role}", {"path": "odd/people.release"})
    running.wait(running.bench.releases[running.bench.chosen["miner"]].job.number)
    statuses = [(path, str(form)[:40], running.post(path, form)[0]) for path, form in ODD]
    assert [one for one in statuses if one[2] != 422] == []
    assert running.post("/owner/columns", {"name": "age", "low": "1"})[0] == 200  # half a range


def test_a_drop_that_breaks_off_leaves_the_earlier_table(looked: Running) -> None:
    running, path = looked, looked.bench.owner.path
    assert path is not None
    before = path.read_bytes()
    with socket.create_connection(("127.0.0.1", running.port), 30) as caller:
        heads = {
            "host": f"127.0.0.1:{running.port}",
            "cookie": running.cookie,
            "x-privet": running.bench.token,
            "x-name": quote("my people.csv"),
            "content-length": "100000",
        }
        text = "".join(f"{name}: {value}\r\n" for name, value in heads.items())
        caller.sendall(f"POST /owner/upload HTTP/1.1\r\n{text}\r\nname,age\n".encode())
        end = time.monotonic() + 30
        while len(list(running.bench.private.rglob("my-people.csv"))) < 2:
            assert time.monotonic() < end
            time.sleep(0.01)
    while len(list(running.bench.private.rglob("my-people.csv"))) > 1:  # what broke off is removed
        assert time.monotonic() < end
        time.sleep(0.01)
    assert path.read_bytes() == before


def test_work_is_watched_and_cancelled(running: Running) -> None:
    if not running.cookie:
        running.enter()
    big = people(running.bench.folder / "big.csv", 6_000)
    running.post("/owner/table", {"path": big.name})
    job = running.bench.owner.jobs["look"]
    status, heads, _ = running.call(f"/jobs/{job.number}/events")
    assert (status, heads["content-type"].split(";")[0]) == (200, "text/event-stream")
    assert running.bench.jobs[job.number].over  # the stream ends with the job
    status, told = running.post("/owner/disguise", {"to": "gone.release"})
    assert status == 200
    assert running.post(f"/jobs/{told['job']}/cancel", {})[1]["state"] == "cancelled"
    left = {path.name for path in running.bench.folder.glob("gone.*")}
    assert not left & {"gone.schema.toml", "gone.plan.toml"}
    assert running.bench.owner.columns  # what was entered stays
    status, again = running.post("/owner/table", {"path": big.name})
    assert running.wait(again["job"]).state == "done"  # another process took over
    assert running.call("/jobs/999/events")[0] == 422


def test_a_failure_is_told_without_a_value(running: Running) -> None:
    if not running.cookie:
        running.enter()
    (running.bench.folder / "odd.csv").write_text(f"name\n{NAME}\nb\n")
    _, told = running.post("/owner/table", {"path": "odd.csv"})
    job = running.wait(told["job"])
    assert job.state == "failed"
    assert job.error
    assert NAME not in job.error + job.hint
    assert running.post("/owner/table", {"path": "none.csv"})[0] == 422
    assert running.post("/owner/plan/compare", {"agreed": False})[0] == 422


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org"])  # noqa: S104
def test_others_reach_it_only_through_tls(host: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Others could reach"):
        Asked(host=host).check()
    Asked(host=host, behind_proxy=True).check()
    Asked(host=host, certificate=tmp_path, certificate_key=tmp_path).check()
    with pytest.raises(InputError, match="its key"):
        Asked(certificate=tmp_path).check()


def test_the_command(tmp_path: Path) -> None:
    people(tmp_path / "people.csv", 60)
    refused = run("open", tmp_path / "people.csv", "--host", "192.0.2.1", "--no-browser", code=2)
    assert "--behind-proxy" in refused.stderr
    from tests.cli.running import start

    words = ("open", tmp_path / "people.csv", "--no-browser", "--folder", tmp_path)
    with start(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdout is not None
        try:
            assert "/?key=" in server.stdout.readline()
            server.terminate()  # as soon as anybody knows of it
            assert server.wait(30) in {0, 143, -signal.SIGTERM}
        finally:
            server.kill()


def test_plans_are_read_as_they_are_written() -> None:
    plan = Plan(
        {
            "a b": Substitution(epsilon=1.5, bins=4, kind="band"),
            "c": ValueClass(groups={"x y": ["1", "2"], "z": ["3"]}),
            "d": Withheld(),
            "e": Substitution(8, edges=[1.0, 2.0]),
        },
        default=Exact(),
        groups=(FlipGroup(("f", "g"), 0.7),),
    )
    again = plan_from_dict(tomllib.loads(plan_to_toml(plan)))
    assert isinstance(again, Plan)
    assert plan_to_toml(again) == plan_to_toml(plan)
    assert again.treatments["c"] == plan.treatments["c"]
    assert again.default == Exact()


def test_wishes() -> None:
    points = {2.0: 0.6, 8.0: 0.9, 19.0: 0.95}
    assert expected_accuracy(1, points) == pytest.approx(0.5)
    assert 0.6 < expected_accuracy(4, points) < 0.9
    assert expected_accuracy(64, points) == 0.95
    gamma, _ = Wish(accuracy=90).gamma(points)
    assert gamma == 8
    assert "reaches" in Wish(accuracy=99).gamma(points)[1]
    with pytest.raises(InputError):
        Wish().change({"accuracy": "many"})
    assert stem_of("../a b.release") == "a-b"


def test_a_plan_tried_on_records_is_stamped(looked: Running) -> None:
    running, owner = looked, looked.bench.owner
    running.post("/owner/plan", {"begin": "gamma", "step": STEPS.index(8), "alone": "all"})
    status, told = running.post("/owner/plan/keep", {"name": "eight"})
    assert status == 200
    running.bench.jobs.cancel(told["job"])
    assert owner.preview().plan.tuned is False
    _, told = running.post("/owner/plan/compare", {"agreed": True})
    job = running.wait(told["job"])
    assert job.state == "done", job.error
    assert "tuned_on_records = true" in plan_to_toml(owner.preview().plan)
    _, told = running.post("/owner/disguise", {"to": "tuned.release"})
    assert running.wait(told["job"]).state == "done"
    page = running.call("/owner/release")[2].decode()
    assert "chosen by trying it on the records" in page
    card = json.loads((running.bench.folder / "tuned.release" / "card.json").read_text())
    assert (card["tuned_on_records"], card["version"]) == (True, 4)


def test_names_never_steer_the_page(running: Running) -> None:
    """Direction and control signs of a column's name are told by number wherever it is shown."""
    if not running.cookie:
        running.enter()
    name, value = "in\u202ecome", "hi\u2067gh"
    rows = "".join(f"{place % 7},{'low' if place % 3 else value}\n" for place in range(300))
    path = running.bench.folder / "odd.csv"
    path.write_text(f"age,{name}\n{rows}", encoding="utf-8")
    _, told = running.post("/owner/table", {"path": path.name})
    assert running.wait(told["job"]).state == "done"
    owner = running.bench.owner
    column = next(column for column in owner.columns if column.name == name)
    status, heads, page = running.call("/owner/columns")
    assert (status, heads["content-type"].split(";")[0]) == (200, "text/html")
    form = {"name": name, "role": "class", "values": "low\nhi\\u2067gh\nmiddle"}
    assert running.post("/owner/columns", form)[0] == 200
    assert column.values == ["low", value, "middle"]  # an entry that is shown by number stays
    after = [running.call(f"/owner/{step}")[2] for step in ("columns", "plan", "disguise")]
    pages = [text.decode() for text in (page, *after)]
    for text in pages:
        assert "\u202e" not in text
        assert "\u2067" not in text
    assert 'value="in&#8238;come"' in pages[1]
    assert "in\\u202ecome" in pages[1]
    assert "--target $'in\\u202ecome'" in unescape(pages[1])
    assert tomllib.loads(owner.schema_text)["target"] == name
    _, wrong = running.post("/owner/columns", {"name": name, "role": "king"})
    assert "\u202e" not in wrong["error"]
