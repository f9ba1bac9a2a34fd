"""The answers of a survey in a database: each person's once, and none that can be told apart.

Answers are kept as a multiset, how often each was sent, beside the hashes of the tokens that were
spent: neither table has a key, an order or a time that leads to the other. What arrives is *fresh*
until ``BATCH`` answers are; only then, in one transaction for all of them, does it count. So what
is counted never changes by fewer, and on PostgreSQL the rows of a batch carry the mark of one
transaction, not those of the calls that brought them.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from sqlalchemy import bindparam, delete, inspect, select, update

from privet.errors import StoreError, SurveyError
from privet.store.answer_tables import FORMAT, answers, facts, metadata, tokens
from privet.store.database import Database

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection, RowMapping

__all__ = ["BATCH", "Answers", "Said", "Tally", "Verdict"]

BATCH = 10  # answers that begin to count together: a change of the results is that of ten at least
CHUNK = 500  # values in one list of a query

# States of a token. Fresh ones are written anew with the next batch: those of answers that wait for
# it, and some of the last batch as decoys, so that the mark does not say whose answer waits.
_OPEN, _FRESH, _SPENT = 0, 1, 2

_ADD = (
    "INSERT INTO privet_answers (answer, counted, fresh) VALUES ({0}, 0, {0}) "
    "ON CONFLICT (answer) DO UPDATE SET fresh = privet_answers.fresh + excluded.fresh"
)


class Verdict(Enum):
    """What became of an answer."""

    STORED = "stored"
    REPEATED = "repeated"  # its token was spent before: the first answer counts
    UNINVITED = "uninvited"
    CLOSED = "closed"


class Said(NamedTuple):
    """An answer as it arrives: the token it spends, and the bytes that were sent."""

    token: bytes
    answer: bytes


@dataclass(frozen=True)
class Tally:
    """What counts: how often each answer was sent, and how many wait for their batch."""

    counts: Mapping[bytes, int]
    counted: int
    waiting: int
    closed: bool


def hashed(token: bytes) -> bytes:
    """Return what is kept of a token."""
    return hashlib.sha256(b"privet survey token\0" + token).digest()


class Answers:
    """The database of a survey; ``open`` makes it where there is none yet.

    Whoever opens it names the survey by its digest: another's answers are never mixed in.
    """

    def __init__(self, database: Database, *, invited: bool) -> None:
        self.database = database
        self.invited = invited

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.database.close()

    @classmethod
    def create(
        cls, url: str | Path, digest: str, form: Mapping[str, Any], *, invited: bool
    ) -> Answers:
        """Make an empty database for a survey."""
        database = Database(url)
        database.new_file()
        row = {
            "id": 1,
            "format": FORMAT,
            "digest": digest,
            "form": json.dumps(form, ensure_ascii=False),
            "invited": invited,
            "closed": False,
            "counted": 0,
            "fresh": 0,
        }
        with database.writing() as connection:
            if inspect(connection).has_table(facts.name):
                message = f"The database {database.name} holds a survey already."
                raise SurveyError(message, hint="serve that survey, or use another database.")
            metadata.create_all(connection)
            connection.execute(facts.insert(), row)
        return cls(database, invited=invited)

    @classmethod
    def begin(
        cls, url: str | Path, digest: str, form: Mapping[str, Any], *, invited: bool
    ) -> Answers:
        """Return the database of a survey, made if there is none yet."""
        database = Database(url)
        if database.sqlite:
            there = Path(database.name).exists()
        else:
            with database.reading() as connection:
                there = inspect(connection).has_table(facts.name)
            database.close()
        if not there:
            return cls.create(url, digest, form, invited=invited)
        answers = cls.open(url, digest)
        if answers.invited != invited:
            how = "by invitation" if answers.invited else "with an open link"
            message = f"The survey in {database.name} was begun {how}."
            raise SurveyError(message, hint="go on as it was begun, or use a new database.")
        return answers

    @classmethod
    def open(cls, url: str | Path, digest: str | None = None) -> Answers:
        """Find the database of a survey; with a ``digest`` it must be that survey's."""
        database = Database(url)
        try:
            database.check_file()
        except StoreError:
            message = f"There is no survey database {database.name}."
            raise SurveyError(message, hint="privet survey serve makes one.") from None
        with database.reading() as connection:
            if not inspect(connection).has_table(facts.name):
                raise SurveyError(f"The database {database.name} holds no survey.")
            row = connection.execute(select(facts)).mappings().one()
        if row["format"] != FORMAT:
            message = f"The database {database.name} has another format than this privet's."
            raise SurveyError(message, hint="upgrade privet.")
        if digest is not None and row["digest"] != digest:
            message = f"The database {database.name} holds the answers to another questionnaire."
            hint = "questions and disguises cannot change once a survey runs; use a new database."
            raise SurveyError(message, hint=hint)
        return cls(database, invited=bool(row["invited"]))

    @property
    def form(self) -> dict[str, Any]:
        """The questionnaire as it was when the survey began."""
        with self.database.reading() as connection:
            text = connection.execute(select(facts.c.form)).scalar_one()
        form: dict[str, Any] = json.loads(text)
        return form

    # Coming in

    def invite(self, given: Iterable[bytes]) -> None:
        """Let some more tokens in, each for one answer."""
        rows = sorted({hashed(token) for token in given})
        with self.database.writing() as connection:
            self._facts(connection)
            if rows:
                connection.execute(tokens.insert(), [{"hash": row, "state": _OPEN} for row in rows])

    def add(self, said: Sequence[Said]) -> list[Verdict]:
        """Store answers, all in one transaction, and say what became of each."""
        with self.database.writing() as connection:
            row = self._facts(connection)
            if row["closed"]:
                return self._verdicts(connection, said, closed=True)[0]
            verdicts, kept = self._verdicts(connection, said, closed=False)
            if kept:
                self._store(connection, row, kept)
        return verdicts

    def _verdicts(
        self, connection: Connection, said: Sequence[Said], *, closed: bool
    ) -> tuple[list[Verdict], dict[bytes, bytes]]:
        """Return what becomes of each answer, and those to keep by the hashes they spend."""
        hashes = [hashed(answer.token) for answer in said]
        states = _states(connection, hashes)
        kept: dict[bytes, bytes] = {}
        verdicts = []
        for answer, spent in zip(said, hashes, strict=True):
            state = states.get(spent, None if self.invited else _OPEN)
            if state is None:
                verdicts.append(Verdict.UNINVITED)
            elif spent in kept or state != _OPEN:
                verdicts.append(Verdict.REPEATED)
            elif closed:
                verdicts.append(Verdict.CLOSED)
            else:
                kept[spent] = answer.answer
                verdicts.append(Verdict.STORED)
        return verdicts, kept

    def _store(self, connection: Connection, row: RowMapping, kept: dict[bytes, bytes]) -> None:
        spent = sorted(kept)
        if self.invited:
            changed = update(tokens).where(tokens.c.hash == bindparam("spent"))
            connection.execute(
                changed.values(state=_FRESH), [{"spent": digest} for digest in spent]
            )
        else:
            rows = [{"hash": digest, "state": _FRESH} for digest in spent]
            connection.execute(tokens.insert(), rows)
        mark = "?" if connection.dialect.paramstyle == "qmark" else "%s"
        more = sorted(Counter(kept.values()).items())
        connection.exec_driver_sql(_ADD.format(mark), more)
        fresh = row["fresh"] + len(kept)
        connection.execute(update(facts).values(fresh=fresh))
        if fresh >= BATCH:
            _count(connection, row["counted"] + fresh)

    def close(self) -> int:
        """Take no more answers, and return how many never come to count.

        Those are the last ones, fewer than a batch: were they counted, whoever watches the results
        would see what so few people sent.
        """
        with self.database.writing() as connection:
            row = self._facts(connection)
            connection.execute(update(facts).values(closed=True))
        return int(row["fresh"])

    # Going out

    def tally(self) -> Tally:
        """Return what counts."""
        with self.database.reading() as connection:
            row = connection.execute(select(facts)).mappings().one()
            listed = connection.execute(
                select(answers.c.answer, answers.c.counted).where(answers.c.counted > 0)
            ).all()
        counts = {bytes(answer): int(number) for answer, number in listed}
        return Tally(counts, int(row["counted"]), int(row["fresh"]), bool(row["closed"]))

    def verify(self) -> int:
        """Check that the tables agree, and return the number of answers, waiting ones included."""
        with self.database.reading() as connection:
            row = connection.execute(select(facts)).mappings().one()
            listed = connection.execute(select(answers.c.counted, answers.c.fresh)).all()
            states = Counter(state for (state,) in connection.execute(select(tokens.c.state)))
        counted, fresh = (sum(row[place] for row in listed) for place in (0, 1))
        fine = (counted, fresh) == (row["counted"], row["fresh"])
        if not fine or states[_SPENT] + states[_FRESH] != counted + fresh:
            raise SurveyError(f"The database {self.database.name} does not add up.")
        return int(counted + fresh)

    def _facts(self, connection: Connection) -> RowMapping:
        """Return the row of facts, locked: whoever holds it is the only writer."""
        asked = select(facts) if self.database.sqlite else select(facts).with_for_update()
        return connection.execute(asked).mappings().one()


