"""The editor over HTTP: every button sends the whole draft, and nothing is kept before Save."""

import re

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.accounts.models import User
from apps.grading import services
from apps.grading.models import GradingContract
from apps.grading.rules import RULE_OF_TYPE
from apps.grading.starters import starter_spec

from .editor import LIST, Editor, saved


def test_a_rule_is_added_by_a_form_and_saved(editor: Editor, contract: GradingContract) -> None:
    editor.press("catalog")
    listed = editor.html
    editor.press("choose:contains")
    form = editor.html
    editor.press("apply", **{"rule-value": "refund", "rule-weight": "2"})
    before = saved(contract)
    answer = editor.press("save", htmx=False)

    assert "choose:contains" in listed
    assert "New rule: Contains" in form
    assert editor.names == ["token_f1", "rouge_l", "latency", "contains"]
    assert before == starter_spec("reference")
    assert answer.status_code == 302
    rule = saved(contract).rules[-1]
    assert (rule.name, rule.weight, getattr(rule, "value", "")) == ("contains", 2.0, "refund")


def test_rules_are_moved_copied_removed_and_put_back(
    editor: Editor, contract: GradingContract
) -> None:
    editor.press("down:0")
    moved = editor.names
    editor.press("copy:1")
    copied = editor.names
    editor.press("remove:0")
    removed = editor.names
    editor.press("undo")

    assert moved == ["rouge_l", "token_f1", "latency"]
    assert copied == ["rouge_l", "token_f1", "token_f1_2", "latency"]
    assert removed == ["token_f1", "token_f1_2", "latency"]
    assert editor.names == copied
    assert "rouge_l is back." in editor.html
    assert saved(contract) == starter_spec("reference")


def test_a_rule_is_changed_in_its_place(editor: Editor, contract: GradingContract) -> None:
    editor.press("edit:0")
    editor.press("save", htmx=False, **{"rule-threshold": "0.9"})

    assert [rule.threshold for rule in saved(contract).rules[:2]] == [0.9, 0.5]


def test_the_page_knows_what_is_not_saved(editor: Editor) -> None:
    states = ["data-unsaved" in editor.html]

    for pressed in ("down:0", "up:1", "choose:regex", "apply"):
        editor.press(pressed)
        states.append("data-unsaved" in editor.html)

    # moved, moved back, a form that is as it was opened, a form with a mistake
    assert states == [False, True, False, False, True]


def test_closing_a_form_forgets_what_was_filled_in(editor: Editor) -> None:
    editor.press("edit:0")
    editor.press("close", **{"rule-threshold": "0.9"})

    assert editor.desk.rule_form is None
    assert "threshold 0.5" in editor.html


def test_what_is_wrong_stands_at_its_field_and_nothing_else_happens(
    editor: Editor, contract: GradingContract
) -> None:
    editor.press("edit:0")
    answer = editor.press("save", htmx=False, **{"rule-threshold": "7", "rule-name": "rouge_l"})

    assert answer.status_code == 200
    assert "should be less than or equal to 1" in editor.html
    assert "another rule of this contract has this name." in editor.html
    assert 'href="#id_rule-threshold"' in editor.html
    assert 'value="7"' in editor.html
    assert saved(contract) == starter_spec("reference")


def test_the_contract_itself_is_changed(editor: Editor, contract: GradingContract) -> None:
    filled = {
        "contract-description": "What matters.",
        "contract-passing_score": "0.7",
        "contract-data_rules": "ignore",
        "contract-trials": "pass_all",
        "contract-pass_rate.at_least": "",
        "contract-cost.at_most": "0.01",
        "contract-cost.by": "upper",
    }
    editor.press("save", htmx=False, **filled)

    spec = saved(contract)
    assert (spec.description, spec.passing_score) == ("What matters.", 0.7)
    assert (spec.data_rules, spec.trials) == ("ignore", "pass_all")
    assert spec.thresholds.pass_rate is None
    assert spec.thresholds.cost is not None
    assert (spec.thresholds.cost.at_most, spec.thresholds.cost.by) == (0.01, "upper")


def test_a_wrong_threshold_keeps_the_rest_and_is_not_saved(
    editor: Editor, contract: GradingContract
) -> None:
    editor.press("save", htmx=False, **{"contract-passing_score": "high"})

    assert "should be a number." in editor.html
    assert 'value="high"' in editor.html
    assert saved(contract) == starter_spec("reference")


