"""The benchmark of claims covers every channel with an ε, and finds a slip."""

import numpy as np
import pytest

from benchmarks.claims import KINDS, bound
from privet.channel.card import KINDS as CHANNELS
from privet.randomness import Randomness


def test_every_kind_of_channel_with_an_epsilon_is_checked() -> None:
    assert set(KINDS) == {name for name, kind in CHANNELS.items() if not kind.numbers}


@pytest.mark.parametrize("kind", KINDS)
def test_a_claim_holds_and_a_slip_is_found(kind: str) -> None:
    claimed, slipped = KINDS[kind](np.random.default_rng(7), 4.0)
    with Randomness.system() as source:
        honest = bound(claimed, claimed, source, 0, 300_000, 1e-6)
        planted = bound(claimed, slipped, source, 1, 300_000, 1e-6)
    assert honest <= claimed.epsilon() < planted
