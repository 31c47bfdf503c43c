"""Real pairs that nobody here wrote, where they are at hand."""

import pytest

from tests.datasets.pairs import accepted, opened, real, written


@pytest.mark.parametrize(
    ("path", "count"), [("rag/mtrag_pairs.csv", 318), ("rag/expertqa_pairs.csv", 217)]
)
def test_every_real_pair_is_accepted_and_comes_back_the_same(path: str, count: int) -> None:
    raw = real(path).read_bytes()

    records = accepted("pairs", raw)

    assert len(records) == count
    assert opened("pairs", raw).warnings == []
    assert [one.sha256 for one in accepted("pairs", written("pairs", raw))] == [
        one.sha256 for one in records
    ]
