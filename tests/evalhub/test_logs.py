"""What others' libraries tell of their doings is no line of our log; their warnings are."""

import logging
import logging.config
from collections.abc import Iterator

import pytest
from argilla._api._client import APIClient
from argilla._helpers import LoggingMixin
from django.conf import settings
from django.test import Client

from apps.accounts.models import User, Workspace


@pytest.fixture
def log(capsys: pytest.CaptureFixture[str]) -> Iterator[pytest.CaptureFixture[str]]:
    """That of a web or worker process, as configured."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    logging.config.dictConfig(settings.LOGGING)
    root.setLevel(logging.INFO)
    yield capsys
    root.handlers[:], root.level = handlers, level


def test_sign_ins_at_the_desk_are_not_told(log: pytest.CaptureFixture[str]) -> None:
    client = APIClient.__new__(APIClient)

    client.log("Logged in as evalhub with the role owner")
    LoggingMixin()._log_message("Got user evalhub")

    assert log.readouterr().err == ""


def test_warnings_of_the_client_and_our_own_lines_are_told(
    log: pytest.CaptureFixture[str],
) -> None:
    client = APIClient.__new__(APIClient)

    client.log("The server is older than the client", logging.WARNING)
    logging.getLogger("apps.runs").info("A run has begun")
    logging.info("Said at the root")

    told = log.readouterr().err
    assert "older than the client" in told
    assert "A run has begun" in told
    assert "Said at the root" in told


def test_whoever_may_not_is_one_line_of_the_log(
    client: Client, workspace: Workspace, bob: User, caplog: pytest.LogCaptureFixture
) -> None:
    client.force_login(bob)

    answer = client.get("/w/demo/labeling/new/")

    [told] = [each for each in caplog.records if each.name == "django.request"]
    assert answer.status_code == 403
    assert told.getMessage() == "Forbidden (Permission denied): /w/demo/labeling/new/"
    assert told.exc_info is None
