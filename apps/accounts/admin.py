"""The Django admin: for those who run the installation, not for the work in a workspace."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.db.models import Model
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from .models import ApiToken, AuditEvent, Invitation, Membership, User, Workspace
from .services import record

admin.site.unregister(Group)  # roles are memberships


class Recorded(ModelAdmin):  # type: ignore[misc]
    """Changes leave an audit event; nothing is deleted, people and workspaces are switched off."""

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        _note(request, obj, "created", message)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        _note(request, obj, "changed", message)
        return super().log_change(request, obj, message)


def _note(request: HttpRequest, obj: Model, verb: str, message: list[dict[str, Any]]) -> None:
    """`message` is Django's: [{"changed": {"fields": ["Name"]}}]."""
    fields = [name for part in message for said in part.values() for name in said.get("fields", [])]
    record(
        workspace=obj if isinstance(obj, Workspace) else getattr(obj, "workspace", None),
        actor=request.user,
        verb=verb,
        obj=obj,
        changes={"fields": [None, fields]} if fields else {},
        request_id=getattr(request, "request_id", ""),
        via="admin",
    )


class LookedAt:
    """What nobody adds, changes or deletes here: a page of the admin, or a table within one."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnly(LookedAt, ModelAdmin):  # type: ignore[misc]  # unfold has no types
    """Rows to look at; they change through pages, the API and commands."""


@admin.register(User)
class PersonAdmin(UserAdmin, Recorded):  # type: ignore[type-arg]
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ["username", "first_name", "last_name", "email", "is_active", "is_staff"]
    list_filter = ["is_active", "is_staff"]
    filter_horizontal = ()
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        ("Person", {"fields": ["first_name", "last_name", "email"]}),
        ("Access", {"fields": ["is_active", "is_staff", "is_superuser"]}),
        ("Dates", {"fields": ["last_login", "date_joined"]}),
    ]
    readonly_fields = ["last_login", "date_joined"]


@admin.register(Workspace)
class WorkspaceAdmin(Recorded):
    list_display = ["name", "slug", "redacts_personal_data", "created_at", "archived_at"]
    search_fields = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}


@admin.register(Membership)
class MembershipAdmin(Recorded):
    """Members are added here; their pages change roles, so that an admin always stays."""

    list_display = ["user", "workspace", "role", "created_at"]
    list_filter = ["role", "workspace"]
    list_select_related = ["user", "workspace"]

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnly):
    list_display = [
        "name",
        "prefix",
        "user",
        "workspace",
        "expires_at",
        "last_used_at",
        "revoked_at",
    ]
    list_filter = ["workspace"]
    list_select_related = ["user", "workspace"]
    exclude = ["digest"]


@admin.register(Invitation)
class InvitationAdmin(ReadOnly):
    list_display = ["email", "workspace", "role", "invited_by", "expires_at", "accepted_at"]
    list_filter = ["workspace", "role"]
    list_select_related = ["workspace", "invited_by"]
    exclude = ["digest"]


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnly):
    list_display = ["at", "actor_label", "verb", "object_label", "workspace", "via", "request_id"]
    list_filter = ["via", "workspace"]
    list_select_related = ["workspace"]
    search_fields = ["actor_label", "object_label", "object_id", "request_id"]
    show_full_result_count = False
