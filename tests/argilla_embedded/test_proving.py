"""The server proves that it is EvalHub's own, and signs nothing else for anybody."""

import secrets

import httpx
import pytest

from apps.labeling.desk.gateway.connection import Connection
from apps.labeling.desk.protocol import DeskDown
from apps.labeling.members import tickets
from tests.desk import Desk

pytestmark = pytest.mark.argilla


def asked(desk: Desk, challenge: str) -> httpx.Response:
    return httpx.get(f"{desk.url}/evalhub/proof", params={"of": challenge}, timeout=60)


def test_it_answers_a_challenge_as_only_the_two_of_us_can(desk: Desk) -> None:
    challenge = secrets.token_hex(32)

    told = asked(desk, challenge).text

    assert told == tickets.proof(challenge, key=desk.ticket_key)
    assert told != tickets.proof(challenge, key="another key")


@pytest.mark.parametrize(
    "challenge", ["", "x" * 64, "a" * 63, "a" * 65, "WyJhIl0", "a" * 64 + "\n"]
)
def test_what_is_no_challenge_is_not_signed(desk: Desk, challenge: str) -> None:
    assert asked(desk, challenge).status_code == 400


def test_evalhub_speaks_to_it_and_to_none_of_another_installation(desk: Desk) -> None:
    key = desk.owner_key

    connection = Connection.open(desk.url, key, proved_by=desk.ticket_key)

    assert connection.call("GET", "me")["role"] == "owner"
    with pytest.raises(DeskDown, match="is not our Argilla server"):
        Connection.open(desk.url, key, proved_by="another key")
