"""What components write: the right element, the right words, and hostile text only as text."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django import forms
from django.template import TemplateDoesNotExist

from apps.metrics.intervals import rate
from apps.web.states import look_of

from .conftest import Renderer

COMPONENTS = Path(__file__).parents[2] / "templates/cotton"
HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7|add:1 }}{% now 'Y' %}"
QUOTED = '" onmouseover="alert(1)"'


class Elements(HTMLParser):
    """Every element that a browser would make of the output, with its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data

    def attributes(self, tag: str) -> dict[str, str | None]:
        return next(attrs for name, attrs in self.found if name == tag)


class SampleForm(forms.Form):
    name = forms.CharField(label="Name", help_text="Shown in tables.")
    note = forms.CharField(required=False)
    kind = forms.ChoiceField(choices=[("a", "A")], widget=forms.RadioSelect)
    secret = forms.CharField(widget=forms.HiddenInput)
    file = forms.FileField(required=False)


# -- hostile text --------------------------------------------------------------------------


@pytest.mark.parametrize("text", [HOSTILE, QUOTED])
@pytest.mark.parametrize(
    "source",
    [
        '<c-card title="{{ text }}" hint="{{ text }}" id="{{ text }}">{{ text }}</c-card>',
        '<c-card :title="text" :hint="text" :id="text" :data-x="text">{{ text }}</c-card>',
        '<c-page-head :title="text"><c-slot name="meta">{{ text }}</c-slot></c-page-head>',
        '<c-badge :title="text" :data-x="text">{{ text }}</c-badge>',
        '<c-state :value="text" :title="text" />',
        '<c-kpi :label="text" :value="text" :unit="text" :delta="text" :note="text" />',
        '<c-kpi :label="text" :href="text" />',
        '<c-button :href="text" :name="text">{{ text }}</c-button>',
        '<c-button :value="text" :data-x="text">{{ text }}</c-button>',
        '<c-icon-button icon="x" :label="text" :data-x="text" />',
        '<c-icon name="x" :label="text" />',
        '<c-notice tone="bad" :title="text">{{ text }}</c-notice>',
        '<c-table :label="text" :class="text"></c-table>',
        '<c-th :sort="text" :hint="text">{{ text }}</c-th>',
        '<c-chip :name="text" :value="text" :count="text">{{ text }}</c-chip>',
        '<c-search-field :value="text" :label="text" :placeholder="text" />',
        '<c-empty :title="text">{{ text }}</c-empty>',
        '<c-confirm :action="text" :label="text" :text="text" />',
        '<c-copy :value="text" :label="text" />',
        '<c-text :text="text" :label="text" />',
        '<c-code :text="text" :label="text" />',
        '<c-text :text="text" limit="10" />',
        '<c-fact :label="text" :hint="text">{{ text }}</c-fact>',
        '<c-list-item tone="ok" :code="text" :title="text" :text="text" :href="text" />',
        '<c-check :title="text" :rule="text" :value="text" />',
        '<c-panel :title="text" :previous="text" :next="text" :page="text" />',
        '<c-crumb :href="text">{{ text }}</c-crumb>',
        '<c-meta :label="text" icon="user">{{ text }}</c-meta>',
        '<c-tab :href="text" :count="text">{{ text }}</c-tab>',
        '<c-pager :note="text" />',
        '<c-progress value="1" :label="text" />',
    ],
)
def test_hostile_text_becomes_no_element_and_no_attribute(
    render: Renderer, source: str, text: str
) -> None:
    harmless = Elements(render(source, text="harmless"))

    attacked = Elements(render(source, text=text))

    assert shape_of(attacked) == shape_of(harmless)


def shape_of(elements: Elements) -> list[tuple[str, list[str]]]:
    """Elements and attribute names; a clipped text has two more elements than a short one."""
    clip = {"details", "summary", "pre"}
    return [(tag, sorted(attrs)) for tag, attrs in elements.found if tag not in clip]


