"""Our C4.5 beside J48 on the UCI tables: sizes, leaves and ten-fold accuracies of both.

``make j48`` needs Debian's package ``weka``. Both learn from and are tested on the same ten folds,
and the whole tree is grown on all records. With ``--write`` each table's line goes to
docs/benchmarks/trees.md as soon as it is known; lines of tables that were not asked for stay. What
Weka said about the same records is kept in ``.cache/j48``; ``--anew`` asks it again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet import datasets
from privet.errors import PrivetError

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

JARS = [Path(path) for path in ("/usr/share/java/weka.jar", "weka.jar")]
NAMES = ("wine", "credit", "cmc", "abalone", "adult", "wisconsin")
FOLDS, SEED = 10, 1
ROOT = Path(__file__).parent.parent
PAGE, CACHE = ROOT / "docs" / "benchmarks" / "trees.md", ROOT / ".cache" / "j48"
BEGIN, END = "<!-- j48 begins -->", "<!-- j48 ends -->"
HEAD = [
    "| table | records | J48: size, leaves | ours | J48: accuracy | ours | difference |",
    "|---|---|---|---|---|---|---|",
]


class Found(NamedTuple):
    """What one learner did on one table."""

    size: int
    leaves: int
    accuracy: float


def arff(table: pa.Table, rows: NDArray[np.int64], name: str) -> str:
    """Return records in Weka's form, with the schema's domains."""
    schema = datasets.schema(name)
    lines = [f"@relation {name}"]
    for attribute in schema:
        kind = "numeric"
        if attribute.values is not None:
            kind = "{" + ",".join(_quoted(value) for value in attribute.values) + "}"
        lines.append(f"@attribute {_quoted(attribute.name)} {kind}")
    lines.append("@data")
    columns = []
    for attribute in schema:
        # A gap is a category of its own, as it is for us: J48 would deal such records out.
        held = table[attribute.name].take(rows).to_pylist()
        columns.append(["missing" if value is None else value for value in held])
    gaps = {a.name for a, held in zip(schema, columns, strict=True) if "missing" in held}
    for place, attribute in enumerate(schema):
        if attribute.missing == "category" and attribute.values is not None:
            lines[place + 1] = lines[place + 1].replace("}", ",missing}")
        elif attribute.name in gaps:
            columns[place] = ["?" if value == "missing" else value for value in columns[place]]
    lines += [",".join(_quoted(value) for value in row) for row in zip(*columns, strict=True)]
    return "\n".join(lines) + "\n"


def _quoted(value: object) -> str:
    text = str(value)
    if text == "?" or re.fullmatch(r"-?[0-9.]+(e-?[0-9]+)?", text):
        return text
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _weka(train: str, test: str, *, anew: bool) -> tuple[int, int, int]:
    """Return the size and leaves of J48's tree and how many of the test records it has right."""
    key = hashlib.sha256(f"{train}\0{test}".encode()).hexdigest()[:24]
    known = CACHE / f"{key}.json"
    if known.is_file() and not anew:
        size, leaves, right = json.loads(known.read_text(encoding="utf-8"))
        return size, leaves, right
    jar = next((jar for jar in JARS if jar.is_file()), None)
    if jar is None:
        sys.exit("J48 is in Debian's package weka: apt-get install weka.")
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("train.arff", "test.arff")]
        for path, text in zip(paths, (train, test), strict=True):
            path.write_text(text, encoding="utf-8")
        command = ["java", "-Xmx1g", "-cp", str(jar), "weka.classifiers.trees.J48"]
        command += ["-t", str(paths[0]), "-T", str(paths[1])]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    leaves = re.search(r"Number of Leaves\s*:\s*(\d+)", said)
    size = re.search(r"Size of the tree\s*:\s*(\d+)", said)
    parts = said.split("Error on test data")
    right = re.search(r"Correctly Classified Instances\s+(\d+)", parts[-1])
    if leaves is None or size is None or right is None or len(parts) < 2:
        sys.exit("Weka said something that cannot be read.")
    found = int(size[1]), int(leaves[1]), int(right[1])
    CACHE.mkdir(parents=True, exist_ok=True)
    known.write_text(json.dumps(found), encoding="utf-8")
    return found


