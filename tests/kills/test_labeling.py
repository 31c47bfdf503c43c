"""kill -9 of workers and of Argilla, while records go there and while answers come back."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.datasets.pairs import a_pair, pairs_csv
from tests.labeling.house import House, expected, house
from tests.processes import wait_until

pytestmark = [pytest.mark.argilla, pytest.mark.kill]

PEOPLE = ["bob", "dora"]
PAIRS = 2_000
ANSWERED = 120
LEASE = "3"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("home")
    pairs = folder / "pairs.csv"
    pairs.write_bytes(pairs_csv(*map(a_pair, range(PAIRS))))
    with house(folder, EVALHUB_LEASE_SECONDS=LEASE) as made:
        made.call("set_up", pairs=str(pairs), people=PEOPLE)
        yield made


def _campaign(home: House, name: str, **sample: object) -> str:
    plan = {"tasks": ["relevance"], "sample": sample or {"how": "all"}, "calibration_share": 0}
    asked: str = home.call("ask", people=PEOPLE, plan={**plan, "min_submitted": 2}, name=name)
    return asked


def _pushed(home: House, campaign: str) -> int:
    of_it = f"q.campaign_id = '{campaign}' AND r.pushed_at IS NOT NULL"
    joined = "labeling_deskrecord r JOIN labeling_queue q ON q.id = r.queue_id"
    return int(home.one(f"SELECT COUNT(*) FROM {joined} WHERE {of_it}"))


@pytest.mark.parametrize("kill", [House.kill_workers, House.kill_desk])
def test_whatever_is_killed_while_records_are_pushed_each_is_in_argilla_once(
    home: House, kill: Callable[[House], None]
) -> None:
    campaign = _campaign(home, kill.__name__)
    wait_until(lambda: _pushed(home, campaign), 120)

    kill(home)

    assert _pushed(home, campaign) < PAIRS
    home.wait_until_open(campaign)
    there = [each.external_id for each in home.shown(campaign, "bob")]
    rows = home.ask(
        "SELECT 'item-' || r.id FROM labeling_deskrecord r JOIN labeling_queue q"
        f" ON q.id = r.queue_id WHERE q.campaign_id = '{campaign}'"
    )
    assert len(there) == PAIRS
    assert sorted(there) == sorted(key for (key,) in rows)
    assert _pushed(home, campaign) == PAIRS


def _syncs(home: House, campaign: str) -> bool:
    of_it = f"campaign_id = '{campaign}' AND name = 'sync' AND state = 'running'"
    return bool(home.one(f"SELECT COUNT(*) FROM labeling_campaignstep WHERE {of_it}"))


def _workers_at_each_sync(home: House, campaign: str) -> None:
    for _ in range(3):
        wait_until(lambda: _syncs(home, campaign), 120)
        home.kill_workers()


def _argilla_twice(home: House, campaign: str) -> None:
    for answered in (10, 30):
        wait_until(lambda wanted=answered: len(home.kept(campaign)) >= wanted, 120)
        home.kill_desk()


@pytest.mark.parametrize("kill", [_workers_at_each_sync, _argilla_twice])
def test_whatever_is_killed_while_people_answer_each_answer_is_kept_once(
    home: House, kill: Callable[[House, str], None]
) -> None:
    campaign = _campaign(home, kill.__name__, how="random", size=ANSWERED)
    home.wait_until_open(campaign)
    there = list(home.shown(campaign, "bob"))

    with ThreadPoolExecutor(len(PEOPLE)) as threads:
        working = [threads.submit(home.answered_by, campaign, name) for name in PEOPLE]
        kill(home, campaign)
        answered = [each.result() for each in working]
    wait_until(home.desk_answers, 120)
    home.call("end", campaign=campaign)
    home.wait_until_read(campaign)

    kept = home.kept(campaign)
    given = {key: act for each in answered for key, act in each.items()}
    assert len(set(kept)) == len(kept)
    assert set(kept) == expected(given, there)
