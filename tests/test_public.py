"""What is public: every name has a docstring and an example that runs; every list agrees."""

import inspect

import pytest

import privet as pv
from privet.errors import PrivetError

# A cluster or a subclass of an error needs no example of its own: the base class has one.
BY_BASE = ("SparkFiles", "SparkTable")
NAMES = [
    name
    for name in pv.__all__
    if name != "__version__" and not inspect.ismodule(getattr(pv, name)) and name not in BY_BASE
]


def _is_sub_error(name: str) -> bool:
    public = getattr(pv, name)
    return inspect.isclass(public) and issubclass(public, Exception) and public is not PrivetError


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_is_documented(name: str) -> None:
    text = inspect.getdoc(getattr(pv, name)) or ""
    assert len(text) > 20
    assert _is_sub_error(name) or ">>>" in text, f"{name} has no example"


@pytest.mark.parametrize("name", NAMES)
def test_every_public_method_is_documented(name: str) -> None:
    public = getattr(pv, name)
    if inspect.isclass(public):
        for attribute, value in vars(public).items():
            method = getattr(value, "fget", None) or getattr(value, "__func__", value)
            if not attribute.startswith("_") and inspect.isfunction(method):
                assert inspect.getdoc(method), f"{name}.{attribute}"


def test_no_docstring_cites_pages_that_readers_do_not_have() -> None:
    for name in NAMES:
        assert "methods.md" not in (inspect.getdoc(getattr(pv, name)) or "")


def test_what_is_listed_is_there() -> None:
    assert sorted(pv._homes) == sorted(set(pv.__all__) - {"__version__"})
    assert dir(pv) == sorted(pv.__all__)
