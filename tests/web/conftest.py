"""The sheet of components and a way to render a snippet of them."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.template import RequestContext, Template
from django.test import RequestFactory
from django_cotton.compiler_regex import CottonCompiler

Renderer = Callable[..., str]


@pytest.fixture
def sheets(settings: LazySettings) -> None:
    """Serve the components' sheet instead of the product."""
    templates: Any = copy.deepcopy(settings.TEMPLATES)
    templates[0]["DIRS"] = [*templates[0]["DIRS"], Path(__file__).parent / "templates"]
    settings.TEMPLATES = templates
    settings.ROOT_URLCONF = "tests.web.urls"


@pytest.fixture
def render(rf: RequestFactory) -> Renderer:
    """Render template source with components in it, as the page at `address` would."""

    def rendered(source: str, address: str = "/runs/", **context: Any) -> str:
        compiled = CottonCompiler().process("{% load components formats %}" + source)
        return Template(compiled).render(RequestContext(rf.get(address), context))

    return rendered
