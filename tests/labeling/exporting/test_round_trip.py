"""What was exported and is read back gives the same annotations."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.accounts.models import Workspace
from apps.datasets.formats.per_task import QUESTIONS
from apps.labeling.models import Annotation, AnnotationChange, Campaign, Item
from tests.datasets.pairs import a_pair, lines_of, pairs_version, real, uploaded
from tests.labeling.exported import content, exported, names
from tests.runs.conftest import again

Row = dict[str, Any]
Said = set[tuple[Any, ...]]

HOSTILE = st.text(
    st.characters(exclude_categories=["C"], include_characters="\n=+-@'\",;"), max_size=20
).filter(lambda text: not text or text == text.strip())
NOTES = st.one_of(st.just(""), HOSTILE, st.sampled_from(["=1+1", "'=x", "''@", "-2", '"a", b']))
PEOPLE = st.sampled_from(["ada", "bob", "@dora", "'=eve"])
NAIVE = [datetime(year, 1, 1) for year in (2024, 2026)]  # noqa: DTZ001 - as hypothesis wants them
MOMENTS = st.datetimes(*NAIVE, timezones=st.just(UTC))
REASONS = st.sampled_from(["unclear", "invalid_or_unrealistic", "=odd"])
TEXTS = st.one_of(
    st.sampled_from(["yes", "No", "1", "a; b", "true", "line one\nline two", "'quoted"]),
    HOSTILE.filter(lambda text: bool(text.strip())),
)
PLACES = st.sampled_from([(0, ""), (1, ""), (0, "c1"), (0, "c2"), (1, "c2")])

# A response: who, about which item, when, with which notes, and one label a question or a reason.
RESPONSE = st.fixed_dictionaries(
    {
        "place": PLACES,
        "annotator": PEOPLE,
        "annotated_at": st.one_of(st.none(), MOMENTS),
        "notes": NOTES,
        "labels": st.lists(st.booleans(), min_size=5, max_size=5),
        "texts": st.lists(TEXTS, min_size=2, max_size=2),
        "reason": st.one_of(st.none(), REASONS),
        "begun_at": st.one_of(st.none(), MOMENTS),
    }
)
RESPONSES = st.lists(
    RESPONSE, min_size=1, max_size=8, unique_by=lambda one: (one["place"], one["annotator"])
)
EXAMPLES = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def campaign(workspace: Workspace) -> Campaign:
    """The import campaign of two pairs, with every kind of question."""
    chunks = [{"chunk_id": f"c{rank}", "chunk_rank": rank, "text": f"P{rank}."} for rank in (1, 2)]
    pairs = [a_pair(number, chunks=chunks) for number in range(2)]
    pairs_version(workspace, lines_of(*pairs), "pairs.jsonl")
    label = {"id": "p0", "task_type": "relevance", "label": True, "annotator_id": "first"}
    uploaded(workspace, lines_of({**label, "annotated_at": ""}), "labels.jsonl")
    campaign = Campaign.objects.get()
    for task, names_of_task in QUESTIONS.items():
        for name in names_of_task:
            campaign.questions.create(task_type=task, name=name)
    campaign.questions.create(task_type="own", name="tone")
    campaign.questions.create(task_type="", name="notes")
    return campaign


def said() -> Said:
    rows = Annotation.objects.values_list(
        *("item__result__ordinal", "item__chunk", "question__task_type", "question__name"),
        *("annotator", "label", "discard_reason", "notes", "annotated_at"),
    )
    return set(rows)


def with_beginnings() -> Said:
    return set(Annotation.objects.values_list("item", "question", "annotator", "begun_at"))


def fill(campaign: Campaign, responses: list[Row]) -> None:
    """The labels, and only they."""
    forget()
    results = {each.ordinal: each for each in campaign.run.results.all()}
    for one in responses:
        ordinal, chunk = one["place"]
        item, _ = Item.objects.get_or_create(
            campaign=campaign, result=results[ordinal], chunk=chunk
        )
        Annotation.objects.bulk_create(_annotations(campaign, item, one))


def forget() -> None:
    AnnotationChange.objects.all().delete()
    Annotation.objects.all().delete()


def read_back(workspace: Workspace, files: list[tuple[str, bytes]]) -> None:
    forget()
    for name, raw in files:
        upload = uploaded(workspace, raw, name)
        assert upload.outcome is not None
        assert "told" in upload.outcome, (upload.outcome, list(upload.issues.all()))


@EXAMPLES
@given(responses=RESPONSES)
@pytest.mark.parametrize(("form", "name"), [("labels", "labels.csv"), ("lines", "labels.jsonl")])
def test_labels_and_lines_say_everything_again(
    workspace: Workspace, campaign: Campaign, form: str, name: str, responses: list[Row]
) -> None:
    fill(campaign, responses)
    before, beginnings = said(), with_beginnings()

    export = exported(campaign, form, include_discarded=True)
    read_back(workspace, [(name, content(export, name))])

    assert said() == before
    assert with_beginnings() == beginnings


@EXAMPLES
@given(responses=RESPONSES)
def test_files_of_tasks_say_every_response_again(
    workspace: Workspace, campaign: Campaign, responses: list[Row]
) -> None:
    fill(campaign, responses)
    before = said()

    export = exported(campaign, "tasks", include_discarded=True)
    tables = [name for name in names(export) if name.endswith(".csv") and "merged" not in name]
    files = [(name, content(export, name)) for name in tables]
    read_back(workspace, [(name, raw) for name, raw in files if raw.count(b"\r\n") > 1])

    assert said() == before


def test_a_second_import_of_an_export_changes_nothing(
    workspace: Workspace, campaign: Campaign
) -> None:
    export = exported(campaign, "lines")

    upload = uploaded(workspace, content(export, "labels.jsonl"), "labels.jsonl")

    assert upload.outcome is not None
    assert upload.outcome["told"].endswith("0 new, 0 changed, 1 as before.")


def test_hashes_of_pairs_are_recognised_in_the_version_that_has_them(
    workspace: Workspace, campaign: Campaign
) -> None:
    export = exported(campaign, "tasks")
    raw = content(export, "task_relevance.csv")

    upload = uploaded(workspace, raw, "task_relevance.csv")
    unknown = uploaded(workspace, raw.replace(_uuid(raw), b"0" * 64), "unknown.csv")

    assert upload.outcome is not None
    assert upload.outcome["told"].endswith("0 new, 0 changed, 1 as before.")
    assert unknown.outcome is not None
    assert unknown.outcome["code"] == "unknown_ids"


def test_pairs_that_are_the_same_keep_their_labels_apart(workspace: Workspace) -> None:
    same = {"query": "Can I return it?"}
    pairs_version(workspace, lines_of(a_pair(0, **same), a_pair(1, **same)), "pairs.jsonl")
    label = {"task_type": "relevance", "annotator_id": "ada", "annotated_at": ""}
    given = [{**label, "id": f"p{number}", "label": bool(number)} for number in range(2)]
    uploaded(workspace, lines_of(*given), "labels.jsonl")
    before = said()

    export = exported(Campaign.objects.get(), "tasks")
    read_back(workspace, [("t.csv", content(export, "task_relevance.csv"))])

    assert said() == before


def test_a_label_of_a_try_that_the_run_does_not_have_is_an_error(
    workspace: Workspace, campaign: Campaign
) -> None:
    label = {"id": "p0", "task_type": "relevance", "label": True, "annotator_id": "ada"}

    upload = uploaded(workspace, lines_of({**label, "trial": 3}), "labels.jsonl")

    assert again(upload).issues.get().code == "unknown_trial"


@pytest.mark.parametrize(
    ("pairs", "labels", "count"),
    [
        ("rag/mtrag_pairs.csv", "rag/mtrag_labels.csv", 1_883),
        ("rag/expertqa_pairs.csv", "rag/expertqa_labels.csv", 644),
    ],
)
def test_real_labels_come_out_as_the_bytes_that_went_in(
    workspace: Workspace, pairs: str, labels: str, count: int
) -> None:
    pairs_version(workspace, real(pairs).read_bytes())
    raw = real(labels).read_bytes()
    uploaded(workspace, raw, "labels.csv")

    export = exported(Campaign.objects.get(), "labels")

    tasks = exported(Campaign.objects.get(), "tasks")
    before = said()
    tables = [name for name in names(tasks) if name.endswith(".csv")]
    read_back(workspace, [(name, content(tasks, name)) for name in tables])
    assert said() == before
    lines = content(export, "annotations.csv").replace(b"\r\n", b"\n").splitlines()
    assert len(lines) == count + 1
    assert lines[0] == raw.splitlines()[0]
    assert sorted(lines) == sorted(raw.splitlines())


def _annotations(campaign: Campaign, item: Item, one: Row) -> Iterator[Annotation]:
    """A passage is asked the questions of retrieval, an answer all the others."""
    asked = [
        question
        for question in campaign.questions.order_by("pk")
        if bool(item.chunk) == (question.task_type == "retrieval")
    ]
    labels, texts = iter(one["labels"] * 3), iter(one["texts"])
    for question in asked:
        own = question.task_type in ("own", "")
        label = next(texts) if own else str(next(labels)).lower()
        yield Annotation(
            item=item,
            question=question,
            annotator=one["annotator"],
            label="" if one["reason"] else label,
            discard_reason=one["reason"] or "",
            notes=one["notes"],
            annotated_at=one["annotated_at"],
            begun_at=one["begun_at"],
        )


def _uuid(raw: bytes) -> bytes:
    return raw.splitlines()[1].split(b",")[0]
