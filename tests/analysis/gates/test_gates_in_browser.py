"""The journey of a gate in a real browser, and its pages held against the rules for access."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User, Workspace
from apps.analysis.gates.messages.addresses import add_webhook
from apps.analysis.gates.overriding import override
from apps.runs.models import Run
from tests.browser import PageOpener, assert_accessible, screenshot, sign_in
from tests.runs.building import make_version

from .building import AT, a_decision, a_policy, a_run, approved

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVERYTHING: dict[str, Any] = {
    "metrics": [
        {"metric": "pass_rate", "at_least": 0.8, "margin": 0.03},
        {"metric": "latency_p95", "at_most": 1_800},
    ],
    "slices": [{"metric": "pass_rate", "margin": 0.05}],
    "blocking_rules": ["exact"],
    "failure_budget": 0.02,
}
ENDLESS = "A known outage: " + "x" * 1_900


@pytest.fixture
def runs(workspace: Workspace, alice: User) -> tuple[Run, Run]:
    version = make_version(workspace, 60)
    first = a_run(workspace, 55, 5, version=version, by=alice, name="v1.4")
    return first, a_run(workspace, 40, 20, version=version, by=alice, name="v1.5")


def test_a_policy_is_made_asked_and_overridden(
    page: Page, workspace: Workspace, alice: User, runs: tuple[Run, Run]
) -> None:
    first, second = runs
    sign_in(page, alice)

    page.goto("/w/demo/gates/")
    page.get_by_role("link", name="Make the first policy").click()
    page.get_by_label("Name").fill("releases")
    page.get_by_role("button", name="More metrics").click()
    more = page.get_by_role("group", name="Metric 2")
    more.get_by_label("Metric", exact=True).select_option("latency_p95")
    more.get_by_label("At most", exact=True).fill("1000")
    page.get_by_role("button", name="Make the policy").click()
    expect(page.get_by_text("The 95th percentile of latency is at most 1,000 ms.")).to_be_visible()

    page.get_by_role("link", name="Approve a baseline").click()
    page.get_by_role("combobox", name="Run").select_option(first.pk)
    page.get_by_label("Why this one").fill("It is in production.")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("v1.4 is the baseline of releases now.")).to_be_visible()

    page.get_by_role("combobox", name="Run").select_option(second.pk)
    page.get_by_label("Change").fill("change-17")
    page.get_by_role("button", name="Ask the gate").click()
    expect(page.get_by_label("What the gate said")).to_contain_text("Fail")
    expect(page.get_by_text("not held", exact=False).first).to_be_visible()
    screenshot(page, "gate-fails")

    page.get_by_label("What counts instead").select_option("pass")
    page.get_by_label("Why").fill("The failures are a known outage.")
    page.get_by_role("button", name="Override as Alice").click()
    expect(page.get_by_role("region", name="What counts")).to_contain_text(
        "Alice overrode the gate"
    )
    expect(page.get_by_label("What the gate said")).to_contain_text("Fail")

    page.goto("/w/demo/gates/")
    expect(page.get_by_text("by Alice; the gate said fail")).to_be_visible()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (1440, "dark"), (400, "light")])
def test_every_page_of_gates_is_accessible_and_fits(
    open_page: PageOpener,
    workspace: Workspace,
    alice: User,
    ada: User,
    runs: tuple[Run, Run],
    width: int,
    scheme: str,
) -> None:
    policy, address = a_policy(workspace, by=alice, **EVERYTHING), "https://ci.example.org/hooks"
    approved(policy, runs[0])
    add_webhook(workspace=workspace, url=address, secret_name="RELEASES_SIGNING_KEY", by=ada)
    decision = a_decision(runs[1], policy, by=alice, change_id="change-17")
    override(decision, answer="pass", reason=ENDLESS, by=alice, now=AT)
    page = open_page(width, scheme)
    sign_in(page, ada)

    for name, path in {
        "gates": "",
        "gate-policy": f"policies/{policy.pk}/",
        "gate-policy-form": f"policies/{policy.pk}/edit/",
        "gate-baseline": f"policies/{policy.pk}/baseline/",
        "gate-ask": f"policies/{policy.pk}/ask/",
        "gate-decision": f"decisions/{decision.pk}/",
        "gate-webhooks": "webhooks/",
    }.items():
        page.goto(f"/w/demo/gates/{path}")
        assert_accessible(page)
        wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        assert page.evaluate(wide), name
        screenshot(page, f"{name}-{scheme}-{width}")


def test_the_form_of_a_policy_works_without_a_script_and_says_what_is_wrong(
    open_page: PageOpener, workspace: Workspace, alice: User
) -> None:
    page = open_page(js=False)
    sign_in(page, alice)

    page.goto("/w/demo/gates/policies/new/")
    page.get_by_role("button", name="More slices").click()
    expect(page.get_by_role("group", name="Slices 3")).to_be_visible()
    page.get_by_role("button", name="Make the policy").click()

    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("Name")
    alert.get_by_role("link", name="Name").click()
    assert page.url.endswith("#id_name")
