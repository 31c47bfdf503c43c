"""Datasets in the admin: to look at; they change through their pages alone."""

from django.contrib import admin

from apps.accounts.admin import ReadOnly

from .models import Dataset, DatasetVersion, Upload


@admin.register(Dataset)
class DatasetAdmin(ReadOnly):
    list_display = ("name", "workspace", "owner", "created_at", "archived_at")
    list_filter = ("workspace",)
    list_select_related = ("workspace", "owner")
    search_fields = ("name", "id")


@admin.register(DatasetVersion)
class DatasetVersionAdmin(ReadOnly):
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
class UploadAdmin(ReadOnly):
    list_display = ("name", "workspace", "state", "deliveries", "created_by", "created_at", "error")
    list_filter = ("workspace", "state", "purpose")
    list_select_related = ("workspace", "created_by")
    search_fields = ("name", "id", "identity")
