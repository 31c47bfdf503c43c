"""What a comparison says, of runs made of real rows."""

import numpy as np
import pytest
from django.core.exceptions import ValidationError

from apps.accounts.models import Workspace
from apps.analysis.comparing import arrays_of, body_of, comparison_of
from apps.analysis.comparing.matching import MOST_SLICES, groups_of, paired
from apps.datasets.models import Facet
from apps.metrics.compared import MOVES, Difference, PairedRuns
from apps.runs.models import Result, Run, Score, Summary
from tests.runs import building

from .building import a_run, asks, named, two_runs


def compared(baseline: Run, candidate: Run) -> PairedRuns:
    return body_of(comparison_of(baseline, candidate))


def of(body: PairedRuns, metric: str, family: str = "", value: str = "") -> Difference:
    found = body.of(metric, family, value)
    assert found is not None, [each.metric for each in body.whole]
    return found


def shared(body: PairedRuns) -> tuple[int, int, int, int]:
    told = body.shared
    return told.shared, told.only_baseline, told.only_candidate, told.repeated


def moves(found: Difference) -> dict[str, int]:
    return {name: count for name, count in found.moves.model_dump().items() if count}


def test_records_get_better_or_worse_and_the_counts_add_up(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "++++------", "+++-++----")

    body = compared(first, second)

    found = of(body, "pass_rate")
    assert moves(found) == {"better": 2, "worse": 1, "same": 7}
    assert (found.n, found.binary) == (10, True)
    assert (found.baseline.point, found.candidate.point) == pytest.approx((0.4, 0.5))
    assert found.difference.point == pytest.approx(0.1)
    assert shared(body) == (10, 0, 0, 0)
    assert found.moves.shared == body.shared.shared


def test_an_error_is_neither_win_nor_loss_and_what_lacks_a_verdict_is_unscored(
    workspace: Workspace,
) -> None:
    first, second = two_runs(workspace, "+!+?/-+", "!-+++/+")

    found = of(compared(first, second), "pass_rate")

    assert moves(found) == {"error": 2, "same": 2, "unscored": 3}
    assert found.moves.shared == 7


def test_errors_count_as_fails_beside_what_leaves_them_out(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "+" * 30 + "-" * 10, "!" * 10 + "+" * 20 + "-" * 10)

    found = of(compared(first, second), "pass_rate")

    assert found.difference.point == 0
    assert found.errors_as_fails is not None
    assert found.errors_as_fails.point == pytest.approx(-0.25)
    assert found.verdict_with_errors == "worse"
    assert of(compared(first, second), "latency_mean").errors_as_fails is None


def test_amounts_are_better_where_they_are_less(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "++++", "++++")
    Result.objects.filter(run=second, ordinal__lt=3).update(latency_ms=1, cost=1.0)

    body = compared(first, second)

    latency, cost = of(body, "latency_mean"), of(body, "cost_mean")
    assert (moves(latency), latency.higher_is_better) == ({"better": 3, "same": 1}, False)
    assert moves(cost) == {"worse": 3, "same": 1}


def test_rules_that_both_runs_have_are_metrics_by_the_names_of_the_summaries(
    workspace: Workspace,
) -> None:
    first, second = two_runs(workspace, "++--", "+-+-")
    Score.objects.filter(run=second, rule="latency").delete()

    body = compared(first, second)

    names = {each.metric for each in body.whole}
    known = set(Summary.objects.filter(run=first).values_list("metric", flat=True))
    assert {"rule:exact:pass_rate", "rule:exact:mean", "rule:token_f1:mean"} <= names
    assert not {name for name in names if name.startswith("rule:latency")}
    assert {name for name in names if name != "latency_mean"} <= known
    assert of(body, "rule:exact:mean").binary
    assert not of(body, "rule:token_f1:mean").binary


def test_a_name_of_a_score_that_came_along_may_hold_any_character(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "++--", "+-+-")
    given = Score.objects.filter(run__in=[first, second], rule="exact")
    given.update(rule="ours\x1ftheirs", verdict="", method="human", verifier="scores.csv")

    names = [each.metric for each in compared(first, second).whole]

    assert [name for name in names if "ours\x1ftheirs" in name]


def test_the_sides_are_the_summaries_where_both_runs_have_everything(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "++-+-+", "-+-+++")

    body = compared(first, second)

    for each in body.whole:
        stored = Summary.objects.filter(run=second, metric=each.metric, family="").first()
        if stored is not None:
            assert each.candidate.point == pytest.approx(stored.point), each.metric


def test_slices_are_those_of_the_candidates_dataset(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "+-" * 30, "++" * 30)

    body = compared(first, second)

    found = of(body, "pass_rate", "metadata.channel", "mail")
    assert (found.n, moves(found)) == (20, {"better": 10, "same": 10})
    assert found.p_adjusted is not None
    assert body.of("score_mean", "tag", "tag-00") is not None
    assert body.of("latency_mean", "tag", "tag-00") is None
    assert {(each.family, each.value) for each in body.slices} >= {("length", "short")}


def test_of_very_many_slices_the_smallest_are_left_out_and_counted(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "+-", "++")
    version = first.dataset_version
    before = version.facets.count()
    Facet.objects.bulk_create(
        Facet(version=version, family="tag", value=f"many {n}", n=0) for n in range(MOST_SLICES)
    )

    body = compared(first, second)

    assert body.slices_left_out == before
    assert body.of("pass_rate", "task_type", "classification") is not None


