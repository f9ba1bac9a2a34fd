"""Schemas: attributes with public domains, and which of them is the class, if any.

A schema is declared before data is seen. ``Schema.infer`` reads one off a table for convenience,
and then says of itself that it was learned from data.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import SchemaError
from privet.files.format import Format
from privet.files.reading import cause, check_words, parse_json, parse_toml, read_text
from privet.files.writing import new_file
from privet.schema.attribute import Attribute, toml_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from privet.coding import Value

__all__ = ["Schema"]

_WORDS = (
    "target",
    "attributes",
    "learned_from_data",
    "withheld",
    "format",
    "unit",
    "rows_per_unit",
)


@dataclass(frozen=True)
class Schema:
    """The attributes of a table in order, and the name of the class among them.

    A schema may leave the class open (``goal`` is then None): a questionnaire has none, and whoever
    mines its release names it by ``Release.with_target``. Asking such a schema for its ``target``
    is an error.

    ``withheld`` names columns that are left out on purpose, and ``format`` says how the owner's CSV
    files are written; both are about the owner's table and stand on no card. ``unit`` names the
    column that tells people apart, if a person can have several records; it is never released.
    ``rows_per_unit`` is the most records a person can have, or, with a ``unit``, is let keep.

    >>> schema = Schema(
    ...     [
    ...         Attribute.categorical("wind", ["Weak", "Strong"]),
    ...         Attribute.categorical("play", ["Yes", "No"]),
    ...     ],
    ...     target="play",
    ... )
    >>> [attribute.name for attribute in schema.inputs]
    ['wind']
    """

    attributes: tuple[Attribute, ...]
    goal: str | None
    learned: bool = False
    withheld: tuple[str, ...] = field(default=(), compare=False)
    format: Format = field(default=Format(), compare=False)
    unit: str | None = field(default=None, compare=False)
    rows_per_unit: int | None = field(default=None, compare=False)

    def __init__(
        self,
        attributes: Iterable[Attribute],
        *,
        target: str | None = None,
        learned: bool = False,
        withheld: Iterable[str] = (),
        format: Format | None = None,  # noqa: A002 - what it is
        unit: str | None = None,
        rows_per_unit: int | None = None,
    ) -> None:
        object.__setattr__(self, "attributes", tuple(attributes))
        object.__setattr__(self, "goal", target)
        object.__setattr__(self, "learned", learned)
        object.__setattr__(self, "withheld", tuple(withheld))
        object.__setattr__(self, "format", format or Format())
        object.__setattr__(self, "unit", unit)
        object.__setattr__(self, "rows_per_unit", rows_per_unit)
        names = self.names
        self._check_unit(names)
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            message = f"The schema names attribute {twice!r} twice."
            raise SchemaError(message)
        both = next((name for name in self.withheld if name in names), None)
        if both is not None:
            message = f"The schema declares {both!r}, and withholds it."
            raise SchemaError(message, hint="remove it from one of the two.")
        if not names:
            raise SchemaError("The schema has no attributes.")
        if target is None:
            return
        if target not in names:
            message = f"The class {target!r} is not among the attributes: {', '.join(names)}."
            raise SchemaError(message)
        if not self[target].is_categorical:
            message = f"The class {target!r} must be categorical."
            raise SchemaError(message, hint="declare the list of its values.")
        if self[target].missing != "error":
            message = f"The class {target!r} cannot have missing = 'category'."
            raise SchemaError(message, hint="drop records without a class, or make it a value.")
        if len(names) < 2:
            message = "The schema has a class but no attribute to learn it from."
            raise SchemaError(message)

    def _check_unit(self, names: list[str]) -> None:
        unit, most = self.unit, self.rows_per_unit
        if unit is not None and (not isinstance(unit, str) or not unit):
            raise SchemaError("The schema's unit must be the name of a column.")
        if unit in names:
            message = f"The schema declares {unit!r}, and names it as the unit, "
            raise SchemaError(message + "which is never released.", hint="do not declare it.")
        if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
            message = "The schema's rows_per_unit must be a whole number from 1."
            raise SchemaError(message, hint="the most records that a person can have.")

    @property
    def target(self) -> str:
        """The name of the class; an error where the schema leaves it open.

        >>> import privet as pv
        >>> pv.datasets.schema("weather").target
        'Play'
        """
        if self.goal is None:
            message = "The schema names no class, and this needs one; "
            message += f"it has {', '.join(self.names)}."
            raise SchemaError(message, hint="name one of them: target='NAME'.")
        return self.goal

    @property
    def names(self) -> list[str]:
        """All names, in order.

        >>> import privet as pv
        >>> pv.datasets.schema("weather").names
        ['Outlook', 'Humidity', 'Wind', 'Play']
        """
        return [attribute.name for attribute in self.attributes]

    @property
    def inputs(self) -> list[Attribute]:
        """All attributes but the class.

        >>> import privet as pv
        >>> [attribute.name for attribute in pv.datasets.schema("weather").inputs]
        ['Outlook', 'Humidity', 'Wind']
        """
        return [attribute for attribute in self.attributes if attribute.name != self.goal]

    @property
    def classes(self) -> tuple[Value, ...]:
        """The values of the class; none where the schema leaves it open.

        >>> import privet as pv
        >>> pv.datasets.schema("weather").classes
        ('Yes', 'No')
        """
        return () if self.goal is None else self[self.goal].values or ()

    def __repr__(self) -> str:
        about = "no class" if self.goal is None else f"the class {self.goal!r}"
        learned = ", learned from data" if self.learned else ""
        return f"<Schema of {len(self.inputs)} attributes and {about}{learned}>"

    def _repr_html_(self) -> str:
        from privet.notebook import shown

        rows = [
            (
                attribute.name,
                "class" if attribute.name == self.goal else "",
                attribute.domain,
                "yes" if attribute.missing == "category" else "no",
            )
            for attribute in self.attributes
        ]
        return shown(repr(self)[1:-1], heads=("name", "", "domain", "may be missing"), rows=rows)

    def __getitem__(self, name: str) -> Attribute:
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        message = f"The schema has no attribute {name!r}; it has {', '.join(self.names)}."
        raise SchemaError(message)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)

    def with_attributes(self, attributes: Iterable[Attribute]) -> Schema:
        """Return the schema with other attributes, the class and the mark kept.

        What is about the owner's table, ``withheld``, ``format`` and ``unit``, is not.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> schema.with_attributes(list(schema)[1:]).names
        ['Humidity', 'Wind', 'Play']
        """
        return Schema(attributes, target=self.goal, learned=self.learned)

    def with_bins(self, bins: int) -> Schema:
        """Return the schema with ``bins`` for every numeric attribute.

        >>> import privet as pv
        >>> pv.datasets.schema("as-f1").with_bins(10)["salary"].coding().size
        10
        """
        return self.with_attributes(
            attribute if attribute.is_categorical else attribute.with_cells(bins)
            for attribute in self.attributes
        )

    # Files

    def to_dict(self) -> dict[str, Any]:
        """Return a plain form, as in TOML and JSON files.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> schema.to_dict()["attributes"]["Wind"]
        {'values': ['Strong', 'Weak']}
        """
        form: dict[str, Any] = {} if self.goal is None else {"target": self.goal}
        if self.learned:
            form["learned_from_data"] = True
        if self.withheld:
            form["withheld"] = list(self.withheld)
        if self.format != Format():
            form["format"] = self.format.to_dict()
        if self.unit is not None:
            form["unit"] = self.unit
        if self.rows_per_unit is not None:
            form["rows_per_unit"] = self.rows_per_unit
        form["attributes"] = {attribute.name: attribute.to_dict() for attribute in self.attributes}
        return form

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Schema:
        """Read a plain form.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> pv.Schema.from_dict(schema.to_dict()) == schema
        True
        """
        check_words(form, _WORDS, "schema", SchemaError)
        target = form.get("target")
        named = target is None or isinstance(target, str)
        if not named or not isinstance(form.get("attributes"), dict):
            message = "A schema needs a table of attributes, and its target is the name of one."
            raise SchemaError(message, hint='target = "play" and [attributes.wind] in TOML.')
        attributes = []
        for name, fields in form["attributes"].items():
            if not isinstance(fields, dict):
                message = f"Attribute {name!r} must be a table with values, or low and high."
                raise SchemaError(message)
            attributes.append(Attribute.from_dict(name, fields))
        withheld, written = form.get("withheld", []), form.get("format", {})
        if not isinstance(withheld, list) or not all(isinstance(name, str) for name in withheld):
            raise SchemaError("The schema's withheld must be a list of names.")
        if not isinstance(written, dict):
            raise SchemaError("The schema's format must be a table.", hint='decimal = ",".')
        return cls(
            attributes,
            target=target,
            learned=bool(form.get("learned_from_data", False)),
            withheld=withheld,
            format=Format.from_dict(written),
            unit=form.get("unit"),
            rows_per_unit=form.get("rows_per_unit"),
        )

    def to_json(self) -> str:
        """Return the schema as JSON text.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> print(schema.to_json()[:22])
        {
          "target": "Play",
        """
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    def to_toml(self, comments: Mapping[str, str] | None = None) -> str:
        """Return the schema as TOML text, with comments on attributes by their names.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> print(schema.to_toml().splitlines()[0])
        target = "Play"
        """
        form = self.to_dict()
        attributes = form.pop("attributes")
        lines = [f"{key} = {toml_of(value)}" for key, value in form.items()]
        for name, fields in attributes.items():
            lines.append(f"\n[attributes.{toml_of(name)}]")
            comment = (comments or {}).get(name, "")
            lines += [f"# {line}" for line in comment.splitlines()]
            lines += [f"{key} = {toml_of(value)}" for key, value in fields.items()]
        return "\n".join(lines).lstrip("\n") + "\n"

    def with_target(self, target: str) -> Schema:
        """Return the schema with another class.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> schema.with_target("Wind").target
        'Wind'
        """
        return Schema(
            self.attributes,
            target=target,
            learned=self.learned,
            withheld=self.withheld,
            format=self.format,
            unit=self.unit,
            rows_per_unit=self.rows_per_unit,
        )

    @classmethod
    def infer(cls, frame: Any, *, target: str, bins: int | None = None) -> Schema:
        """Read a schema off a table: its categories and ranges, which it thereby discloses.

        The schema is marked as learned from data, and so is every release made with it. Columns
        that look like names or identifiers are withheld; dates become numbers of days.

        >>> table = {"name": ["Ada", "Bo", "Cy", "Di", "Ed"], "age": [31, 40, 52, 40, 31]}
        >>> Schema.infer(table | {"ill": ["no", "no", "yes", "no", "no"]}, target="ill").withheld
        ('name',)
        """
        from privet.schema.draft import Draft

        return Draft.of(frame, target, bins).schema

    @classmethod
    def read(cls, path: str | Path) -> Schema:
        """Read a ``.toml`` or ``.json`` file.

        >>> import pathlib, tempfile, privet as pv
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "people.toml")
        ...     _ = file.write_text('attributes.smoker.values = ["yes", "no"]')
        ...     pv.Schema.read(file).names
        ['smoker']
        """
        file = Path(path)
        text = read_text(file, "schema", SchemaError, pipes=True)
        try:
            form = parse_toml(text) if file.suffix == ".toml" else parse_json(text)
        except ValueError as error:
            message = f"The schema {file} is not valid {file.suffix.lstrip('.').upper()}: {error}."
            raise SchemaError(message) from None
        if not isinstance(form, dict):
            message = f"The schema {file} must be a table with target and attributes."
            raise SchemaError(message)
        return cls.from_dict(form)

    def write(self, path: str | Path) -> None:
        """Write a ``.toml`` or ``.json`` file.

        >>> import tempfile, privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     schema.write(f"{folder}/weather.toml")
        ...     assert pv.Schema.read(f"{folder}/weather.toml") == schema
        """
        file = Path(path)
        text = self.to_toml() if file.suffix == ".toml" else self.to_json()
        try:
            with new_file(file) as made:
                made.write_text(text, encoding="utf-8")
        except OSError as error:
            message = f"The schema cannot be written to {file}: {cause(error)}."
            raise SchemaError(message) from None
