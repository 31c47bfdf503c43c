"""What every command needs: the person and the workspace that were named."""

from django.core.management.base import CommandError

from .models import User, Workspace

REFUSED = 2


def person(name: str) -> User:
    found = User.objects.filter(username=name, is_active=True).first()
    if found is None:
        raise CommandError(
            f"There is no active user “{name}”: see `evalhub user list`.", returncode=REFUSED
        )
    return found


def chosen_workspace(slug: str | None, user: User | None = None) -> Workspace:
    """The one named, or the only one there is (for this person, if one is given)."""
    workspaces = Workspace.objects.visible_to(user) if user else Workspace.objects.all()
    slugs = list(workspaces.order_by("slug").values_list("slug", flat=True)[:20])
    if slug is None and len(slugs) == 1:
        return workspaces.get()
    if slug is None:
        raise CommandError(_which(slugs), returncode=REFUSED)
    found = workspaces.filter(slug=slug).first()
    if found is None:
        raise CommandError(f"There is no workspace “{slug}”{_here(slugs)}.", returncode=REFUSED)
    return found


def _which(slugs: list[str]) -> str:
    if not slugs:
        return "There is no workspace yet: `evalhub user create NAME --role admin` makes one."
    return f"Several workspaces: name one with --workspace ({', '.join(slugs)})."


def _here(slugs: list[str]) -> str:
    return f" (there is: {', '.join(slugs)})" if slugs else ""
