from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "apps.web"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from .wording import speak_plainly

        speak_plainly()
