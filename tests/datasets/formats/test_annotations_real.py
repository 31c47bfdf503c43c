"""Real labels that nobody here gave, where they are at hand."""

import pytest

from tests.datasets.pairs import accepted, opened, real, written

FILES = [
    ("rag/mtrag_labels.csv", 1_883),
    ("rag/expertqa_labels.csv", 644),
    ("annotators/mtrag_ratings.csv", 3_762),
    ("annotators/xsum_factuality.csv", 2_621),
    ("annotators/ambient_linguists.csv", 1_932),
    ("annotators/ambient_crowd.csv", 2_502),
]


@pytest.mark.parametrize(("path", "count"), FILES)
def test_every_real_label_is_accepted_and_comes_back_the_same(path: str, count: int) -> None:
    raw = real(path).read_bytes()

    records = accepted("annotations", raw)

    assert len(records) == count
    assert opened("annotations", raw).warnings == []
    assert [one.sha256 for one in accepted("annotations", written("annotations", raw))] == [
        one.sha256 for one in records
    ]
