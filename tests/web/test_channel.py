"""The page's channels beside Python's, word by word."""

import json
import subprocess
from pathlib import Path

import pytest

import privet
from tests.web.drawn import cases, records

SCRIPT = Path(privet.__file__).parent / "web" / "static" / "channel.js"
RUNNER = Path(__file__).with_name("channels.mjs")


@pytest.mark.needs("node")
def test_every_channel_sends_what_python_sends() -> None:
    made, expected = cases(2_000)
    record, sent = records(500)
    done = subprocess.run(
        ["node", str(RUNNER), SCRIPT.as_uri()],
        input=json.dumps({"cases": made, "record": record}),
        capture_output=True,
        text=True,
        check=True,
    )
    answer = json.loads(done.stdout)
    for case, drawn, wanted in zip(made, answer["drawn"], expected, strict=True):
        assert drawn == wanted, case["channel"]
    assert answer["sent"] == sent


def test_the_page_uses_no_other_randomness() -> None:
    for file in SCRIPT.parent.glob("*.js"):
        assert "Math.random" not in file.read_text()
