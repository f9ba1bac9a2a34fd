"""What happens if nobody says anything: the settings of every method, treatment and group."""

import dataclasses
import inspect

import pytest

import privet as pv
from privet.disguise import forest_framework, loss
from privet.disguise.account import Entry
from privet.disguise.base import METHODS, Disguise
from privet.disguise.group import GROUPS
from privet.disguise.ledger import Ledger
from privet.disguise.rules import Rules
from privet.disguise.settings import settings_of
from privet.disguise.treatment import TREATMENTS
from privet.disguise.waves import SHARE
from privet.disguise.whole import WholeTable
from privet.disguise.wrap import wrap
from tests.golden import golden


@pytest.mark.parametrize("method", sorted(METHODS))
def test_settings_of_a_method_and_what_is_said_of_them(method: str) -> None:
    golden("settings", f"defaults of {method}", [list(one) for one in settings_of(method)])
    seeded = inspect.signature(METHODS[method].claim).parameters["seeded"]
    assert seeded.default is False


def test_settings_of_treatments_groups_and_rules() -> None:
    own = {**TREATMENTS, **GROUPS, "rules": Rules, "plan": pv.Plan, "entry": Entry}
    kinds = {name: kind for name, kind in own.items() if kind.__module__.startswith("privet.")}
    found = {
        name: {
            field.name: str(field.default)
            for field in dataclasses.fields(kind)
            if field.default is not dataclasses.MISSING
        }
        for name, kind in sorted(kinds.items())
    }
    golden("settings", "defaults of treatments", found)
    assert SHARE == 0.05


def test_words_that_may_be_left_out() -> None:
    functions = [
        Disguise.disguise,
        Ledger.spend,
        WholeTable.claimed,
        forest_framework.keep_rules,
        forest_framework.shaken,
        forest_framework.check_noise,
        loss.loss_of,
        loss.dummy_bound,
        pv.cut_class,
        wrap,
    ]
    found = {
        function.__qualname__: {
            name: str(one.default)
            for name, one in inspect.signature(function).parameters.items()  # type: ignore[arg-type]
            if one.default is not inspect.Parameter.empty
        }
        for function in functions
    }
    golden("settings", "defaults of functions", found)
