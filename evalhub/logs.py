"""Where the logs go, and what of them is worth a line."""

import logging
from pathlib import Path
from typing import Any

from django.core.exceptions import PermissionDenied

CLIENT = "argilla"


def logging_at(level: str) -> dict[str, Any]:
    """Django's LOGGING: one console, what is ours from this level on."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"}},
        "filters": {
            "ours": {"()": "evalhub.logs.WithoutTheClientsChatter"},
            "refusals": {"()": "evalhub.logs.RefusalsInOneLine"},
        },
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": "line",
                "filters": ["ours"],
            }
        },
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "argilla": {"level": "WARNING"},
            "axes": {"level": "WARNING"},
            "django.request": {"filters": ["refusals"]},
            "django_q": {"level": "WARNING"},
            "django-q": {"level": "WARNING"},
        },
    }


class WithoutTheClientsChatter(logging.Filter):
    """Argilla's client tells of each sign-in and each person by the root logger, as INFO."""

    def filter(self, record: logging.LogRecord) -> bool:
        chatty = record.name == "root" and record.levelno < logging.WARNING
        return not (chatty and CLIENT in Path(record.pathname).parts)


class RefusalsInOneLine(logging.Filter):
    """Who may not do something is told so: where in our code that was decided is no news."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and isinstance(record.exc_info[1], PermissionDenied):
            record.exc_info = record.exc_text = None
        return True
