"""A form per kind of target, built from its spec: labels, help texts, errors at their fields."""

import types
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin

from django import forms
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from apps.fields import NameInput

from .complaints import complaints
from .credentials import checked_variable, references
from .describing import GROUPS
from .models import TargetVersion
from .services import MAX_NAME
from .specs import SPEC_OF_KIND, Kind, Spec, TargetSpec, parse_spec


@dataclass(frozen=True)
class FieldGroup:
    """Bound fields under one title: the short ones side by side, then the long ones."""

    title: str
    hint: str
    short: list[forms.BoundField]
    long: list[forms.BoundField]


class TargetForm(forms.Form):
    """`spec` holds the result once the form is valid; `name` is the target's."""

    spec_class: ClassVar[type[Spec]]
    kind: ClassVar[Kind]

    name = NameInput(max_length=MAX_NAME, label="Name", help_text="What runs and pages call it.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, info in self.spec_class.model_fields.items():
            if name != "kind":
                self.fields[name] = field_of(info)
        self.spec: TargetSpec | None = None

    @classmethod
    def of_version(cls, version: TargetVersion) -> "TargetForm":
        """The form as it stands for a target that is there already."""
        return cls(initial={"name": version.target.name, **version.parsed.model_dump(mode="json")})

    @property
    def groups(self) -> list[FieldGroup]:
        found = []
        for group in GROUPS:
            bound = [self[name] for name in group.names if name in self.fields]
            long = [field for field in bound if field.widget_type == "textarea"]
            short = [field for field in bound if field not in long]
            found.append(FieldGroup(group.title, group.hint, short, long))
        return [group for group in found if group.short or group.long]

    @property
    def may_name_secrets(self) -> bool:
        return not {"api_key_env", "headers"}.isdisjoint(self.fields)

    @property
    def secret_names(self) -> list[str]:
        """The environment variables that the form names now, without those no target may read."""
        named = [str(self["api_key_env"].value() or "")] if "api_key_env" in self.fields else []
        if "headers" in self.fields:
            named += references(str(self["headers"].value()))
        return list(dict.fromkeys(name for name in named if _may_be_read(name)))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        given = {
            name: value
            for name, value in cleaned.items()
            if name != "name" and value not in (None, "")
        }
        try:
            self.spec = parse_spec({"kind": self.kind, **given})
        except ValidationError as error:
            self._place(complaints(error))
        return cleaned

    def _place(self, found: dict[str, list[str]]) -> None:
        """Put each sentence at its field, unless Django has said something there already."""
        for name, sentences in found.items():
            if name not in self.errors:
                self.add_error(name if name in self.fields else None, sentences)


def form_for(kind: str) -> type[TargetForm]:
    """The form of a kind; KeyError where there is no such kind."""
    return _FORMS[kind]


def field_of(info: FieldInfo) -> forms.Field:
    """The Django field that asks for a spec's field."""
    kind = _plain(info.annotation)
    known: dict[str, Any] = {
        "label": info.title,
        "help_text": info.description or "",
        "required": info.is_required(),
        "initial": None if info.is_required() else info.get_default(call_default_factory=True),
    }
    if get_origin(kind) is Literal:
        return forms.ChoiceField(choices=[(each, each) for each in get_args(kind)], **known)
    if kind is int:
        return forms.IntegerField(**known)
    if kind is float:
        return forms.FloatField(**known)
    if kind is str:
        return forms.CharField(widget=_text_widget(info), **known)
    return forms.JSONField(widget=forms.Textarea(attrs={"rows": 4}), **_as_json(known))


def _may_be_read(name: str) -> bool:
    try:
        checked_variable(name)
    except ValueError:
        return False
    return True


def _plain(annotation: Any) -> Any:
    """The type itself: without None, without the checks that hang on it."""
    if get_origin(annotation) in (Union, types.UnionType):
        annotation = next(each for each in get_args(annotation) if each is not type(None))
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _text_widget(info: FieldInfo) -> forms.Widget:
    extra = info.json_schema_extra
    is_long = isinstance(extra, dict) and bool(extra.get("long"))
    return forms.Textarea(attrs={"rows": 4}) if is_long else forms.TextInput()


def _as_json(known: dict[str, Any]) -> dict[str, Any]:
    initial = known["initial"]
    return {**known, "initial": list(initial) if isinstance(initial, tuple) else initial}


_FORMS: dict[str, type[TargetForm]] = {
    kind: type(
        f"{spec_class.__name__}Form", (TargetForm,), {"spec_class": spec_class, "kind": kind}
    )
    for kind, spec_class in SPEC_OF_KIND.items()
}
