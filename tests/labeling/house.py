"""All of EvalHub in real processes, its Argilla too, and the people who label there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from evalhub.config import load
from tests.desk import Desk, desk_of
from tests.kills.installation import Installation
from tests.labeling.answering import QUESTIONS, Act, Annotator, left_of, plan_of
from tests.processes import START_SECONDS, Running, free_port, kill, wait_until

ASKED = [
    ("relevance", "", "label"),
    *(("grounding", name, name) for name in QUESTIONS["grounding_full"]),
]
"""Of each question its task and name here, and its name in Argilla."""

Given = dict[tuple[str, str], Act]
"""What counts in the end, by the record's id and the person."""


NO_DESK = "no environment for the Argilla server: make argilla"


class Shown(NamedTuple):
    """A record that people see in Argilla."""

    task: str
    id: str
    external_id: str


class Kept(NamedTuple):
    external_id: str
    annotator: str
    task: str
    question: str
    label: str
    discard_reason: str


class House(Installation):
    """`evalhub up` on a data directory of its own; whatever dies in it is started again."""

    inside = "tests.labeling.inside"

    def __init__(self, folder: Path, *, workers: int = 2, **variables: str) -> None:
        self.port, self.desk_port = free_port(), free_port()
        place = {
            "EVALHUB_PORT": str(self.port),
            "EVALHUB_ARGILLA_MODE": "local",
            "EVALHUB_ARGILLA_PORT": str(self.desk_port),
        }
        super().__init__(folder, workers=workers, **{**place, **variables})

    def start(self) -> None:
        self.up = Running("up", environment=self.environment)
        self.up.wait_for("EvalHub is up")
        wait_until(self.desk_answers, START_SECONDS)

    def start_desk(self) -> None:
        """Nothing but the server that people label on."""
        self.up = Running("argilla", environment=self.environment)
        self.up.wait_for("ready on port")

    def desk_answers(self) -> bool:
        try:
            return httpx.get(f"{self.desk_url}/api/v1/status", timeout=10).is_success
        except httpx.TransportError:
            return False

    @property
    def desk_url(self) -> str:
        return f"http://127.0.0.1:{self.desk_port}"

    @property
    def desk(self) -> Desk:
        return desk_of(self.data, self.desk_port, self.up)

    # -- killing ------------------------------------------------------------------------------

    def kill_workers(self) -> None:
        """Whatever works or looks after work, kill -9."""
        for process in self.up.find("cluster"):
            kill(process)

    def kill_desk(self) -> None:
        for process in self.up.find("argilla_embedded"):
            kill(process)

    # -- what it knows ------------------------------------------------------------------------

    def state(self, campaign: str) -> str:
        return str(self.one(f"SELECT state FROM labeling_campaign WHERE id = '{campaign}'"))

    def wait_until_open(self, campaign: str, seconds: float = 240) -> None:
        wait_until(lambda: self.state(campaign) in ("open", "failed"), seconds)
        assert self.state(campaign) == "open", self.ask("SELECT error FROM labeling_campaignstep")

    def wait_until_read(self, campaign: str, seconds: float = 240) -> None:
        """Of a campaign that has been closed."""
        where = f"campaign_id = '{campaign}' AND name = 'sync' AND state = 'done'"
        step = f"SELECT COUNT(*) FROM labeling_campaignstep WHERE {where}"
        wait_until(lambda: self.one(step), seconds)

    def wait_until_analysed(self, campaign: str, seconds: float = 240) -> None:
        """After all that was read: what is news has the numbers computed anew."""
        where = f"campaign_id = '{campaign}' AND name = 'analyse' AND state = 'done'"
        step = f"SELECT COUNT(*) FROM labeling_campaignstep WHERE {where}"
        wait_until(lambda: self.one(step), seconds)

    def kept(self, campaign: str) -> list[Kept]:
        """Every annotation that says something, of every queue."""
        rows = self.ask(
            "SELECT 'item-' || d.id, a.annotator, q.task_type, q.name, a.label, a.discard_reason"
            " FROM labeling_annotation a JOIN labeling_question q ON q.id = a.question_id"
            " JOIN labeling_queue u ON u.campaign_id = q.campaign_id"
            " AND REPLACE(u.task, '_full', '') = q.task_type"
            " JOIN labeling_deskrecord d ON d.item_id = a.item_id AND d.queue_id = u.id"
            f" WHERE q.campaign_id = '{campaign}' AND (a.label > '' OR a.discard_reason > '')"
        )
        return [Kept(*row) for row in rows]

    def annotator(self, username: str) -> Annotator:
        """With the key that Argilla made for the account."""
        accounts = self.desk.call("GET", "/api/v1/users")["items"]
        key = next(each["api_key"] for each in accounts if each["username"] == username)
        return Annotator(self.desk_url, username, key)

    def shown(self, campaign: str, username: str) -> Iterator[Shown]:
        person = self.annotator(username)
        for task, dataset in self.datasets(campaign):
            for record, external_id in person.records(dataset):
                yield Shown(task, record, external_id)

    def answered_by(self, campaign: str, username: str) -> Given:
        """After the person has done with every record what their plan says."""
        person, left = self.annotator(username), {}
        for task, record, external_id in list(self.shown(campaign, username)):
            acts = plan_of(username, external_id, task)
            person.does(record, acts)
            if act := left_of(acts):
                left[external_id, username] = act
        return left

    def datasets(self, campaign: str) -> list[tuple[str, str]]:
        """The task of each, and its id."""
        of_it = f"campaign_id = '{campaign}' AND dataset_id > ''"
        return self.ask(f"SELECT task, dataset_id FROM labeling_queue WHERE {of_it} ORDER BY id")


def expected(given: Given, there: Iterable[Shown]) -> set[Kept]:
    """The annotations that what was answered must become."""
    task_of = {each.external_id: each.task.removesuffix("_full") for each in there}
    return {
        Kept(item, who, task, name, act.values.get(key, ""), act.values.get("discard_reason", ""))
        for (item, who), act in given.items()
        for task, name, key in ASKED
        if task == task_of[item]
    }


@contextmanager
def house(folder: Path, **variables: Any) -> Iterator[House]:
    if not load().argilla.python.is_file():
        pytest.skip(NO_DESK)
    made = House(folder, **variables)
    try:
        made.start()
        yield made
    finally:
        made.up.clean_up()
