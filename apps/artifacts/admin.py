"""What is kept and what will be let go, to look at only."""

from django.contrib import admin

from apps.accounts.admin import ReadOnly

from .models import Artifact, Bundle, RetentionPlan


@admin.register(Bundle)
class BundleAdmin(ReadOnly):
    list_display = ["id", "kind", "workspace", "sealed_at", "raw_until", "summary_until"]
    list_filter = ["kind", "workspace"]
    list_select_related = ["workspace"]
    search_fields = ["id", "manifest_sha256"]


@admin.register(Artifact)
class ArtifactAdmin(ReadOnly):
    list_display = ["name", "bundle", "tier", "size", "rows", "purged_at"]
    list_filter = ["tier", "name"]
    list_select_related = ["bundle"]
    search_fields = ["bundle__id", "sha256"]


@admin.register(RetentionPlan)
class RetentionPlanAdmin(ReadOnly):
    """What the scheduled job will purge a day after `made_at`, and what it did purge."""

    list_display = ["made_at", "due", "bytes", "applied_at"]
