"""Where the pages of deciding are."""

from . import comparing, gates, judges, planning, trends

app_name = "analysis"

urlpatterns = [
    *judges.urlpatterns,
    *comparing.urlpatterns,
    *gates.urlpatterns,
    *trends.urlpatterns,
    *planning.urlpatterns,
]
