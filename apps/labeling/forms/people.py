"""Who labels, and who of them settles."""

from collections.abc import Iterable
from typing import Any, cast

from django import forms

from apps.accounts.models import User, Workspace
from apps.accounts.queries import members


class UsersField(forms.TypedMultipleChoiceField):
    """A choice of members; the form's value is the people themselves."""

    def offer(self, people: Iterable[tuple[User, str]]) -> None:
        listed = list(people)
        by_key = {str(user.pk): user for user, _role in listed}
        self.coerce = by_key.__getitem__
        self.choices = [(str(user.pk), f"{user.label} · {role}") for user, role in listed]


class PeopleForm(forms.Form):
    people = UsersField(
        label="Who labels",
        widget=forms.CheckboxSelectMultiple,
        help_text="Each gets an account in Argilla, made and kept for them.",
    )
    settlers = UsersField(
        required=False,
        label="Who settles disagreements",
        widget=forms.CheckboxSelectMultiple,
        help_text="Of those who label; leads may always.",
    )

    def __init__(self, *args: Any, workspace: Workspace, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer_members(self, workspace)


def offer_members(form: forms.Form, workspace: Workspace) -> None:
    """Members of the workspace, for both fields; one query."""
    found = [(each.user, each.role) for each in members(workspace) if each.user.is_active]
    for name in ("people", "settlers"):
        cast(UsersField, form.fields[name]).offer(found)
