from django.apps import AppConfig


class DashboardsConfig(AppConfig):
    name = "apps.dashboards"
    default_auto_field = "django.db.models.BigAutoField"
