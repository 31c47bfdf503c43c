"""What judges with temperature 0 said before: the same request is not asked again."""

from collections.abc import Callable

from asgiref.sync import sync_to_async

from apps.artifacts.canonical import canonical, sha256_hex
from apps.artifacts.redaction import Redactor
from apps.grading.contracts import Question
from apps.runs.models import CachedAnswer
from apps.targets.contracts import Reply
from apps.targets.specs import OpenAIChatSpec, TargetSpec

from .rows import stored


def says_the_same_again(spec: TargetSpec) -> bool:
    """Whether an answer may stand for the next one: a model at temperature 0, and only then."""
    return isinstance(spec, OpenAIChatSpec) and spec.temperature == 0


class Remembered:
    """The memory of one judge's version; `note` is given the rows to write.

    They are written with everything else that a chunk finds out, so an answer of the last half
    second may be asked for twice; two workers that ask the same at once both pay.
    """

    def __init__(
        self,
        version_id: str,
        spec_sha256: str,
        redactor: Redactor,
        note: Callable[[CachedAnswer], None],
    ) -> None:
        self._version_id = version_id
        self._spec_sha256 = spec_sha256
        self._redactor = redactor
        self._note = note
        self._fresh: dict[str, CachedAnswer] = {}

    async def recall(self, question: Question) -> Reply | None:
        key = self._key(question)
        found = self._fresh.get(key) or await sync_to_async(self._stored)(key)
        if found is None:
            return None
        return Reply(text=found.text, model=found.model, cost=0.0, cached=True, request_sha256=key)

    def keep(self, question: Question, reply: Reply) -> None:
        """The caller can read the reply; its text is kept without secrets."""
        key = self._key(question)
        row = CachedAnswer(
            target_version_id=self._version_id,
            request_sha256=key,
            text=stored(reply.text or "", self._redactor),
            model=reply.model,
        )
        self._fresh[key] = row
        self._note(row)

    def _stored(self, key: str) -> CachedAnswer | None:
        kept = CachedAnswer.objects.filter(target_version=self._version_id, request_sha256=key)
        return kept.first()

    def _key(self, question: Question) -> str:
        return sha256_hex(canonical([self._spec_sha256, question.system, question.user]))
