"""Datasets in the admin: to look at; they change through their pages alone."""

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from .models import Dataset, DatasetVersion, Upload


class _ReadOnly(ModelAdmin):  # type: ignore[misc]  # unfold has no types
    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Dataset)
class DatasetAdmin(_ReadOnly):
    list_display = ("name", "workspace", "owner", "created_at", "archived_at")
    list_filter = ("workspace",)
    list_select_related = ("workspace", "owner")
    search_fields = ("name", "id")


@admin.register(DatasetVersion)
class DatasetVersionAdmin(_ReadOnly):
    list_display = (
        "dataset",
        "label",
        "format",
        "accepted",
        "rejected",
        "created_by",
        "created_at",
    )
    list_filter = ("dataset__workspace", "format")
    list_select_related = ("dataset", "created_by")
    search_fields = ("dataset__name", "label", "id", "identity")


@admin.register(Upload)
class UploadAdmin(_ReadOnly):
    list_display = ("name", "workspace", "state", "deliveries", "created_by", "created_at", "error")
    list_filter = ("workspace", "state", "purpose")
    list_select_related = ("workspace", "created_by")
    search_fields = ("name", "id", "identity")
