"""Drafts of contracts, and the forms made from the rules' schemas."""

from typing import Any

import pytest
from django.http import QueryDict
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.grading.documents import write_yaml
from apps.grading.editing import drafts
from apps.grading.editing.cards import cards_of, general_problems
from apps.grading.editing.settings import contract_settings, settings_of, threshold_settings
from apps.grading.editing.values import read, shown_as, written
from apps.grading.forms import ContractForm, RuleForm
from apps.grading.reading.texts import SpecError
from apps.grading.rules import RULE_OF_TYPE
from apps.grading.spec import ContractSpec, Thresholds
from apps.grading.starters import STARTERS, starter_spec

TWO = "rules:\n- {type: exact_match, name: a}\n- {type: token_f1, name: b, threshold: 0.7}\n"
EXAMPLES = [
    (name, example.settings) for name, rule in RULE_OF_TYPE.items() for example in rule.examples
]


@pytest.fixture
def draft() -> drafts.Document:
    return drafts.read_draft(TWO)


def names(document: drafts.Document) -> list[str]:
    return [rule["name"] for rule in document["rules"]]


# -- drafts --------------------------------------------------------------------------------


def test_rules_are_moved_copied_taken_out_and_put_back(draft: drafts.Document) -> None:
    moved = drafts.moved(draft, 1, 0)
    copied = drafts.copied(draft, 0)
    removed = drafts.removed(draft, 0)

    assert names(moved) == ["b", "a"]
    assert names(copied) == ["a", "a_2", "b"]
    assert names(removed) == ["b"]
    assert drafts.inserted(removed, 0, draft["rules"][0]) == draft
    assert names(draft) == ["a", "b"]


def test_a_rule_is_not_moved_beyond_the_ends(draft: drafts.Document) -> None:
    assert drafts.moved(draft, 0, -1) == draft
    assert drafts.moved(draft, 1, 2) == draft


def test_rules_of_other_formats_are_put_into_our_words() -> None:
    document = drafts.read_draft("assertions:\n- {type: icontains, value: refund}\n")

    spec = drafts.spec_of(document)

    assert spec is not None
    assert spec.rules[0].type == "contains"
    assert spec.passing_score == 0.8


@pytest.mark.parametrize("text", ["rules: 5", "thresholds: 5", "thresholds: {cost: 5}", "[", "x"])
def test_what_is_no_draft_says_why(text: str) -> None:
    with pytest.raises(SpecError):
        drafts.read_draft(text)


def test_a_draft_may_be_wrong_and_says_where() -> None:
    document = drafts.read_draft(
        "rules: [{type: exact_match, name: a, threshold: 3}, {type: guess}, 5]\ncolour: red\n"
    )

    cards = cards_of(document)

    assert [card.problems[0].partition(":")[0] for card in cards[:1]] == ["threshold"]
    assert "there is no rule type 'guess'" in cards[1].problems[0]
    assert cards[2].problems
    assert [card.has_form for card in cards] == [True, False, False]
    assert general_problems(document)[0].startswith("colour: is not known here")


@pytest.mark.parametrize("starter", STARTERS)
def test_a_draft_that_nobody_changed_is_the_same_contract(starter: Any) -> None:
    spec = starter_spec(starter)
    document = drafts.read_draft(write_yaml(spec))

    form = ContractForm(document)
    same = drafts.with_settings(document, *_sent_back(form))

    assert drafts.spec_of(same) == spec


def test_thresholds_are_set_and_taken_away() -> None:
    document = {"rules": [{"type": "exact_match", "name": "a"}], "thresholds": {"cost": None}}
    limits = {"pass_rate.at_least": 0.8, "pass_rate.by": "point", "score.by": "lower"}

    spec = drafts.spec_of(drafts.with_settings(document, {}, limits))

    assert spec is not None
    assert spec.thresholds == Thresholds.model_validate(
        {"pass_rate": {"at_least": 0.8, "by": "point"}}
    )


# -- forms ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rule_type", RULE_OF_TYPE)
def test_every_setting_of_a_rule_has_a_control_with_a_title_and_help(rule_type: str) -> None:
    form = RuleForm(rule_type, {"name": "a"})

    html = form.as_div()

    for each in settings_of(rule_type):
        assert f'name="rule-{each.name}"' in html
        assert each.title
        assert each.help
    assert set(RULE_OF_TYPE[rule_type].model_fields) - {"type"} == {
        each.name for each in settings_of(rule_type)
    }


