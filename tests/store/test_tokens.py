"""Tokens: what is forgotten is refused, to the second."""

import numpy as np
import pytest
from sqlalchemy import create_engine

from privet.errors import StoreError
from privet.store.layout import calls
from privet.store.tokens import remembered


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