def test_trials_average_within_their_record_first(workspace: Workspace) -> None:
    version = building.make_version(workspace, 3)
    first = a_run(workspace, "+++-!!", version, trials=2)
    second = a_run(workspace, "+-+!++", version, trials=2)

    comparison = comparison_of(first, second)

    found = of(body_of(comparison), "pass_rate")
    before, after = arrays_of(comparison).values["pass_rate"]
    np.testing.assert_array_equal(before, np.array([1, 0.5, np.nan], dtype=np.float32))
    np.testing.assert_array_equal(after, np.array([0.5, 1, 1], dtype=np.float32))
    assert (moves(found), found.binary) == ({"better": 1, "worse": 1, "error": 1}, False)
    assert found.errors_as_fails is not None
    assert found.errors_as_fails.point == pytest.approx((-0.5 + 0 + 1) / 3)


def test_other_versions_pair_on_what_is_asked(workspace: Workspace) -> None:
    old, new = building.make_version(workspace, 4), building.make_version(workspace, 5)
    asks(old, ["a", "b", "b", "c"])
    asks(new, ["c", "b", "x", "a", "b"])
    named(new, ["n0", "n1", "n2", "n3", "n4"])
    named(new, ["n0", "ticket-00002"])
    first, second = a_run(workspace, "+-+-", old), a_run(workspace, "++-+-", new)

    comparison = comparison_of(first, second)

    body, arrays = body_of(comparison), arrays_of(comparison)
    assert shared(body) == (3, 1, 2, 1)
    assert arrays.baseline_ordinals.tolist() == [0, 2, 3]
    assert arrays.candidate_ordinals.tolist() == [3, 1, 0]
    assert moves(of(body, "pass_rate")) == {"better": 1, "same": 2}
    assert [MOVES[code] for code in arrays.moves["pass_rate"]] == ["same", "same", "better"]


def test_repeats_are_told_of_one_version_too(workspace: Workspace) -> None:
    version = building.make_version(workspace, 3)
    asks(version, ["a", "a", "b"])

    body = compared(a_run(workspace, "+++", version), a_run(workspace, "+++", version))

    assert shared(body) == (3, 0, 0, 2)


def test_a_pilot_shares_the_records_that_it_asked(workspace: Workspace) -> None:
    first = a_run(workspace, "+" * 30)
    pilot = a_run(workspace, "+" * 10, first.dataset_version, pilot=True)

    assert shared(compared(first, pilot)) == (10, 20, 0, 0)
    assert shared(compared(pilot, first)) == (10, 0, 20, 0)


def test_groups_are_drawn_together(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "+-" * 40, "++" * 40)
    alone = of(compared(first, second), "pass_rate")
    first.dataset_version.records.filter(ordinal__lt=80).update(group="one document")
    first.dataset_version.records.filter(ordinal__lt=40).update(group="another")
    third = a_run(workspace, "++" * 40, first.dataset_version)

    grouped = of(compared(first, third), "pass_rate")

    assert alone.verdict == "better"
    assert grouped.difference.point == alone.difference.point
    assert grouped.verdict == "inconclusive"


def test_groups_of_either_version_count_whichever_run_is_the_baseline(workspace: Workspace) -> None:
    plain, grouped = building.make_version(workspace, 40), building.make_version(workspace, 40)
    grouped.records.filter(ordinal__lt=20).update(group="one document")
    first, second = (
        a_run(workspace, "-" * 10 + "+-" * 15, plain),
        a_run(workspace, "+" * 10 + "+-" * 15, grouped),
    )

    there, back = compared(first, second), compared(second, first)

    found, swapped = of(there, "pass_rate"), of(back, "pass_rate")
    assert (moves(found)["better"], moves(swapped)["worse"]) == (10, 10)
    assert found.p == pytest.approx(swapped.p)
    assert found.verdict == swapped.verdict == "inconclusive"


def test_pairs_belong_together_where_either_version_groups_them(workspace: Workspace) -> None:
    old, new = building.make_version(workspace, 5), building.make_version(workspace, 5)
    asks(old, "abcde")
    asks(new, "edcba")
    old.records.filter(ordinal__in=(0, 1)).update(group="first")
    new.records.filter(ordinal__in=(2, 3)).update(group="second")
    first, second = a_run(workspace, "+++++", old), a_run(workspace, "+++++", new)
    ordinals = np.arange(5)
    pairing = paired(first, second, ordinals, ordinals)

    groups = groups_of(first, second, ordinals, ordinals, pairing)

    assert groups[0] == groups[1] == groups[2]
    assert len(set(groups.tolist())) == 3


def test_runs_that_share_nothing_say_so_without_numbers(workspace: Workspace) -> None:
    old, new = building.make_version(workspace, 2), building.make_version(workspace, 2)
    asks(new, ["x", "y"])

    body = compared(a_run(workspace, "++", old), a_run(workspace, "+-", new))

    assert shared(body) == (0, 2, 2, 0)
    found = of(body, "pass_rate")
    assert (found.n, found.verdict, found.difference.point) == (0, "inconclusive", None)
    assert found.difference.reason


def test_a_run_without_any_answer_can_be_compared(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "++", "!!")

    found = of(compared(first, second), "pass_rate")

    assert moves(found) == {"error": 2}
    assert found.verdict == "inconclusive"


@pytest.mark.parametrize("spoiled", ["itself", "open", "elsewhere"])
def test_what_cannot_be_compared_is_said_in_a_sentence(workspace: Workspace, spoiled: str) -> None:
    first = a_run(workspace, "++")
    elsewhere = Workspace.objects.create(slug="far", name="Far")
    others = {
        "itself": lambda: first,
        "open": lambda: building.running_run(workspace, version=first.dataset_version),
        "elsewhere": lambda: a_run(elsewhere, "++"),
    }

    with pytest.raises(ValidationError, match=r"itself|wait until it has ended|workspaces"):
        comparison_of(first, others[spoiled]())
