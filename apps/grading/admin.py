"""Contracts in the admin: to look at; they change through the contract pages alone."""

from django.contrib import admin

from apps.accounts.admin import ReadOnly

from .models import ContractVersion, GradingContract


@admin.register(GradingContract)
class GradingContractAdmin(ReadOnly):
    list_display = ("name", "workspace", "created_by", "created_at", "archived_at")
    list_filter = ("workspace",)
    search_fields = ("name", "id")


@admin.register(ContractVersion)
class ContractVersionAdmin(ReadOnly):
    list_display = ("contract", "number", "locked_at", "created_by", "created_at", "spec_sha256")
    list_filter = ("contract__workspace",)
    list_select_related = ("contract", "created_by")
    search_fields = ("contract__name", "id", "spec_sha256")
