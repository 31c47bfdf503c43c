"""Real Argilla, real workers, real pairs, two people: what they answered is what EvalHub has."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import pytest

from apps.labeling.analysing.contracts import Measured
from tests.datasets.pairs import real
from tests.labeling.answering import Act
from tests.labeling.house import ASKED, Given, House, Shown, expected, house

pytestmark = [pytest.mark.argilla, pytest.mark.kill]

PEOPLE = ["bob", "dora"]
PAIRS = 300
PLAN = {
    "tasks": ["grounding_full", "relevance"],
    "sample": {"how": "random", "size": PAIRS, "seed": 5},
    "min_submitted": 2,
    "calibration_share": 0.2,
}
BLOCKING = (
    ("contradicted_claim_present", "unsupported_claim_present"),
    ("fabricated_source", "source_cited"),
)
"""Who says yes to the first must say yes to the second."""


class Proof(NamedTuple):
    house: House
    campaign: str
    there: list[Shown]
    given: Given
    numbers: Measured
    """As they are stored: what the page and the API show."""


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proof]:
    """After both have answered everything, and the campaign has been closed."""
    pairs = real("rag/mtrag_pairs.csv")
    with house(tmp_path_factory.mktemp("proof")) as made:
        made.call("set_up", pairs=str(pairs), people=PEOPLE)
        campaign = made.call("ask", people=PEOPLE, plan=PLAN)
        made.wait_until_open(campaign)
        there = list(made.shown(campaign, "bob"))
        with ThreadPoolExecutor(len(PEOPLE)) as threads:
            answered = list(threads.map(lambda name: made.answered_by(campaign, name), PEOPLE))
        made.call("end", campaign=campaign)
        made.wait_until_read(campaign)
        given = {key: act for each in answered for key, act in each.items()}
        made.wait_until_analysed(campaign)
        numbers = Measured.model_validate(made.call("measured", campaign=campaign))
        yield Proof(made, campaign, there, given, numbers)


def labels_of(given: Given, key: str) -> dict[tuple[str, str], str]:
    """Of one question, without those of answers that contradict themselves."""
    sound = {who: act for who, act in given.items() if not broken_by(act)}
    return {who: act.values[key] for who, act in sound.items() if key in act.values}


def broken_by(act: Act) -> list[tuple[str, str]]:
    says = act.values
    return [(a, b) for a, b in BLOCKING if (says.get(a), says.get(b)) == ("true", "false")]


def test_everything_that_was_pushed_is_in_argilla_once(proof: Proof) -> None:
    pushed = proof.house.ask("SELECT 'item-' || id FROM labeling_deskrecord")

    assert Counter(each.task for each in proof.there)["relevance"] == PAIRS
    assert sorted(each.external_id for each in proof.there) == sorted(key for (key,) in pushed)


def test_annotations_are_exactly_what_was_answered(proof: Proof) -> None:
    kept = proof.house.kept(proof.campaign)

    assert len(set(kept)) == len(kept)
    assert set(kept) == expected(proof.given, proof.there)


def test_reading_everything_once_more_changes_nothing(proof: Proof) -> None:
    before = proof.house.ask("SELECT * FROM labeling_annotationchange ORDER BY id")

    found = proof.house.call("read", campaign=proof.campaign)

    assert (found["new"], found["changed"], found["withdrawn"]) == (0, 0, 0)
    assert (found["same"], found["unknown"]) == (len(proof.house.kept(proof.campaign)), 0)
    assert proof.house.ask("SELECT * FROM labeling_annotationchange ORDER BY id") == before


def test_each_record_says_how_many_answers_to_it_count(proof: Proof) -> None:
    people: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (item, _person), act in proof.given.items():
        people[item]["contradictory" if any(broken_by(act)) else act.status] += 1

    rows = proof.house.ask("SELECT 'item-' || id, submitted, discarded FROM labeling_deskrecord")

    assert {item: (a, b) for item, a, b in rows} == {
        item: (people[item]["submitted"], people[item]["discarded"]) for item, _, _ in rows
    }


def test_answers_that_contradict_themselves_are_told(proof: Proof) -> None:
    wrong = [
        (item, person, f"grounding: {a}=True but {b}=False")
        for (item, person), act in proof.given.items()
        for a, b in broken_by(act)
    ]

    found = proof.house.ask(
        "SELECT 'item-' || d.id, b.annotator, b.message FROM labeling_breach b"
        " JOIN labeling_deskrecord d ON d.item_id = b.item_id"
        " JOIN labeling_queue u ON u.id = d.queue_id WHERE u.task = 'grounding_full'"
    )

    assert wrong
    assert sorted(found) == sorted(wrong)


@pytest.mark.parametrize(("task", "name", "key"), ASKED)
def test_agreement_is_what_is_computed_without_us(
    proof: Proof, task: str, name: str, key: str
) -> None:
    of_all = proof.numbers.agreement.scopes[-1]
    [one] = [
        each for each in of_all.questions if (each.asked.task, each.asked.name) == (task, name)
    ]
    found, [pair] = one.agreement, one.pairs.listed

    naive = Naive(labels_of(proof.given, key))
    assert of_all.scope == "overlap"
    assert (pair.first, pair.second) == ("bob", "dora")
    assert found.items == pair.items == len(naive.pairs)
    assert found.labels == len(naive.labels)
    assert found.percent.point == pytest.approx(naive.percent)
    assert found.alpha.point == pytest.approx(naive.alpha)
    assert found.ac1.point == pytest.approx(naive.ac1)
    assert pair.kappa.point == pytest.approx(naive.kappa)
    assert 0.5 < naive.percent < 0.95


def test_argilla_told_us_of_answers_while_they_were_given(proof: Proof) -> None:
    nudged = proof.house.one("SELECT nudged_at FROM labeling_campaign")

    assert nudged is not None


class Naive:
    """Two people's yes and no, counted by hand."""

    def __init__(self, labels: Mapping[tuple[str, str], str]) -> None:
        self.labels = labels
        by_item: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for (item, person), label in labels.items():
            by_item[item][person] = label
        self.items = list(by_item.values())
        self.pairs = [(each["bob"], each["dora"]) for each in self.items if len(each) == 2]

    @property
    def percent(self) -> float:
        return sum(a == b for a, b in self.pairs) / len(self.pairs)

    @property
    def alpha(self) -> float:
        """1 - Do / De over the labels of items that both answered (Krippendorff)."""
        given = [label for pair in self.pairs for label in pair]
        n, yes = len(given), given.count("true")
        expected = 2 * yes * (n - yes) / (n * (n - 1))
        return 1 - (1 - self.percent) / expected

    @property
    def ac1(self) -> float:
        """Chance is 2 p (1 - p), p the mean share of yes of all items (Gwet)."""
        shares = [list(each.values()).count("true") / len(each) for each in self.items]
        p = sum(shares) / len(shares)
        return (self.percent - 2 * p * (1 - p)) / (1 - 2 * p * (1 - p))

    @property
    def kappa(self) -> float:
        """Chance is that of two people who answer independently (Cohen)."""
        first, second = ([pair[side] for pair in self.pairs] for side in (0, 1))
        a, b = (side.count("true") / len(side) for side in (first, second))
        expected = a * b + (1 - a) * (1 - b)
        return (self.percent - expected) / (1 - expected)
