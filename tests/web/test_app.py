"""The survey's server: what it takes, what it refuses, what it says to whom."""

import json
import logging
import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from privet.survey.simulate import crowd, disguised
from privet.web.app import Survey
from privet.web.guard import Rate
from tests.survey.asked import FORM, asked
from tests.web.serving import KEY, Running, served

BEARER = f"Bearer {KEY}"


def token(number: int) -> str:
    return f"{number:032x}"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with served(asked(), tmp_path_factory.mktemp("survey") / "a.db") as made:
        yield made


def test_a_submission_is_stored_before_it_is_acknowledged(running: Running) -> None:
    before = running.answers.verify()
    body = running.submission(token(1))
    assert running.submit(body) == (200, {"received": True})
    assert running.answers.verify() == before + 1
    assert running.submit(body) == (200, {"received": True})
    assert running.submit(running.submission(token(1), [1] * 9)) == (200, {"received": True})
    assert running.answers.verify() == before + 1


@pytest.mark.parametrize(
    "change",
    [
        {"codes": [0] * 8},
        {"codes": [0] * 10},
        {"codes": [2] + [0] * 8},
        {"codes": [-1] + [0] * 8},
        {"codes": [True] + [0] * 8},
        {"codes": [0.0] + [0] * 8},
        {"codes": "0"},
        {"codes": None},
        {"token": "short"},
        {"token": 7},
        {"token": "x" * 129},
        {"survey": "another"},
        {"name": "someone"},
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_whole(running: Running, change: dict[str, object]) -> None:
    before = running.answers.verify()
    status, reply = running.submit(running.submission(token(2), None, change))
    assert (status, set(reply)) == (422, {"error"})
    assert running.answers.verify() == before


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"\xff", b"[" * 400, b'{"token": NaN}', b"null"]
)
def test_what_is_no_submission_is_refused(running: Running, body: bytes) -> None:
    assert running.submit(body)[0] == 422


def test_limits_of_size_and_kind(running: Running) -> None:
    assert running.submit(b"x" * 100_000)[0] == 413
    assert running.call("/answers", b"{}", content_type="text/plain")[0] == 415
    assert running.call("/answers")[0] == 405
    assert running.call("/static/../app.py")[0] == 404
    assert running.call("/nothing")[0] == 404


def test_an_open_link_has_a_rate(tmp_path: Path) -> None:
    with served(asked(), tmp_path / "a.db", rate=3) as running:
        statuses = [running.submit(running.submission(token(n)))[0] for n in range(5)]
        assert statuses == [200, 200, 200, 429, 429]
        assert running.answers.verify() == 3


def test_one_network_of_ipv6_is_one_address() -> None:
    rate = Rate(2)
    assert [rate.takes(f"2001:db8:0:7::{host}") for host in (1, 2, 3)] == [True, True, False]
    assert rate.takes("2001:db8:0:8::1")
    assert [rate.takes(host) for host in ("192.0.2.1", "::ffff:192.0.2.1")] == [True, True]
    assert not rate.takes("192.0.2.1")


def test_guessing_invitations_has_a_rate_and_answering_has_none(tmp_path: Path) -> None:
    with served(asked(), tmp_path / "a.db", invited=True, rate=3) as running:
        running.answers.invite([token(n).encode() for n in range(6)])
        statuses = [running.submit(running.submission(token(n)))[0] for n in range(5)]
        assert statuses == [200] * 5
        statuses = [running.submit(running.submission(token(n)))[0] for n in range(90, 95)]
        assert statuses == [403, 403, 403, 429, 429]


def test_a_submission_that_never_ends_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privet.web.app.SLOWEST", 0.2)
    with (
        served(asked(), tmp_path / "a.db") as running,
        socket.create_connection(("127.0.0.1", running.port), 30) as caller,
    ):
        caller.sendall(
            b"POST /answers HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
            b"content-length: 300\r\n\r\n{"
        )
        assert caller.recv(100).startswith(b"HTTP/1.1 408")


def test_callers_who_go_away_and_mistakes_of_ours_print_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), served(asked(), tmp_path / "a.db") as running:
        with socket.create_connection(("127.0.0.1", running.port), 30) as caller:
            caller.sendall(
                b"POST /answers HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
                b"content-length: 300\r\n\r\n{"
            )

        def broken(self: Survey, body: bytes) -> None:
            raise KeyError(body.decode())

        monkeypatch.setattr(Survey, "understood", broken)
        status, told = running.submit(running.submission(token(5)))
    assert (status, told) == (500, {"error": "This is a mistake of privet (KeyError)."})
    assert token(5) not in caplog.text
    assert "Traceback" not in caplog.text
    assert "KeyError at" in caplog.text  # the kind and the place, for whoever mends it


