"""How fast records go to Argilla and answers come back: a real server on its own data directory.

`EVALHUB_BENCH_LABELS` makes it smaller for a quick look. Seconds are those of this machine.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from evalhub.config import load
from tests.labeling.answering import Act, Annotator
from tests.labeling.house import NO_DESK, House
from tests.processes import wait_until

Row = tuple[str, str, str]

RECORDS = int(os.environ.get("EVALHUB_BENCH_LABELS", "5000"))
FEW = 100
ANSWERS = 8
YES = Act("submitted", {"label": "true"})
PERSON = "bob"
PASSAGE = "Lamps may be returned. " * 40


def rows() -> list[Row]:
    """What was measured, the measurement, and what we aim for."""
    if not load().argilla.python.is_file():
        return [("everything", f"not measured: {NO_DESK}", "")]
    with tempfile.TemporaryDirectory() as folder:
        house = _house(Path(folder))
        with _running(house, House.start_desk):
            found = [*_throughput(house)]
            few = _campaign(house, "few", FEW)
            house.call("pushed_in", campaign=few)
            with _workers(house):
                found.append(_delay(house, few, "looking for it", 0))
        with _running(house, House.start):
            wait_until(lambda: house.one("SELECT MAX(webhook) FROM labeling_deskstatus"), 60)
            found.append(_delay(house, few, "the webhook", ANSWERS))
    return found


def _throughput(house: House) -> Iterator[Row]:
    campaign = _campaign(house, "all", RECORDS)
    seconds = house.call("pushed_in", campaign=campaign)
    yield "records pushed", _rate(RECORDS, seconds), ""
    person, records = _at(house, campaign)
    person.gives(records[1:], YES)
    yield _reading(house, campaign, "annotations pulled, all of them new", whole=True)
    yield _reading(house, campaign, "annotations pulled, none of them new", whole=True)
    person.gives(records[:1], YES)
    yield _reading(house, campaign, "one new answer, the rest known", whole=False)
    yield _reading(house, campaign, "nothing new, within two minutes of an answer", whole=False)


def _reading(house: House, campaign: str, what: str, *, whole: bool) -> Row:
    seconds, found = house.call("read_in", campaign=campaign, whole=whole)
    read = found["new"] + found["same"]
    return what, _rate(read, seconds) if whole else f"{seconds:.2f} s", ""


def _delay(house: House, campaign: str, by: str, first: int) -> Row:
    """From the moment that Argilla has an answer until EvalHub has it."""
    person, records = _at(house, campaign)
    taken = []
    for number, record in enumerate(records[first : first + ANSWERS], first + 1):
        person.does(record, [YES])
        began = time.monotonic()
        _wait(lambda wanted=number: len(house.kept(campaign)) >= wanted)
        taken.append(time.monotonic() - began)
        time.sleep(1)
    told = f"median {statistics.median(taken):.1f} s, longest {max(taken):.1f} s"
    return f"from an answer to EvalHub, by {by}, {len(taken)} answers", told, ""


def _wait(holds: Callable[[], bool]) -> None:
    wait_until(holds, 180)


def _house(folder: Path) -> House:
    house = House(folder)
    pairs = folder / "pairs.csv"
    pairs.write_text("".join(["id,query,response,context\n", *map(_pair, range(RECORDS))]))
    house.call("set_up", pairs=str(pairs), people=[PERSON])
    return house


def _pair(number: int) -> str:
    return f'p{number},May I return lamp {number}?,Within 60 days.,"[""{PASSAGE}""]"\n'


def _campaign(house: House, name: str, size: int) -> str:
    sample = {"how": "random", "size": size}
    plan = {"tasks": ["relevance"], "sample": sample, "calibration_share": 0}
    made: str = house.call("ask", people=[PERSON], plan=plan, name=name)
    return made


def _at(house: House, campaign: str) -> tuple[Annotator, list[str]]:
    shown = sorted(house.shown(campaign, PERSON), key=lambda each: each.external_id)
    return house.annotator(PERSON), [each.id for each in shown]


@contextmanager
def _running(house: House, start: Callable[[House], None]) -> Iterator[None]:
    start(house)
    try:
        yield
    finally:
        house.up.clean_up()


@contextmanager
def _workers(house: House) -> Iterator[None]:
    running = house.workers()
    try:
        yield
    finally:
        running.clean_up()


def _rate(n: int, seconds: float) -> str:
    return f"{n / seconds:,.0f} a second ({n:,} in {seconds:.1f} s)"