def test_template_code_in_a_text_is_not_run(render: Renderer) -> None:
    shown = Elements(render('<c-text :text="text" />', text="{{ 7|add:1 }}{% now 'Y' %}"))

    assert shown.words.strip() == "{{ 7|add:1 }}{% now 'Y' %}"


def test_a_text_keeps_its_lines_and_spaces(render: Renderer) -> None:
    assert "<pre" in (html := render('<c-text :text="text" />', text="a\n  b"))
    assert "a\n  b</pre>" in html


def test_a_long_text_is_clipped_with_everything_behind_a_press(render: Renderer) -> None:
    html = render('<c-text :text="text" limit="100" />', text="x" * 500)

    assert "Show all 500 characters" in html
    assert html.count("x" * 500) == 1


def test_no_text_says_so(render: Renderer) -> None:
    assert "No answer" in render('<c-text :text="text" none="No answer" />', text="")


# -- words and tones -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "tone", "label"),
    [
        ("running", "info", "Running"),
        ("completed", "ok", "Completed"),
        ("completed_with_failures", "warn", "Completed, with failures"),
        ("timeout", "bad", "Timed out"),
        ("queued", "neutral", "Queued"),
        ("never heard of", "neutral", "Never heard of"),
    ],
)
def test_a_state_has_its_tone_and_its_words(
    render: Renderer, state: str, tone: str, label: str
) -> None:
    badge = Elements(render('<c-state :value="state" />', state=state))

    assert badge.attributes("span")["data-tone"] == tone
    assert badge.words.strip() == label


def test_only_what_is_under_way_pulses() -> None:
    assert look_of("running").pulse
    assert not look_of("completed").pulse


def test_an_estimate_shows_its_interval_and_its_n(render: Renderer) -> None:
    shown = Elements(render('<c-estimate :of="of" />', of=rate(862, 1000)))

    assert shown.words.split() == ["86.2", "%", "83.9", "–", "88.2"]
    assert "n = 1,000" in str(shown.attributes("span")["title"])


def test_an_estimate_that_cannot_be_made_says_why(render: Renderer) -> None:
    shown = Elements(render('<c-estimate :of="of" />', of=rate(0, 0)))

    assert shown.attributes("span")["title"] == rate(0, 0).reason
    assert shown.words.strip().startswith("–")


# -- buttons, links, addresses -------------------------------------------------------------


def test_a_button_with_an_address_is_a_link(render: Renderer) -> None:
    link = Elements(render('<c-button href="/x" tone="primary" data-panel>Open</c-button>'))

    assert link.attributes("a") == {
        "class": "button",
        "href": "/x",
        "data-tone": "primary",
        "data-panel": None,
    }


def test_a_pressed_column_sorts_the_other_way_and_forgets_the_page(render: Renderer) -> None:
    source = '<c-th sort="name">Name</c-th>'

    head = Elements(render(source, address="/runs/?sort=name&cursor=abc&state=failed"))

    assert head.attributes("th")["aria-sort"] == "ascending"
    assert head.attributes("a")["href"] == "/runs/?sort=-name&state=failed"


@pytest.mark.parametrize(
    ("address", "href", "current"),
    [
        ("/runs/", "/runs/?status=failed", None),
        ("/runs/?status=failed", "/runs/", "true"),
        ("/runs/?status=ok", "/runs/?status=ok&status=failed", None),
        ("/runs/?q=x&cursor=abc", "/runs/?q=x&status=failed", None),
    ],
)
def test_a_chip_toggles_its_value(
    render: Renderer, address: str, href: str, current: str | None
) -> None:
    chip = Elements(
        render('<c-chip name="status" value="failed">Failed</c-chip>', address=address)
    ).attributes("a")

    assert chip["href"] == href
    assert chip.get("aria-current") == current