def _states(connection: Connection, hashes: Sequence[bytes]) -> dict[bytes, int]:
    states = {}
    asked = sorted(set(hashes))
    for start in range(0, len(asked), CHUNK):
        part = asked[start : start + CHUNK]
        for row in connection.execute(select(tokens).where(tokens.c.hash.in_(part))):
            states[bytes(row.hash)] = int(row.state)
    return states


def _count(connection: Connection, counted: int) -> None:
    """Make all that is fresh count.

    The rows of the batch are taken out and written anew, answers by their contents and tokens by
    their hashes: where a row lies in the file is otherwise the order in which rows arrived, in both
    tables alike, which would say whose answer is whose.
    """
    gone = delete(answers).where(answers.c.fresh > 0)
    rows = connection.execute(gone.returning(*answers.c)).all()
    connection.execute(
        answers.insert(),
        [
            {"answer": bytes(answer), "counted": before + fresh, "fresh": 0}
            for answer, before, fresh in sorted(rows)
        ],
    )
    taken = delete(tokens).where(tokens.c.state == _FRESH).returning(tokens.c.hash)
    hashes = sorted(bytes(row.hash) for row in connection.execute(taken))
    connection.execute(
        tokens.insert(),
        [
            {"hash": digest, "state": _FRESH if place < BATCH else _SPENT}
            for place, digest in enumerate(hashes)
        ],
    )
    connection.execute(update(facts).values(counted=counted, fresh=0))
