"""Channels with words at every border, and what Python sends for them."""

from typing import Any

import numpy as np

from privet.channel import Band, Channel, Flip, GammaDiagonal, JointGammaDiagonal, WrittenMatrix
from privet.survey import Questionnaire
from tests.survey.asked import asked

TOP = (1 << 32) - 1
CHANNELS: list[Channel] = [
    *(GammaDiagonal("a", size, gamma) for size in (2, 3, 7, 300) for gamma in (1.01, 3, 8, 1e6)),
    *(Band("a", size, gamma) for size in (2, 5, 24) for gamma in (1.5, 3, 19)),
    Band("a", 9, 4, half=8),
    JointGammaDiagonal(("a", "b", "c"), (2, 3, 5), 8),
    JointGammaDiagonal(tuple("abcdefgh"), (2,) * 8, 20),
    WrittenMatrix.of("a", [[0.9, 0.3, 0.2], [0.1, 0.6, 0.2], [0, 0.1, 0.6]]),
    Flip(("a",), 0.75),
    Flip(("a",), 0.2),
]


def words_of(channel: Channel, rng: np.random.Generator, count: int) -> np.ndarray:
    """Words on either side of every border of a random column, both ends, and any others."""
    column = np.cumsum(channel.matrix()[:, rng.integers(channel.input_size)])
    near = np.concatenate([column - 2, column - 1, column, [0, 1, TOP - 1, TOP]])
    near = rng.choice(near, min(len(near), count), replace=False)
    drawn = np.concatenate([near, rng.integers(0, TOP, count, endpoint=True)])
    words: np.ndarray = np.clip(drawn, 0, TOP).astype(np.uint32)
    return words


def cases(count: int) -> tuple[list[dict[str, Any]], list[list[int]]]:
    """Return codes and words for every channel, and what Python sends for them."""
    rng = np.random.default_rng()
    made, expected = [], []
    for channel in CHANNELS:
        words = words_of(channel, rng, count)
        codes = rng.integers(0, channel.input_size, len(words))
        codes[::3] = rng.choice([0, channel.input_size - 1])
        made.append(
            {"channel": channel.to_dict(), "codes": codes.tolist(), "words": words.tolist()}
        )
        expected.append(channel.draw(codes, words).tolist())
    return made, expected


def records(count: int) -> tuple[dict[str, Any], list[dict[str, int]]]:
    """Return whole records of a questionnaire, and what Python sends for them."""
    rng = np.random.default_rng()
    made = asked()
    sizes = {step.name: step.coding.size for step in made.recipe.steps if step.coding is not None}
    rows, expected = [], []
    for _ in range(count):
        codes = {name: int(rng.integers(size)) for name, size in sizes.items()}
        words = rng.integers(0, TOP, len(made.channels), endpoint=True).astype(np.uint32)
        rows.append({"codes": codes, "words": words.tolist()})
        expected.append(sent_by(made, codes, words))
    return {"channels": [channel.to_dict() for channel in made.channels], "rows": rows}, expected


def sent_by(made: Questionnaire, codes: dict[str, int], words: np.ndarray) -> dict[str, int]:
    """Return what Python sends for one record, given one word per channel."""
    sent: dict[str, int] = {}
    for place, channel in enumerate(made.channels):
        arrays = {name: np.array([codes[name]]) for name in channel.attributes}
        drawn = channel.draw(channel.join(arrays), words[place : place + 1])
        sent |= {name: int(code[0]) for name, code in channel.part(drawn).items()}
    return {name: sent[name] for name in made.schema.names}
