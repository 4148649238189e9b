"""``meldlab serve``: the laboratory in a browser."""

from contextlib import suppress
from typing import Annotated

import typer

from meldlab.cli.options import StoreOption
from meldlab.errors import NotPossible


def serve(
    host: Annotated[
        str, typer.Option(help="Where to listen; anything but this machine itself opens the laboratory to others.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8000,
    open_: Annotated[bool, typer.Option("--open", help="Open the browser.")] = False,
    store: StoreOption = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes that answer questions.")] = 2,
) -> None:
    """Open the laboratory in a browser: helper, tables, review, studio, experiments.

    Example: meldlab serve --open
    """
    import os
    import socket
    import webbrowser

    try:
        import uvicorn

        from meldlab.web.app import make_app
        from meldlab.web.settings import LOCAL, Settings
    except ImportError as missing:
        raise NotPossible(f"the browser's door needs {missing.name}: pip install 'meldlab[web]'") from None
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family, backlog=512)
    except OSError as problem:
        raise NotPossible(f"cannot listen at {host}:{port}: {os.strerror(problem.errno) if problem.errno else problem}") from None
    place = f"[{host}]" if ":" in host else host
    address = f"http://{'localhost' if host in ('0.0.0.0', '::') else place}:{listening.getsockname()[1]}"
    app = make_app(Settings(store=store, hosts=(*LOCAL, place), workers=workers))
    print(f"The laboratory is open at {address} (Ctrl-C closes it; games and experiments are kept).", flush=True)
    if open_:
        webbrowser.open(address)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on", timeout_graceful_shutdown=2, limit_concurrency=1000))
    with suppress(KeyboardInterrupt):  # the usual way to close it
        server.run(sockets=[listening])
    print("The laboratory is closed.")
