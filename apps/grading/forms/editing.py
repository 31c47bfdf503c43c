"""Forms made from schemas: a rule's settings, and what a contract says beside its rules."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from apps.grading.complaints import path
from apps.grading.editing.drafts import (
    entry_of,
    limits_of,
    problems_of,
    problems_of_rule,
    with_settings,
)
from apps.grading.editing.settings import (
    Setting,
    contract_settings,
    settings_of,
    threshold_settings,
)
from apps.grading.editing.values import UNSET, as_free, as_yaml, read, shown_as, written

FREE = "as-yaml"
"""The name of the hidden field that tells which settings stand as YAML in this form."""
ANY_RULE = {"type": "exact_match", "name": "any"}
LONGEST_EXAMPLE = 16
_ONE_LINE = {"rows": 1, "class": "mono one-line", "spellcheck": "false"}
_LINES = {"rows": 3, "class": "mono", "spellcheck": "false"}


class SettingsForm(forms.Form):
    """Controls for some settings; `values` has what was filled in, once the form is valid."""

    def __init__(
        self, settings: Sequence[Setting], said: Mapping[str, Any], *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.settings = self._shaped(settings, said)
        self.values: dict[str, Any] = {}
        for each in self.settings:
            self.fields[each.name] = _control(each)
            if each.required and each.kind != "choices":  # a group of boxes may not say it
                self.fields[each.name].widget.attrs["aria-required"] = "true"
            self.initial[each.name] = written(each, said.get(each.name, each.default))
        free = " ".join(each.name for each in self.settings if each.kind == "yaml")
        self.fields[FREE] = forms.CharField(required=False, widget=forms.HiddenInput)
        self.initial[FREE] = free

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for each in self.settings:
            try:
                value = read(each, cleaned.get(each.name, ""))
            except ValueError as error:
                self.add_error(each.name, str(error))
            else:
                self.values |= {} if value is UNSET else {each.name: value}
        return cleaned

    @property
    def hidden(self) -> forms.BoundField:
        return self[FREE]

    @property
    def needed(self) -> frozenset[str]:
        """The names of what must be given: a form of no required fields marks them by it."""
        return frozenset(each.name for each in self.settings if each.required)

    def bound(self, names: Sequence[str]) -> list[forms.BoundField]:
        return [self[name] for name in names if name in self.fields]

    def _shaped(self, settings: Sequence[Setting], said: Mapping[str, Any]) -> tuple[Setting, ...]:
        """As the form that was sent had them; a new one as the values need it."""
        if not self.is_bound:
            return tuple(shown_as(s, said[s.name]) if s.name in said else s for s in settings)
        free = set(str(self.data.get(self.add_prefix(FREE), "")).split())
        return tuple(as_free(each) if each.name in free else each for each in settings)


class RuleForm(SettingsForm):
    """One rule; `entry` is how the draft writes it down, once the form is valid."""

    def __init__(
        self,
        rule_type: str,
        said: Mapping[str, Any],
        *args: Any,
        others: Sequence[Any] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(settings_of(rule_type), said, *args, prefix="rule", **kwargs)
        self.rule_type, self.others = rule_type, others
        known = {each.name for each in self.settings}
        self.rest = {k: v for k, v in said.items() if k not in known and k != "type"}
        self.entry: dict[str, Any] = {}

    @property
    def own(self) -> list[forms.BoundField]:
        return self.bound([each.name for each in self.settings if not each.common])

    @property
    def common(self) -> list[forms.BoundField]:
        return self.bound([each.name for each in self.settings if each.common])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        self.entry = entry_of(self.rule_type, self.values, self.rest)
        for problem in problems_of_rule(self.entry, self.others):
            place = str(problem.at[0]) if problem.at else ""
            if place in self.fields:
                if place not in self.errors:
                    within = path(problem.at[1:]).removeprefix(".")
                    self.add_error(place, f"{within} {problem.text}".strip())
            else:
                self.add_error(None, f"{place}: {problem.text}" if place else problem.text)
        return cleaned


class ContractForm(SettingsForm):
    """What a contract says beside its rules."""

    def __init__(self, document: Mapping[str, Any], *args: Any, **kwargs: Any) -> None:
        said = {**document, **limits_of(dict(document))}
        settings = (*contract_settings(), *threshold_settings())
        super().__init__(settings, said, *args, prefix="contract", **kwargs)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        alone = with_settings({"rules": [ANY_RULE]}, self.said, self.limits)
        for problem in problems_of(alone):
            place = ".".join(str(step) for step in problem.at).removeprefix("thresholds.")
            if place in self.fields and place not in self.errors:
                self.add_error(place, problem.text)
        return cleaned

    @property
    def limits(self) -> dict[str, Any]:
        """The thresholds that were filled in, by names like `pass_rate.at_least`."""
        return {name: value for name, value in self.values.items() if "." in name}

    @property
    def said(self) -> dict[str, Any]:
        return {name: value for name, value in self.values.items() if "." not in name}

    @property
    def of_contract(self) -> list[forms.BoundField]:
        return self.bound([each.name for each in contract_settings()])

    @property
    def of_run(self) -> list[tuple[forms.BoundField, forms.BoundField]]:
        """Of each threshold its limit, and which bound counts."""
        fields = self.bound([each.name for each in threshold_settings()])
        return list(zip(fields[::2], fields[1::2], strict=True))


def _control(setting: Setting) -> forms.Field:
    """Never required and never checked by Django: the schema of the rule says what is wrong."""
    common: dict[str, Any] = {
        "label": setting.title,
        "required": False,
        "help_text": _help(setting),
    }
    match setting.kind:
        case "flag":
            return forms.BooleanField(**common)
        case "choice":
            nothing = [("", "–")] if setting.nullable or setting.required else []
            choices = [*nothing, *((each, each) for each in setting.choices)]
            named = {"aria-label": setting.title} if not setting.help else {}
            return forms.ChoiceField(choices=choices, widget=forms.Select(attrs=named), **common)
        case "choices":
            choices = [(each, each) for each in setting.choices]
            widget = forms.CheckboxSelectMultiple
            return forms.MultipleChoiceField(choices=choices, widget=widget, **common)
        case _:
            return forms.CharField(strip=False, widget=_widget(setting), **common)


def _widget(setting: Setting) -> forms.Widget:
    match setting.kind:
        case "number" | "whole":
            mode = "numeric" if setting.kind == "whole" else "decimal"
            return forms.TextInput(attrs={"inputmode": mode, "autocomplete": "off"})
        case "text":
            return forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})
        case "words":
            return forms.Textarea(attrs=_ONE_LINE)
        case _:
            return forms.Textarea(attrs=_LINES)


def _help(setting: Setting) -> str:
    parts = [setting.help]
    if setting.kind == "texts":
        parts.append("One a line.")
    if setting.kind == "yaml":
        parts.append("YAML or JSON.")
        parts += [f"{p.name}: {p.help}" for p in setting.parts if p.help]
        parts += _example(setting)
    return "\n".join(part for part in parts if part)


def _example(setting: Setting) -> list[str]:
    """The lines of an example; none where it is too long for a help text."""
    if setting.example is None:
        return []
    lines = as_yaml(setting.example).split("\n")
    return ["For example:", *lines] if len(lines) <= LONGEST_EXAMPLE else []
