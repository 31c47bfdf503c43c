"""Campaigns in the admin: to look at; they change through their pages, the API and commands."""

from django.contrib import admin

from apps.accounts.admin import ReadOnly

from .models import Campaign


@admin.register(Campaign)
class CampaignAdmin(ReadOnly):
    list_display = ("name", "workspace", "kind", "state", "created_by", "created_at")
    list_filter = ("workspace", "state", "kind")
    list_select_related = ("workspace", "created_by")
    search_fields = ("id", "name")
