"""``privet survey`` from end to end: served by a process of its own, exported, mined."""

import http.client
import json
import re
import signal
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from privet.release import Release
from privet.survey import Questionnaire
from privet.survey.simulate import crowd, disguised
from tests.cli.running import run, run_json, start

SURVEY = """
title = "Smoking"
consent = "Disguised on your device."
gamma = 20

[questions.smoker]
ask = "Do you smoke?"
kind = "yes-no"

[questions.stress]
ask = "Stress?"
kind = "scale"
low = 1
high = 3
"""


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    path = tmp_path / "survey.toml"
    path.write_text(SURVEY)
    return path


def test_a_survey_from_plan_to_tree(survey: Path, tmp_path: Path) -> None:
    plan = run_json("survey", "plan", survey, "--people", 400)
    assert plan["people"] == 400
    assert "what is promised" in run("survey", "plan", survey).stdout.lower()
    asked = Questionnaire.read(survey)
    people = crowd(asked, 153, seed=2)
    sent = disguised(asked, people.codes)
    command = ("survey", "serve", survey, "--port", 0, "--rate", 100_000)
    with start(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        lines = [server.stdout.readline() for _ in range(3)]
        port = int(re.findall(r":(\d+)/", lines[0])[0])
        assert re.search(r"results#key=\S{32}", lines[1])
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as caller:
            for person in range(153):
                form = {
                    "survey": asked.digest,
                    "token": f"{person:032}",
                    "codes": [int(sent[name][person]) for name in asked.schema.names],
                }
                caller.request(
                    "POST", "/answers", json.dumps(form), {"content-type": "application/json"}
                )
                assert json.loads(caller.getresponse().read()) == {"received": True}
        server.send_signal(signal.SIGTERM)
        server.wait(30)
        assert "Traceback" not in server.stderr.read()
    database = tmp_path / "survey.db"
    assert run_json("survey", "results", database)["waiting"] == 3
    assert "3 more wait" in run("survey", "results", database).stdout
    release = tmp_path / "survey.release"
    assert run_json("survey", "export", database, "--output", release)["rows"] == 150
    assert "--target" in run("mine", release, code=2).stderr
    assert run_json("mine", release, "--target", "stress", "--max-depth", 1)["leaves"] == 2
    assert "smoker" in run("show", release).stdout
    assert run_json("shares", release)["shares"][0]["records"] == 150
    audit = run_json("audit", release, "--target", "stress", "--no-trees", "--attack", "guess")
    assert audit["facts"]["epsilon"] == pytest.approx(asked.claim.epsilon)
    assert "checksums" in run("verify", release).output.lower()
    assert Release.read(release).claim == asked.claim
    cross = run_json("survey", "results", database, "--crosstab", "smoker", "stress")
    assert cross["more_answers"] == 0
    assert "χ²" in run("survey", "results", database, "--crosstab", "smoker", "stress").stdout
    assert "smoker = " in run("survey", "results", database, "--tree", "stress").stdout
    run("survey", "results", database, "--tree", "none", code=2)
    run("survey", "results", database, "--tree", "a", "--crosstab", "a", "b", code=2)
    closed = run("survey", "close", database).stdout
    assert "150 answers count" in closed
    assert "3 came after the last ten" in closed


def test_invitations(survey: Path, tmp_path: Path) -> None:
    from privet.store.answers import Answers

    asked = Questionnaire.read(survey)
    database, links = tmp_path / "i.db", tmp_path / "links.txt"
    Answers.create(database, asked.digest, asked.form, invited=True).database.close()
    run("survey", "invite", database, "--number", 20, "--output", links, "--link", "https://x.org")
    made = links.read_text().splitlines()
    assert len(set(made)) == 20
    assert all(re.fullmatch(r"https://x\.org/#token=[0-9a-f]{32}", line) for line in made)
    assert links.stat().st_mode & 0o077 == 0
    here = run("survey", "invite", database, "--number", 1, "--output", tmp_path / "here.txt")
    assert "http://127.0.0.1:8000/; if the survey is elsewhere" in here.stdout
    assert "--link ADDRESS" in here.stdout
    assert (
        "exists"
        in run("survey", "invite", database, "--number", 1, "--output", links, code=2).stderr
    )


def test_what_does_not_go(survey: Path, tmp_path: Path) -> None:
    assert "no survey database" in run("survey", "results", tmp_path / "none.db", code=2).stderr
    survey.write_text(SURVEY.replace('"yes-no"', '"yes"'))
    assert "kind must be one of" in run("survey", "plan", survey, code=2).stderr


def test_a_rehearsal_compares_with_the_truth(survey: Path) -> None:
    said = run("survey", "rehearse", survey, "--people", 400, "--seed", 1, "--no-open").stdout
    assert re.match(r"400 made-up people answered( \(the last \d .*\))?; the truth is", said)
    assert "intervals hold the true share" in said
    assert "stress follows smoker; its tree asks first: smoker." in said
