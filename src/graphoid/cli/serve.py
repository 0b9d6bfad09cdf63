"""``graphoid serve``: from a table to a network in the browser of this machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from graphoid.cli.options import Json, Quiet, examples
from graphoid.cli.process import on_interrupt
from graphoid.cli.terminal import note, print_json
from graphoid.errors import DataError

EPILOG = examples(
    ("serve survey.csv", "check it, learn from it and explore the network"),
    ("serve data/", "choose among the tables of a folder"),
    ("serve --port 9000", "drop a table on the page"),
)


def serve(
    file: Annotated[
        str | None, typer.Argument(help="A table, or a folder of tables; or drop one on the page.")
    ] = None,
    *,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65_535, help="Port to listen on; the first free one from 8642 if left out."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Open a page in the browser: drop a table, check it, learn, explore. Ctrl-C ends it."""
    from graphoid.serve.server import Server, serve
    from graphoid.serve.workspace import Workspace

    path = None if file is None else Path(file)
    if path is not None and not path.exists():
        raise DataError(f"there is no file or folder {file!r}.")
    workspace = Workspace(None if path is None else path.absolute())
    with on_interrupt(workspace.close):
        try:
            server = Server(workspace, port)
        except BaseException:
            workspace.close()
            raise
        if json:
            print_json({"address": server.access.address, "port": server.server_port})
        else:
            print(server.access.address)
        sys.stdout.flush()
        if not quiet:
            note("open this address in a browser of this machine; it opens for nobody without the token.")
            note("Ctrl-C ends it.")
        serve(server)
