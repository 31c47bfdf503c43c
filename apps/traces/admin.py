"""Traces in the admin: to look at only."""

from django.contrib import admin

from apps.accounts.admin import ReadOnly

from .models import EvidenceManifest, Trace


@admin.register(Trace)
class TraceAdmin(ReadOnly):
    list_display = ["trace_id", "workspace", "source", "status", "event_count", "created_at"]
    list_filter = ["workspace", "source"]
    list_select_related = ["workspace"]
    search_fields = ["trace_id", "scenario_id", "session_id"]


@admin.register(EvidenceManifest)
class EvidenceAdmin(ReadOnly):
    list_display = ["subject", "issuer", "workspace", "measured_at", "created_at"]
    list_filter = ["workspace"]
    list_select_related = ["workspace"]
