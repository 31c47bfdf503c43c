"""The forms of people, members and tokens."""

from datetime import timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from apps.fields import NameInput

from . import queries
from .models import LONGEST_EMAIL, Workspace
from .permissions import Role
from .queries import AuditFilter

ROLES = [(role.value, role.title()) for role in Role]


class InviteForm(forms.Form):
    email = forms.EmailField(label="E-mail address", max_length=LONGEST_EMAIL)
    role = forms.ChoiceField(choices=ROLES, initial=Role.REVIEWER)


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=ROLES)


class TokenForm(forms.Form):
    name = NameInput(max_length=80, help_text="What it is for, for example “nightly CI”.")
    days = forms.TypedChoiceField(
        label="Expires after",
        coerce=int,
        choices=[(7, "7 days"), (30, "30 days"), (90, "90 days"), (365, "365 days")],
        initial=90,
    )

    @property
    def lifetime(self) -> timedelta:
        return timedelta(days=self.cleaned_data["days"])


class ProfileForm(forms.Form):
    first_name = NameInput(max_length=150, required=False)
    last_name = NameInput(max_length=150, required=False)
    email = forms.EmailField(label="E-mail address", required=False, max_length=LONGEST_EMAIL)


class AcceptForm(forms.Form):
    """What somebody new says of themselves."""

    username = forms.CharField(
        label="User name",
        max_length=150,
        help_text="Letters, digits and @ . + - _",
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
    )
    full_name = NameInput(
        label="Your name",
        max_length=150,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    password = forms.CharField(
        strip=False,
        help_text="At least 8 characters; no common password, not only digits, not like your name.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    repeated = forms.CharField(
        label="Password again",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        repeated = given.pop("repeated", None)
        if "password" in given and given["password"] != repeated:
            self.add_error("repeated", ValidationError("The two passwords differ."))
        return given


class AuditFilterForm(forms.Form):
    actor = forms.ChoiceField(label="Who", required=False)
    verb = forms.ChoiceField(label="Did", required=False)
    kind = forms.ChoiceField(label="To", required=False)
    object_id = forms.CharField(label="Id", required=False, max_length=64)

    def __init__(self, *args: Any, workspace: Workspace, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._offer("actor", queries.audit_choices(workspace, "actor_label"))
        self._offer("verb", queries.audit_choices(workspace, "verb"))
        kinds = queries.audit_choices(workspace, "object_type")
        self._offer("kind", kinds, [queries.kind_label(kind) for kind in kinds])

    def wanted(self) -> AuditFilter:
        """What was chosen; a value that is not on offer filters nothing."""
        self.is_valid()
        return AuditFilter(**self.cleaned_data)

    def _offer(self, name: str, values: list[str], labels: list[str] | None = None) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", "Any"), *zip(values, labels or values, strict=True)]