def j48(table: pa.Table, folds: NDArray[np.int64], name: str, *, anew: bool = False) -> Found:
    """Grow J48 on all records, then on nine folds and test it on the tenth, in turn."""
    every = np.arange(table.num_rows)
    whole = arff(table, every, name)
    size, leaves, _ = _weka(whole, whole, anew=anew)
    right = 0
    for fold in range(FOLDS):
        parts = (arff(table, every[chosen], name) for chosen in (folds != fold, folds == fold))
        right += _weka(*parts, anew=anew)[2]
    return Found(size, leaves, right / len(every))


def ours(table: pa.Table, folds: NDArray[np.int64], name: str) -> Found:
    """Do the same with our C4.5."""
    import privet as pv

    schema = datasets.schema(name)

    def grown(rows: NDArray[np.int64]) -> pv.TreeClassifier:
        plain = pv.Plan({}, default=pv.Exact()).disguise(table.take(rows), schema)
        return pv.TreeClassifier(policy="c4.5").fit(plain)

    every = np.arange(table.num_rows)
    tree = grown(every).tree_
    right = 0.0
    for fold in range(FOLDS):
        held = every[folds == fold]
        right += grown(every[folds != fold]).score(table.take(held)) * len(held)
    return Found(tree.nodes, len(tree.leaves), right / len(every))


def _deal(table: pa.Table, target: str) -> NDArray[np.int64]:
    """Deal records out to folds, class by class, so that all folds have the same shares."""
    labels = np.unique(table[target].to_numpy(zero_copy_only=False), return_inverse=True)[1]
    order = np.random.default_rng(SEED).permutation(table.num_rows)
    order = order[np.argsort(labels[order], kind="stable")]
    folds = np.empty(table.num_rows, np.int64)
    folds[order] = np.arange(table.num_rows) % FOLDS
    return folds


def line(name: str, *, anew: bool = False) -> str:
    """Compare on one table; a table that is not whole gets a line that says so."""
    try:
        table = datasets.load(name)
    except PrivetError as error:
        print(f"SKIPPED {name}: {error}", file=sys.stderr, flush=True)
        return f"| {name} | skipped: no whole copy at hand | | | | | |"
    folds = _deal(table, datasets.schema(name).target)
    both = j48(table, folds, name, anew=anew), ours(table, folds, name)
    sizes = [f"{one.size:,}, {one.leaves:,}" for one in both]
    shares = [f"{100 * one.accuracy:.2f} %" for one in both]
    apart = f"{100 * (both[1].accuracy - both[0].accuracy):+.2f}"
    cells = [name, f"{table.num_rows:,}", *sizes, *shares, apart]
    return f"| {' | '.join(cells)} |"


def write(new: str) -> None:
    """Put one table's line into the page, in the place of its old one."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    inside, _, tail = rest.partition(END)
    lines = {_name(old): old for old in inside.strip().splitlines() if _name(old) in NAMES}
    lines[_name(new)] = new
    text = "\n".join([*HEAD, *(lines[name] for name in NAMES if name in lines)])
    PAGE.write_text(f"{head}{BEGIN}\n{text}\n{END}{tail}", encoding="utf-8")


def _name(text: str) -> str:
    return text.strip("| ").split(" ")[0]


def main(arguments: list[str]) -> None:
    """Compare on every table that there is, print, and write if asked to."""
    chosen = [name for name in arguments if not name.startswith("-")] or list(NAMES)
    print(*HEAD, sep="\n", flush=True)
    for name in chosen:
        found = line(name, anew="--anew" in arguments)
        print(found, flush=True)
        if "--write" in arguments:
            write(found)


if __name__ == "__main__":
    os.environ.setdefault("PRIVET_THREADS", "2")
    main(sys.argv[1:])
