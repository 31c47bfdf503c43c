"""The stock server's background work: it tells webhooks, and counts again after a change."""

from rq import Worker

from . import logs, processes


def run() -> None:
    logs.quiet()
    processes.tie_forks()
    # Imported before the first job, whose process is then forked with everything loaded.
    from argilla_server.jobs import dataset_jobs, hub_jobs, webhook_jobs  # noqa: F401
    from argilla_server.jobs.queues import DEFAULT_QUEUE, HIGH_QUEUE, REDIS_CONNECTION

    from .search import engine  # noqa: F401

    worker = Worker([HIGH_QUEUE, DEFAULT_QUEUE], connection=REDIS_CONNECTION)
    worker.work(with_scheduler=True, logging_level="WARNING")
