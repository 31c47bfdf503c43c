"""Real labels by the product's importer: the stored agreement against a naive computation."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from csv import DictReader
from io import StringIO
from itertools import combinations

import pytest

from apps.accounts.models import Workspace
from apps.labeling.analysing.contracts import CampaignAgreement, CampaignConsensus, People
from apps.labeling.models import Campaign, CampaignStep, Report
from apps.metrics import agreement as metrics
from tests.datasets.pairs import pairs_version, real, uploaded
from tests.runs.conftest import work_on

Items = Sequence[Sequence[str]]
"""The labels of each item."""

Distance = Callable[[str, str, Counter[str]], float]


def rows_of(path: str) -> list[dict[str, str]]:
    return list(DictReader(StringIO(real(path).read_text())))


def by_item(rows: Iterable[dict[str, str]], item: str) -> Items:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        found[row[item]].append(row["label"])
    return list(found.values())


def imported(workspace: Workspace, pairs: str, labels: str) -> Campaign:
    pairs_version(workspace, real(pairs).read_bytes())
    upload = uploaded(workspace, real(labels).read_bytes(), "labels.csv")
    assert upload.outcome is not None
    campaign = Campaign.objects.get()
    work_on(campaign.steps.get(name=CampaignStep.Name.ANALYSE))
    return campaign


def stored(campaign: Campaign) -> CampaignAgreement:
    return CampaignAgreement.model_validate(body(campaign, "agreement"))


def body(campaign: Campaign, kind: str) -> object:
    return Report.objects.get(campaign=campaign, kind=kind).body


# -- by hand, pair by pair, without any library ---------------------------------------------


def shared(items: Items) -> list[Sequence[str]]:
    return [labels for labels in items if len(labels) > 1]


def percent(items: Items) -> float:
    """The mean over items of the share of their pairs that agree."""
    shares = [_share(list(combinations(labels, 2))) for labels in shared(items)]
    return sum(shares) / len(shares)


def _share(pairs: list[tuple[str, str]]) -> float:
    return sum(a == b for a, b in pairs) / len(pairs)


def alpha(items: Items, distance: Distance) -> float:
    """1 - observed / expected disagreement, over every pair of values."""
    given = Counter(label for labels in shared(items) for label in labels)
    n = sum(given.values())
    observed = sum(
        2 * distance(a, b, given) / (len(labels) - 1)
        for labels in shared(items)
        for a, b in combinations(labels, 2)
    )
    expected = sum(
        given[a] * given[b] * distance(a, b, given) for a in given for b in given if a != b
    )
    return 1 - (observed / n) / (expected / (n * (n - 1)))


def nominal(a: str, b: str, given: Counter[str]) -> float:
    return float(a != b)


def ordinal(a: str, b: str, given: Counter[str]) -> float:
    """The square of how many labels lie between them, half of both ends (Krippendorff 2011)."""
    low, high = sorted((int(a), int(b)))
    between = sum(n for label, n in given.items() if low <= int(label) <= high)
    return float((between - (given[str(low)] + given[str(high)]) / 2) ** 2)


def ac1(items: Items, categories: Sequence[str]) -> float:
    """Gwet 2008: chance is Σ π (1 - π) / (q - 1), π the mean share of a label over all items."""
    chance = 0.0
    for label in categories:
        share = sum(labels.count(label) / len(labels) for labels in items) / len(items)
        chance += share * (1 - share) / (len(categories) - 1)
    return (percent(items) - chance) / (1 - chance)


# -- files with their pairs -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("pairs", "labels"),
    [
        ("rag/mtrag_pairs.csv", "rag/mtrag_labels.csv"),
        ("rag/mtrag_pairs.csv", "annotators/mtrag_ratings.csv"),
    ],
)
def test_what_is_stored_is_what_pairs_of_labels_give(
    workspace: Workspace, pairs: str, labels: str
) -> None:
    rows = rows_of(labels)
    asked = "criterion" if "criterion" in rows[0] else "task_type"
    item = "item_id" if "item_id" in rows[0] else "id"

    found = stored(imported(workspace, pairs, labels))

    questions = {one.asked.label: one.agreement for one in found.scopes[0].questions}
    assert set(questions) == {row[asked] for row in rows}
    for name, measured in questions.items():
        items = by_item([row for row in rows if row[asked] == name], item)
        distance = ordinal if measured.level == "ordinal" else nominal
        categories = sorted({label for labels in items for label in labels})
        assert measured.items == len(shared(items))
        assert measured.percent.point == pytest.approx(percent(items))
        assert measured.alpha.point == pytest.approx(alpha(items, distance))
        assert measured.ac1.point == pytest.approx(ac1(items, categories))
        assert measured.alpha.low < measured.alpha.point < measured.alpha.high  # type: ignore[operator]


def test_ratings_from_one_to_four_are_a_scale_with_an_order(workspace: Workspace) -> None:
    campaign = imported(workspace, "rag/mtrag_pairs.csv", "annotators/mtrag_ratings.csv")

    levels = campaign.questions.values_list("name", "kind", "level")

    assert {(kind, level) for _, kind, level in levels} == {("rating", "ordinal")}
    assert len(levels) == 4


def test_one_expert_an_answer_agrees_with_nobody(workspace: Workspace) -> None:
    campaign = imported(workspace, "rag/expertqa_pairs.csv", "rag/expertqa_labels.csv")

    found = stored(campaign)

    assert found.labels == 644
    for one in found.scopes[0].questions:
        assert one.agreement.items == 0
        assert one.agreement.alpha.point is None
        assert one.agreement.alpha.reason
    settled = CampaignConsensus.model_validate(body(campaign, "consensus")).questions
    assert sum(each.agreed for each in settled) == 644
    assert sum(each.single for each in settled) == 644


def test_each_person_is_held_against_the_others(workspace: Workspace) -> None:
    rows = rows_of("rag/mtrag_labels.csv")
    campaign = imported(workspace, "rag/mtrag_pairs.csv", "rag/mtrag_labels.csv")

    people = People.model_validate(body(campaign, "people")).listed

    labels = Counter(row["annotator_id"] for row in rows)
    assert {one.annotator: one.labels for one in people} == labels
    for one in people:
        agreed, decided = against_the_others(rows, one.annotator)
        assert one.consensus.n == decided
        assert one.consensus.point == pytest.approx(agreed / decided)


def against_the_others(rows: list[dict[str, str]], person: str) -> tuple[int, int]:
    """How often they say what more than half of the others say, and of how many."""
    units: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for row in rows:
        units[row["id"], row["task_type"]][row["annotator_id"]] = row["label"]
    outcomes = []
    for labels in units.values():
        others = Counter(label for name, label in labels.items() if name != person)
        top = others.most_common(1)
        if person in labels and top and 2 * top[0][1] > others.total():
            outcomes.append(labels[person] == top[0][0])
    return sum(outcomes), len(outcomes)


# -- files whose pairs are not here ---------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["xsum_factuality.csv", "ambient_linguists.csv", "ambient_crowd.csv"]
)
def test_the_same_figures_hold_for_labels_alone(name: str) -> None:
    rows = rows_of(f"annotators/{name}")
    columns = {"item": "item_id", "annotator": "annotator_id", "label": "label"}

    found = metrics.of_question({to: [row[at] for row in rows] for to, at in columns.items()})

    items = by_item(rows, "item_id")
    categories = sorted({row["label"] for row in rows})
    assert found.percent.point == pytest.approx(percent(items))
    assert found.alpha.point == pytest.approx(alpha(items, nominal))
    assert found.ac1.point == pytest.approx(ac1(items, categories))
