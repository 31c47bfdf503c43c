"""Labels for the tests of agreement: grids as frames, and estimators written the slow way."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import permutations

Frame = dict[str, list[str]]
Row = tuple[str, str, str]


def of_grid(grid: Sequence[Sequence[object]]) -> Frame:
    """Annotators in rows, items in columns; None is missing."""
    return of_rows(
        (f"item {i}", f"person {p}", str(label))
        for p, row in enumerate(grid)
        for i, label in enumerate(row)
        if label is not None
    )


def of_rows(rows: Iterable[Row]) -> Frame:
    listed = list(rows)
    return {
        name: [row[place] for row in listed]
        for place, name in enumerate(("item", "annotator", "label"))
    }


def by_item(frame: Frame) -> list[list[str]]:
    items: dict[str, list[str]] = {}
    for item, label in zip(frame["item"], frame["label"], strict=True):
        items.setdefault(item, []).append(label)
    return list(items.values())


def slow_percent(items: Sequence[Sequence[str]]) -> float:
    shares = []
    for labels in items:
        pairs = list(permutations(labels, 2))
        if pairs:
            shares.append(sum(a == b for a, b in pairs) / len(pairs))
    return sum(shares) / len(shares)


def slow_ac1(items: Sequence[Sequence[str]], categories: Sequence[str]) -> float:
    shares = [
        sum(labels.count(c) / len(labels) for labels in items) / len(items) for c in categories
    ]
    chance = sum(share * (1 - share) for share in shares) / (len(categories) - 1)
    return (slow_percent(items) - chance) / (1 - chance)


Distance = Callable[[str, str, Counter[str]], float]


def slow_alpha(items: Sequence[Sequence[str]], distance: Distance) -> float:
    """By the matrix of coincidences, as Krippendorff writes it down."""
    coincidences: Counter[tuple[str, str]] = Counter()
    for labels in items:
        for pair in permutations(labels, 2):
            coincidences[pair] += 1 / (len(labels) - 1)  # type: ignore[assignment]
    totals: Counter[str] = Counter()
    for (first, _), count in coincidences.items():
        totals[first] += count
    n = sum(totals.values())
    observed = sum(count * distance(*pair, totals) for pair, count in coincidences.items()) / n
    expected = sum(
        totals[a] * totals[b] * distance(a, b, totals) for a in totals for b in totals
    ) / (n * (n - 1))
    return 1 - observed / expected


def nominal(a: str, b: str, _: Counter[str]) -> float:
    return float(a != b)


def interval(a: str, b: str, _: Counter[str]) -> float:
    return (float(a) - float(b)) ** 2


def ordinal(a: str, b: str, totals: Counter[str]) -> float:
    low, high = sorted((float(a), float(b)))
    between = sum(count for label, count in totals.items() if low <= float(label) <= high)
    return (between - (totals[a] + totals[b]) / 2) ** 2
