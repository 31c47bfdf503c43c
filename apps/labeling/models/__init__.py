"""People judge too: campaigns, their questions and items, and every label with its history."""

from .annotations import Annotation, AnnotationChange, Breach
from .campaigns import Assignment, Campaign, Question, Queue
from .desk import DeskAccount, DeskStatus
from .items import DeskRecord, Item
from .jobs import CampaignStep, Export
from .reports import Report
from .reviews import Review, ReviewChange

__all__ = [
    "Annotation",
    "AnnotationChange",
    "Assignment",
    "Breach",
    "Campaign",
    "CampaignStep",
    "DeskAccount",
    "DeskRecord",
    "DeskStatus",
    "Export",
    "Item",
    "Question",
    "Queue",
    "Report",
    "Review",
    "ReviewChange",
]
