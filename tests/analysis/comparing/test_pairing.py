"""Which records of two runs are the same question."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from apps.analysis.comparing.pairing import Asked, Pairing, paired_by_input, paired_by_ordinal


def pairs(pairing: Pairing) -> list[tuple[int, int]]:
    return list(zip(pairing.baseline.tolist(), pairing.candidate.tolist(), strict=True))


def counts(pairing: Pairing) -> tuple[int, int, int, int]:
    shared = pairing.shared
    return shared.shared, shared.only_baseline, shared.only_candidate, shared.repeated


def test_records_pair_on_what_was_asked_whatever_their_ids_and_order() -> None:
    found = paired_by_input([("x", "1"), ("y", "2"), ("z", "3")], [("z", "9"), ("x", "8")])

    assert pairs(found) == [(0, 1), (2, 0)]
    assert counts(found) == (2, 1, 0, 0)


def test_an_input_that_repeats_pairs_by_the_id_of_its_record() -> None:
    found = paired_by_input([("x", "1"), ("x", "2")], [("x", "2"), ("x", "1"), ("y", "3")])

    assert pairs(found) == [(0, 1), (1, 0)]
    assert counts(found) == (2, 0, 1, 2)


def test_a_repeat_without_a_partner_of_its_id_is_only_where_it_is() -> None:
    found = paired_by_input([("x", "1"), ("x", "2")], [("x", "2")])

    assert pairs(found) == [(1, 0)]
    assert counts(found) == (1, 1, 0, 1)


def test_an_input_that_repeats_in_one_run_alone_needs_the_id_in_both() -> None:
    found = paired_by_input([("x", "1")], [("x", "7"), ("x", "8")])

    assert pairs(found) == []
    assert counts(found) == (0, 1, 2, 0)


def test_of_one_version_the_same_place_is_the_same_record() -> None:
    whole, pilot = np.array([0, 2, 3, 5]), np.array([0, 2])

    found = paired_by_ordinal(whole, pilot, np.array([2, 3]))

    assert pairs(found) == [(0, 0), (1, 1)]
    assert counts(found) == (2, 2, 0, 1)


def test_versions_without_a_record_in_common_share_nothing() -> None:
    found = paired_by_input([("x", "1")], [])

    assert counts(found) == (0, 1, 0, 0)


def _side() -> st.SearchStrategy[list[Asked]]:
    record = st.tuples(st.sampled_from("xyz"), st.sampled_from("12345"))
    return st.lists(record, unique_by=lambda each: each[1], max_size=5)


@given(_side(), _side())
def test_every_record_is_shared_or_only_in_its_run_and_pairs_but_once(
    baseline: list[Asked], candidate: list[Asked]
) -> None:
    found = paired_by_input(baseline, candidate)
    back = paired_by_input(candidate, baseline)

    shared, only_baseline, only_candidate, repeated = counts(found)
    assert shared + only_baseline == len(baseline)
    assert shared + only_candidate == len(candidate)
    assert repeated <= shared
    assert len(set(found.candidate.tolist())) == shared
    assert {pair[::-1] for pair in pairs(back)} == set(pairs(found))
    assert all(baseline[ours][0] == candidate[theirs][0] for ours, theirs in pairs(found))
