"""What a release says of itself: its card in words, its first records, and both for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from privet.release import Release


__all__ = ["show_release"]


def show_release(path: Path, release: Release, head: int | None, *, as_json: bool) -> None:
    """Print what a release says of itself, or its first records."""
    from privet.cli.output import emit, say

    if as_json:
        emit(_form(release) if head is None else release.head(head).to_pylist())
    else:
        say("\n".join(_lines(path, release) if head is None else _head(release, head)))


def _form(release: Release) -> dict[str, Any]:
    return {
        "rows": release.rows,
        "parts": len(release.parts),
        "channels": {
            name: {"kind": channel.kind, "values": coding.size, "epsilon": channel.epsilon()}
            for name, coding in release.codings.items()
            if coding is not None and (channel := release.parts[0].channel(name)) is not None
        },
        "target": release.schema.goal,
        "schema": release.schema.to_dict(),
        "treatments": release.treatments,
        "shuffled": release.shuffled,
        "seeded": release.seeded,
        "signed_by": None if release.signed_by is None else str(release.signed_by),
        "claim": release.claim.to_dict(),
        "sentences": release.claim.sentences(),
    }


def _lines(path: Path, release: Release) -> list[str]:
    order = "rows shuffled" if release.shuffled else "rows IN THE ORIGINAL ORDER"
    lines = [f"{path}: a release of {release.rows:,} records, {order}; all checksums hold.", ""]
    width = max(len(name) for name in release.treatments)
    for name, treatment in release.treatments.items():
        domain = _domain(release, name) if name in release.schema else ""
        mark = " (the class)" if name == release.schema.goal else ""
        channel = _channel(release, name)
        domain += f"; {channel}" if channel and domain else ""
        lines.append(f"  {name:{width}}  {treatment:12}  {domain}{mark}".rstrip())
    return [
        *lines,
        "",
        *_parts(release),
        *(f"- {sentence}" for sentence in release.claim.sentences()),
    ]


def _domain(release: Release, name: str) -> str:
    from privet.frames import DAYS
    from privet.release.ranges import as_date

    attribute = release.schema[name]
    coding = release.codings[name]
    if attribute.values is not None:
        listed = ", ".join(map(str, attribute.values[:6]))
        many = "categories" if len(attribute.values) != 1 else "category"
        return f"{len(attribute.values)} {many}: {listed}" + (
            ", …" if len(attribute.values) > 6 else ""
        )
    low, high = attribute.range
    cells = "" if coding is None else f" in {coding.known} cells"
    if attribute.unit == DAYS:
        return f"dates {as_date(low)} to {as_date(high)}{cells}"
    return f"{'whole numbers' if attribute.integer else 'numbers'} {low:g} to {high:g}{cells}"


def _channel(release: Release, name: str) -> str:
    """Say through which channel an attribute went: its kind and the strongest γ of the parts."""
    channels = [channel for part in release.parts if (channel := part.channel(name)) is not None]
    if not channels:
        return ""
    bounds = [channel.amplification() for channel in channels]
    finite = [float(gamma) for gamma in bounds if gamma is not None]
    kinds = " and ".join(dict.fromkeys(channel.kind for channel in channels))
    return f"{kinds}, γ = {max(finite):.4g}" if len(finite) == len(bounds) else kinds


def _parts(release: Release) -> list[str]:
    """Say what parts there are, where there are several."""
    if len(release.parts) == 1:
        return []
    said = [f"It has {len(release.parts)} parts:"]
    for part in release.parts:
        own = f", cells of their own for {', '.join(part.codings)}" if part.codings else ""
        lacking = [name for name in release.column_names if name not in part.table.names]
        without = f", without {', '.join(lacking)}" if lacking else ""
        said.append(f"  {part.table.rows:,} records{own}{without}")
    return [*said, ""]


def _head(release: Release, rows: int) -> list[str]:
    """Return the first records as a table for a terminal."""
    frame = release.head(rows)
    columns = [
        [name, *("" if v is None else str(v) for v in frame[name].to_pylist())]
        for name in frame.column_names
    ]
    widths = [max(map(len, column)) for column in columns]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*columns, strict=True)
    ]
