"""What people fill in: making a campaign, filtering campaigns, changing who labels."""

from .listing import CampaignFilterForm
from .making import CampaignForm
from .people import PeopleForm
from .said import SaidFilterForm

__all__ = ["CampaignFilterForm", "CampaignForm", "PeopleForm", "SaidFilterForm"]
