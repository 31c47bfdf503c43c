"""The Django admin shows what is kept, and changes nothing of it."""

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.artifacts import bundles
from apps.artifacts.models import Bundle

from .conftest import NOW


@pytest.fixture
def admin(client: Client, ada: User) -> Client:
    User.objects.filter(pk=ada.pk).update(is_staff=True, is_superuser=True)
    client.force_login(User.objects.get(pk=ada.pk), "django.contrib.auth.backends.ModelBackend")
    return client


@pytest.mark.parametrize("page", ["bundle", "artifact", "retentionplan"])
def test_an_admin_may_look_and_not_add(admin: Client, bundle: Bundle, page: str) -> None:
    bundles.write_artifact(bundle, "a.json", [b"1"], tier="raw")
    bundles.seal(bundle, {}, NOW)

    assert admin.get(f"/admin/artifacts/{page}/").status_code == 200
    assert admin.get(f"/admin/artifacts/{page}/add/").status_code == 403


def test_an_admin_sees_a_bundle_and_cannot_change_it(admin: Client, bundle: Bundle) -> None:
    page = f"/admin/artifacts/bundle/{bundle.pk}/change/"

    assert admin.get(page).status_code == 200
    assert admin.post(page, {"kind": "other"}).status_code == 403
