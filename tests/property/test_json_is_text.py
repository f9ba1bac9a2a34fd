"""``to_json`` is text and ``to_dict`` a plain form, in every class of ours."""

import ast
from pathlib import Path

import privet

HOME = Path(privet.__file__).parent
RETURNED = {"to_json": "str", "to_dict": "dict"}


def test_the_names_say_what_is_returned() -> None:
    wrong = []
    for file in HOME.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name in RETURNED and node.returns:
                returned = ast.unparse(node.returns)
                if not returned.startswith((RETURNED[node.name], "NoReturn")):
                    wrong.append(f"{file.name}:{node.lineno} {node.name} -> {returned}")
    assert wrong == []
