"""`shoal serve-frozen`."""

from __future__ import annotations

import shlex
from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

from shoal.cli.app import app
from shoal.compose.crawl import open_web
from shoal.errors import UsageError

if TYPE_CHECKING:
    from shoal.web.serve import Address


@app.command("serve-frozen", epilog="Example: `shoal serve-frozen wiki.warc.gz --port 8080`")
def serve_frozen(
    web: Annotated[
        str, typer.Argument(help="A WARC file, a folder, or a crawl.", metavar="WARC_OR_DIR")
    ],
    port: Annotated[
        int, typer.Option(help="Loopback port; 0 is any free one.", min=0, max=65_535)
    ] = 8080,
    delay_max: Annotated[
        float,
        typer.Option(help="Answer as slowly as the pages once came, up to this many seconds."),
    ] = 0.0,
) -> None:
    """Serve a frozen web over HTTP, as a proxy, so that any client can crawl it."""
    # Imported here: asyncio and an HTTP parser are no part of any other command's start.
    from shoal.web.serve import serve_shelf

    console = Console(stderr=True)

    with closing(open_web(web)) as shelf:
        example = shlex.quote(_as_http(next(shelf.urls(), "http://HOST/")))

        def say(address: Address) -> None:
            console.print(
                f"Serving {escape(web)} as an HTTP proxy at [bold]{address.url}[/]; "
                f"Ctrl-C ends it.\n[dim]Try: curl -x {address.url} {escape(example)}[/]",
                highlight=False,
                soft_wrap=True,
            )

        try:
            serve_shelf(shelf, port=port, delay_max_s=delay_max, on_ready=say)
        except OSError as error:
            raise UsageError(
                f"cannot listen on port {port}: {error.strerror}; give another one to --port"
            ) from error


def _as_http(url: str) -> str:
    """The address as a client asks a proxy that cannot speak TLS for it; the Shelf knows both."""
    return "http://" + url.removeprefix("https://").removeprefix("http://")