def test_invitations_are_for_one_answer(tmp_path: Path) -> None:
    with served(asked(), tmp_path / "a.db", invited=True) as running:
        assert running.submit(running.submission(token(1)))[0] == 403
        running.answers.invite([token(1).encode()])
        assert running.submit(running.submission(token(1)))[0] == 200
        assert running.submit(running.submission(token(1), [1] * 9))[0] == 200
        assert running.answers.verify() == 1
        running.answers.invite([token(2).encode()])
        running.answers.close()
        assert running.submit(running.submission(token(2)))[0] == 410
        assert running.submit(running.submission(token(1)))[0] == 200


def test_pages_come_with_their_shield_and_keep_texts_harmless(tmp_path: Path) -> None:
    form = json.loads(json.dumps(FORM))
    nasty = '"><script>alert(1)</script>'
    form["title"] = {"en": nasty, "de": nasty}
    form["questions"]["smoker"]["ask"] = nasty
    with served(asked(**form), tmp_path / "a.db") as running:
        for path in ("/", "/?lang=de", "/results", "/static/survey.js", "/nothing"):
            _, headers, page = running.call(path)
            assert b"<script>alert" not in page
            policy = headers["content-security-policy"]
            assert "script-src 'self'" in policy
            assert "form-action 'none'" in policy
            assert "unsafe" not in policy
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["x-content-type-options"] == "nosniff"
            assert "set-cookie" not in headers
            assert "server" not in headers
            assert not re.search(
                rb"""<form|\son[a-z]+=|style=|(src|href)=["']?(https?:)?//""", page
            )


def test_a_page_comes_in_the_language_asked_for(running: Running) -> None:
    pages = {
        "de": running.call("/?lang=de")[2],
        "browser": running.call("/", accept_language="fr;q=0.9, de-AT;q=0.8")[2],
        "en": running.call("/", accept_language="fr")[2],
    }
    assert b'lang="de"' in pages["de"]
    assert b"Rauchen Sie?" in pages["browser"]
    assert b"Do you smoke?" in pages["en"]
    visible = re.sub(rb"<(script|rect|svg)[^>]*>(.*?</script>)?", b"", pages["de"], flags=re.DOTALL)
    assert not re.search(rb"\d\.\d+ %", visible)  # decimal points are English
    assert re.search(rb"\d,\d+ %", visible)
    assert re.search(rb"\d\.\d+ %", pages["en"])


def test_results_are_for_whoever_has_the_key(running: Running) -> None:
    for path in ("/results/shares", "/results/crosstab?first=smoker&second=drink", "/results/tree"):
        assert running.call(path)[0] == 401
        assert running.call(path, authorization="Bearer wrong")[0] == 401
        assert running.call(f"{path}{'&' if '?' in path else '?'}key={KEY}")[0] == 401
    assert KEY.encode() not in running.call("/results")[2]


def test_results_tell_what_was_sent(tmp_path: Path) -> None:
    made = asked(gamma=20)
    people = crowd(made, 205, seed=1)
    sent = disguised(made, people.codes)
    with served(made, tmp_path / "a.db") as running:
        assert (
            json.loads(running.call("/results/shares", authorization=BEARER)[2])["questions"] == []
        )

        def send(person: int) -> int:
            codes = [int(sent[name][person]) for name in made.schema.names]
            status: int = running.submit(running.submission(token(person), codes))[0]
            return status

        with ThreadPoolExecutor(16) as pool:  # as many as like to share a transaction
            assert set(pool.map(send, range(205))) == {200}
        found = json.loads(running.call("/results/shares?lang=de", authorization=BEARER)[2])
        assert found["answers"] in range(196, 206)  # all but fewer than ten
        assert found["questions"][0]["question"] == "Rauchen Sie?"
        assert found["questions"][0]["values"] == ["Ja", "Nein"]
        cross = running.call("/results/crosstab?first=smoker&second=drink", authorization=BEARER)
        assert cross[0] == 200
        assert 0 <= json.loads(cross[2])["independence"]["p_value"] <= 1
        told = running.call(
            "/results/crosstab?first=drink&second=pains.back&lang=de", authorization=BEARER
        )
        assert json.loads(told[2])["values"] == [
            ["Nie", "Jede Woche", "Jeden Tag", "Keine Angabe"],
            ["Nein", "Ja"],
        ]
        tree = running.call(f"/results/tree?target={people.leaf}", authorization=BEARER)
        assert json.loads(tree[2])["target"] == people.leaf
        assert running.call("/results/tree?target=none", authorization=BEARER)[0] == 422
        assert running.call("/results/crosstab?first=a&second=b", authorization=BEARER)[0] == 422


def test_nothing_is_logged_of_a_request(running: Running, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        running.submit(running.submission(token(77)))
        running.call("/?lang=de")
    assert not [r for r in caplog.records if token(77) in r.getMessage()]
    assert not [r for r in caplog.records if r.name == "uvicorn.access"]
