"""From the labels of a campaign to its reports."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import cast

import numpy as np
import pandas as pd

from apps.jobs.leases import Lease
from apps.labeling.models import Campaign, Question
from apps.labeling.settling.truth import Truth, Unit
from apps.metrics.labels import Level, Marginal

from .agreeing import agreement_on
from .contracts import (
    Asked,
    CampaignAgreement,
    CampaignConsensus,
    Measured,
    QuestionConsensus,
    ScopeAgreement,
    ScopeName,
)
from .persons import people_of
from .reading import Labels, read


def measure(campaign: Campaign, found: Mapping[Unit, Truth], lease: Lease) -> Measured:
    """Renews the lease while it computes."""
    labels = read(campaign)
    return Measured(
        agreement=_agreement(labels, lease),
        people=people_of(labels),
        consensus=_consensus(labels, found),
    )


def _agreement(labels: Labels, lease: Lease) -> CampaignAgreement:
    frames: list[tuple[ScopeName, pd.DataFrame]] = [("overlap", labels.counted)]
    if labels.calibration:
        frames.insert(0, ("calibration", _of_the_share(labels)))
    return CampaignAgreement(
        labels=len(labels.counted),
        people=labels.counted["annotator"].nunique(),
        scopes=tuple(_scope(scope, labels, frame, lease) for scope, frame in frames),
        texts=tuple(str(each) for each in labels.questions if each.kind == Question.Kind.TEXT),
    )


def _of_the_share(labels: Labels) -> pd.DataFrame:
    frame = labels.counted
    units = zip(frame["item"], frame["task"], strict=True)
    return frame[np.array([unit in labels.calibration for unit in units], dtype=bool)]


def _scope(scope: ScopeName, labels: Labels, frame: pd.DataFrame, lease: Lease) -> ScopeAgreement:
    by_question = dict(iter(frame.groupby("question")))
    nobody = frame.iloc[:0]
    asked = [each for each in labels.questions if each.kind != Question.Kind.TEXT]
    found = []
    for done, question in enumerate(asked):
        rows = by_question.get(question.pk, nobody)
        found.append(agreement_on(question, asked_as(question), rows, labels.slices))
        lease.progress(done + 1, len(asked))
    return ScopeAgreement(scope=scope, questions=tuple(found))


def _consensus(labels: Labels, found: Mapping[Unit, Truth]) -> CampaignConsensus:
    by_question: dict[int, list[Truth]] = {}
    for (_, question), truth in found.items():
        by_question.setdefault(question, []).append(truth)
    return CampaignConsensus(
        questions=tuple(
            _outcome(asked_as(each), by_question[each.pk])
            for each in labels.questions
            if each.pk in by_question
        )
    )


def _outcome(asked: Asked, found: list[Truth]) -> QuestionConsensus:
    sources = Counter(truth.source for truth in found)
    agreed = [truth for truth in found if truth.source == "consensus"]
    return QuestionConsensus(
        asked=asked,
        units=len(found),
        reviewed=sources["review"],
        known=sources["gold"],
        agreed=len(agreed),
        single=sum(sum(vote.count for vote in truth.votes) == 1 for truth in agreed),
        unsettled=marginals(truth.why for truth in found if not truth.source),
        labels=marginals(truth.label for truth in found if truth.label is not None),
    )


def asked_as(question: Question) -> Asked:
    return Asked(
        id=question.pk,
        task=question.task_type,
        name=question.name,
        title=question.title,
        kind=question.kind,
        level=cast(Level, question.level),
    )


def marginals(labels: Iterable[str]) -> tuple[Marginal, ...]:
    """The most frequent first."""
    counts = sorted(Counter(labels).items(), key=lambda each: (-each[1], each[0]))
    return tuple(Marginal(label=label, count=count) for label, count in counts)
