"""A campaign with every task of the annotation tool, and answers to them."""

from typing import Any

import pytest

from apps.accounts.models import Workspace
from apps.labeling.models import Annotation, Campaign, Item, Question
from tests.datasets.pairs import a_pair, lines_of, pairs_version
from tests.labeling.labelled import START, a_campaign, a_question, items_of

COMMON = [
    *("record_uuid", "annotator_id", "task", "language", "calibration", "inserted_at"),
    *("created_at", "record_status", "response_status", "discard_reason", "discard_notes"),
]
RETRIEVAL = [
    *COMMON,
    *("query", "chunk", "chunk_id", "doc_id", "chunk_rank", "n_retrieved_chunks"),
    *("topically_relevant", "evidence_sufficient", "misleading"),
    *("notes", "constraint_violated", "constraint_details"),
    *("panel_complete", "n_annotated_chunks", "n_submitted_chunks", "n_discarded_chunks"),
    "n_records_seen",
]
GROUNDING = [
    *COMMON,
    *("answer", "context_set"),
    *("support_present", "unsupported_claim_present", "contradicted_claim_present"),
    *("source_cited", "fabricated_source"),
    *("notes", "constraint_violated", "constraint_details"),
]
GENERATION = [
    *COMMON,
    *("query", "answer"),
    *("proper_action", "response_on_topic", "helpful", "incomplete", "unsafe_content"),
    *("notes", "constraint_violated", "constraint_details"),
]
NAMES = {
    "retrieval": RETRIEVAL[17:20],
    "grounding": GROUNDING[13:18],
    "generation": GENERATION[13:18],
}


@pytest.fixture
def campaign(workspace: Workspace) -> Campaign:
    """Two pairs with two passages each; people are asked about passages and answers."""
    chunks = [
        {"chunk_id": f"c{rank}", "doc_id": "terms", "chunk_rank": rank, "text": f"Passage {rank}."}
        for rank in (1, 2)
    ]
    pairs = [a_pair(number, chunks=chunks, metadata={"language": "en"}) for number in range(2)]
    version = pairs_version(workspace, lines_of(*pairs), "pairs.jsonl")
    made = a_campaign(workspace, version=version)
    made.questions.all().delete()
    for item in items_of(made):
        for chunk in ("c1", "c2"):
            Item.objects.create(
                campaign=made, result=item.result, chunk=chunk, pair_sha256=item.pair_sha256
            )
    return made


def asked(campaign: Campaign, task: str) -> dict[str, Question]:
    return {name: a_question(campaign, task, name=name) for name in NAMES[task]}


def answer(
    questions: dict[str, Question], annotator: str, item: Item, labels: str, **fields: Any
) -> None:
    """`yyn`: the labels of the questions in their order; `-` gives none."""
    for question, label in zip(questions.values(), labels, strict=True):
        if label != "-":
            Annotation.objects.create(
                item=item,
                question=question,
                annotator=annotator,
                label="true" if label == "y" else "false",
                annotated_at=START,
                **fields,
            )


def passage(campaign: Campaign, number: int, chunk: str) -> Item:
    return campaign.items.get(result__ordinal=number, chunk=chunk)


def whole(campaign: Campaign, number: int = 0) -> Item:
    return passage(campaign, number, "")
