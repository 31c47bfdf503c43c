"""A decision as it is told to somebody, with the addresses of its evidence.

`base` is the server's own address, which stands before each of them; '' where nobody knows it.
"""

from urllib.parse import urlencode

from django.urls import reverse

from apps.accounts.models import User
from apps.analysis.gates.contracts import (
    Check,
    Decided,
    Evidence,
    Link,
    Overridden,
    Report,
    SeenSlice,
)
from apps.analysis.gates.overriding import current_override, effective_answer, takes_back
from apps.analysis.gates.stored import decided
from apps.analysis.models import GateDecision, GateOverride
from apps.runs.models import Run

_TITLES = {
    "run": "The run",
    "results": "The results behind it",
    "comparison": "The records that got worse",
    "judges": "The judge held against people",
}


def report_of(decision: GateDecision, *, base: str, reader: User | None) -> Report:
    """To a reader what they may see, to nobody in particular all of it.

    One query for the overrides where they were not fetched with the decision.
    """
    found, slug = decided_for(decision, reader), decision.workspace.slug
    return Report.model_validate(
        {
            "id": decision.pk,
            "answer": effective_answer(decision),
            "decided": found,
            "overridden": overridden_in(decision),
            "decided_by": decision.decided_by.label if decision.decided_by else None,
            "page": _page("analysis:gate-decision", slug, decision.pk, base=base),
            "run_page": _page("runs:detail", slug, decision.run_id, base=base),
            "baseline_page": _page("runs:detail", slug, decision.baseline_id, base=base)
            if decision.baseline_id
            else None,
            "comparison_page": comparison_page(found, slug, base),
            "worse_page": worse_page(found, slug, base),
            "links": {check.key: links_of(check, found, slug, base) for check in found.checks},
        }
    )


def overridden_in(decision: GateDecision) -> Overridden | None:
    """Who says something else in the gate's place, as it counts now."""
    said = current_override(decision)
    return overridden(said) if said else None


def overridden(said: GateOverride) -> Overridden:
    return Overridden.model_validate(
        {
            "seq": said.seq,
            "takes_back": takes_back(said),
            "answer": said.answer,
            "reason": said.reason,
            "by": said.by.label,
            "at": said.at,
        }
    )


def decided_for(decision: GateDecision, reader: User | None) -> Decided:
    """What it said, without a baseline that was passed over and that the reader may not see."""
    found = decided(decision)
    if reader is None or found.approved_baseline is None:
        return found
    if Run.objects.visible_to(reader).filter(pk=found.approved_baseline).exists():
        return found
    return found.model_copy(update={"approved_baseline": None})


def links_of(check: Check, found: Decided, slug: str, base: str) -> tuple[Link, ...]:
    return tuple(
        Link(title=_TITLES[each.kind], page=page_of(each, found, slug, base))
        for each in check.evidence
    )


def page_of(evidence: Evidence, found: Decided, slug: str, base: str) -> str:
    """The page where it can be looked at."""
    given = evidence.parameters
    match evidence.kind:
        case "run":
            return _page("runs:detail", slug, found.run.id, base=base)
        case "results":
            page = _page("runs:results", slug, found.run.id, base=base)
            return f"{page}?{urlencode(given)}"
        case "judges":
            return base + given["address"]
        case "comparison":
            return _records(found, slug, base, move="worse", **given)


def comparison_page(found: Decided, slug: str, base: str) -> str | None:
    """Both runs side by side."""
    if found.baseline is None:
        return None
    return f"{_page('analysis:compare', slug, base=base)}?{_both(found)}"


def worse_page(found: Decided, slug: str, base: str) -> str | None:
    """The records that got worse, by what records are told by where nobody says."""
    return _records(found, slug, base, move="worse") if found.baseline else None


def slice_page(check: Check, seen: SeenSlice, found: Decided, slug: str) -> str:
    """The records of a slice side by side, on this server."""
    where = {"metric": check.metric, "family": seen.family, "value": seen.value}
    return _records(found, slug, "", **where)


def _records(found: Decided, slug: str, base: str, **more: str) -> str:
    return f"{_page('analysis:compare-records', slug, base=base)}?{_both(found, **more)}"


def _both(found: Decided, **more: str) -> str:
    baseline = found.baseline.id if found.baseline else ""
    runs = {"run": [baseline, found.run.id], "baseline": baseline}
    return urlencode({**runs, **more}, doseq=True)


def _page(name: str, *arguments: str, base: str) -> str:
    return base + reverse(name, args=arguments)