def test_what_saving_changes_is_shown_before_it_is_saved(editor: Editor) -> None:
    same = editor.html
    editor.press("edit:0")
    editor.press("apply", **{"rule-threshold": "0.9"})

    assert "Nothing: both say the same." in same
    assert '<span class="visually-hidden">before: </span>0.5</del>' in editor.html
    assert '<span class="visually-hidden">now: </span>0.9</ins>' in editor.html


def test_saving_the_next_version_leads_to_what_changed(
    editor: Editor, contract: GradingContract
) -> None:
    services.lock_version(version=contract.versions.get(), now=timezone.now())
    editor.press("remove:2")

    answer = editor.press("save", htmx=False)

    assert answer["Location"] == f"{LIST}{contract.pk}/diff/"


def test_somebody_elses_version_is_not_overwritten_unseen(
    editor: Editor, contract: GradingContract
) -> None:
    services.save_version(
        contract=contract, spec=starter_spec("judge"), by=None, now=timezone.now()
    )
    editor.press("remove:2")
    editor.press("save", htmx=False)
    refused, kept = editor.html, saved(contract)
    editor.press("save", htmx=False)

    assert "Somebody saved this contract while you were editing" in refused
    assert kept == starter_spec("judge")
    assert len(saved(contract).rules) == 2


def test_the_catalog_is_searched(as_alice: Client, editor: Editor) -> None:
    found = as_alice.get(
        editor.address, {"q": "judge rubric"}, headers={"HX-Request": "true", "HX-Target": "kinds"}
    ).content.decode()

    assert found.lstrip().startswith('<div id="kinds"')
    assert "choose:rubric_judge" in found
    assert "choose:contains" not in found


def test_a_rule_that_stands_for_what_is_not_executed_is_not_offered(editor: Editor) -> None:
    editor.press("catalog")

    offered = set(re.findall(r'value="choose:(\w+)"', editor.html))

    assert offered == set(RULE_OF_TYPE) - {"unexecutable"}


@pytest.mark.parametrize("rule_type", sorted(RULE_OF_TYPE))
def test_every_rule_opens_as_a_form(editor: Editor, rule_type: str) -> None:
    editor.press(f"choose:{rule_type}")

    assert editor.desk.rule_form is not None
    assert 'id="form-title"' in editor.html


def test_trying_sends_the_form_on_to_the_page_for_it(
    editor: Editor, contract: GradingContract
) -> None:
    answer = editor.press("try", htmx=False)

    assert (answer.status_code, answer["Location"]) == (307, f"{LIST}{contract.pk}/try/")


HOSTILE = ["edit:99", "edit:-1", "edit:x", "up:", "choose:guess", "undo", "nothing", "remove:²", ""]


@pytest.mark.parametrize("action", HOSTILE)
def test_a_button_that_there_is_not_changes_nothing(editor: Editor, action: str) -> None:
    answer = editor.press(action, removed='{"place": "x"}')

    assert answer.status_code == 200
    assert editor.names == ["token_f1", "rouge_l", "latency"]


@given(
    text=st.text() | st.sampled_from(["rules: 5", "rules: [5]", "rules: [{type: [1]}]", "{"]),
    action=st.sampled_from(["save", "yaml", "rules", "edit:0", "copy:0", "undo", "try", "apply"]),
    removed=st.text()
    | st.sampled_from(['{"place": 1e999, "entry": 5}', '{"place": 0, "entry": 5}']),
    shown=st.sampled_from(["rules", "yaml", ""]),
)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_whatever_is_sent_is_answered_with_a_page(
    as_alice: Client, contract: GradingContract, text: str, action: str, removed: str, shown: str
) -> None:
    body = {"text": text, "action": action, "removed": removed, "shown": shown}

    answer = as_alice.post(f"{LIST}{contract.pk}/edit/", body)

    assert answer.status_code in (200, 302, 307)


def test_a_reviewer_does_not_edit(client: Client, bob: User, contract: GradingContract) -> None:
    client.force_login(bob)

    assert client.post(f"{LIST}{contract.pk}/edit/", {"text": "x"}).status_code == 403
