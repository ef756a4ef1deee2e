"""The page of the API docs. Its scripts come from here: FastAPI's own takes them from another server."""

from __future__ import annotations

from fastapi import FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles

FILES = "/docs/files"


def install(app: FastAPI) -> None:
    """Add `GET /docs`."""
    app.mount(FILES, StaticFiles(packages=[("fastapi_swagger", "resources")]))

    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return get_swagger_ui_html(
            openapi_url="/openapi.json",
            title="runtime-graph",
            swagger_js_url=f"{FILES}/swagger-ui-bundle.js",
            swagger_css_url=f"{FILES}/swagger-ui.css",
            swagger_favicon_url=f"{FILES}/favicon-32x32.png",
            swagger_ui_parameters={"validatorUrl": None},  # else its owner's server is asked to check ours
        )
