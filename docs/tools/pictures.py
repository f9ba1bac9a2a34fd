"""Draw the pictures of the site: ``python docs/tools/pictures.py``, or ``make pictures``.

Each is a plain SVG file that turns dark where the reader's screen is. What a picture shows in
numbers is computed here, from a seed, so that drawing again changes nothing.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

from privet import Attribute, RandomSubstitution, Schema, shares
from privet.release.claim import posterior

FOLDER = Path(__file__).parents[1] / "pictures"
STYLE = """
  text { font: 15px system-ui, sans-serif; fill: #222 }
  .small { font-size: 12.5px; fill: #555 } .strong { font-weight: 600 }
  .mono { font-family: ui-monospace, monospace }
  .paper { fill: #fbfaf7 } .box { fill: #fff; stroke: #8a8a8a } .line { stroke: #666; fill: none }
  .truth { fill: #0072b2 } .seen { fill: #e69f00 } .estimate { fill: #009e73 }
  .truth-line { stroke: #0072b2 } .seen-line { stroke: #e69f00 } .estimate-line { stroke: #009e73 }
  .curve { fill: none; stroke-width: 2.5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6e6e6 } .small { fill: #b5b5b5 }
    .paper { fill: #1e2129 } .box { fill: #2a2e38; stroke: #888 }
    .line { stroke: #aaa } .truth { fill: #56b4e9 } .truth-line { stroke: #56b4e9 }
  }
"""


HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"
 width="{width}" height="{height}" role="img">
<title>{title}</title>
<style>{style}</style>
<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7"
 orient="auto"><path d="M0 0L10 5L0 10z" fill="#888"/></marker></defs>
<rect class="paper" width="{width}" height="{height}" rx="10"/>"""


def picture(width: int, height: int, title: str, body: list[str]) -> str:
    """Return an SVG file; the title is read to those who cannot see it."""
    head = HEAD.format(width=width, height=height, title=title, style=STYLE)
    return "\n".join([head, *body, "</svg>\n"])


def bar(kind: str, x: float, y: float, width: float, height: float) -> str:
    """Return a coloured bar."""
    return f'<rect class="{kind}" x="{x:g}" y="{y:.1f}" width="{width:g}" height="{height:.1f}"/>'


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "middle") -> str:
    """Return a line of text."""
    said = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" class="{kind}">{said}</text>'


def box(x: float, y: float, width: float, height: float, lines: list[str]) -> list[str]:
    """Return a box with lines of text in its middle, the first of them strong."""
    rows = [f'<rect class="box" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6"/>']
    top = y + height / 2 - 9.5 * (len(lines) - 1) + 5
    for place, line in enumerate(lines):
        rows.append(text(x + width / 2, top + 19 * place, line, "small" if place else "strong"))
    return rows


def arrow(*points: tuple[float, float]) -> str:
    """Return a line with an arrowhead."""
    path = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
    return f'<path class="line" d="{path}" marker-end="url(#tip)"/>'


def idea() -> str:
    """Draw records, their disguise and the tree."""
    records = [("23", "low"), ("41", "high"), ("67", "low"), ("35", "high")]
    shown = [("23", "low"), ("58", "high"), ("19", "low"), ("35", "high")]
    body = [
        text(110, 34, "records", "strong"),
        text(110, 54, "stay with the owner", "small"),
        text(390, 34, "release", "strong"),
        text(390, 54, "anyone may see it", "small"),
        text(690, 34, "tree", "strong"),
        text(690, 54, "right about the records", "small"),
    ]
    for left, rows, kind in ((40, records, "truth"), (320, shown, "seen")):
        body.append(f'<rect class="box" x="{left}" y="70" width="140" height="150" rx="6"/>')
        body += [text(left + 40, 94, "age", "small"), text(left + 100, 94, "income", "small")]
        for place, ((age, income), (was, _)) in enumerate(zip(rows, records, strict=True)):
            changed = age != was
            y = 122 + 27 * place
            body.append(text(left + 40, y, age, f"mono {kind if changed else ''}"))
            body.append(text(left + 100, y, income, "mono"))
    body += [
        arrow((188, 145), (312, 145)),
        text(250, 128, "disguise", "strong"),
        text(250, 168, "values replaced", "small"),
        text(250, 186, "with known odds", "small"),
        arrow((468, 145), (575, 145)),
        text(522, 128, "mine", "strong"),
        text(522, 168, "counts", "small"),
        text(522, 186, "corrected", "small"),
        *box(630, 74, 120, 40, ["age ≤ 30?"]),
        arrow((665, 114), (632, 168)),
        arrow((715, 114), (748, 168)),
        *box(588, 172, 90, 46, ["low", "93 % low"]),
        *box(704, 172, 90, 46, ["high", "88 % high"]),
    ]
    return picture(
        830,
        240,
        "Records are disguised, released and mined; the tree is right about the records",
        body,
    )


def estimate() -> str:
    """Draw counts of a disguised attribute: true, released, estimated with errors."""
    rng = np.random.default_rng(5)
    values = ["never", "once", "monthly", "weekly", "daily"]
    truth = rng.choice(5, 20_000, p=[0.55, 0.22, 0.12, 0.08, 0.03])
    people = {
        "smokes": [values[code] for code in truth],
        "ill": rng.choice(["no", "yes"], 20_000).tolist(),
    }
    schema = Schema(
        [Attribute.categorical("smokes", values), Attribute.categorical("ill", ["no", "yes"])],
        target="ill",
    )
    release = RandomSubstitution(gamma=4).disguise(people, schema, seed=5)
    estimated = shares(release, "smokes")
    seen = release.to_frame()["smokes"].to_pylist()
    body = [
        text(20, 30, "20,000 people, each answer through a channel with γ = 4", "strong", "start")
    ]
    for place, (kind, words) in enumerate(
        (
            ("truth", "true share"),
            ("seen", "share in the release"),
            ("estimate", "estimated from the release, ± 2 standard errors"),
        )
    ):
        x = (20, 130, 310)[place]
        body.append(bar(kind, x, 44, 13, 13))
        body.append(text(x + 19, 55, words, "small", "start"))
    for code, value in enumerate(values):
        left = 40 + 142 * code
        heights = [
            float((truth == code).mean()),
            seen.count(value) / len(seen),
            float(estimated.shares[code]),
        ]
        for place, (kind, share) in enumerate(
            zip(("truth", "seen", "estimate"), heights, strict=True)
        ):
            x = left + 40 * place
            body.append(bar(kind, x, 270 - 290 * share, 28, 290 * share))
            body.append(
                text(
                    x + 14,
                    264 - 290 * share - (12 if place == 2 else 0),
                    f"{100 * share:.0f} %",
                    "small",
                )
            )
        error = 2 * 290 * float(estimated.errors[code])
        middle, x = 270 - 290 * heights[2], left + 94
        body.append(f'<path class="line" d="M{x} {middle - error:.1f}V{middle + error:.1f}"/>')
        body.append(text(left + 54, 290, value, "small"))
    body.append('<path class="line" d="M20 270H740"/>')
    return picture(
        760, 305, "The release looks flat; the estimate finds the true shares again", body
    )


def epsilon() -> str:
    """Draw how far a belief can rise, for several γ."""
    left, top, size = 70, 40, 300
    body = [
        text(
            left,
            24,
            "the most that one released value can change a belief",
            "strong",
            "start",
        )
    ]
    for tick in (0, 25, 50, 75, 100):
        x, y = left + size * tick / 100, top + size - size * tick / 100
        body += [
            f'<path class="line" d="M{left} {y:g}H{left + size}" opacity="0.25"/>',
            text(x, top + size + 20, f"{tick} %", "small"),
            text(left - 8, y + 5, f"{tick} %", "small", "end"),
        ]
    body.append(text(left + size / 2, top + size + 42, "believed before", "small"))
    body.append(
        f'<path class="line" d="M{left} {top + size}L{left + size} {top}" stroke-dasharray="4 4"/>'
    )
    curves = (
        (3, "estimate", "ε = 1.1 (γ = 3)"),
        (8, "truth", "ε = 2.1 (γ = 8)"),
        (20, "seen", "ε = 3.0 (γ = 20)"),
    )
    for place, (gamma, kind, words) in enumerate(curves):
        points = [
            f"{left + 3 * prior} {top + size * (1 - posterior_of(prior, gamma)):.1f}"
            for prior in range(101)
        ]
        body.append(f'<path class="curve {kind}-line" d="M{"L".join(points)}"/>')
        y = 110 + 74 * place
        body += [
            bar(kind, 410, y - 11, 13, 13),
            text(430, y, words, "strong", "start"),
            text(
                430,
                y + 20,
                f"1 % becomes at most {100 * posterior_of(1, gamma):.0f} %",
                "small",
                "start",
            ),
            text(
                430,
                y + 38,
                f"10 % becomes at most {100 * posterior_of(10, gamma):.0f} %",
                "small",
                "start",
            ),
        ]
    body.append(text(410, 70, "dashed: nothing was learned", "small", "start"))
    return picture(660, 400, "Bounds on beliefs for three strengths of disguise", body)


def posterior_of(prior: int, gamma: int) -> float:
    """Return the highest belief that a prior, in percent, can rise to."""
    return float(posterior(Fraction(prior, 100), Fraction(gamma)))


def which() -> str:
    """Draw the flow chart of the page on methods."""
    steps = [
        ("Do you have a table?", "no", ["a survey", "people disguise their own answers"]),
        ("Must people read the rows?", "yes", ["Forest Framework, GADP", "no guarantee"]),
        ("Are there several owners?", "yes", ["parties with γ", "ε per owner and group"]),
        ("Might only some rows leak?", "yes", ["a store of complements", "no guarantee"]),
        ("Must the tree be exact?", "yes", ["monotone functions", "no guarantee"]),
        ("Must numbers look like numbers?", "yes", ["additive noise", "an interval, no ε"]),
    ]
    body: list[str] = []
    for place, (question, answer, method) in enumerate(steps):
        y = 18 + 78 * place
        body += box(20, y, 300, 46, [question])
        body += box(440, y, 300, 46, method)
        body += [arrow((320, y + 23), (434, y + 23)), text(376, y + 16, answer, "small")]
        body += [
            arrow((170, y + 46), (170, y + 76)),
            text(182, y + 66, "yes" if answer == "no" else "no", "small", "start"),
        ]
    y = 18 + 78 * len(steps)
    body += box(
        20,
        y,
        720,
        54,
        ["random substitution", "an ε per attribute; privet advise proposes γ and cells"],
    )
    return picture(760, y + 72, "From what you have and whom you fear to a method", body)


def main() -> None:
    """Draw all of them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for draw in (idea, estimate, epsilon, which):
        (FOLDER / f"{draw.__name__}.svg").write_text(draw(), encoding="utf-8")
        print(f"docs/pictures/{draw.__name__}.svg")


if __name__ == "__main__":
    main()
