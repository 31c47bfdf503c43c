"""The editor over HTTP: the draft as YAML, what cannot be read of it, drafts too large."""

import pytest

from apps.grading.models import GradingContract
from apps.grading.starters import starter_spec
from tests.bounds import bounded

from .editor import Editor, saved


def test_the_yaml_is_the_same_draft(editor: Editor, contract: GradingContract) -> None:
    editor.press("remove:2")
    editor.press("yaml")
    text = editor.fields["text"]
    editor.press("rules", text=text.replace("name: rouge_l", "name: rouge_new"))
    renamed = editor.names
    editor.press("yaml")
    editor.press("rules", text="rules: [")

    assert "name: latency" not in text
    assert renamed == ["token_f1", "rouge_new"]
    assert (editor.desk.view, editor.fields["text"]) == ("yaml", "rules: [")
    assert "not valid YAML" in editor.html


def test_assertions_of_agentv_become_rules(editor: Editor) -> None:
    editor.press("yaml")
    editor.press("rules", text="assertions:\n- {type: icontains, value: refund}\n")

    assert [card.type for card in editor.desk.cards] == ["contains"]
    assert 'value="0.8"' in editor.html


def test_a_rule_that_is_none_is_shown_with_its_problem(editor: Editor) -> None:
    editor.press("yaml")
    editor.press("rules", text="rules:\n- {type: guess, name: g}\n- {type: regex, name: r}\n")
    shown = editor.html
    editor.press("edit:0")

    assert "there is no rule type" in shown
    assert "pattern: is required." in shown
    assert editor.desk.view == "yaml"
    assert "g has no form: change it here." in editor.html


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("rules:\n- {1: 2}", "A key must be a text"),
        ("rules:\n- {type: exact_match, expected: !!binary aGk=}", "!!binary is not known here"),
        ("rules:\n- {type: exact_match, weight: .nan}", ".nan is not a number that JSON has"),
        ("rules:\n- !!set {a}", "!!set is not known here"),
        ('{"rules": [{"type": "exact_match", "name": "\\ud800"}]}', "half a character"),
    ],
)
@pytest.mark.parametrize("action", ["save", "rules", "edit:0", "remove:0", "try"])
def test_what_json_cannot_say_is_told_where_the_yaml_is(
    editor: Editor, text: str, sentence: str, action: str
) -> None:
    editor.press("yaml")
    editor.press(action, text=text)

    assert editor.desk.view == "yaml"
    assert sentence in editor.html


def test_a_rule_with_a_very_long_number_is_removed_and_put_back(editor: Editor) -> None:
    editor.press("yaml")
    editor.press("rules", text=f"rules:\n- {{type: exact_match, name: a, weight: {10**40}}}")
    editor.press("remove:0")
    removed = editor.names
    editor.press("undo")

    assert removed == []
    assert editor.names == ["a"]
    assert str(10**40) in editor.desk.text


def test_a_draft_with_too_many_rules_is_left_as_yaml_to_be_mended(editor: Editor) -> None:
    editor.press("yaml")
    with bounded(15):
        editor.press("rules", text="rules:\n" + "- {type: exact_match}\n" * 5_000)
    refused = editor.html
    editor.press("rules", text="rules:\n- {type: exact_match}\n")

    assert "A contract has at most 50 rules, and this one has 5,000: take some" in refused
    assert editor.names == ["exact_match_0"]


@pytest.mark.parametrize("action", ["catalog", "choose:contains", "copy:3"])
def test_a_full_contract_takes_no_further_rule(editor: Editor, action: str) -> None:
    rules = "".join(f"- {{type: exact_match, name: r{at}}}\n" for at in range(50))
    editor.press("yaml")
    editor.press("rules", text="rules:\n" + rules)
    editor.press(action)

    assert len(editor.names) == 50
    assert "A contract has at most 50 rules: take one out first." in editor.html
    assert editor.desk.rule_form is None


def test_cards_are_drawn_once_of_a_draft_and_tell_few_of_many_problems(editor: Editor) -> None:
    keys = ", ".join(f"k{at}: 1" for at in range(5_000))
    editor.press("yaml")
    editor.press("rules", text=f"rules:\n- {{type: exact_match, name: a, {keys}}}\n")

    assert editor.desk.cards is editor.desk.cards
    assert len(editor.desk.cards[0].problems) == 21
    assert editor.desk.cards[0].problems[-1] == "And 4,980 more."


@pytest.mark.parametrize("name", ["{a: 1}", "7", "n" * 121])
def test_a_name_that_is_none_is_refused_and_not_cut(editor: Editor, name: str) -> None:
    editor.press("yaml")
    editor.press("save", text=f"name: {name}\nrules: [{{type: exact_match}}]")

    assert "name: must be a text of at most 120 characters." in editor.html


def test_saving_what_is_no_contract_names_the_rule(
    editor: Editor, contract: GradingContract
) -> None:
    editor.press("yaml")
    editor.press("rules", text="rules:\n- {type: regex, name: r}\n")
    editor.press("save", htmx=False)

    assert "Rule 1 (r): pattern: is required." in editor.html
    assert saved(contract) == starter_spec("reference")


def test_a_contract_without_rules_is_a_draft_and_no_contract(editor: Editor) -> None:
    for _ in range(3):
        editor.press("remove:0")
    empty = editor.html
    editor.press("save", htmx=False)

    assert "No rules yet" in empty
    assert "a contract needs at least one rule" in editor.html
