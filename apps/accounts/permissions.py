"""What each role may do, in one table; pages, API and tests read it."""

from enum import StrEnum


class Role(StrEnum):
    REVIEWER = "reviewer"
    LEAD = "lead"
    ADMIN = "admin"


class Permission(StrEnum):
    VIEW_WORKSPACE = "workspace.view"
    VIEW_DATASETS = "datasets.view"
    UPLOAD_DATASETS = "datasets.upload"
    ARCHIVE_DATASETS = "datasets.archive"
    MANAGE_VARIABLES = "variables.manage"
    VIEW_TRACES = "traces.view"
    IMPORT_TRACES = "traces.import"
    VIEW_CONTRACTS = "contracts.view"
    EDIT_CONTRACTS = "contracts.edit"
    VIEW_TARGETS = "targets.view"
    MANAGE_TARGETS = "targets.manage"
    VIEW_RUNS = "runs.view"
    START_RUNS = "runs.start"
    CONTROL_RUNS = "runs.control"
    LABEL_FAILURES = "failures.label"
    DOWNLOAD_ARTIFACTS = "artifacts.download"
    USE_TOKENS = "tokens.use"
    VIEW_ANNOTATIONS = "annotations.view"
    MANAGE_CAMPAIGNS = "campaigns.manage"
    LABEL_ANSWERS = "answers.label"
    SETTLE_LABELS = "labels.settle"
    VIEW_GATES = "gates.view"
    EDIT_GATES = "gates.edit"
    DECIDE_GATES = "gates.decide"
    OVERRIDE_GATES = "gates.override"
    MANAGE_WEBHOOKS = "webhooks.manage"
    VIEW_MEMBERS = "members.view"
    MANAGE_MEMBERS = "members.manage"
    VIEW_AUDIT = "audit.view"
    MANAGE_RETENTION = "retention.manage"
    VIEW_SYSTEM = "system.view"

    @property
    def label(self) -> str:
        noun, verb = self.value.split(".")
        return f"{verb.capitalize()} {noun}"


_EVERYONE = frozenset(Role)
_LEADS = frozenset({Role.LEAD, Role.ADMIN})
_ADMINS = frozenset({Role.ADMIN})

ROLES_ALLOWED: dict[Permission, frozenset[Role]] = {
    Permission.VIEW_WORKSPACE: _EVERYONE,
    Permission.VIEW_DATASETS: _EVERYONE,
    Permission.UPLOAD_DATASETS: _LEADS,
    Permission.ARCHIVE_DATASETS: _LEADS,
    Permission.MANAGE_VARIABLES: _ADMINS,
    Permission.VIEW_TRACES: _EVERYONE,
    Permission.IMPORT_TRACES: _LEADS,
    Permission.VIEW_CONTRACTS: _EVERYONE,
    Permission.EDIT_CONTRACTS: _LEADS,
    Permission.VIEW_TARGETS: _LEADS,
    Permission.MANAGE_TARGETS: _ADMINS,
    Permission.VIEW_RUNS: _EVERYONE,
    Permission.START_RUNS: _LEADS,
    Permission.CONTROL_RUNS: _LEADS,
    Permission.LABEL_FAILURES: _EVERYONE,
    Permission.DOWNLOAD_ARTIFACTS: _LEADS,
    Permission.USE_TOKENS: _EVERYONE,
    Permission.VIEW_ANNOTATIONS: _LEADS,
    Permission.MANAGE_CAMPAIGNS: _LEADS,
    Permission.LABEL_ANSWERS: _EVERYONE,
    Permission.SETTLE_LABELS: _EVERYONE,  # where a lead lets them: apps.labeling.settling.reviewing
    Permission.VIEW_GATES: _EVERYONE,
    Permission.EDIT_GATES: _LEADS,
    Permission.DECIDE_GATES: _LEADS,
    Permission.OVERRIDE_GATES: _LEADS,
    Permission.MANAGE_WEBHOOKS: _ADMINS,
    Permission.VIEW_MEMBERS: _EVERYONE,
    Permission.MANAGE_MEMBERS: _ADMINS,
    Permission.VIEW_AUDIT: _ADMINS,
    Permission.MANAGE_RETENTION: _ADMINS,
    Permission.VIEW_SYSTEM: _ADMINS,
}


def allows(role: str, permission: Permission) -> bool:
    return role in ROLES_ALLOWED[permission]


def roles_sentence(permission: Permission) -> str:
    """Who may, in words: "a lead or an admin"."""
    articles = {Role.REVIEWER: "a reviewer", Role.LEAD: "a lead", Role.ADMIN: "an admin"}
    return " or ".join(articles[role] for role in Role if allows(role, permission))
