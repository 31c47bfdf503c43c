"""How the API spells datasets, versions, records and uploads."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.datasets import answers, queries
from apps.datasets.comparing import versions as comparing
from apps.datasets.contracts import Header
from apps.datasets.models import Dataset, DatasetVersion, Record, Upload, UploadFile, UploadIssue
from apps.jobs.models import JobState
from apps.web.openapi import ErrorSerializer


class UserNameField(serializers.CharField):
    def to_representation(self, user: Any) -> str:
        return str(user.get_username())


# -- the answer to an upload ----------------------------------------------------------------


class RecordErrorSerializer(serializers.Serializer[Any]):
    """One thing wrong with one record. The first six fields are fixed by Dataset Contract v1, which
    has no other; `line` counts from 1 and is there where the file has lines."""

    index = serializers.IntegerField(min_value=0, allow_null=True)
    record_id = serializers.CharField(allow_null=True)
    code = serializers.CharField()
    message = serializers.CharField()
    path = serializers.CharField()
    severity = serializers.ChoiceField(choices=["error", "warning"])
    line = serializers.IntegerField(min_value=1, required=False)
    hint = serializers.CharField(required=False)


class SummarySerializer(serializers.Serializer[Any]):
    total_records = serializers.IntegerField(min_value=0)
    accepted_records = serializers.IntegerField(min_value=0)
    rejected_records = serializers.IntegerField(min_value=0)


class AcceptedDatasetSerializer(serializers.Serializer[Any]):
    """`warnings` come with every format but Dataset Contract v1; `told` says what became of
    annotations, scores and traces, which are no dataset."""

    dataset_version_id = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(choices=[answers.ACCEPTED, answers.ACCEPTED_WITH_ERRORS])
    summary = SummarySerializer()
    record_errors = RecordErrorSerializer(many=True)
    warnings = RecordErrorSerializer(many=True, required=False)
    told = serializers.CharField(required=False)
    request_id = serializers.CharField()


class RefusedDatasetSerializer(ErrorSerializer):
    """The envelope of every failure; with what was wrong where a file was read. `details.reason`
    says `record_errors`, `mapping_needed` or `main_needed` where there is a way on."""

    summary = SummarySerializer(required=False)
    record_errors = RecordErrorSerializer(many=True, required=False)
    warnings = RecordErrorSerializer(many=True, required=False)


# -- what is kept ---------------------------------------------------------------------------


class DatasetSerializer(serializers.ModelSerializer[Dataset]):
    owner = UserNameField(allow_null=True)
    versions = serializers.IntegerField(source="versions_count", min_value=0)
    latest_version_id = serializers.CharField(source="latest")

    class Meta:
        model = Dataset
        fields = (
            "id",
            "name",
            "description",
            "owner",
            "versions",
            "latest_version_id",
            "created_at",
            "archived_at",
        )
        read_only_fields = fields


class HeaderSerializer(serializers.Serializer[Header]):
    dataset_id = serializers.CharField()
    dataset_version = serializers.CharField()
    schema_version = serializers.CharField()
    created_at = serializers.CharField(allow_null=True)
    metadata = serializers.DictField()


class VersionSerializer(serializers.ModelSerializer[DatasetVersion]):
    dataset = serializers.CharField(source="dataset_id")
    header = serializers.SerializerMethodField()
    sha256 = serializers.CharField(source="identity")
    summary = serializers.SerializerMethodField()
    created_by = UserNameField(allow_null=True)

    class Meta:
        model = DatasetVersion
        fields = (
            "id",
            "dataset",
            "label",
            "format",
            "header",
            "summary",
            "sha256",
            "records_sha256",
            "created_at",
            "created_by",
        )
        read_only_fields = fields

    @extend_schema_field(HeaderSerializer)
    def get_header(self, version: DatasetVersion) -> Any:
        return self.context["sight"].value(version.header)

    @extend_schema_field(SummarySerializer)
    def get_summary(self, version: DatasetVersion) -> dict[str, int]:
        return {
            "total_records": version.total,
            "accepted_records": version.accepted,
            "rejected_records": version.rejected,
        }


class RecordSerializer(serializers.ModelSerializer[Record]):
    index = serializers.IntegerField(source="ordinal", min_value=0)
    record_sha256 = serializers.CharField(source="sha256")
    record = serializers.SerializerMethodField()

    class Meta:
        model = Record
        fields = ("index", "record_id", "kind", "record_sha256", "input_sha256", "record")
        read_only_fields = fields

    def get_record(self, record: Record) -> dict[str, Any]:
        return queries.payload_of(record, self.context["sight"])


class ChangeSerializer(serializers.Serializer[Any]):
    record_id = serializers.CharField()
    change = serializers.ChoiceField(choices=comparing.KINDS, source="kind")
    before = RecordSerializer(allow_null=True)
    after = RecordSerializer(allow_null=True)


class ChangeCountsSerializer(serializers.Serializer[Any]):
    added = serializers.IntegerField(min_value=0)
    removed = serializers.IntegerField(min_value=0)
    changed = serializers.IntegerField(min_value=0)
    same = serializers.IntegerField(min_value=0)


class ComparisonSerializer(serializers.Serializer[Any]):
    from_version = serializers.CharField()
    to_version = serializers.CharField()
    counts = ChangeCountsSerializer()
    change = serializers.ChoiceField(choices=comparing.KINDS)
    results = ChangeSerializer(many=True)
    next = serializers.IntegerField(allow_null=True)


class CountsSerializer(serializers.Serializer[Any]):
    total = serializers.IntegerField(required=False)
    accepted = serializers.IntegerField(required=False)
    rejected = serializers.IntegerField(required=False)
    issues = serializers.IntegerField(required=False)
    warnings = serializers.IntegerField(required=False)
    codes = serializers.DictField(child=serializers.IntegerField(), required=False)


class RefusalSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    message = serializers.CharField()
    details = serializers.DictField()


class UploadFileSerializer(serializers.ModelSerializer[UploadFile]):
    sha256 = serializers.CharField(source="blob_id")
    size = serializers.IntegerField(source="blob.size", min_value=0)

    class Meta:
        model = UploadFile
        fields = ("role", "path", "size", "sha256")
        read_only_fields = fields


class UploadSerializer(serializers.ModelSerializer[Upload]):
    state = serializers.ChoiceField(choices=JobState.values)
    size = serializers.IntegerField(source="total", min_value=0)
    options = serializers.DictField()
    files = UploadFileSerializer(many=True)
    http_status = serializers.SerializerMethodField()
    error = serializers.SerializerMethodField()
    told = serializers.SerializerMethodField()
    warnings = serializers.SerializerMethodField()
    counts = CountsSerializer()
    dataset_version_id = serializers.CharField(source="version_id", allow_null=True)
    created_by = UserNameField(allow_null=True)

    class Meta:
        model = Upload
        fields = (
            "id",
            "name",
            "format",
            "purpose",
            "options",
            "files",
            "state",
            "size",
            "done",
            "counts",
            "http_status",
            "error",
            "told",
            "warnings",
            "dataset_version_id",
            "request_id",
            "created_at",
            "started_at",
            "finished_at",
            "created_by",
        )
        read_only_fields = fields

    def get_http_status(self, upload: Upload) -> int | None:
        return upload.outcome["status"] if upload.outcome else None

    @extend_schema_field(RefusalSerializer(allow_null=True))
    def get_error(self, upload: Upload) -> dict[str, Any] | None:
        outcome = upload.outcome or {}
        if "code" not in outcome:
            return None
        return {name: outcome[name] for name in ("code", "message", "details")}

    def get_told(self, upload: Upload) -> str:
        """What became of a file that is no dataset; empty for one that is."""
        return str((upload.outcome or {}).get("told", ""))

    def get_warnings(self, upload: Upload) -> list[str]:
        return upload.outcome["warnings"] if upload.outcome else []


class IssueSerializer(serializers.ModelSerializer[UploadIssue]):
    code = serializers.CharField()
    value = serializers.SerializerMethodField(method_name="seen_value")

    class Meta:
        model = UploadIssue
        fields = (
            "index",
            "line",
            "record_id",
            "code",
            "message",
            "path",
            "severity",
            "hint",
            "value",
        )
        read_only_fields = fields

    def seen_value(self, issue: UploadIssue) -> str:
        """The offending value as JSON, clipped."""
        seen: str = self.context["sight"].text(issue.value)
        return seen


class FormatSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    title = serializers.CharField()
    hint = serializers.CharField()
    purpose = serializers.CharField()
    endings = serializers.ListField(child=serializers.CharField())
    media_types = serializers.ListField(child=serializers.CharField())
    all_or_nothing = serializers.BooleanField(
        help_text="Whether one error keeps every record out, unless `valid_only` is said."
    )
    refers_to_files = serializers.BooleanField()
    columns = serializers.ListField(child=serializers.CharField())
    required_columns = serializers.IntegerField(min_value=0)
    schema_url = serializers.CharField()
    template_url = serializers.CharField()
