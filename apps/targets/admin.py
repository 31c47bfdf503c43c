"""Targets in the Django admin: to look at; pages and commands change them."""

from django.contrib import admin
from unfold.admin import TabularInline

from apps.accounts.admin import LookedAt, ReadOnly

from .models import Target, TargetVersion


class VersionInline(LookedAt, TabularInline):  # type: ignore[misc]
    model = TargetVersion
    fields = ["number", "spec", "spec_sha256", "created_at"]
    readonly_fields = fields
    extra = 0
    ordering = ["-number"]


@admin.register(Target)
class TargetAdmin(ReadOnly):
    list_display = ["name", "workspace", "kind", "current_number", "created_at", "archived_at"]
    list_filter = ["kind", "workspace"]
    list_select_related = ["workspace"]
    search_fields = ["name", "id"]
    inlines = [VersionInline]
