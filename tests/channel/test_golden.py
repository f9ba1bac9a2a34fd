"""Every number that channels give, as it was when last looked at."""

from typing import Any

import numpy as np
import pytest

from privet.channel import CoarseNoise, Noise
from privet.channel.band import Band, half_width
from privet.channel.base import Channel
from privet.channel.breach import interval_of, posterior_widths, shares_of_outputs, supports
from privet.channel.flip import Flip
from privet.channel.gamma_diagonal import GammaDiagonal
from privet.channel.joint_gamma import JointGammaDiagonal
from privet.channel.kernel import Kernel
from privet.channel.matrix import WrittenMatrix
from privet.coding import Box
from privet.errors import PrivetError
from privet.randomness import Randomness
from tests.golden import golden

NOISES = {
    "uniform": Noise.uniform("a", low=20, high=80, alpha=7, steps=12),
    "narrow": Noise.uniform("a", low=0, high=1, alpha=0.01, steps=50),
    "gaussian": Noise.gaussian("a", low=-3, high=9, sigma=1.5, steps=16),
}
CHANNELS: dict[str, Channel] = {
    "diagonal": GammaDiagonal("a", 5, 7),
    "diagonal of few bits": GammaDiagonal("a", 3, 2.5, bits=9),
    "large diagonal": GammaDiagonal("a", 60_000, 1000),
    "band": Band("a", 9, 6),
    "wide band": Band("a", 30, 3.0),
    "band of few bits": Band("a", 6, 4, bits=10),
    "flip": Flip(("a", "b", "c"), 0.8),
    "flip back": Flip(("a", "b"), 0.3),
    "one flip": Flip(("a",), 0.75),
    "joint": JointGammaDiagonal(("a", "b"), (3, 4), 6),
    "three": JointGammaDiagonal(("a", "b", "c"), (2, 3, 2), 9.5),
    "matrix": WrittenMatrix.of("a", [[0.7, 0.1, 0.25], [0.2, 0.8, 0.15], [0.1, 0.1, 0.6]]),
    "kernel": Kernel.mixture("a", [(0.7, np.eye(3)), (0.3, np.full((2, 3), 0.5))]),
    **NOISES,
}


def tried(work: Any) -> Any:
    """What comes of it, or why nothing does."""
    try:
        return work()
    except (PrivetError, NotImplementedError, AttributeError) as error:
        return type(error).__name__


@pytest.mark.parametrize("kind", CHANNELS)
def test_a_channel_is_the_same_again(kind: str) -> None:
    channel = CHANNELS[kind]
    small = channel.input_size <= 100
    found: dict[str, Any] = {
        "sizes": [channel.inputs, channel.outputs, channel.scale],
        "form": tried(channel.to_dict),
        "levels": channel.levels(),
        "amplification": str(channel.amplification()),
        "epsilon": channel.epsilon(),
        "entropy": channel.entropy(),
        "condition": tried(channel.condition) if small else 0,
        "interval": channel.interval(),
    }
    if small:
        prior = np.arange(1, channel.input_size + 1) / np.arange(1, channel.input_size + 1).sum()
        found["matrix"] = channel.matrix()
        found["inverse"] = tried(channel.inverse)
        found["entropy of a prior"] = channel.entropy(prior.tolist())
        for place, name in enumerate(channel.attributes):
            size = channel.inputs[place]
            box = Box().narrowed(name, np.arange(size) % 3 != 1)
            found[f"{name} of a box"] = [tried(lambda box=box: channel.weights(box))]
            found[f"{name} event"] = channel.event(box)
            found[f"{name} alone"] = tried(lambda name=name: channel.marginal([name]))
    golden("channel", kind, found)


@pytest.mark.parametrize("kind", [kind for kind in CHANNELS if kind != "kernel"])
def test_words_draw_the_same_again(kind: str) -> None:
    channel = CHANNELS[kind]
    rng = np.random.default_rng(5)
    codes = rng.integers(0, channel.input_size, 400).astype(np.uint16)
    words = rng.integers(0, 1 << 32, 400, dtype=np.uint64).astype(np.uint32)
    words[:4] = [0, (1 << 32) - 1, 1 << 31, 1]
    drawn = channel.draw(codes, words)
    source = Randomness.seeded(3)
    golden("channel", f"{kind}: drawn", [drawn, channel.disguise(codes, source, 2, 7)])


@pytest.mark.parametrize("kind", [k for k in CHANNELS if hasattr(CHANNELS[k], "state_weights")])
def test_states_of_groups_are_the_same_again(kind: str) -> None:
    channel: Any = CHANNELS[kind]
    found = []
    for place, name in enumerate(channel.attributes):
        mask = np.arange(channel.inputs[place]) % 2 == 0
        box = Box().narrowed(name, mask)
        marks = channel.marks(name, mask)
        other = channel.attributes[place - 1]
        found.append([marks, channel.state_weights(box), channel.value_weights(box, other)])
        found.append(channel.value_weights(Box(), name))
    golden("channel", f"{kind}: states", found)


@pytest.mark.parametrize("kind", NOISES)
def test_noise_is_the_same_again(kind: str) -> None:
    noise = NOISES[kind]
    numbers = np.linspace(noise.low, noise.high, 29)
    codes = noise.codes(numbers)
    released = noise.released(np.arange(noise.output_size))
    shares = np.arange(1.0, noise.input_size + 1)
    told = interval_of(noise)
    found: dict[str, Any] = {
        "law": [noise.weights_of_steps, noise.reach, noise.middle, noise.step, noise.deviation],
        "widths": [noise.width(one) for one in (0.1, 0.5, 0.9, 0.95, 0.999)],
        "codes": codes,
        "released": [released, noise.observed(released), noise.outside(released + noise.step / 3)],
        "far": noise.outside(np.array([noise.low - 1e6, noise.low, noise.high + 1e6])),
        "breach": [told, told.to_dict(), told.sentence("'a'")],
        "supports": supports(noise),
        "outputs": shares_of_outputs(noise, shares / shares.sum()),
        "posterior": [posterior_widths(noise, one) for one in (0.5, 0.95)],
    }
    golden("channel", f"{kind}: noise", found)


@pytest.mark.parametrize("cells", [3, 8])
@pytest.mark.parametrize("kind", NOISES)
def test_coarse_noise_is_the_same_again(kind: str, cells: int) -> None:
    from privet.estimate.reconstruction import cells_of

    noise = NOISES[kind]
    numbers = np.linspace(noise.low, noise.high, 31)
    for fine in (0.7, 1.0):
        for tails in (True, False):
            coarse = CoarseNoise.of(noise, cells_of(noise, cells), fine=fine, tails=tails)
            found: list[Any] = [
                coarse.matrix(),
                coarse.cells,
                coarse.kernel,
                coarse.midpoints,
                coarse.slots,
            ]
            found += [coarse.observed(numbers), coarse.outputs, coarse.to_dict()]
            golden("channel", f"{kind}: {cells} cells, {fine}, {tails}", found)


def test_bands_are_as_wide_again() -> None:
    sizes, gammas = (2, 3, 5, 10, 24, 100, 1000), (1.2, 2, 3, 8, 20, 100)
    golden("channel", "half widths", [[half_width(n, g) for g in gammas] for n in sizes])
