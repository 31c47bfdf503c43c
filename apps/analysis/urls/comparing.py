"""Where the pages of comparing are."""

from django.urls import path

from apps.analysis.views import comparing, comparing_files, comparing_records

_COMPARE = "w/<slug:slug>/compare"

urlpatterns = [
    path(f"{_COMPARE}/", comparing.compare, name="compare"),
    path(f"{_COMPARE}.csv", comparing_files.export_csv, name="compare-csv"),
    path(f"{_COMPARE}.json", comparing_files.export_json, name="compare-json"),
    path(f"{_COMPARE}.agentv.json", comparing_files.export_agentv, name="compare-agentv"),
    path(f"{_COMPARE}/records/", comparing_records.records, name="compare-records"),
    path(f"{_COMPARE}/records/<int:ordinal>/", comparing_records.record, name="compare-record"),
]
