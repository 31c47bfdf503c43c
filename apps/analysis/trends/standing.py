"""The board that somebody asks for, with what else they could have asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404

from apps.accounts.models import User, Workspace
from apps.analysis.models import Board
from apps.analysis.showing import words
from apps.metrics.ranked import Board as Body

from .asking import asked
from .changing import FlickerPage, flickers
from .choosing import FEWEST, Choice, Contenders, Match, contenders, versions_with_runs
from .lines import Shown, shown
from .sheets import METRICS
from .wanted import BoardWanted, Offer


@dataclass(frozen=True)
class Standing:
    """`wanted` as it is answered, `lacks` what of it was not to be had; `board` is None where there
    are not two runs to rank."""

    wanted: BoardWanted
    versions: Sequence[Choice]
    found: Contenders
    board: Board | None
    lacks: Sequence[str] = ()

    @property
    def name(self) -> words.Name:
        return words.name_of(self.wanted.metric)

    @property
    def metrics(self) -> list[Choice]:
        return [(metric, words.name_of(metric).title) for metric in METRICS]

    @property
    def shown(self) -> Shown | None:
        """None while nothing was computed; one query."""
        body = self._body
        return shown(body, self.found.runs) if body else None

    @property
    def flickers(self) -> FlickerPage | None:
        """None while nothing was computed; two queries."""
        body = self._body
        if body is None:
            return None
        oldest_first = list(reversed(self.found.runs))
        return flickers(body, oldest_first, self.wanted.kind, self.wanted.number)

    @property
    def offers(self) -> list[Offer]:
        """Where nobody ranks against anybody: boards that there are, of these runs and of others.

        Every run of this choice first, then the fullest board elsewhere.
        """
        if len(self.found.runs) >= FEWEST:
            return []
        full = [match for match in self.found.matches if match.runs >= FEWEST]
        here = [match for match in full if self._is_here(match)]
        others = [match for match in full if not self._is_here(match)]
        best = [match for match in others if match.targets >= FEWEST] or others
        return [self._offered(match) for match in (*here, *best[:1])]

    def _is_here(self, match: Match) -> bool:
        return (match.version, match.contract) == (self.found.version, self.found.contract)

    def _offered(self, match: Match) -> Offer:
        every = "" if match.targets >= FEWEST else "on"
        place = {"version": match.version, "contract": match.contract, "every": every, "page": ""}
        n = f"{match.on_board(every=bool(every)):,} {'runs' if every else 'target versions'}"
        data = dict(self.versions).get(match.version, "another dataset version")
        rules = self.found.names[match.contract]
        return Offer(self.wanted.query(**place), f"{n} over {data}, judged by {rules}")

    @property
    def version_name(self) -> str:
        return dict(self.versions).get(self.wanted.version, "no dataset version")

    @property
    def _body(self) -> Body | None:
        if self.board is None or self.board.body is None:
            return None
        return Body.model_validate(self.board.body)


def standing(user: User, workspace: Workspace, wanted: BoardWanted) -> Standing:
    """404 where the version is not to be seen, or there is no such; of the rest what was wished
    for where it can be had, else what goes without saying."""
    every = bool(wanted.every)
    found = contenders(user, workspace, wanted.version, contract=wanted.contract, every=every)
    if wanted.version not in ("", found.version):
        raise Http404("There is no run of this dataset version, or you may not see it.")
    metric = wanted.metric if wanted.metric in METRICS else METRICS[0]
    parts = {"version": found.version, "contract": found.contract, "metric": metric}
    answered = wanted.model_copy(update=parts)
    return Standing(
        wanted=answered,
        versions=versions_with_runs(user, workspace),
        found=found,
        board=asked(found.runs, metric) if len(found.runs) >= FEWEST else None,
        lacks=wanted.lacks(answered),
    )
