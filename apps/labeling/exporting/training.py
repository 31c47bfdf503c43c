"""The form `training`: the answer to each question on each item, once, with how sure it is."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from apps.artifacts.models import Tier
from apps.datasets.formats.csv_text import SCHEMA_VERSION
from apps.datasets.formats.rows import OUR_VERSION
from apps.labeling.settling.truth import Truth, truths
from apps.runs.walking import batches

from .files import Files, Row
from .source import Answer, Source, Unit

TRAINING = "training.csv"
META = "training_export.meta.json"
COLUMNS = (
    *("id", "trial", "chunk_id", "task_type", "criterion", "query", "response", "context"),
    *("label", "source", "how", "n_labels", "n_agreeing", "agreement", "probability", "weight"),
    *("group", SCHEMA_VERSION),
)
HOW = {"review": "settled", "gold": "known"}
LeftOut = defaultdict[str, Counter[str]]
"""By question and reason: answers to it on an item that somebody has labelled."""


def write_training(source: Source, files: Files) -> Row:
    source.will_pass(1)
    taken: Counter[str] = Counter()
    left_out: LeftOut = defaultdict(Counter)
    items = Counter(labelled=0, unlabelled=0)
    files.table(TRAINING, COLUMNS, _rows(source, taken, left_out, items), tier=Tier.RAW)
    files.document(META, lambda: _meta(source, taken, left_out, items))
    return {
        "left_out": sum(each.total() for each in left_out.values()),
        "unlabelled_items": items["unlabelled"],
    }


def _rows(
    source: Source, taken: Counter[str], left_out: LeftOut, items: Counter[str]
) -> Iterator[Row]:
    questions = {each.pk: each for each in source.questions}
    for window in source.windows():
        found = _by_item(source, window)
        for answer in window:
            for unit in answer.units:
                items["labelled" if found.get(unit.item.pk) else "unlabelled"] += 1
                for key, truth in found.get(unit.item.pk, {}).items():
                    question = questions[key]
                    if truth.label is None:
                        left_out[str(question)][truth.why] += 1
                        continue
                    taken[str(question)] += 1
                    about = {"task_type": question.task_type, "criterion": question.name}
                    yield {**_pair(source, answer, unit), **about, **_told(source, unit, truth)}
            source.beat(answer)


def _by_item(source: Source, window: list[Answer]) -> dict[int, dict[int, Truth]]:
    """The truths of an item in the order of its questions."""
    items = (unit.item.pk for answer in window for unit in answer.units)
    found: dict[tuple[int, int], Truth] = {}
    for batch in batches(items):
        found |= truths(source.campaign, items=batch)
    place = {each.pk: number for number, each in enumerate(source.questions)}
    by_item: dict[int, dict[int, Truth]] = {}
    for item, question in sorted(found, key=lambda unit: (unit[0], place[unit[1]])):
        by_item.setdefault(item, {})[question] = found[item, question]
    return by_item


def _pair(source: Source, answer: Answer, unit: Unit) -> Row:
    record, chunk = answer.result.record, unit.item.chunk
    return {
        "id": record.record_id,
        "trial": answer.result.trial or None,
        "chunk_id": chunk or None,
        "query": answer.query,
        "response": answer.answer,
        "context": [answer.chunk(unit)] if chunk else answer.passages,
        "group": record.group or record.input_sha256[:16],
        SCHEMA_VERSION: OUR_VERSION,
    }


def _told(source: Source, unit: Unit, truth: Truth) -> Row:
    n = sum(each.count for each in truth.votes)
    agreeing = sum(each.count for each in truth.votes if each.label == truth.label)
    probability = unit.item.probability
    return {
        "label": source.redactor.text(truth.label or ""),
        "source": truth.source,
        "how": HOW.get(truth.source, f"{source.campaign.consensus} {agreeing} of {n}"),
        "n_labels": n,
        "n_agreeing": agreeing,
        "agreement": round(agreeing / n, 4) if n else None,
        "probability": probability,
        "weight": None if probability is None else round(1 / probability, 6),
    }


def _meta(source: Source, taken: Counter[str], left_out: LeftOut, items: Counter[str]) -> Row:
    return {
        "consensus": source.campaign.consensus,
        "as_of": source.as_of.isoformat(),
        "items": dict(items),
        "rows": dict(sorted(taken.items())),
        "left_out": {name: dict(sorted(why.items())) for name, why in sorted(left_out.items())},
    }
