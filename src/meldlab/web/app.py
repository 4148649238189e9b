"""The server: routes of all rooms behind the guard.

>>> from meldlab.web.settings import Settings
>>> "/api/v1/matches/{id}" in make_app(Settings()).openapi()["paths"]
True
"""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from meldlab import __version__
from meldlab.web.errors import ERROR_RESPONSES, add_error_handlers
from meldlab.web.rendering import page
from meldlab.web.routes import (
    experiments,
    gin,
    matches,
    review,
    review_pages,
    rummikub,
    rummikub_pages,
    runs,
    stopping,
    studio,
    studio_pages,
    tables,
    waiting,
)
from meldlab.web.security import SecurityMiddleware
from meldlab.web.services import COLD, Services, ServicesDep
from meldlab.web.settings import Settings

STATIC = Path(__file__).parent / "static"
ROUTERS: tuple[Any, ...] = (
    matches.router,
    tables.pages,
    runs.router,
    rummikub.api,
    rummikub_pages.pages,
    gin.api,
    gin.pages,
    review.api,
    review_pages.pages,
    waiting.api,
    waiting.pages,
    stopping.api,
    stopping.pages,
    experiments.api,
    experiments.pages,
    studio.router,
    studio_pages.router,
)
# The page of a match, by the kind of its game.
GAME_PAGES = {"gin": gin.PAGE, "recycle": studio_pages.PAGE}


class PackageFiles(StaticFiles):
    """Files of the package; browsers ask again whether they have changed."""

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        """Return a file, that browsers cache and revalidate."""
        response = super().file_response(*arguments, **options)
        response.headers["Cache-Control"] = "no-cache"
        return response


def make_app(settings: Settings | None = None) -> FastAPI:
    """Return the application of one server."""
    chosen = settings or Settings()

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        services = app.state.services = Services(chosen)
        services.start()
        # A full collection would visit every object of the loaded modules: a pause of half a second, once in a hundred moves.
        gc.collect()
        gc.freeze()
        try:
            yield
        finally:
            services.stop()

    app = FastAPI(
        title="meldlab",
        version=__version__,
        summary="One laboratory for games of the rummy family.",
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses=ERROR_RESPONSES,
    )
    app.add_middleware(SecurityMiddleware, settings=chosen)
    add_error_handlers(app)
    app.state.game_pages = GAME_PAGES
    for router in ROUTERS:
        for route in router.routes:
            route.summary = route.description.partition(".")[0].partition(";")[0]
        app.include_router(router)
    app.mount("/static", PackageFiles(directory=STATIC), name="static")

    @app.get("/", include_in_schema=False)
    async def front(request: Request, services: ServicesDep) -> Response:
        """Show the front page."""
        return page(request, "front.html.jinja", title="meldlab", warming=services.warming)

    @app.get("/api", include_in_schema=False)
    async def api(request: Request) -> Response:
        """Show what the API has."""
        return page(request, "api.html.jinja", title="The API", schema=app.openapi())

    @app.get("/api/v1/ready", tags=["server"], summary="Return the seconds until each package is compiled")
    async def ready(services: ServicesDep) -> dict[str, int]:
        """Return, for each room, about how many seconds it takes until its kernels are compiled; 0 if they are."""
        return {room: 0 if room in services.warming.ready else services.warming.seconds_left(room) for room in COLD}

    @app.api_route("/api/{path:path}", methods=["GET", "POST", "PUT", "DELETE"], include_in_schema=False)
    async def old_path(request: Request, path: str) -> Response:
        """Redirect a path without a version."""
        if path.startswith("v1/"):
            raise HTTPException(404)
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/api/v1/{path}{query}", 308)

    return app
