"""What preparing a campaign has left."""

from apps.labeling.making.sampling import Drawn
from apps.labeling.models import Campaign, Report


def drawn_of(campaign: Campaign) -> Drawn:
    return Drawn.model_validate(Report.objects.get(campaign=campaign, kind="sample").body)
