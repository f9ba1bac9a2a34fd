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
from privet.store.tokens import remembered

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
