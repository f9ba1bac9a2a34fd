"""Tokens: what is forgotten is refused, to the second, and no clock makes a call count twice."""

import time

import numpy as np
import pytest
from sqlalchemy import create_engine

from privet import datasets
from privet.errors import StoreError
from privet.store import Store, new_token
from privet.store.database import Database
from privet.store.layout import calls
from privet.store.tokens import checked_token, remembered

WEATHER = datasets.schema("weather")
DAYS = datasets.load("weather")
OLD = "old"


@pytest.mark.parametrize("later", np.arange(10.0, 13.0, 0.1).round(1))
def test_a_token_is_remembered_until_it_is_refused(later: float) -> None:
    """Tokens have whole seconds, calls have fractions: none falls between the two."""
    token = f"{1_700_000_000:010d}-{'a' * 32}"
    engine = create_engine("sqlite://")
    calls.create(engine)
    with engine.begin() as connection:

        def call(after: float, name: str, *, fresh: bool) -> None:
            now = 1_700_000_000 + after
            made = remembered(connection, now, 10.0, name, fresh=fresh)
            connection.execute(calls.insert(), {"token": name, "samples": 1, "made": made})

        call(0.2, token, fresh=False)
        for number, moment in enumerate((later - 0.2, later - 0.1)):
            call(moment, f"other {number}", fresh=True)
        kept = connection.execute(calls.select().where(calls.c.token == token)).first()
        if kept is None:
            with pytest.raises(StoreError, match="older than the store remembers"):
                call(later, token, fresh=False)


def test_old_tokens_expire(url: str) -> None:
    with Store.create(url, WEATHER, token_days=1e-6) as store:
        token = new_token()
        store.add(DAYS.slice(0, 1), token=OLD)
        time.sleep(2.1)
        store.add(DAYS.slice(1, 1))
        assert store.status().tokens == 2  # no call before this one tells that time went on
        store.add(DAYS.slice(1, 1))
        assert store.status().tokens == 2
        with pytest.raises(StoreError, match="older than the store remembers"):
            store.add(DAYS.slice(0, 1), token=token)


def test_a_clock_that_is_ahead_makes_no_call_count_twice(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer's clock, then the database's own, run eight days ahead for some calls."""
    with Store.create(url, WEATHER) as store:
        token = new_token()
        store.add(DAYS.slice(0, 1), token=token)
        ahead = time.time() + 8 * 86400
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(time, "time", lambda: ahead)
            late = new_token()
            for _ in range(3):
                store.add(DAYS.slice(1, 1))
            store.add(DAYS.slice(1, 1), token=late)
        assert store.add(DAYS.slice(0, 1), token=token).repeated
        assert store.add(DAYS.slice(1, 1), token=late).repeated
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Database, "now", lambda *_: ahead)
            for _ in range(3):
                store.add(DAYS.slice(1, 1))
        with pytest.raises(StoreError, match="older than the store remembers"):
            store.add(DAYS.slice(0, 1), token=token)
        assert store.add(DAYS.slice(1, 1)).repeated is False  # a call without one goes on
        assert store.verify() == 9


def kept(*made: float, now: float, token: str, fresh: bool = False) -> tuple[float, list[float]]:
    """Call at a moment with a token, after calls of some moments; ten seconds are remembered."""
    engine = create_engine("sqlite://")
    calls.create(engine)
    with engine.begin() as connection:
        for number, moment in enumerate(made):
            connection.execute(
                calls.insert(), {"token": f"call {number}", "samples": 1, "made": moment}
            )
        told = remembered(connection, now, 10.0, token, fresh=fresh)
        rows = connection.execute(calls.select().where(calls.c.token.like("call %"))).all()
    return told, sorted(row.made for row in rows)


def stamped(second: int) -> str:
    return f"{second:010d}-{'b' * 32}"


def test_a_call_is_forgotten_eleven_seconds_before_the_newest_and_not_earlier() -> None:
    """A second more than tokens are remembered for: a token says its second only."""
    assert kept(989.0, 988.75, 1000.0, now=2000.0, token=stamped(2000))[1] == [989.0, 1000.0]
    assert kept(988.0, 1500.0, now=999.0, token=stamped(999))[1] == [988.0, 1500.0]
    assert kept(987.75, 1500.0, now=999.0, token=stamped(999))[1] == [1500.0]
    assert kept(100.0, now=2000.0, token=stamped(2000))[1] == [100.0]  # itself the newest


def test_a_token_is_refused_when_its_second_is_over_by_ten() -> None:
    assert kept(now=1011.0, token=stamped(1000))[0] == 1011.0
    with pytest.raises(StoreError, match="older than the store remembers"):
        kept(now=1011.25, token=stamped(1000))
    assert kept(now=1011.25, token=stamped(1000), fresh=True)[0] == 1011.25
    # What was forgotten up to 1010 stays so for a clock that is behind.
    assert kept(900.0, 1020.0, now=1020.0, token=stamped(1009))[0] == 1020.0
    with pytest.raises(StoreError, match="older than the store remembers"):
        kept(900.0, 1020.0, now=1020.0, token=stamped(1008))


def test_a_call_is_as_late_as_its_token_says_or_the_clock() -> None:
    assert kept(now=1000.5, token=stamped(1003))[0] == 1003.0
    assert kept(now=1000.5, token="mine")[0] == 1000.5  # noqa: S106 - no password


@pytest.mark.parametrize("token", ["a", "b" * 200, stamped(1)])
def test_tokens_of_one_to_two_hundred_signs_are_taken(token: str) -> None:
    assert checked_token(token) == token


@pytest.mark.parametrize("token", ["", "b" * 201, "a\nb", "\0", 7, b"a"])
def test_other_tokens_are_refused(token: object) -> None:
    with pytest.raises(StoreError, match="text of 1 to 200"):
        checked_token(token)  # type: ignore[arg-type]


def test_new_tokens_differ_and_say_their_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1234.9)
    first, second = checked_token(None), new_token()
    assert first != second
    assert first.startswith("0000001234-")
    assert len(first) == 43
