"""Contracts in the admin: to look at; they change through the contract pages alone."""

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from .models import ContractVersion, GradingContract


class _ReadOnly(ModelAdmin):  # type: ignore[misc]  # unfold has no types
    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(GradingContract)
class GradingContractAdmin(_ReadOnly):
    list_display = ("name", "workspace", "created_by", "created_at", "archived_at")
    list_filter = ("workspace",)
    search_fields = ("name", "id")


@admin.register(ContractVersion)
class ContractVersionAdmin(_ReadOnly):
    list_display = ("contract", "number", "locked_at", "created_by", "created_at", "spec_sha256")
    list_filter = ("contract__workspace",)
    list_select_related = ("contract", "created_by")
    search_fields = ("contract__name", "id", "spec_sha256")
