"""Three parties and their records, which the tests of this room share."""

from typing import Any

import numpy as np

from privet.party import Agreement, PartyRelease, disguise_party
from privet.schema import Attribute, Schema

SECRET = bytes(range(32))
OTHER = bytes(reversed(range(32)))
SCHEMA = Schema(
    [
        Attribute.categorical("smoker", ["no", "yes"]),
        Attribute.numeric("age", low=0, high=100),
        Attribute.categorical("cough", ["no", "yes"]),
        Attribute.categorical("trade", ["mine", "farm", "desk"]),
        Attribute.categorical("town", ["no", "yes"]),
        Attribute.categorical("ill", ["no", "yes"]),
    ],
    target="ill",
)
COLUMNS: dict[str, Any] = {
    "parties": {
        "clinic": {"groups": [["smoker", "cough"]], "theta": 0.8},
        "office": {"groups": [["age"], ["trade"]], "theta": [0.9, 0.15], "class": False},
        "council": {"groups": [["town"]], "theta": 1},
    }
}
RECORDS: dict[str, Any] = {
    "split": "records",
    "parties": {
        "north": {"groups": [["smoker", "cough"], ["age", "trade", "town"]], "theta": 0.8},
        "south": {"groups": [["smoker", "cough"], ["age", "trade", "town"]], "theta": [0.7, 0.95]},
    },
}


def people(rows: int, seed: int = 1) -> dict[str, Any]:
    """Records of the study with an id; illness follows from smoking, age and town."""
    rng = np.random.default_rng(seed)
    yes = np.array(["no", "yes"])
    smoker, cough, town = rng.integers(0, 2, (3, rows))
    age = rng.uniform(0, 100, rows)
    ill = np.where(rng.random(rows) < 0.9, (smoker == 1) & ((age > 50) | (town == 1)), 0)
    return {
        "person": np.array([f"p{number:07d}" for number in rng.permutation(rows)]),
        "smoker": yes[smoker],
        "age": age,
        "cough": yes[cough],
        "trade": np.array(["mine", "farm", "desk"])[rng.integers(0, 3, rows)],
        "town": yes[town],
        "ill": yes[ill.astype(int)],
    }


def agreed(form: dict[str, Any] = COLUMNS) -> Agreement:
    return Agreement.from_dict(form, SCHEMA)


def some(frame: dict[str, Any], rows: Any) -> dict[str, Any]:
    return {name: column[rows] for name, column in frame.items()}


def send(
    party: str,
    frame: dict[str, Any],
    agreement: Agreement | None = None,
    secret: bytes = SECRET,
    **told: Any,
) -> PartyRelease:
    """What a party sends, seeded by its name."""
    terms = agreement or agreed()
    return disguise_party(
        frame, terms, party, id="person", secret=secret, **{"seed": party, **told}
    )


def everyone(frame: dict[str, Any], agreement: Agreement | None = None) -> list[PartyRelease]:
    return [send(party, frame, agreement) for party in (agreement or agreed()).members]
