"""The stock server and its pages, with our way in and our search engine."""

import os

import uvicorn

from . import logs

STOP_SECONDS = 2


def run() -> None:
    logs.quiet()
    from argilla_server import app
    from argilla_server.api.routes import api_v1

    from . import bulk, database, entering, own_answers, policy, proving
    from .search import engine  # noqa: F401

    database.migrate()
    database.keep_owner(os.environ["DESK_OWNER_KEY"])
    bulk.quicken()
    key = os.environ["DESK_TICKET_KEY"]
    app.router.routes[:0] = [entering.route(key), proving.route(key)]  # before the pages
    api_v1.router.routes[:0] = own_answers.router.routes  # before the stock routes
    Server(
        uvicorn.Config(
            policy.OwnPagesOnly(app),
            host=os.environ["DESK_HOST"],
            port=int(os.environ["DESK_PORT"]),
            access_log=False,
            log_config=None,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
    ).run()


class Server(uvicorn.Server):
    async def startup(self, sockets: list[object] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            print(f"ready on port {self.config.port}", flush=True)  # noqa: T201
