"""The documents: commands that parse, links that lead somewhere, words that are still true."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.management import BaseCommand, get_commands, load_command_class
from django.urls import resolve

from apps.datasets.contracts import AcceptedRecord
from apps.datasets.formats import FORMATS
from apps.datasets.formats.contract_v1 import checks, limits, shape
from apps.datasets.uploading.bundles import Bundle
from evalhub.config import load
from evalhub.inventory import settings_of

CHECKOUT = Path(__file__).resolve().parent.parent
README = CHECKOUT / "README.md"
CONTRACT = CHECKOUT / "docs/formats/contract_v1.md"
DECISIONS = sorted((CHECKOUT / "docs/decisions").glob("*.md"))
DOCUMENTS = [
    README,
    CHECKOUT / "CHANGELOG.md",
    CHECKOUT / "benchmarks/README.md",
    CHECKOUT / "templates/cotton/README.md",
    *sorted((CHECKOUT / "docs").rglob("*.md")),
]
SHELL = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
JSON = re.compile(r"^```json\n(.*?)^```", re.MULTILINE | re.DOTALL)
INSIDE = re.compile(r"\$\((.+)\)")
LINK = re.compile(r"""\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)\"""")
FOREIGN = re.compile(r"/work/|/root/|/home/|/opt/|pypi\.org|pythonhosted|npmjs|/simple/")


def _lines(document: Path) -> Iterator[str]:
    """The lines of shell in a document; of `X=$(…)` what is inside."""
    for block in SHELL.findall(document.read_text()):
        for line in block.replace("\\\n", " ").splitlines():
            inside = INSIDE.search(line)
            yield inside[1] if inside else line


def _commands() -> Iterator[tuple[str, ...]]:
    """The arguments of each `evalhub …` that a document tells people to write."""
    for document in DOCUMENTS:
        for line in _lines(document):
            words = shlex.split(line, comments=True)
            while words and re.match(r"[A-Z_]+=", words[0]):
                del words[0]
            if words and Path(words[0]).name == "evalhub":
                yield tuple(words[1:])


def _command(name: str) -> BaseCommand:
    app = get_commands()[name]
    return app if isinstance(app, BaseCommand) else load_command_class(app, name)


def _id(document: Path) -> str:
    return str(document.relative_to(CHECKOUT))


@pytest.mark.parametrize("arguments", sorted(set(_commands())), ids=shlex.join)
def test_every_command_that_is_told_can_be_written_so(arguments: tuple[str, ...]) -> None:
    name, *options = arguments
    parser = _command(name).create_parser("evalhub", name)

    parsed = parser.parse_args(options)

    assert vars(parsed)
    assert name in parser.format_help()


def test_the_main_job_is_told_from_validating_to_verifying() -> None:
    told = [arguments[0] for arguments in _commands()]

    assert [told.index(name) for name in ("validate", "import", "target", "run", "verify")] == (
        sorted(told.index(name) for name in ("validate", "import", "target", "run", "verify"))
    )


@pytest.mark.parametrize("document", DOCUMENTS, ids=_id)
def test_every_command_that_is_named_exists(document: Path) -> None:
    named = set(re.findall(r"`evalhub ([a-z]+)", document.read_text()))

    assert named <= set(get_commands())


@pytest.mark.parametrize("document", DOCUMENTS, ids=_id)
def test_every_target_of_make_exists(document: Path) -> None:
    made = set(re.findall(r"^(\w+):", (CHECKOUT / "Makefile").read_text(), re.MULTILINE))

    told = set(re.findall(r"(?:^|`)make ([a-z]+)", document.read_text(), re.MULTILINE))

    assert told <= made


@pytest.mark.parametrize("document", DOCUMENTS, ids=_id)
def test_every_relative_link_leads_to_a_file(document: Path) -> None:
    targets = [first or second for first, second in LINK.findall(document.read_text())]
    local = [target for target in targets if not urlsplit(target).scheme and target[0] != "#"]

    missing = [
        target for target in local if not (document.parent / target.partition("#")[0]).exists()
    ]

    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=_id)
def test_no_document_names_a_place_of_one_machine_or_a_registry(document: Path) -> None:
    found = FOREIGN.search(document.read_text())

    assert found is None


@pytest.mark.parametrize("document", DOCUMENTS, ids=_id)
def test_every_setting_that_is_named_exists(document: Path) -> None:
    known = {setting.variable for setting in settings_of(load())}

    named = set(re.findall(r"EVALHUB_[A-Z][A-Z_]*[A-Z]", document.read_text()))

    assert named <= known


def test_every_address_of_the_api_leads_somewhere() -> None:
    addresses = re.findall(r"https?://127\.0\.0\.1:8000(/[^\s\"`]*)", README.read_text())

    views = [resolve(urlsplit(address).path) for address in addresses]

    assert len([view for view in views if view.namespace == "api"]) == 3


def test_the_chapters_of_the_architecture_are_the_apps() -> None:
    text = (CHECKOUT / "docs/architecture.md").read_text()
    table = text.partition("## The chapters")[2].partition("## The tree")[0]

    told = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))

    assert told == {path.parent.name for path in (CHECKOUT / "apps").glob("*/apps.py")} | {
        "metrics"
    }


@pytest.mark.parametrize("document", DECISIONS, ids=_id)
def test_a_decision_tells_problem_choice_and_price(document: Path) -> None:
    headings = re.findall(r"^## (\w+)$", document.read_text(), re.MULTILINE)

    assert [each for each in headings if each != "Measured"] == ["Problem", "Choice", "Price"]


def test_decisions_are_numbered_without_a_gap() -> None:
    numbers = [int(document.name[:4]) for document in DECISIONS]

    assert numbers == list(range(1, len(DECISIONS) + 1))


def test_the_format_tells_every_code() -> None:
    rows = re.findall(r"^\| `([a-z_]+)` \| `", CONTRACT.read_text(), re.MULTILINE)

    codes = {code for code, _ in checks.MISTAKES.values()}

    assert set(rows) == codes | {"duplicate_record_id", "record_too_large", "invalid_encoding"}


def test_the_format_tells_every_sentence() -> None:
    text = CONTRACT.read_text()
    fixed = [sentence for _, sentence in checks.MISTAKES.values() if "{" not in sentence]

    untold = [sentence for sentence in [*fixed, *checks.FORMS.values()] if sentence not in text]

    assert len(fixed) >= 7
    assert untold == []


def test_the_format_tells_every_limit() -> None:
    text = CONTRACT.read_text()
    numbers = [value for value in vars(limits).values() if isinstance(value, int)]

    told = [f"{number:,}" in text for number in numbers if number != limits.WINDOW_BYTES]

    assert len(told) >= 7
    assert all(told)
    assert all(criterion in text for criterion in shape.CRITERIA)


def test_the_document_of_the_format_is_accepted() -> None:
    example = JSON.findall(CONTRACT.read_text())[0]

    records = list(FORMATS["contract_v1"].read(Bundle("dataset.json", example.encode())))

    assert [type(record) for record in records] == [AcceptedRecord]
