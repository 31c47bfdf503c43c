"""Targets in the Django admin: to look at; pages and commands change them."""

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from unfold.admin import ModelAdmin, TabularInline

from .models import Target, TargetVersion


class ReadOnly:
    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class VersionInline(ReadOnly, TabularInline):  # type: ignore[misc]
    model = TargetVersion
    fields = ["number", "spec", "spec_sha256", "created_at"]
    readonly_fields = fields
    extra = 0
    ordering = ["-number"]


@admin.register(Target)
class TargetAdmin(ReadOnly, ModelAdmin):  # type: ignore[misc]
    list_display = ["name", "workspace", "kind", "current_number", "created_at", "archived_at"]
    list_filter = ["kind", "workspace"]
    list_select_related = ["workspace"]
    search_fields = ["name", "id"]
    inlines = [VersionInline]
