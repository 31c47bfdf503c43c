"""Grading contracts and their versions, immutable once used."""

from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from apps.accounts.models import Workspace, WorkspaceScoped
from apps.fields import PublicIdField

from .spec import ContractSpec, stored_spec


class GradingContractQuerySet(WorkspaceScoped["GradingContract"]):
    def active(self) -> Self:
        return self.filter(archived_at=None)

    def archived(self) -> Self:
        return self.exclude(archived_at=None)


class GradingContract(models.Model):
    id = PublicIdField("gc")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="contracts")
    name = models.CharField(max_length=120)
    description = models.TextField(default="", blank=True)
    archived_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = GradingContractQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="one_contract_a_name")
        ]

    def __str__(self) -> str:
        return self.name


class ContractVersionQuerySet(WorkspaceScoped["ContractVersion"]):
    workspace_path = "contract__workspace"

    def drafts(self) -> Self:
        return self.filter(locked_at=None)


class ContractVersion(models.Model):
    """A draft until `locked_at`; from then on it stays as it is, for runs point at it.

    Change it through `services`: `save` refuses a version that was locked when it was read.
    """

    id = PublicIdField("gcv")
    contract = models.ForeignKey(GradingContract, models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    spec = models.TextField()
    spec_sha256 = models.CharField(max_length=64)
    locked_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = ContractVersionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["contract", "number"], name="one_contract_version_a_number"
            ),
            models.UniqueConstraint(
                fields=["contract"],
                condition=models.Q(locked_at=None),
                name="one_contract_draft",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.contract.name}@{self.number}"

    @property
    def parsed(self) -> ContractSpec:
        return stored_spec(self.spec)

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.locked_at is not None and not self._state.adding:
            raise TypeError(f"{self} is locked: save the changes as its next version")
        super().save(*args, **kwargs)
