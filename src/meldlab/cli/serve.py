"""``meldlab serve``: the web app."""

import os
import socket
import webbrowser
from typing import Annotated

import typer

from meldlab.cli.options import StoreOption
from meldlab.errors import NotPossible


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen at; other addresses than 127.0.0.1 open the app to other machines.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 for a free one.")] = 8000,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    store: StoreOption = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Number of worker processes.")] = 2,
    name: Annotated[list[str] | None, typer.Option(metavar="HOST", help="Name by which the app may be called; '*' for any.")] = None,
    setting: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="A limit of the server; see --settings.")] = None,
    settings: Annotated[bool, typer.Option("--settings", help="List the settings with their defaults, and exit.")] = False,
) -> None:
    """Serve the web app: Rummikub helper, tables, review, studio, experiments.

    Example: meldlab serve --open
    """
    try:
        from meldlab.runs.store import Store
        from meldlab.web.app import make_app
        from meldlab.web.serving import run_server
        from meldlab.web.settings import LOCAL, Settings, descriptions
    except ImportError as error:
        raise NotPossible(f"'meldlab serve' needs {error.name}: pip install 'meldlab[web]'") from None
    if settings:
        for known, default, text in descriptions():
            print(f"{known} = {'yes' if default is True else 'no' if default is False else default}\n    {text}")
        return
    place = f"[{host}]" if ":" in host else host
    chosen = Settings(store=store, hosts=(*LOCAL, place, *map(str.lower, name or ())), workers=workers).with_values(setting or ())
    Store.open(store, chosen.lock_seconds)  # before anything is announced
    listening = _listen(host, port)
    address = f"http://{'localhost' if host in ('0.0.0.0', '::') else place}:{listening.getsockname()[1]}"
    app = make_app(chosen)
    print(f"The web app is at {address} (Ctrl-C stops it; games and experiments are saved).", flush=True)
    if open_:
        webbrowser.open(address)
    run_server(app, listening, chosen)
    print("The web app has stopped.")


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        raise NotPossible(f"cannot listen at {host}:{port}: {os.strerror(error.errno) if error.errno else error}") from None
