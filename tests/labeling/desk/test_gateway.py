"""The gateway against a real server: what is made there, and what is refused."""

from typing import Any

import pytest
from pydantic import SecretStr

from apps.labeling.desk import gateway
from apps.labeling.desk.protocol import BATCH, Card, DeskDown, DeskRefused
from apps.labeling.desk.protocol import Desk as Protocol
from evalhub.desk import Argilla
from tests.desk import Desk
from tests.labeling.desk.real_queue import (
    PASSWORD,
    SHAPE,
    Queue,
    annotator,
    card,
    desk,
    queue,
    records,
    server,
)
from tests.processes import free_port

__all__ = ["desk", "queue", "server"]

pytestmark = pytest.mark.argilla


def test_the_server_says_which_it_is(desk: Protocol) -> None:
    desk.ping()
    about = desk.about()

    assert about.version == "2.8.0"
    assert about.latency_ms >= 0


def test_what_is_made_twice_is_there_once(desk: Protocol, server: Desk) -> None:
    made = [desk.person("erna", "Erna Schmidt") for _ in range(2)]
    for _ in range(2):
        desk.let_in("twice", [made[0].id])
    datasets = [desk.dataset("twice", "a queue", SHAPE) for _ in range(2)]
    for _ in range(2):
        desk.put(datasets[0], [card(1), card(2)])

    assert made[0] == made[1]
    assert made[0].made
    assert datasets[0] == datasets[1]
    listed = server.call("GET", f"/api/v1/datasets/{datasets[0]}/records")
    assert listed["total"] == 2


def test_a_dataset_shows_and_asks_what_its_shape_says(desk: Protocol, server: Desk) -> None:
    desk.let_in("shaped", [])
    path = f"/api/v1/datasets/{desk.dataset('shaped', 'all kinds', SHAPE)}"

    made = server.call("GET", path)
    fields = server.call("GET", f"{path}/fields")["items"]
    questions = {each["name"]: each for each in server.call("GET", f"{path}/questions")["items"]}

    assert made["status"] == "ready"
    assert made["guidelines"] == "/etc/hostname"
    assert made["distribution"] == {"strategy": "overlap", "min_submitted": 2}
    assert [(each["name"], each["settings"]["use_markdown"]) for each in fields] == [
        ("query", False),
        ("answer", True),
    ]
    kinds = {name: each["settings"]["type"] for name, each in questions.items()}
    assert kinds == {
        "label": "label_selection",
        "query": "label_selection",
        "count": "multi_label_selection",
        "quality": "rating",
        "why": "text",
        "discard_reason": "label_selection",
        "notes": "text",
    }
    assert questions["label"]["settings"]["options"][0]["text"] == "Yes"
    assert "5: 5 stars" in questions["quality"]["description"]
    assert not questions["discard_reason"]["required"]


def test_a_dataset_that_was_left_half_made_is_made_anew(desk: Protocol, server: Desk) -> None:
    desk.let_in("killed", [])
    spaces = server.call("GET", "/api/v1/me/workspaces")["items"]
    workspace_id = next(each["id"] for each in spaces if each["name"] == "killed")
    half = {"name": "queue", "workspace_id": workspace_id}
    draft = server.call("POST", "/api/v1/datasets", json=half)

    dataset_id = desk.dataset("killed", "queue", SHAPE)

    assert dataset_id != draft["id"]
    assert server.call("GET", f"/api/v1/datasets/{dataset_id}")["status"] == "ready"
    there = server.call("GET", "/api/v1/me/datasets", params={"workspace_id": workspace_id})
    assert len(there["items"]) == 1


def test_what_the_server_keeps_for_owners_is_not_shown_to_who_labels(
    desk: Protocol, server: Desk, queue: Queue
) -> None:
    bob = annotator(server, desk, "bob")

    shown = records(bob, queue)["item-1"]

    assert not shown.get("metadata")


def test_who_is_not_let_in_gets_403(desk: Protocol, server: Desk, queue: Queue) -> None:
    bob, dora = annotator(server, desk, "bob"), annotator(server, desk, "dora")
    assert records(dora, queue)

    desk.let_in(queue.workspace, [desk.person("bob", "Bob").id])

    path = f"/api/v1/me/datasets/{queue.id}/records/search"
    assert dora.post(path, json={}).status_code == 403
    assert records(bob, queue)


