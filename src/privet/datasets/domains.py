"""The public domains of the UCI tables and a few others, written down from their documentation.

Categories are those the documentation lists, also where a file lacks some. Where it gives no range
for a number (or only the smallest and largest one found), the range here is a rounded one that
holds it. None of this is read off a file at run time; the loader checks that a file fits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.schema import Attribute, Schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from privet.schema import Missing

__all__ = ["SCHEMAS"]


def _words(name: str, text: str, *, missing: Missing = "error") -> Attribute:
    return Attribute.categorical(name, text.split(), missing=missing)


def _levels(name: str, values: Iterable[int]) -> Attribute:
    return Attribute.categorical(name, values)


def _whole(name: str, low: int, high: int) -> Attribute:
    return Attribute.numeric(name, low=low, high=high, integer=True)


def _real(name: str, low: float, high: float) -> Attribute:
    return Attribute.numeric(name, low=low, high=high)


_COUNTRIES = """
United-States Cambodia England Puerto-Rico Canada Germany Outlying-US(Guam-USVI-etc) India Japan
Greece South China Cuba Iran Honduras Philippines Italy Poland Jamaica Vietnam Mexico Portugal
Ireland France Dominican-Republic Laos Ecuador Taiwan Haiti Columbia Hungary Guatemala Nicaragua
Scotland Thailand Yugoslavia El-Salvador Trinadad&Tobago Peru Hong Holand-Netherlands
"""
_OCCUPATIONS = """
Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty Handlers-cleaners
Machine-op-inspct Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv
Armed-Forces
"""
_EDUCATION = """
Preschool 1st-4th 5th-6th 7th-8th 9th 10th 11th 12th HS-grad Some-college Assoc-voc Assoc-acdm
Bachelors Masters Prof-school Doctorate
"""
_MARITAL = """
Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent
Married-AF-spouse
"""


def _adult(*, complete: bool) -> Schema:
    """Return the census domains: people over 16, ages capped at 90, gaps in three columns."""
    missing: Missing = "error" if complete else "category"
    kinds = "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay"
    return Schema(
        [
            _whole("age", 17, 90),
            _words("workclass", f"{kinds} Never-worked", missing=missing),
            _whole("fnlwgt", 0, 1_500_000),
            _words("education", _EDUCATION),
            _whole("education_num", 1, 16),
            _words("marital_status", _MARITAL),
            _words("occupation", _OCCUPATIONS, missing=missing),
            _words("relationship", "Wife Own-child Husband Not-in-family Other-relative Unmarried"),
            _words("race", "White Asian-Pac-Islander Amer-Indian-Eskimo Other Black"),
            _words("sex", "Female Male"),
            _whole("capital_gain", 0, 99_999),
            _whole("capital_loss", 0, 5_000),
            _whole("hours_per_week", 1, 99),
            _words("native_country", _COUNTRIES, missing=missing),
            _words("income", "<=50K >50K"),
        ],
        target="income",
    )


def _wisconsin() -> Schema:
    names = """clump_thickness cell_size cell_shape adhesion epithelial_size bare_nuclei
    bland_chromatin normal_nucleoli mitoses"""
    graded = [_whole(name, 1, 10) for name in names.split()]
    return Schema([*graded, _words("diagnosis", "benign malignant")], target="diagnosis")


def _credit() -> Schema:
    return Schema(
        [
            _words("A1", "b a"),
            _real("A2", 10, 80),
            _real("A3", 0, 30),
            _words("A4", "u y l t"),
            _words("A5", "g p gg"),
            _words("A6", "c d cc i j k m r q w x e aa ff"),
            _words("A7", "v h bb j n z dd ff o"),
            _real("A8", 0, 30),
            _words("A9", "t f"),
            _words("A10", "t f"),
            _whole("A11", 0, 70),
            _words("A12", "t f"),
            _words("A13", "g p s"),
            _whole("A14", 0, 2_000),
            _whole("A15", 0, 100_000),
            _words("approved", "yes no"),
        ],
        target="approved",
    )


def _cmc() -> Schema:
    return Schema(
        [
            _whole("wife_age", 16, 49),
            _levels("wife_education", range(1, 5)),
            _levels("husband_education", range(1, 5)),
            _whole("children", 0, 16),
            _levels("wife_religion", range(2)),
            _levels("wife_working", range(2)),
            _levels("husband_occupation", range(1, 5)),
            _levels("living_standard", range(1, 5)),
            _levels("media_exposure", range(2)),
            _words("method", "none long_term short_term"),
        ],
        target="method",
    )


def _abalone() -> Schema:
    """Return abalone's domains; ring 28 is in the range of the class but in no record."""
    return Schema(
        [
            _words("sex", "M F I"),
            _real("length", 0, 1),
            _real("diameter", 0, 1),
            _real("height", 0, 1.2),
            _real("whole_weight", 0, 3),
            _real("shucked_weight", 0, 1.5),
            _real("viscera_weight", 0, 0.8),
            _real("shell_weight", 0, 1.1),
            _levels("rings", range(1, 30)),
        ],
        target="rings",
    )


