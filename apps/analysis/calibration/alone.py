"""The one rule that makes a contract's verdict, where there is one."""

from django.db.models import Q

from apps.analysis.models import Calibration
from apps.runs.models import Run, Score


def rule_that_decides(run: Run) -> str:
    """Its name, where it alone decides and no answer shows otherwise; else ''.

    Rules and passing scores that came with the data may decide beside the contract's: the answers
    tell.
    """
    spec = run.contract_version.parsed if run.contract_version else None
    deciding = [rule.name for rule in spec.rules if rule.decides] if spec else []
    if spec is None or len(deciding) != 1 or spec.passing_score is not None:
        return ""
    [name] = deciding
    otherwise = Q(result__verdict="passed", verdict="fail") | Q(
        result__verdict="failed", verdict="pass"
    )
    scores = Score.objects.filter(run=run, rule=name)
    return "" if scores.filter(otherwise).exists() else name


def verdict_made_by(calibration: Calibration) -> Calibration | None:
    """The contract's verdict held against the same question, where this rule alone decides it."""
    run = calibration.campaign.run
    if not calibration.rule or calibration.rule != rule_that_decides(run):
        return None
    beside = Calibration.objects.filter(
        campaign=calibration.campaign_id, question=calibration.question_id, rule=""
    )
    return beside.select_related("campaign__workspace", "question").first()