@pytest.mark.parametrize(("rule_type", "said"), EXAMPLES, ids=str)
def test_a_form_that_is_sent_back_unchanged_changes_nothing(
    rule_type: str, said: dict[str, Any]
) -> None:
    entry = {"name": "a", **said}
    before = RULE_OF_TYPE[rule_type].model_validate({"type": rule_type, **entry})
    written_down = before.model_dump(mode="json")

    form = RuleForm(rule_type, written_down)
    again = RuleForm(rule_type, written_down, _data_of(form))

    assert again.is_valid(), again.errors
    assert RULE_OF_TYPE[rule_type].model_validate(again.entry) == before


def test_only_what_is_not_at_its_default_is_written_down() -> None:
    form = RuleForm("token_f1", {"name": "f1"})
    data = _data_of(form, {"rule-threshold": "0.7"})

    again = RuleForm("token_f1", {}, data)

    assert again.is_valid()
    assert again.entry == {"type": "token_f1", "name": "f1", "threshold": 0.7}


@pytest.mark.parametrize(
    ("field", "raw", "said"),
    [
        ("threshold", "3", "should be less than or equal to 1"),
        ("threshold", "much", "should be a number."),
        ("name", "Ä b", "a name has only a-z, 0-9, _ and -, at most 64"),
        ("name", "taken", "another rule of this contract has this name."),
        ("values", "[", "This is not valid YAML"),
    ],
)
def test_an_error_stands_at_its_field(field: str, raw: str, said: str) -> None:
    opened = RuleForm("contains", {"name": "c", "value": "x", "values": ["a\nb"]})
    data = _data_of(opened, {f"rule-{field}": raw})

    form = RuleForm("contains", {}, data, others=[{"name": "taken"}])

    assert not form.is_valid()
    assert said in str(form.errors[field])


def test_a_form_marks_what_must_be_given() -> None:
    form = RuleForm("field_accuracy", {})

    assert form.needed == {"name", "fields"}
    assert form["fields"].field.widget.attrs["aria-required"] == "true"
    assert "aria-required" not in form["aggregation"].field.widget.attrs


def test_a_box_for_yaml_has_the_example_of_its_rule() -> None:
    form = RuleForm("composite", {})

    assert "For example:\n- type: contains\n  name: a\n" in form["rules"].field.help_text


def test_what_a_control_cannot_hold_is_shown_as_yaml() -> None:
    values = next(each for each in settings_of("contains") if each.name == "values")

    plain = shown_as(values, ["a", "b"])
    lines = shown_as(values, ["a\nb", "c"])

    assert (plain.kind, lines.kind) == ("texts", "yaml")
    assert read(lines, written(lines, ["a\nb", "c"])) == ["a\nb", "c"]


def test_what_no_form_asks_for_is_not_lost_unseen() -> None:
    said = {"type": "token_f1", "name": "f1", "colour": "red"}

    form = RuleForm("token_f1", said, _data_of(RuleForm("token_f1", said)))

    assert not form.is_valid()
    assert "colour: is not known here" in form.non_field_errors()[0]


def test_the_contract_itself_is_checked_at_its_fields() -> None:
    changes = {
        "contract-passing_score": "7",
        "contract-pass_rate.at_least": "2",
        "contract-cost.at_most": "cheap",
    }
    data = _data_of(ContractForm({"rules": []}), changes)

    form = ContractForm({}, data)

    assert set(form.errors) == {"passing_score", "pass_rate.at_least", "cost.at_most"}


def test_every_setting_of_a_contract_is_in_its_form() -> None:
    asked = {each.name for each in contract_settings()}
    limits = {each.name.partition(".")[0] for each in threshold_settings()}

    assert asked == set(ContractSpec.model_fields) - {"rules", "thresholds"}
    assert limits == set(Thresholds.model_fields)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(sorted(RULE_OF_TYPE)), st.data())
@settings(deadline=None)
def test_whatever_a_draft_says_its_form_opens_and_comes_back(rule_type: str, data: Any) -> None:
    fields = [each.name for each in settings_of(rule_type)]
    said = data.draw(st.dictionaries(st.sampled_from(fields), json_values))

    form = RuleForm(rule_type, said)
    again = RuleForm(rule_type, said, _data_of(form))

    again.is_valid()
    assert again.as_div()


def _sent_back(form: ContractForm) -> tuple[dict[str, Any], dict[str, Any]]:
    again = ContractForm({}, _data_of(form))
    assert again.is_valid(), again.errors
    return again.said, again.limits


def _data_of(form: Any, changes: dict[str, str] | None = None) -> QueryDict:
    """What a browser sends of a form in which this was changed."""
    data = QueryDict(mutable=True)
    for field in form:
        value = field.value()
        if isinstance(value, list | tuple):
            data.setlist(field.html_name, list(value))
        elif value is True:
            data[field.html_name] = "on"
        elif value is not False and value is not None:
            data[field.html_name] = str(value).replace("\n", "\r\n")
    for name, value in (changes or {}).items():
        data[name] = value
    return data
