"""``privet open``: the workbench in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from privet.cli import options

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


@options.command("privet open", "privet open people.csv", "privet open people.release --port 8100")
@click.argument("thing", type=options.EXISTING, required=False, metavar="[TABLE|RELEASE]")
@click.option(
    "--folder", type=options.PATH, help="Where results go; the current folder by default."
)
@click.option("--host", default="127.0.0.1", help="The address to listen at.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default=False,
    help="The port; any free one by default.",
)
@click.option("--no-browser", is_flag=True, help="Print the link only.")
@click.option("--behind-proxy", is_flag=True, help="A proxy on this machine provides TLS.")
@click.option("--certificate", type=options.EXISTING, help="TLS: the certificate (PEM).")
@click.option("--certificate-key", type=options.EXISTING, help="TLS: its private key (PEM).")
def command(
    thing: Path | None,
    folder: Path | None,
    host: str,
    port: int,
    no_browser: bool,
    behind_proxy: bool,
    certificate: Path | None,
    certificate_key: Path | None,
) -> None:
    """Open the workbench in a browser: disguise a table, audit a release, grow a tree.

    Everything stays on this machine. The link works once; Ctrl-C stops.
    """
    from privet.cli.output import say
    from privet.web.bench.serve import Asked, serve

    asked = Asked(
        host=host,
        port=port,
        behind_proxy=behind_proxy,
        certificate=certificate,
        certificate_key=certificate_key,
    )
    serve(asked, thing, folder, say, browser=not no_browser)
