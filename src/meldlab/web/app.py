"""The server: routes of all rooms behind the guard.

>>> from meldlab.web.settings import Settings
>>> "/api/matches/{id}" in make_app(Settings()).openapi()["paths"]
True
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response
from starlette.staticfiles import StaticFiles

from meldlab import __version__
from meldlab.web import long_work, matches
from meldlab.web.errors import ERROR_RESPONSES, add_error_handlers
from meldlab.web.experiments import routes as experiments
from meldlab.web.gin import routes as gin
from meldlab.web.guard import Guard
from meldlab.web.laboratory import COLD, Lab, Laboratory
from meldlab.web.pages import page
from meldlab.web.review import pages as review_pages
from meldlab.web.review import routes as review
from meldlab.web.rummikub import pages as rummikub_pages
from meldlab.web.rummikub import routes as rummikub
from meldlab.web.settings import Settings
from meldlab.web.stopping import routes as stopping
from meldlab.web.studio import api as studio_api
from meldlab.web.studio import pages as studio_pages
from meldlab.web.waiting import routes as waiting

__all__ = ["make_app"]

STATIC = Path(__file__).parent / "static"
# Each room brings the routes of its API and of its pages.
ROUTERS: tuple[Any, ...] = (
    matches.router,
    long_work.router,
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
    studio_api.router,
    studio_pages.router,
)


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
        lab = app.state.laboratory = Laboratory(chosen)
        lab.start()
        try:
            yield
        finally:
            lab.stop()

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
    app.add_middleware(Guard, settings=chosen)
    add_error_handlers(app)
    for router in ROUTERS:
        app.include_router(router)
    app.mount("/static", PackageFiles(directory=STATIC), name="static")

    @app.get("/", include_in_schema=False)
    async def front(request: Request, lab: Lab) -> Response:
        """Show the front page."""
        return page(request, "front.html.jinja", title="meldlab", warming=lab.warming)

    @app.get("/api", include_in_schema=False)
    async def api(request: Request) -> Response:
        """Show what the API has."""
        return page(request, "api.html.jinja", title="The API", schema=app.openapi())

    @app.get("/api/ready", tags=["laboratory"])
    async def ready(lab: Lab) -> dict[str, int]:
        """Return, for each room, about how many seconds it takes until its kernels are compiled; 0 if they are."""
        return {room: 0 if room in lab.warming.ready else lab.warming.left(room) for room in COLD}

    return app
