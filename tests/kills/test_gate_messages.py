"""kill -9 of the worker that sends a message: it is sent again, with the same id."""

from pathlib import Path

import pytest
from standardwebhooks.webhooks import Webhook

from tests.analysis.gates.receiver import receiver
from tests.processes import START_SECONDS, kill, wait_until

from .conftest import LEASE, Work
from .installation import Installation

pytestmark = pytest.mark.kill

NAME = "RELEASES_SIGNING_KEY"
SECRET = "whsec_YSBzZWNyZXQgb2YgbW9yZSB0aGFuIDI0IGJ5dGVz"


def test_a_worker_killed_while_it_sends_leaves_the_message_to_the_next(
    tmp_path: Path, template: Path, work: Work
) -> None:
    home = Installation(tmp_path / "one", workers=1, EVALHUB_LEASE_SECONDS=LEASE, **{NAME: SECRET})
    home.copy(template)
    with receiver() as there:
        there.holding = True
        home.call("decide_and_tell", url=there.address, secret_name=NAME)
        workers = work(home)
        wait_until(lambda: len(there.heard) == 1, START_SECONDS)

        for each in workers.workers():
            kill(each)
        there.holding = False
        there.go.set()
        wait_until(lambda: home.one("SELECT state FROM analysis_gatedelivery") == "done", 90)

    ids = [heard.headers["webhook-id"] for heard in there.heard]
    assert len(ids) >= 2
    assert set(ids) == {home.one("SELECT id FROM analysis_gatedelivery")}
    bodies = [Webhook(SECRET).verify(heard.body, heard.headers) for heard in there.heard]
    assert all(body == bodies[0] for body in bodies)
