"""The sheet of components, as pages of an installation that has every section."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLResolver, include, path
from django.utils import timezone

from apps.web.paging import Page
from apps.web.rendering import render_page

from . import samples

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
RECORDS = 5


class SampleForm(forms.Form):
    name = forms.CharField(help_text="Shown in every table.")
    note = forms.CharField(required=False, widget=forms.Textarea)
    kind = forms.ChoiceField(choices=[("fresh", "Fresh"), ("pilot", "Pilot")])
    cap = forms.DecimalField(label="Cost cap in $", min_value=0)
    scope = forms.ChoiceField(
        choices=[("all", "All of them, and those that another version of the same data had")],
        widget=forms.RadioSelect,
    )
    agreed = forms.BooleanField(label="I know what this costs")


class UploadForm(forms.Form):
    title = forms.CharField(initial="Tickets")
    file = forms.FileField(help_text="Dataset Contract v1.")


def sheet(request: HttpRequest) -> HttpResponse:
    return _sheet(
        request,
        "sheet/sheet.html",
        fragment=("slices", "runs"),
        started=timezone.now() - timedelta(seconds=63),
        slices=samples.SLICES,
        scale=samples.SCALE,
        target=samples.TARGET,
        runs=samples.RUNS,
        page=Page(items=[], older="older", newer="newer"),
        segments=samples.SEGMENTS,
        latency=samples.latency(),
    )


def forms_sheet(request: HttpRequest) -> HttpResponse:
    form = SampleForm(request.GET or None)
    return _sheet(request, "sheet/forms.html", form=form, upload=UploadForm())


def upload(request: HttpRequest) -> HttpResponse:
    form = UploadForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        return redirect("runs:uploaded", size=form.cleaned_data["file"].size)
    return _sheet(request, "sheet/upload.html", form=form)


def uploaded(request: HttpRequest, size: int) -> HttpResponse:
    return _sheet(request, "sheet/empty.html", size=size)


def record(request: HttpRequest, number: int) -> HttpResponse:
    return _sheet(
        request,
        "sheet/record.html",
        fragment="record",
        number=number,
        previous=number - 1 if number > 1 else None,
        next=number + 1 if number < RECORDS else None,
        hostile=HOSTILE,
        long_text="All work and no play. " * 400,
    )


def forbidden(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied("Only leads start runs.")


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("meant to break")


def _sheet(
    request: HttpRequest, template: str, fragment: str | tuple[str, ...] = (), **context: Any
) -> HttpResponse:
    membership = SimpleNamespace(allows=lambda permission: True, role="lead")
    workspace = SimpleNamespace(slug="demo", name="Support quality")
    shown = {"membership": membership, "workspace": workspace, "workspaces": [workspace], **context}
    return render_page(request, template, fragment=fragment, **shown)


def elsewhere(request: HttpRequest, slug: str) -> HttpResponse:
    return render(request, "sheet/empty.html")


_sheets = [
    path("", sheet, name="sheet"),
    path("forms/", forms_sheet, name="forms"),
    path("upload/", upload, name="upload"),
    path("uploaded/<int:size>/", uploaded, name="uploaded"),
    path("records/<int:number>/", record, name="record"),
    path("forbidden/", forbidden, name="forbidden"),
    path("broken/", broken, name="broken"),
]


def _section(app: str, *names: str) -> URLResolver:
    pages = [path(f"w/<slug:slug>/{app}/{name}/", elsewhere, name=name) for name in names]
    return path("", include((pages, app)))


urlpatterns = [
    path("", elsewhere, {"slug": "demo"}, name="home"),
    path("runs/", include(([*_sheets, path("<slug:slug>/", elsewhere, name="list")], "runs"))),
    _section("dashboards", "overview", "search"),
    _section("datasets", "list"),
    _section("grading", "list"),
    _section("targets", "list"),
    path("", include("apps.accounts.urls")),
]