def test_an_admin_of_the_server_is_not_sent_away(
    desk: Protocol, server: Desk, queue: Queue
) -> None:
    body = {"username": "root", "first_name": "Root", "role": "admin", "password": PASSWORD}
    admin = server.call("POST", "/api/v1/users", json=body)
    spaces = server.call("GET", "/api/v1/me/workspaces")["items"]
    path = next(
        f"/api/v1/workspaces/{each['id']}/users"
        for each in spaces
        if each["name"] == queue.workspace
    )
    server.call("POST", path, json={"user_id": admin["id"]})

    desk.let_in(queue.workspace, [])

    assert [each["username"] for each in server.call("GET", path)["items"]] == ["root"]


def test_a_name_that_was_there_before_us_is_found_and_not_ours(
    desk: Protocol, server: Desk
) -> None:
    body = {"username": "frida", "first_name": "Frida", "password": PASSWORD}
    server.call("POST", "/api/v1/users", json=body)

    person = desk.person("frida", "Frida Kahlo")

    assert not person.made
    users = {each["id"]: each for each in server.call("GET", "/api/v1/users")["items"]}
    assert users[person.id]["first_name"] == "Frida"
    assert users[person.id]["last_name"] is None


def test_somebody_who_is_called_otherwise_by_now_is_called_so_there(
    desk: Protocol, server: Desk
) -> None:
    person = desk.person("gina", "Gina Rossi")

    desk.person("gina", "Gina Bianchi")

    users = {each["id"]: each for each in server.call("GET", "/api/v1/users")["items"]}
    assert users[person.id]["last_name"] == "Bianchi"
    assert users[person.id]["role"] == "annotator"


def test_the_webhook_is_there_once_and_follows_our_address(desk: Protocol, server: Desk) -> None:
    url, moved = "http://127.0.0.1:7001/desk/webhook", "http://127.0.0.1:7002/desk/webhook"
    desk.listen(url)
    desk.listen(url)
    first = desk.webhook_secret(url)

    desk.listen(moved)

    hooks = server.call("GET", "/api/v1/webhooks")["items"]
    assert first
    assert [hook["url"] for hook in hooks] == [moved]
    assert hooks[0]["events"] == ["response.created", "response.updated", "response.deleted"]
    assert desk.webhook_secret(moved) == first
    assert desk.webhook_secret(url) is None


@pytest.mark.parametrize("cards", [[], [card(n) for n in range(BATCH + 1)]])
def test_a_request_carries_so_many_records_and_no_more(
    desk: Protocol, queue: Queue, cards: list[Card]
) -> None:
    with pytest.raises(DeskRefused, match=r"carries 1 to 500 records"):
        desk.put(queue.id, cards)


def test_what_the_server_refuses_is_told_in_its_words(desk: Protocol, queue: Queue) -> None:
    wrong = Card(external_id="item-3", fields={"query": "no answer"})

    with pytest.raises(DeskRefused, match="missing required value for field: 'answer'"):
        desk.put(queue.id, [wrong])


def test_a_password_that_is_refused_is_not_told(desk: Protocol) -> None:
    person = desk.person("bob", "Bob")

    with pytest.raises(DeskRefused) as refused:
        desk.set_password(person.id, "hidden7")

    assert "8 characters" in str(refused.value)
    assert "hidden7" not in str(refused.value)


def test_a_dataset_of_no_workspace_is_refused(desk: Protocol) -> None:
    with pytest.raises(DeskRefused, match="no workspace 'nowhere'"):
        desk.dataset("nowhere", "queue", SHAPE)


def test_a_wrong_key_is_refused_and_named(server: Desk, settings: Any) -> None:
    settings.ARGILLA = server.settings.model_copy(update={"owner_key": SecretStr("wrong")})

    with pytest.raises(DeskRefused, match="EVALHUB_ARGILLA_API_KEY"):
        gateway.open_desk()


def test_names_that_argilla_would_refuse_are_made_to_fit(desk: Protocol, queue: Queue) -> None:
    long = "Kampagne für Verträge / " + "x" * 300
    desk.let_in(long, [])

    ids = {desk.dataset(long, f"{long}{number}", SHAPE) for number in range(2)}

    assert len(ids) == 2
    assert {desk.dataset(long, f"{long}{number}", SHAPE) for number in range(2)} == ids


def test_a_server_that_is_not_there_is_down(settings: Any) -> None:
    address = f"http://127.0.0.1:{free_port()}"
    settings.ARGILLA = Argilla(mode="hosted", url=address, owner_key=SecretStr("key"))

    with pytest.raises(DeskDown, match="cannot be reached"):
        gateway.open_desk()


def test_where_people_label_nowhere_there_is_no_desk() -> None:
    with pytest.raises(DeskRefused, match="EVALHUB_ARGILLA_MODE is off"):
        gateway.open_desk()
