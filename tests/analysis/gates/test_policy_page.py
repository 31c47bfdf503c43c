"""The page of a policy and its form: what it takes, what it offers, what it refuses."""

import re
from typing import Any, cast

import pytest
from django.http import HttpResponse
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.analysis.gates.policies.changing import current_spec, save_policy
from apps.analysis.gates.policies.spec import STARTER
from apps.analysis.models import GatePolicy
from apps.datasets.models import FacetMember
from tests.runs.building import MIX, ended_run, make_version

from .asking import page_of, sent, text_of
from .building import AT, a_policy, a_spec


def a_form(**fields: Any) -> dict[str, Any]:
    """What the form sends where somebody has only named the policy."""
    row = {"metric": "pass_rate", "at_least": "80", "at_most": "", "margin": "3", "by": "bound"}
    return {
        "name": "releases",
        "minimum_n": "20",
        "metric-rows": "2",
        "slice-rows": "1",
        **{f"metric-0-{name}": value for name, value in row.items()},
        **fields,
    }


def test_a_policy_is_made_from_its_form_in_per_cent_and_points(
    lead: Client, workspace: Workspace
) -> None:
    answer = sent(lead, "policies/new/", **a_form(failure_budget="2", other_rules="no_secret"))

    policy = GatePolicy.objects.get()
    assert answer.status_code == 302
    assert current_spec(policy) == a_spec(
        metrics=[{"metric": "pass_rate", "at_least": 0.8, "margin": 0.03}],
        blocking_rules=["no_secret"],
        failure_budget=0.02,
    )


def test_a_rule_that_nothing_here_has_is_warned_of_and_one_of_a_contract_is_not(
    lead: Client, workspace: Workspace
) -> None:
    [rule, *_] = ended_run(workspace).contract_version.parsed.rules  # type: ignore[union-attr]

    def saved(name: str, rules: str) -> str:
        sent(lead, "policies/new/", **a_form(name=name, other_rules=rules))
        return text_of(lead, f"policies/{GatePolicy.objects.get(name=name).pk}/")

    unknown, known = saved("unknown", f"{rule.name}\nno_secret"), saved("known", rule.name)

    warned = "No contract and no run here has a rule named"
    assert f"{warned} no_secret: until one has" in unknown
    assert warned not in known


def test_what_a_policy_says_comes_back_in_its_form(lead: Client, workspace: Workspace) -> None:
    asked = {"metrics": [{"metric": "pass_rate", "at_least": 0.07}], "failure_budget": 0.029}
    policy = a_policy(workspace, **asked)
    page = page_of(lead, f"policies/{policy.pk}/edit/")
    form: Any = page.context["form"]
    fields = {
        field.html_name: field.value() if field.value() is not None else ""
        for part in (form.details, *form.rows)
        for field in part
    }

    sent(lead, f"policies/{policy.pk}/edit/", **fields, **{"metric-rows": 2, "slice-rows": 1})

    assert policy.versions.count() == 1


def test_a_new_policy_begins_with_what_serves_most(lead: Client, workspace: Workspace) -> None:
    form: Any = page_of(lead, "policies/new/").context["form"]
    row, slices = form.metrics[0], form.slices[0]

    assert (row["metric"].value(), row["margin"].value()) == ("pass_rate", 3)
    assert (slices["metric"].value(), slices["margin"].value()) == ("pass_rate", 5)
    assert form.details["failure_budget"].value() == 2
    assert len(STARTER.metrics) == 1


def test_more_rows_are_there_without_a_script_and_nothing_is_lost(
    lead: Client, workspace: Workspace
) -> None:
    answer = sent(lead, "policies/new/", **a_form(name="", more="metric"))

    form: Any = answer.context["form"]
    assert answer.status_code == 200
    assert len(form.metrics) == 4
    assert str(form.metrics[0]["at_least"].value()) == "80"
    assert not form.errors
    assert not GatePolicy.objects.exists()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"name": ""}, "Name"),
        ({"metric-0-at_least": "130"}, "at most 100 %"),
        ({"metric-1-at_least": "80"}, "Choose the metric"),
        ({"metric-1-metric": "latency_p95", "metric-1-at_least": "5"}, "better when low"),
        ({"metric-1-metric": "pass_rate", "metric-1-margin": "1"}, "named twice"),
        ({"metric-0-metric": ""}, "Choose the metric"),
        ({"metric-0-margin": "-1"}, "must be at least 0"),
        ({"metric-0-margin": "nan"}, "Metric 1"),
        ({"metric-0-margin": "1e999"}, "Metric 1"),
        ({"minimum_n": "0"}, "Fewest records"),
        ({"minimum_n": "9" * 40}, "Fewest records"),
        ({"name": "a\0b"}, "Name"),
        ({"dataset": "ds_of_nobody"}, "Dataset"),
        ({"metric-rows": "0"}, "holds a run to nothing"),
        ({"other_rules": "x" * 300}, "blocking_rules"),
    ],
)
def test_what_a_policy_cannot_say_is_told_at_the_top_and_linked(
    lead: Client, workspace: Workspace, fields: dict[str, str], told: str
) -> None:
    answer = sent(lead, "policies/new/", **a_form(**fields))

    page = answer.content.decode()
    summary = page.partition('role="alert"')[2].partition("</ul>")[0]
    assert answer.status_code == 422
    assert told in summary
    assert not GatePolicy.objects.exists()