def test_a_chip_that_stands_alone_replaces_the_others(render: Renderer) -> None:
    source = '<c-chip name="by" value="length" single>Length</c-chip>'

    chip = Elements(render(source, address="/runs/?by=channel"))

    assert chip.attributes("a")["href"] == "/runs/?by=length"


def test_a_pager_links_the_neighbours_it_has(render: Renderer) -> None:
    html = render('<c-pager :page="page" />', address="/runs/?q=x", page={"older": "abc"})

    assert Elements(html).attributes("a")["href"] == "/runs/?q=x&cursor=abc"
    assert "Newer" not in html


# -- forms ---------------------------------------------------------------------------------


def test_a_field_ties_label_help_and_errors_to_its_control(render: Renderer) -> None:
    html = render('<c-field :field="form.name" />', form=SampleForm({}))

    control = Elements(html).attributes("input")
    assert control["aria-describedby"] == "id_name_helptext id_name_error"
    assert control["aria-invalid"] == "true"
    assert all(f'id="{name}"' in html for name in ("id_name_helptext", "id_name_error"))
    assert 'for="id_name"' in html


def test_a_help_text_of_the_page_is_tied_too(render: Renderer) -> None:
    html = render('<c-field :field="form.note" help="For your team." />', form=SampleForm())

    assert Elements(html).attributes("input")["aria-describedby"] == "id_note_helptext"
    assert "For your team." in html


def test_several_controls_are_a_group_with_a_legend(render: Renderer) -> None:
    html = render('<c-field :field="form.kind" />', form=SampleForm({}))

    group = Elements(html)
    assert group.attributes("fieldset")["aria-describedby"] == "id_kind_error"
    assert "legend" in [tag for tag, _ in group.found]


def test_errors_are_listed_with_links_to_their_fields(render: Renderer) -> None:
    form = SampleForm({})
    form.add_error(None, "Nothing was chosen.")

    html = render('<c-errors :form="form" />', form=form)

    assert 'href="#id_name"' in html
    assert "Nothing was chosen." in html


def test_a_form_without_errors_has_no_summary(render: Renderer) -> None:
    assert render('<c-errors :form="form" />', form=SampleForm()).strip() == ""


def test_a_file_field_knows_its_limit_and_tells_it(render: Renderer) -> None:
    source = '<c-dropzone :field="form.file" max-bytes="1000" accept=".json" hint="Up to 1 kB" />'

    html = render(source, form=SampleForm())

    control = Elements(html).attributes("input")
    assert control["data-max-bytes"] == "1000"
    assert control["aria-describedby"] == "id_file_limits"
    assert "Up to 1 kB" in html


def test_what_destroys_is_a_post_with_a_token(render: Renderer) -> None:
    html = render('<c-confirm action="/x" label="Archive" />', csrf_token="token")

    assert Elements(html).attributes("form")["method"] == "post"
    assert 'name="csrfmiddlewaretoken"' in html


# -- the list of components ----------------------------------------------------------------


def test_every_component_is_in_the_list() -> None:
    listed = (COMPONENTS / "README.md").read_text()

    names = [path.stem.replace("_", "-") for path in COMPONENTS.glob("*.html")]

    assert [name for name in names if f"`c-{name}`" not in listed] == []


def test_every_component_renders_with_only_what_it_needs(render: Renderer) -> None:
    needs = {
        "icon": 'name="x"',
        "icon-button": 'icon="x"',
        "field": ':field="form.name"',
        "dropzone": ':field="form.file"',
    }

    for path in COMPONENTS.glob("*.html"):
        name = path.stem.replace("_", "-")
        html = render(f"<c-{name} {needs.get(name, '')}></c-{name}>", form=SampleForm())
        assert not re.search(r"<c-|{{|{%", html)


def test_a_component_that_does_not_exist_is_an_error(render: Renderer) -> None:
    with pytest.raises(TemplateDoesNotExist, match="nowhere"):
        render("<c-nowhere />")
