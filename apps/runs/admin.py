"""Runs in the admin: to look at; they change through their pages, the API and commands."""

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from .models import Run


@admin.register(Run)
class RunAdmin(ModelAdmin):  # type: ignore[misc]  # unfold has no types
    list_display = ("title", "workspace", "state", "planned", "created_by", "created_at")
    list_filter = ("workspace", "state", "kind")
    list_select_related = ("workspace", "dataset_version__dataset", "created_by")
    search_fields = ("id", "name")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Run | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Run | None = None) -> bool:
        return False