def test_errors_are_told_in_the_order_of_the_page(lead: Client, workspace: Workspace) -> None:
    wrong = {"name": "", "metric-0-margin": "-4", "slice-0-margin": "-5", "failure_budget": "-3"}

    page = sent(lead, "policies/new/", **a_form(**wrong)).content.decode()

    summary = page.partition('role="alert"')[2].partition("</ul>")[0]
    linked = re.findall(r'href="#id_([^"]+)"', summary)
    assert linked == ["name", "metric-0-margin", "slice-0-margin", "failure_budget"]


def test_a_name_that_is_taken_is_refused(lead: Client, workspace: Workspace) -> None:
    a_policy(workspace)

    answer = sent(lead, "policies/new/", **a_form())

    assert answer.status_code == 422
    assert "already a policy named" in answer.content.decode()


def test_the_form_offers_rules_slices_and_trials_of_the_dataset(
    lead: Client, workspace: Workspace
) -> None:
    run = ended_run(workspace, MIX, version=make_version(workspace, 5), trials=3)
    dataset = run.dataset_version.dataset

    page = text_of(lead, "policies/new/", dataset=dataset.pk)

    assert 'value="rule:exact:pass_rate"' in page
    assert 'value="pass^3"' in page
    assert 'value="metadata.language"' in page
    assert f'value="{dataset.pk}" selected' in page


def test_the_page_of_a_policy_says_what_it_asks_and_what_changed(
    lead: Client, workspace: Workspace, alice: User
) -> None:
    policy = a_policy(workspace)
    save_policy(
        policy,
        a_spec(metrics=[{"metric": "pass_rate", "at_least": 0.9}], calibrated_only=True),
        by=alice,
        now=AT,
    )

    page = text_of(lead, f"policies/{policy.pk}/")

    assert "The pass rate is at least 90 %." in page
    gone, now = page.index("The pass rate is at least 80 %."), page.index("</ins>")
    assert "<del>" in page[:gone]
    assert gone < now
    assert "only as people&#x27;s labels correct them" in page


def test_a_policy_is_archived_and_restored(lead: Client, workspace: Workspace) -> None:
    policy = a_policy(workspace)

    sent(lead, f"policies/{policy.pk}/archive/")
    archived = text_of(lead, archived="1")
    sent(lead, f"policies/{policy.pk}/restore/")

    assert "releases" in archived
    assert GatePolicy.objects.active().get() == policy


def test_another_dataset_offers_its_own_rules_and_slices_and_nothing_that_was_written_is_lost(
    lead: Client, workspace: Workspace
) -> None:
    ended_run(workspace, MIX, version=make_version(workspace, 5, name="theirs"))
    bare = make_version(workspace, 5, name="bare")
    FacetMember.objects.filter(facet__version=bare).delete()
    bare.facets.all().delete()
    written = {
        **a_form(name="strict", more="dataset", dataset=bare.dataset.pk),
        "metric-1-metric": "rule:exact:pass_rate",
        "slice-0-families": ["tag"],
    }

    before = text_of(lead, "policies/new/")
    answer = sent(lead, "policies/new/", **written)

    page, form = answer.content.decode(), cast("Any", answer.context["form"])
    assert answer.status_code == 200
    assert not GatePolicy.objects.exists()
    assert 'value="rule:token_f1:mean"' in before
    assert 'value="rule:token_f1:mean"' not in page
    assert 'value="metadata.language"' in before
    assert 'value="metadata.language"' not in page
    assert form.details["name"].value() == "strict"
    assert 'value="rule:exact:pass_rate" selected' in page
    assert form.slices[0]["families"].value() == ["tag"]
    assert 'value="tag"' in page


def test_what_is_rarely_said_is_folded_away_until_it_is_said_or_wrong(
    lead: Client, workspace: Workspace
) -> None:
    ended_run(workspace, MIX, version=make_version(workspace, 5))

    folded = page_of(lead, "policies/new/")
    wrong = sent(lead, "policies/new/", **a_form(minimum_n="0"))
    ruled = sent(lead, "policies/new/", **a_form(name="", blocking_rules=["exact"]))
    sliced = sent(lead, "policies/new/", **a_form(name="", **{"slice-0-families": ["tag"]}))

    assert [unfolded(answer) for answer in (folded, wrong, ruled, sliced)] == [
        [],
        ["Say otherwise"],
        ["Rules that no answer may fail"],
        ["Only some slices"],
    ]


def unfolded(answer: HttpResponse) -> list[str]:
    """The parts of the form that stand open."""
    opened = r'<details class="disclosed[^"]*" open>\s*<summary class="link">([^<]+)'
    return re.findall(opened, answer.content.decode())


def test_errors_of_a_row_are_in_the_words_of_the_form(lead: Client, workspace: Workspace) -> None:
    answer = sent(
        lead, "policies/new/", **a_form(**{"metric-0-margin": "", "metric-0-at_least": ""})
    )

    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Is held to nothing: say “At least”, “At most” or “Worse by at most”" in page
    assert "at_least, " not in page
    assert ">Worse by at most" in page
    assert ">Metric 1, at least" not in page.partition("</ul>")[2]
