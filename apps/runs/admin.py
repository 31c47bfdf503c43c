"""Runs in the admin: to look at; they change through their pages, the API and commands."""

from django.contrib import admin

from apps.accounts.admin import ReadOnly

from .models import Run


@admin.register(Run)
class RunAdmin(ReadOnly):
    list_display = ("title", "workspace", "state", "planned", "created_by", "created_at")
    list_filter = ("workspace", "state", "kind")
    list_select_related = ("workspace", "dataset_version__dataset", "created_by")
    search_fields = ("id", "name")
