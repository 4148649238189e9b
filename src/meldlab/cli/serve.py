"""``meldlab serve``: the web app."""

from contextlib import suppress
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
) -> None:
    """Serve the web app: Rummikub helper, tables, review, studio, experiments.

    Example: meldlab serve --open
    """
    import os
    import socket
    import webbrowser

    try:
        import uvicorn

        from meldlab.web.app import make_app
        from meldlab.web.settings import LOCAL, Settings
    except ImportError as error:
        raise NotPossible(f"'meldlab serve' needs {error.name}: pip install 'meldlab[web]'") from None
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        raise NotPossible(f"cannot listen at {host}:{port}: {os.strerror(error.errno) if error.errno else error}") from None
    place = f"[{host}]" if ":" in host else host
    address = f"http://{'localhost' if host in ('0.0.0.0', '::') else place}:{listening.getsockname()[1]}"
    app = make_app(Settings(store=store, hosts=(*LOCAL, place), workers=workers))
    print(f"The web app is at {address} (Ctrl-C stops it; games and experiments are saved).", flush=True)
    if open_:
        webbrowser.open(address)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on", timeout_graceful_shutdown=2, limit_concurrency=1000))
    with suppress(KeyboardInterrupt):  # the usual way to stop it
        server.run(sockets=[listening])
    print("The web app has stopped.")
