"""Each click as the command and the Python that do the same."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.web.bench.forms import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Shown", "audit", "compare", "disguise", "mine", "plan", "release", "schema", "show"]


@dataclass(frozen=True)
class Shown:
    """What to type in a shell, and what to write in Python."""

    shell: str
    python: str


def _line(*words: object) -> str:
    return " ".join(_quoted(str(word)) for word in words)


def _quoted(word: str) -> str:
    r"""Return a word as a shell takes it; signs that cannot be seen by number, in bash and zsh.

    >>> _quoted("a b"), _quoted("a\u202eb")
    ("'a b'", "$'a\\u202eb'")
    """
    if word.isprintable():
        return shlex.quote(word)
    plain = word.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{visible(plain, kept='')}'"


def schema(
    table: str, target: str, file: str, written: Mapping[str, str | None] | None = None
) -> Shown:
    """Read a schema off a table, which is ``written`` so: pandas does not find that out."""
    usual = {"sep": ",", "decimal": ".", "encoding": "utf-8"}
    told = {word: sign for word, sign in (written or {}).items() if sign not in (None, usual[word])}
    more = "".join(f", {word}={sign!r}" for word, sign in told.items())
    python = (
        "import privet as pv\nimport pandas as pd\n\n"
        f"frame = pd.read_{_reader(table)}({table!r}{more})\n"
        f"schema = pv.Schema.infer(frame, target={target!r})\n"
        f"schema.write({file!r})  # then go through it by hand"
    )
    return Shown(_line("privet", "schema", table, "--target", target, "--output", file), python)


def _reader(table: str) -> str:
    return "parquet" if table.endswith((".parquet", ".pq")) else "csv"


def plan(file: str, rows: int, gamma: float, to: str) -> Shown:
    """Advise on a plan of one γ."""
    shell = _line(
        "privet", "advise", file, "--records", rows, "--gamma", f"{gamma:.6g}", "--plan", to
    )
    python = (
        "import privet as pv\n\n"
        f"schema = pv.Schema.read({file!r})\n"
        f"advice = pv.Advice.of(schema, {rows}, gamma={gamma:.6g})\n"
        "print(advice.plan_file())"
    )
    return Shown(shell, python)


def compare(plans: Sequence[str], table: str, file: str) -> Shown:
    """Try plans on the owner's records."""
    listed = ", ".join(f"{name!r}: pv.Plan.read({name!r})" for name in plans)
    python = (
        "import privet as pv\n\n"
        f"schema = pv.Schema.read({file!r})\n"
        f"print(pv.compare({{{listed}}}, {table!r}, schema))"
    )
    return Shown(_line("privet", "compare", *plans, "--data", table, "--schema", file), python)


def disguise(table: str, file: str, planned: str, to: str, seed: int | None) -> Shown:
    """Make the release."""
    words = ["privet", "disguise", table, "--schema", file, "--plan", planned, "--output", to]
    words += [] if seed is None else ["--seed", str(seed)]
    more = "" if seed is None else f", seed={seed}"
    python = (
        "import privet as pv\n\n"
        f"schema = pv.Schema.read({file!r})\n"
        f"plan = pv.Plan.read({planned!r})\n"
        f"release = plan.disguise({table!r}, schema, to={to!r}{more})\n"
        'print(*release.claim.sentences(), sep="\\n")'
    )
    return Shown(_line(*words), python)


def release(path: str) -> Shown:
    """Say what is in a release."""
    python = (
        "import privet as pv\n\n"
        f"release = pv.Release.read({path!r})\n"
        'print(*release.claim.sentences(), sep="\\n")\n'
        "for name in release.schema.names:\n"
        "    print(pv.shares(release, name))"
    )
    return Shown(f"{_line('privet', 'show', path)}\n{_line('privet', 'shares', path)}", python)


def audit(path: str, given: dict[str, Any], original: str | None) -> Shown:
    """Audit a release."""
    words: list[object] = ["privet", "audit", path]
    more = []
    if original is not None:
        words += ["--original", original]
        more.append(repr(original))
    if given["target"] is not None:
        words += ["--target", given["target"]]
        more.append(f"target={given['target']!r}")
    for name in given["agreed"]:
        words += ["--allow-plain", name]
    if given["agreed"]:
        more.append(f"agreed={given['agreed']!r}")
    if given["attacks"] is not None:
        words += [word for name in given["attacks"] for word in ("--attack", name)]
        more.append(f"attacks={given['attacks']!r}")
    if not given["trees"]:
        words.append("--no-trees")
        more.append("trees=False")
    if given["seed"] is not None:
        words += ["--seed", given["seed"]]
        more.append(f"seed={given['seed']}")
    words += ["--html", "audit.html"]
    python = (
        "import privet as pv\n\n"
        f"release = pv.Release.read({path!r})\n"
        f"audit = pv.audit({', '.join(['release', *more])})\n"
        'audit.to_html("audit.html")'
    )
    return Shown(_line(*words), python)


def mine(path: str, given: dict[str, Any]) -> Shown:
    """Grow a tree."""
    words: list[object] = ["privet", "mine", path, "--output", "tree.json"]
    settings = []
    if given["target"] is not None:
        words += ["--target", given["target"]]
    if given["method"] != "auto":
        words += ["--method", given["method"]]
        settings.append(f"method={given['method']!r}")
    if given["depth"] is not None:
        words += ["--max-depth", given["depth"]]
        settings.append(f"max_depth={given['depth']}")
    target = "" if given["target"] is None else f".with_target({given['target']!r})"
    lines = ["import privet as pv", "", f"release = pv.Release.read({path!r}){target}"]
    grown = "release"
    if given["test"]:
        words += ["--test-fraction", f"{given['test']:g}"]
        grown = "grown"
        lines.append(f"grown, tested = release.split({1 - given['test']:g})")
    lines.append(f"model = pv.TreeClassifier({', '.join(settings)}).fit({grown})")
    if given["test"]:
        lines.append("print(model.score(tested))")
    return Shown(_line(*words), "\n".join([*lines, "print(model.tree_)"]))


def show(form: str, name: str) -> str:
    """Export a tree."""
    if form == "json":
        return _line("cat", "tree.json")
    return _line("privet", "show", "tree.json", f"--{form}", "--output", name)