def _wine() -> Schema:
    return Schema(
        [
            _real("alcohol", 11, 15),
            _real("malic_acid", 0, 6),
            _real("ash", 1, 4),
            _real("alcalinity_of_ash", 10, 30),
            _real("magnesium", 70, 170),
            _real("total_phenols", 0, 4),
            _real("flavanoids", 0, 6),
            _real("nonflavanoid_phenols", 0, 1),
            _real("proanthocyanins", 0, 4),
            _real("color_intensity", 1, 13),
            _real("hue", 0, 2),
            _real("od280_od315_of_diluted_wines", 1, 4),
            _real("proline", 200, 1_700),
            _words("cultivar", "A B C"),
        ],
        target="cultivar",
    )


def _shuttle() -> Schema:
    """Return domains of NASA's shuttle: whole numbers with far outliers, four fifths one class."""
    ranges = {
        "V1": (20, 130),
        "V2": (-5_000, 5_200),
        "V3": (20, 150),
        "V4": (-4_000, 4_000),
        "V5": (-200, 450),
        "V6": (-27_000, 16_000),
        "V7": (-50, 110),
        "V8": (-360, 280),
        "V9": (-360, 280),
    }
    states = "Rad.Flow Fpv.Close Fpv.Open High Bypass Bpv.Close Bpv.Open"
    numbers = [_whole(name, low, high) for name, (low, high) in ranges.items()]
    return Schema([*numbers, _words("Class", states)], target="Class")


def _cps() -> Schema:
    """Return domains of the Current Population Survey of 1988; wages are cut at their median."""
    return Schema(
        [
            _words("wage", "low high"),
            _whole("education", 0, 18),
            _whole("experience", -5, 65),
            _words("ethnicity", "cauc afam"),
            _words("smsa", "no yes"),
            _words("region", "northeast midwest south west"),
            _words("parttime", "no yes"),
        ],
        target="wage",
    )


def _affairs() -> Schema:
    """Return domains of a survey of 601 readers about extramarital affairs (Fair, 1978)."""
    return Schema(
        [
            _words("affairs", "none some"),
            _words("gender", "female male"),
            _real("age", 17, 60),
            _real("yearsmarried", 0, 15),
            _words("children", "no yes"),
            _whole("religiousness", 1, 5),
            _whole("education", 9, 20),
            _whole("occupation", 1, 7),
            _whole("rating", 1, 5),
        ],
        target="affairs",
    )


SCHEMAS: dict[str, Callable[[bool], Schema]] = {
    "adult": lambda complete: _adult(complete=complete),
    "wisconsin": lambda _: _wisconsin(),
    "credit": lambda _: _credit(),
    "cmc": lambda _: _cmc(),
    "abalone": lambda _: _abalone(),
    "wine": lambda _: _wine(),
    "shuttle": lambda _: _shuttle(),
    "cps": lambda _: _cps(),
    "affairs": lambda _: _affairs(),
}
